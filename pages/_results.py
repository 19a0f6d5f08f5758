"""What is computed for one problem and one choice of settings, each piece once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pages import _cache
from pages._sources import Problem
from prviz import evaluate
from prviz.curves import PRCurve
from prviz.evaluate import Band, Estimate
from prviz.settings import Settings
from prviz.workload import estimate_seconds

# For one value of a toy's samples: drawing is most of the work in high dimensions.
DRAW_SECONDS = 3e-8


@dataclass(frozen=True, eq=False)
class Results:
    """The first repeat's estimates, the curves to draw (means over repeats) and their spread, one per method."""

    estimates: Mapping[str, Estimate]
    curves: Mapping[str, PRCurve]
    bands: Mapping[str, Band]


def key(problem: Problem, settings: Settings) -> tuple[Any, ...]:
    chosen = (settings.methods, settings.k, settings.bandwidth, settings.split, repeats(problem, settings))
    return ("results", problem.key, *chosen)


def repeats(problem: Problem, settings: Settings) -> int:
    """A pair that is used whole repeats by drawing its split again; without a split there is nothing to draw."""
    return settings.repeats if problem.redrawn or settings.split is not None else 1


def seconds(problem: Problem, settings: Settings, *, values: int = 1) -> float:
    one = estimate_seconds(
        *problem.sizes,
        methods=len(settings.methods),
        curves=values,
        split=settings.split,
    )
    if problem.toy is not None:
        one += DRAW_SECONDS * sum(problem.sizes[:2]) * problem.sizes[2]
    return one * (repeats(problem, settings) if values == 1 else 1)


def measure(problem: Problem, settings: Settings, progress: _cache.Progress | None = None) -> Results:
    runs = evaluate.estimate_repeated(
        lambda seed: problem.draw(seed - settings.seed)[0],
        settings.methods,
        repeats=repeats(problem, settings),
        k=settings.k,
        bandwidth=None if settings.bandwidth is None else settings.bandwidth * unit(problem, settings),
        split=settings.split,
        seed=settings.seed,
        progress=progress,
    )
    curves = {name: [each.curve for each in repeated] for name, repeated in runs.items()}
    return Results(
        {name: repeated[0] for name, repeated in runs.items()},
        {name: PRCurve.mean(each) for name, each in curves.items()},
        {name: evaluate.band(each) for name, each in curves.items() if len(each) > 1},
    )


def unit(problem: Problem, settings: Settings) -> float:
    """What the bandwidth is counted in: the mean k-NN radius of the first repeat."""
    pair, seed = problem.draw(0)
    return _cache.remembered(
        ("unit", problem.key, settings.k, settings.split),
        lambda: evaluate.mean_radius(pair, k=settings.k, split=settings.split, seed=seed),
    )


def results(problem: Problem, settings: Settings) -> Results:
    return _cache.remembered(key(problem, settings), lambda: measure(problem, settings))


def with_other_split(settings: Settings) -> Settings:
    """The same settings without the split, or with the usual half where there is none; one run each."""
    return replace(settings, split=None if settings.split is not None else 0.5, repeats=1)
