"""One tile: a block of points against a block of samples, with every decision on it exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prviz.neighbors.exact import pair_distances, sequential_tile
from prviz.neighbors.gemm import add_products
from prviz.neighbors.kernels import (
    Candidates,
    Entries,
    Scratch,
    column_counts,
    differences,
    entries_within,
    mask_within,
    round_down,
    round_up,
    row_counts,
    smallest,
    smallest_bound,
)
from prviz.neighbors.point_sets import PointSet
from prviz.neighbors.products import PART, Arithmetic

__all__ = ["Ball", "Pairs", "Tile", "TileRequest", "make_tile"]

Array = NDArray[Any]
Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Rows = NDArray[np.intp]

# Share of entries within a ball below which picking them out is cheaper than a mask per ball; step between the rows and
# columns by which the share is estimated.
_SPARSE, _SAMPLED = 0.05, 16
_NO_COUNTS: Counts = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Ball:
    """Limits between which a comparison is rechecked: at or below ``sure`` inside, above ``possible`` outside.

    One ball per point, around a tile's rows or (``around_rows`` False) its columns. Both limits are in the tiles'
    dtype, ``squared`` holds the exact squared radii: (m,) each.
    """

    sure: Array
    possible: Array
    squared: Floats
    around_rows: bool = True

    @classmethod
    def of(cls, arithmetic: Arithmetic, squared: Floats, norms: Floats, *, around_rows: bool = True) -> Ball:
        """Balls with these squared radii around points with these norms: (m,) each."""
        scaled = arithmetic.scaled(squared)
        if arithmetic.exact:
            limits = round_down(np.asarray(scaled, dtype=np.float64), arithmetic.dtype)
            return cls(limits, limits, squared, around_rows)
        error = arithmetic.error(norms, scaled)
        below = np.array(-np.inf, arithmetic.dtype)
        sure = np.nextafter(round_down(scaled - error, arithmetic.dtype), below)
        return cls(sure, round_up(scaled + error, arithmetic.dtype), squared, around_rows)

    def part(self, points: slice | Rows) -> Ball:
        """The balls of some of the points."""
        return Ball(self.sure[points], self.possible[points], self.squared[points], self.around_rows)

    def turned(self) -> Ball:
        """Balls around the columns instead of the rows, or the other way round."""
        return Ball(self.sure, self.possible, self.squared, not self.around_rows)

    @property
    def reach(self) -> Array:
        """Limits beyond which nothing is inside, (m, 1) or (1, n)."""
        return self.spread(self.possible)

    def spread(self, limits: Array) -> Array:
        """Values of the balls, (m, 1) or (1, n), to be compared with a tile."""
        return limits[:, None] if self.around_rows else limits[None, :]


class TileRequest(NamedTuple):
    """Balls to count in, and whether per row, per column or both."""

    ball: Ball
    rows: bool = True
    columns: bool = False


@dataclass(eq=False, kw_only=True)
class Pairs:
    """A block of points against a set of samples, whose reference distances can be had one by one.

    ``rechecked`` counts the comparisons that were decided by them.
    """

    left: PointSet
    rows: slice
    right: PointSet
    rechecked: int = 0

    @property
    def arithmetic(self) -> Arithmetic:
        """How the approximate distances were computed."""
        return self.left.arithmetic

    @property
    def norms(self) -> Floats:
        """Norms of the block's points: (m,)."""
        norms: Floats = self.left.norms[self.rows]
        return norms

    def reference(self, rows: Rows, columns: Rows) -> Floats:
        """Reference squared distances of some points of the block from some samples (columns of the whole set)."""
        self.rechecked += len(rows)
        return pair_distances(self.left.rows, rows + self.rows.start, self.right.rows, columns)


