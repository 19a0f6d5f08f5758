"""The reference distance that every result is exact for."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from prviz.neighbors import native

__all__ = ["SEQUENTIAL", "pair_distances", "sequential_tile"]

# Number of features below which numpy adds squares one after the other; from it on, pairwise in eight lanes.
SEQUENTIAL = 8

# Values of a chunk of pairs, and its least rows: small enough for the caches, large enough for other threads to run.
_CHUNK_VALUES, _CHUNK_ROWS = 1 << 16, 24


class Taken(Protocol):
    """Samples that can be taken by row number."""

    @property
    def source(self) -> NDArray[Any]:
        """Array that holds the samples as rows."""
        ...

    @property
    def d(self) -> int:
        """Number of features."""
        ...

    def numbers(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Row numbers in ``source`` of some samples."""
        ...

    def take(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """The values of some rows."""
        ...


def pair_distances(a: Taken, rows: NDArray[np.intp], b: Taken, columns: NDArray[np.intp]) -> NDArray[np.float64]:
    """Squared distances of the pairs a[rows[i]], b[columns[i]]: (m,) float64.

    The reference distance is np.sum((x - y) ** 2) of the original values widened to float64: bit for bit what
    the obvious double loop computes, because numpy adds each contiguous row in the same order whatever
    surrounds it. It is symmetric in x and y.
    """
    squared = np.empty(len(rows), dtype=np.float64)
    if native.serves(a.source, b.source):
        native.pair_distances(a.source, a.numbers(rows), b.source, b.numbers(columns), squared)
        return squared
    step = max(_CHUNK_ROWS, _CHUNK_VALUES // a.d)
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        difference = a.take(rows[part]).astype(np.float64)
        difference -= b.take(columns[part])
        np.square(difference, out=difference)
        np.sum(difference, axis=-1, out=squared[part])
    return squared


def sequential_tile(
    a: NDArray[np.float64], b: NDArray[np.float64], out: NDArray[np.float64], scratch: NDArray[np.float64]
) -> None:
    """Reference squared distances of the columns of a (d, m) from those of b (d, n), into out (m, n)."""
    for coordinate in range(len(a)):
        target = scratch if coordinate else out
        np.subtract(a[coordinate][:, None], b[coordinate][None, :], out=target)
        np.square(target, out=target)
        if coordinate:
            np.add(out, scratch, out=out)
