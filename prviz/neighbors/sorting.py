"""All samples of a tile around each of its rows, in the order of their approximate distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from prviz.neighbors.kernels import Candidates, round_down, round_up
from prviz.neighbors.tiles import Array, Floats, Rows, Tile

__all__ = ["SortedTile"]

# Low bits of a float64 that a widened float32 leaves free.
_FREE_BITS = 29


class SortedTile:
    """The rows of a tile sorted whole, for questions about many distances at once. No weights.

    A float32 distance is sorted together with its column, in the bits that it leaves free when it is widened to
    float64: several times faster than an order of places, and read with care it is still the distance. Exact distances
    need no column, because nobody asks for it.

    name : of the buffers in the tile's scratch, overwritten by the next sorted tile of this name.
    """

    def __init__(self, tile: Tile, name: str) -> None:
        self.tile = tile
        values, (m, n) = tile.values, tile.values.shape
        self._packed = not tile.arithmetic.exact and values.dtype == np.float32 and n <= 1 << _FREE_BITS
        self._order: Rows | None = None
        if not (self._packed or tile.arithmetic.exact):
            self._order = np.argsort(values, axis=1)
            self._keys: Array = np.take_along_axis(values, self._order, axis=1)
            return
        self._keys = tile.scratch.take(f"sorted {name}", m, n, np.float64 if self._packed else values.dtype)
        np.copyto(self._keys, values)
        if self._packed:
            self._keys.view(np.int64)[...] |= np.arange(n)
        self._keys.sort(axis=1)

    @property
    def _mask(self) -> np.int64:
        """The bits of a key that hold its column."""
        return np.int64((1 << (self._keys.shape[1] - 1).bit_length()) - 1)

    def below(self, limits: Floats) -> Rows:
        """(m, q) numbers of samples nearer than each of (m, q) limits, in the tile's units."""
        m, n = self._keys.shape
        starts = np.broadcast_to(np.arange(m)[:, None] * n, limits.shape)
        return _count_below(self._keys.ravel(), n, starts, self._first_beyond(limits))

    def within(self, limits: Floats) -> Rows:
        """(m, q) numbers of samples as near as each of (m, q) limits or nearer, in the tile's units."""
        return self.below(self._next(limits))

    def between(self, low: Floats, high: Floats) -> tuple[Rows, Rows]:
        """`below` of limits (m, q) and `within` of others, not lower, which seldom have more to count."""
        (m, n), flat = self._keys.shape, self._keys.ravel()
        below, beyond = self.below(low), self._first_beyond(self._next(high))
        starts = np.arange(m)[:, None] * n
        more = np.nonzero((below < n) & (flat.take(starts + below, mode="clip") < beyond))
        within = below.copy()
        within[more] = _count_below(flat, n, starts[more[0], 0], beyond[more])
        return below, within

    def _next(self, limits: Floats) -> Floats:
        """The lowest possible distances above limits."""
        dtype = self.tile.values.dtype
        above: Floats = np.nextafter(round_down(limits, dtype), dtype.type(np.inf)).astype(np.float64)
        return above

    def _first_beyond(self, limits: Floats) -> Floats:
        """What keys are compared with: those below it are of distances below the limits."""
        if not self._packed:
            return limits
        # Between two neighbouring float32 numbers lie all keys of the lower one; below 0 the column counts down.
        return np.where(limits < 0, -np.inf, round_up(limits, np.float32).astype(np.float64))

    def samples(self, where: Any) -> Rows:
        """Which samples (columns of the whole set) are at some places, an index of rows and places."""
        if self.tile.arithmetic.exact:
            raise ValueError("exact distances are sorted alone")
        order = self._keys.view(np.int64)[where] & self._mask if self._order is None else self._order[where]
        found: Rows = order + self.tile.columns.start
        return found

    def bound(self, order: int) -> Array:
        """As `Tile.bound`."""
        n = self._keys.shape[1]
        if order >= n:
            return np.full((len(self._keys), 1), np.inf, dtype=self.tile.values.dtype)
        return self.tile.widened(self._values(slice(order - 1, order)))

    def up_to(self, limits: Array) -> Candidates:
        """All samples within some limits (m, 1), in order; without their numbers where distances are exact."""
        found = self.within(limits.astype(np.float64))
        first = slice(0, int(found.max(initial=1)))
        values = self._values(first)
        values[np.arange(first.stop) >= found] = np.inf
        exact = self.tile.arithmetic.exact
        columns = np.full(values.shape, -1) if exact else self.samples((slice(None), first))
        return Candidates(values, columns, None)

    def _values(self, places: slice) -> Array:
        """A copy of the distances at some places, in the tile's precision."""
        keys = self._keys[:, places]
        if self._packed:
            keys = (keys.view(np.int64) & ~self._mask).view(np.float64)
        values: Array = keys.astype(self.tile.values.dtype)
        return values


def _count_below(flat: Array, n: int, starts: Rows, limits: Floats) -> Rows:
    """How many of the n increasing values from each start are < each limit: all binary searches in step."""
    half = 1 << (n.bit_length() - 1)
    place = starts + (n - half) * (flat.take(starts + (half - 1)) < limits)
    while half > 1:
        half //= 2
        place += half * (flat.take(place + (half - 1)) < limits)
    place += flat.take(place) < limits
    place -= starts
    return place
