"""The problem that the settings select: a pair of samples, with its truth where one is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from pages._shared import cache
from pages._shared.text import plain
from pages._shared.uploads import Uploaded
from prviz.curves import PRCurve
from prviz.measure.workload import subsample, subsample_rows
from prviz.readers import bundled
from prviz.reports.settings import ExploreSettings
from prviz.samples import SamplePair
from prviz.toys import ToyProblem, toy


@dataclass(frozen=True, eq=False)
class Problem:
    """The problem that is measured: `draw(i)` gives the pair and the split's seed of repeat i; draw(0) is on screen.

    redrawn: True if repeats differ even without a split.
    sizes: real and generated samples and their dimension, known before anything is drawn.
    smaller: gives this problem with at most the given number of samples per set.
    memory: the store of results computed from the problem.
    file_rows: gives the real and the generated rows of the files that are on screen; None for a toy.

    `draw` and `memory` work in any thread: they hold the session's stores, and need no session.
    """

    key: tuple[Any, ...]
    title: str
    draw: Callable[[int], tuple[SamplePair, int]]
    sizes: tuple[int, int, int]
    smaller: Callable[[int], Problem]
    memory: cache.LeastRecentlyUsed
    truth: PRCurve | None = None
    toy: ToyProblem | None = None
    redrawn: bool = True
    uploaded: Uploaded | None = None
    file_rows: Callable[[], tuple[Any, Any]] | None = None

    @property
    def pair(self) -> SamplePair:
        return self.draw(0)[0]


def toy_problem(settings: ExploreSettings) -> Problem:
    """The toy's problem; raises ValueError for parameters that the toy refuses."""
    problem = toy(settings.problem, **settings.parameters)
    key = ("toy", settings.problem, tuple(sorted(problem.parameters.items())), settings.n, settings.seed)
    held = cache.samples()

    def draw(repeat: int) -> tuple[SamplePair, int]:
        seed = settings.seed + repeat
        return held.remembered((*key, seed), lambda: problem.sample(settings.n, seed)), seed

    truth = cache.remembered(("truth", *key[1:3]), problem.truth)
    return Problem(
        key,
        problem.title,
        draw,
        (settings.n, settings.n, problem.d),
        lambda n: toy_problem(replace(settings, n=min(n, settings.n))),
        cache.results(),
        truth,
        problem,
    )


def _fixed(kind: str, pair: SamplePair, settings: ExploreSettings, uploaded: Uploaded | None = None) -> Problem:
    """The problem of a fixed pair: repeats differ in the subsample, where one is drawn, and in the split."""
    origin = () if uploaded is None else uploaded.origin
    key = (kind, pair.digest, pair.real.name, pair.generated.name, origin, settings.n, settings.seed)
    held = cache.samples()

    def draw(repeat: int) -> tuple[SamplePair, int]:
        seed = settings.seed + repeat
        return held.remembered((*key, seed), lambda: subsample(pair, settings.n, seed)), seed

    return Problem(
        key,
        f"{pair.real.name} against {pair.generated.name}",
        draw,
        (min(pair.real.n, settings.n), min(pair.generated.n, settings.n), pair.d),
        lambda n: _fixed(kind, pair, replace(settings, n=min(n, settings.n)), uploaded),
        cache.results(),
        redrawn=settings.n < max(pair.real.n, pair.generated.n),
        uploaded=uploaded,
        file_rows=lambda: (
            subsample_rows(pair.real.n, settings.n, settings.seed),
            subsample_rows(pair.generated.n, settings.n, settings.seed),
        ),
    )


def bundled_problem(settings: ExploreSettings) -> Problem:
    return _fixed("bundled", bundled.bundled_pair(settings.problem), settings)


def upload_problem(settings: ExploreSettings, uploaded: Uploaded) -> Problem:
    return _fixed("upload", uploaded.pair, settings, uploaded)


def headline(problem: Problem) -> str:
    """One line that describes the problem on screen."""
    n_real, n_generated, d = problem.sizes
    dimensions = "1 dimension" if d == 1 else f"{d:,} dimensions"
    sizes = f"{n_real:,} real and {n_generated:,} generated samples in {dimensions}"
    known = "no truth is known for these data"
    if problem.toy is not None:
        known = "the dashed curve is the truth"
        if problem.toy.truth_error > 0:
            known += f", exact to {problem.toy.truth_error:.6f} in area"
    return f"**{plain(problem.title)}**: {sizes}; {known}."
