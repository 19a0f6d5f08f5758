"""Estimates of precision-recall curves: the only module that combines split, supports, error rates
and curve.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Literal, TypeAlias, TypedDict, Unpack, overload

import numpy as np

from prviz.arguments import checked_whole
from prviz.arrays import Ints
from prviz.checks.flags import checked_pair
from prviz.curves import ErrorRates, PRCurve, shown
from prviz.curves.band import Band, band
from prviz.curves.summaries import numbers
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS, Supports
from prviz.estimators.base import Runs, check_bandwidth, check_k, resolve_k
from prviz.estimators.colors import colors
from prviz.measure.spelling import prdc_names
from prviz.measure.workload import Options
from prviz.missing import needed_for
from prviz.neighbors import MEMORY_LIMIT, Distances
from prviz.neighbors.balls import Balls
from prviz.neighbors.threads import Progress as Progress, memory_at_most, part_of
from prviz.samples import SamplePair, SamplesLike, Split, SplitRatio

if TYPE_CHECKING:
    from pandas import DataFrame

K: TypeAlias = int | Literal["sqrt"]
Methods: TypeAlias = Sequence[str] | str | None
Wanted: TypeAlias = tuple[str, int, float | None]  # Method, k, bandwidth.
# As `Wanted`, but with None in place of k or the bandwidth if the family does not use it.
Checked: TypeAlias = tuple[str, int | None, float | None]


class WorkOptions(TypedDict, total=False):
    """Keyword arguments that say how a split is measured, for functions that pass them on; as in
    `pr_curve`.
    """

    seed: int
    memory_limit: int
    progress: Progress | None


class PassOptions(WorkOptions, total=False):
    """Keyword arguments of `WorkOptions`, and ``split``; as in `pr_curve`."""

    split: SplitRatio


class EstimateOptions(PassOptions, total=False):
    """Keyword arguments of `PassOptions`, and the k and the bandwidth of the families; as in
    `pr_curve`.
    """

    k: K
    bandwidth: float | None


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """The keyword arguments of `EstimateOptions` as one object, with the defaults of `pr_curve`."""

    split: SplitRatio = 0.5
    seed: int = 0
    memory_limit: int = MEMORY_LIMIT
    progress: Progress | None = None
    k: K = "sqrt"
    bandwidth: float | None = None


@dataclass(frozen=True, eq=False)
class Estimate:
    """One family measured on one split, at one k or bandwidth.

    method : name of the family in ESTIMATORS.
    k : the number of neighbours used ("sqrt" resolved); None if the family uses none.
    bandwidth : radius of the balls in which real samples are counted, and radius for generated
    samples, in the units of the data; None if the family has no single radius.
    runs : the supports of the evaluation samples in each seeded run; most families have one run.
    """

    method: str
    k: int | None
    bandwidth: tuple[float, float] | None
    runs: Runs

    @property
    def supports(self) -> Supports:
        """The supports of the first run."""
        return self.runs[0]

    @cached_property
    def rates(self) -> ErrorRates:
        """Error rates (fpr, fnr) of every classifier of the first run."""
        return self.runs[0].rates()

    @cached_property
    def curves(self) -> tuple[PRCurve, ...]:
        """The precision-recall curve of each run."""
        return tuple(run.rates().curve() for run in self.runs)

    @cached_property
    def curve(self) -> PRCurve:
        """The precision-recall curve; if there are several runs, the mean of their curves at every
        lam.
        """
        return PRCurve.mean(self.curves)

    @property
    def auc(self) -> float:
        """Area under the curve."""
        return self.curve.auc

    @property
    def band(self) -> Band:
        """Mean and standard deviation of the curve over the runs; with a single run the deviation
        is 0.
        """
        return band(self.curves)

    def __repr__(self) -> str:
        tuned = ""
        if self.k is not None:
            tuned = f", k = {self.k}"
        return f"Estimate({self.method}{tuned}: {shown.line(self.curve)})"

    def _repr_html_(self) -> str:
        return Estimates({self.method: self})._repr_html_()


class Estimates(dict[str, Estimate]):
    """The estimates of several families by name, in the order requested."""

    def __missing__(self, name: object) -> Estimate:
        raise KeyError(f"{name!r} was not measured; {', '.join(self)} are there")

    def __repr__(self) -> str:
        areas = ", ".join(f"{name} {each.auc:.2f}" for name, each in self.items())
        return f"Estimates(area: {areas})"

    def _repr_html_(self) -> str:
        ordered = sorted(self.values(), key=lambda each: each.auc)
        color = colors(each.method for each in ordered)
        titled = {ESTIMATORS[each.method].title: each for each in ordered}
        return shown.as_html(
            {title: each.curve for title, each in titled.items()},
            {title: color[each.method] for title, each in titled.items()},
        )

    def to_frame(self) -> DataFrame:
        """The summaries of each curve as a table.

        Returns
        -------
        pandas.DataFrame
            One row per family, one column per summary, by the keys of `prviz.curves.summaries`.
        """
        with needed_for("a table"):
            import pandas as pd

        return pd.DataFrame({name: numbers(each.curve) for name, each in self.items()}).T


@prdc_names
def pr_curve(
    real: SamplePair | SamplesLike,
    generated: SamplesLike | None = None,
    method: str = "knn",
    *,
    k: K = "sqrt",
    bandwidth: float | None = None,
    split: SplitRatio = 0.5,
    seed: int = 0,
    memory_limit: int = MEMORY_LIMIT,
    progress: Progress | None = None,
) -> PRCurve:
    """The precision-recall curve of ``generated`` against ``real``, by one family of classifiers.

    Parameters
    ----------
    real, generated : array_like or Samples
        (n, d) and (m, d) samples; n and m may differ. Or a `SamplePair` alone.
    method : str
        A name in ESTIMATORS, in upper or lower case, or a name with parameters, such as
        "cluster:clusters=40", "prc:k_prime=1:c=1", "ppr:a=1.5" or "hub:t=10";
        `Estimator.parameters` lists them with their published defaults.
    k : int or "sqrt"
        Number of neighbours, or "sqrt": floor(sqrt(n)), n the size of the smaller set before the
        split.
    bandwidth : float, optional
        Radius of the balls of kde, in the units of the data; None: for each set, the mean k-NN
        radius inside that set.
    split : float or "none", optional
        Share of each set that defines the classifiers; the rest measures them. None or "none": no
        split.
    seed : int
        Seed of the split.
    memory_limit : int
        Bytes that may be used besides the samples themselves, which may be memory-mapped. It
        changes the speed, never the result.
    progress : callable, optional
        Called with the fraction done, between blocks; may raise to stop.

    Returns
    -------
    PRCurve
        The curve from (recall 0, extreme precision) to (extreme recall, precision 0).

    Raises
    ------
    ValueError, TypeError
        If samples are malformed, the method is unknown, k is not from 1 to one less than the size
        of the smaller fit set, the bandwidth is not positive, or the split is outside (0, 1).

    Notes
    -----
    Source: Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), sections 2 and 4.
    """
    if isinstance(real, SamplePair) and isinstance(generated, str):  # Here the method.
        method = generated
        generated = None
    pair = checked_pair(real, generated)
    wanted = (one_method(method), resolve_k(k, pair), bandwidth)
    found = measure(pair.split(split, seed), [wanted], seed, memory_limit, progress)
    return found[0].curve


@overload
def estimate(
    real: SamplePair,
    generated: Methods = None,  # With a pair, this argument is ``methods``.
    methods: Methods = None,
    **options: Unpack[EstimateOptions],
) -> Estimates: ...


@overload
def estimate(
    real: SamplesLike,
    generated: SamplesLike,
    methods: Methods = None,
    **options: Unpack[EstimateOptions],
) -> Estimates: ...


@prdc_names
def estimate(
    real: SamplePair | SamplesLike,
    generated: SamplesLike | None = None,
    methods: Methods = None,
    *,
    k: K = "sqrt",
    bandwidth: float | None = None,
    split: SplitRatio = 0.5,
    seed: int = 0,
    memory_limit: int = MEMORY_LIMIT,
    progress: Progress | None = None,
) -> Estimates:
    """Estimates of several families on one split of two sets, in one pass over their distances; see
    `pr_curve`.

    Parameters
    ----------
    real, generated : array_like or Samples
        (n, d) and (m, d) samples; n and m may differ. A `SamplePair` may take the place of both:
        ``estimate(pair, methods)``.
    methods : sequence of str or str, optional
        Names in ESTIMATORS, in upper or lower case; None: DEFAULT_METHODS. The result is in this
        order.
    k, bandwidth, split, seed, memory_limit : optional
        As in `pr_curve`.
    progress : callable, optional
        Called with the fraction done, between blocks; may raise to stop.

    Returns
    -------
    dict of str to Estimate
        One estimate per method, by its name in ESTIMATORS.

    Raises
    ------
    ValueError, TypeError
        As `pr_curve`.
    """
    if isinstance(real, SamplePair):
        # With a pair, the second positional argument is ``methods``.
        methods = generated if methods is None else methods  # type: ignore[assignment]
        generated = None
    pair = checked_pair(real, generated)
    number = resolve_k(k, pair)
    wanted = [(method, number, bandwidth) for method in method_names(methods)]
    estimates = measure(pair.split(split, seed), wanted, seed, memory_limit, progress)
    return Estimates({one.method: one for one in estimates})


def estimate_repeated(
    draw: Callable[[int], SamplePair],
    methods: Methods = None,
    *,
    repeats: int,
    **options: Unpack[EstimateOptions],
) -> dict[str, tuple[Estimate, ...]]:
    """Estimates of several families over repeated draws; `PRCurve.mean` and `band` summarise a
    family's curves.

    draw : ``draw(s)`` returns the pair of seed s.
    repeats : number of draws, at least 1.
    options : as in `estimate`; repeat i uses ``seed`` + i, for the draw and for the split.
    """
    checked_whole("repeats", repeats, 1)
    first = options.get("seed", 0)
    progress = options.get("progress")
    runs = []
    for repeat in range(repeats):
        options["seed"] = first + repeat
        options["progress"] = part_of(progress, repeat, repeats)
        runs.append(estimate(draw(first + repeat), methods, **options))
    return {method: tuple(run[method] for run in runs) for method in method_names(methods)}


def mean_radius(
    pair: SamplePair, *, k: K = "sqrt", split: float | None = 0.5, seed: int = 0
) -> float:
    """The mean k-NN radius inside a fit set, averaged over the two sets: the unit in which
    bandwidths are given.
    """
    drawn = pair.split(split, seed)
    real, generated = Distances(drawn).mean_radii(check_k(resolve_k(k, pair), drawn))
    return (real + generated) / 2


def measure(
    split: Split,
    wanted: Sequence[Wanted],
    seed: int,
    memory_limit: int = MEMORY_LIMIT,
    progress: Progress | None = None,
    *,
    distances: Distances | None = None,
) -> list[Estimate]:
    """Measure one estimate for each (method, k, bandwidth). All families that count in balls share
    one pass over the distances.

    A family that uses neither k nor the bandwidth is measured once. Every distinct estimate is an
    equal part of the progress. ``distances`` : those of the split, if the caller has computed them.
    """
    checked = [_checked(one, split) for one in wanted]
    distinct = list(dict.fromkeys(checked))
    sizes = len(split.fit_rows[0]), len(split.fit_rows[1])
    balls: dict[Checked, Sequence[Balls]] = {}
    # Families that do not count in balls. All their k are measured together, because some of these
    # families can then be fitted once.
    alone: dict[tuple[str, float | None], list[Checked]] = {}
    for method, k, width in distinct:
        needed = ESTIMATORS[method].balls(k=k or 1, bandwidth=width, sizes=sizes)
        if needed:
            balls[method, k, width] = needed
        else:
            alone.setdefault((method, width), []).append((method, k, width))
    runs: dict[Checked, Runs] = {}
    if balls:
        tick = part_of(progress, 0, len(distinct), len(balls))
        distances = distances or Distances(split, memory_limit=memory_limit)
        runs = _counted_together(balls, distances, len(split.evaluate_rows[0]), tick)
    for (method, _), same in alone.items():
        tick = part_of(progress, len(runs), len(distinct), len(same))
        tick(0.0)
        ks = [k or 1 for _, k, _ in same]
        with memory_at_most(memory_limit):
            found = ESTIMATORS[method].runs_over_k(split, ks=ks, seed=seed, progress=tick)
        runs |= zip(same, found, strict=True)
        tick(1.0)
    for one, own in runs.items():
        groups = evaluated_groups(judged(one[0], split))
        if groups is not None:
            runs[one] = tuple(in_groups(run, groups) for run in own)
    return [Estimate(one[0], one[1], runs[one][0].bandwidth, runs[one]) for one in checked]


def _checked(wanted: Wanted, split: Split) -> Checked:
    """Check one (method, k, bandwidth), and replace by None what the family does not use.
    ValueError if k or the bandwidth can't be used.
    """
    method, k, bandwidth = wanted
    width = check_bandwidth(bandwidth)
    if ESTIMATORS[method].tunes is None:
        return method, None, None
    return method, check_k(k, split), width


def _counted_together(
    balls: Mapping[Checked, Sequence[Balls]],
    distances: Distances,
    n_real: int,
    progress: Progress,
) -> dict[Checked, Runs]:
    """The single run of each family that counts in balls, from one pass over the distances.

    n_real : number of real evaluation samples.
    """
    every = list(dict.fromkeys(chain.from_iterable(balls.values())))
    counts = dict(zip(every, distances.count(every, progress=progress), strict=True))
    runs: dict[Checked, Runs] = {}
    for one, needed in balls.items():
        method, k, _ = one
        own = [counts[ball] for ball in needed]
        runs[one] = (ESTIMATORS[method].combined(own, k=k or 1, n_real=n_real),)
    return runs


def judged(method: str, split: Split) -> Split:
    """The split that this family is measured on: a family with `judges_all` has all samples as
    evaluation samples.
    """
    if not ESTIMATORS[method].judges_all:
        return split
    return replace(
        split, evaluate_rows=(np.arange(split.pair.real.n), np.arange(split.pair.generated.n))
    )


def of_evaluation(estimate: Estimate, split: Split) -> Supports:
    """The supports of the split's evaluation samples alone, also for a family with `judges_all`."""
    supports = estimate.supports
    if not ESTIMATORS[estimate.method].judges_all:
        return supports
    rows = np.concatenate([split.evaluate_rows[0], split.pair.real.n + split.evaluate_rows[1]])
    groups = None
    if supports.groups is not None:
        groups = supports.groups[rows]
    return Supports(
        supports.c_real[rows],
        supports.c_generated[rows],
        len(split.evaluate_rows[0]),
        groups=groups,
    )


