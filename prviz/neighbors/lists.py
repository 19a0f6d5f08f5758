"""The nearest samples of every point of a set, gathered from tiles that come in any order."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable

import numpy as np

from prviz.neighbors.kernels import Candidates, Scratch, append, ranges, round_up
from prviz.neighbors.point_sets import DistinctRows, PointSet
from prviz.neighbors.tiles import Array, Floats, Rows, Tile, make_tile

__all__ = ["NeighbourLists", "TooManyTiesError", "bytes_needed"]

# Distances computed at a time for points whose lists were too short.
_AGAIN_AT_ONCE = 1 << 20


class TooManyTiesError(Exception):
    """Raised where more samples than a list holds are tied with the last one needed."""


def _capacity(order: int, roomy: bool) -> int:
    """Length of a list; a longer one is pruned less often."""
    return 3 * order + 48 if roomy else order + order // 2 + 48


def bytes_needed(n: int, order: int, itemsize: int, *, roomy: bool) -> int:
    """Memory of the lists of ``n`` points."""
    return n * _capacity(order, roomy) * (itemsize + 4) + 24 * n


class NeighbourLists:
    """Per point of ``left``, the ``order`` nearest samples of ``right`` and all that might be among them.

    A list takes every sample within an estimated limit: ``reach``, or a quantile of the first tile with a wide margin
    where that is smaller (rows come in random order). `short` finds the few points whose limit was too small, and
    `look_again` rebuilds their lists. A full list is pruned to its order-th value plus the bound on the products'
    error, which becomes the new limit.
    """

    def __init__(self, left: PointSet, right: PointSet, order: int, reach: Floats, *, roomy: bool) -> None:
        n, dtype = len(left), left.arithmetic.dtype
        self.order = order
        self._left, self._right = left, right
        self._length = _capacity(order, roomy)
        self._values = np.empty((n, self._length), dtype=dtype)
        self._columns = np.empty((n, self._length), dtype=np.int32)
        self._filled = np.zeros(n, dtype=np.intp)
        self._limits = np.full(n, np.inf, dtype=dtype)
        self._guessed = round_up(reach, dtype)
        self._lock = threading.Lock()

    def limits(self, points: slice, tile: Callable[[], Tile]) -> Array:
        """(m,) limits within which these points take samples; ``tile`` gives the first tile, if it is needed."""
        if np.isinf(self._limits[points]).any():
            seen = tile()
            first = np.minimum(seen.bound(self._expected(seen.values.shape[1]))[:, 0], self._guessed[points])
            with self._lock:
                np.minimum(self._limits[points], first, out=self._limits[points])
        # Limits only shrink, so that an older limit of another thread takes too much, never too little.
        return self._limits[points].copy()

    def add(self, points: slice, owners: Rows, samples: Rows, values: Array) -> None:
        """Add the samples within the limits of these points, in any order; thread-safe.

        Raises
        ------
        TooManyTiesError : more samples are equally near than a list holds.
        """
        with self._lock:
            lists = self._values[points], self._columns[points]
            left = append((owners, samples, values), self._limits[points], self._filled[points], lists)
            if len(left):
                self._clear(points.start, owners.take(left), samples.take(left), values.take(left))

    def _expected(self, seen: int) -> int:
        """Most of the ``order`` nearest among the ``seen`` samples, except for about one point in a million."""
        mean = self.order * seen / len(self._right)
        return min(self.order, math.ceil(mean + 5 * math.sqrt(mean) + 5))

    def _clear(self, first: int, owners: Rows, samples: Rows, values: Array) -> None:
        """Merge new samples into full lists and prune these. Owners count from the ``first`` point on."""
        order = np.argsort(owners, kind="stable")
        which, starts, lengths = np.unique(owners.take(order), return_index=True, return_counts=True)
        fresh = _padded(samples.take(order), values.take(order), starts, lengths)
        points = first + which
        held = self._held(points)
        values = np.concatenate([held.values, fresh.values], axis=1)
        columns = np.concatenate([held.columns, fresh.columns.astype(np.int32)], axis=1)
        self._put(points, values, columns, np.minimum(self._reach(points, values), self._limits[points]))

    def _put(self, points: Rows, values: Array, columns: Array, limits: Array) -> None:
        """Replace the lists of some points by padded ones, up to their limits."""
        inside = (values <= limits[:, None]) & np.isfinite(values)
        filled = inside.sum(axis=1)
        if filled.max() > self._length:
            raise TooManyTiesError
        owner, slot = np.nonzero(inside)
        place = points[owner], ranges(np.zeros_like(filled), filled)
        self._values[place], self._columns[place] = values[owner, slot], columns[owner, slot]
        self._filled[points], self._limits[points] = filled, limits

    def _reach(self, points: Rows, values: Array) -> Array:
        """Limits that include everything that may be as near as the order-th of these values."""
        nearest: Array = np.partition(values, self.order - 1, axis=1)[:, self.order - 1]
        arithmetic = self._left.arithmetic
        if arithmetic.exact:
            return nearest
        wide = nearest.astype(np.float64)
        return round_up(wide + 2 * arithmetic.error(self._left.norms[points], wide), arithmetic.dtype)

    def _held(self, points: Rows | slice) -> Candidates:
        filled = self._filled[points]
        width = int(filled.max(initial=self.order))
        values, columns = self._values[points, :width], self._columns[points, :width]
        if isinstance(points, slice):
            values, columns = values.copy(), columns.copy()
        padding = np.arange(width) >= filled[:, None]
        np.putmask(values, padding, np.inf)
        np.putmask(columns, padding, 0)
        return Candidates(values, columns, None)

    def complete(self, rows: slice) -> Array:
        """(m,) approximate distances up to which the lists of some points are complete."""
        return self._limits[rows]

    def candidates(self, rows: slice) -> Candidates:
        """Lists of some points, once all tiles have been added and short lists rebuilt."""
        return self._held(rows)

    def short(self, rows: slice) -> Rows:
        """Points whose limits were too small, once all tiles have been added."""
        points = np.arange(rows.start, rows.stop)
        return points[self._reach(points, self._held(rows).values) > self._limits[rows]]

    def look_again(self, points: Rows, scratch: Scratch) -> None:
        """Rebuild the lists of some points from all samples."""
        few = PointSet(DistinctRows(self._left.rows.subset(points)), self._left.arithmetic)
        everything, step = slice(0, len(self._right)), max(1, _AGAIN_AT_ONCE // len(self._right))
        for start in range(0, len(points), step):
            some = slice(start, min(start + step, len(points)))
            found = make_tile(few, some, self._right, everything, "again", scratch).nearest(self.order)
            self._put(points[some], found.values, found.columns, self._reach(points[some], found.values))


def _padded(samples: Rows, values: Array, starts: Rows, lengths: Rows) -> Candidates:
    """Runs of samples side by side, one row each."""
    slots = np.arange(int(lengths.max()))
    places, padding = starts[:, None] + slots, slots >= lengths[:, None]
    runs = values.take(places, mode="clip")
    runs[padding] = np.inf
    return Candidates(runs, samples.take(places, mode="clip"), None)
