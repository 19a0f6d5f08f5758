"""Scores from kernels: KID between two sets, and the diversity of one set, Vendi and RKE."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from prviz.measure.frechet import BLOCK, blocks
from prviz.samples import SamplePair, Samples, as_samples

Floats = NDArray[np.float64]
Kernel = Callable[[Floats, Floats], Floats]


class KernelDistance(NamedTuple):
    """KID: the value and its standard deviation."""

    value: float
    std: float


def kid(
    real: Samples | ArrayLike,
    generated: Samples | ArrayLike,
    *,
    subsets: int | None = None,
    subset_size: int = 1000,
    seed: int = 2020,
) -> KernelDistance:
    """Kernel distance (KID where the samples are Inception features): the unbiased squared maximum mean discrepancy.

    Parameters
    ----------
    real, generated : array_like or Samples
        (n, d) and (m, d) samples; n and m may differ, each at least 2.
    subsets : int, optional
        None: one value from all samples, and the standard deviation of that value. A number: mean and deviation over
        so many random subsets, the convention of torch-fidelity (100) and dgm-eval.
    subset_size : int
        Samples per subset, at most those there are.
    seed : int
        Decides the subsets; 2020 as in torch-fidelity, whose random stream is used.

    Returns
    -------
    KernelDistance
        May be below 0, because it is unbiased. With subsets the deviation is that of a single subset's value and does
        not shrink with their number.

    Raises
    ------
    ValueError, TypeError
        Malformed samples, a single one, or subsets or a size below 1 or 2.

    Notes
    -----
    k(x, y) = (x . y / d + 1)^3; KID = mean of k(x, x') over x != x' + mean of k(y, y') over y != y' - 2 mean of
    k(x, y). Deviation from all samples: sqrt(4 var(g) / n + 4 var(h) / m) with g(x) = mean k(x, X) - mean k(x, Y) and
    h(y) = mean k(y, Y) - mean k(y, X), the leading term of its variance with what single rows add by chance: on the
    bundled digits 1.7 times too large where both sets have the same distribution.
    Source: Binkowski, Sutherland, Arbel, Gretton 2018; Sutherland et al. 2017.
    """
    pair = SamplePair.of(real, generated)
    smaller = min(pair.real.n, pair.generated.n)
    if smaller < 2:
        raise ValueError("KID needs at least 2 samples of each set; one has 1")
    if subsets is None:
        return _whole(pair)
    if subsets < 1 or subset_size < 2:
        raise ValueError(f"subsets = {subsets}, subset_size = {subset_size}; at least 1 and 2 are needed")
    stream, size = np.random.RandomState(seed), min(subset_size, smaller)
    values = []
    for _ in range(subsets):
        parts = [samples.take(stream.choice(samples.n, size, replace=False)) for samples in pair]
        values.append(_whole(SamplePair(*parts)).value)
    return KernelDistance(float(np.mean(values)), float(np.std(values)))


def _whole(pair: SamplePair) -> KernelDistance:
    n, m = pair.real.n, pair.generated.n
    with np.errstate(over="ignore", invalid="ignore"):
        own, other_own, across, back = _cubic_sums(pair)
        value = own.sum() / (n * (n - 1)) + other_own.sum() / (m * (m - 1)) - 2 * across.sum() / (n * m)
        lean, other_lean = own / (n - 1) - across / m, other_own / (m - 1) - back / n
        std = math.sqrt(4 * lean.var() / n + 4 * other_lean.var() / m)
    return KernelDistance(float(value), std) if math.isfinite(value) else KernelDistance(math.nan, math.nan)


def kernel_share(pair: SamplePair) -> float:
    """1 - KID / (mean of k(x, x') + mean of k(y, y')): 1 where KID is 0, 0 where k(x, y) is 0 on average."""
    n, m = pair.real.n, pair.generated.n
    with np.errstate(over="ignore", invalid="ignore"):
        own, other_own, across, _ = _cubic_sums(pair)
        share = 2 * across.sum() / (n * m) / (own.sum() / (n * (n - 1)) + other_own.sum() / (m * (m - 1)))
    return float(share) if math.isfinite(share) else math.nan


def _cubic_sums(pair: SamplePair) -> tuple[Floats, Floats, Floats, Floats]:
    """Sums of KID's kernel: of each real sample over the other real ones, of generated ones alike; and across."""
    real, generated = pair.real.values, pair.generated.values
    own, other_own = (_sums(each, each, _cubic)[0] - _diagonal(each) for each in (real, generated))
    return own, other_own, *_sums(real, generated, _cubic)


def vendi(samples: Samples | ArrayLike, *, order: float = 1.0) -> float:
    """Vendi score: how many different samples a set holds in effect, 1 to n.

    Parameters
    ----------
    samples : array_like or Samples
        (n, d) samples of one set.
    order : float
        Order of the Renyi entropy, positive; 1 is Shannon's, as published.

    Returns
    -------
    float
        The exponential of the entropy of the eigenvalues of K / n, K the cosines between samples, at most d.

    Raises
    ------
    ValueError, TypeError
        Malformed samples, or an order that is not positive.

    Notes
    -----
    The eigenvalues of K / n that are not 0 are those of the (d, d) matrix of the normalised samples, so that no (n, n)
    matrix is needed. A sample of zeros has no direction and stays zero, as in dgm-eval.
    Source: Friedman, Dieng 2023.
    """
    if not order > 0:
        raise ValueError(f"order = {order}; a positive number is needed")
    values = as_samples(samples, name="samples").values
    gram = np.zeros((values.shape[1],) * 2)
    for block in blocks(values):
        scaled = block / np.maximum(np.abs(block).max(axis=1, keepdims=True), np.finfo(np.float64).tiny)
        unit = scaled / np.maximum(np.linalg.norm(scaled, axis=1, keepdims=True), np.finfo(np.float64).tiny)
        gram += unit.T @ unit
    chances = np.linalg.eigvalsh(gram / len(values))
    chances = chances[chances > 1e-12]
    if order == 1:
        return float(np.exp(-(chances * np.log(chances)).sum()))
    return float(np.exp(np.log((chances**order).sum()) / (1 - order)))


def rke(samples: Samples | ArrayLike, *, bandwidth: float) -> float:
    """Exponential of the Renyi kernel entropy of order 2: how many modes a set holds in effect, 1 to n.

    Parameters
    ----------
    samples : array_like or Samples
        (n, d) samples of one set.
    bandwidth : float
        sigma of the Gaussian kernel, positive: modes nearer than that are one. The paper sets it by hand;
        `prviz.scalars` takes half the root mean square distance between real samples.

    Returns
    -------
    float
        1 / mean of k(x, x')^2 over all pairs, with k(x, x') = exp(-|x - x'|^2 / (2 sigma^2)).

    Raises
    ------
    ValueError, TypeError
        Malformed samples, or a bandwidth that is not positive.

    Notes
    -----
    Source: Jalali, Li, Farnia 2023.
    """
    values = as_samples(samples, name="samples").values
    if not bandwidth > 0:
        raise ValueError(f"bandwidth = {bandwidth}; a positive number is needed")
    centre = values.mean(axis=0, dtype=np.float64)

    def squared_kernel(rows: Floats, others: Floats) -> Floats:
        rows, others = (rows - centre) / bandwidth, (others - centre) / bandwidth
        squared = (rows**2).sum(1)[:, None] + (others**2).sum(1) - 2 * rows @ others.T
        kernel: Floats = np.exp(-np.maximum(squared, 0.0))
        return kernel

    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        mean = _sums(values, values, squared_kernel)[0].sum() / len(values) ** 2
    return float(1 / mean) if mean > 0 else math.nan


def half_spread(samples: Samples) -> float:
    """Half the root mean square distance between the samples; nan where numbers are too large for it."""
    with np.errstate(over="ignore", invalid="ignore"):
        mean = samples.values.mean(axis=0, dtype=np.float64)
        total = sum(float(((block - mean) ** 2).sum()) for block in blocks(samples.values))
    spread = math.sqrt(2 * total / max(samples.n - 1, 1)) / 2
    return spread if math.isfinite(spread) else math.nan


def _cubic(rows: Floats, others: Floats) -> Floats:
    products: Floats = rows @ others.T / rows.shape[1] + 1.0
    return products * products * products


def _diagonal(values: NDArray[Any]) -> Floats:
    return np.hstack([((block**2).sum(1) / block.shape[1] + 1.0) ** 3 for block in blocks(values)])


def _sums(values: NDArray[Any], others: NDArray[Any], kernel: Kernel) -> tuple[Floats, Floats]:
    """Sums of the kernel over all ``others`` for each row of ``values``, and the other way round, tile by tile.

    A set with itself: each tile is computed once, used from both sides, and both results are the same array.
    """
    same = others is values
    sums, back = np.zeros(len(values)), np.zeros(len(others))
    for first, rows in enumerate(blocks(values)):
        for second, each in enumerate(blocks(others)):
            if same and second < first:
                continue
            tile = kernel(rows, each)
            sums[first * BLOCK : first * BLOCK + len(rows)] += tile.sum(1)
            if not (same and second == first):
                back[second * BLOCK : second * BLOCK + len(each)] += tile.sum(0)
    return (sums + back, sums + back) if same else (sums, back)
