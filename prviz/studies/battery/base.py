"""The base of a check of the sanity battery: a sweep of pairs of known distributions, and its criteria."""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from prviz.arrays import Floats
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
    """Shares by closed supports, mode by mode: what scores that ask "is it in the other's support?" aim at."""

    fidelity: float
    diversity: float


class Point(NamedTuple):
    """One pair of a sweep: the setting and the position x on the sweep, the ``place``-th of its points."""

    dim: int
    scenario: str
    place: int
    x: float


class Check(ABC):
    """One check.

    dims, scenarios : it is judged in all of them; scenarios is ("",) where there is but one. dim is
    the number of
        features, unless the sweep moves it.
    x_label : what the sweep moves. fresh_real : whether real samples are drawn anew at every point;
    else once for all.
    criteria : all that are asked for.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    source: ClassVar[str] = "Räisä, van Breugel, van der Schaar 2025 (arXiv 2505.22450)"
    summary: ClassVar[str]
    x_label: ClassVar[str]
    dims: ClassVar[tuple[int, ...]]
    scenarios: ClassVar[tuple[str, ...]] = ("",)
    fresh_real: ClassVar[bool] = False
    criteria: ClassVar[tuple[Criterion, ...]]

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def points(self, dim: int) -> tuple[float, ...]:
        """Values of the swept parameter, increasing. Raises ValueError for a dim that the check does not have."""
        if dim not in self.dims:
            raise ValueError(f"dim = {dim!r}; {self.name} has {', '.join(map(str, self.dims))}")
        return self._points(dim)

    @abstractmethod
    def _points(self, dim: int) -> tuple[float, ...]:
        """The sweep, increasing."""

    def _draw_real(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        return rng.standard_normal((n, self._features(point)))

    @abstractmethod
    def _draw_generated(self, point: Point, n: int, rng: np.random.Generator) -> Floats: ...

    @abstractmethod
    def _truth(self, point: Point) -> PRCurve:
        """The true curve of the pair, by densities."""

    def _ends(self, point: Point) -> TrueExtremes:
        """The shares of the true curve, where both notions agree."""
        curve = self._truth(point)
        return TrueExtremes(curve.extreme_precision, curve.extreme_recall)

    def _sizes(self, point: Point, n: int) -> tuple[int, int]:  # noqa: ARG002
        """Real and generated samples to draw where the check's own number is ``n``."""
        return n, n

    def _features(self, point: Point) -> int:
        """Number of features of the samples."""
        return point.dim

    def problem(self, dim: int, scenario: str, place: int) -> BatteryProblem:
        """The ``place``-th pair of the sweep (from 0). Raises ValueError for one that the check has not."""
        return BatteryProblem(self, dim, scenario, place)

    def problems(self) -> Iterator[BatteryProblem]:
        """All pairs."""
        for dim in self.dims:
            for scenario in self.scenarios:
                for place in range(len(self.points(dim))):
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
        for name, value, legal in (
            ("scenario", self.scenario, self.check.scenarios),
            ("place", self.place, range(len(self.check.points(self.dim)))),
        ):
            if value not in legal:
                if isinstance(legal, range):
                    choices = f"0 to {len(legal) - 1}"
                else:
                    choices = ", ".join(map(repr, legal))
                raise ValueError(f"{name} = {value!r}; {self.check.name} has {choices}")

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
        """Draw the pair. Sizes are ``n`` each, in proportion where the check sweeps them; an outlier comes on top.

        With one seed a check that keeps its real samples along the sweep has the same at every
        point, and generated ones are drawn anew at each. Raises ValueError for n < 10 or a negative
        seed.
        """
        check_whole("n", n, 10)
        check_whole("seed", seed, 0)
        n_real, n_generated = self.sizes(n)
        real = self.check._draw_real(
            self.point, n_real, self._stream(seed, "real", self.check.fresh_real)
        )
        generated = self.check._draw_generated(
            self.point, n_generated, self._stream(seed, "generated", True)
        )
        return SamplePair(Samples(real, "real"), Samples(generated, "generated"))

    def sizes(self, n: int = N) -> tuple[int, int]:
        """Real and generated samples, less an outlier, where the check's own number is ``n``."""
        return self.check._sizes(self.point, n)

    @property
    def d(self) -> int:
        """Number of features."""
        return self.check._features(self.point)

    def _stream(self, seed: int, role: str, fresh: bool) -> np.random.Generator:
        parts = [
            self.check.name,
            str(self.dim),
            self.scenario,
            role,
            *([str(self.place)] if fresh else []),
        ]
        return np.random.default_rng([seed, *(zlib.crc32(each.encode()) for each in parts)])

    def truth(self) -> PRCurve:
        """The true precision-recall curve."""
        return self.check._truth(self.point)

    def ends(self) -> TrueExtremes:
        """The shares in the other's closed support, mode by mode."""
        return self.check._ends(self.point)


def both(tag: Tag, *rules: Rule) -> tuple[Criterion, ...]:
    """The same rules for fidelity and for diversity."""
    return tuple(Criterion(tag, side, rule) for rule in rules for side in SIDES)
