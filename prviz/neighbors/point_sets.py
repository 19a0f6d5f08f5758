"""Sets of samples: views of rows of an array without a copy, merging of duplicates, the reference
distance between rows, and sets prepared for matrix products with their approximate distances.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prviz.arrays import Array, Floats, Ints
from prviz.neighbors import native
from prviz.neighbors.products import PART, Arithmetic, add_products
from prviz.neighbors.threads import available_threads

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


# Factors are the rows that a matrix product takes, see `PointSet.factors`. If they are not stored,
# they are computed for at most ROWS_AT_ONCE samples at a time, and the last _RECENT_KEPT blocks
# stay in memory.
ROWS_AT_ONCE = 2048
_RECENT_KEPT = 2
# Factors are computed for at least this many samples at a time, however many features there are.
_LEAST_AT_ONCE = 16

# Device on which this thread's tiles are made, a `TorchDevice`; None: the processor, by NumPy and
# C.
device: ContextVar[Any] = ContextVar("device", default=None)


def slices(n: int, step: int) -> list[slice]:
    """Slices that cover range(n), each of length ``step`` except perhaps the last."""
    return [slice(start, min(start + step, n)) for start in range(0, n, step)]


class Scratch:
    """Named buffers that one thread reuses from block to block, because pages of new memory cost
    more than the arithmetic on them.
    """

    def __init__(self) -> None:
        self._buffers: dict[str, NDArray[np.uint8]] = {}

    def take(self, name: str, rows: int, columns: int, dtype: Any) -> Array:
        """An uninitialised C-contiguous array, which the next call with this name overwrites."""
        size = rows * columns * np.dtype(dtype).itemsize
        buffer = self._buffers.get(name)
        if buffer is None or len(buffer) < size:
            buffer = self._buffers[name] = np.empty(size, dtype=np.uint8)
        array: Array = buffer[:size].view(dtype).reshape(rows, columns)
        return array


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

    def largest_squared_norm(self, centre: Floats) -> float:
        """A close upper bound on the largest squared norm. It is computed in float32 where that is
        finite, which is good enough to choose a power of two.
        """
        largest = 0.0
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            narrow = centre.astype(np.float32)
            for _, values in self.chunks():
                if values.dtype == np.float32 and np.array_equal(narrow, centre):
                    part = values - narrow
                    found = float(np.einsum("ij,ij->i", part, part).max()) * (1 + 1e-2)
                    if 1e-30 < found < 1e30:
                        largest = max(largest, found)
                        continue
                wide = values - centre
                largest = max(largest, float(np.einsum("ij,ij->i", wide, wide).max()))
        return largest

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
    first = a.numbers(rows)
    second = b.numbers(columns)
    if native.serves(a.source, b.source):
        first = native.indices(first, len(a.source))
        second = native.indices(second, len(b.source))
        given = a.source, first, b.source, second, len(rows), a.d
        if not native.call("pair_distances", a.source.dtype, *given, squared):
            raise MemoryError("no memory for the partial sums of a distance")
        return squared
    step = max(_PAIR_ROWS, _PAIR_VALUES // a.d)
    for part in slices(len(rows), step):
        difference = a.source.take(first[part], axis=0).astype(np.float64)
        difference -= b.source.take(second[part], axis=0)
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


class AtOnce(NamedTuple):
    """For sets whose factors are not stored: for how many samples factors are computed at a time.

    rows : for each thread's block of points.
    columns : for the other side of the product, whose factors are computed again for every block.
    """

    rows: int
    columns: int

    @classmethod
    def within(cls, memory: int, sets: Sequence[RowView], arithmetic: Arithmetic) -> AtOnce:
        """The largest numbers with which factors, and the values that they are computed from, take
        at most ``memory`` bytes on all threads together.
        """
        values = max(each.source.dtype.itemsize for each in sets)
        factor = np.dtype(arithmetic.dtype).itemsize
        # A quarter of the memory is for factors of columns (the blocks stored for both sets, and
        # the next ones), as they are cheap to compute again. The rest is for the threads' rows.
        columns = memory // 4 // (2 * sets[0].d * (values + _RECENT_KEPT * factor))
        rows = memory * 3 // 4 // (available_threads() * sets[0].d * (values + factor))
        return cls(*(min(max(each, _LEAST_AT_ONCE), ROWS_AT_ONCE) for each in (rows, columns)))


class PointSet:
    """A set of distinct samples with its norms and its factors for matrix products.

    at_once : for how many samples factors are computed on demand; None: all factors are stored.
    ``placed``: the set on a device, a `PlacedSet` (see `place`); None: its tiles are made on the
    processor.
    """

    placed: Any = None

    def __init__(
        self,
        merged: DistinctRows,
        arithmetic: Arithmetic,
        *,
        at_once: AtOnce | None = None,
    ) -> None:
        self._at_once = at_once
        self.merged = merged
        self.rows = merged.rows
        self.weights = merged.weights
        self.arithmetic = arithmetic
        n = len(self.rows)
        d = self.rows.d
        self.norms = np.zeros(n)
        self.squares = np.zeros(n, dtype=arithmetic.dtype)
        self._factors: Array | None = None
        self._recent: OrderedDict[tuple[int, int], Array] = OrderedDict()
        self._lock = threading.Lock()
        if arithmetic.direct:
            self.coordinates = np.ascontiguousarray(self.rows.take(slice(None)).T, dtype=np.float64)
            return
        if at_once is None:
            self._factors = np.empty((n, d + 2), dtype=arithmetic.dtype)
        scratch = Scratch()
        for part, values in self.rows.chunks():
            if self._factors is None:
                rounded = scratch.take("rounded", len(values), d, arithmetic.dtype)
            else:
                rounded = self._factors[part, :d]
            arithmetic.round(values, rounded)
            wide = rounded.astype(np.float64, copy=False)
            squares = np.einsum("ij,ij->i", wide, wide)
            self.squares[part], self.norms[part] = squares, arithmetic.padded_norms(squares)
        if self._factors is not None:
            self._factors[:, d], self._factors[:, d + 1] = 1, self.squares

    def __len__(self) -> int:
        return len(self.norms)

    def factors(self, part: slice) -> Array:
        """(m, d + 2) rows b', 1, |b'|^2 of these samples, in the notation of `products`; the last
        blocks computed are kept.
        """
        if self._factors is not None:
            return self._factors[part]
        key = (part.start, part.stop)
        with self._lock:
            if key not in self._recent:
                factors = np.empty(
                    (part.stop - part.start, self.rows.d + 2), dtype=self.arithmetic.dtype
                )
                self.arithmetic.round(self.rows.take(part), factors[:, :-2])
                factors[:, -2], factors[:, -1] = 1, self.squares[part]
                self._recent[key] = factors
                while len(self._recent) > _RECENT_KEPT:
                    self._recent.popitem(last=False)
            return self._recent[key]

    def rows_at_once(self, n: int) -> int:
        """Largest number of points, at most ``n``, whose distances to other sets are computed at a
        time.
        """
        if self.placed is not None:
            n = min(n, self.placed.at_once)
        if self._at_once is None or self.arithmetic.direct:
            return n
        return min(n, self._at_once.rows)

    def columns_at_once(self, n: int) -> int:
        """Largest number of samples, at most ``n``, for which `factors` may be called at a time."""
        if self._at_once is None:
            return n
        return min(n, self._at_once.columns)

    def rounded(self, part: slice, scratch: Scratch) -> Array:
        """(m, d) rows a' of `products`: centred, scaled and rounded values."""
        if self._factors is not None:
            return self._factors[part, :-2]
        m = len(self.squares[part])
        rounded = scratch.take("rounded", m, self.rows.d, self.arithmetic.dtype)
        self.arithmetic.round(self.rows.take(part), rounded)
        return rounded

    def left_factors(self, part: slice, scratch: Scratch) -> Array:
        """(m, d + 2) rows -2a', |a'|^2, 1: times `factors` of another set they give squared
        distances.
        """
        m = len(self.squares[part])
        left = scratch.take("left factors", m, self.rows.d + 2, self.arithmetic.dtype)
        np.multiply(self.rounded(part, scratch), -2, out=left[:, :-2])
        left[:, -2], left[:, -1] = self.squares[part], 1
        return left


