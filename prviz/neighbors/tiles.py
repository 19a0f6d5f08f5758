"""One tile: a block of points against all fit samples of one role, with every decision on it exact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prviz.neighbors.clouds import Cloud
from prviz.neighbors.exact import pair_distances, sequential_tile
from prviz.neighbors.kernels import (
    Candidates,
    Scratch,
    differences,
    mask_within,
    round_down,
    round_up,
    row_counts,
    smallest,
    smallest_bound,
)
from prviz.neighbors.products import PART, Arithmetic

__all__ = ["Ball", "Tile", "make_tile"]

Array = NDArray[Any]
Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Ball:
    """Limits between which a comparison is re-done: at or below ``sure`` inside, above ``possible`` outside.

    Both are (m, 1) or (1, n) in the tiles' dtype. ``squared(rows, columns)`` gives the exact squared radii.
    """

    sure: Array
    possible: Array
    squared: Callable[[Rows, Rows], Floats]

    @classmethod
    def of(cls, arithmetic: Arithmetic, squared: Floats, norms: Floats) -> Ball:
        """Balls with known squared radii around points with these norms; both (m, 1) or (1, n)."""
        scaled = arithmetic.scaled(squared)

        def exact_radii(rows: Rows, columns: Rows) -> Floats:
            # An axis of length one holds the same radius for every row, or for every column.
            radii: Floats = squared[rows * (squared.shape[0] > 1), columns * (squared.shape[1] > 1)]
            return radii

        return cls.between(arithmetic, scaled, arithmetic.error(norms, scaled), exact_radii)

    @classmethod
    def between(
        cls, arithmetic: Arithmetic, scaled: Floats, error: Floats, squared: Callable[[Rows, Rows], Floats]
    ) -> Ball:
        """Balls whose scaled squared radii are known up to ``error``, that of the tile included."""
        dtype = arithmetic.dtype
        if arithmetic.exact:
            limits = round_down(np.asarray(scaled, dtype=np.float64), dtype)
            return cls(limits, limits, squared)
        sure = np.nextafter(round_down(scaled - error, dtype), np.array(-np.inf, dtype))
        return cls(sure, round_up(scaled + error, dtype), squared)


@dataclass(eq=False)
class Tile:
    """Approximate squared distances of a block of points (rows) from all fit samples of one role (columns).

    ``redone`` counts the comparisons that were decided by the canonical distance instead.
    """

    arithmetic: Arithmetic
    left: Cloud
    start: int
    right: Cloud
    values: Array
    scratch: Scratch
    redone: int = 0
    _whole: Floats | None = None

    @property
    def norms(self) -> Floats:
        """Norms of the block's points: (m,)."""
        return self.left.norms[self.start : self.start + len(self.values)]

    def canonical(self, rows: Rows, columns: Rows) -> Floats:
        """Canonical squared distances of some entries.

        Where ties abound, every ball and every order would ask for the same ones: then all are computed once.
        """
        self.redone += len(rows)
        if self._whole is None and self.redone > self.values.size // 4:
            everywhere = np.indices(self.values.shape).reshape(2, -1)
            whole = pair_distances(self.left.values, everywhere[0] + self.start, self.right.values, everywhere[1])
            self._whole = whole.reshape(self.values.shape)
        if self._whole is not None:
            return self._whole[rows, columns]
        return pair_distances(self.left.values, rows + self.start, self.right.values, columns)

    def nearest(self, order: int) -> Candidates:
        """Candidates that surely hold the ``order`` nearest, and all that might be among them."""
        bound = smallest_bound(self.values, min(order, self.values.shape[1]))
        if not self.arithmetic.exact:
            wide = bound.astype(np.float64)
            bound = round_up(wide + 2 * self.arithmetic.error(self.norms[:, None], wide), self.arithmetic.dtype)
        return smallest(self.values, bound, self.right.weights, self.scratch)

    def count(self, ball: Ball) -> NDArray[np.int64]:
        """Number of fit samples in each row's closed balls: (m,)."""
        sure = mask_within(self.values, ball.sure, "sure", self.scratch)
        counts = row_counts(sure, self.right.weights)
        if self.arithmetic.exact:
            return counts
        possible = mask_within(self.values, ball.possible, "possible", self.scratch)
        unsure = np.flatnonzero(counts != row_counts(possible, self.right.weights))
        if len(unsure):
            rows, columns = differences(sure, possible, unsure)
            inside = self.canonical(rows, columns) <= ball.squared(rows, columns)
            weights = 1.0 if self.right.weights is None else self.right.weights[columns]
            counts += np.bincount(rows, weights=inside * weights, minlength=len(counts)).astype(np.int64)
        return counts


def make_tile(arithmetic: Arithmetic, left: Cloud, rows: slice, right: Cloud, name: str, scratch: Scratch) -> Tile:
    """The tile of ``rows`` of ``left`` against all of ``right``, in the thread's buffer ``name``."""
    shape = (rows.stop - rows.start, len(right))
    values = scratch.take(name, *shape, arithmetic.dtype)
    if arithmetic.direct:
        sequential_tile(left.factors[:, rows], right.factors, values, scratch.take("squares", *shape, np.float64))
    else:
        _multiply(left.left_factors(rows), right.factors, values, scratch)
    return Tile(arithmetic, left, rows.start, right, values, scratch)


def _multiply(left: Array, right: Array, out: Array, scratch: Scratch) -> None:
    """The product of (m, d + 2) by (d + 2, n), added up in parts as the bound assumes."""
    np.matmul(left[:, :PART], right[:PART], out=out)
    for start in range(PART, len(right), PART):
        part = scratch.take("part", len(out), out.shape[1], out.dtype)
        np.matmul(left[:, start : start + PART], right[start : start + PART], out=part)
        np.add(out, part, out=out)
