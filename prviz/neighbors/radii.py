"""Many radii at once: counts in balls of every radius from the rank of each distance among the radii."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from prviz.neighbors import native
from prviz.neighbors.kernels import Scratch, entries_within, ranges, round_up
from prviz.neighbors.point_sets import PointSet
from prviz.neighbors.products import Arithmetic
from prviz.neighbors.sorting import sort_numbered
from prviz.neighbors.tiles import Array, Floats, Rows, Tile

__all__ = ["Counts", "Radii", "SampleRadii"]

Counts = NDArray[np.int32]


class _Ranked(NamedTuple):
    """Entries of a tile by the number of limits below them, and entries too close to a limit to decide.

    counts : (m, q + 1) numbers of entries of each row, by number of limits below. rows, columns : (u,) undecided.
    """

    counts: NDArray[np.int64]
    rows: Rows
    columns: Rows


class Radii:
    """Balls of several radii around every point, from their increasing exact squares (q,)."""

    def __init__(self, arithmetic: Arithmetic, squared: Floats) -> None:
        self._limits = _scaled(arithmetic, squared)

    def counts(self, tile: Tile) -> Counts:
        """(q, m) numbers of samples within each of the q radii around each row of a tile."""
        limits, errors = self._limits, tile.arithmetic.error(tile.norms, self._limits[-1])
        ranked = _by_row(tile.values, limits, errors, tile.arithmetic.exact, tile.scratch)
        return _decided(tile, ranked, limits[None, :], np.zeros_like(ranked.columns))


class SampleRadii:
    """Balls around all samples of a set, several around each. No weights."""

    def __init__(self, point_set: PointSet, squared: Floats) -> None:
        """``squared``: (n, q) exact squared radii, increasing along each row."""
        self._limits = _scaled(point_set.arithmetic, squared)
        self._errors = point_set.arithmetic.error(point_set.norms, self._limits[:, -1])
        self._reach = round_up(self._limits[:, -1] + self._errors, point_set.arithmetic.dtype)

    def counts(self, tile: Tile) -> Counts:
        """(q, m) numbers of samples whose own balls hold each row of a tile, whose columns are the whole set."""
        found = _by_column(tile, self._limits, self._reach, self._errors)
        return _decided(tile, found, self._limits, found.columns)


def _by_row(tile: Array, limits: Floats, errors: Floats, exact: bool, scratch: Scratch) -> _Ranked:
    """Rank among limits (q,) shared by all entries, with errors of the rows (m,)."""
    if native.serves(tile):
        return _Ranked(*native.rank_rows(tile, limits, errors, exact))
    (m, n), q = tile.shape, len(limits)
    keys = scratch.take("keys", m, n, np.float64)
    np.copyto(keys, tile)
    values, columns = sort_numbered(keys, tile.dtype)
    which, off = np.repeat(np.arange(m), q), np.where(exact, 0.0, errors)[:, None]
    possible = _below(values, which, np.nextafter(limits + off, np.inf).ravel()).reshape(m, q)
    sure = possible if exact else _below(values, which, (limits - off).ravel()).reshape(m, q)
    # Entries that are undecided for some limit, each once.
    starts = np.maximum(sure, np.pad(possible[:, :-1], ((0, 0), (1, 0))))
    lengths = np.maximum(possible - starts, 0)
    owners, places = np.repeat(np.arange(m), lengths.sum(axis=1)), ranges(starts.ravel(), lengths.ravel())
    clear = possible - np.cumsum(lengths, axis=1)
    counts = np.diff(clear, axis=1, prepend=0, append=clear[:, -1:])
    return _Ranked(counts, owners, columns[owners, places])


def _by_column(tile: Tile, limits: Floats, reach: Array, errors: Floats) -> _Ranked:
    """Rank among the limits of the columns (n, q), with errors (n,); entries beyond the reach (n,) are left out."""
    exact = tile.arithmetic.exact
    if native.serves(tile.values, reach):
        return _Ranked(*native.rank_columns(tile.values, limits, reach, errors, exact))
    rows, columns, values, _ = entries_within(tile.values, None, reach, tile.scratch)
    values, errors = values.astype(np.float64), errors.take(columns)
    places, (m, q) = _below(limits, columns, values), (len(tile.values), limits.shape[1])
    unclear = np.zeros(len(rows), dtype=np.bool_)
    if not exact:
        flat, at = limits.ravel(), columns * q + places
        unclear = (places > 0) & (flat.take(at - 1) >= values - errors)
        unclear |= (places < q) & (flat.take(at, mode="clip") <= values + errors)
    counts = np.bincount((rows * (q + 1) + places)[~unclear], minlength=m * (q + 1)).reshape(m, q + 1)
    return _Ranked(counts, rows[unclear], columns[unclear])


def _decided(tile: Tile, ranked: _Ranked, limits: Floats, which: Rows) -> Counts:
    """(q, m) numbers of entries at or below each limit, the unclear ones by the tables (tables, q) which[i]."""
    counts, rows, columns = ranked
    reference = _scaled(tile.arithmetic, tile.reference(rows, columns + tile.columns.start))
    places = _below(limits, which, reference)
    counts += np.bincount(rows * counts.shape[1] + places, minlength=counts.size).reshape(counts.shape)
    return np.cumsum(counts[:, :-1], axis=1, dtype=np.int32).T


def _below(limits: Floats, which: Rows, values: Floats) -> Rows:
    """Number of increasing limits of table which[i] that are < values[i]: all binary searches in step."""
    if len(limits) == 1:
        return np.searchsorted(limits[0], values)
    q, flat = limits.shape[1], limits.ravel()
    start = which * q
    place = start.copy()
    left = q
    while left > 1:
        half = left // 2
        place += half * (flat.take(place + (half - 1)) < values)
        left -= half
    place += flat.take(place) < values
    place -= start
    found: Rows = place
    return found


def _scaled(arithmetic: Arithmetic, squared: Floats) -> Floats:
    scaled: Floats = np.ascontiguousarray(arithmetic.scaled(squared), dtype=np.float64)
    return scaled
