"""Samples around each point of a tile in the exact order of their distances, up to the orders needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from prviz.neighbors.balls import ROLES, Role
from prviz.neighbors.kernels import Entries, entries_within, true_places
from prviz.neighbors.radii import Counts
from prviz.neighbors.sorting import sort_nearly_sorted, sort_numbered
from prviz.neighbors.tiles import Array, Floats, Rows, Tile

__all__ = ["SortedRows", "sorted_neighbours"]

# Larger than any distance in a tile's units; its low bits are 0, as those of a widened float32.
_PADDING = 2.0**1000


def sorted_neighbours(tile: Tile, order: int) -> Floats:
    """(m, order) exact squared distances of the ``order`` nearest samples of each row, increasing. No weights."""
    found = tile.nearest(order)
    squared = np.full(found.values.shape, np.inf)
    rows, slots = np.nonzero(np.isfinite(found.values))
    if tile.arithmetic.exact:
        squared[rows, slots] = tile.arithmetic.unscaled(found.values[rows, slots])
    else:
        squared[rows, slots] = tile.reference(rows, found.columns[rows, slots])
    nearest: Floats = np.sort(squared, axis=1)[:, :order]
    return nearest


class SortedRows:
    """The samples of both roles around each row of a block, in the exact order of their distances. No weights.

    ``orders``: the largest order needed among "real", "generated" and "both".
    """

    def __init__(self, tiles: Mapping[Role, Tile], orders: Mapping[str, int]) -> None:
        both, limits = [tiles[role] for role in ROLES], _limits(tiles, orders)[:, 0]
        found = [entries_within(tile.values, limits, None, tile.scratch) for tile in both]
        real, generated = (np.diff(entries.starts) for entries in found)
        values, slots = _sorted(both[0], found)
        inside = np.arange(values.shape[1]) < (real + generated)[:, None]
        _resolve(both, found, (values, slots), inside)
        self._places = {"real": slots < real[:, None], "generated": slots >= real[:, None], "both": inside}
        for role in ROLES:
            self._places[role] &= inside
        self._counts = {role: np.cumsum(self._places[role], axis=1, dtype=np.int32) for role in ROLES}
        self._last = _ends_of_ties(values, inside)

    def counts(self, among: str, orders: NDArray[np.intp], role: Role) -> Counts:
        """(orders, m) numbers of samples of ``role`` at or below the order-th smallest distance ``among`` some."""
        places = self._places[among]
        m, length = places.shape
        flat = np.flatnonzero(places)
        starts = np.searchsorted(flat, np.arange(m) * length)
        at = flat[starts + orders[:, None] - 1]
        if self._last is not None:
            at = self._last.ravel()[at]
        counts: Counts = self._counts[role].ravel()[at]
        return counts


def _limits(tiles: Mapping[Role, Tile], orders: Mapping[str, int]) -> Array:
    """(m, 1) limits that surely include everything up to the orders needed."""
    bounds = [tiles[role].bound(orders[role]) for role in ROLES if role in orders]
    if "both" in orders and max(orders.get(role, 0) for role in ROLES) < orders["both"]:
        # The order-th nearest of both roles is no farther than the order-th nearest of one role.
        bounds.append(np.minimum.reduce([tile.bound(orders["both"]) for tile in tiles.values()]))
    limits: Array = np.maximum.reduce(bounds)
    return limits


def _sorted(tile: Tile, found: Sequence[Entries]) -> tuple[Floats, Rows]:
    """Values (m, length) of each row's entries in two tiles in order, padded, and which of them they are, by number.

    The result is a buffer of the tile, valid until another block is sorted.
    """
    lengths = [np.diff(entries.starts) for entries in found]
    m, length = len(lengths[0]), max(1, int(np.add(*lengths).max()))
    keys = tile.scratch.take("keys", m, length, np.float64)
    keys[...] = _PADDING
    for entries, before in zip(found, (np.zeros_like(lengths[0]), lengths[0]), strict=True):
        first = np.arange(m) * length + before - entries.starts[:-1]
        keys.ravel()[np.arange(len(entries.rows)) + first.take(entries.rows)] = entries.values
    return sort_numbered(keys, tile.values.dtype)


def _resolve(
    tiles: Sequence[Tile], found: Sequence[Entries], ordered: tuple[Floats, Rows], inside: NDArray[np.bool_]
) -> None:
    """Put reference distances in the place of those too close to a neighbour to tell, and sort these rows again."""
    (values, slots), arithmetic = ordered, tiles[0].arithmetic
    if arithmetic.exact:
        return
    farthest = values[np.arange(len(values)), np.maximum(inside.sum(axis=1) - 1, 0)]
    reach = arithmetic.error(tiles[0].norms, farthest)
    close = (values[:, 1:] <= values[:, :-1] + 2 * reach[:, None]) & inside[:, 1:]
    unclear = np.zeros(values.shape, dtype=np.bool_)
    unclear[:, 1:] = close
    unclear[:, :-1] |= close
    rows, places = true_places(unclear)
    if not len(rows):
        return
    real = np.diff(found[0].starts)
    numbers = slots[rows, places]
    first = numbers < real[rows]
    for tile, entries, mine, before in zip(tiles, found, (first, ~first), (np.zeros_like(real), real), strict=True):
        owners = rows[mine]
        columns = entries.columns[entries.starts[owners] + numbers[mine] - before[owners]]
        values[owners, places[mine]] = arithmetic.scaled(tile.reference(owners, columns + tile.columns.start))
    sort_nearly_sorted(values, slots)


def _ends_of_ties(values: Floats, inside: NDArray[np.bool_]) -> NDArray[np.intp] | None:
    """Last flat index of the same value in its row, for every flat index; None: no two values are equal."""
    same = (values[:, 1:] == values[:, :-1]) & inside[:, 1:]
    if not same.any():
        return None
    m, length = values.shape
    ends = np.arange(m * length).reshape(m, length)
    ends[:, :-1][same] = m * length
    last: NDArray[np.intp] = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    return last
