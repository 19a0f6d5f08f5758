"""Inner loops over the array of one tile of distances, in NumPy: nearest candidates, counts,
sorting, outward rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prviz.arrays import Array, Counts, Flags, Floats, Ints
from prviz.neighbors import native
from prviz.neighbors.native import Small

# Words of 64 bits hold eight bytes of 0 or 1. This many words can be added without a byte exceeding
# 255.
_LANE_WORDS = 255
# Rows of bytes of 0 or 1: this many can be added in uint8 without exceeding 255.
_BYTE_ROWS = 255
# Number of low bits that are zero in a float64 converted from float32.
_FREE_BITS = 29
_PAIRS = np.uint64(0x00FF00FF00FF00FF)
_QUADS = np.uint64(0x0001000100010001)


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


def round_up(values: Array, dtype: Any) -> Array:
    """For each value the smallest number of ``dtype`` that is >= it."""
    with np.errstate(over="ignore"):
        rounded = values.astype(dtype)
        return np.where(rounded < values, np.nextafter(rounded, np.array(np.inf, dtype)), rounded)


def round_down(values: Array, dtype: Any) -> Array:
    """For each value the largest number of ``dtype`` that is <= it."""
    return -round_up(-values, dtype)


def mask_within(tile: Array, limits: Array, name: str, scratch: Scratch) -> Flags:
    """Mask of the entries of a tile that are <= limits (m, 1) or (1, n); each row is padded by
    False to a multiple of 8 bytes.
    """
    m, n = tile.shape
    mask = scratch.take(name, m, -(-n // 8) * 8, np.bool_)
    mask[:, n:] = False
    np.less_equal(tile, limits, out=mask[:, :n])
    return mask


def row_counts(mask: Flags, weights: Floats | None) -> Counts:
    """For each row of a padded mask, the number or the total weight of its True entries, added
    eight bytes at a time.
    """
    if weights is not None:
        return np.rint(mask[:, : len(weights)] @ weights).astype(np.int64)
    words = mask.view(np.uint64)
    lanes = np.add.reduceat(words, np.arange(0, words.shape[1], _LANE_WORDS), axis=1)
    pairs = (lanes & _PAIRS) + ((lanes >> np.uint64(8)) & _PAIRS)
    counts: Counts = ((pairs * _QUADS) >> np.uint64(48)).sum(axis=1, dtype=np.int64)
    return counts


def column_counts(mask: Flags, n: int) -> Counts:
    """For each of the first ``n`` columns of a padded mask, the number of its True entries."""
    counts = np.zeros(n, dtype=np.int64)
    for start in range(0, len(mask), _BYTE_ROWS):
        part = mask[start : start + _BYTE_ROWS, :n].view(np.uint8)
        counts += np.add.reduce(part, axis=0, dtype=np.uint8)
    return counts


def differences(a: Flags, b: Flags, rows: Ints) -> tuple[Ints, Ints]:
    """The pairs (row, column) at which two padded masks differ, in the given rows only."""
    words = a.view(np.uint64)[rows] ^ b.view(np.uint64)[rows]
    picked, word = true_places(words != 0)
    entry, byte = true_places(words[picked, word].view(np.bool_).reshape(-1, 8))
    return rows[picked[entry]], word[entry] * 8 + byte


def smallest_bound(tile: Array, k: int) -> Array:
    """An upper bound on the k-th smallest entry of each row, which has more than k entries: (m, 1).

    The bound is the k-th smallest minimum over groups of columns; there are far fewer groups than
    columns.
    """
    m, n = tile.shape
    groups, width = minima_of(n, k)
    minima = tile[:, : groups * width].reshape(m, groups, width).min(axis=1)
    minima.partition(k - 1, axis=1)
    bound: Array = minima[:, k - 1 : k]
    return bound


def minima_of(n: int, k: int) -> tuple[int, int]:
    """Number of groups of columns over which minima are taken, at least k; and number of columns in
    each group.
    """
    # With groups this wide, two of the k smallest entries seldom fall into one group, and minima
    # run at full speed.
    groups = max(n // max(3 * k, 128), 1)
    return groups, n // groups


def true_places(mask: Flags) -> tuple[Ints, Ints]:
    """Rows and columns of the True entries of a contiguous mask, in row-major order."""
    rows, columns = np.divmod(np.flatnonzero(mask), mask.shape[1])
    return rows, columns


def slices(n: int, step: int) -> list[slice]:
    """Slices that cover range(n), each of length ``step`` except perhaps the last."""
    return [slice(start, min(start + step, n)) for start in range(0, n, step)]


def ranges(starts: Ints, lengths: Ints) -> Ints:
    """Concatenated ranges of integers: range i begins at ``starts[i]`` and has ``lengths[i]``
    integers.
    """
    ends = np.cumsum(lengths)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + lengths, lengths)


@dataclass(frozen=True, eq=False)
class Candidates:
    """For each row of a tile, all fit samples whose distance is within a limit of that row; shorter
    rows are padded.

    values : (m, L) approximate squared distances, inf as padding.
    columns : (m, L) indices of the samples in their set.
    weights : (m, L) number of samples that each candidate stands for, 0 for padding; None: one
    each.
    """

    values: Array
    columns: Array
    weights: Floats | None

    def weights_or_ones(self) -> Floats:
        """The weights as an array; ones if they are None."""
        if self.weights is not None:
            return self.weights
        return np.isfinite(self.values).astype(np.float64)

    def weights_at(self, rows: Ints, slots: Ints) -> Floats:
        """Weights of the candidates at the given rows and slots: (p,)."""
        if self.weights is None:
            return np.ones(len(rows))
        return self.weights[rows, slots]

    def weight_within(self, limits: Array) -> Counts:
        """For each row, the number of samples, duplicates counted, with values at most the row's
        limit: (m,). ``limits`` are (m, 1).
        """
        return self.weight_of(self.values <= limits)

    def weight_of(self, inside: Flags) -> Counts:
        """For each row, the number of samples, duplicates counted, at the True entries of a mask
        (m, L): (m,).
        """
        if self.weights is None:
            total: Counts = np.count_nonzero(inside, axis=1)
        else:
            total = np.where(inside, self.weights, 0.0).sum(axis=1).astype(np.int64)
        return total

    def take(self, rows: Ints) -> Candidates:
        """The candidates of the given rows."""
        return Candidates(
            self.values[rows],
            self.columns[rows],
            None if self.weights is None else self.weights[rows],
        )


class Entries(NamedTuple):
    """Entries picked out of a tile, in row-major order: their positions and values, and where the
    entries of each row begin.

    rows, columns, values : (e,). starts : (m + 1,).
    """

    rows: Ints
    columns: Ints
    values: Array
    starts: Ints


def entries_within(
    tile: Array, by_row: Array | None, by_column: Array | None, scratch: Scratch
) -> Entries:
    """All entries of a tile that are <= the limit of their row, ``by_row`` (m,), or <= the limit of
    their column, ``by_column`` (n,).
    """
    limits = [each for each in (by_row, by_column) if each is not None]
    if native.serves(tile, *limits):
        return Entries(*native.entries_within(tile, by_row, by_column))
    m, n = tile.shape
    size = m * n
    mask = scratch.take("mask", 1, -(-size // 8) * 8, np.bool_)[0]
    mask[size:] = False
    inside = mask[:size].reshape(m, n)
    np.less_equal(tile, -np.inf if by_row is None else by_row[:, None], out=inside)
    if by_column is not None:
        inside |= np.less_equal(tile, by_column, out=scratch.take("other mask", m, n, np.bool_))
    # Only 8-byte words of the mask that are not 0 are searched for entries; most words are 0.
    words = mask.view(np.uint64)
    some = np.flatnonzero(words)
    byte = np.flatnonzero(words[some].view(np.bool_))
    flat = some[byte >> 3]
    flat <<= 3
    flat += byte & 7
    starts = np.searchsorted(flat, np.arange(m + 1) * n)
    rows = np.repeat(np.arange(m), np.diff(starts))
    return Entries(rows, flat - rows * n, tile.ravel().take(flat), starts)


def as_candidates(found: Entries, weights: Floats | None, first: int = 0) -> Candidates:
    """Convert entries to `Candidates`, padded to equal length for each row of the tile; ``first``
    is the index of the tile's first column in its set.
    """
    values, columns = padded(found.values, found.columns, found.starts[:-1], np.diff(found.starts))
    own_weights = None
    if weights is not None:
        own_weights = np.where(np.isfinite(values), weights.take(columns), 0.0)
    return Candidates(values, columns + first, own_weights)


def padded(values: Array, columns: Ints, starts: Ints, lengths: Ints) -> tuple[Array, Ints]:
    """Entries as a matrix whose row i holds the ``lengths[i]`` entries from ``starts[i]`` on,
    padded by inf.
    """
    if not len(values):  # each row gets a slot of padding, even if no row has an entry
        values = np.zeros(1, values.dtype)
        columns = np.zeros(1, np.intp)
    slots = np.arange(int(lengths.max(initial=1)))
    places = starts[:, None] + slots
    padding = slots >= lengths[:, None]
    runs = values.take(places, mode="clip")
    runs[padding] = np.inf
    return runs, columns.take(places, mode="clip")


def append(
    entries: tuple[Ints, Ints, Array], limits: Array, filled: Ints, lists: tuple[Array, Small]
) -> Ints:
    """Append entries to the lists of their points (owners), if they are within the limit of that
    list, until a list is full.

    entries : owners, samples and values, (e,) each.
    limits, filled : (m,), limit and current length of each point's list.
    lists : values and samples, (m, length) each. Returns the positions of the entries for which
    there was no room.
    """
    owners, samples, values = entries
    if native.serves(lists[0], values, limits):
        return native.append(owners, samples, values, limits, filled, lists)
    near = np.flatnonzero(values <= limits.take(owners))
    # NumPy sorts 16-bit integers by radix sort, which is faster.
    small = owners.take(near).astype(np.uint16 if len(filled) < 1 << 16 else np.intp)
    near = near.take(np.argsort(small, kind="stable"))
    owners = owners.take(near)
    new = np.bincount(owners, minlength=len(filled))
    length = lists[0].shape[1]
    slots = ranges(filled, new)
    fits = slots < length
    kept = near[fits]
    place = (owners[fits], slots[fits])
    lists[0][place], lists[1][place] = values.take(kept), samples.take(kept)
    filled += np.minimum(new, length - filled)
    left: Ints = near[~fits]
    return left


def tally(
    first: Ints,
    second: Ints,
    values: Array,
    limits: tuple[float, float],
    counts: tuple[Counts, Counts],
) -> tuple[Small, Small, Array]:
    """For each pair at or below the lower limit, add 1 to the counts of both its points; return the
    pairs between the two limits.
    """
    low, high = limits
    if native.serves(values):
        return native.tally(first, second, values, low, high, counts)
    sure = values <= low
    for places, count in zip((first, second), counts, strict=True):
        count += np.bincount(places[sure], minlength=len(count))
    between = np.flatnonzero(~sure & (values <= high))
    return (
        first.take(between).astype(np.int32),
        second.take(between).astype(np.int32),
        values.take(between),
    )


def sort_numbered(keys: Floats, narrow: Any) -> tuple[Floats, Ints]:
    """Sort keys (m, n) along each row, in place where possible. Returns the sorted keys and the
    position that each had in its row: (m, n) both.

    narrow : the precision of the keys before they were widened to float64.
    """
    if narrow != np.float32 or keys.shape[1] > 1 << _FREE_BITS:
        order = np.argsort(keys, axis=1)
        return np.take_along_axis(keys, order, axis=1), order
    # A float64 widened from float32 has low bits that are free for the key's position: sorting such
    # keys is several times faster than argsort.
    bits = keys.view(np.int64)
    mask = np.int64((1 << keys.shape[1].bit_length()) - 1)
    bits |= np.arange(keys.shape[1])
    keys.sort(axis=1)
    numbers = bits & mask
    bits &= ~mask
    return keys, numbers


class Ranked(NamedTuple):
    """For each row, how many entries lie between each two neighbouring limits; and the entries too
    close to a limit to be decided.

    counts : (m, q + 1) number of decided entries of each row by the number of limits below them.
    rows, columns : (u,) positions of the undecided entries.
    """

    counts: Counts
    rows: Ints
    columns: Ints


def rank_rows(tile: Array, limits: Floats, errors: Floats, exact: bool, scratch: Scratch) -> Ranked:
    """Rank the entries of a tile among limits (q,) that all rows share; errors (m,) are those of
    the rows.
    """
    if native.serves(tile):
        return Ranked(
            *native.ranked(
                "rank_rows", tile, limits, (errors, float(errors.max(initial=0.0))), exact
            )
        )
    m, n = tile.shape
    q = len(limits)
    keys = scratch.take("keys", m, n, np.float64)
    np.copyto(keys, tile)
    values, columns = sort_numbered(keys, tile.dtype)
    which = np.repeat(np.arange(m), q)
    off = np.where(exact, 0.0, errors)[:, None]
    possible = number_below(values, which, np.nextafter(limits + off, np.inf).ravel()).reshape(m, q)
    sure = possible if exact else number_below(values, which, (limits - off).ravel()).reshape(m, q)
    # An entry may be undecided for several limits, but is listed only once.
    starts = np.maximum(sure, np.pad(possible[:, :-1], ((0, 0), (1, 0))))
    lengths = np.maximum(possible - starts, 0)
    owners = np.repeat(np.arange(m), lengths.sum(axis=1))
    places = ranges(starts.ravel(), lengths.ravel())
    clear = possible - np.cumsum(lengths, axis=1)
    counts = np.diff(clear, axis=1, prepend=0, append=clear[:, -1:])
    return Ranked(counts, owners, columns[owners, places])


def rank_columns(
    tile: Array, limits: Floats, errors: Floats, exact: bool, scratch: Scratch
) -> Ranked:
    """Rank the entries of a tile among the limits of their columns (n, q), with the errors of the
    columns (n,). Entries beyond all limits of their column are left out.
    """
    reach = round_up(limits[:, -1] + errors, tile.dtype)
    if native.serves(tile, reach):
        return Ranked(*native.ranked("rank_columns", tile, limits, (reach, errors), exact))
    rows, columns, values, _ = entries_within(tile, None, reach, scratch)
    values = values.astype(np.float64)
    errors = errors.take(columns)
    places = number_below(limits, columns, values)
    m, q = (len(tile), limits.shape[1])
    unclear = np.zeros(len(rows), dtype=np.bool_)
    if not exact:
        flat = limits.ravel()
        at = columns * q + places
        unclear = (places > 0) & (flat.take(at - 1) >= values - errors)
        unclear |= (places < q) & (flat.take(at, mode="clip") <= values + errors)
    counts = np.bincount((rows * (q + 1) + places)[~unclear], minlength=m * (q + 1)).reshape(
        m, q + 1
    )
    return Ranked(counts, rows[unclear], columns[unclear])


def number_below(limits: Floats, which: Ints, values: Floats) -> Ints:
    """For each of ``values``, the number of smaller limits in one row of ``limits``; ``which``
    gives the row. All binary searches proceed together.
    """
    if len(limits) == 1:
        return np.searchsorted(limits[0], values)
    q = limits.shape[1]
    flat = limits.ravel()
    start = which * q
    place = start.copy()
    left = q
    while left > 1:
        half = left // 2
        place += half * (flat.take(place + (half - 1)) < values)
        left -= half
    place += flat.take(place) < values
    place -= start
    found: Ints = place
    return found
