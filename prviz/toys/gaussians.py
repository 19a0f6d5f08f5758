"""Toy problems with Gaussians (shifted, scaled, mixtures), with a point mass, and with two uniform
boxes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from prviz.arrays import Array, Flags, Floats, Rng
from prviz.curves import PRCurve, ground_truth
from prviz.toys.base import Parameter, SupportMasses, ToyProblem, Value, dimension, shares


class GaussianPair(ToyProblem):
    """Base class: P = N(0, I), Q = N(offset * ones, scale^2 I).

    With scale s and mean m of Q, the log ratio is -d log s - |z - m|^2 / (2 s^2) + |z|^2 / 2.
    """

    # Names of the parameters for the mean (offset) and the standard deviation (scale) of Q on every
    # coordinate; "" for 0 and 1.
    offset_name: ClassVar[str] = ""
    scale_name: ClassVar[str] = ""

    @property
    def _offset(self) -> float:
        if self.offset_name:
            return self._number(self.offset_name)
        return 0.0

    @property
    def _scale(self) -> float:
        if self.scale_name:
            return self._number(self.scale_name)
        return 1.0

    @property
    def distance(self) -> float:
        """Norm of the shift, |offset| sqrt(d)."""
        return float(abs(self._offset) * np.sqrt(self.d))

    def _draw_real(self, n: int, rng: Rng) -> Array:
        return rng.standard_normal((n, self.d), dtype=self.dtype)

    def _draw_generated(self, n: int, rng: Rng) -> Array:
        z = rng.standard_normal((n, self.d), dtype=self.dtype)
        z *= self._scale
        z += self._offset
        return z

    def _log_ratio(self, z: Array) -> Floats:
        # |z - m|^2 is expanded: a pure shift needs one sum and has no cancellation, and squares are
        # computed only if there is a scale.
        precision = self._scale**-2
        along = z.sum(axis=1, dtype=float) - 0.5 * self.d * self._offset
        result: Floats = precision * self._offset * along - self.d * np.log(self._scale)
        if precision != 1:
            result += 0.5 * (1.0 - precision) * np.einsum("ij,ij->i", z, z, dtype=float)
        return result

    def _truth(self) -> PRCurve:
        return ground_truth.scaled_gaussians(self._scale, self.d, distance=self.distance)


_MU = Parameter(
    "mu",
    "shift per coordinate mu",
    1 / 8,
    0.0,
    2.0,
    1 / 24,
    "Shift of the generated Gaussian on every coordinate; the distance of the two means is mu times"
    " sqrt(d).",
)


class ShiftedGaussians(GaussianPair):
    """P = N(0, I), Q = N(mu * ones, I)."""

    name = "shifted-gaussians"
    title = "Shifted generator: two Gaussians"
    source = "Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 5.1.1, Figure 2 and Table 1"
    summary = (
        "The generator gets everything right except that it is shifted a little. Both Gaussians"
        " reach everywhere, so the true curve always touches precision 1 and recall 1, however"
        " large the shift."
    )
    specs = (
        dimension(64),
        _MU,
    )
    presets = {
        "mu = 1/8 (0.12)": {"d": 64, "mu": 1 / 8},
        "mu = 5/24 (0.21)": {"d": 64, "mu": 5 / 24},
        "mu = 7/24 (0.29)": {"d": 64, "mu": 7 / 24},
        "mu = 3/8 (0.38)": {"d": 64, "mu": 3 / 8},
    }
    offset_name = "mu"


class Identical(GaussianPair):
    """P = Q = N(0, I)."""

    name = "identical"
    title = "Perfect generator: P = Q"
    source = "Sykes, Simon, Rabin 2024 (first version of hal-05344404), Figure 5 (P = Q in d = 64)"
    summary = (
        "Real and generated samples come from the same Gaussian, so precision and recall are both"
        " perfect and the true curve fills the square. Whatever an estimate misses of the square is"
        " its bias."
    )
    specs = (dimension(64),)
    area_error = 0.0


class Outlier(GaussianPair):
    """Shifted Gaussians in which the last real sample is replaced by the constant vector `value`.

    `truth`, `log_ratio` and `support_masses` are those of the pair without the outlier. One sample
    of n changes an empirical error rate by at most 1/n. Where an estimate changes more, the cause
    is its neighbourhoods.
    """

    name = "outlier"
    title = "One outlier among the real samples"
    source = "Sykes, Simon, Rabin 2024 (first version of hal-05344404), section 4.3 and Figure 7"
    summary = (
        "Two shifted Gaussians, but one real sample lies far away at (4, ..., 4). The truth is that"
        " of the clean pair: one point of n may move any rate by 1/n at most, yet methods with"
        " large balls react to it."
    )
    specs = (
        dimension(64),
        replace(_MU, default=3 / 8),
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
    presets = {
        "outlier at 4, mu = 3/8": {"d": 64, "mu": 3 / 8, "value": 4.0},
        "outlier at 4, mu = 1/8": {"d": 64, "mu": 1 / 8, "value": 4.0},
    }
    offset_name = "mu"

    @property
    def drawn_as(self) -> ShiftedGaussians:
        """The toy without the outlier: with the same n and seed all other samples are equal."""
        return ShiftedGaussians((("d", self.d), ("mu", self._offset)))

    def _draw_real(self, n: int, rng: Rng) -> Array:
        z = super()._draw_real(n, rng)
        z[-1] = self._number("value")
        return z


class HighDimension(GaussianPair):
    """P = N(0, I), Q = N(m, I) with |m| = shift, spread evenly over all coordinates.

    Samples are float32, like Inception features of this dimension.
    """

    name = "high-dimension"
    title = "Curse of dimensionality: shifted Gaussians"
    source = "Sykes, Simon, Rabin 2024 (first version of hal-05344404), section 4.4 and Figure 4"
    summary = (
        "As many dimensions as Inception features have. The truth depends on the distance of the"
        " means alone, so it is the same as in low dimension, but estimates grow too optimistic:"
        " the curse of dimensionality."
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
    presets = {
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


_MOST_MODES = 32
_WEIGHTS = "One weight per mode, at least 0; they are scaled to sum 1."
_MEANS = (0.0, -5.0, 3.0, 5.0)


def _preset(p: tuple[float, ...], q: tuple[float, ...]) -> dict[str, Value]:
    return {"d": 64, "means": _MEANS, "real_weights": p, "generated_weights": q}


_FIRST = _preset((0.2, 0.2, 0.6, 0.0), (0.0, 0.5, 0.1, 0.4))


class Mixtures(ToyProblem):
    """P = sum of p_l N(mu_l * ones, I), Q = sum of q_l N(mu_l * ones, I), over the same modes l.

    All means lie on the diagonal, so the log ratio depends only on the projection y = sum(z) /
    sqrt(d). The truth is therefore a one-dimensional integral, numerically exact
    (`prviz.curves.ground_truth.line_mixtures`); the papers drew 100,000 samples for it.
    """

    name = "mixtures"
    title = "Gaussian mixtures: modes dropped and invented"
    source = (
        "Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 5.1.2 and Figure 3; "
        "its first version (2024), section 4.2"
    )
    summary = (
        "The generator drops one mode, invents another and gets the weights of the two shared ones"
        " wrong, all at once. The steps of the true curve show each of the three failures."
    )
    specs = (
        dimension(64),
        Parameter(
            "means",
            "mean of mode",
            _MEANS,
            -20.0,
            20.0,
            0.5,
            "Position of each mode on every coordinate; two modes are sqrt(d) times that apart.",
            "weights",
        ),
        shares("real_weights", "real weights p", (0.2, 0.2, 0.6, 0.0), _WEIGHTS),
        shares("generated_weights", "generated weights q", (0.0, 0.5, 0.1, 0.4), _WEIGHTS),
    )
    presets = {
        "weights of 2026 (n = 10,000)": _FIRST,
        "weights of 2024 (n = 1,000)": _preset((0.3, 0.2, 0.5, 0.0), (0.0, 0.5, 0.2, 0.3)),
        "mode collapse: p (1/2, 1/2), q (1, 0)": _preset(
            (0.5, 0.5, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
        ),
        "modes that overlap (means 0, -0.5, 0.3, 0.5)": _FIRST | {"means": (0.0, -0.5, 0.3, 0.5)},
    }
    preset_n = {"weights of 2024 (n = 1,000)": 1_000}

    def _check(self) -> None:
        means, real, generated = (
            len(self._weights(name)) for name in ("means", "real_weights", "generated_weights")
        )
        if not 1 <= means <= _MOST_MODES or not means == real == generated:
            raise ValueError(
                f"means, real_weights and generated_weights have {means}, {real} and {generated}"
                f" entries; one each per mode is needed, for 1 to {_MOST_MODES} modes"
            )
        for name in ("real_weights", "generated_weights"):
            self._check_any(name, "weight")

    @property
    def _masses(self) -> tuple[Floats, Floats]:
        """Masses of the modes in P and in Q."""
        return self._scaled("real_weights"), self._scaled("generated_weights")

    @property
    def _line_means(self) -> Floats:
        """Positions of the modes along the diagonal, in units of the standard deviation."""
        return np.multiply(self._weights("means"), np.sqrt(self.d))

    def _draw(self, n: int, weights: Floats, rng: Rng) -> Array:
        modes = rng.choice(len(weights), size=n, p=weights)
        z = rng.standard_normal((n, self.d))
        z += self._weights("means")[modes, None]
        return z

    def _draw_real(self, n: int, rng: Rng) -> Array:
        return self._draw(n, self._masses[0], rng)

    def _draw_generated(self, n: int, rng: Rng) -> Array:
        return self._draw(n, self._masses[1], rng)

    def _log_ratio(self, z: Array) -> Floats:
        y = z.sum(axis=1, dtype=float) / np.sqrt(self.d)
        return ground_truth.mixture_log_ratio(y, self._line_means, *self._masses)

    def _truth(self) -> PRCurve:
        return ground_truth.line_mixtures(self._line_means, *self._masses)


class ScaledGaussian(GaussianPair):
    """P = N(0, I), Q = N(shift * ones, scale^2 I)."""

    name = "scaled-gaussian"
    title = "Truncation trick: a Gaussian that shrinks"
    source = (
        "Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 5.2 (truncation), on Gaussians as"
        " in 5.3"
    )
    summary = (
        "The generator plays safe: its samples are pulled towards the centre, as the truncation"
        " trick does. In many dimensions both distributions sit on thin shells, so even mild"
        " shrinking leaves little overlap."
    )
    specs = (
        dimension(64),
        Parameter(
            "scale",
            "scale of Q",
            0.9,
            0.05,
            5.0,
            0.05,
            "Standard deviation of Q; below 1 it is truncated.",
        ),
        Parameter("shift", "shift of Q", 0.0, -5.0, 5.0, 0.05, "Mean of Q on every coordinate."),
    )
    presets = {
        "mild truncation, 0.9": {"d": 64, "scale": 0.9, "shift": 0.0},
        "strong truncation, 0.7": {"d": 64, "scale": 0.7, "shift": 0.0},
        "0.5 in the plane": {"d": 2, "scale": 0.5, "shift": 0.0},
        "too wide, 1.1": {"d": 64, "scale": 1.1, "shift": 0.0},
    }
    offset_name = "shift"
    scale_name = "scale"


class NarrowGaussian(GaussianPair):
    """P = N(0, I), Q = N(position * ones, sigma^2 I) with sigma < 1."""

    name = "narrow-gaussian"
    title = "One picture repeated: noise around one point"
    source = (
        "Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 4.3 (white noise against a noisy"
        " picture)"
    )
    summary = (
        "The generator repeats one picture with a little noise; the real data are white noise. Both"
        " reach everywhere, so extreme precision and recall are 1 in theory, although nearly"
        " nothing agrees."
    )
    specs = (
        dimension(64),
        Parameter(
            "position",
            "picture's coordinates",
            1.0,
            -3.0,
            3.0,
            0.25,
            "Mean of Q on every coordinate; at 1 it is as far from the centre as a typical real "
            "sample.",
        ),
        Parameter(
            "sigma", "noise sigma", 0.1, 0.01, 0.95, 0.01, "Standard deviation of the noise."
        ),
    )
    presets = {
        "a noisy picture (sigma 0.1, d = 64)": {"d": 64, "position": 1.0, "sigma": 0.1},
        "hardly narrower (sigma 0.9, d = 64)": {"d": 64, "position": 0.0, "sigma": 0.9},
        "in the plane (sigma 0.3, d = 2)": {"d": 2, "position": 1.0, "sigma": 0.3},
    }
    offset_name = "position"
    scale_name = "sigma"


class Dirac(GaussianPair):
    """P = N(0, I), Q = the point mass at position * ones.

    P and Q are mutually singular: the log ratio is inf at the point and -inf elsewhere, and the
    curve is the single point (0, 0). Q(supp P) = 1, because the closed support of P is R^d, but
    Q(cosupp) = alpha_inf = 0.
    """

    name = "dirac"
    title = "Total mode collapse: always the same sample"
    source = "Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 4.3, Example 1"
    summary = (
        "The generator always returns the same sample. It lies inside the support of the real"
        " Gaussian, so the literature's formula calls precision 1; the true curve is zero"
        " everywhere."
    )
    specs = (
        dimension(64),
        Parameter(
            "position",
            "point's coordinates",
            1.0,
            -3.0,
            3.0,
            0.25,
            "Value of all its coordinates; at 1 it is as far from the centre as a typical real "
            "sample.",
        ),
    )
    presets = {
        "where real samples are (1)": {"d": 64, "position": 1.0},
        "at the centre (0)": {"d": 64, "position": 0.0},
    }
    area_error = 0.0

    def _draw_generated(self, n: int, rng: Rng) -> Array:  # noqa: ARG002
        return np.full((n, self.d), self._number("position"))

    def _log_ratio(self, z: Array) -> Floats:
        return np.where(self._in_supports(z)[1], np.inf, -np.inf)

    def _in_supports(self, z: Array) -> tuple[Flags, Flags]:
        return np.ones(len(z), dtype=bool), (z == self._number("position")).all(axis=1)

    def _truth(self) -> PRCurve:
        return ground_truth.finite_masses([1.0, 0.0], [0.0, 1.0])

    @property
    def support_masses(self) -> SupportMasses:
        """Q(supp P) = 1, because the point lies in R^d; the other three masses are 0."""
        return SupportMasses(1.0, 0.0, 0.0, 0.0)


class Boxes(ToyProblem):
    """P uniform on the unit cube, Q uniform on a cube of another volume, moved along the diagonal.

    With v the volume of Q's cube and m = overlap * min(1, v) the volume of the common part, the
    density ratio on that part is 1/v and alpha(lam) = min(lam m, m / v): alpha_inf = m / v, beta_0
    = m. An overlap of 1 nests the smaller cube in a corner of the larger one, an overlap of 0
    leaves them touching in a corner.
    """

    name = "boxes"
    title = "Two boxes: apart, overlapping or nested"
    source = (
        "Räisä, van Breugel, van der Schaar 2025 (arXiv 2505.22450), the check of hypercubes that"
        " share a fifth of their volume; nested as in Sajjadi et al. 2018, section 3"
    )
    summary = (
        "Real and generated samples fill one box each. The true curve is a rectangle: precision is"
        " the share of the generated box that lies in the real one, recall the share of the real"
        " box that is covered."
    )
    specs = (
        dimension(8),
        Parameter(
            "volume",
            "volume of the generated box",
            1.0,
            0.01,
            100.0,
            0.05,
            "Volume of the generated box, in units of the real box's volume.",
        ),
        Parameter(
            "overlap",
            "overlap",
            0.2,
            0.0,
            1.0,
            0.05,
            "Share of the smaller box that lies in the other; 1 nests the two, 0 sets them apart.",
        ),
    )
    presets = {
        "a fifth in common": {"d": 8, "volume": 1.0, "overlap": 0.2},
        "a fifth in common, d = 64": {"d": 64, "volume": 1.0, "overlap": 0.2},
        "generated inside real": {"d": 8, "volume": 0.2, "overlap": 1.0},
        "real inside generated": {"d": 8, "volume": 5.0, "overlap": 1.0},
        "disjoint": {"d": 8, "volume": 1.0, "overlap": 0.0},
    }
    area_error = 0.0

    @property
    def _common(self) -> float:
        """Volume of the boxes' common part; the real box has volume 1."""
        return self._number("overlap") * min(1.0, self._number("volume"))

    @property
    def _ends(self) -> tuple[float, float]:
        """Ends of Q's box on every axis; P's box is [0, 1]."""
        side = self._number("volume") ** (1.0 / self.d)
        start = 1.0 - min(1.0, side) * self._number("overlap") ** (1.0 / self.d)
        return start, start + side

    def _draw_real(self, n: int, rng: Rng) -> Array:
        return rng.random((n, self.d))

    def _draw_generated(self, n: int, rng: Rng) -> Array:
        low, high = self._ends
        return np.clip(low + (high - low) * rng.random((n, self.d)), low, high)

    def _log_ratio(self, z: Array) -> Floats:
        in_real, in_generated = self._in_supports(z)
        if self._common == 0:
            in_real &= ~in_generated  # the boxes share at most a corner, which has volume 0
        within = np.where(in_real, -np.log(self._number("volume")), np.inf)
        return np.where(in_generated, within, np.where(in_real, -np.inf, 0.0))

    def _in_supports(self, z: Array) -> tuple[Flags, Flags]:
        low, high = self._ends
        in_real: Flags = np.all((z >= 0.0) & (z <= 1.0), axis=1)
        in_generated: Flags = np.all((z >= low) & (z <= high), axis=1)
        return in_real, in_generated

    def _truth(self) -> PRCurve:
        m = self._common
        share = self._common / self._number("volume")
        return ground_truth.finite_masses([1.0 - m, m, 0.0], [0.0, share, max(1.0 - share, 0.0)])

    @property
    def support_masses(self) -> SupportMasses:
        """Mass of Q in P's box, and mass of P in Q's box; the masses of supports and of the
        co-support are equal.
        """
        share = self._common / self._number("volume")
        return SupportMasses(share, share, self._common, self._common)
