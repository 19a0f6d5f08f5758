"""Sets of samples made ready for products: rows of an array without a copy, duplicates merged, factors and norms."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prviz.neighbors.kernels import Scratch
from prviz.neighbors.products import Arithmetic

__all__ = ["DistinctRows", "PointSet", "RowView", "merge_duplicates"]

# Largest share of distinct rows at which duplicates are merged; merging a few duplicates does not pay.
_WORTH_MERGING = 7 / 8

# Columns that are hashed first: enough to tell rows apart where nearly all of them differ.
_PROBED_COLUMNS = 8

_CHUNK_VALUES = 1 << 17
_MADE_AT_ONCE, _MADE_KEPT = 2048, 2
_WORDS = {2: np.uint16, 4: np.uint32, 8: np.uint64}


@dataclass(frozen=True, eq=False)
class RowView:
    """Some rows of an array, perhaps of a memory-mapped file: nothing is copied before it is needed.

    source : (N, d) values. index : (n,) rows of it; None: all.
    """

    source: NDArray[Any]
    index: NDArray[np.intp] | None = None

    def __len__(self) -> int:
        return len(self.source) if self.index is None else len(self.index)

    @property
    def d(self) -> int:
        """Number of features."""
        return int(self.source.shape[1])

    def numbers(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Row numbers in ``source`` of some of these rows."""
        return rows if self.index is None else self.index[rows]

    def take(self, rows: NDArray[np.intp] | slice) -> NDArray[Any]:
        """The values of some of these rows; a view where it can be one."""
        chosen = rows if self.index is None else self.index[rows]
        return self.source[chosen] if isinstance(chosen, slice) else self.source.take(chosen, axis=0)

    def chunks(self) -> Iterator[tuple[slice, NDArray[Any]]]:
        """All rows, some at a time."""
        step = max(1, _CHUNK_VALUES // self.d)
        for start in range(0, len(self), step):
            part = slice(start, min(start + step, len(self)))
            yield part, self.take(part)

    def subset(self, rows: NDArray[np.intp]) -> RowView:
        """Some of these rows."""
        return RowView(self.source, self.numbers(rows))


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """Distinct rows of a set, their multiplicities, and the distinct row of each original one.

    ``weights`` and ``inverse`` are None when the rows were left as they are.
    """

    rows: RowView
    weights: NDArray[np.float64] | None = None
    inverse: NDArray[np.intp] | None = None

    def expand(self, results: NDArray[Any]) -> NDArray[Any]:
        """One result per original row, from one per distinct row, along the last axis."""
        return results if self.inverse is None else results[..., self.inverse]


def merge_duplicates(rows: RowView) -> DistinctRows:
    """The distinct rows of a set, if duplicates are many; a collapsed set becomes a single row."""
    few = np.unique(np.linspace(0, rows.d - 1, _PROBED_COLUMNS).astype(np.intp))
    if len(np.unique(_hashes(rows, few))) > _WORTH_MERGING * len(rows):
        return DistinctRows(rows)
    _, first, inverse, counts = np.unique(_hashes(rows), return_index=True, return_inverse=True, return_counts=True)
    if len(first) > _WORTH_MERGING * len(rows):
        return DistinctRows(rows)
    distinct = rows.subset(first)
    # Equal hashes are only a hint: with any collision, nothing is merged.
    if not all(np.array_equal(distinct.take(inverse[part]), values) for part, values in rows.chunks()):
        return DistinctRows(rows)
    return DistinctRows(distinct, counts.astype(np.float64), inverse)


def _hashes(rows: RowView, columns: NDArray[np.intp] | None = None) -> NDArray[np.uint64]:
    """One number per row, from the bits of all or some columns; equal rows have equal ones."""
    odd = np.random.default_rng(0).integers(0, 2**63, size=rows.d, dtype=np.uint64) * 2 + 1
    hashes = np.empty(len(rows), dtype=np.uint64)
    for part, values in rows.chunks():
        picked = values if columns is None else values[:, columns]
        words = np.ascontiguousarray(picked).view(_WORDS[values.dtype.itemsize])
        hashes[part] = words.astype(np.uint64) @ (odd if columns is None else odd[columns])
    return hashes


class PointSet:
    """Merged set with norms and factors of an arithmetic; factors are stored or computed on demand."""

    def __init__(self, merged: DistinctRows, arithmetic: Arithmetic, *, stored: bool = True) -> None:
        self.merged = merged
        self.rows = merged.rows
        self.weights = merged.weights
        self.arithmetic = arithmetic
        n, d = len(self.rows), self.rows.d
        self.norms = np.zeros(n)
        self.squares = np.zeros(n, dtype=arithmetic.dtype)
        self._factors: NDArray[Any] | None = None
        self._made: OrderedDict[tuple[int, int], NDArray[Any]] = OrderedDict()
        self._lock = threading.Lock()
        if arithmetic.direct:
            self.coordinates = np.ascontiguousarray(self.rows.take(slice(None)).T, dtype=np.float64)
            return
        self._factors = np.empty((n, d + 2), dtype=arithmetic.dtype) if stored else None
        scratch = Scratch()
        for part, values in self.rows.chunks():
            rounded = scratch.take("rounded", len(values), d, arithmetic.dtype)
            if self._factors is not None:
                rounded = self._factors[part, :d]
            arithmetic.round(values, rounded)
            squares = arithmetic.squared_norms(rounded)
            self.squares[part], self.norms[part] = squares, arithmetic.padded_norms(squares)
        if self._factors is not None:
            self._factors[:, d], self._factors[:, d + 1] = 1, self.squares

    def __len__(self) -> int:
        return len(self.rows)

    def factors(self, part: slice) -> NDArray[Any]:
        """(m, d + 2) rows b', 1, |b'|^2 of these samples; the last ones computed are kept."""
        if self._factors is not None:
            return self._factors[part]
        key = (part.start, part.stop)
        with self._lock:
            if key not in self._made:
                made = np.empty((part.stop - part.start, self.rows.d + 2), dtype=self.arithmetic.dtype)
                self.arithmetic.round(self.rows.take(part), made[:, :-2])
                made[:, -2], made[:, -1] = 1, self.squares[part]
                self._made[key] = made
                while len(self._made) > _MADE_KEPT:
                    self._made.popitem(last=False)
            return self._made[key]

    def made_at_once(self, n: int) -> int:
        """Number of samples, of ``n``, whose factors to request at a time."""
        return n if self._factors is not None else min(n, _MADE_AT_ONCE)

    def rounded(self, part: slice, scratch: Scratch) -> NDArray[Any]:
        """(m, d) rows a'."""
        if self._factors is not None:
            return self._factors[part, :-2]
        rounded = scratch.take("rounded", part.stop - part.start, self.rows.d, self.arithmetic.dtype)
        self.arithmetic.round(self.rows.take(part), rounded)
        return rounded

    def left_factors(self, part: slice, scratch: Scratch) -> NDArray[Any]:
        """(m, d + 2) rows -2a', |a'|^2, 1: the other side of a product in one go."""
        left = scratch.take("left factors", part.stop - part.start, self.rows.d + 2, self.arithmetic.dtype)
        np.multiply(self.rounded(part, scratch), -2, out=left[:, :-2])
        left[:, -2], left[:, -1] = self.squares[part], 1
        return left
