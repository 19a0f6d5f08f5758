"""Intervals of a curve and of its summaries, from a bootstrap of its evaluation samples or from
repeats.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np

from prviz.arguments import checked_share, checked_whole
from prviz.arrays import Floats, Ints
from prviz.curves import PRCurve
from prviz.curves.frozen import ReadOnlyArrays
from prviz.curves.pr_curve import checked_curves, even_rays, score_keys
from prviz.curves.summaries import EPS, B, numbers, summary_list
from prviz.estimators import Supports
from prviz.measure.estimates import Estimate, Progress
from prviz.neighbors.kernels import ranges

Value = TypeVar("Value")


class BySummary(dict[str, Value]):
    """Values by the key of a summary; the error for another key names the keys there are."""

    def __missing__(self, key: object) -> Value:
        raise KeyError(f"{key!r} is no summary of a curve; {', '.join(self)} are there")


class SortedSupports(NamedTuple):
    """Evaluation samples of one run, ranked by their keys c_Y / c_X; computed once for all
    replicates.

    real, generated : rank of each sample's key among the distinct finite keys; ``finite`` for an
    infinite key, ``finite + 1`` for a sample whose supports are both 0.
    finite : number of distinct finite keys, and so of prefixes of the sorted samples (see
    `ErrorRates.from_supports`).
    one : rank of the first key that is at least 1. From this prefix on, samples whose supports are
    both 0 are called real, as their key is 1.
    any_zero : True if the smallest key is 0.
    """

    real: Ints
    generated: Ints
    finite: int
    one: int
    any_zero: bool


def ranked(supports: Supports) -> SortedSupports:
    """The ranks of all evaluation samples of one run."""
    sides = [np.asarray(side, dtype=float) for side in (supports.c_real, supports.c_generated)]
    distinct, ranks = np.unique(score_keys(*sides), return_inverse=True)
    finite = int(np.count_nonzero(np.isfinite(distinct)))
    ranks[supports.both_zero] = finite + 1
    real = ranks[: supports.n_real]
    generated = ranks[supports.n_real :]
    return SortedSupports(
        real, generated, finite, int(np.searchsorted(distinct, 1.0)), bool(distinct[0] == 0)
    )


def _same(one: Ints | None, other: Ints | None) -> bool:
    """True if the two are equal arrays, or both are None."""
    return one is other or np.array_equal(one, other)  # type: ignore[arg-type]


def evaluated(runs: Sequence[Supports]) -> tuple[int, int]:
    """Number of real and number of generated evaluation samples; ValueError unless all runs
    evaluate the same samples.
    """
    if not runs:
        raise ValueError("runs is empty; the supports of at least one run are needed")
    first = runs[0]
    for run in runs[1:]:
        sizes = (run.n_real, len(run.c_real)) == (first.n_real, len(first.c_real))
        if not (sizes and _same(run.rows, first.rows) and _same(run.groups, first.groups)):
            raise ValueError("the runs evaluate different samples; all must evaluate the same ones")
    return first.n_real, len(first.c_real) - first.n_real


def evaluated_together(generators: Sequence[Sequence[Supports]]) -> tuple[int, ...]:
    """Number of real evaluation samples, then each generator's number of generated ones; ValueError
    unless all generators have the same real ones.

    generators : the runs of each generator.
    """
    if not generators:
        raise ValueError("nothing was measured; at least one generator is needed")
    first, *others = (evaluated(runs) for runs in generators)
    for (real, _), runs in zip(others, generators[1:], strict=True):
        if real != first[0] or not np.array_equal(runs[0].real_rows, generators[0][0].real_rows):
            raise ValueError(
                f"the family evaluates {first[0]} real samples for one generator, and {real} or"
                " other ones for another; a paired comparison needs the same real samples"
            )
    return first[0], first[1], *(generated for _, generated in others)


class _Members:
    """Table of the samples that belong to each group of a set."""

    def __init__(self, groups: Ints) -> None:
        sizes = np.bincount(groups)
        self._order = np.argsort(groups, kind="stable")
        self._sizes = sizes[sizes > 0]
        self._starts = np.cumsum(self._sizes) - self._sizes

    def __len__(self) -> int:
        return len(self._sizes)

    def of(self, drawn: Ints) -> Ints:
        """Positions of all samples of the drawn groups; a group drawn twice counts twice."""
        return self._order[ranges(self._starts[drawn], self._sizes[drawn])]


def _members(generators: Sequence[Sequence[Supports]]) -> list[_Members | None]:
    """The groups of the real samples, then the groups of each generator's samples; None for a set
    without groups.
    """
    found: list[_Members | None] = []
    for place, (run, *_) in enumerate(generators):
        real, generated = (None, None) if run.groups is None else np.split(run.groups, [run.n_real])
        sides = (real, generated) if place == 0 else (generated,)
        found += [None if each is None else _Members(each) for each in sides]
    return found


def draws(
    sizes: Sequence[int],
    replicates: int,
    seed: int,
    streams: Sequence[int] | None = None,
    members: Sequence[_Members | None] | None = None,
) -> Iterator[tuple[Ints, ...]]:
    """For each replicate, the positions drawn from each set: n positions, with replacement, from a
    set of n samples.

    The draws of a set depend only on the seed, the set's size and the number of its random stream.

    streams : for each set, the number of its random stream; None: 0, 1, 2, ...
    members : for each set, its groups, or None if it has none. As many groups are drawn as the set
    has, each with all of its samples. None: no set has groups.
    """
    groups = [None] * len(sizes) if members is None else list(members)
    numbers_drawn = [n if own is None else len(own) for n, own in zip(sizes, groups, strict=True)]
    numbers = range(len(sizes)) if streams is None else streams
    generators = [
        np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))
        for number in numbers
    ]
    for _ in range(replicates):
        drawn = [
            generator.integers(n, size=n)
            for generator, n in zip(generators, numbers_drawn, strict=True)
        ]
        yield tuple(
            each if own is None else own.of(each) for each, own in zip(drawn, groups, strict=True)
        )


def replicate(runs: Sequence[SortedSupports], real: Ints, generated: Ints) -> PRCurve:
    """The curve of one replicate, from the drawn positions; the mean over the runs.

    Let w be the number of times that a sample was drawn. The prefix up to rank j has fpr = sum of w
    over real samples ranked above j, divided by n_real, and fnr = sum of w over generated samples
    ranked up to j, divided by n_generated. The two ends of the family are added, see
    `ErrorRates.from_supports`.
    """
    curves = []
    for run in runs:
        called = _called_real(run, run.real[real])
        wrongly = _called_real(run, run.generated[generated])
        curves.append(
            PRCurve.from_error_rates((len(real) - called) / len(real), wrongly / len(generated))
        )
    return PRCurve.mean(curves)


def replicated(
    generators: Sequence[Sequence[Supports]],
    replicates: int,
    seed: int,
    progress: Progress | None = None,
    streams: Sequence[int] | None = None,
) -> Iterator[list[PRCurve]]:
    """For each replicate, the curves of all generators; each replicate draws the real samples once
    for all of them.

    generators : the runs of each generator.
    progress : called with the fraction done.
    streams : numbers of the random streams of the real samples and of each generator's samples, as
    in `draws`.

    Raises errors as `evaluated_together` does.
    """
    sizes = evaluated_together(generators)
    orders = [[ranked(run) for run in runs] for runs in generators]

    def curves() -> Iterator[list[PRCurve]]:
        drawn = draws(sizes, replicates, seed, streams, _members(generators))
        for done, (real, *generated) in enumerate(drawn):
            if progress is not None:
                progress(done / replicates)
            yield [
                replicate(order, real, own) for order, own in zip(orders, generated, strict=True)
            ]

    return curves()


def _called_real(run: SortedSupports, ranks: Ints) -> Ints:
    """For samples with these ranks, the number that each prefix calls real; then the numbers that
    f_inf = [c_X > 0] and f_0 = [c_Y = 0] call real.
    """
    counts = np.bincount(ranks, minlength=run.finite + 2)
    prefixes = counts[: run.finite].cumsum()
    without = counts[-1]
    ends = (prefixes[-1] if run.finite else 0), (counts[0] if run.any_zero else 0) + without
    prefixes[run.one :] += without
    return np.append(prefixes, ends)


# ---- intervals ----


# Default number of replicates, and default share of the replicates that lie in an interval.
REPLICATES = 1000
LEVEL = 0.95


class Interval(NamedTuple):
    """A closed interval [low, high] of one summary."""

    low: float
    high: float


@dataclass(frozen=True, eq=False)
class IntervalBand:
    """Pointwise intervals of precision and recall at equal lam; all arrays are (m,), lam increases
    from 0 to inf.
    """

    lam: Floats
    alpha_low: Floats
    alpha_high: Floats
    beta_low: Floats
    beta_high: Floats
    level: float = LEVEL

    @property
    def meaning(self) -> str:
        """Legend text of the band."""
        return f"{100 * self.level:g} % interval"


@dataclass(frozen=True, eq=False)
class Spread(ReadOnlyArrays):
    """A curve with its replicates, and the interval of every summary.

    Parameters
    ----------
    curve : PRCurve
        The curve from all evaluation samples, or the mean of the repeats.
    curves : tuple of PRCurve
        Replicates of the curve.
    level : float
        Share of the replicates that lie in an interval.
    truth : PRCurve, optional
        The true curve, which adds iou, excess and deficit to the summaries.
    b, eps : float
        Weight of the F-score and recall of alpha@eps among the summaries.
    """

    curve: PRCurve
    curves: tuple[PRCurve, ...]
    level: float = LEVEL
    truth: PRCurve | None = None
    b: float = B
    eps: float = EPS

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.truth, PRCurve | None):
            raise TypeError(f"truth is {type(self.truth).__name__}; a PRCurve is needed")

    def __repr__(self) -> str:
        low, high = self.interval_of("auc")
        return (
            f"Spread(area {self.curve.auc:.2f}, {100 * self.level:g} % {low:.2f} to {high:.2f};"
            f" {len(self.curves)} replicates)"
        )

    @cached_property
    def values(self) -> Mapping[str, float]:
        """Every summary of the curve, by the keys of `prviz.curves.summaries`."""
        return BySummary(numbers(self.curve, self.truth, self.b, self.eps))

    @cached_property
    def replicates(self) -> Mapping[str, Floats]:
        """For each summary, its values in all replicates, (replicates,)."""
        rows = [numbers(curve, self.truth, self.b, self.eps) for curve in self.curves]
        return {key: np.array([row[key] for row in rows]) for key in self.values}

    @cached_property
    def intervals(self) -> Mapping[str, Interval]:
        """The interval of every summary; see `interval`."""
        return BySummary(
            {key: interval(values, self.level) for key, values in self.replicates.items()}
        )

    def interval_of(self, key: str) -> Interval:
        """The interval of one summary, without computing the others.

        Parameters
        ----------
        key : str
            Key in `prviz.curves.summaries`.

        Returns
        -------
        Interval
            The entry of ``intervals``.
        """
        known = BySummary({each.key: each for each in summary_list(self.b, self.eps)})
        return interval(np.fromiter(map(known[key].of, self.curves), float), self.level)

    def band(self, points: int = 201) -> IntervalBand:
        """Intervals of precision and recall at lam = tan(theta), with theta evenly spaced over [0,
        pi / 2].

        alpha = lam beta holds for both ends of the intervals.

        Parameters
        ----------
        points : int
            Number of rays, at least 2.

        Returns
        -------
        IntervalBand
            Pointwise intervals of precision and recall.

        Raises
        ------
        ValueError
            If there are fewer than 2 points.
        """
        lam = even_rays(checked_whole("points", points, 2))
        alpha = np.quantile([curve.alpha(lam) for curve in self.curves], _tails(self.level), axis=0)
        beta = np.quantile([curve.beta(lam) for curve in self.curves], _tails(self.level), axis=0)
        return IntervalBand(lam, alpha[0], alpha[1], beta[0], beta[1], self.level)


def bootstrap(
    estimate: Estimate,
    replicates: int = REPLICATES,
    *,
    seed: int = 0,
    level: float = LEVEL,
    truth: PRCurve | None = None,
) -> Spread:
    """Bootstrap of an estimate: its evaluation samples are drawn again, with replacement.

    A replicate computes no distances. Evaluation samples are drawn with their supports, as many of
    each role as there are; the supports give error rates, a curve and every summary. Intervals are
    percentiles of the replicates. If samples belong to groups, whole groups are drawn.

    The intervals account for the choice of evaluation samples. They account neither for the choice
    of fit samples nor for bias, which does not vanish with more evaluation samples. The extremes
    depend on single samples, and a replicate has no new ones.

    Parameters
    ----------
    estimate : Estimate
        Estimate of one family, from `prviz.estimate`.
    replicates : int
        Number of replicates, at least 2.
    seed : int
        Seed of the draws.
    level : float
        Share of the replicates that lie in an interval, in (0, 1).
    truth : PRCurve, optional
        The true curve, for intervals of iou, excess and deficit.

    Returns
    -------
    Spread
        The curve, its replicates, and the interval of every summary.

    Raises
    ------
    ValueError, TypeError
        If ``estimate`` is not an Estimate, there are fewer than 2 replicates, the level is outside
        (0, 1), or the seed is negative.

    Notes
    -----
    Source: Efron, Tibshirani 1993, An Introduction to the Bootstrap, section 13.3.
    """
    if not isinstance(estimate, Estimate):
        raise TypeError(
            f"estimate is of type {type(estimate).__name__}; one Estimate is needed, such as "
            "prviz.estimate(real, generated)['knn']"
        )
    check_resampling(replicates, seed, level)
    curves = tuple(curve for (curve,) in replicated([estimate.runs], replicates, seed))
    return Spread(estimate.curve, curves, level, truth)


def spread(
    curves: Iterable[PRCurve], *, level: float = LEVEL, truth: PRCurve | None = None
) -> Spread:
    """Mean and intervals of curves from repeats with other seeds, such as those of
    `estimate_repeated`.

    The curve is the mean of the repeats at every lam. The intervals describe single repeats, not
    their mean. With fewer than 2 / (1 - level) repeats they are hardly narrower than the whole
    range.

    Parameters
    ----------
    curves : iterable of PRCurve
        The repeats, at least 2.
    level : float
        Share of the repeats that lie in an interval, in (0, 1).
    truth : PRCurve, optional
        The true curve, for intervals of iou, excess and deficit.

    Returns
    -------
    Spread
        The mean curve, the repeats, and the interval of every summary.

    Raises
    ------
    ValueError
        If there are fewer than 2 curves, or the level is outside (0, 1).
    """
    curves = checked_curves(curves)
    checked_whole("number of curves", len(curves), 2)
    checked_share("level", level)
    return Spread(PRCurve.mean(curves), tuple(curves), level, truth)


def intervals_at_most(
    intervals: Mapping[str, Interval], most: float | None
) -> Mapping[str, Interval]:
    """The intervals, but with both ends of the interval of the area limited to ``most``, the area
    under an upper bound of the truth; None: not limited.
    """
    if most is None or "auc" not in intervals:
        return intervals
    return {**intervals, "auc": Interval(*(min(end, most) for end in intervals["auc"]))}


def interval(replicates: Floats, level: float) -> Interval:
    """Percentiles (1 - level) / 2 and (1 + level) / 2 of the replicates, with linear interpolation.

    "Basic" intervals, which are mirrored at the estimate, contain its expectation less often, above
    all near the ends of [0, 1]: see `tests/benchmarks/coverage_of_intervals.py`.
    """
    low, high = np.quantile(replicates, _tails(level))
    return Interval(float(low), float(high))


def _tails(level: float) -> tuple[float, float]:
    return (1.0 - level) / 2.0, (1.0 + level) / 2.0


def check_resampling(replicates: int, seed: int, level: float) -> None:
    """Raise ValueError for fewer than 2 replicates, a negative seed, or a level outside (0, 1)."""
    checked_whole("replicates", replicates, 2)
    checked_whole("seed", seed, 0)
    checked_share("level", level)
