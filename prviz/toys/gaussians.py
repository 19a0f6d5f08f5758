"""Toy problems with one Gaussian on each side, the generated one shifted."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from prviz.curves import PRCurve, ground_truth
from prviz.toys.base import Parameter, SupportMasses, ToyProblem, Value, dimension

__all__ = ["GaussianPair", "HighDimension", "Identical", "Outlier", "ShiftedGaussians"]

Floats = NDArray[np.float64]


class GaussianPair(ToyProblem):
    """P = N(0, I), Q = N(offset * ones, scale^2 I): base class.

    The log ratio is -d log s - |z - m|^2 / (2 s^2) + |z|^2 / 2.
    """

    @property
    def _offset(self) -> float:
        """Shift of Q on every coordinate."""
        return 0.0

    @property
    def _scale(self) -> float:
        """Standard deviation of Q on every coordinate."""
        return 1.0

    @property
    def distance(self) -> float:
        """Norm of the shift, |offset| sqrt(d)."""
        return float(abs(self._offset) * np.sqrt(self.d))

    def _draw_real(self, n: int, rng: np.random.Generator) -> NDArray[Any]:
        return rng.standard_normal((n, self.d), dtype=self.dtype)

    def _draw_generated(self, n: int, rng: np.random.Generator) -> NDArray[Any]:
        z = rng.standard_normal((n, self.d), dtype=self.dtype)
        z *= self._scale
        z += self._offset
        return z

    def _log_ratio(self, z: NDArray[Any]) -> Floats:
        # Expanded, so that a pure shift costs one sum without cancellation; squares are needed only with a scale.
        precision = self._scale**-2
        along = z.sum(axis=1, dtype=np.float64) - 0.5 * self.d * self._offset
        result: Floats = precision * self._offset * along - self.d * np.log(self._scale)
        if precision != 1:
            result += 0.5 * (1.0 - precision) * np.einsum("ij,ij->i", z, z, dtype=np.float64)
        return result

    def _in_supports(self, z: NDArray[Any]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        return np.ones(len(z), dtype=np.bool_), np.ones(len(z), dtype=np.bool_)

    def _truth(self) -> PRCurve:
        return ground_truth.scaled_gaussians(self._scale, self.d, distance=self.distance)

    @property
    def support_masses(self) -> SupportMasses:
        """All 1: both Gaussians reach everywhere."""
        return SupportMasses(1.0, 1.0, 1.0, 1.0)


_SHIFT = "Shift of the generated Gaussian on every coordinate; the distance of the two means is mu times sqrt(d)."


class ShiftedGaussians(GaussianPair):
    """P = N(0, I), Q = N(mu * ones, I)."""

    name = "shifted-gaussians"
    title = "Two shifted Gaussians"
    source = "Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 5.1.1, Figure 2 and Table 1"
    summary = (
        "The generator gets everything right except that it is shifted a little. Both Gaussians reach "
        "everywhere, so the true curve always touches precision 1 and recall 1, however large the shift."
    )
    specs = (dimension(64), Parameter("mu", "shift per coordinate mu", 1 / 8, 0.0, 2.0, 1 / 24, _SHIFT))
    presets: ClassVar[dict[str, dict[str, Value]]] = {
        "mu = 1/8 (0.12)": {"d": 64, "mu": 1 / 8},
        "mu = 5/24 (0.21)": {"d": 64, "mu": 5 / 24},
        "mu = 7/24 (0.29)": {"d": 64, "mu": 7 / 24},
        "mu = 3/8 (0.38)": {"d": 64, "mu": 3 / 8},
    }

    @property
    def _offset(self) -> float:
        return self._number("mu")


class Identical(GaussianPair):
    """P = Q = N(0, I)."""

    name = "identical"
    title = "P = Q: a perfect generator"
    source = "Sykes, Simon, Rabin 2024 (first version of hal-05344404), Figure 5 (P = Q in d = 64)"
    summary = (
        "Real and generated samples come from the same Gaussian, so precision and recall are both perfect "
        "and the true curve fills the square. Whatever an estimate misses of the square is its bias."
    )
    specs = (dimension(64),)
    area_error = 0.0


class Outlier(GaussianPair):
    """Shifted Gaussians, with the last real sample replaced by the constant vector `value`.

    `truth`, `log_ratio` and `support_masses` are those of the clean pair. One point among n changes an empirical
    rate by at most 1/n; larger changes of an estimate come from its neighbourhoods.
    """

    name = "outlier"
    title = "One outlier among the real samples"
    source = "Sykes, Simon, Rabin 2024 (first version of hal-05344404), section 4.3 and Figure 7"
    summary = (
        "Two shifted Gaussians, but one real sample lies far away at (4, ..., 4). The truth is that of the "
        "clean pair: one point of n may move any rate by 1/n at most, yet methods with large balls react to "
        "it."
    )
    specs = (
        dimension(64),
        Parameter("mu", "shift per coordinate mu", 3 / 8, 0.0, 2.0, 1 / 24, _SHIFT),
        Parameter(
            "value",
            "outlier's coordinates",
            4.0,
            -10.0,
            10.0,
            0.5,
            "Value of all coordinates of the outlier.",
        ),
    )
    presets: ClassVar[dict[str, dict[str, Value]]] = {
        "outlier at 4, mu = 3/8": {"d": 64, "mu": 3 / 8, "value": 4.0},
        "outlier at 4, mu = 1/8": {"d": 64, "mu": 1 / 8, "value": 4.0},
    }

    @property
    def _offset(self) -> float:
        return self._number("mu")

    @property
    def drawn_as(self) -> ShiftedGaussians:
        """The clean pair: for the same n and seed its samples are equal except for the outlier."""
        return ShiftedGaussians((("d", self.d), ("mu", self._offset)))

    def _draw_real(self, n: int, rng: np.random.Generator) -> NDArray[Any]:
        z = super()._draw_real(n, rng)
        z[-1] = self._number("value")
        return z


class HighDimension(GaussianPair):
    """P = N(0, I), Q = N(m, I) with |m| = shift, spread evenly over all coordinates.

    Samples are float32, like Inception features of this dimension.
    """

    name = "high-dimension"
    title = "Shifted Gaussians in 2048 dimensions"
    source = "Sykes, Simon, Rabin 2024 (first version of hal-05344404), section 4.4 and Figure 4"
    summary = (
        "As many dimensions as Inception features have. The truth depends on the distance of the means "
        "alone, so it is the same as in low dimension, but estimates grow too optimistic: the curse of "
        "dimensionality."
    )
    specs = (
        dimension(2048),
        Parameter(
            "shift",
            "distance of the means",
            1.0,
            0.0,
            10.0,
            0.5,
            "Norm of the shift of the generated Gaussian.",
        ),
    )
    presets: ClassVar[dict[str, dict[str, Value]]] = {
        "distance 1": {"d": 2048, "shift": 1.0},
        "distance 2": {"d": 2048, "shift": 2.0},
    }
    dtype = np.float32

    @property
    def _offset(self) -> float:
        return self._number("shift") / float(np.sqrt(self.d))

    @property
    def distance(self) -> float:
        """Norm of the shift."""
        return self._number("shift")
