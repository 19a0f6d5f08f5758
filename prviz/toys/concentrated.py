"""Toy problems with a generated distribution more (or less) concentrated than the real Gaussian."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from prviz.curves import PRCurve, ground_truth
from prviz.toys.base import Parameter, SupportMasses, Value, dimension
from prviz.toys.gaussians import GaussianPair

__all__ = ["Dirac", "NarrowGaussian", "ScaledGaussian"]

Floats = NDArray[np.float64]


class ScaledGaussian(GaussianPair):
    """P = N(0, I), Q = N(shift * ones, scale^2 I)."""

    name = "scaled-gaussian"
    title = "Truncation: a Gaussian that shrinks"
    source = "Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 5.2 (truncation), on Gaussians as in 5.3"
    summary = (
        "The generator plays safe: its samples are pulled towards the centre, as the truncation trick does. "
        "In many dimensions both distributions sit on thin shells, so even mild shrinking leaves little "
        "overlap."
    )
    specs = (
        dimension(64),
        Parameter("scale", "scale of Q", 0.9, 0.05, 5.0, 0.05, "Standard deviation of Q; below 1 it is truncated."),
        Parameter("shift", "shift of Q", 0.0, -5.0, 5.0, 0.05, "Mean of Q on every coordinate."),
    )
    presets: ClassVar[dict[str, dict[str, Value]]] = {
        "mild truncation, 0.9": {"d": 64, "scale": 0.9, "shift": 0.0},
        "strong truncation, 0.7": {"d": 64, "scale": 0.7, "shift": 0.0},
        "0.5 in the plane": {"d": 2, "scale": 0.5, "shift": 0.0},
        "too wide, 1.1": {"d": 64, "scale": 1.1, "shift": 0.0},
    }

    @property
    def _offset(self) -> float:
        return self._number("shift")

    @property
    def _scale(self) -> float:
        return self._number("scale")


class NarrowGaussian(GaussianPair):
    """P = N(0, I), Q = N(position * ones, sigma^2 I) with sigma < 1."""

    name = "narrow-gaussian"
    title = "A narrow Gaussian against a wide one"
    source = "Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 4.3 (white noise against a noisy picture)"
    summary = (
        "The generator repeats one picture with a little noise; the real data are white noise. Both reach "
        "everywhere, so extreme precision and recall are 1 in theory, although nearly nothing agrees."
    )
    specs = (
        dimension(64),
        Parameter(
            "position", "picture's coordinates", 1.0, -3.0, 3.0, 0.25,
            "Mean of Q on every coordinate; at 1 it is as far from the centre as a typical real sample.",
        ),
        Parameter("sigma", "noise sigma", 0.1, 0.01, 0.95, 0.01, "Standard deviation of the noise."),
    )  # fmt: skip
    presets: ClassVar[dict[str, dict[str, Value]]] = {
        "a noisy picture (sigma 0.1, d = 64)": {"d": 64, "position": 1.0, "sigma": 0.1},
        "hardly narrower (sigma 0.9, d = 64)": {"d": 64, "position": 0.0, "sigma": 0.9},
        "in the plane (sigma 0.3, d = 2)": {"d": 2, "position": 1.0, "sigma": 0.3},
    }

    @property
    def _offset(self) -> float:
        return self._number("position")

    @property
    def _scale(self) -> float:
        return self._number("sigma")


class Dirac(GaussianPair):
    """P = N(0, I), Q = the point mass at position * ones.

    P and Q are mutually singular: the log ratio is inf on the point and -inf elsewhere, and the curve is the single
    point (0, 0). Q(supp P) = 1, since the closed support of P is R^d, yet Q(cosupp) = alpha_inf = 0.
    """

    name = "dirac"
    title = "A point against a Gaussian"
    source = "Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 4.3, Example 1"
    summary = (
        "The generator always returns the same sample. It lies inside the support of the real Gaussian, so "
        "the literature's formula calls precision 1; the true curve is zero everywhere."
    )
    specs = (
        dimension(64),
        Parameter(
            "position", "point's coordinates", 1.0, -3.0, 3.0, 0.25,
            "Value of all its coordinates; at 1 it is as far from the centre as a typical real sample.",
        ),
    )  # fmt: skip
    presets: ClassVar[dict[str, dict[str, Value]]] = {
        "where real samples are (1)": {"d": 64, "position": 1.0},
        "at the centre (0)": {"d": 64, "position": 0.0},
    }
    area_error = 0.0

    def _draw_generated(self, n: int, rng: np.random.Generator) -> NDArray[Any]:  # noqa: ARG002
        return np.full((n, self.d), self._number("position"))

    def _log_ratio(self, z: NDArray[Any]) -> Floats:
        return np.where(self._in_supports(z)[1], np.inf, -np.inf)

    def _in_supports(self, z: NDArray[Any]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        return np.ones(len(z), dtype=np.bool_), (z == self._number("position")).all(axis=1)

    def _truth(self) -> PRCurve:
        return ground_truth.finite_masses([1.0, 0.0], [0.0, 1.0])

    @property
    def support_masses(self) -> SupportMasses:
        """Q(supp P) = 1, since the point lies in R^d; the other three are 0."""
        return SupportMasses(1.0, 0.0, 0.0, 0.0)
