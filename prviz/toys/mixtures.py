"""Two Gaussian mixtures with the same modes and different weights."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from prviz.curves import PRCurve, ground_truth
from prviz.toys.base import Parameter, SupportMasses, ToyProblem, Value, dimension

__all__ = ["Mixtures"]

Floats = NDArray[np.float64]

_MOST_MODES = 32
_WEIGHTS = "One weight per mode, at least 0; they are scaled to sum 1."
_MEANS = (0.0, -5.0, 3.0, 5.0)
_FIRST: dict[str, Value] = {
    "d": 64, "means": _MEANS, "real_weights": (0.2, 0.2, 0.6, 0.0), "generated_weights": (0.0, 0.5, 0.1, 0.4),
}  # fmt: skip
_SECOND: dict[str, Value] = {
    "d": 64, "means": _MEANS, "real_weights": (0.3, 0.2, 0.5, 0.0), "generated_weights": (0.0, 0.5, 0.2, 0.3),
}  # fmt: skip


def _scaled(weights: Floats) -> Floats:
    result: Floats = weights / weights.sum()
    return result


class Mixtures(ToyProblem):
    """P = sum of p_l N(mu_l * ones, I), Q = sum of q_l N(mu_l * ones, I), over the same modes l.

    All means lie on the diagonal, so the log ratio depends on the projection y = sum(z) / sqrt(d) alone and
    the truth is a numerically exact one-dimensional integral (`prviz.curves.ground_truth.line_mixtures`), where the
    papers drew 100,000 samples.
    """

    name = "mixtures"
    title = "Two mixtures: dropped, invented and re-weighted modes"
    source = (
        "Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 5.1.2 and Figure 3; "
        "its first version (2024), section 4.2"
    )
    summary = (
        "The generator drops one mode, invents another and gets the weights of the two shared ones wrong, "
        "all at once. The steps of the true curve show each of the three failures."
    )
    specs = (
        dimension(64),
        Parameter("means", "means of the modes", _MEANS, -20.0, 20.0, 0.5,
                  "Position of each mode on every coordinate; two modes are sqrt(d) times that apart.",
                  "weights"),
        Parameter("real_weights", "real weights p", (0.2, 0.2, 0.6, 0.0), 0.0, 1.0, 0.05,
                  _WEIGHTS, "weights"),
        Parameter("generated_weights", "generated weights q", (0.0, 0.5, 0.1, 0.4), 0.0, 1.0, 0.05,
                  _WEIGHTS, "weights"),
    )  # fmt: skip
    presets: ClassVar[dict[str, dict[str, Value]]] = {
        "weights of 2026 (n = 10,000)": _FIRST,
        "weights of 2024 (n = 1,000)": _SECOND,
        "only dropped: p (1/2, 1/2), q (1, 0)": {
            "d": 64, "means": _MEANS,
            "real_weights": (0.5, 0.5, 0.0, 0.0), "generated_weights": (1.0, 0.0, 0.0, 0.0),
        },
        "modes that overlap (means 0, -0.5, 0.3, 0.5)": _FIRST | {"means": (0.0, -0.5, 0.3, 0.5)},
    }  # fmt: skip
    preset_n: ClassVar[dict[str, int]] = {"weights of 2024 (n = 1,000)": 1_000}

    def _check(self) -> None:
        means, real, generated = (len(self._weights(name)) for name in ("means", "real_weights", "generated_weights"))
        if not 1 <= means <= _MOST_MODES or not means == real == generated:
            raise ValueError(
                f"means, real_weights and generated_weights have {means}, {real} and {generated} entries; "
                f"one each per mode is needed, for 1 to {_MOST_MODES} modes"
            )
        for name in ("real_weights", "generated_weights"):
            if not self._weights(name).sum() > 0:
                raise ValueError(f"{name} = {self.parameters[name]}; at least one weight must be above 0")

    @property
    def _p(self) -> Floats:
        return _scaled(self._weights("real_weights"))

    @property
    def _q(self) -> Floats:
        return _scaled(self._weights("generated_weights"))

    @property
    def _line_means(self) -> Floats:
        """Positions of the modes along the unit vector of the diagonal."""
        return np.multiply(self._weights("means"), np.sqrt(self.d))

    def _draw(self, n: int, weights: Floats, rng: np.random.Generator) -> NDArray[Any]:
        modes = rng.choice(len(weights), size=n, p=weights)
        z = rng.standard_normal((n, self.d))
        z += self._weights("means")[modes, None]
        return z

    def _draw_real(self, n: int, rng: np.random.Generator) -> NDArray[Any]:
        return self._draw(n, self._p, rng)

    def _draw_generated(self, n: int, rng: np.random.Generator) -> NDArray[Any]:
        return self._draw(n, self._q, rng)

    def _log_ratio(self, z: NDArray[Any]) -> Floats:
        y = z.sum(axis=1, dtype=np.float64) / np.sqrt(self.d)
        return ground_truth.mixture_log_ratio(y, self._line_means, self._p, self._q)

    def _in_supports(self, z: NDArray[Any]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        return np.ones(len(z), dtype=np.bool_), np.ones(len(z), dtype=np.bool_)

    def _truth(self) -> PRCurve:
        return ground_truth.line_mixtures(self._line_means, self._p, self._q)

    @property
    def support_masses(self) -> SupportMasses:
        """All 1: Gaussians reach everywhere, also to a dropped mode."""
        return SupportMasses(1.0, 1.0, 1.0, 1.0)
