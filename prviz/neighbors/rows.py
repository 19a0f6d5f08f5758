"""Views of rows of an array without a copy, the reference distance between rows, and merging of
duplicates.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from prviz.arrays import Array, Floats, Ints
from prviz.neighbors import native
from prviz.neighbors.kernels import slices

# With fewer features than this, NumPy adds squares one after the other; from this number on, in
# eight lanes and pairwise.
SEQUENTIAL = 8

# Pairs are processed in chunks of this number of values, and of at least this number of pairs:
# small enough for the caches, large enough that other threads can run meanwhile.
_PAIR_VALUES = 1 << 16
_PAIR_ROWS = 24
# Rows are processed in chunks of this number of values.
_CHUNK_VALUES = 1 << 17

# Duplicates are merged if at most this share of the rows is distinct; merging a few does not pay.
_WORTH_MERGING = 7 / 8
# Number of columns that are hashed first: enough to see that nearly all rows differ, as is usual.
_PROBED_COLUMNS = 8
_WORDS = {2: np.uint16, 4: np.uint32, 8: np.uint64}


@dataclass(frozen=True, eq=False)
class RowView:
    """Some rows of an array, perhaps of a memory-mapped file: nothing is copied before it is
    needed.

    source : (N, d) values. index : (n,) the rows of ``source`` that are meant; None: all.
    """

    source: Array
    index: Ints | None = None

    def __len__(self) -> int:
        if self.index is None:
            return len(self.source)
        return len(self.index)

    @cached_property
    def d(self) -> int:
        """Number of features."""
        return int(self.source.shape[1])

    def numbers(self, rows: Ints) -> Ints:
        """Row numbers in ``source`` of the given rows of this view."""
        if self.index is None:
            return rows
        return self.index[rows]

    def take(self, rows: Ints | slice) -> Array:
        """The values of the given rows; a view instead of a copy where possible."""
        chosen = rows if self.index is None else self.index[rows]
        if isinstance(chosen, slice):
            return self.source[chosen]
        return self.source.take(chosen, axis=0)

    def chunks(self) -> Iterator[tuple[slice, Array]]:
        """Iterate over all rows in chunks: the slice of each chunk, and its values."""
        return (
            (part, self.take(part)) for part in slices(len(self), max(1, _CHUNK_VALUES // self.d))
        )

    def subset(self, rows: Ints) -> RowView:
        """The view of the given rows only."""
        return RowView(self.source, self.numbers(rows))


def pair_distances(a: RowView, rows: Ints, b: RowView, columns: Ints) -> Floats:
    """Squared distances of the pairs a[rows[i]], b[columns[i]]: (m,) float64.

    The reference distance is np.sum((x - y) ** 2) of the original values widened to float64: bit
    for bit what the obvious double loop computes, because numpy adds each contiguous row in the
    same order whatever surrounds it. It is symmetric in x and y.
    """
    squared = np.empty(len(rows), dtype=np.float64)
    if native.serves(a.source, b.source):
        native.pair_distances(a.source, a.numbers(rows), b.source, b.numbers(columns), squared)
        return squared
    step = max(_PAIR_ROWS, _PAIR_VALUES // a.d)
    for part in slices(len(rows), step):
        difference = a.take(rows[part]).astype(np.float64)
        difference -= b.take(columns[part])
        np.square(difference, out=difference)
        np.sum(difference, axis=-1, out=squared[part])
    return squared


def sequential_tile(a: Floats, b: Floats, out: Floats, scratch: Floats) -> None:
    """Write the reference squared distances of the columns of a (d, m) from the columns of b (d, n)
    to ``out`` (m, n).
    """
    for coordinate in range(len(a)):
        target = scratch if coordinate else out
        np.subtract(a[coordinate][:, None], b[coordinate][None, :], out=target)
        np.square(target, out=target)
        if coordinate:
            np.add(out, scratch, out=out)


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """The distinct rows of a set, how often each occurs, and for each original row the index of its
    distinct row.

    ``weights`` and ``inverse`` are None if duplicates were not merged.
    """

    rows: RowView
    weights: Floats | None = None
    inverse: Ints | None = None

    def expand(self, results: Array) -> Array:
        """Convert results per distinct row to results per original row, along the last axis."""
        if self.inverse is None:
            return results
        return results[..., self.inverse]


def merge_duplicates(rows: RowView) -> DistinctRows:
    """The distinct rows of a set if it has many duplicates, otherwise the rows as they are."""
    few = np.unique(np.linspace(0, rows.d - 1, _PROBED_COLUMNS).astype(np.intp))
    if len(np.unique(_hashes(rows, few))) > _WORTH_MERGING * len(rows):
        return DistinctRows(rows)
    _, first, inverse, counts = np.unique(
        _hashes(rows), return_index=True, return_inverse=True, return_counts=True
    )
    if len(first) > _WORTH_MERGING * len(rows):
        return DistinctRows(rows)
    distinct = rows.subset(first)
    # Equal hashes do not prove equal rows: if two different rows share a hash, nothing is merged.
    if not all(
        np.array_equal(distinct.take(inverse[part]), values) for part, values in rows.chunks()
    ):
        return DistinctRows(rows)
    return DistinctRows(distinct, counts.astype(np.float64), inverse)


def _hashes(rows: RowView, columns: Ints | None = None) -> NDArray[np.uint64]:
    """A hash of each row, from the bits of all or some columns; equal rows have equal hashes."""
    odd = np.random.default_rng(0).integers(0, 2**63, size=rows.d, dtype=np.uint64) * 2 + 1
    hashes = np.empty(len(rows), dtype=np.uint64)
    for part, values in rows.chunks():
        picked = values if columns is None else values[:, columns]
        words = np.ascontiguousarray(picked).view(_WORDS[values.dtype.itemsize])
        hashes[part] = words.astype(np.uint64) @ (odd if columns is None else odd[columns])
    return hashes
