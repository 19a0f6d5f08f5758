"""Exact counts, products and nearest neighbours for some points of a set: blocks of these points
are compared with whole sets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from prviz.arrays import Array, Counts, Floats, Ints
from prviz.neighbors.balls import squared_threshold
from prviz.neighbors.blocks import Runner
from prviz.neighbors.engine import MEMORY_LIMIT
from prviz.neighbors.kernels import Entries, entries_within, true_places
from prviz.neighbors.point_sets import (
    AtOnce,
    DistinctRows,
    PointSet,
    RowView,
    pair_distances,
    place,
    slices,
)
from prviz.neighbors.prepared import choose_arithmetic
from prviz.neighbors.threads import available_threads
from prviz.neighbors.tiles import Ball, Ranking, Tile, make_tile

# Factors of two sets are stored if the sets have at most this many values; those of larger sets are
# computed block by block.
_STORED_VALUES = 1 << 25
# _FACTOR_BYTES: bytes per value for a stored factor and its rounding. _PAIR_BYTES: most bytes per
# pair of a tile, with its ranking.
_FACTOR_BYTES = 16
_PAIR_BYTES = 48
# Most pairs whose reference distances are computed at a time.
_PAIRS = 1 << 20
# `multiply_within` multiplies this many factors before it first checks if the product is down to
# ``least``.
_FACTORS = 256
# Relative slack of approximate ratios, far above the rounding errors of their few float64
# operations.
_SLACK = 1e-9
_ALL = slice(None)

# The number of a set, 0 or 1, and some consecutive rows of it.
Part: TypeAlias = tuple[int, slice]


def _point_sets(
    first: RowView, second: RowView, memory_limit: int = MEMORY_LIMIT
) -> tuple[PointSet, PointSet]:
    """Both sets as `PointSet`, prepared for matrix products with each other."""
    arithmetic = choose_arithmetic([first, second])
    at_once = None
    if (len(first) + len(second)) * first.d >= min(
        _STORED_VALUES, memory_limit // (2 * _FACTOR_BYTES)
    ):
        at_once = AtOnce.within(memory_limit * 3 // 4, [first, second], arithmetic)
    left, right = (
        PointSet(DistinctRows(each), arithmetic, at_once=at_once) for each in (first, second)
    )
    place([left, right], memory_limit)
    return left, right


def _over_tiles(
    points: PointSet,
    samples: PointSet,
    use: Callable[[Tile, slice], None],
    memory_limit: int = MEMORY_LIMIT,
    *,
    rows: slice = _ALL,
    columns: slice = _ALL,
) -> None:
    """Call ``use`` for each block of points: with the tile of its distances to the samples, and
    with the places of the block among the points.

    rows, columns : which points and which samples are meant.
    """
    runner = Runner(available_threads())
    first, last, _ = rows.indices(len(points))
    columns = slice(*columns.indices(len(samples))[:2])
    n = columns.stop - columns.start

    def work(block: slice) -> int:
        part = slice(first + block.start, first + block.stop)
        use(make_tile(points, part, samples, runner.scratch(), columns=columns), block)
        return 0

    most = memory_limit // (2 * _PAIR_BYTES * available_threads() * n)
    step = max(min(max((1 << 21) // n, 48), points.rows_at_once(512), most), 1)
    runner.run(work, slices(last - first, step))


def nearest_radii(points: Array, rows: Ints, k: int, among: Ints | None = None) -> Floats:
    """Exact distances of ``points[rows]`` to their k-th nearest other point: (len(rows),).

    points : (n, d), perhaps memory-mapped; only blocks of it are copied.
    among : the rows that may be neighbours, ``rows`` among them; None: all rows.
    k : from 1 to the number of these rows - 1.

    A point leaves itself out by index, so a duplicate of it is another point.
    """
    # The point itself is nearest, at distance zero: its k nearest others are the k + 1 nearest.
    return radii_to(points, points, k + 1, rows=rows, sample_rows=among)


def radii_to(
    points: Array,
    samples: Array,
    k: int,
    *,
    rows: Ints | None = None,
    sample_rows: Ints | None = None,
) -> Floats:
    """Exact distances of points to the k-th nearest of the samples of another set: (number of
    points,).

    points : (n, d).
    samples : (m, d).
    rows, sample_rows : which of their rows are used; None: all.
    k : from 1 to the number of samples.
    """
    queried, around = _point_sets(RowView(points, rows), RowView(samples, sample_rows))
    squared = np.empty(len(queried))

    def use(tile: Tile, block: slice) -> None:
        ranking = Ranking([tile], [tile.nearest(k)])
        squared[block] = ranking.exact(k, np.arange(len(tile.values))).squared

    _over_tiles(queried, around, use)
    return np.sqrt(squared)


def nearest_rows(
    points: Array, rows: Ints, k: int, among: Array, *, memory_limit: int = MEMORY_LIMIT
) -> tuple[Ints, Floats]:
    """For each of ``points[rows]``, the k nearest rows of ``among`` and their distances:
    (len(rows), k) each.

    The result is exact: nearest first, equally near ones in the order of their rows.

    points : (n, d).
    among : (m, d), another set, perhaps memory-mapped.
    k : at least 1; there are m columns where m is smaller.
    memory_limit : bytes that may be used, without the sets and the result. One row of distances is
    always computed, even if it takes more.
    """
    return NearestRows(RowView(points, rows), RowView(among), memory_limit).among(
        (0, _ALL), (1, _ALL), k
    )


class NearestRows:
    """Two sets, prepared once for several searches as that of `nearest_rows`."""

    def __init__(self, first: RowView, second: RowView, memory_limit: int = MEMORY_LIMIT) -> None:
        self._sets = _point_sets(first, second, memory_limit)
        self._memory_limit = memory_limit

    def among(self, points: Part, samples: Part, k: int) -> tuple[Ints, Floats]:
        """For each of the points, the k nearest samples, by their places among these, and their
        distances; see `nearest_rows`.
        """
        queried = self._sets[points[0]]
        others = self._sets[samples[0]]
        start, stop, _ = samples[1].indices(len(others))
        n = len(queried.norms[points[1]])
        width = min(k, stop - start)
        found = np.empty((n, width), dtype=np.intp)
        distances = np.empty((n, width))

        def use(tile: Tile, block: slice) -> None:
            near = tile.nearest(width)
            owner, slot = np.nonzero(np.isfinite(near.values))
            columns = near.columns[owner, slot]
            squared = tile.reference(owner, columns)
            order = np.lexsort((columns, squared, owner))
            first = np.searchsorted(owner[order], np.arange(len(near.values)))
            places = order[first[:, None] + np.arange(width)]
            found[block], distances[block] = columns[places] - start, np.sqrt(squared[places])

        _over_tiles(queried, others, use, self._memory_limit, rows=points[1], columns=samples[1])
        return found, distances


def count_in_balls(
    points: Array,
    centres: Array,
    radii: Floats,
    *,
    rows: Ints | None = None,
    centre_rows: Ints | None = None,
) -> Counts:
    """For each point, the exact number of closed balls that hold it: (number of points,).

    points : (n, d).
    centres : (m, d).
    rows, centre_rows : which of their rows are used; None: all.
    radii : distances, one per centre.

    Only blocks of the samples are copied.
    """
    return _counts(RowView(points, rows), RowView(centres, centre_rows), radii, around_rows=False)


def count_held(
    centres: Array,
    radii: Floats,
    points: Array,
    *,
    centre_rows: Ints | None = None,
    rows: Ints | None = None,
) -> Counts:
    """For each closed ball, the exact number of points in it: (number of centres,). Arguments as in
    `count_in_balls`.
    """
    return _counts(RowView(centres, centre_rows), RowView(points, rows), radii, around_rows=True)


def _counts(first: RowView, second: RowView, radii: Floats, *, around_rows: bool) -> Counts:
    """For each of ``first``, the number of ``second`` in the ball around it (``around_rows`` True),
    or the number of balls around ``second`` that contain it.
    """
    left, right = _point_sets(first, second)
    ball = Ball.of(
        left.arithmetic,
        _squared(radii),
        (left if around_rows else right).norms,
        around_rows=around_rows,
    )
    counts = np.empty(len(left), dtype=np.int64)

    def use(tile: Tile, block: slice) -> None:
        counts[block] = tile.count([ball.part(block) if around_rows else ball])[0][0]

    _over_tiles(left, right, use)
    return counts


def multiply_within(
    points: RowView,
    centres: RowView,
    radius: float,
    factor: Callable[[Floats], Floats],
    *,
    apart: bool = False,
    least: float = 0.0,
) -> Floats:
    """For each point, the product of factor(squared distance) over all centres within ``radius``:
    (number of points,).

    Factors are multiplied in float64, in the order of the centres. Without centres the product is
    1.

    factor : function of an array of reference squared distances, with values in [0, 1]. It is also
    called for some distances beyond the radius, where it must be 1.
    apart : True if the points are the centres, in the same order; each point then leaves itself
    out.
    least : a product that has fallen to this value or below need not be multiplied further.
    """
    queried, around = _point_sets(points, centres)
    ball = Ball.of(
        queried.arithmetic, np.full(len(queried), squared_threshold(radius)), queried.norms
    )
    products = np.ones(len(queried))

    def use(tile: Tile, block: slice) -> None:
        step = max(1, _PAIRS // len(around))
        values = tile.to_numpy()
        for part in slices(len(values), step):
            found = entries_within(values[part], ball.possible[block][part], None, tile.scratch)

            def factors(which: Ints, first: int = part.start, found: Entries = found) -> Floats:
                rows = found.rows[which] + first + tile.rows.start
                columns = found.columns[which]
                if tile.arithmetic.exact:
                    squared = tile.arithmetic.unscaled(found.values[which])
                else:
                    squared = pair_distances(tile.left.rows, rows, tile.right.rows, columns)
                if apart:
                    return np.where(rows == columns, 1.0, factor(squared))
                return factor(squared)

            products[block][part] = _products(found.starts, factors, least)

    _over_tiles(queried, around, use)
    return products


def largest_ratios(points: Array, centres: Array, radii: Floats) -> Floats:
    """For each point, the exact maximum over all centres of radius / distance, inf at a centre:
    (number of points,).

    points : (n, d).
    centres : (m, d).
    radii : one per centre, none negative.
    """
    queried, around = _point_sets(RowView(points), RowView(centres))
    arithmetic = queried.arithmetic
    ratios = np.zeros(len(queried))
    scaled = arithmetic.scaled(np.square(radii))

    def use(tile: Tile, block: slice) -> None:
        wide = tile.to_numpy().astype(np.float64)
        # Bound on the error of any approximate distance in the tile.
        error = arithmetic.constant * np.square(tile.norms[:, None] + around.norms)
        with np.errstate(divide="ignore", invalid="ignore"):
            surely = np.where(scaled > 0, scaled / (wide + error), 0.0).max(axis=1, keepdims=True)
            wide -= error
            possible = (scaled > 0) & (scaled >= surely * wide * (1 - _SLACK))
        owner, columns = true_places(possible | (wide <= 0))
        distances = np.sqrt(tile.reference(owner, columns))
        found = np.full(len(owner), np.inf)
        np.divide(radii[columns], distances, out=found, where=distances > 0)
        np.maximum.at(ratios[block], owner, found)

    _over_tiles(queried, around, use)
    return ratios


def smallest_holding(points: Array, centres: Array, radii: Floats) -> Floats:
    """For each point, the exact radius of the smallest closed ball that holds it, nan outside all
    balls: (number of points,).

    points : (n, d).
    centres : (m, d).
    radii : one per centre.
    """
    order = np.argsort(radii, kind="stable")
    queried, around = _point_sets(RowView(points), RowView(centres, order))
    squared = _squared(radii[order])
    ball = Ball.of(queried.arithmetic, squared, around.norms, around_rows=False)
    smallest = np.full(len(queried), np.nan)

    def use(tile: Tile, block: slice) -> None:
        values = tile.to_numpy()
        inside = values <= ball.possible
        left = np.flatnonzero(inside.any(axis=1))
        while len(left):
            first = inside[left].argmax(axis=1)
            holds = values[left, first] <= ball.sure[first]
            unsure = np.flatnonzero(~holds)
            holds[unsure] = tile.reference(left[unsure], first[unsure]) <= squared[first[unsure]]
            smallest[block][left[holds]] = radii[order[first[holds]]]
            left = left[~holds]
            first = first[~holds]
            inside[left, first] = False
            left = left[inside[left].any(axis=1)]

    _over_tiles(queried, around, use)
    return smallest


def _squared(radii: Floats) -> Floats:
    return np.array([squared_threshold(radius) for radius in radii.tolist()])


def _products(starts: Ints, factors: Callable[[Ints], Floats], least: float) -> Floats:
    """For each row, the product of its factors, multiplied in order until it falls to ``least`` or
    below.
    """
    ends = starts[1:]
    begun = starts[:-1].copy()
    size = _FACTORS
    products = np.ones(len(begun))
    left = np.flatnonzero(begun < ends)
    while len(left):
        sizes = np.minimum(size, ends[left] - begun[left])
        # Multiply the product so far by the next factors, in order.
        firsts = np.cumsum(sizes + 1) - (sizes + 1)
        values = np.empty(int(sizes.sum()) + len(left))
        new = np.ones(len(values), dtype=np.bool_)
        values[firsts], new[firsts] = products[left], False
        shift = begun[left] - firsts - 1
        values[new] = factors(np.flatnonzero(new) + np.repeat(shift, sizes))
        products[left] = np.multiply.reduceat(values, firsts)
        begun[left] += sizes
        left = left[(begun[left] < ends[left]) & (products[left] > least)]
        size *= 2
    return products