@dataclass(eq=False, kw_only=True)
class Tile(Pairs):
    """Approximate squared distances of a block of points (rows) from a block of samples of one role (columns)."""

    columns: slice
    values: Array
    scratch: Scratch
    _whole: Floats | None = None

    def reference(self, rows: Rows, columns: Rows) -> Floats:
        """Reference squared distances of some entries.

        With many ties all are computed once, because every ball and every order would need the same ones.
        """
        self.rechecked += len(rows)
        if self._whole is None and self.rechecked > self.values.size // 4:
            everywhere = np.indices(self.values.shape).reshape(2, -1)
            self._whole = pair_distances(
                self.left.rows, everywhere[0] + self.rows.start, self.right.rows, everywhere[1] + self.columns.start
            ).reshape(self.values.shape)
        if self._whole is not None:
            whole: Floats = self._whole[rows, columns - self.columns.start]
            return whole
        return pair_distances(self.left.rows, rows + self.rows.start, self.right.rows, columns)

    def turned(self, first: int) -> Tile:
        """The samples from number ``first`` on as points, and the points as their samples: a copy."""
        start = first - self.columns.start
        values = self.scratch.take("turned", self.values.shape[1] - start, len(self.values), self.values.dtype)
        np.copyto(values, self.values[:, start:].T)
        rows = slice(first, self.columns.stop)
        return Tile(left=self.right, rows=rows, right=self.left, columns=self.rows, values=values, scratch=self.scratch)

    def bound(self, order: int) -> Array:
        """(m, 1) limits that surely include the ``order`` nearest of each row and all that might be among them."""
        return self.widened(smallest_bound(self.values, min(order, self.values.shape[1])))

    def widened(self, nearest: Array) -> Array:
        """(m, 1) limits that include every sample that might be as near as these approximate distances."""
        if self.arithmetic.exact:
            return nearest
        wide = nearest.astype(np.float64)
        return round_up(wide + 2 * self.arithmetic.error(self.norms[:, None], wide), self.arithmetic.dtype)

    def up_to(self, limits: Array) -> Candidates:
        """All samples within some limits (m, 1)."""
        weights = None if self.right.weights is None else self.right.weights[self.columns]
        return smallest(self.values, limits, weights, self.scratch, self.columns.start)

    def nearest(self, order: int) -> Candidates:
        """Candidates that surely hold the ``order`` nearest, and all that might be among them."""
        return self.up_to(self.bound(order))

    def count(self, wanted: Sequence[TileRequest]) -> list[tuple[Counts, Counts]]:
        """Exact number of entries within some balls, (m,) per row and (n,) per column where requested (else empty).

        Balls around rows hold columns, balls around columns hold rows. Where few entries are within, those of all
        balls are picked out once and decided one by one; else each ball has masks of its own.
        """
        sparse = [self.right.weights is None and self.is_sparse(each.ball.reach) for each in wanted]
        few_within = [each.ball for each, few in zip(wanted, sparse, strict=True) if few]
        picked = self.entries([each.reach for each in few_within])
        return [
            self.count_among(picked, each) if few else self.count_by_masks(each)
            for each, few in zip(wanted, sparse, strict=True)
        ]

    def is_sparse(self, limits: Array, share: float = _SPARSE) -> bool:
        """True if about ``share`` of the entries or fewer are within limits, so that picking them out is cheaper.

        limits : (m, 1), (1, n) or (1, 1).
        """
        # Off the diagonal, which is zero in a tile inside one set.
        some = slice(None, None, _SAMPLED), slice(min(_SAMPLED // 2, self.values.shape[1] - 1), None, _SAMPLED)
        spread = tuple(part if length > 1 else slice(None) for part, length in zip(some, limits.shape, strict=True))
        inside = self.values[some] <= limits[spread]
        return float(np.count_nonzero(inside)) < share * inside.size

    def entries(self, limits: Sequence[Array]) -> Entries:
        """All entries within any of some limits, (m, 1) or (1, n) each."""
        m = len(self.values)
        sides = [each for each in limits if each.shape == (m, 1)], [each for each in limits if each.shape != (m, 1)]
        by_row, by_column = (np.maximum.reduce(some).ravel() if some else None for some in sides)
        return entries_within(self.values, by_row, by_column, self.scratch)

    def count_among(self, picked: Entries, wanted: TileRequest) -> tuple[Counts, Counts]:
        """`count` of one ball among entries that hold all that might be within it."""
        (m, n), inside = self.values.shape, self.within(picked, wanted.ball)
        return (
            np.bincount(picked.rows[inside], minlength=m) if wanted.rows else _NO_COUNTS,
            np.bincount(picked.columns[inside], minlength=n) if wanted.columns else _NO_COUNTS,
        )

    def within(self, picked: Entries, ball: Ball) -> NDArray[np.bool_]:
        """Mask of the entries that are within the balls, exactly."""
        centres = picked.rows if ball.around_rows else picked.columns
        inside: NDArray[np.bool_] = picked.values <= ball.sure.take(centres)
        if not self.arithmetic.exact:
            unsure = np.flatnonzero((picked.values <= ball.possible.take(centres)) ^ inside)
            reference = self.reference(picked.rows[unsure], picked.columns[unsure] + self.columns.start)
            inside[unsure] = reference <= ball.squared[centres[unsure]]
        return inside

    def count_by_masks(self, wanted: TileRequest) -> tuple[Counts, Counts]:
        """`count` of one ball."""
        ball, weights = wanted.ball, None if self.right.weights is None else self.right.weights[self.columns]
        sure = mask_within(self.values, ball.spread(ball.sure), "sure", self.scratch)
        by_row = row_counts(sure, weights)
        by_column = column_counts(sure, self.values.shape[1]) if wanted.columns else _NO_COUNTS
        if self.arithmetic.exact:
            return by_row, by_column
        possible = mask_within(self.values, ball.reach, "possible", self.scratch)
        unsure = np.flatnonzero(by_row != row_counts(possible, weights))
        if len(unsure):
            rows, columns = differences(sure, possible, unsure)
            radii = ball.squared[rows if ball.around_rows else columns]
            inside = self.reference(rows, columns + self.columns.start) <= radii
            worth = None if weights is None else weights[columns][inside]
            by_row += np.bincount(rows[inside], weights=worth, minlength=len(by_row)).astype(np.int64)
            if wanted.columns:
                by_column += np.bincount(columns[inside], minlength=len(by_column))
        return by_row, by_column


def make_tile(left: PointSet, rows: slice, right: PointSet, columns: slice, name: str, scratch: Scratch) -> Tile:
    """Tile of rows of ``left`` against rows of ``right``, in the thread's buffer ``name``; "": a new array."""
    arithmetic = left.arithmetic
    shape = (rows.stop - rows.start, columns.stop - columns.start)
    values = scratch.take(name, *shape, arithmetic.dtype) if name else np.empty(shape, arithmetic.dtype)
    if arithmetic.direct:
        squares = scratch.take("squares", *shape, np.float64)
        sequential_tile(left.coordinates[:, rows], right.coordinates[:, columns], values, squares)
    else:
        d, step = left.rows.d, right.made_at_once(shape[1])
        near = left.left_factors(rows, scratch) if d <= PART else left.rounded(rows, scratch)
        for start in range(columns.start, columns.stop, step):
            part = slice(start, min(start + step, columns.stop))
            out, far = values[:, start - columns.start : part.stop - columns.start], right.factors(part)
            if d <= PART:
                np.matmul(near, far.T, out=out)
            else:
                np.add(left.squares[rows, None], right.squares[part], out=out)
                _add_in_parts(near, far[:, :d], out)
    return Tile(left=left, rows=rows, right=right, columns=columns, values=values, scratch=scratch)


def _add_in_parts(left: Array, right: Array, out: Array) -> None:
    """Add -2 a' . b' as the bound assumes: part after part."""
    for start in range(0, left.shape[1], PART):
        part = slice(start, start + PART)
        add_products(left[:, part], right[:, part], out, -2.0)
