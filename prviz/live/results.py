"""Results of one problem at one choice of settings, each computed once. `prviz.live.needs` decides
which results are computed, and when.

`measure` and `make_profile` compute, in any thread; `known` and `profile` return results that were
computed before.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from prviz.approximation.approximate import Approximation, approximate
from prviz.curves import NamedCurves, PRCurve
from prviz.curves.band import Band, band
from prviz.estimators import ESTIMATORS, Supports
from prviz.estimators.tightest import TIGHTEST
from prviz.live.problems import Problem, allowed
from prviz.measure import estimates as evaluate
from prviz.measure.estimates import Estimate, Progress, passes
from prviz.measure.profiles import UNIT_SAMPLE, bandwidth_unit, profile_pair
from prviz.measure.workload import Options, approximate_seconds, estimate_seconds
from prviz.neighbors.threads import part_of

# Largest difference between the IoU or area of two families, on the same samples, that chance alone
# explains; multiplied by the square root of the number of evaluation samples in the smaller set. It
# is about two and a half standard deviations on toys, which a test measures.
NOISE = 1.0
# Most bytes of supports that are stored in a profile beside its curves; larger supports are
# measured again when they are needed.
SUPPORTS_BYTES = 64_000_000

T = TypeVar("T")
# Key of a curve in a profile: ("k", method, k), ("bandwidth", method, bandwidth in the units of the
# data), or ("fixed", method, 0) for a method that uses neither.
Key = tuple[str, str, float]
Curves = tuple[PRCurve, ...]  # One curve for each run of an estimate.


@dataclass(frozen=True, eq=False)
class Results:
    """Results by method: the curves to draw (means over repeats and runs), their spread, and the
    estimates of the first repeat.

    approximation: what `prviz.approximate` returned, for approximate curves; None for exact ones.
    """

    curves: NamedCurves
    bands: Mapping[str, Band]
    measured: Callable[[], Mapping[str, Estimate]]
    approximation: Approximation | None = None

    @cached_property
    def estimates(self) -> Mapping[str, Estimate]:
        """The estimates of the first repeat, by method; measured when they are first needed."""
        return self.measured()

    @property
    def nbytes(self) -> int:
        """Approximate bytes of the supports and of their error rates, which take as many again."""
        return 4 * sum(run.c_real.nbytes for each in self.estimates.values() for run in each.runs)


@dataclass(frozen=True, eq=False)
class Profiles:
    """The curves at every stop of the sliders of k and bandwidth: those of each repeat and their
    means. Also the estimates of the first repeat, unless they are too large.

    frames : the curves as they are sent to the browser, by profile id (see
    prviz/live/snapshots.py).
    """

    unit: float
    runs: tuple[Mapping[Key, Curves], ...]
    means: Mapping[Key, PRCurve]
    estimates: Mapping[Key, Estimate]
    frames: dict[str, Any] = field(default_factory=dict)

    def curve(
        self, method: str, k: int | None = None, *, bandwidth: float | None = None
    ) -> PRCurve:
        """Mean over the repeats of the curve at this k, or at this bandwidth in the units of the
        data.
        """
        if k is None:
            return self.means["bandwidth", method, bandwidth]  # type: ignore[index]
        return self.means["k", method, k]

    @property
    def nbytes(self) -> int:
        """Bytes of the stored supports, frames and vertices."""
        kept = sum(2 * run.c_real.nbytes for each in self.estimates.values() for run in each.runs)
        kept += sum(int(each.nbytes) for each in self.frames.values())
        return kept + sum(
            curve.vertices.nbytes
            for run in self.runs
            for curves in run.values()
            for curve in curves
        )


@dataclass(frozen=True, eq=False)
class Answer:
    """The answer that the main figure draws: a problem and its results.

    coarse : samples per set of a first, coarse drawing; 0 for a drawing from all samples. stale :
    True if the results belong to other settings than those requested.
    """

    problem: Problem
    found: Results
    coarse: int = 0
    stale: bool = False

    @property
    def drawn(self) -> Results:
        """The results to draw, with the curve of the family `tightest` first if it has been
        measured in addition to the chosen families.
        """
        estimate = believed_estimate(self.problem)
        if estimate is None:
            return self.found
        found = self.found
        name = TIGHTEST.name
        return replace(
            found,
            curves={name: estimate.curve, **found.curves},
            measured=lambda: {name: estimate, **found.estimates},
        )

    @property
    def final(self) -> bool:
        """True if the results belong to the requested settings and come from all samples."""
        return not (self.coarse or self.stale)


def key(problem: Problem) -> tuple[Any, ...]:
    """Key of these `Results` in the store of results."""
    settings = problem.settings
    chosen = (settings.methods, settings.k, settings.bandwidth, settings.split, problem.repeats)
    return ("results", problem.key, *chosen, settings.approximate)


def profile_key(problem: Problem) -> tuple[Any, ...]:
    """Key of the profile in its store. The key includes the mode: there is no profile of
    approximate curves, and these must not find an exact one.
    """
    settings = problem.settings
    return (
        "profile",
        problem.key,
        settings.methods,
        settings.split,
        problem.repeats,
        settings.approximate,
    )


def seconds(problem: Problem, **stops: int) -> float:
    """Estimated seconds of one measurement; with the arguments `ks` and `bandwidths` (numbers of
    stops), of a profile.
    """
    if problem.settings.approximate:
        return approximate_seconds(*problem.sizes, split=problem.settings.split)
    unknown = [
        name for name in _fixed(problem) if _fitted_key(problem, name) not in problem.stores.results
    ]
    options: Options = {**work(problem), "fixed": sum(ESTIMATORS[name].fits for name in unknown)}
    return problem.repeats * estimate_seconds(*problem.sizes, **options, **stops)


def work(problem: Problem) -> Options:
    """Options for `estimate_seconds` that describe one measurement of this problem."""
    settings = problem.settings
    return passes(settings.methods, split=settings.split, drawn=problem.toy is not None)


def _fixed(problem: Problem) -> list[str]:
    """The chosen families that depend neither on k nor on the bandwidth."""
    return [name for name in problem.settings.methods if name not in problem.tuned]


# ---- computing: may run in any thread ----


def unit(problem: Problem) -> float:
    """The unit of the bandwidth slider, from the first repeat; 1 if the mean k-NN radius is 0."""
    settings = problem.settings
    pair, seed = problem.draw(0)
    sample = None
    if settings.approximate:
        sample = UNIT_SAMPLE
    return problem.stores.results.remembered(
        ("unit", problem.key, settings.split, sample),
        lambda: bandwidth_unit(pair, split=settings.split, seed=seed, sample=sample) or 1.0,
    )


def width(problem: Problem) -> float | None:
    """The bandwidth of the settings in the units of the data; None for the automatic one."""
    if problem.settings.bandwidth is None:
        return None
    return problem.settings.bandwidth * unit(problem)


def how(problem: Problem) -> dict[str, Any]:
    """Options with which the pair on screen is measured, for other functions that measure it."""
    settings = problem.settings
    options = {"k": settings.k, "split": settings.split, "seed": settings.seed}
    return {**options, "bandwidth": width(problem)}


def measure(problem: Problem, progress: Progress | None = None) -> Results:
    """Measure the curves at the settings of the problem."""
    settings = problem.settings
    options = how(problem)
    if settings.approximate:
        pair = problem.pair
        found = approximate(
            pair.real, pair.generated, settings.methods, progress=progress, **options
        )
        curves = {name: each.curve for name, each in found.estimates.items()}
        return Results(curves, {}, lambda: found.estimates, found)
    runs = {name: fitted_once(problem, name, progress) for name in _fixed(problem)}
    if problem.tuned:
        runs |= evaluate.estimate_repeated(
            lambda seed: problem.draw(seed - settings.seed)[0],
            problem.tuned,
            repeats=problem.repeats,
            progress=progress,
            **options,
        )
    return _summed(
        {name: [each.curves for each in runs[name]] for name in settings.methods},
        lambda: {name: runs[name][0] for name in settings.methods},
    )


def fitted_once(
    problem: Problem, method: str, progress: Progress | None = None
) -> tuple[Estimate, ...]:
    """The estimates of all repeats for a family that uses neither k nor the bandwidth. They are
    stored, so that moving those sliders does not measure them again.

    progress : called with 0 whenever the family reports progress; may raise to stop.
    """

    def made() -> tuple[Estimate, ...]:
        found = []
        for repeat in range(problem.repeats):
            pair, seed = problem.draw(repeat)
            ticks = None if progress is None else (lambda _: progress(0.0))
            estimates = evaluate.estimate(
                pair, method, k=1, split=problem.settings.split, seed=seed, progress=ticks
            )
            found.append(estimates[method])
        return tuple(found)

    return problem.stores.results.remembered(_fitted_key(problem, method), made)


def noise(problem: Problem) -> float:
    """Largest difference between numbers of two families (means over repeats) that chance alone
    explains; families that differ by less are not ranked.
    """
    drawn = 1
    if problem.toy is not None:
        drawn = problem.repeats
    known = zip(problem.judged, problem.independent, problem.sizes[:2], strict=True)
    judged = min(each * independent / n for each, independent, n in known)
    return NOISE / math.sqrt(max(judged, 1) * drawn)


def believed(problem: Problem) -> Problem | None:
    """The problem with `tightest` as its only family; None if the truth is known, if the user has
    chosen that family anyway, without split, or for approximate curves.
    """
    settings = problem.settings
    if (
        problem.truth is not None
        or settings.approximate
        or settings.split is None
        or TIGHTEST.name in settings.methods
    ):
        return None
    return problem.having(methods=(TIGHTEST.name,), split=0.5, repeats=1)


def believed_key(alone: Problem) -> tuple[Any, ...]:
    """Key of the estimates of the family `tightest` in the store of results."""
    return _fitted_key(alone, TIGHTEST.name)


def believed_estimate(problem: Problem) -> Estimate | None:
    """The estimate of the family `tightest`, if it has been measured in addition to the chosen
    families; otherwise None.
    """
    alone = believed(problem)
    known: tuple[Estimate, ...] | None = (
        None if alone is None else alone.stores.results.get(believed_key(alone))
    )
    if known is None:
        return None
    return known[0]


def known_curves(problem: Problem) -> NamedCurves:
    """The curves of the chosen families, and of `tightest` if it has been measured; empty as long
    as the families are not measured.
    """
    found = known(problem)
    if found is None:
        return {}
    return Answer(problem, found).drawn.curves


def _fitted_key(problem: Problem, method: str) -> tuple[Any, ...]:
    return ("fitted", problem.key, method, problem.settings.split, problem.repeats)


def _summed(
    curves: Mapping[str, list[Curves]], measured: Callable[[], Mapping[str, Estimate]]
) -> Results:
    """Combine the repeats: the mean curves, and their spread over all runs of all repeats."""
    every = {name: [curve for runs in each for curve in runs] for name, each in curves.items()}
    return Results(
        {name: _mean(each) for name, each in curves.items()},
        {name: band(each) for name, each in every.items() if len(each) > 1},
        measured,
    )


def _mean(repeated: Sequence[Curves]) -> PRCurve:
    """Mean over the repeats, each of which is first averaged over its runs."""
    return PRCurve.mean([PRCurve.mean(runs) for runs in repeated])


def make_profile(problem: Problem, progress: Progress) -> Profiles:
    """Measure the curves at every stop of the sliders of k and bandwidth."""
    ks, units = problem.stops
    radius = unit(problem) if units else 1.0
    count = problem.repeats
    tuned = problem.tuned
    bandwidths = [u * radius for u in units]
    fitted = {name: fitted_once(problem, name, progress) for name in _fixed(problem)}
    runs = []
    kept = dict[Key, Estimate]()
    for repeat in range(count):
        pair, seed = problem.draw(repeat)
        found = dict[Key, Estimate]()
        for name, repeated in fitted.items():
            found["fixed", name, 0] = repeated[repeat]
        if tuned:
            profile = profile_pair(
                pair,
                tuned,
                ks=ks,
                bandwidths=bandwidths,
                split=problem.settings.split,
                seed=seed,
                progress=part_of(progress, repeat, count, 0.8),
            )
            for (name, k), one in profile.by_k.items():
                found["k", name, k] = one
            for (name, bandwidth), one in profile.by_bandwidth.items():
                found["bandwidth", name, bandwidth] = one
        tick = part_of(progress, repeat + 0.8, count, 0.2)
        curves = dict[Key, Curves]()
        for stop, each in found.items():
            tick(len(curves) / len(found))
            # The curves are computed on a copy of the estimate, so that its large error rates are
            # freed.
            curves[stop] = replace(each).curves
        runs.append(curves)
        kept = kept or _slim(found)
    means = {stop: _mean([run[stop] for run in runs]) for stop in runs[0]}
    return Profiles(radius, tuple(runs), means, kept)


def _stop(problem: Problem, method: str, unit: float) -> Key:
    """Key, in a profile, of a method's curve at the current settings. unit : unit of the bandwidth,
    in the units of the data.
    """
    tunes = ESTIMATORS[method].tunes
    bandwidth = problem.settings.bandwidth
    if tunes is None:
        return "fixed", method, 0
    if tunes == "bandwidth" and bandwidth is not None:
        return "bandwidth", method, bandwidth * unit
    return "k", method, problem.k


def _slim(found: Mapping[Key, Estimate]) -> dict[Key, Estimate]:
    """The estimates with counts as 32-bit integers, to save memory; none if their supports take
    more than SUPPORTS_BYTES.
    """
    if sum(run.c_real.nbytes for each in found.values() for run in each.runs) > SUPPORTS_BYTES:
        return {}

    def narrow(supports: Supports) -> Supports:
        kinds = {np.dtype(np.int64): np.int32}
        sides = [
            side.astype(kinds.get(side.dtype, side.dtype))
            for side in (supports.c_real, supports.c_generated)
        ]
        return replace(supports, c_real=sides[0], c_generated=sides[1])

    return {stop: replace(each, runs=tuple(map(narrow, each.runs))) for stop, each in found.items()}


# ---- looking up what has been computed ----


def profile(problem: Problem) -> Profiles | None:
    """The profile (curves at every stop of the sliders); None as long as it is not measured."""
    found: Profiles | None = problem.stores.profiles.get(profile_key(problem))
    return found


def known(problem: Problem) -> Results | None:
    """The results at the settings of the problem, measured earlier or read from the profile; None
    if they are not known.
    """
    found: Results | None = problem.stores.results.get(key(problem))
    table = profile(problem) if found is None else None
    if table is None:
        return found
    at = {name: _stop(problem, name, table.unit) for name in problem.settings.methods}
    if not table.means.keys() >= set(at.values()):
        return None

    def measured() -> Mapping[str, Estimate]:
        if table.estimates.keys() >= set(at.values()):
            return {name: table.estimates[stop] for name, stop in at.items()}
        return measure(problem.having(repeats=1)).estimates

    return _summed({name: [run[stop] for run in table.runs] for name, stop in at.items()}, measured)


def kept_estimate(problem: Problem, method: str) -> Estimate | None:
    """The estimate of a method in the first repeat, if it is stored; it is never measured here."""
    found: Results | None = problem.stores.results.get(key(problem))
    if found is not None:
        return found.estimates[method]
    table = profile(problem)
    if table is None:
        return None
    return table.estimates.get(_stop(problem, method, table.unit))


def results(problem: Problem) -> Results:
    """The results at the settings of the problem, which are measured now if they are not known."""
    found = known(problem)
    if found is None:
        return problem.stores.results.put(key(problem), measure(problem))
    return found


def with_other_split(problem: Problem) -> Problem:
    """The problem without its split, or, if it has none, with half of each set as fit samples; both
    with one repeat.
    """
    return allowed(
        problem.having(split=None if problem.settings.split is not None else 0.5, repeats=1)
    )
