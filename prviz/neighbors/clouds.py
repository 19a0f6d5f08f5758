"""A set of samples made ready for products: duplicates merged, factors and norms beside the values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prviz.neighbors.products import Arithmetic

__all__ = ["Cloud", "Merged", "merge_duplicates"]

# Merging pays where it removes a good share of the rows; a few duplicates are left as they are.
_WORTH_MERGING = 7 / 8


@dataclass(frozen=True, eq=False)
class Merged:
    """The distinct rows of a set: (u, d) values, how often each occurs, and which one each row is.

    ``weights`` and ``inverse`` are None when the rows were left as they are.
    """

    values: NDArray[Any]
    weights: NDArray[np.float64] | None = None
    inverse: NDArray[np.intp] | None = None

    def expand(self, results: NDArray[Any]) -> NDArray[Any]:
        """One result per original row, from one per distinct row."""
        return results if self.inverse is None else results[self.inverse]


def merge_duplicates(values: NDArray[Any]) -> Merged:
    """The distinct rows of ``values``, if duplicates are many; a collapsed set becomes a single row."""
    words = values.view(np.uint32 if values.dtype == np.float32 else np.uint64)
    odd = np.random.default_rng(0).integers(0, 2**63, size=words.shape[1], dtype=np.uint64) * 2 + 1
    hashes = np.concatenate([part.astype(np.uint64) @ odd for part in _row_chunks(words)])
    _, first, inverse, counts = np.unique(hashes, return_index=True, return_inverse=True, return_counts=True)
    if len(first) > _WORTH_MERGING * len(values):
        return Merged(values)
    distinct = values[first]
    # Equal hashes are only a hint: rows that differ all the same are left alone.
    if not np.array_equal(distinct[inverse], values):
        return Merged(values)
    return Merged(distinct, counts.astype(np.float64), inverse)


def _row_chunks(words: NDArray[Any]) -> list[NDArray[Any]]:
    step = max(1, (1 << 18) // words.shape[1])
    return [words[start : start + step] for start in range(0, len(words), step)]


class Cloud:
    """A merged set with what an arithmetic needs: (d + 2, u) factors and (u,) norms in its units."""

    def __init__(self, merged: Merged, arithmetic: Arithmetic) -> None:
        self.merged = merged
        self.values = merged.values
        self.weights = merged.weights
        self.factors, self.norms = arithmetic.factors(merged.values)

    def __len__(self) -> int:
        return len(self.values)

    def left_factors(self, rows: slice) -> NDArray[Any]:
        """(m, d + 2) rows -2a', |a'|^2, 1: the other side of the product."""
        factors = self.factors[:, rows].T.copy()
        factors[:, :-2] *= -2
        factors[:, -2], factors[:, -1] = factors[:, -1].copy(), 1
        return factors
