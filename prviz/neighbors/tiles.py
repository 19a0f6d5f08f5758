"""One tile of distances: a block of points against a block of samples. All comparisons and orders
in it are decided exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from prviz.arrays import Array, Counts, Flags, Floats, Ints
from prviz.neighbors.kernels import (
    Entries,
    Ranked,
    column_counts,
    differences,
    entries_within,
    mask_within,
    rank_columns,
    rank_rows,
    row_counts,
    true_places,
)
from prviz.neighbors.point_sets import PointSet, Scratch, distances, pair_distances
from prviz.neighbors.products import Arithmetic, round_down, round_up

# Share of a tile's entries inside a ball, below which picking them out one by one costs less than a
# mask of the tile. The share is estimated from every 16th row and column.
_SPARSE = 0.05
_SAMPLED = 16
_NO_COUNTS: Counts = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Ball:
    """One ball around each of several points. An approximate squared distance at or below ``sure``
    is inside for certain, one above ``possible`` is outside; one in between is rechecked.

    The points are a tile's rows, or (``around_rows`` False) its columns. Both limits are in the
    tiles' dtype, ``squared`` holds the exact squared radii: (m,) each.
    """

    sure: Array
    possible: Array
    squared: Floats
    around_rows: bool = True

    @classmethod
    def of(
        cls, arithmetic: Arithmetic, squared: Floats, norms: Floats, *, around_rows: bool = True
    ) -> Ball:
        """Make balls with these squared radii around points with these norms: (m,) each."""
        scaled = arithmetic.scaled(squared)
        if arithmetic.exact:
            limits = round_down(np.asarray(scaled, dtype=np.float64), arithmetic.dtype)
            return cls(limits, limits, squared, around_rows)
        error = arithmetic.error(norms, scaled)
        below = np.array(-np.inf, arithmetic.dtype)
        sure = np.nextafter(round_down(scaled - error, arithmetic.dtype), below)
        return cls(sure, round_up(scaled + error, arithmetic.dtype), squared, around_rows)

    def part(self, points: slice | Ints) -> Ball:
        """The balls around some of the points only."""
        return Ball(
            self.sure[points], self.possible[points], self.squared[points], self.around_rows
        )

    def turned(self) -> Ball:
        """The same balls for the transposed tile: around columns instead of rows, or the
        reverse.
        """
        return Ball(self.sure, self.possible, self.squared, not self.around_rows)

    @property
    def reach(self) -> Array:
        """The limits ``possible`` in the shape (m, 1) or (1, n): entries of a tile above them are
        outside for certain.
        """
        return self.spread(self.possible)

    def spread(self, limits: Array) -> Array:
        """Reshape limits, one per ball, to (m, 1) or (1, n), so that they can be compared with a
        tile.
        """
        if self.around_rows:
            return limits[:, None]
        return limits[None, :]


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


@dataclass(eq=False, kw_only=True)
class Pairs:
    """A block of points and a set of samples, between which single reference distances can be
    computed.

    ``rechecked`` is the number of comparisons decided by reference distances so far.
    """

    left: PointSet
    rows: slice
    right: PointSet
    rechecked: int = 0

    @property
    def arithmetic(self) -> Arithmetic:
        """Arithmetic of the approximate distances."""
        return self.left.arithmetic

    @property
    def norms(self) -> Floats:
        """Norms of the block's points: (m,)."""
        return self.left.norms[self.rows]

    def reference(self, rows: Ints, columns: Ints) -> Floats:
        """Reference squared distances of some of the block's points from some samples; ``columns``
        are indices in the whole set.
        """
        self.rechecked += len(rows)
        return pair_distances(self.left.rows, rows + self.rows.start, self.right.rows, columns)


