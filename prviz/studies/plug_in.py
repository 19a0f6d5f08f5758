"""The plug-in estimate of the precision curve in one and two dimensions: the exact curve of two
kernel density estimates.

Source: Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), Definition 4, Theorem 6 and Remarks 10, 12
and 13.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from prviz.arguments import checked_choice, checked_number
from prviz.arrays import Floats
from prviz.curves import PRCurve
from prviz.curves.ground_truth import discrete_curve
from prviz.samples import SamplePair, SamplesLike, as_samples

# Number of grid cells per bandwidth, by dimension.
_FINE = {1: 64, 2: 8}
# Largest number of cells in a grid.
_MOST = 4_000_000


class Kernel(NamedTuple):
    """A kernel for density estimates.

    title : name in legends.
    order : the s of Remark 13: the kernel's moments of order 1 to s - 1 vanish, so that it can use
        densities with s derivatives. It is 1 for the box, as in Theorem 6.
    reach : distance from the centre at which the kernel is cut off, in bandwidths.
    width : factor of the bandwidth, for data with standard deviation 1; see `bandwidth`.
    weight : function that returns the kernel's value at offsets in bandwidths, one array per axis.
    """

    title: str
    order: int
    reach: float
    width: float
    weight: Callable[[Sequence[Floats]], Floats]

    def bandwidth(self, n: int, d: int) -> float:
        """The bandwidth width * n^(-1 / (2 order + d)) for n samples in d dimensions.

        For the box this is the rate of Theorem 6.
        """
        return float(self.width * n ** (-1 / (2 * self.order + d)))


def _bell(offsets: Sequence[Floats]) -> Floats:
    return np.exp(-sum(each**2 for each in offsets) / 2)


def _fourth(offsets: Sequence[Floats]) -> Floats:
    factor: Floats = np.ones(())
    for each in offsets:
        factor = factor * (3 - each**2)
    return factor * _bell(offsets)


KERNELS: Mapping[str, Kernel] = MappingProxyType(
    {
        "box": Kernel(
            "box",
            1,
            1.0,
            1.5,
            lambda offsets: np.asarray(sum(each**2 for each in offsets) <= 1, float),
        ),
        "gaussian": Kernel("Gaussian", 2, 6.0, 1.0, _bell),
        "fourth": Kernel("order 4", 4, 6.0, 1.3, _fourth),
    }
)
"""Kernels by name.

"box" is uniform on a ball, as the family kde counts; "gaussian" is smooth; "fourth" has order 4,
which needs negative values.
"""


def plug_in_curve(
    real: SamplesLike, generated: SamplesLike, bandwidth: float, kernel: str = "box"
) -> PRCurve:
    """The curve of the two distributions estimated from the samples by kernel density estimation.

        alpha(lam) = (lam + 1) / 2 - || lam P_hat - Q_hat ||_TV = integral of min(lam p_hat, q_hat)

    Parameters
    ----------
    real, generated : array_like or Samples
        (n, d) and (m, d) samples, d = 1 or 2.
    bandwidth : float
        Radius of the box, or standard deviation of other kernels; the same for both sets.
    kernel : str
        A key of `KERNELS`. Where a kernel of higher order makes a density negative, the density is
        set to 0 and the rest scaled to mass 1.

    Returns
    -------
    PRCurve
        The curve of both densities on a grid with 64 cells per bandwidth for d = 1 and 8 for d = 2.

    Raises
    ------
    ValueError
        Another d or kernel, a bandwidth that is not positive, or one so small that the grid would
        be too large.
    """
    from scipy.signal import fftconvolve

    pair = SamplePair(as_samples(real, name="real"), as_samples(generated, name="generated"))
    checked_choice("kernel", kernel, KERNELS)
    if pair.d not in _FINE:
        raise ValueError(f"d = {pair.d}; 1 or 2 features are needed, since densities are on a grid")
    needed = "a positive finite number"
    checked_number("bandwidth", bandwidth, needed, lambda found: 0 < found < np.inf)
    form = KERNELS[kernel]
    cell = bandwidth / _FINE[pair.d]
    pad = form.reach * bandwidth + cell
    sets = [side.values.astype(float) for side in pair]
    every = np.concatenate(sets)
    low = every.min(axis=0) - pad
    counts = np.ceil((every.max(axis=0) + pad - low) / cell).astype(int)
    if counts.prod() > _MOST:
        raise ValueError(
            f"bandwidth = {bandwidth:g}; too small for these samples, whose grid would have"
            f" {counts} cells"
        )
    steps = np.arange(-form.reach, form.reach + 1e-9, 1 / _FINE[pair.d])
    weights = form.weight(np.meshgrid(*[steps] * pair.d, indexing="ij"))
    edges = [(start, start + cell * count) for start, count in zip(low, counts, strict=True)]
    masses = []
    for values in sets:
        histogram = np.histogramdd(values, bins=list(counts), range=edges)[0]
        density = np.maximum(
            fftconvolve(histogram, weights / weights.sum(), mode="same").ravel(), 0.0
        )
        # rounding errors of the Fourier transform become 0
        density[density < 1e-9 * density.max()] = 0.0
        masses.append(density / density.sum())
    held = masses[0] + masses[1] > 0
    return discrete_curve(masses[0][held], masses[1][held])
