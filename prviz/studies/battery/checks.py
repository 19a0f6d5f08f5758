"""The checks of the sanity battery: Gaussians, mixtures, bounded and discrete supports; and their registry."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from prviz.arrays import Floats
from prviz.curves import PRCurve, ground_truth
from prviz.studies.battery import _truths
from prviz.studies.battery.base import Check, Criterion, N, Point, TrueExtremes, both
from prviz.studies.battery.rules import (
    bell,
    down,
    down_mid,
    flat,
    low_high,
    near,
    one,
    settle,
    up,
    wide,
    zero,
)

Weights = tuple[float, ...]

# The middle of 51 points.
_MIDDLE = 25


class MeanDifference(Check):
    """P = N(0, I), Q = N(mu 1, I): alpha(1) = 2 Phi(-|mu| sqrt(d) / 2)."""

    name = "gaussian-mean-difference"
    title = "A shifted Gaussian"
    summary = (
        "The generated Gaussian moves through the real one: 1 where they are equal, 0 at both ends."
    )
    x_label = "shift of the mean"
    dims: ClassVar[tuple[int, ...]] = (1, 8, 64)
    criteria = (*both("bounds", one(_MIDDLE), zero(0), zero(-1)), *both("purpose", bell(_MIDDLE)))
    widest: ClassVar[dict[int, float]] = {1: 6.0, 8: 3.0, 64: 1.0}

    def _points(self, dim: int) -> tuple[float, ...]:
        return tuple(np.linspace(-self.widest[dim], self.widest[dim], 51).tolist())

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
        "As before, and a single sample of one set lies where the generated Gaussian ends up. It"
        " should not matter."
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
    summary = (
        "The generated Gaussian grows from a speck in the middle of the real one to a cloud around"
        " it. The check wants full fidelity for the speck, which the true curve of any lambda in"
        " use denies in high dimension."
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

    def _draw_generated(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        return point.x * rng.standard_normal((n, point.dim))

    def _truth(self, point: Point) -> PRCurve:
        return _truths.scaled(1.0 if point.place == _MIDDLE else point.x, point.dim)


class OneScaled(Check):
    """P = N(0, I), Q = N((6, 0), I), the second coordinate of both times c."""

    name = "gaussian-scaling-one-dimension"
    title = "One feature in other units"
    summary = (
        "Two distant Gaussians; the feature that tells nothing changes its unit, which should"
        " change nothing."
    )
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
    summary = (
        "The shift is along one feature; the other is the same in both sets and has no variance to"
        " scale it by."
    )
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
    summary = (
        "Two distant Gaussians, and more and more features that tell nothing. They are as distant"
        " as ever."
    )
    x_label = "features that tell nothing"
    dims = (1,)
    fresh_real = True
    criteria = (*both("purpose", flat()), *both("bounds", zero(0), zero(-1)))

    def _points(self, dim: int) -> tuple[float, ...]:  # noqa: ARG002
        return tuple(float(each) for each in np.unique(np.logspace(0, 3, 20).astype(int)))

    def _features(self, point: Point) -> int:
        return 1 + int(point.x)

    def _draw_generated(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        drawn = rng.standard_normal((n, self._features(point)))
        drawn[:, 0] += 6.0
        return drawn

    def _truth(self, point: Point) -> PRCurve:  # noqa: ARG002
        return _truths.shifted(6.0)


def _logarithmic(low: float, high: float, n: int) -> tuple[float, ...]:
    return tuple(np.logspace(low, high, n).tolist())


_MODES = 10


class SimultaneousDropping(Check):
    """P: ten equal modes at 0, 10/9, ... 10 along the diagonal; Q: all but the first lose the share f of it."""

    name = "gaussian-mixture-simultaneous-mode-dropping"
    title = "Nine of ten modes fade at once"
    summary = (
        "The generator keeps to what is real, and nine of ten modes become rare until only one is"
        " left."
    )
    x_label = "share of the weight that nine modes lose"
    dims = (1, 8, 64)
    sd: ClassVar[dict[int, float]] = {1: 1 / 6, 8: 1 / 3, 64: 1.0}

    criteria = (
        *both("bounds", one(0)),
        Criterion("bounds", "fidelity", one(-1)),
        Criterion("purpose", "fidelity", flat()),
        Criterion("purpose", "diversity", down_mid(0.95)),
    )

    def _points(self, dim: int) -> tuple[float, ...]:  # noqa: ARG002
        return tuple(np.linspace(0.0, 1.0, 50).tolist())

    def weights(self, point: Point) -> Weights:
        """Weights of Q's modes."""
        left = np.r_[1.0, np.full(_MODES - 1, 1.0 - point.x)]
        return tuple((left / left.sum()).tolist())

    def _draw_real(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        return self._drawn(point, n, rng, (1 / _MODES,) * _MODES)

    def _draw_generated(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        return self._drawn(point, n, rng, self.weights(point))

    def _drawn(self, point: Point, n: int, rng: np.random.Generator, weights: Weights) -> Floats:
        centres = np.linspace(0.0, 10.0, _MODES)[rng.choice(_MODES, n, p=weights)]
        return centres[:, None] + self.sd[point.dim] * rng.standard_normal((n, point.dim))

    def _truth(self, point: Point) -> PRCurve:
        gap = 10.0 / (_MODES - 1) * np.sqrt(point.dim) / self.sd[point.dim]
        return _truths.dropped_modes(gap, (1 / _MODES,) * _MODES, self.weights(point))

    def _ends(self, point: Point) -> TrueExtremes:
        return TrueExtremes(1.0, np.count_nonzero(self.weights(point)) / _MODES)


class SequentialDropping(SimultaneousDropping):
    """The same P; Q is uniform on the first 10 - m modes."""

    name = "gaussian-mixture-sequential-mode-dropping"
    title = "Modes vanish one by one"
    summary = (
        "The generator keeps to what is real, and loses one mode after the other: recall falls by a"
        " tenth each."
    )
    x_label = "modes dropped"
    criteria = (
        *both("bounds", one(0)),
        Criterion("bounds", "fidelity", one(-1)),
        Criterion("purpose", "fidelity", flat()),
        Criterion("purpose", "diversity", down_mid(0.5)),
    )

    def _points(self, dim: int) -> tuple[float, ...]:  # noqa: ARG002
        return tuple(float(dropped) for dropped in range(_MODES))

    def weights(self, point: Point) -> Weights:
        """Weights of Q's modes."""
        left = _MODES - point.place
        return (1 / left,) * left + (0.0,) * point.place


class Invention(Check):
    """P: uniform on five of ten distant modes in the plane; Q: uniform on the first m of the ten."""

    name = "gaussian-mixture-mode-dropping-invention"
    title = "Modes dropped, then modes invented"
    summary = (
        "With few modes the generator misses real ones, with many it invents some: recall rises,"
        " precision falls."
    )
    x_label = "modes of the generator"
    dims = (2,)
    criteria = (
        *both("bounds", one(4)),
        Criterion("bounds", "fidelity", one(0)),
        Criterion("bounds", "diversity", one(-1)),
        Criterion("purpose", "fidelity", down()),
        Criterion("purpose", "diversity", up()),
    )
    sd: ClassVar[float] = 0.25
    # Of the draws N(0, 10^2) of ten centres, the first whose closest pair is 20 standard deviations
    # apart.
    centres_seed: ClassVar[int] = 21

    def _points(self, dim: int) -> tuple[float, ...]:  # noqa: ARG002
        return tuple(float(modes) for modes in range(1, _MODES + 1))

    @property
    def centres(self) -> Floats:
        """(10, 2), the same at every draw."""
        return 10.0 * np.random.default_rng(self.centres_seed).standard_normal((_MODES, 2))

    def _draw_real(self, point: Point, n: int, rng: np.random.Generator) -> Floats:  # noqa: ARG002
        return self._drawn(n, rng, 5)

    def _draw_generated(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        return self._drawn(n, rng, point.place + 1)

    def _drawn(self, n: int, rng: np.random.Generator, modes: int) -> Floats:
        return self.centres[rng.integers(modes, size=n)] + self.sd * rng.standard_normal((n, 2))

    def _truth(self, point: Point) -> PRCurve:
        modes = point.place + 1
        generated = (1 / modes,) * modes + (0.0,) * (_MODES - modes)
        return _truths.distant_modes((0.2,) * 5 + (0.0,) * 5, generated)

    def _ends(self, point: Point) -> TrueExtremes:
        modes = point.place + 1
        return TrueExtremes(min(1.0, 5 / modes), min(1.0, modes / 5))


class OneAgainstTwo(Check):
    """P: two equal modes at -mu/2 and mu/2 on every coordinate; Q = N(0, (1 + mu^2) I)."""

    name = "one-vs-two-modes"
    title = "One wide mode in the place of two"
    summary = (
        "The real modes part, and the generator covers both and the gap between them with one wide"
        " Gaussian."
    )
    x_label = "distance of the modes per feature"
    dims = (1, 8, 64)
    fresh_real = True
    criteria = (
        *both("bounds", one(0)),
        Criterion("purpose", "fidelity", down()),
        Criterion("purpose", "diversity", low_high(down(), flat())),
    )

    def _points(self, dim: int) -> tuple[float, ...]:  # noqa: ARG002
        return tuple(np.linspace(0.0, 5.0, 20).tolist())

    def _draw_real(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        centres = np.where(rng.random((n, 1)) < 0.5, -point.x / 2, point.x / 2)
        return centres + rng.standard_normal((n, point.dim))

    def _draw_generated(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        wide: Floats = np.sqrt(1.0 + point.x**2) * rng.standard_normal((n, point.dim))
        return wide

    def _truth(self, point: Point) -> PRCurve:
        return _truths.one_against_two(point.x, point.dim)


class Shells(Check):
    """P: uniform on the unit sphere; Q: on the sphere of radius r."""

    name = "uniform-hypersphere-surface"
    title = "Shells of different radius"
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
        if point.place == _MIDDLE:
            return _truths.equal()
        return _truths.disjoint()


class Cubes(Check):
    """P = U[0, 1]^d, Q = U[s, 1 + s]^d, s = 1 - .2^(1/d): a fifth of each lies in the other."""

    name = "uniform-hypercube-varying-size"
    title = "Overlapping cubes, growing samples"
    summary = (
        "A fifth of each cube lies in the other. The score should be 0.2, and settle as both"
        " samples grow."
    )
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
        return ground_truth.finite_masses(
            [1.0 - self.shared, self.shared, 0.0], [0.0, self.shared, 1.0 - self.shared]
        )


class CubesGenerated(Cubes):
    """The same cubes, with 1000 real samples throughout."""

    name = "uniform-hypercube-varying-syn-size"
    title = "Overlapping cubes, a growing generated sample"
    summary = (
        "As before, but only the generated sample grows: the score should not depend on how many"
        " there are."
    )
    x_label = "generated samples"
    fresh_real = False
    criteria = (*both("hyperparameters", settle()), *both("purpose", near(0.2, -1)))

    def _sizes(self, point: Point, n: int) -> tuple[int, int]:
        return n, _part(point, n)


class SphereTorus(Check):
    """A solid ball of radius .8 within a solid torus: a disc of radius .1 around (1, 0), turned about the axis."""

    name = "sphere-torus"
    title = "A ball inside a ring"
    summary = (
        "A ball and a ring around it, a gap between them: 0, however many samples are generated."
    )
    x_label = "generated samples"
    dims = (3,)
    scenarios = ("real_sphere", "real_torus")
    criteria = (*both("purpose", settle()), *both("bounds", zero(-1)))

    def _points(self, dim: int) -> tuple[float, ...]:  # noqa: ARG002
        return _counts()

    def _sizes(self, point: Point, n: int) -> tuple[int, int]:
        return n, _part(point, n)

    def _draw_real(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        if point.scenario == "real_sphere":
            return _ball(n, rng)
        return _torus(n, rng)

    def _draw_generated(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        if point.scenario == "real_sphere":
            return _torus(n, rng)
        return _ball(n, rng)

    def _truth(self, point: Point) -> PRCurve:  # noqa: ARG002
        return _truths.disjoint()


class Discrete(Check):
    """Both c N(0, 1), one of them rounded to whole numbers before anything else."""

    name = "discrete-numerical-vs-continuous-numerical"
    title = "Whole numbers against any numbers"
    summary = (
        "One set holds whole numbers only. Whole numbers have probability zero among all numbers,"
        " so that densities share nothing; but each whole number is one of all numbers, which is"
        " what the check asks for."
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
        return _logarithmic(0, 3, 20)

    def _draw_real(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        return self._drawn(point, n, rng, "real_discrete")

    def _draw_generated(self, point: Point, n: int, rng: np.random.Generator) -> Floats:
        return self._drawn(point, n, rng, "real_continuous")

    def _drawn(self, point: Point, n: int, rng: np.random.Generator, rounded: str) -> Floats:
        values = point.x * rng.standard_normal((n, 1))
        if point.scenario == rounded:
            return np.rint(values)
        return values

    def _truth(self, point: Point) -> PRCurve:  # noqa: ARG002
        return _truths.disjoint()

    def _ends(self, point: Point) -> TrueExtremes:
        if point.scenario == "real_discrete":
            return TrueExtremes(0.0, 1.0)
        return TrueExtremes(1.0, 0.0)


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


_ALL: tuple[Check, ...] = (
    MeanDifference(),
    OutlierCheck(),
    StdDifference(),
    SimultaneousDropping(),
    SequentialDropping(),
    Invention(),
    Shells(),
    Cubes(),
    CubesGenerated(),
    SphereTorus(),
    OneAgainstTwo(),
    OneScaled(),
    Pareto(),
    HighDimensionCheck(),
    Discrete(),
)

CHECKS: Mapping[str, Check] = MappingProxyType({check.name: check for check in _ALL})
