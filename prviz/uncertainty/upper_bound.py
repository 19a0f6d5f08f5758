"""Upper bound of the true curve that needs no truth, from one classifier judged on samples that it
has not seen.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import betainccinv, xlogy

from prviz.arrays import Floats, Ints
from prviz.checks.flags import checked_pair
from prviz.curves import PRCurve
from prviz.estimators import ESTIMATORS, Supports, cross_fitting
from prviz.estimators.base import resolve_ks
from prviz.estimators.cross_fitting import Scores, cut_places
from prviz.measure.estimates import Estimate, K, Methods, measure, method_names
from prviz.neighbors import MEMORY_LIMIT
from prviz.neighbors.threads import Progress, memory_at_most
from prviz.samples import SamplesLike, Split, independent_number, split_share
from prviz.uncertainty.critical_values import CriticalValues, critical_values

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
    band = math.sqrt(math.log(2 / level) / (2 * n))
    steps = np.rint(_RATIO ** np.arange(1 + math.log(n) / math.log(_RATIO))).astype(np.intp)
    errors = np.unique(np.concatenate(([0], steps[steps < n])))
    share = level / 2 / (len(errors) + 2)
    quantiles = np.append(betainccinv(errors + 1, n - errors, share), 1.0)
    number = np.arange(n + 1)
    bounds = np.minimum(number / n + band, quantiles[np.searchsorted(errors, number)])
    bounds.flags.writeable = False
    return bounds, share


NO_LOWER_BOUND = (
    "There is no such bound from below: any finite samples can come from two distributions that"
    " share nothing."
)
# Probability of so different scores by chance, below which two sets are told apart.
GATE = 0.01
# Cuts of the score at which its errors are counted: they share the level.
CUTS = 9
# Parts that a critical value is divided into between the two rates, and angles of lam: more of them
# come closer.
_PARTS = 48
_ANGLES = 1024
# Halvings that find a rate of a given divergence.
_HALVINGS = 50


def upper_bound(
    real: SamplesLike,
    generated: SamplesLike,
    methods: Methods = None,
    *,
    ks: Sequence[K] | None = None,
    split: float = 0.5,
    confidence: float = CONFIDENCE,
    seed: int = 0,
    memory_limit: int = MEMORY_LIMIT,
    progress: Progress | None = None,
) -> PRCurve:
    """A curve that lies above the true one, at every lam at once, with at least this confidence.

    Parameters
    ----------
    real, generated : array_like or Samples
        (n, d) and (m, d) samples; n and m may differ. They are independent, or `Samples` with
        ``groups`` that are.
    methods : sequence of str or str, optional
        None: one classifier made of many, as of the family `tightest`. Names in ESTIMATORS: these
        families, which all share the level. A family whose classifiers the evaluation samples take
        part in choosing has no bound.
    ks : sequence of int or "sqrt", optional
        Numbers of neighbours, as in `prviz.pr_curve`, of every family named that has one; None:
        ("sqrt",).
    split : float
        Share of each set that defines the classifiers, in (0, 1). The rest measures their errors.
    confidence : float
        Probability, in (0, 1), that the bound holds.
    seed : int
        Seed of the split and of the classifier.
    memory_limit : int
        As in `prviz.pr_curve`.
    progress : callable, optional
        Called with the fraction done; may raise to stop.

    Returns
    -------
    PRCurve
        The lower-left hull of bounded error rates. With few samples or bad classifiers it is loose,
        never wrong.

    Raises
    ------
    ValueError, TypeError
        As `prviz.pr_curve`; no split, no k, a family without a bound, or a confidence outside (0,
        1).

    Notes
    -----
    Every classifier that is fixed before it sees its evaluation samples lies above the true curve
    with its true error rates (Simon et al. 2019, Theorem 5). Here it is one score, learned on the
    fit samples alone, and cut at 9 places that are fixed beforehand. At each of them the true rates
    lie where the divergences of the measured rates from them, n_real kl+ and n_generated kl+
    together, are at most a critical value: that of exact binomial tails, at a ninth of the level,
    for any true rates (see `prviz.uncertainty.critical_values`). The bound at lam is the least over
    the cuts of the largest lam fpr + fnr in that region, and the trivial classifiers have exact
    rates.

    Families that are named have nested classifiers instead; see `prviz.uncertainty.upper_bound`.

    Of samples in groups, such as the frames of videos, as many count as would be independent if all
    of a group were alike (Kish 1965): as many as there are groups of one size.

    No lower bound exists without assumptions: any finite samples can come from distributions that
    share nothing.

    Examples
    --------
    >>> import prviz
    >>> pair = prviz.toy("mixtures", d=4)
    >>> bound = prviz.upper_bound(*pair.sample(1000, seed=0))
    >>> bool(bound.auc > pair.truth().auc)
    True
    """
    if split_share(split) is None:
        raise ValueError(
            "split = None; a share in (0, 1) is needed, since classifiers must not have seen their"
            " judges"
        )
    numbers: Sequence[K] = ("sqrt",) if ks is None else ks
    if not numbers:
        raise ValueError("ks is empty; one or more numbers of neighbours are needed")
    check_confidence(confidence)
    pair = checked_pair(real, generated)
    drawn = pair.split(split, seed)
    if methods is None and ks is None:
        return judge_half(drawn, seed, confidence, memory_limit, progress).bound
    names = method_names(methods)
    check_bounded(names)
    requests = [(method, k, None) for method in names for k in resolve_ks(numbers, pair)]
    return bound_of(
        measure(drawn, list(dict.fromkeys(requests)), seed, memory_limit, progress), confidence
    )


class JudgedHalf(NamedTuple):
    """What samples say that have not seen the one score that judges them.

    bound : as of `upper_bound`. p : probability, by Mann and Whitney, that generated samples would
    get so much higher scores than real ones by chance.
    """

    bound: PRCurve
    p: float

    @property
    def told_apart(self) -> bool:
        """True if the sets differ by more than chance; no area follows from that."""
        return self.p < GATE or self.bound.auc < 1 - 1e-9


def judge_half(
    split: Split,
    seed: int,
    confidence: float = CONFIDENCE,
    memory_limit: int = MEMORY_LIMIT,
    progress: Progress | None = None,
) -> JudgedHalf:
    """`upper_bound` of samples that are drawn already, and whether the sets may be called
    different.
    """
    with memory_at_most(memory_limit):
        scores = cross_fitting.of_evaluation(split, seed, progress)
    bound = bound_of_scores(scores, _independent(split), confidence)
    return JudgedHalf(bound, _chance(scores, split))


def _chance(scores: Scores, split: Split) -> float:
    """Probability of scores that are so much higher for generated samples, of which each group has
    one.
    """
    from scipy.stats import mannwhitneyu

    sides = []
    for odds, groups in zip(
        (scores.real, scores.generated), _groups_of_evaluated(split), strict=True
    ):
        sides.append(odds if groups is None else odds[np.unique(groups, return_index=True)[1]])
    if np.ptp(np.concatenate(sides)) == 0:
        return 1.0
    return float(
        mannwhitneyu(sides[1], sides[0], alternative="greater", method="asymptotic").pvalue
    )


def bound_of_scores(
    scores: Scores, sizes: tuple[int, int], confidence: float = CONFIDENCE
) -> PRCurve:
    """The bound by a score that its samples did not decide.

    Parameters
    ----------
    scores : Scores
        Of evaluation samples.
    sizes : tuple of two int
        Numbers of real and of generated ones that are independent.
    confidence : float
        Probability, in (0, 1), that the bound holds.

    Returns
    -------
    PRCurve
        The bound.
    """
    critical = critical_values(*sizes, (1 - confidence) / CUTS)
    corners = []
    for place in cut_places(CUTS):
        errors = (scores.real > place).mean(), (scores.generated <= place).mean()
        # a share of fewer samples than it was counted of is no whole number: the next one is an
        # upper bound
        rates = [np.ceil(share * n - 1e-9) / n for share, n in zip(errors, sizes, strict=True)]
        corners.append(_corners((rates[0], rates[1]), sizes, critical))
    return _lowest(corners)


def _independent(split: Split) -> tuple[int, int]:
    """Numbers of independent evaluation samples."""
    known = zip(split.evaluate_rows, _groups_of_evaluated(split), strict=True)
    real, generated = (
        len(rows) if groups is None else independent_number(groups) for rows, groups in known
    )
    return real, generated


def _groups_of_evaluated(split: Split) -> Iterator[Ints | None]:
    """The group of each evaluation sample, by role; None where a set has no groups."""
    for samples, rows in zip(split.pair, split.evaluate_rows, strict=True):
        groups = samples.group_numbers
        yield None if groups is None else groups[rows]


def _corners(
    rates: tuple[float, float], sizes: tuple[int, int], critical: CriticalValues
) -> Floats:
    """(2, c) points (fpr, fnr).

    Some of them is in both rates at least as large as any pair of rates of the region.

    Of each pair of bands, the critical value is divided between the two divergences in steps, each
    rounded up.
    """
    bands = np.meshgrid(*(np.arange(len(edges) - 1) for edges in critical.edges), indexing="ij")
    value = critical.values.reshape(-1, 1)
    part = np.arange(_PARTS)
    shares = value * (part + 1) / _PARTS, value * (_PARTS - part) / _PARTS
    found = []
    inside = np.ones(shares[0].shape, dtype=bool)
    for rate, n, share, edges, band in zip(
        rates, sizes, shares, critical.edges, bands, strict=True
    ):
        low = edges[band.reshape(-1, 1)]
        high = edges[band.reshape(-1, 1) + 1]
        largest = _largest_rate(rate, share / n)
        inside &= largest >= low
        found.append(np.minimum(largest, high))
    return np.stack([each[inside] for each in found])


def _largest_rate(measured: float, divergence: Floats) -> Floats:
    """The largest true rate from which a measured one diverges by at most this much, rounded up."""
    low = np.full(divergence.shape, measured)
    high = np.ones(divergence.shape)
    own = xlogy(measured, measured) + xlogy(1 - measured, 1 - measured)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        beyond = own - xlogy(measured, middle) - xlogy(1 - measured, 1 - middle) > divergence
        high = np.where(beyond, middle, high)
        low = np.where(beyond, low, middle)
    return high


def _lowest(corners: Sequence[Floats]) -> PRCurve:
    """The least concave curve above the lowest bound of the cuts, where lam fpr + fnr is largest at
    some corner.

    Between two neighbouring lam the bound of one cut is convex, hence below its chord. Before the
    first lam and beyond the last one, lines lead to the trivial classifiers, whose bounds are lam
    and 1.
    """
    lams = np.tan((np.arange(_ANGLES) + 0.5) / _ANGLES * np.pi / 2)
    of_cuts = [(lams[:, None] * fpr + fnr).max(axis=1) for fpr, fnr in corners]
    largest = np.stack([*of_cuts, lams, np.ones(len(lams))])
    best = np.argmin(largest[:, :-1] + largest[:, 1:], axis=0)
    place = np.arange(len(lams) - 1)
    points = [(lams[:-1], largest[best, place]), (lams[1:], largest[best, place + 1])]
    if best[0] < len(corners):
        at_0 = float(corners[best[0]][1].max())
        rise = (largest[best[0], 0] - at_0) / lams[0]
        points.append((np.full(1, at_0 / (1 - rise)), np.full(1, at_0 / (1 - rise))))
    if best[-1] < len(corners):
        rise = float(corners[best[-1]][0].max())
        points.append((lams[-1:] + (1 - largest[best[-1], -1:]) / rise, np.ones(1)))
    x, y = (np.concatenate(side) for side in zip(*points, strict=True))
    slopes, intercepts = _concave_lines(x, y)
    legal = (slopes >= 0) & (slopes <= 1) & (intercepts >= 0) & (intercepts <= 1)
    return PRCurve.from_error_rates(slopes[legal], intercepts[legal])


def _concave_lines(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Slopes and intercepts of the lines of the least concave function above these points."""
    hull: list[tuple[float, float]] = []
    order = np.lexsort((-y, x))
    for point in zip(x[order].tolist(), y[order].tolist(), strict=True):
        if hull and hull[-1][0] == point[0]:
            continue
        while len(hull) > 1 and _is_below(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    vertices = np.array(hull)
    slopes = np.diff(vertices[:, 1]) / np.diff(vertices[:, 0])
    return slopes, vertices[:-1, 1] - slopes * vertices[:-1, 0]


def _is_below(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    """True if b lies on or below the line from a to c."""
    return (b[1] - a[1]) * (c[0] - a[0]) <= (c[1] - a[1]) * (b[0] - a[0])
