"""An upper bound of the true curve, from the errors of one classifier on samples that it was not
fitted on.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import betainccinv, xlogy

from prviz.arguments import checked_share
from prviz.arrays import Floats, Ints
from prviz.checks.flags import checked_pair
from prviz.curves import PRCurve
from prviz.estimators import ESTIMATORS, Supports, cross_fitting
from prviz.estimators.base import resolve_ks
from prviz.estimators.cross_fitting import Scores, cut_places
from prviz.measure.estimates import Estimate, K, Methods, measure, method_names
from prviz.neighbors import MEMORY_LIMIT
from prviz.neighbors.engine import check_memory_limit
from prviz.neighbors.threads import Progress, memory_at_most
from prviz.samples import SamplesLike, Split, independent_number, split_share
from prviz.uncertainty.critical_values import CriticalValues, critical_values

# Default probability that a bound holds.
CONFIDENCE = 0.95
# At certain numbers of errors, true rates are bounded by their binomial distribution. _RATIO is the
# ratio of neighbouring numbers. With a smaller ratio the level would be divided among more numbers.
_RATIO = 1.2


def known_bound(estimates: Iterable[Estimate], *, held_out: bool) -> PRCurve | None:
    """`bound_of` those estimates that can give a bound; None if there are none, or without split.

    Parameters
    ----------
    estimates : iterable of Estimate
        As in `bound_of`.
    held_out : bool
        True if the estimates were measured with a split.

    Returns
    -------
    PRCurve, optional
        The bound, which holds with probability CONFIDENCE.
    """
    bounded = [
        each for each in estimates if held_out and not ESTIMATORS[each.method].chosen_by_evaluation
    ]
    if bounded:
        return bound_of(bounded)
    return None


def bound_of(estimates: Iterable[Estimate], confidence: float = CONFIDENCE) -> PRCurve:
    """`prviz.upper_bound` by families, from estimates that are already measured, all of one pair
    and one split.

    Parameters
    ----------
    estimates : iterable of Estimate
        At least one estimate; the level 1 - confidence is divided among them. They must be chosen
        before their results are known.
    confidence : float
        Probability, in (0, 1), that the bound holds.

    Returns
    -------
    PRCurve
        The bound.

    Raises
    ------
    ValueError
        If the confidence is outside (0, 1), or evaluation samples influence which classifiers a
        family has.
    """
    known = list(estimates)
    checked_share("confidence", confidence)
    check_bounded([each.method for each in known])
    runs = list({id(run): run for estimate in known for run in estimate.runs}.values())
    level = (1 - confidence) / (2 * len(runs))
    return PRCurve.from_error_rates(*np.concatenate([_bounded(run, level) for run in runs], axis=1))


def check_bounded(methods: Sequence[str]) -> None:
    """Raise ValueError if one of the families has no bound, because evaluation samples influence
    its classifiers.
    """
    if chosen := [name for name in methods if ESTIMATORS[name].chosen_by_evaluation]:
        raise ValueError(
            f"methods = {chosen}: their evaluation samples take part in choosing the classifiers,"
            " so no bound holds"
        )


def _bounded(run: Supports, level: float) -> Floats:
    """(2, m) upper bounds of all error rates of a run. For each role the probability that any of
    them fails is at most ``level``.
    """
    from scipy.special import betainccinv  # scipy.stats has it too but is slow to load.

    rates = run.rates()
    ends = 2 * bool(np.any(run.both_zero))
    sides = []
    for side, n in zip((rates.fpr, rates.fnr), run.n_independent, strict=True):
        bounds, share = _nested_bounds(n, level)
        # With groups, error rate times number of independent samples need not be an integer;
        # rounding it up keeps the bound valid.
        errors = (np.rint(side * n) if run.groups is None else np.ceil(side * n - 1e-9)).astype(
            np.intp
        )
        # The last two rates belong to [c_X > 0] and [c_Y = 0], see `ErrorRates.from_supports`.
        last = errors[len(errors) - ends :]
        own = np.where(last < n, betainccinv(last + 1, np.maximum(n - last, 1), share), 1.0)
        sides.append(np.append(bounds[errors[: len(errors) - ends]], own))
    return np.stack(sides)


@lru_cache(maxsize=64)
def _nested_bounds(n: int, level: float) -> tuple[Floats, float]:
    """(n + 1,) upper bounds of a true rate, one for every number of errors among n samples; and the
    level at which a further classifier can be bounded.

    The bounds hold for all nested classifiers at once. Two further classifiers can be bounded, each
    at the returned level.
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
# The two sets count as different if the p-value of the test on their scores is below this.
GATE = 0.01
# Number of thresholds (cuts) of the score at which errors are counted. The level 1 - confidence is
# divided among them.
CUTS = 9
# _PARTS: number of steps in which a critical value is divided between the two rates. _ANGLES:
# number of values of lam at which bounds are computed. With more of them the bound is closer to the
# truth.
_PARTS = 48
_ANGLES = 1024
# Number of bisection steps that find the rate with a given divergence.
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
        (n, d) and (m, d) samples; n and m may differ. They must be independent, or `Samples` whose
        ``groups`` are independent.
    methods : sequence of str or str, optional
        None: one classifier made of many, as in the family `tightest`. Names in ESTIMATORS: the
        classifiers of these families; the level 1 - confidence is divided among the families. A
        family has no bound if evaluation samples influence which classifiers it has.
    ks : sequence of int or "sqrt", optional
        Numbers of neighbours, as in `prviz.pr_curve`, for every named family that uses k; None:
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
        The lower-left hull of bounded error rates. With few samples or bad classifiers the bound is
        loose, but it still holds with this confidence.

    Raises
    ------
    ValueError, TypeError
        As `prviz.pr_curve`, and without a split, without any k, for a family without a bound, or
        for a confidence outside (0, 1).

    Notes
    -----
    The true error rates of any classifier lie above the true curve (Simon et al. 2019, Theorem 5).
    Measured ones tell about them if the classifier is fixed before it sees the evaluation samples.
    Here one score is learned on the fit samples alone and cut at 9 places that are fixed
    beforehand. At each cut the true rates lie, with high probability, in a region: where the
    divergences of the measured rates from them, n_real kl+ plus n_generated kl+, are at most a
    critical value. It comes from exact binomial tails, at a ninth of the level, and holds for any
    true rates (see `prviz.uncertainty.critical_values`). The bound at lam is the least,
    over the cuts, of the largest lam fpr + fnr in the cut's region. The trivial classifiers count
    as cuts with exact rates.

    Named families have nested classifiers instead, whose rates are bounded all at once.

    Samples in groups, such as frames of videos, count as the number that would be independent if
    all samples of a group were alike (Kish 1965); with groups of equal size that is the number of
    groups.

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
            "split = None; a share in (0, 1) is needed: classifiers must not be judged on their fit"
            " samples"
        )
    numbers: Sequence[K] = ("sqrt",) if ks is None else ks
    if not numbers:
        raise ValueError("ks is empty; one or more numbers of neighbours are needed")
    checked_share("confidence", confidence)
    check_memory_limit(memory_limit)
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
    """The upper bound from evaluation samples, and a test whether the two sets differ; both use one
    score that was fitted without these samples.

    bound : the upper bound, as by `upper_bound`.
    p : p-value of the Mann-Whitney test that generated samples have higher scores than real ones.
    """

    bound: PRCurve
    p: float

    @property
    def told_apart(self) -> bool:
        """True if the two sets differ by more than chance explains. That says nothing about the
        area.
        """
        return self.p < GATE or self.bound.auc < 1 - 1e-9


