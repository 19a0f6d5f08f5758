"""Facts for the preflight, computed in blocks: exact duplicates, moments and effective dimension."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prviz.samples import SamplePair, Samples

__all__ = [
    "Duplicates",
    "EffectiveDimension",
    "Moments",
    "centred_rows",
    "duplicates",
    "effective_dimension",
    "moments",
    "row_blocks",
    "row_classes",
]

Array = NDArray[Any]

BLOCK = 2**20  # values per block: 8 MB of float64
ROWS = 5_000  # most rows for an effective dimension
VALUES = 2**25  # values for an effective dimension, at most: 128 MB of float32


class Duplicates(NamedTuple):
    """Exactly equal rows (0.0 and -0.0 are equal).

    real, generated : number of rows of the set that repeat an earlier row of the set.
    most_real, most_generated : number of times the commonest row of the set occurs, 1 without repeats.
    shared_real, shared_generated : number of rows of the set that also occur in the other set.
    """

    real: int
    generated: int
    most_real: int
    most_generated: int
    shared_real: int
    shared_generated: int


class Moments(NamedTuple):
    """Standard deviation (population) of each feature, constant features; median, least and greatest row norm."""

    sd: NDArray[np.float64]
    constant: NDArray[np.bool_]
    norm: float
    least_norm: float
    greatest_norm: float

    @property
    def normalised(self) -> bool:
        """True if every row has the euclidean norm 1, up to float16 rounding."""
        return self.least_norm > 0.998 and self.greatest_norm < 1.002


class EffectiveDimension(NamedTuple):
    """Participation ratio of the covariance spectrum, and the number of rows it was computed from."""

    value: float
    rows: int


def row_blocks(n: int, d: int) -> Iterator[slice]:
    """Slices of the rows of (n, d) values in order, of about 8 MB of float64 each."""
    step = max(1, BLOCK // d)
    for first in range(0, n, step):
        yield slice(first, min(first + step, n))


def _hashes(samples: Samples) -> NDArray[np.uint64]:
    """A 64-bit hash of each row as float64: equal rows have equal hashes, whatever their dtype and the sign of 0."""
    odd = np.random.default_rng(0).integers(0, 2**63, samples.d, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    hashes = np.empty(samples.n, np.uint64)
    for rows in row_blocks(samples.n, samples.d):
        words = (samples.values[rows].astype(np.float64) + 0.0).view(np.uint64)  # -0.0 + 0.0 is 0.0
        # Small whole numbers have only zeros in the low half, and a product never moves bits downwards.
        words ^= words >> np.uint64(32)
        hashes[rows] = (words * odd).sum(axis=1, dtype=np.uint64)
    return hashes


def _rows(pair: SamplePair, index: NDArray[np.intp]) -> NDArray[np.float64]:
    """Rows of the two sets by their index, real ones first, without stacking the sets."""
    result = np.empty((len(index), pair.d))
    is_real = index < pair.real.n
    result[is_real] = pair.real.values[index[is_real]]
    result[~is_real] = pair.generated.values[index[~is_real] - pair.real.n]
    return result + 0.0


def row_classes(pair: SamplePair) -> NDArray[np.intp]:
    """Number of each row, real ones first, equal for equal rows only: hashed, then verified."""
    hashes = np.concatenate([_hashes(pair.real), _hashes(pair.generated)])
    _, first, classes = np.unique(hashes, return_index=True, return_inverse=True)
    classes = classes.reshape(-1).astype(np.intp)
    candidates = np.flatnonzero(first[classes] != np.arange(len(hashes)))
    collided: dict[bytes, int] = {}
    for block in row_blocks(len(candidates), pair.d):
        index = candidates[block]
        rows = _rows(pair, index)
        other = (rows != _rows(pair, first[classes[index]])).any(axis=1)
        for row, position in zip(rows[other], index[other], strict=True):
            classes[position] = len(first) + collided.setdefault(row.tobytes(), len(collided))
    return classes


def duplicates(pair: SamplePair) -> Duplicates:
    """Count equal rows inside each set and across the two, exactly, in O(n d)."""
    classes = row_classes(pair)
    count = int(classes.max()) + 1
    real = np.bincount(classes[: pair.real.n], minlength=count)
    generated = np.bincount(classes[pair.real.n :], minlength=count)
    return Duplicates(
        pair.real.n - int(np.count_nonzero(real)),
        pair.generated.n - int(np.count_nonzero(generated)),
        int(real.max()),
        int(generated.max()),
        int(real[generated > 0].sum()),
        int(generated[real > 0].sum()),
    )


def moments(samples: Samples) -> Moments:
    """Spread of each feature and length of each row, in float64."""
    values = samples.values
    scale = float(max(values.max(), -values.min())) or 1.0  # no square of a scaled value overflows or vanishes
    mean, squares = np.zeros(samples.d), np.zeros(samples.d)
    for rows in row_blocks(samples.n, samples.d):
        mean += (values[rows].astype(np.float64) / scale).sum(axis=0) / samples.n
    constant = np.ones(samples.d, dtype=bool)
    norms = np.empty(samples.n)
    for rows in row_blocks(samples.n, samples.d):
        constant &= (values[rows] == values[0]).all(axis=0)
        block = values[rows].astype(np.float64) / scale
        norms[rows] = np.linalg.norm(block, axis=1)
        squares += np.square(block - mean).sum(axis=0)
    sd = np.where(constant, 0.0, np.sqrt(squares / samples.n))  # the mean of equal values is off by rounding
    with np.errstate(over="ignore"):
        summary = np.array([np.median(norms), norms.min(), norms.max()]) * scale
        return Moments(sd * scale, constant, *map(float, summary))


def effective_dimension(samples: Samples, *, seed: int = 0) -> EffectiveDimension:
    """Participation ratio of the covariance spectrum: (sum of eigenvalues)^2 / sum of squared eigenvalues.

    The ratio is 1 for points on a line, d for an isotropic point set and 0 when all rows are equal. The sum of the
    eigenvalues is the trace of the covariance, the sum of their squares its squared Frobenius norm, and the (n, n)
    Gram matrix has the same two. From n rows the ratio is low: d / (1 + d / n) for an isotropic Gaussian. Above 5,000
    rows (or 2^25 values) a seeded draw without replacement is used.
    """
    centred, scale = centred_rows(samples, seed=seed)
    if not scale:
        return EffectiveDimension(0.0, len(centred))
    gram = centred @ centred.T if len(centred) < samples.d else centred.T @ centred
    trace = float(np.trace(gram, dtype=np.float64))
    squared = float(np.einsum("ij,ij->", gram, gram, dtype=np.float64))
    return EffectiveDimension(trace**2 / squared, len(centred))


def centred_rows(samples: Samples, *, seed: int = 0) -> tuple[NDArray[np.float32], float]:
    """Rows for an effective dimension, centred and scaled to the largest entry 1; and the scale.

    The scale is 0 where all rows are equal.
    """
    limit = max(2, min(ROWS, VALUES // samples.d))
    values = samples.values
    if samples.n > limit:
        values = values[np.sort(np.random.default_rng(seed).choice(samples.n, limit, replace=False))]
    unit = float(max(values.max(), -values.min())) or 1.0
    centred = values / unit  # no sum overflows
    centred = centred - centred.mean(axis=0, dtype=np.float64)
    centred[:, (values == values[0]).all(axis=0)] = 0  # not exactly 0 by rounding of the mean
    largest = float(np.abs(centred).max())
    scale = max(largest * unit, float(np.finfo(np.float64).tiny)) if largest else 0.0
    return (centred / (largest or 1.0)).astype(np.float32), scale
