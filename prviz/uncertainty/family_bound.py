"""Upper bound of the true curve by families of nested classifiers.

The classifiers of a run are nested, so that all their true rates are bounded at once by the
measured ones plus the one-sided band of Dvoretzky, Kiefer, Wolfowitz and Massart; where few samples
are wrong, by the quantiles of the order statistics of uniform numbers (Clopper, Pearson), far
closer there. Either has half of the level; families, ks, runs, both roles and the two end
classifiers share it (Bonferroni). The two trivial classifiers have exact rates.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from prviz.arrays import Floats
from prviz.curves import PRCurve
from prviz.estimators import ESTIMATORS, Supports
from prviz.measure.estimates import Estimate

# Probability that a bound holds where the user gives none.
CONFIDENCE = 0.95
# Ratio of the numbers of errors at which a rate is bounded by its own binomial distribution: a
# finer one shares the level among more numbers.
_RATIO = 1.2


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
    bounded = [
        each for each in estimates if held_out and not ESTIMATORS[each.method].chosen_by_evaluation
    ]
    if bounded:
        return bound_of(bounded)
    return None


def bound_of(estimates: Iterable[Estimate], confidence: float = CONFIDENCE) -> PRCurve:
    """`prviz.upper_bound` by families, of estimates that are measured already, all of one pair and
    one split.

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
        A confidence outside (0, 1), or a family whose classifiers the evaluation samples take part
        in choosing.
    """
    known = list(estimates)
    check_confidence(confidence)
    check_bounded([each.method for each in known])
    runs = list({id(run): run for estimate in known for run in estimate.runs}.values())
    level = (1 - confidence) / (2 * len(runs))
    return PRCurve.from_error_rates(*np.concatenate([_bounded(run, level) for run in runs], axis=1))


def check_confidence(confidence: float) -> None:
    """Raise ValueError for a confidence outside (0, 1)."""
    if not (isinstance(confidence, int | float) and 0 < confidence < 1):
        raise ValueError(f"confidence = {confidence!r}; a number between 0 and 1 is needed")


def check_bounded(methods: Sequence[str]) -> None:
    """Raise ValueError for families that have no bound."""
    if chosen := [name for name in methods if ESTIMATORS[name].chosen_by_evaluation]:
        raise ValueError(
            f"methods = {chosen}: their evaluation samples take part in choosing the classifiers,"
            " so no bound holds"
        )


def _bounded(run: Supports, level: float) -> Floats:
    """(2, m) upper bounds of all rates of a run, wrong for either role with a probability of at
    most ``level``.
    """
    from scipy.special import betainccinv  # scipy.stats, which has it too, takes long to load

    rates = run.rates()
    ends = 2 * bool(np.any(run.both_zero))
    sides = []
    for side, n in zip((rates.fpr, rates.fnr), run.n_independent, strict=True):
        bounds, share = _nested_bounds(n, level)
        # a share of fewer samples than it was counted of is no whole number: the next one is an
        # upper bound
        errors = (np.rint(side * n) if run.groups is None else np.ceil(side * n - 1e-9)).astype(
            np.intp
        )
        # of [c_X > 0] and [c_Y = 0], see `ErrorRates.from_supports`
        last = errors[len(errors) - ends :]
        own = np.where(last < n, betainccinv(last + 1, np.maximum(n - last, 1), share), 1.0)
        sides.append(np.append(bounds[errors[: len(errors) - ends]], own))
    return np.stack(sides)


@lru_cache(maxsize=64)
def _nested_bounds(n: int, level: float) -> tuple[Floats, float]:
    """(n + 1,) upper bound of a true rate by its number of errors among n samples, and a level for
    a single classifier.

    The bounds hold for all nested classifiers at once, and for two single ones besides at that
    level.
    """
    from scipy.special import betainccinv

    band = math.sqrt(math.log(2 / level) / (2 * n))
    steps = np.rint(_RATIO ** np.arange(1 + math.log(n) / math.log(_RATIO))).astype(np.intp)
    errors = np.unique(np.concatenate(([0], steps[steps < n])))
    share = level / 2 / (len(errors) + 2)
    quantiles = np.append(betainccinv(errors + 1, n - errors, share), 1.0)
    number = np.arange(n + 1)
    bounds = np.minimum(number / n + band, quantiles[np.searchsorted(errors, number)])
    bounds.flags.writeable = False
    return bounds, share
