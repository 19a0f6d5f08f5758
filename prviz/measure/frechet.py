"""The Frechet distance between the Gaussians with the means and covariances of two sets, and its bias."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from prviz.samples import SamplePair, Samples

Floats = NDArray[np.float64]

# Rows that are converted to float64 at a time.
BLOCK = 1024


class FrechetDistance(NamedTuple):
    """A Frechet distance from n samples.

    value : the squared distance, as everybody reports it. bias : by how much it is expected to exceed the value of
    ever more samples; nan where it can't be told. caveat : why the value says nothing, in words; "" where it does.
    """

    value: float
    bias: float
    caveat: str


def frechet_distance(real: Samples | ArrayLike, generated: Samples | ArrayLike, *, seed: int = 0) -> FrechetDistance:
    """Frechet distance of two sets: FID where the samples are Inception features, FD-DINOv2 where they are DINOv2's.

    Parameters
    ----------
    real, generated : array_like or Samples
        (n, d) and (m, d) samples; n and m may differ, each at least 2.
    seed : int
        Decides the halves from which the bias is measured.

    Returns
    -------
    FrechetDistance
        The value, its bias and a caveat. With n <= d or m <= d a covariance is singular and the value means nothing.

    Raises
    ------
    ValueError, TypeError
        Malformed samples, or a single one.

    Notes
    -----
    FD = |mean_X - mean_Y|^2 + tr(C_X + C_Y - 2 (C_X C_Y)^(1/2)), covariances with divisor n - 1: the convention of
    TTUR, torch-fidelity and dgm-eval. The trace of the root is the sum of the singular values of A^T B with
    C_X = A A^T and C_Y = B B^T: no root of a product that rounding has made complex.
    The expected value exceeds its limit by about c / n (Chong, Forsyth 2020), so the mean of two disjoint halves
    exceeds it by 2 c / n, and ``bias`` is that mean less the value: nan unless both halves have more than d samples.
    Source: Dowson, Landau 1982; Heusel et al. 2017.
    """
    pair = SamplePair.of(real, generated)
    for role, samples in zip(("real", "generated"), pair, strict=True):
        if samples.n < 2:
            raise ValueError(f"{role} has 1 sample; a covariance needs at least 2")
    value, smaller, d = frechet(*pair), min(pair.real.n, pair.generated.n), pair.real.d
    if smaller <= d:
        caveat = f"{smaller} samples span at most {smaller - 1} of {d} dimensions: a covariance is singular"
        return FrechetDistance(value, math.nan, caveat)
    if smaller // 2 <= d:
        return FrechetDistance(value, math.nan, "")
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(samples.n) for samples in pair]
    halves = [[samples.take(order[side::2]) for samples, order in zip(pair, orders, strict=True)] for side in range(2)]
    return FrechetDistance(value, sum(frechet(*half) for half in halves) / 2 - value, "")


def frechet(real: Samples, generated: Samples) -> float:
    """The value alone; nan where numbers are too large for it."""
    with np.errstate(over="ignore", invalid="ignore"):
        (mean, root), (other_mean, other_root) = (_moments(samples.values) for samples in (real, generated))
        product = root.T @ other_root
        if not np.isfinite(product).all():
            return math.nan
        common = np.linalg.svd(product, compute_uv=False).sum()
        value = float(((mean - other_mean) ** 2).sum() + (root**2).sum() + (other_root**2).sum() - 2 * common)
    return max(value, 0.0) if math.isfinite(value) else math.nan


def blocks(values: NDArray[Any]) -> Iterator[Floats]:
    """The rows in float64, a block at a time."""
    for first in range(0, len(values), BLOCK):
        yield np.asarray(values[first : first + BLOCK], dtype=np.float64)


def _moments(values: NDArray[Any]) -> tuple[Floats, Floats]:
    """The mean, (d,), and a factor A of the covariance A A^T, (d, d)."""
    mean = sum((block.sum(axis=0) for block in blocks(values)), np.zeros(values.shape[1])) / len(values)
    covariance = np.zeros((len(mean), len(mean)))
    for block in blocks(values):
        covariance += (block - mean).T @ (block - mean)
    if not np.isfinite(covariance).all():
        return mean, np.full_like(covariance, np.nan)
    spreads, axes = np.linalg.eigh(covariance / (len(values) - 1))
    return mean, axes * np.sqrt(np.maximum(spreads, 0.0))