@dataclass(eq=False, kw_only=True)
class Tile(Pairs):
    """Approximate squared distances of a block of points (rows) from a block of samples of one role
    (columns).
    """

    columns: slice
    values: Any  # A NumPy array, or on a device a PyTorch tensor.
    scratch: Scratch
    _whole: Floats | None = None

    def reference(self, rows: Ints, columns: Ints) -> Floats:
        """Reference squared distances of some entries; ``columns`` are indices in the whole set.

        Once more than a quarter of the tile's comparisons are rechecked, because of ties, all
        reference distances of the tile are computed and kept, as every further ball would need them
        again.
        """
        self.rechecked += len(rows)
        m, n = self.values.shape
        if self._whole is None and self.rechecked > m * n // 4:
            everywhere = np.indices((m, n)).reshape(2, -1)
            self._whole = pair_distances(
                self.left.rows,
                everywhere[0] + self.rows.start,
                self.right.rows,
                everywhere[1] + self.columns.start,
            ).reshape(m, n)
        if self._whole is not None:
            whole: Floats = self._whole[rows, columns - self.columns.start]
            return whole
        return pair_distances(self.left.rows, rows + self.rows.start, self.right.rows, columns)

    def turned(self, first: int) -> Tile:
        """A transposed copy of the tile: its points are the samples from the index ``first`` on,
        its samples are the points.
        """
        start = first - self.columns.start
        values = self.scratch.take(
            "turned", self.values.shape[1] - start, len(self.values), self.values.dtype
        )
        np.copyto(values, self.values[:, start:].T)
        rows = slice(first, self.columns.stop)
        return Tile(
            left=self.right,
            rows=rows,
            right=self.left,
            columns=self.rows,
            values=values,
            scratch=self.scratch,
        )

    def bound(self, order: int) -> Array:
        """(m, 1) limits that certainly include the ``order`` nearest samples of each row, and all
        other samples that may be as near within rounding.
        """
        m, n = self.values.shape
        if order >= n:
            return np.full((m, 1), np.inf, dtype=self.arithmetic.dtype)
        nearest = self._smallest_bound(order)
        return self.arithmetic.widened(nearest, self.norms[:, None])

    def nearest(self, order: int) -> Candidates:
        """For each row, the ``order`` nearest samples, and all other samples that may be as near
        within rounding.
        """
        found = self.entries([self.bound(order)])
        values, columns = padded(
            found.values, found.columns, found.starts[:-1], np.diff(found.starts)
        )
        columns += self.columns.start
        weights = None
        if self.right.weights is not None:
            weights = np.where(np.isfinite(values), self.right.weights.take(columns), 0.0)
        return Candidates(values, columns, weights)

    def count(self, balls: Sequence[Ball], *, columns: bool = False) -> list[tuple[Counts, Counts]]:
        """For each ball, the exact number of entries inside it: as counts of the rows (m,), and of
        the columns (n,) if ``columns`` is True (otherwise empty).

        Balls around rows hold columns, balls around columns hold rows. Where few entries are
        inside, those of all balls are picked out once and decided one by one; otherwise each ball
        has its own masks.
        """
        sparse = [self.right.weights is None and self.is_sparse(ball.reach) for ball in balls]
        picked = self.entries([ball.reach for ball, few in zip(balls, sparse, strict=True) if few])
        return [
            self.count_among(picked, ball, columns) if few else self.count_by_masks(ball, columns)
            for ball, few in zip(balls, sparse, strict=True)
        ]

    def is_sparse(self, limits: Array, share: float = _SPARSE) -> bool:
        """True if, by an estimate, at most ``share`` of the entries are within the limits, so that
        picking them out costs less than a mask.

        limits : (m, 1), (1, n) or (1, 1).
        """
        # The diagonal is zero in a tile inside one set, so rows and columns are sampled off it.
        some = (
            slice(None, None, _SAMPLED),
            slice(min(_SAMPLED // 2, self.values.shape[1] - 1), None, _SAMPLED),
        )
        spread = tuple(
            part if length > 1 else slice(None)
            for part, length in zip(some, limits.shape, strict=True)
        )
        inside: Flags = self.values[some] <= limits[spread]
        return float(np.count_nonzero(inside)) < share * inside.size

    def entries(self, limits: Sequence[Array]) -> Entries:
        """All entries of the tile within at least one of the limits, (m, 1) or (1, n) each."""
        m = len(self.values)
        sides = (
            [each for each in limits if each.shape == (m, 1)],
            [each for each in limits if each.shape != (m, 1)],
        )
        by_row, by_column = (np.maximum.reduce(some).ravel() if some else None for some in sides)
        return self._entries_within(by_row, by_column)

    def count_among(self, picked: Entries, ball: Ball, columns: bool) -> tuple[Counts, Counts]:
        """The counts that `count` returns for one ball, from ``picked`` entries, which must include
        all that might be inside the ball.
        """
        m, n = self.values.shape
        inside = self.within(picked, ball)
        by_column = np.bincount(picked.columns[inside], minlength=n) if columns else _NO_COUNTS
        return np.bincount(picked.rows[inside], minlength=m), by_column

    def within(self, picked: Entries, ball: Ball) -> Flags:
        """Mask of the picked entries that are inside the balls, decided exactly."""
        centres = picked.rows if ball.around_rows else picked.columns
        inside: Flags = picked.values <= ball.sure.take(centres)
        if not self.arithmetic.exact:
            unsure = np.flatnonzero((picked.values <= ball.possible.take(centres)) ^ inside)
            reference = self.reference(
                picked.rows[unsure], picked.columns[unsure] + self.columns.start
            )
            inside[unsure] = reference <= ball.squared[centres[unsure]]
        return inside

    def count_by_masks(self, ball: Ball, columns: bool) -> tuple[Counts, Counts]:
        """The counts that `count` returns for one ball, from masks of the whole tile."""
        weights = None
        if self.right.weights is not None:
            weights = self.right.weights[self.columns]
        by_row, by_column, at_rows, at_columns = self._masked(ball, weights, columns)
        if len(at_rows):
            radii = ball.squared[at_rows if ball.around_rows else at_columns]
            inside = self.reference(at_rows, at_columns + self.columns.start) <= radii
            worth = None
            if weights is not None:
                worth = weights[at_columns][inside]
            by_row += np.bincount(at_rows[inside], weights=worth, minlength=len(by_row)).astype(
                np.int64
            )
            if columns:
                by_column += np.bincount(at_columns[inside], minlength=len(by_column))
        return by_row, by_column

    def to_numpy(self) -> Array:
        """All values as an array, (m, n)."""
        values: Array = self.values
        return values

    def ranked(self, limits: Floats, errors: Floats) -> Ranked:
        """For each row, how many entries lie between each two neighbouring limits.

        limits : (q,), shared by all entries, with errors of the rows (m,); or (n, q), one row per
        column, with errors of the columns (n,).
        """
        rank = rank_rows if limits.ndim == 1 else rank_columns
        return rank(self.values, limits, errors, self.arithmetic.exact, self.scratch)

    def _smallest_bound(self, k: int) -> Array:
        """An upper bound on the k-th smallest entry of each row, which has more than k entries:
        (m, 1).

        The bound is the k-th smallest minimum over groups of columns; there are far fewer groups
        than columns.
        """
        m, n = self.values.shape
        groups, width = minima_of(n, k)
        minima = self.values[:, : groups * width].reshape(m, groups, width).min(axis=1)
        minima.partition(k - 1, axis=1)
        bound: Array = minima[:, k - 1 : k]
        return bound

    def _entries_within(self, by_row: Array | None, by_column: Array | None) -> Entries:
        return entries_within(self.values, by_row, by_column, self.scratch)

    def _masked(
        self, ball: Ball, weights: Floats | None, columns: bool
    ) -> tuple[Counts, Counts, Ints, Ints]:
        """The number of entries certainly inside the balls, by row and by column; and rows and
        columns of the entries that might be inside.
        """
        sure = mask_within(self.values, ball.spread(ball.sure), "sure", self.scratch)
        by_row = row_counts(sure, weights)
        by_column = column_counts(sure, self.values.shape[1]) if columns else _NO_COUNTS
        if self.arithmetic.exact:
            return by_row, by_column, _NO_COUNTS, _NO_COUNTS
        possible = mask_within(self.values, ball.reach, "possible", self.scratch)
        unsure = np.flatnonzero(by_row != row_counts(possible, weights))
        return by_row, by_column, *differences(sure, possible, unsure)


def minima_of(n: int, k: int) -> tuple[int, int]:
    """Number of groups of columns over which minima are taken, at least k; and number of columns in
    each group.
    """
    # With groups this wide, two of the k smallest entries seldom fall into one group, and minima
    # run at full speed.
    groups = max(n // max(3 * k, 128), 1)
    return groups, n // groups


def make_tile(
    left: PointSet,
    rows: slice,
    right: PointSet,
    scratch: Scratch,
    *,
    columns: slice | None = None,
    buffer: str = "tile",
) -> Tile:
    """Tile of rows of ``left`` against columns of ``right`` (None: all), in a buffer of the thread
    or on the device of both sets.
    """
    if columns is None:
        columns = slice(0, len(right))
    if left.placed is not None and right.placed is not None:
        found: Tile = left.placed.tile(rows, right.placed, columns, scratch)
        return found
    values = distances(left, rows, right, columns, buffer, scratch)
    return Tile(left=left, rows=rows, right=right, columns=columns, values=values, scratch=scratch)


class ExactOrder(NamedTuple):
    """For each row, an exact order statistic. ``squared`` (s,): the reference squared distance.
    ``counts``: for each tile, (s,) the number of samples within that distance.
    """

    squared: Floats
    counts: Sequence[Counts]


class Ranking:
    """For each row, the candidates of one tile, or of both roles' tiles together, ordered by
    distance.
    """

    def __init__(self, tiles: Sequence[Pairs], candidates: Sequence[Candidates]) -> None:
        self.tiles = tiles
        self.candidates = candidates
        values = np.concatenate([part.values for part in candidates], axis=1)
        self._cumulative: Floats | None = None
        if all(part.weights is None for part in candidates):
            self._values = np.sort(values, axis=1)
            return
        weights = np.concatenate([part.weights_or_ones() for part in candidates], axis=1)
        order = np.argsort(values, axis=1)
        self._values = np.take_along_axis(values, order, axis=1)
        self._cumulative = np.cumsum(np.take_along_axis(weights, order, axis=1), axis=1)

    def approximate(self, order: int) -> Array:
        """The order-th smallest entry of each row in the tiles' units, duplicates counted: (m,)."""
        if self._cumulative is None:
            places = np.full(len(self._values), order - 1)
        else:
            places = (self._cumulative < order).sum(axis=1)
        smallest: Array = self._values[np.arange(len(places)), places]
        return smallest

    def counts(self, order: int) -> list[Counts]:
        """For each tile, the number of its samples within the exact order-th smallest distance:
        (m,).
        """
        arithmetic = self.tiles[0].arithmetic
        norms = self.tiles[0].norms[:, None]
        approximate = self.approximate(order)[:, None]
        if arithmetic.exact:
            return [part.weight_within(approximate) for part in self.candidates]
        # If exactly ``order`` samples lie within the widened limit, the count is certain; otherwise
        # the exact order statistic decides.
        wide = approximate.astype(np.float64)
        reach = wide + 2 * arithmetic.error(norms, wide)
        possible = [part.weight_within(reach) for part in self.candidates]
        unsure = np.flatnonzero(sum(possible) != order)
        if len(unsure):
            exact = self.exact(order, unsure).counts
            for count, decided in zip(possible, exact, strict=True):
                count[unsure] = decided
        return possible

    def ball(self, order: int) -> Ball:
        """Balls around the block's points, each out to the point's order-th nearest sample."""
        points = self.tiles[0]
        squared = self.exact(order, np.arange(len(points.norms))).squared
        return Ball.of(points.arithmetic, squared, points.norms)

    def exact(self, order: int, rows: Ints) -> ExactOrder:
        """The exact order-th smallest distance in each of these rows, duplicates counted."""
        arithmetic = self.tiles[0].arithmetic
        norms = self.tiles[0].norms[rows]
        wide = self.approximate(order)[rows].astype(np.float64)
        if arithmetic.exact:
            limits = wide[:, None]
            counts = [part.take(rows).weight_within(limits) for part in self.candidates]
            return ExactOrder(arithmetic.unscaled(wide), counts)
        slack = 2 * arithmetic.error(norms, wide)
        low = (wide - slack)[:, None]
        high = (wide + slack)[:, None]
        certain: list[Counts] = []
        # For each tile, the candidates too close to the limit to be decided: row, reference
        # distance, weight.
        close: list[tuple[Ints, Floats, Floats]] = []
        for tile, candidates in zip(self.tiles, self.candidates, strict=True):
            part = candidates.take(rows)
            below = part.values < low
            owner, slot = true_places((part.values <= high) & ~below)
            apart = tile.reference(rows[owner], part.columns[owner, slot])
            close.append((owner, apart, part.weights_at(owner, slot)))
            certain.append(part.weight_of(below))
        squared = _smallest_reaching(close, order - np.sum(certain, axis=0))
        inside = [
            np.bincount(owner, weights=weights * (distances <= squared[owner]), minlength=len(rows))
            for owner, distances, weights in close
        ]
        return ExactOrder(
            squared,
            [(sure + more).astype(np.int64) for sure, more in zip(certain, inside, strict=True)],
        )


def _smallest_reaching(close: Sequence[tuple[Ints, Floats, Floats]], needed: Counts) -> Floats:
    """For each row, the smallest squared distance at which the added weights of the candidates
    reach ``needed``.
    """
    owner, squared, weights = (np.concatenate(parts) for parts in zip(*close, strict=True))
    order = np.lexsort((squared, owner))
    owner = owner[order]
    squared = squared[order]
    total = np.cumsum(weights[order])
    starts = np.searchsorted(owner, np.arange(len(needed)))
    before = np.concatenate([[0.0], total])[starts]
    short = np.bincount(owner, weights=total - before[owner] < needed[owner], minlength=len(needed))
    return squared[starts + short.astype(np.intp)]
