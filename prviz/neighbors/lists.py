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

# Distances at a time, of points that are looked at again.
_AGAIN_AT_ONCE = 1 << 20


class TooManyTiesError(Exception):
    """More samples than a list holds are as near as the last one wanted."""


def _capacity(order: int, roomy: bool) -> int:
    """Length of a list: the longer, the seldomer it has to be cleared of what is no longer among the nearest."""
    return 3 * order + 48 if roomy else order + order // 2 + 48


def bytes_needed(n: int, order: int, itemsize: int, *, roomy: bool) -> int:
    """Memory of the lists of ``n`` points."""
    return n * _capacity(order, roomy) * (itemsize + 4) + 24 * n


class NeighbourLists:
    """Per point of ``left``, the ``order`` nearest samples of ``right`` and all that might be among them.

    A point's list takes every sample within its limit, which is guessed: ``reach``, within which the order-th nearest
    should be, or where so many of the samples of the first tile lie as should lie there, and a good deal more, if the
    rows come in random order. `short` finds out where that was not enough, and these few points are looked at again.
    A list that is full is cleared of what is farther than its order-th value and what the bound on the products' error
    adds, which is the new limit.
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
        """(m,) up to where these points take samples; ``tile`` gives their distances from the first that they meet."""
        if np.isinf(self._limits[points]).any():
            seen = tile()
            first = np.minimum(seen.bound(self._expected(seen.values.shape[1]))[:, 0], self._guessed[points])
            with self._lock:
                np.minimum(self._limits[points], first, out=self._limits[points])
        # They only ever shrink: what another thread leaves out meanwhile may be taken all the same.
        return self._limits[points].copy()

    def add(self, points: slice, owners: Rows, samples: Rows, values: Array) -> None:
        """Take what is near: the values of some samples around these points, in any order; several threads may.

        Raises
        ------
        TooManyTiesError : so many samples are equally near that a list can't hold them.
        """
        with self._lock:
            lists = self._values[points], self._columns[points]
            left = append((owners, samples, values), self._limits[points], self._filled[points], lists)
            if len(left):
                self._clear(points.start, owners.take(left), samples.take(left), values.take(left))

    def _expected(self, seen: int) -> int:
        """How many of the ``order`` nearest may be among so many samples, but for one point in a million or so."""
        mean = self.order * seen / len(self._right)
        return min(self.order, math.ceil(mean + 5 * math.sqrt(mean) + 5))

    def _clear(self, first: int, owners: Rows, samples: Rows, values: Array) -> None:
        """Merge new samples into full lists, and keep what is still near. Owners count from the ``first`` point on."""
        order = np.argsort(owners, kind="stable")
        which, starts, lengths = np.unique(owners.take(order), return_index=True, return_counts=True)
        fresh = _padded(samples.take(order), values.take(order), starts, lengths)
        points = first + which
        held = self._held(points)
        values = np.concatenate([held.values, fresh.values], axis=1)
        columns = np.concatenate([held.columns, fresh.columns.astype(np.int32)], axis=1)
        self._put(points, values, columns, np.minimum(self._reach(points, values), self._limits[points]))

    def _put(self, points: Rows, values: Array, columns: Array, limits: Array) -> None:
        """The lists of some points anew, from padded ones, up to their limits."""
        inside = (values <= limits[:, None]) & np.isfinite(values)
        filled = inside.sum(axis=1)
        if filled.max() > self._length:
            raise TooManyTiesError
        owner, slot = np.nonzero(inside)
        place = points[owner], ranges(np.zeros_like(filled), filled)
        self._values[place], self._columns[place] = values[owner, slot], columns[owner, slot]
        self._filled[points], self._limits[points] = filled, limits

    def _reach(self, points: Rows, values: Array) -> Array:
        """What might be as near as the order-th of these values, at least ``order`` per point."""
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
        """(m,) up to which approximate distance the lists of some points hold everything."""
        return self._limits[rows]

    def candidates(self, rows: slice) -> Candidates:
        """The lists of some points, once all tiles have been added and the short ones have been looked at again."""
        return self._held(rows)

    def short(self, rows: slice) -> Rows:
        """Those of some points whose limits turn out to have been too small, once all tiles have been added."""
        points = np.arange(rows.start, rows.stop)
        return points[self._reach(points, self._held(rows).values) > self._limits[rows]]

    def look_again(self, points: Rows, scratch: Scratch) -> None:
        """The lists of some points anew, from all samples."""
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
