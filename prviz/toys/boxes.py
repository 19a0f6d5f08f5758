"""Two uniform boxes: disjoint, overlapping or nested."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from prviz.curves import PRCurve, ground_truth
from prviz.toys.base import Parameter, SupportMasses, ToyProblem, Value, dimension

__all__ = ["Boxes"]

Floats = NDArray[np.float64]


class Boxes(ToyProblem):
    """P uniform on the unit cube, Q uniform on a cube of another volume, moved along the diagonal.

    With v the volume of Q's cube and m = overlap * min(1, v) the volume of the common part, the density ratio on
    that part is 1/v and alpha(lam) = min(lam m, m / v): alpha_inf = m / v, beta_0 = m. An overlap of 1 nests the
    smaller cube in a corner of the larger one, an overlap of 0 leaves them touching in a corner.
    """

    name = "boxes"
    title = "Two boxes: apart, overlapping or nested"
    source = (
        "Räisä, van Breugel, van der Schaar 2025 (arXiv 2505.22450), the check of hypercubes that share a "
        "fifth of their volume; nested as in Sajjadi et al. 2018, section 3"
    )
    summary = (
        "Real and generated samples fill one box each. The true curve is a rectangle: precision is the share"
        " of the generated box that lies in the real one, recall the share of the real box that is covered."
    )
    specs = (
        dimension(8),
        Parameter("volume", "volume of the generated box", 1.0, 0.01, 100.0, 0.05,
                  "In units of the real box's volume."),
        Parameter("overlap", "overlap", 0.2, 0.0, 1.0, 0.05,
                  "Share of the smaller box that lies in the other; 1 nests the two, 0 sets them apart."),
    )  # fmt: skip
    presets: ClassVar[dict[str, dict[str, Value]]] = {
        "a fifth in common": {"d": 8, "volume": 1.0, "overlap": 0.2},
        "a fifth in common, d = 64": {"d": 64, "volume": 1.0, "overlap": 0.2},
        "generated inside real": {"d": 8, "volume": 0.2, "overlap": 1.0},
        "real inside generated": {"d": 8, "volume": 5.0, "overlap": 1.0},
        "disjoint": {"d": 8, "volume": 1.0, "overlap": 0.0},
    }
    area_error = 0.0

    @property
    def _common(self) -> float:
        """Volume of the common part; the real box has volume 1."""
        return self._number("overlap") * min(1.0, self._number("volume"))

    @property
    def _ends(self) -> tuple[float, float]:
        """Q's interval on every axis; P's is [0, 1]."""
        side = self._number("volume") ** (1.0 / self.d)
        start = 1.0 - min(1.0, side) * self._number("overlap") ** (1.0 / self.d)
        return start, start + side

    def _draw_real(self, n: int, rng: np.random.Generator) -> NDArray[Any]:
        return rng.random((n, self.d))

    def _draw_generated(self, n: int, rng: np.random.Generator) -> NDArray[Any]:
        low, high = self._ends
        return np.clip(low + (high - low) * rng.random((n, self.d)), low, high)

    def _log_ratio(self, z: NDArray[Any]) -> Floats:
        in_real, in_generated = self._in_supports(z)
        if self._common == 0:
            in_real &= ~in_generated  # the boxes share at most a corner, which has no volume
        within = np.where(in_real, -np.log(self._number("volume")), np.inf)
        return np.where(in_generated, within, np.where(in_real, -np.inf, 0.0))

    def _in_supports(self, z: NDArray[Any]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        low, high = self._ends
        in_real: NDArray[np.bool_] = np.all((z >= 0.0) & (z <= 1.0), axis=1)
        in_generated: NDArray[np.bool_] = np.all((z >= low) & (z <= high), axis=1)
        return in_real, in_generated

    def _truth(self) -> PRCurve:
        m, share = self._common, self._common / self._number("volume")
        return ground_truth.finite_masses([1.0 - m, m, 0.0], [0.0, share, max(1.0 - share, 0.0)])

    @property
    def support_masses(self) -> SupportMasses:
        """Supports and co-support agree: Q's share in the common box, and P's."""
        share = self._common / self._number("volume")
        return SupportMasses(share, share, self._common, self._common)