def judge_half(
    split: Split,
    seed: int,
    confidence: float = CONFIDENCE,
    memory_limit: int = MEMORY_LIMIT,
    progress: Progress | None = None,
) -> JudgedHalf:
    """`upper_bound` for a given split, together with the test whether the two sets differ."""
    with memory_at_most(memory_limit):
        scores = cross_fitting.of_evaluation(split, seed, progress)
    bound = bound_of_scores(scores, _independent(split), confidence)
    return JudgedHalf(bound, _chance(scores, split))


def _chance(scores: Scores, split: Split) -> float:
    """P-value of the Mann-Whitney test that generated samples have higher scores than real ones;
    one sample of each group is used.
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
    """The upper bound from the scores of evaluation samples, by a classifier fitted without them.

    Parameters
    ----------
    scores : Scores
        Scores of the evaluation samples.
    sizes : tuple of two int
        Number of independent real and of independent generated evaluation samples.
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
        # With groups, error rate times number of independent samples need not be an integer;
        # rounding it up keeps the bound valid.
        rates = [np.ceil(share * n - 1e-9) / n for share, n in zip(errors, sizes, strict=True)]
        corners.append(_corners((rates[0], rates[1]), sizes, critical))
    return _lowest(corners)


def _independent(split: Split) -> tuple[int, int]:
    """Number of independent real and of independent generated evaluation samples."""
    known = zip(split.evaluate_rows, _groups_of_evaluated(split), strict=True)
    real, generated = (
        len(rows) if groups is None else independent_number(groups) for rows, groups in known
    )
    return real, generated


def _groups_of_evaluated(split: Split) -> Iterator[Ints | None]:
    """For each role, the group of each evaluation sample; None if a set has no groups."""
    for samples, rows in zip(split.pair, split.evaluate_rows, strict=True):
        groups = samples.group_numbers
        yield None if groups is None else groups[rows]


def _corners(
    rates: tuple[float, float], sizes: tuple[int, int], critical: CriticalValues
) -> Floats:
    """(2, c) points (fpr, fnr) that bound the region of the true rates at one cut: for every pair
    of rates in the region, one of the points is at least as large in both.

    For each pair of bands, the critical value is divided in _PARTS steps between the divergences of
    the two rates, and both parts are rounded up.
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
    """The largest true rate whose divergence from the measured rate is at most ``divergence``,
    rounded up.
    """
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
    """The bound as a curve: the least concave function of lam that is nowhere below the smallest of
    the bounds at the cuts.

    The bound of one cut at lam is the largest lam fpr + fnr of its corners. As a function of lam it
    is convex, so between two neighbouring values of lam it is below its chord. Before the first lam
    and beyond the last one, straight lines lead to the trivial classifiers, whose bounds are lam
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
    """Slopes and intercepts of the line segments of the least concave function above these
    points.
    """
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
    """True if the point b lies on or below the line from a to c."""
    return (b[1] - a[1]) * (c[0] - a[0]) <= (c[1] - a[1]) * (b[0] - a[0])