def place(point_sets: Sequence[PointSet], memory_limit: int) -> None:
    """Place sets on this thread's device, if it has one. Sets of few features, whose distances are
    computed without products, stay on the processor.
    """
    if (there := device.get()) is not None and not point_sets[0].arithmetic.direct:
        there.place(point_sets, memory_limit)


def distances(
    left: PointSet, rows: slice, right: PointSet, columns: slice, buffer: str, scratch: Scratch
) -> Array:
    """(m, n) approximate squared distances of rows of ``left`` from rows of ``right``, in a buffer
    of the thread.
    """
    shape = (len(left.squares[rows]), columns.stop - columns.start)
    values = scratch.take(buffer, *shape, left.arithmetic.dtype)
    if left.arithmetic.direct:
        squares = scratch.take("squares", *shape, np.float64)
        sequential_tile(left.coordinates[:, rows], right.coordinates[:, columns], values, squares)
        return values
    d = left.rows.d
    step = right.columns_at_once(shape[1])
    near = left.left_factors(rows, scratch) if d <= PART else left.rounded(rows, scratch)
    for start in range(columns.start, columns.stop, step):
        part = slice(start, min(start + step, columns.stop))
        out = values[:, start - columns.start : part.stop - columns.start]
        far = right.factors(part)
        if d <= PART:
            np.matmul(near, far.T, out=out)
            continue
        np.add(left.squares[rows, None], right.squares[part], out=out)
        # -2 a' . b' is added in parts of the features, as the error bound assumes.
        for first in range(0, d, PART):
            features = slice(first, min(first + PART, d))
            add_products(near[:, features], far[:, features], out, -2.0)
    return values
