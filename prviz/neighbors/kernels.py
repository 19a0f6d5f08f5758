"""Inner loops over the array of one tile of distances, in C where the library is compiled and
otherwise in NumPy: picking out entries, counts, sorting.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from prviz.arrays import Array, Counts, Flags, Floats, Ints
from prviz.neighbors import native
from prviz.neighbors.native import Small
from prviz.neighbors.point_sets import Scratch
from prviz.neighbors.products import round_up

# Words of 64 bits hold eight bytes of 0 or 1. This many words can be added without a byte exceeding
# 255.
_LANE_WORDS = 255
# Rows of bytes of 0 or 1: this many can be added in uint8 without exceeding 255.
_BYTE_ROWS = 255
# Number of low bits that are zero in a float64 converted from float32.
_FREE_BITS = 29
# The first output buffer has room for one in _SHARE of a tile's entries: usually fewer are found.
_SHARE = 8
_PAIRS = np.uint64(0x00FF00FF00FF00FF)
_QUADS = np.uint64(0x0001000100010001)


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


def true_places(mask: Flags) -> tuple[Ints, Ints]:
    """Rows and columns of the True entries of a contiguous mask, in row-major order."""
    rows, columns = np.divmod(np.flatnonzero(mask), mask.shape[1])
    return rows, columns


def ranges(starts: Ints, lengths: Ints) -> Ints:
    """Concatenated ranges of integers: range i begins at ``starts[i]`` and has ``lengths[i]``
    integers.
    """
    ends = np.cumsum(lengths)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + lengths, lengths)


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
    m, n = tile.shape
    size = m * n
    if native.serves(tile, *limits):
        starts = np.empty(m + 1, np.int64)
        given = tile, m, n, by_row, by_column
        room = -1
        count = size // _SHARE
        while count > room:
            room = count
            rows = np.empty(room, np.int64)
            columns = np.empty_like(rows)
            values = np.empty(room, tile.dtype)
            found = rows, columns, values, starts
            count = native.call("entries_within", tile.dtype, *given, room, *found)
        return Entries(rows[:count], columns[:count], values[:count], starts)
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
    length = lists[0].shape[1]
    if native.serves(lists[0], values, limits):
        over = np.empty(len(owners), np.int64)
        owners = native.indices(owners, len(filled))
        samples = np.ascontiguousarray(samples, np.int64)
        given = owners, samples, values, len(values), limits, filled, length, *lists
        return over[: native.call("append", values.dtype, *given, over)]
    near = np.flatnonzero(values <= limits.take(owners))
    # NumPy sorts 16-bit integers by radix sort, which is faster.
    small = owners.take(near).astype(np.uint16 if len(filled) < 1 << 16 else np.intp)
    near = near.take(np.argsort(small, kind="stable"))
    owners = owners.take(near)
    new = np.bincount(owners, minlength=len(filled))
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
        n = len(values)
        pairs = native.indices(first, len(counts[0])), native.indices(second, len(counts[1]))
        given = *pairs, values, n, float(low), float(high), *counts
        ones = np.empty(n, np.int32)
        others = np.empty_like(ones)
        kept = np.empty(n, values.dtype)
        n = native.call("tally", values.dtype, *given, ones, others, kept)
        # Copied: callers keep these results, and the buffers are far longer.
        return ones[:n].copy(), others[:n].copy(), kept[:n].copy()
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


def _ranked(
    name: str, tile: Array, limits: Floats, more: tuple[Array | float, ...], exact: bool
) -> Ranked:
    """`rank_rows` or `rank_columns`, as ``name`` says, in C."""
    m, n = tile.shape
    q = limits.shape[-1]
    given = tile, m, n, limits, q, *more, int(exact)
    room = -1
    count = tile.size // _SHARE
    while count > room:
        room = count
        counts = np.zeros((m, q + 1), np.int64)
        rows = np.empty(room, np.int64)
        columns = np.empty_like(rows)
        count = native.call(name, tile.dtype, *given, counts, room, rows, columns)
    return Ranked(counts, rows[:count], columns[:count])


def rank_rows(tile: Array, limits: Floats, errors: Floats, exact: bool, scratch: Scratch) -> Ranked:
    """Rank the entries of a tile among limits (q,) that all rows share; errors (m,) are those of
    the rows.
    """
    if native.serves(tile):
        return _ranked("rank_rows", tile, limits, (errors, float(errors.max(initial=0.0))), exact)
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
        return _ranked("rank_columns", tile, limits, (reach, errors), exact)
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