def evaluated_groups(split: Split) -> Ints | None:
    """For each evaluation sample, real ones first, the index of its group; None if neither set has
    groups.

    In a set without groups each sample is a group of its own. Equal indices in the two sets mean
    nothing.
    """
    if all(samples.groups is None for samples in split.pair):
        return None
    numbers = []
    for samples, rows in zip(split.pair, split.evaluate_rows, strict=True):
        known = samples.group_numbers
        numbers.append(np.arange(len(rows)) if known is None else known[rows])
    return np.concatenate(numbers)


def in_groups(run: Supports, groups: Ints) -> Supports:
    """The supports, with the groups of the measured samples; ``groups`` has those of all evaluation
    samples.
    """
    return replace(run, groups=groups if run.rows is None else groups[run.rows])


def passes(names: Collection[str], **more: Unpack[Options]) -> Options:
    """Options for `estimate_seconds`: ``more``, together with three numbers. methods: families that
    share one pass. direct: families that need a pass of their own for every k. fixed: fits that are
    made once for all k.
    """
    shared = sum(ESTIMATORS[name].shares_pass for name in names)
    fixed = [ESTIMATORS[name] for name in names if ESTIMATORS[name].tunes is None]
    more["methods"] = shared
    more["direct"] = len(names) - shared - len(fixed)
    more["fixed"] = sum(each.fits for each in fixed)
    return more


def method_names(methods: Methods) -> list[str]:
    """Names of the methods without repeats; None: DEFAULT_METHODS. ValueError if a name is unknown,
    or if there are no names.
    """
    if methods is None:
        methods = DEFAULT_METHODS
    alone = isinstance(methods, str | Mapping) or not isinstance(methods, Iterable)
    listed = [methods] if alone else methods
    names = [ESTIMATORS.registered(name) for name in listed]
    if not names or not all(names):
        raise ValueError(
            f"methods = {methods!r}; one or more of {', '.join(ESTIMATORS)} are needed"
        )
    # The look-up raises ValueError for a parameter that is not accepted.
    return list({name: ESTIMATORS[name] for name in names})


def one_method(method: str) -> str:
    """The name of the single method in ``method``; ValueError if there are several or none."""
    names = []
    if method:
        names = method_names(method)
    if len(names) != 1:
        raise ValueError(f"method = {method!r}; one of {', '.join(ESTIMATORS)} is needed")
    return names[0]
