"""Array kernels on one tile of distances: nearest candidates, counts, outward rounding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Candidates",
    "Scratch",
    "column_counts",
    "differences",
    "entries_within",
    "mask_within",
    "ranges",
    "round_down",
    "round_up",
    "row_counts",
    "smallest",
    "smallest_bound",
    "true_places",
]

Array = NDArray[Any]

# Sums of 0/1 bytes stay below 256 in each byte of a 64-bit word for this many words.
_LANE_WORDS = 255
# ... and in a byte for this many rows.
_BYTE_ROWS = 255
_PAIRS, _QUADS = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0001000100010001)


class Scratch:
    """Named buffers that one thread reuses from block to block: fresh pages cost more than the arithmetic."""

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
    """The smallest numbers of ``dtype`` that are >= values."""
    with np.errstate(over="ignore"):
        rounded = values.astype(dtype)
        return np.where(rounded < values, np.nextafter(rounded, np.array(np.inf, dtype)), rounded)


def round_down(values: Array, dtype: Any) -> Array:
    """The largest numbers of ``dtype`` that are <= values."""
    return -round_up(-values, dtype)


def mask_within(tile: Array, limits: Array, name: str, scratch: Scratch) -> NDArray[np.bool_]:
    """Which entries are <= limits (m, 1) or (1, n): a mask whose rows are padded by False to 8 bytes."""
    m, n = tile.shape
    mask = scratch.take(name, m, -(-n // 8) * 8, np.bool_)
    mask[:, n:] = False
    np.less_equal(tile, limits, out=mask[:, :n])
    return mask


def row_counts(mask: NDArray[np.bool_], weights: NDArray[np.float64] | None) -> NDArray[np.int64]:
    """Number (or weight) of the True entries in each row of a padded mask: eight lanes of bytes at a time."""
    if weights is not None:
        return np.rint(mask[:, : len(weights)] @ weights).astype(np.int64)
    words = mask.view(np.uint64)
    lanes = np.add.reduceat(words, np.arange(0, words.shape[1], _LANE_WORDS), axis=1)
    pairs = (lanes & _PAIRS) + ((lanes >> np.uint64(8)) & _PAIRS)
    counts: NDArray[np.int64] = ((pairs * _QUADS) >> np.uint64(48)).sum(axis=1, dtype=np.int64)
    return counts


def column_counts(mask: NDArray[np.bool_], n: int) -> NDArray[np.int64]:
    """Number of the True entries in each of the first ``n`` columns of a padded mask."""
    counts = np.zeros(n, dtype=np.int64)
    for start in range(0, len(mask), _BYTE_ROWS):
        part = mask[start : start + _BYTE_ROWS, :n].view(np.uint8)
        counts += np.add.reduce(part, axis=0, dtype=np.uint8)
    return counts


def differences(
    a: NDArray[np.bool_], b: NDArray[np.bool_], rows: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where two padded masks differ, looking at some rows only: (row, column) pairs."""
    words = a.view(np.uint64)[rows] ^ b.view(np.uint64)[rows]
    picked, word = true_places(words != 0)
    entry, byte = true_places(words[picked, word].view(np.bool_).reshape(-1, 8))
    return rows[picked[entry]], word[entry] * 8 + byte


def smallest_bound(tile: Array, k: int) -> Array:
    """An upper bound on the k-th smallest entry of each row: (m, 1); inf where a row has fewer.

    The k-th smallest of the minima over groups of columns, far fewer to order than the columns themselves.
    """
    m, n = tile.shape
    if k >= n:
        return np.full((m, 1), np.inf, dtype=tile.dtype)
    # Wide enough that few groups hold two of the k smallest, and that minima run at full speed.
    groups = max(n // max(3 * k, 128), 1)
    width = n // groups
    minima = tile[:, : groups * width].reshape(m, groups, width).min(axis=1)
    minima.partition(k - 1, axis=1)
    bound: Array = minima[:, k - 1 : k]
    return bound


def true_places(mask: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows and columns of the True entries of a contiguous mask, row by row."""
    rows, columns = np.divmod(np.flatnonzero(mask), mask.shape[1])
    return rows, columns


def ranges(starts: NDArray[np.intp], lengths: NDArray[np.intp]) -> NDArray[np.intp]:
    """The numbers from each start on, so many of each, one range after the other."""
    ends = np.cumsum(lengths)
    found: NDArray[np.intp] = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + lengths, lengths)
    return found


@dataclass(frozen=True, eq=False)
class Candidates:
    """All fit samples up to some limit of each row, padded.

    values : (m, L) approximate squared distances, inf beyond a row's own.
    columns : (m, L) which samples they are, by number in their set.
    weights : (m, L) how many samples each stands for, 0 for padding; None: one each.
    """

    values: Array
    columns: NDArray[Any]
    weights: NDArray[np.float64] | None

    def weights_or_ones(self) -> NDArray[np.float64]:
        """The weights, spelled out."""
        return self.weights if self.weights is not None else np.isfinite(self.values).astype(np.float64)

    def weight_within(self, limits: Array) -> NDArray[np.int64]:
        """Number of samples with values <= limits (m, 1) in each row: (m,)."""
        inside = self.values <= limits
        if self.weights is not None:
            inside = np.where(inside, self.weights, 0.0)
        total: NDArray[np.int64] = inside.sum(axis=1).astype(np.int64)
        return total

    def take(self, rows: NDArray[np.intp]) -> Candidates:
        """The candidates of some rows."""
        return Candidates(self.values[rows], self.columns[rows], None if self.weights is None else self.weights[rows])


def entries_within(
    tile: Array, limits: Array, scratch: Scratch, other: Array | None = None
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Flat places of all entries <= limits that broadcast, or <= others, and where each row's begin: (e,), (m + 1,)."""
    m, n = tile.shape
    size = m * n
    mask = scratch.take("mask", 1, -(-size // 8) * 8, np.bool_)[0]
    mask[size:] = False
    np.less_equal(tile, limits, out=mask[:size].reshape(m, n))
    if other is not None:
        mask[:size].reshape(m, n)[...] |= np.less_equal(tile, other, out=scratch.take("other mask", m, n, np.bool_))
    # Few entries are within: whole words of the mask are passed over.
    words = mask.view(np.uint64)
    some = np.flatnonzero(words)
    byte = np.flatnonzero(words[some].view(np.bool_))
    flat = some[byte >> 3]
    flat <<= 3
    flat += byte & 7
    return flat, np.searchsorted(flat, np.arange(m + 1) * n)


def smallest(
    tile: Array, limits: Array, weights: NDArray[np.float64] | None, scratch: Scratch, first: int = 0
) -> Candidates:
    """All entries <= limits (m, 1) of each row, in the order of the columns, which count from ``first`` on."""
    flat, starts = entries_within(tile, limits, scratch)
    slots = np.arange(int(np.diff(starts).max(initial=1)))
    none = np.zeros(1, dtype=np.intp)  # where no row has an entry, each has a slot of padding
    places = (flat if len(flat) else none).take(starts[:-1, None] + slots, mode="clip")
    padding = slots >= np.diff(starts)[:, None]
    values = tile.ravel().take(places)
    values[padding] = np.inf
    columns = places % tile.shape[1]
    if weights is None:
        return Candidates(values, columns + first, None)
    own_weights = weights.take(columns)
    own_weights[padding] = 0
    return Candidates(values, columns + first, own_weights)
