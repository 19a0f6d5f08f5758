"""Sorting of rows together with the numbers of their entries."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from prviz.neighbors import native

__all__ = ["sort_nearly_sorted", "sort_numbered"]

# Low bits of a float64 that a widened float32 leaves free.
_FREE_BITS = 29


def sort_nearly_sorted(values: NDArray[np.float64], numbers: NDArray[np.intp]) -> None:
    """Sort the rows of (m, n) values, few of which are out of place, and their numbers with them, in place."""
    if native.serves(values) and numbers.flags.c_contiguous:
        native.sort_nearly_sorted(values, numbers)
        return
    some = np.flatnonzero((values[:, 1:] < values[:, :-1]).any(axis=1))
    order = np.argsort(values[some], axis=1, kind="stable")  # next to no work for this kind
    values[some] = np.take_along_axis(values[some], order, axis=1)
    numbers[some] = np.take_along_axis(numbers[some], order, axis=1)


def sort_numbered(keys: NDArray[np.float64], narrow: Any) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Sorted rows of (m, n) keys, in place where possible, and the old positions in the row: (m, n) both.

    narrow : the precision that they were widened from.
    """
    if narrow != np.float32 or keys.shape[1] > 1 << _FREE_BITS:
        order = np.argsort(keys, axis=1)
        return np.take_along_axis(keys, order, axis=1), order
    # Together with its number, in the bits that it leaves free, a key is sorted several times faster.
    bits, mask = keys.view(np.int64), np.int64((1 << keys.shape[1].bit_length()) - 1)
    bits |= np.arange(keys.shape[1])
    keys.sort(axis=1)
    numbers = bits & mask
    bits &= ~mask
    return keys, numbers
