"""Many radii at once on one tile: one sort instead of a comparison per radius."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from prviz.neighbors.balls import ROLES, Role
from prviz.neighbors.clouds import Cloud
from prviz.neighbors.kernels import Candidates, entries_within, ranges, round_up
from prviz.neighbors.products import Arithmetic
from prviz.neighbors.sorting import SortedTile
from prviz.neighbors.tiles import Array, Floats, Rows, Tile

__all__ = ["Radii", "SampleBalls", "SortedRows", "sorted_neighbours"]

Counts = NDArray[np.int32]


def sorted_neighbours(tile: Tile, order: int) -> Floats:
    """(m, order) exact squared distances of the ``order`` nearest samples of each row, increasing. No weights."""
    found = tile.nearest(order)
    squared = np.full(found.values.shape, np.inf)
    rows, slots = np.nonzero(np.isfinite(found.values))
    if tile.arithmetic.exact:
        squared[rows, slots] = tile.arithmetic.unscaled(found.values[rows, slots])
    else:
        squared[rows, slots] = tile.canonical(rows, found.columns[rows, slots])
    nearest: Floats = np.sort(squared, axis=1)[:, :order]
    return nearest


class SortedRows:
    """The samples of both roles around each row of a block, in the exact order of their distances. No weights.

    They reach as far as the ``orders`` ask: the order-th nearest among "real", "generated" and "both".
    """

    def __init__(self, tiles: Mapping[Role, Tile], orders: Mapping[str, int], whole: Mapping[Role, SortedTile]) -> None:
        """``whole``: tiles that are sorted already."""
        nearest = {role: whole.get(role, tile) for role, tile in tiles.items()}
        limits = _limits(nearest, orders)
        found = [each.up_to(limits) for each in nearest.values()]
        first = found[0].values.shape[1]
        values = np.concatenate([each.values for each in found], axis=1).astype(np.float64)
        order = np.argsort(values, axis=1)
        values = np.take_along_axis(values, order, axis=1)
        _resolve([tiles[role] for role in ROLES], found, values, order)
        inside = np.isfinite(values)
        real = order < first
        self._places = {"real": real & inside, "generated": ~real & inside, "both": inside}
        self._counts = {role: np.cumsum(self._places[role], axis=1, dtype=np.int32) for role in ROLES}
        self._last = _ends_of_ties(values)

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


def _limits(tiles: Mapping[Role, Tile | SortedTile], orders: Mapping[str, int]) -> Array:
    """(m, 1) values that hold everything up to the orders asked for, and what might be."""
    bounds = [tiles[role].bound(orders[role]) for role in ROLES if role in orders]
    if "both" in orders and max(orders.get(role, 0) for role in ROLES) < orders["both"]:
        # The nearest of both are no farther than as many of either, where one role has so many.
        bounds.append(np.minimum.reduce([tile.bound(orders["both"]) for tile in tiles.values()]))
    limits: Array = np.maximum.reduce(bounds)
    return limits


def _resolve(tiles: Sequence[Tile], found: Sequence[Candidates], values: Floats, order: NDArray[np.intp]) -> None:
    """Put canonical distances in the place of those too close to a neighbour to tell, and sort these rows again."""
    arithmetic = tiles[0].arithmetic
    if arithmetic.exact:
        return
    reach = arithmetic.error(tiles[0].norms, np.max(values, axis=1, where=np.isfinite(values), initial=0.0))
    with np.errstate(invalid="ignore"):
        close = np.diff(values, axis=1) <= 2 * reach[:, None]
    unclear = np.zeros(values.shape, dtype=bool)
    unclear[:, 1:] = close
    unclear[:, :-1] |= close
    rows, places = np.nonzero(unclear)
    if not len(rows):
        return
    slots, first = order[rows, places], found[0].values.shape[1]
    for tile, candidates, mine, shift in zip(tiles, found, (slots < first, slots >= first), (0, first), strict=True):
        picked = rows[mine]
        canonical = tile.canonical(picked, candidates.columns[picked, slots[mine] - shift])
        values[picked, places[mine]] = arithmetic.scaled(canonical)
    some = np.unique(rows)
    again = np.argsort(values[some], axis=1, kind="stable")  # nearly sorted: next to no work for this kind
    values[some] = np.take_along_axis(values[some], again, axis=1)
    order[some] = np.take_along_axis(order[some], again, axis=1)


def _ends_of_ties(values: Floats) -> NDArray[np.intp] | None:
    """For every flat place, the last place of its row with the same value; None: no two are the same."""
    same = (values[:, 1:] == values[:, :-1]) & np.isfinite(values[:, 1:])
    if not same.any():
        return None
    m, length = values.shape
    ends = np.arange(m * length).reshape(m, length)
    ends[:, :-1][same] = m * length
    last: NDArray[np.intp] = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    return last


class Radii:
    """Balls of several radii around every point, from their increasing exact squares."""

    def __init__(self, arithmetic: Arithmetic, squared: Floats) -> None:
        self._limits = _scaled(arithmetic, squared)

    def counts(self, rows: SortedTile) -> Counts:
        """(q, m) numbers of samples within each of the q radii around each row."""
        limits, tile = self._limits, rows.tile
        m, q = len(tile.values), len(limits)
        if tile.arithmetic.exact:
            return _by_radius(rows.within(np.broadcast_to(limits, (m, q))))
        errors = tile.arithmetic.error(tile.norms[:, None], limits[-1:])
        sure, possible = rows.between(np.nextafter(limits - errors, -np.inf), np.nextafter(limits + errors, np.inf))
        # What is neither sure nor out of the question for some radius, each sample once.
        starts = sure.copy()
        np.maximum(sure[:, 1:], possible[:, :-1], out=starts[:, 1:])
        lengths = np.maximum(possible - starts, 0)
        owners = np.repeat(np.arange(m), lengths.sum(axis=1))
        places = ranges(starts.ravel(), lengths.ravel())
        canonical = tile.canonical(owners, rows.samples((owners, places)))
        ranks = np.searchsorted(limits, _scaled(tile.arithmetic, canonical))
        decided = np.bincount(owners * (q + 1) + ranks, minlength=m * (q + 1)).reshape(m, q + 1)[:, :q]
        return _by_radius(possible + np.cumsum(decided - lengths, axis=1))


def _by_radius(counts: NDArray[np.integer]) -> Counts:
    return counts.T.astype(np.int32)


class SampleBalls:
    """Balls around all samples of a set, several around each. No weights."""

    def __init__(self, cloud: Cloud, squared: Floats) -> None:
        """``squared``: (n, q) exact squared radii, increasing along each row."""
        arithmetic = cloud.arithmetic
        limits = _scaled(arithmetic, squared)
        self._count = limits.shape[1]
        self._reach = arithmetic.error(cloud.norms, limits[:, -1])
        self._largest = round_up(limits[:, -1] + self._reach, arithmetic.dtype)[None, :]
        self._steps = _Steps(limits)

    def counts(self, tile: Tile) -> Counts:
        """(q, m) numbers of samples whose own balls hold each row of a tile, whose columns are the whole set."""
        (m, n), q = tile.values.shape, self._count
        flat, starts = entries_within(tile.values, self._largest, tile.scratch)
        rows = np.repeat(np.arange(m), np.diff(starts))
        columns = flat - rows * n
        ranks = _decided(tile, rows, columns, self._steps, columns, self._reach[columns])
        histogram = np.bincount(rows * (q + 1) + ranks, minlength=m * (q + 1)).reshape(m, q + 1)
        return np.cumsum(histogram[:, :q], axis=1, dtype=np.int32).T


class _Steps:
    """Rows of increasing limits, searched for many values at once."""

    def __init__(self, limits: Floats) -> None:
        count, q = limits.shape
        self._steps = [1 << bit for bit in reversed(range(q.bit_length()))]
        # Filled up by inf, which no value is above; the first place stands for "below all".
        self._width = (1 << q.bit_length()) + 1
        padded = np.full((count, self._width), np.inf)
        padded[:, 0], padded[:, 1 : q + 1] = -np.inf, limits
        self._flat = padded.ravel()

    def below(self, which: Rows, values: Floats) -> NDArray[np.intp]:
        """How many limits of row which[i] are < values[i], for every i: all binary searches in step."""
        if len(self._flat) == self._width:
            return np.searchsorted(self._flat[1:], values)
        start = which * self._width
        place = start.copy()
        for step in self._steps:
            place += step * (self._flat.take(place + step) < values)
        place -= start
        below: NDArray[np.intp] = place
        return below

    def clear(self, which: Rows, below: NDArray[np.intp], values: Floats, error: Floats) -> NDArray[np.bool_]:
        """Whether the limits on either side of each value are farther from it than its error."""
        place = which * self._width + below
        clear: NDArray[np.bool_] = self._flat.take(place) < values - error
        clear &= self._flat.take(place + 1) > values + error
        return clear


def _decided(tile: Tile, rows: Rows, columns: Rows, limits: _Steps, which: Rows, error: Floats) -> NDArray[np.intp]:
    """How many limits of row which[i] are below each entry, exactly."""
    values = tile.values[rows, columns].astype(np.float64)
    below = limits.below(which, values)
    if not tile.arithmetic.exact:
        unclear = np.flatnonzero(~limits.clear(which, below, values, error))
        canonical = tile.canonical(rows[unclear], columns[unclear] + tile.columns.start)
        below[unclear] = limits.below(which[unclear], _scaled(tile.arithmetic, canonical))
    return below


def _scaled(arithmetic: Arithmetic, squared: Floats) -> Floats:
    scaled: Floats = np.asarray(arithmetic.scaled(squared), dtype=np.float64)
    return scaled
