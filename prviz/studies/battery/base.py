"""The base of a check of the sanity battery.

A sweep of pairs of known distributions, and its criteria.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from prviz.arrays import Floats, Rng
from prviz.curves import PRCurve
from prviz.samples import SamplePair, Samples
from prviz.studies.battery.rules import Rule
from prviz.studies.tasks import check_whole

Side: TypeAlias = Literal["fidelity", "diversity"]
Tag: TypeAlias = Literal["bounds", "purpose", "data", "hyperparameters", "invariance"]
SIDES: tuple[Side, Side] = ("fidelity", "diversity")

# Samples per set where the check doesn't say otherwise.
N = 1000

# Requirement of each desideratum.
TAGS: dict[Tag, str] = {
    "purpose": "Does it measure what it is for?",
    "bounds": "Does it reach 1 where it should, and 0 where it should?",
    "data": "Does it settle as both samples grow?",
    "hyperparameters": "Does it settle as the generated sample alone grows?",
    "invariance": "Does it stay as it is when one feature changes its scale?",
}


class Criterion(NamedTuple):
    """One thing a sweep must do. scenario : the only one that it is about; None: each."""

    tag: Tag
    side: Side
    rule: Rule
    scenario: str | None = None


class TrueExtremes(NamedTuple):
    """Shares by closed supports, mode by mode.

    What scores that ask "is it in the other's support?" aim at.
    """

    fidelity: float
    diversity: float


class Point(NamedTuple):
    """One pair of a sweep.

    The setting and the position x on the sweep, the ``place``-th of its points.
    """

    dim: int
    scenario: str
    place: int
    x: float


def normal(at: Point, n: int, rng: Rng) -> Floats:
    """Standard normal samples."""
    return rng.standard_normal((n, at.dim))


Sampler: TypeAlias = Callable[[Point, int, Rng], Floats]

_CHECKS: dict[str, Check] = {}


def _named(name: str) -> Check:
    """For pickle, which would write all checks with a method of the dictionary."""
    return _CHECKS[name]


@dataclass(frozen=True, kw_only=True, eq=False)
class Check:
    """One check; equal names mean equal checks.

    x_label : what the sweep moves. sweep : by dim the values of the swept parameter, increasing; it
    is judged in all dims and scenarios, which is ("",) where there is but one. dim is the number of
    features, unless the sweep moves it.
    generated, real : draw the samples. truth : the true curve of the pair, by densities. ends : the
    shares by closed supports; None: those of the true curve, where both notions agree.
    sizes : real and generated samples to draw where the check's own number is n.
    fresh_real : True if real samples are drawn anew at every point; else once for all.
    criteria : all that are asked for.
    """

    name: str
    title: str
    summary: str
    x_label: str
    sweep: Mapping[int, tuple[float, ...]]
    criteria: tuple[Criterion, ...]
    generated: Sampler
    truth: Callable[[Point], PRCurve]
    real: Sampler = normal
    ends: Callable[[Point], TrueExtremes] | None = None
    sizes: Callable[[Point, int], tuple[int, int]] = lambda _, n: (n, n)
    features: Callable[[Point], int] = lambda at: at.dim
    scenarios: tuple[str, ...] = ("",)
    fresh_real: bool = False
    source: str = "Räisä, van Breugel, van der Schaar 2025 (arXiv 2505.22450)"

    def __post_init__(self) -> None:
        _CHECKS[self.name] = self

    def __reduce__(self) -> tuple[Any, ...]:
        return _named, (self.name,)

    @property
    def dims(self) -> tuple[int, ...]:
        """Every dim of the sweep."""
        return tuple(self.sweep)

    def points(self, dim: int) -> tuple[float, ...]:
        """Values of the swept parameter, increasing.

        Raises ValueError for a dim that the check does not have.
        """
        if dim not in self.sweep:
            raise ValueError(f"dim = {dim!r}; {self.name} has {', '.join(map(str, self.dims))}")
        return self.sweep[dim]

    def problem(self, dim: int, scenario: str, place: int) -> BatteryProblem:
        """The ``place``-th pair of the sweep (from 0).

        Raises ValueError for one that the check has not.
        """
        return BatteryProblem(self, dim, scenario, place)

    def problems(self) -> Iterator[BatteryProblem]:
        """All pairs."""
        for dim, scenario in itertools.product(self.dims, self.scenarios):
            for place in range(len(self.sweep[dim])):
                yield self.problem(dim, scenario, place)


@dataclass(frozen=True)
class BatteryProblem:
    """One pair of a check's sweep, with its sampler and its truth.

    place : which of ``check.points(dim)``, from 0.

    Raises
    ------
    ValueError : a dim, scenario or place that the check has not.
    """

    check: Check
    dim: int
    scenario: str
    place: int

    def __post_init__(self) -> None:
        last = len(self.check.points(self.dim)) - 1
        if self.scenario not in self.check.scenarios:
            choices = ", ".join(map(repr, self.check.scenarios))
            raise ValueError(f"scenario = {self.scenario!r}; {self.check.name} has {choices}")
        if not 0 <= self.place <= last:
            raise ValueError(f"place = {self.place!r}; {self.check.name} has 0 to {last}")

    @property
    def name(self) -> str:
        """Name of the check as a problem of the battery."""
        return f"battery {self.check.name}"

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters that identify the pair within the check."""
        return {"dim": self.dim, "scenario": self.scenario, "place": self.place}

    @property
    def point(self) -> Point:
        """The point of the pair in its check."""
        return Point(self.dim, self.scenario, self.place, self.x)

    @property
    def x(self) -> float:
        """Position on the sweep."""
        return self.check.points(self.dim)[self.place]

    @property
    def default_n(self) -> int:
        """Samples per set, where the check doesn't sweep them."""
        return N

    def sample(self, n: int = N, seed: int = 0) -> SamplePair:
        """Draw the pair. Sizes are ``n`` each, in proportion where the check sweeps them.

        An outlier comes on top.

        With one seed a check that keeps its real samples along the sweep has the same at every
        point, and generated ones are drawn anew at each. Raises ValueError for n < 10 or a negative
        seed.
        """
        check_whole("n", n, 10)
        check_whole("seed", seed, 0)
        n_real, n_generated = self.sizes(n)
        streams = self._stream(seed, "real"), self._stream(seed, "generated")
        real = self.check.real(self.point, n_real, streams[0])
        generated = self.check.generated(self.point, n_generated, streams[1])
        return SamplePair(Samples(real, "real"), Samples(generated, "generated"))

    def sizes(self, n: int = N) -> tuple[int, int]:
        """Real and generated samples, less an outlier, where the check's own number is ``n``."""
        return self.check.sizes(self.point, n)

    @property
    def d(self) -> int:
        """Number of features."""
        return self.check.features(self.point)

    def _stream(self, seed: int, role: str) -> Rng:
        parts = [self.check.name, str(self.dim), self.scenario, role]
        if role == "generated" or self.check.fresh_real:
            parts.append(str(self.place))
        return np.random.default_rng([seed, *(zlib.crc32(each.encode()) for each in parts)])

    def truth(self) -> PRCurve:
        """The true precision-recall curve."""
        return self.check.truth(self.point)

    def ends(self) -> TrueExtremes:
        """The shares in the other's closed support, mode by mode."""
        if self.check.ends is not None:
            return self.check.ends(self.point)
        curve = self.truth()
        return TrueExtremes(curve.extreme_precision, curve.extreme_recall)


def both(tag: Tag, *rules: Rule) -> tuple[Criterion, ...]:
    """The same rules for fidelity and for diversity."""
    return tuple(Criterion(tag, side, rule) for rule in rules for side in SIDES)
