"""The base of the checks of the sanity battery. A check is a sweep of pairs of known distributions,
with the criteria that a metric must meet along it.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from prviz.arguments import checked_whole
from prviz.arrays import Floats, Rng
from prviz.curves import PRCurve
from prviz.samples import SamplePair, Samples
from prviz.studies.battery.rules import Rule

Side: TypeAlias = Literal["fidelity", "diversity"]
Tag: TypeAlias = Literal["bounds", "purpose", "data", "hyperparameters", "invariance"]
SIDES: tuple[Side, Side] = ("fidelity", "diversity")

# Samples per set, in checks that do not sweep the number of samples.
N = 1000

# The paper's desiderata, each as a question.
TAGS: dict[Tag, str] = {
    "purpose": "Does it measure what it is for?",
    "bounds": "Does it reach 1 where it should, and 0 where it should?",
    "data": "Does it settle as both samples grow?",
    "hyperparameters": "Does it settle as the generated sample alone grows?",
    "invariance": "Does it stay as it is when one feature changes its scale?",
}


class Criterion(NamedTuple):
    """A rule that one side of a metric (fidelity or diversity) must satisfy along a sweep.

    scenario : the only scenario with this criterion; None: all scenarios.
    """

    tag: Tag
    side: Side
    rule: Rule
    scenario: str | None = None


class TrueExtremes(NamedTuple):
    """Share of each distribution in the closed support of the other, mode by mode.

    Scores that count samples in the other distribution's support estimate these shares.
    """

    fidelity: float
    diversity: float


class Point(NamedTuple):
    """The setting of one pair of distributions in a sweep.

    dim, scenario, place : as in `BatteryProblem`.
    x : the swept value, the ``place``-th of the sweep.
    """

    dim: int
    scenario: str
    place: int
    x: float


def normal(at: Point, n: int, rng: Rng) -> Floats:
    """Draw standard normal samples."""
    return rng.standard_normal((n, at.dim))


Sampler: TypeAlias = Callable[[Point, int, Rng], Floats]

_CHECKS: dict[str, Check] = {}


def _named(name: str) -> Check:
    """The check with this name. It is called by unpickling, so that a pickled check holds only its
    name.
    """
    return _CHECKS[name]


@dataclass(frozen=True, kw_only=True, eq=False)
class Check:
    """One check of the battery. A pickled check holds only its name.

    x_label : name of the swept parameter.
    sweep : dim -> increasing values of the swept parameter. dim is the number of features, unless
        the check sweeps this number. All dims and scenarios are judged; a check without scenarios
        has the single scenario "".
    generated, real : functions that draw the samples.
    truth : function that returns the true curve of a pair, from its densities.
    ends : function that returns the share of each distribution in the closed support of the other;
        None if these equal the ends of the true curve.
    sizes : function that returns how many real and how many generated samples to draw at a point,
        for a size n of the check.
    features : function that returns the number of features at a point.
    fresh_real : True if real samples are drawn at every point, False if once per sweep.
    criteria : all criteria of the check.
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
        """All values of dim that the check has."""
        return tuple(self.sweep)

    def points(self, dim: int) -> tuple[float, ...]:
        """Increasing values of the swept parameter for one dim.

        Raises ValueError for a dim that the check does not have.
        """
        if dim not in self.sweep:
            raise ValueError(f"dim = {dim!r}; {self.name} has {', '.join(map(str, self.dims))}")
        return self.sweep[dim]

    def problem(self, dim: int, scenario: str, place: int) -> BatteryProblem:
        """The ``place``-th pair of the sweep, from 0.

        Raises ValueError for a dim, scenario or place that the check does not have.
        """
        return BatteryProblem(self, dim, scenario, place)

    def problems(self) -> Iterator[BatteryProblem]:
        """All pairs of the check, in all its dims and scenarios."""
        for dim, scenario in itertools.product(self.dims, self.scenarios):
            for place in range(len(self.sweep[dim])):
                yield self.problem(dim, scenario, place)


@dataclass(frozen=True)
class BatteryProblem:
    """One pair of distributions of a check: a real and a generated one, with a known true curve.
    `sample` draws samples from both.

    dim : a key of ``check.sweep``.
    scenario : an entry of ``check.scenarios``.
    place : index into ``check.points(dim)``, the swept values, from 0.

    Raises
    ------
    ValueError : a dim, scenario or place that the check does not have.
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
        """Name of the check with the prefix "battery"."""
        return f"battery {self.check.name}"

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters that identify the pair within the check."""
        return {"dim": self.dim, "scenario": self.scenario, "place": self.place}

    @property
    def point(self) -> Point:
        """The setting of the pair, as an argument of the check's functions."""
        return Point(self.dim, self.scenario, self.place, self.x)

    @property
    def x(self) -> float:
        """The swept value of this pair."""
        return self.check.points(self.dim)[self.place]

    @property
    def default_n(self) -> int:
        """Samples per set, unless the check sweeps this number."""
        return N

    def sample(self, n: int = N, seed: int = 0) -> SamplePair:
        """Draw the pair with ``n`` samples per set; if the check sweeps the sizes, with sizes in
        proportion to ``n``.

        An outlier comes in addition. If the check draws real samples once per sweep, one seed gives
        the same real samples at every point; generated samples differ from point to point. Raises
        ValueError for n < 10 or a negative seed.
        """
        checked_whole("n", n, 10)
        checked_whole("seed", seed, 0)
        n_real, n_generated = self.sizes(n)
        streams = self._stream(seed, "real"), self._stream(seed, "generated")
        real = self.check.real(self.point, n_real, streams[0])
        generated = self.check.generated(self.point, n_generated, streams[1])
        return SamplePair(Samples(real, "real"), Samples(generated, "generated"))

    def sizes(self, n: int = N) -> tuple[int, int]:
        """Numbers of real and of generated samples of this pair for a size ``n`` of the check, not
        counting an outlier.
        """
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
        """The share of each distribution in the closed support of the other, mode by mode."""
        if self.check.ends is not None:
            return self.check.ends(self.point)
        curve = self.truth()
        return TrueExtremes(curve.extreme_precision, curve.extreme_recall)


def both(tag: Tag, *rules: Rule) -> tuple[Criterion, ...]:
    """Criteria that apply each rule to fidelity and to diversity."""
    return tuple(Criterion(tag, side, rule) for rule in rules for side in SIDES)
