"""Checks on one Gaussian per side: shifted, widened, with an outlier, with useless or badly scaled features."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from prviz.curves import PRCurve
from prviz.studies.battery import _truths
from prviz.studies.battery.base import Check, Criterion, Point, both
from prviz.studies.battery.rules import bell, down, flat, low_high, one, up, wide, zero

__all__ = ["HighDimensionCheck", "MeanDifference", "OneScaled", "OutlierCheck", "Pareto", "StdDifference"]

Floats = NDArray[np.float64]
_SOURCE = "Räisä, van Breugel, van der Schaar 2025 (arXiv 2505.22450)"
# The middle of 51 points.
_MIDDLE = 25


class MeanDifference(Check):
    """P = N(0, I), Q = N(mu 1, I): alpha(1) = 2 Phi(-|mu| sqrt(d) / 2)."""

    name = "gaussian-mean-difference"
    title = "A shifted Gaussian"
    source = _SOURCE
    summary = "The generated Gaussian moves through the real one: 1 where they are equal, 0 at both ends."
    x_label = "shift of the mean"
    dims: ClassVar[tuple[int, ...]] = (1, 8, 64)
    criteria = (*both("bounds", one(_MIDDLE), zero(0), zero(-1)), *both("purpose", bell(_MIDDLE)))
    widest: ClassVar[dict[int, float]] = {1: 6.0, 8: 3.0, 64: 1.0}

    def _points(self, dim: int) -> tuple[float, ...]:
        return _linear(-self.widest[dim], self.widest[dim], 51)

    def _draw_real(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        return rng.standard_normal((n, point.dim))

    def _draw_generated(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        return point.x + rng.standard_normal((n, point.dim))

    def _truth(self, point: Point) -> PRCurve:
        return _truths.shifted(self._distance(point))

    def _distance(self, point: Point) -> float:
        """Of the means; the same on both sides of 0, whatever the rounding of the grid."""
        return round(abs(point.x) * math.sqrt(point.dim), 12)


class OutlierCheck(MeanDifference):
    """The same with one more sample at c 1, c the shift at the right end, in the real or in the generated set.

    The point's share is that of one sample among n + 1 = 1001.
    """

    name = "gaussian-mean-difference-with-outlier"
    title = "A shifted Gaussian and one outlier"
    summary = (
        "As before, and a single sample of one set lies where the generated Gaussian ends up. It should not matter."
    )
    scenarios = ("real_outlier", "syn_outlier")
    share: ClassVar[float] = 1.0 / 1001.0

    def _draw_real(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        return self._added(super()._draw_real(point, n, rng), point, "real_outlier")

    def _draw_generated(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        return self._added(super()._draw_generated(point, n, rng), point, "syn_outlier")

    def _added(self, drawn: Floats, point: Point, scenario: str) -> Floats:
        if point.scenario != scenario:
            return drawn
        return np.concatenate((drawn, np.full((1, point.dim), self.widest[point.dim])))

    def _truth(self, point: Point) -> PRCurve:
        role = "real" if point.scenario == "real_outlier" else "generated"
        return _truths.shifted_with_outlier(self._distance(point), self.share, role)


class StdDifference(Check):
    """P = N(0, I), Q = N(0, s^2 I)."""

    name = "gaussian-std-difference"
    title = "A wider or narrower Gaussian"
    source = _SOURCE
    summary = (
        "The generated Gaussian grows from a speck in the middle of the real one to a cloud around it. The check wants "
        "full fidelity for the speck, which the true curve of any lambda in use denies in high dimension."
    )
    x_label = "standard deviation of the generated Gaussian"
    dims = (1, 8, 64)
    criteria = (
        *both("bounds", one(_MIDDLE)),
        Criterion("bounds", "fidelity", one(0)),
        Criterion("bounds", "diversity", zero(0)),
        Criterion("bounds", "fidelity", zero(-1)),
        Criterion("bounds", "diversity", wide(-1)),
        Criterion("purpose", "fidelity", down()),
        Criterion("purpose", "diversity", low_high(bell(_MIDDLE), up())),
    )
    decades: ClassVar[dict[int, float]] = {1: 3.0, 8: 1.0, 64: 0.5}

    def _points(self, dim: int) -> tuple[float, ...]:
        return _logarithmic(-self.decades[dim], self.decades[dim], 51)

    def _draw_real(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        return rng.standard_normal((n, point.dim))

    def _draw_generated(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        return point.x * rng.standard_normal((n, point.dim))

    def _truth(self, point: Point) -> PRCurve:
        return _truths.scaled(1.0 if point.place == _MIDDLE else point.x, point.dim)


class OneScaled(Check):
    """P = N(0, I), Q = N((6, 0), I), the second coordinate of both times c."""

    name = "gaussian-scaling-one-dimension"
    title = "One feature in other units"
    source = _SOURCE
    summary = "Two distant Gaussians; the feature that tells nothing changes its unit, which should change nothing."
    x_label = "factor of the second feature"
    dims = (2,)
    fresh_real = True
    criteria = (*both("invariance", flat()), *both("bounds", zero(0), zero(-1)))

    def _points(self, dim: int) -> tuple[float, ...]:  # noqa: ARG002
        return _logarithmic(-3.0, 3.0, 20)

    def _draw_real(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        return rng.standard_normal((n, 2)) * (1.0, point.x)

    def _draw_generated(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        return np.add(rng.standard_normal((n, 2)), (6.0, 0.0)) * (1.0, point.x)

    def _truth(self, point: Point) -> PRCurve:  # noqa: ARG002
        return _truths.shifted(6.0)


class Pareto(MeanDifference):
    """A shift by mu along the first coordinate; the second is Pareto (shape 1.01, from 1 on) in both."""

    name = "gaussian-mean-difference-with-pareto"
    title = "A shifted Gaussian and a heavy tail"
    summary = "The shift is along one feature; the other is the same in both sets and has no variance to scale it by."
    dims: ClassVar[tuple[int, ...]] = (2,)
    widest: ClassVar[dict[int, float]] = {2: 6.0}
    shape: ClassVar[float] = 1.01

    def _draw_real(self, point: Point, n: int, rng: np.random.Generator) -> Floats:  # noqa: ARG002
        return np.column_stack((rng.standard_normal(n), 1.0 + rng.pareto(self.shape, n)))

    def _draw_generated(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        return np.column_stack((point.x + rng.standard_normal(n), 1.0 + rng.pareto(self.shape, n)))

    def _truth(self, point: Point) -> PRCurve:
        return _truths.shifted(round(abs(point.x), 12))


class HighDimensionCheck(Check):
    """First coordinate N(0, 1) against N(6, 1), and e coordinates that are N(0, 1) in both."""

    name = "gaussian-high-dim-one-disjoint-dim"
    title = "Apart along one feature of many"
    source = _SOURCE
    summary = "Two distant Gaussians, and more and more features that tell nothing. They are as distant as ever."
    x_label = "features that tell nothing"
    dims = (1,)
    fresh_real = True
    criteria = (*both("purpose", flat()), *both("bounds", zero(0), zero(-1)))

    def _points(self, dim: int) -> tuple[float, ...]:  # noqa: ARG002
        return tuple(float(each) for each in np.unique(np.logspace(0, 3, 20).astype(int)))

    def _features(self, point: Point) -> int:
        return 1 + int(point.x)

    def _draw_real(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        return rng.standard_normal((n, self._features(point)))

    def _draw_generated(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        drawn = rng.standard_normal((n, self._features(point)))
        drawn[:, 0] += 6.0
        return drawn

    def _truth(self, point: Point) -> PRCurve:  # noqa: ARG002
        return _truths.shifted(6.0)


def _linear(low: float, high: float, n: int) -> tuple[float, ...]:
    return tuple(np.linspace(low, high, n).tolist())


def _logarithmic(low: float, high: float, n: int) -> tuple[float, ...]:
    return tuple(np.logspace(low, high, n).tolist())
