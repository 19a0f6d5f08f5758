"""Upper bound of the true curve that needs no truth, from classifiers that are judged on samples they have not seen."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from prviz.checks.flags import checked_pair
from prviz.curves import PRCurve
from prviz.estimators import ESTIMATORS, Supports
from prviz.estimators.base import resolve_k
from prviz.measure.estimates import Estimate, K, measure, method_names
from prviz.neighbors import MEMORY_LIMIT
from prviz.samples import Samples, split_share

Floats = NDArray[np.float64]

# Probability that a bound holds where the user gives none.
CONFIDENCE = 0.95
NO_LOWER_BOUND = (
    "There is no such bound from below: any finite samples can come from two distributions that share nothing."
)
# Ratio of the numbers of errors at which a rate is bounded by its own binomial distribution: a finer one shares the
# level among more numbers.
_RATIO = 1.2


def upper_bound(
    real: Samples | ArrayLike,
    generated: Samples | ArrayLike,
    methods: Sequence[str] | str | None = None,
    *,
    ks: Sequence[K] | None = None,
    split: float = 0.5,
    confidence: float = CONFIDENCE,
    seed: int = 0,
    memory_limit: int = MEMORY_LIMIT,
) -> PRCurve:
    """A curve that lies above the true one, at every lam at once, with at least this confidence.

    Parameters
    ----------
    real, generated : array_like or Samples
        (n, d) and (m, d) samples; n and m may differ. They are independent, or `Samples` with ``groups`` that are.
    methods : sequence of str or str, optional
        Names in ESTIMATORS; None: DEFAULT_METHODS. All share the level. A family whose classifiers the evaluation
        samples take part in choosing has no bound.
    ks : sequence of int or "sqrt", optional
        Numbers of neighbours, as in `prviz.pr_curve`, of every family that has one; None: ("sqrt",).
    split : float
        Share of each set that defines the classifiers, in (0, 1). The rest measures their errors.
    confidence : float
        Probability, in (0, 1), that the bound holds.
    seed : int
        Seed of the split.
    memory_limit : int
        As in `prviz.pr_curve`.

    Returns
    -------
    PRCurve
        The lower-left hull of bounded error rates. With few samples or bad classifiers it is loose, never wrong.

    Raises
    ------
    ValueError, TypeError
        As `prviz.pr_curve`; no split, no k, a family without a bound, or a confidence outside (0, 1).

    Notes
    -----
    Every classifier that is fixed before it sees its evaluation samples lies above the true curve with its true error
    rates (Simon et al. 2019, Theorem 5). The classifiers of a run are nested, so that all their true rates are bounded
    at once by the measured ones plus the one-sided band of Dvoretzky, Kiefer, Wolfowitz and Massart; where few samples
    are wrong, by the quantiles of the order statistics of uniform numbers (Clopper, Pearson), far closer there. Either
    has half of the level; families, ks, runs, both roles and the two end classifiers share it (Bonferroni). The two
    trivial classifiers have exact rates.

    Of samples in groups, such as the frames of videos, as many count as would be independent if all of a group were
    alike (Kish 1965): as many as there are groups of one size.

    No lower bound exists without assumptions: any finite samples can come from distributions that share nothing.

    Examples
    --------
    >>> import prviz
    >>> pair = prviz.toy("mixtures", d=4)
    >>> bound = prviz.upper_bound(*pair.sample(1000, seed=0))
    >>> bool(bound.auc > pair.truth().auc)
    True
    """
    if split_share(split) is None:
        raise ValueError("split = None; a share in (0, 1) is needed, since classifiers must not have seen their judges")
    numbers: Sequence[K] = ("sqrt",) if ks is None else ks
    if not numbers:
        raise ValueError("ks is empty; one or more numbers of neighbours are needed")
    pair = checked_pair(real, generated)
    names = method_names(methods)
    _check(names, confidence)
    requests = [(method, resolve_k(k, pair), None) for method in names for k in numbers]
    estimates = measure(pair.split(split, seed), list(dict.fromkeys(requests)), seed, memory_limit)
    return bound_of(estimates, confidence)


def known_bound(estimates: Iterable[Estimate], *, held_out: bool) -> PRCurve | None:
    """`bound_of` those of some estimates that have one; None without any, or without split.

    Parameters
    ----------
    estimates : iterable of Estimate
        As for `bound_of`.
    held_out : bool
        True if the estimates are measured with a split.

    Returns
    -------
    PRCurve, optional
        The bound with the probability CONFIDENCE.
    """
    bounded = [each for each in estimates if held_out and not ESTIMATORS[each.method].chosen_by_evaluation]
    return bound_of(bounded) if bounded else None


def bound_of(estimates: Iterable[Estimate], confidence: float = CONFIDENCE) -> PRCurve:
    """`upper_bound` of estimates that are measured already, all of one pair and one split.

    Parameters
    ----------
    estimates : iterable of Estimate
        At least one; all share the level. They must be chosen before they are seen.
    confidence : float
        Probability, in (0, 1), that the bound holds.

    Returns
    -------
    PRCurve
        The bound.

    Raises
    ------
    ValueError
        A confidence outside (0, 1), or a family whose classifiers the evaluation samples take part in choosing.
    """
    known = list(estimates)
    _check([each.method for each in known], confidence)
    runs = list({id(run): run for estimate in known for run in estimate.runs}.values())
    level = (1 - confidence) / (2 * len(runs))
    return PRCurve.from_error_rates(*np.concatenate([_bounded(run, level) for run in runs], axis=1))


def _check(methods: Sequence[str], confidence: float) -> None:
    """Raise ValueError for what no bound can be given of."""
    if not (isinstance(confidence, int | float) and 0 < confidence < 1):
        raise ValueError(f"confidence = {confidence!r}; a number between 0 and 1 is needed")
    if chosen := [name for name in methods if ESTIMATORS[name].chosen_by_evaluation]:
        raise ValueError(
            f"methods = {chosen}: their evaluation samples take part in choosing the classifiers, so no bound holds"
        )


def _bounded(run: Supports, level: float) -> Floats:
    """(2, m) upper bounds of all rates of a run, wrong for either role with a probability of at most ``level``."""
    from scipy.stats import beta

    rates, ends = run.rates(), 2 * bool(np.any(run.both_zero))
    sides = []
    for side, n in zip((rates.fpr, rates.fnr), run.n_independent, strict=True):
        bounds, share = _nested_bounds(n, level)
        # a share of fewer samples than it was counted of is no whole number: the next one is an upper bound
        errors = (np.rint(side * n) if run.groups is None else np.ceil(side * n - 1e-9)).astype(np.intp)
        last = errors[len(errors) - ends :]  # of [c_X > 0] and [c_Y = 0], see `ErrorRates.from_supports`
        own = np.where(last < n, beta.isf(share, last + 1, np.maximum(n - last, 1)), 1.0)
        sides.append(np.append(bounds[errors[: len(errors) - ends]], own))
    return np.stack(sides)


@lru_cache(maxsize=64)
def _nested_bounds(n: int, level: float) -> tuple[Floats, float]:
    """(n + 1,) upper bound of a true rate by its number of errors among n samples, and a level for a single classifier.

    The bounds hold for all nested classifiers at once, and for two single ones besides at that level.
    """
    from scipy.stats import beta

    band = math.sqrt(math.log(2 / level) / (2 * n))
    steps = np.rint(_RATIO ** np.arange(1 + math.log(n) / math.log(_RATIO))).astype(np.intp)
    errors = np.unique(np.concatenate(([0], steps[steps < n])))
    share = level / 2 / (len(errors) + 2)
    quantiles = np.append(beta.isf(share, errors + 1, n - errors), 1.0)
    number = np.arange(n + 1)
    bounds = np.minimum(number / n + band, quantiles[np.searchsorted(errors, number)])
    bounds.flags.writeable = False
    return bounds, share
