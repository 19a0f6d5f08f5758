"""Checks on bounded and discrete supports: shells, cubes, a ball and a torus, whole numbers."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from prviz.curves import PRCurve, ground_truth
from prviz.studies.battery import _truths
from prviz.studies.battery.base import Check, Criterion, N, Point, TrueExtremes, both
from prviz.studies.battery.rules import bell, flat, near, one, settle, wide, zero

__all__ = ["Cubes", "CubesGenerated", "Discrete", "Shells", "SphereTorus"]

Floats = NDArray[np.float64]
_SOURCE = "Räisä, van Breugel, van der Schaar 2025 (arXiv 2505.22450)"
_MIDDLE = 25


class Shells(Check):
    """P: uniform on the unit sphere; Q: on the sphere of radius r."""

    name = "uniform-hypersphere-surface"
    title = "Shells of different radius"
    source = _SOURCE
    summary = "Two shells share nothing unless their radii are equal, however close they are."
    x_label = "radius of the generated shell"
    dims = (2, 16, 128)
    criteria = (*both("bounds", one(_MIDDLE), zero(0), zero(-1)), *both("purpose", bell(_MIDDLE)))

    def _points(self, dim: int) -> tuple[float, ...]:  # noqa: ARG002
        return tuple(np.linspace(0.1, 1.9, 51).tolist())

    def _draw_real(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        return _directions(n, point.dim, rng)

    def _draw_generated(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        return point.x * _directions(n, point.dim, rng)

    def _truth(self, point: Point) -> PRCurve:
        return _truths.equal() if point.place == _MIDDLE else _truths.disjoint()


class Cubes(Check):
    """P = U[0, 1]^d, Q = U[s, 1 + s]^d, s = 1 - .2^(1/d): a fifth of each lies in the other."""

    name = "uniform-hypercube-varying-size"
    title = "Overlapping cubes, growing samples"
    source = _SOURCE
    summary = "A fifth of each cube lies in the other. The score should be 0.2, and settle as both samples grow."
    x_label = "samples per set"
    dims = (1, 8, 64)
    fresh_real = True
    criteria = (*both("data", settle()), *both("purpose", near(0.2, -1)))
    shared: ClassVar[float] = 0.2

    def _points(self, dim: int) -> tuple[float, ...]:  # noqa: ARG002
        return _counts()

    def _sizes(self, point: Point, n: int) -> tuple[int, int]:
        return _part(point, n), _part(point, n)

    def _draw_real(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        return rng.random((n, point.dim))

    def _draw_generated(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        drawn: Floats = 1.0 - self.shared ** (1.0 / point.dim) + rng.random((n, point.dim))
        return drawn

    def _truth(self, point: Point) -> PRCurve:  # noqa: ARG002
        return ground_truth.finite_masses([1.0 - self.shared, self.shared, 0.0], [0.0, self.shared, 1.0 - self.shared])


class CubesGenerated(Cubes):
    """The same cubes, with 1000 real samples throughout."""

    name = "uniform-hypercube-varying-syn-size"
    title = "Overlapping cubes, a growing generated sample"
    summary = "As before, but only the generated sample grows: the score should not depend on how many there are."
    x_label = "generated samples"
    fresh_real = False
    criteria = (*both("hyperparameters", settle()), *both("purpose", near(0.2, -1)))

    def _sizes(self, point: Point, n: int) -> tuple[int, int]:
        return n, _part(point, n)


class SphereTorus(Check):
    """A solid ball of radius .8 within a solid torus: a disc of radius .1 around (1, 0), turned about the axis."""

    name = "sphere-torus"
    title = "A ball inside a ring"
    source = _SOURCE
    summary = "A ball and a ring around it, a gap between them: 0, however many samples are generated."
    x_label = "generated samples"
    dims = (3,)
    scenarios = ("real_sphere", "real_torus")
    criteria = (*both("purpose", settle()), *both("bounds", zero(-1)))

    def _points(self, dim: int) -> tuple[float, ...]:  # noqa: ARG002
        return _counts()

    def _sizes(self, point: Point, n: int) -> tuple[int, int]:
        return n, _part(point, n)

    def _draw_real(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        return _ball(n, rng) if point.scenario == "real_sphere" else _torus(n, rng)

    def _draw_generated(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        return _torus(n, rng) if point.scenario == "real_sphere" else _ball(n, rng)

    def _truth(self, point: Point) -> PRCurve:  # noqa: ARG002
        return _truths.disjoint()


class Discrete(Check):
    """Both c N(0, 1), one of them rounded to whole numbers before anything else."""

    name = "discrete-numerical-vs-continuous-numerical"
    title = "Whole numbers against any numbers"
    source = _SOURCE
    summary = (
        "One set holds whole numbers only. Whole numbers have probability zero among all numbers, so that densities "
        "share nothing; but each whole number is one of all numbers, which is what the check asks for."
    )
    x_label = "standard deviation before rounding"
    dims = (1,)
    scenarios = ("real_discrete", "real_continuous")
    fresh_real = True
    criteria = (
        *both("purpose", flat()),
        *(
            Criterion("bounds", side, rule(at), scenario)  # type: ignore[arg-type]
            for at in (0, -1)
            for scenario, side, rule in (
                ("real_discrete", "fidelity", zero),
                ("real_discrete", "diversity", wide),
                ("real_continuous", "fidelity", one),
                ("real_continuous", "diversity", zero),
            )
        ),
    )

    def _points(self, dim: int) -> tuple[float, ...]:  # noqa: ARG002
        return tuple(np.logspace(0, 3, 20).tolist())

    def _draw_real(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        return self._drawn(point, n, rng, "real_discrete")

    def _draw_generated(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        return self._drawn(point, n, rng, "real_continuous")

    def _drawn(self, point: Point, n: int, rng: np.random.Generator, rounded: str) -> Floats:
        values = point.x * rng.standard_normal((n, 1))
        return np.rint(values) if point.scenario == rounded else values

    def _truth(self, point: Point) -> PRCurve:  # noqa: ARG002
        return _truths.disjoint()

    def _ends(self, point: Point) -> TrueExtremes:
        return TrueExtremes(0.0, 1.0) if point.scenario == "real_discrete" else TrueExtremes(1.0, 0.0)


def _counts() -> tuple[float, ...]:
    """100 to 10,000 samples."""
    return tuple(float(each) for each in np.logspace(2, 4, 20).astype(int))


def _part(point: Point, n: int) -> int:
    """Samples at a point of the sweep where the check's 1000 are ``n``."""
    return max(round(point.x * n / N), 2)


def _directions(n: int, d: int, rng: np.random.Generator) -> Floats:
    drawn = rng.standard_normal((n, d))
    directions: Floats = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return directions


def _ball(n: int, rng: np.random.Generator) -> Floats:
    return 0.8 * np.cbrt(rng.random((n, 1))) * _directions(n, 3, rng)


def _torus(n: int, rng: np.random.Generator) -> Floats:
    radius, angle, turn = 0.1 * np.sqrt(rng.random(n)), *(2.0 * np.pi * rng.random((2, n)))
    out = 1.0 + radius * np.cos(angle)
    return np.column_stack((out * np.cos(turn), out * np.sin(turn), radius * np.sin(angle)))
