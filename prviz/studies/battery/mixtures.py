"""Checks on mixtures: modes that the generator drops or invents, and one mode where there are two."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from prviz.curves import PRCurve
from prviz.studies.battery import _truths
from prviz.studies.battery.base import Check, Criterion, Point, TrueExtremes, both
from prviz.studies.battery.rules import down, down_mid, flat, low_high, one, up

__all__ = ["Invention", "OneAgainstTwo", "SequentialDropping", "SimultaneousDropping"]

Floats = NDArray[np.float64]
Weights = tuple[float, ...]
_SOURCE = "Räisä, van Breugel, van der Schaar 2025 (arXiv 2505.22450)"
_MODES = 10


class SimultaneousDropping(Check):
    """P: ten equal modes at 0, 10/9, ... 10 along the diagonal; Q: all but the first lose the share f of it."""

    name = "gaussian-mixture-simultaneous-mode-dropping"
    title = "Nine of ten modes fade at once"
    source = _SOURCE
    summary = "The generator keeps to what is real, and nine of ten modes become rare until only one is left."
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
        """Of Q's modes."""
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
    summary = "The generator keeps to what is real, and loses one mode after the other: recall falls by a tenth each."
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
        """Of Q's modes."""
        left = _MODES - point.place
        return (1 / left,) * left + (0.0,) * point.place


class Invention(Check):
    """P: uniform on five of ten distant modes in the plane; Q: uniform on the first m of the ten."""

    name = "gaussian-mixture-mode-dropping-invention"
    title = "Modes dropped, then modes invented"
    source = _SOURCE
    summary = "With few modes the generator misses real ones, with many it invents some: recall rises, precision falls."
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
    # Of the draws N(0, 10^2) of ten centres, the first whose closest pair is 20 standard deviations apart.
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
    source = _SOURCE
    summary = "The real modes part, and the generator covers both and the gap between them with one wide Gaussian."
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
