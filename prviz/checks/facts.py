"""Facts about the values of samples: exactly equal rows, spread of each feature, length of each
row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from prviz.arrays import AnyFloats, Flags, Floats, Ints
from prviz.neighbors.kernels import slices
from prviz.samples import SamplePair, Samples

BLOCK = 2**20  # values per block: 8 MB of float64
# Number of features that are compared first: rows that differ in one of these are not equal.
_PROBES = 16


class Duplicates(NamedTuple):
    """Exactly equal rows (0.0 and -0.0 are equal).

    real, generated : number of rows of the set that repeat an earlier row of the set.
    most_real, most_generated : number of times the commonest row of the set occurs, 1 without
    repeats.
    shared_real, shared_generated : number of rows of the set that also occur in the other set.
    """

    real: int
    generated: int
    most_real: int
    most_generated: int
    shared_real: int
    shared_generated: int


class EqualRows(NamedTuple):
    """Result of `compare_rows`.

    counts : numbers of equal rows.
    shared : number of distinct rows that occur in both sets.
    same : True if every row occurs as often in one set as in the other.
    """

    counts: Duplicates
    shared: int
    same: bool


class Moments(NamedTuple):
    """Population standard deviation of each feature, which features are constant, and the median,
    smallest and largest norm of the rows.

    The smallest norm leaves out rows of zeros, which have no direction.
    """

    sd: Floats
    constant: Flags
    norm: float
    least_norm: float
    greatest_norm: float

    @property
    def normalised(self) -> bool:
        """True if every row that is not 0 has the euclidean norm 1, up to float16 rounding."""
        return self.least_norm > 0.998 and self.greatest_norm < 1.002

    def times(self, scale: float) -> Moments:
        """Moments of the values multiplied by ``scale``."""
        with np.errstate(over="ignore"):
            lengths = (self.norm * scale, self.least_norm * scale, self.greatest_norm * scale)
            return Moments(self.sd * scale, self.constant, *lengths)


def row_blocks(n: int, d: int) -> Iterator[slice]:
    """Slices of the rows of (n, d) values in order, of about 8 MB of float64 each."""
    return iter(slices(n, max(1, BLOCK // d)))


def _hashes(values: Floats) -> NDArray[np.uint64]:
    """A 64-bit hash of each row: equal rows have equal hashes, whatever the sign of 0."""
    odd = np.random.default_rng(0).integers(0, 2**63, values.shape[1], dtype=np.uint64) * np.uint64(
        2
    ) + np.uint64(1)
    words = (values + 0.0).view(np.uint64)  # -0.0 + 0.0 is 0.0
    # In float64 the low 32 bits of small whole numbers are 0, and would stay 0 in the product: it
    # moves bits upwards only.
    words ^= words >> np.uint64(32)
    words *= odd
    found: NDArray[np.uint64] = words.sum(axis=1, dtype=np.uint64)
    return found


def _by_hash(hashes: NDArray[np.uint64]) -> tuple[Ints, Ints]:
    """First row of each distinct hash, and the class of each row by its hash."""
    _, first, classes = np.unique(hashes, return_index=True, return_inverse=True)
    return first, classes.reshape(-1).astype(np.intp)


def _rows(sets: Sequence[Samples], index: Ints) -> Floats:
    """Rows of several sets by their index, which counts through the sets in order, without stacking
    them.
    """
    result = np.empty((len(index), sets[0].d))
    start = 0
    for samples in sets:
        here = (index >= start) & (index < start + samples.n)
        result[here] = samples.values[index[here] - start]
        start += samples.n
    return result + 0.0


def row_classes(sets: Iterable[Samples]) -> Ints:
    """Class of each row of all sets, in order: two rows have the same class exactly if they are
    equal.

    A few features of each row are hashed first. Rows that agree there are hashed whole, and
    compared where their hashes are equal.
    """
    sets = list(sets)
    d = sets[0].d
    probes = np.unique(np.linspace(0, d - 1, min(d, _PROBES)).astype(np.intp))
    hashes = np.concatenate([_hashes(each.values[:, probes].astype(float)) for each in sets])
    ordered = np.sort(hashes)  # np.unique takes over ten times as long
    if (ordered[1:] != ordered[:-1]).all():
        return np.arange(len(hashes))
    first, classes = _by_hash(hashes)
    if len(probes) < d:
        alike = np.flatnonzero(np.bincount(classes)[classes] > 1)
        for block in row_blocks(len(alike), d):
            hashes[alike[block]] = _hashes(_rows(sets, alike[block]))
        first, classes = _by_hash(hashes)
    candidates = np.flatnonzero(first[classes] != np.arange(len(hashes)))
    collided: dict[bytes, int] = {}
    for block in row_blocks(len(candidates), d):
        index = candidates[block]
        rows = _rows(sets, index)
        other = (rows != _rows(sets, first[classes[index]])).any(axis=1)
        for row, position in zip(rows[other], index[other], strict=True):
            classes[position] = len(first) + collided.setdefault(row.tobytes(), len(collided))
    return classes


def compare_rows(pair: SamplePair) -> EqualRows:
    """Count equal rows inside each set and across the two, exactly, in O(n d)."""
    classes = row_classes(pair)
    count = int(classes.max()) + 1
    real = np.bincount(classes[: pair.real.n], minlength=count)
    generated = np.bincount(classes[pair.real.n :], minlength=count)
    counts = Duplicates(
        pair.real.n - int(np.count_nonzero(real)),
        pair.generated.n - int(np.count_nonzero(generated)),
        int(real.max()),
        int(generated.max()),
        int(real[generated > 0].sum()),
        int(generated[real > 0].sum()),
    )
    both = int(np.count_nonzero((real > 0) & (generated > 0)))
    return EqualRows(counts, both, bool((real == generated).all()))


def moments(samples: Samples) -> Moments:
    """Spread of each feature and length of each row, in float64."""
    least, greatest = samples.extremes
    return moments_of(samples.values, max(greatest, -least) or 1.0)


def largest_of(values: AnyFloats) -> float:
    """The largest absolute value; 1 where all are 0."""
    return float(max(values.max(), -values.min())) or 1.0


def moments_of(values: AnyFloats, scale: float) -> Moments:
    """`moments` of (n, d) values, in units of ``scale``, their largest absolute value, so that no
    square overflows or vanishes.
    """
    n, d = values.shape
    mean = np.zeros(d)
    squares = np.zeros(d)
    block = np.empty((0, d))
    for rows in row_blocks(n, d):
        block = _scaled(values[rows], scale)
        mean += block.sum(axis=0) / n
    norms = np.empty(n)
    for rows in row_blocks(n, d):
        if len(block) < n:  # a single block is still in memory
            block = _scaled(values[rows], scale)
        norms[rows] = np.sqrt(np.einsum("ij,ij->i", block, block))
        centred = block - mean
        squares += np.einsum("ij,ij->j", centred, centred)
    constant = _constant(values)
    # rounding of the mean would give equal values a spread
    sd = np.where(constant, 0.0, np.sqrt(squares / n))
    norms.sort()
    middle = float(norms[(n - 1) // 2] + norms[n // 2]) / 2
    least = float(norms[min(np.searchsorted(norms, 0.0, side="right"), n - 1)])
    return Moments(sd, constant, middle, least, float(norms[-1])).times(scale)


def _scaled(values: AnyFloats, scale: float) -> Floats:
    """Values in units of ``scale``; the values themselves where it is 1."""
    block = values.astype(float, copy=False)
    if scale == 1:
        return block
    return block / scale


def _constant(values: AnyFloats) -> Flags:
    """True for features with a single value. At most 16 rows rule out most features before all rows
    are read.
    """
    n, d = values.shape
    found: Flags = (values[:: -(-n // 16)] == values[0]).all(axis=0)
    for rows in row_blocks(n, d):
        columns = np.flatnonzero(found)
        if not len(columns):
            break
        found[columns] = (values[rows].take(columns, axis=1) == values[0, columns]).all(axis=0)
    return found
