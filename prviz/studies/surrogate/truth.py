"""The true curve of two Gaussian mixtures: in closed form where there is one, else by sampling, once for each pair."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from prviz.curves.ground_truth import (
    AREA_ERROR,
    LogRatios,
    SampledTruth,
    finite_masses,
    sampled_truth,
    shifted_gaussians,
)
from prviz.studies.surrogate.densities import Density, blocks

__all__ = ["Once", "density_truth", "log_ratio", "sampled_log_ratios"]

Floats = NDArray[np.float64]
Value = TypeVar("Value")

TRUTH_SAMPLES = 100_000
# Number of cached truths.
_MOST_KEPT = 64
# Relative difference of the variances along any direction up to which two covariances count as equal.
_EQUAL = 1e-9


class Once(Generic[Value]):
    """A value computed at its first use; other threads wait for it."""

    def __init__(self, compute: Callable[[], Value]) -> None:
        self._compute: Callable[[], Value] | None = compute
        self._lock = threading.Lock()
        self._found: list[Value] = []

    def __call__(self) -> Value:
        """The value. What raises an error is tried again at the next call."""
        with self._lock:
            if self._compute is not None:
                self._found.append(self._compute())
                self._compute = None  # nor what it was computed from, which may be large
            return self._found[0]


_kept: OrderedDict[tuple[str, str, int], Once[SampledTruth]] = OrderedDict()
_lock = threading.Lock()


def density_truth(real: Density, generated: Density, n: int = TRUTH_SAMPLES) -> SampledTruth:
    """The true curve of a pair of densities and the standard error of the area under it; cached by digest.

    Equal densities and two Gaussians of equal covariance have a closed form (`shifted_gaussians` at their Mahalanobis
    distance). For others it is the curve of the likelihood-ratio classifiers on n samples per side.

    Source: hal-05344404, section 5.3.
    """
    key = (real.digest, generated.digest, n)
    with _lock:
        once = _kept.get(key) or Once(lambda: _truth(real, generated, n))
        _kept[key] = once
        _kept.move_to_end(key)
        while len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
    return once()


def _truth(real: Density, generated: Density, n: int) -> SampledTruth:
    if real.digest == generated.digest:
        return SampledTruth(finite_masses([1.0], [1.0]), 0.0)
    if real.components > 1 or generated.components > 1:
        return _sampled(lambda size, seed: sampled_log_ratios(real, generated, size, seed), n)
    shift, scales = _axes(real, generated)
    if np.abs(scales - 1).max() <= _EQUAL:
        return SampledTruth(shifted_gaussians(float(np.linalg.norm(shift))), AREA_ERROR)
    return _sampled(lambda size, seed: _along_axes(shift, scales, size, seed), n)


def _sampled(log_ratios: LogRatios, n: int) -> SampledTruth:
    """A sampled truth; its error is at least 1 / n, the smallest rate that n samples show."""
    curve, error = sampled_truth(log_ratios, n=n)
    return SampledTruth(curve, max(error, 1.0 / n))


def log_ratio(real: Density, generated: Density, z: Floats) -> Floats:
    """The log ratio log q(z) - log p(z), (m,), at points z (m, d)."""
    return generated.log_density(z) - real.log_density(z)


def sampled_log_ratios(real: Density, generated: Density, size: int, seed: int) -> tuple[Floats, Floats]:
    """Log ratios of so many fresh real and so many fresh generated samples, drawn block by block."""
    streams = [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(2)]
    first, second = (
        np.concatenate(
            [log_ratio(real, generated, density.sample(rows.stop - rows.start, rng)) for rows in blocks(size, real.d)]
        )
        for density, rng in zip((real, generated), streams, strict=True)
    )
    return first, second


def _axes(real: Density, generated: Density) -> tuple[Floats, Floats]:
    """Coordinates in which P = N(0, I) and Q = N(shift, diag(scales)), one Gaussian each: shift (d,), scales (d,)."""
    gap = generated.means[0] - real.means[0]
    root, other = real.roots[0], generated.roots[0]
    if real.is_diagonal:
        return gap / root, (other / root) ** 2
    white = linalg.solve_triangular(root, other, lower=True)
    axes, widths, _ = np.linalg.svd(white)
    return axes.T @ linalg.solve_triangular(root, gap, lower=True), widths**2


def _along_axes(shift: Floats, scales: Floats, size: int, seed: int) -> tuple[Floats, Floats]:
    """Log ratios of fresh samples of two Gaussians in the coordinates of `_axes`: a sum over them."""
    streams = [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(2)]
    constant, widths = -0.5 * float(np.log(scales).sum()), np.sqrt(scales)
    found = (np.empty(size), np.empty(size))
    for rows in blocks(size, len(scales)):
        z, y = (rng.standard_normal((rows.stop - rows.start, len(scales))) for rng in streams)
        found[0][rows] = constant + 0.5 * _squares(z) - 0.5 * _squares((z - shift) / widths)
        found[1][rows] = constant + 0.5 * _squares(shift + widths * y) - 0.5 * _squares(y)
    return found


def _squares(z: Floats) -> Floats:
    result: Floats = np.einsum("ij,ij->i", z, z)
    return result
