"""Exact counts and products over balls for a selection of points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prviz.neighbors.balls import squared_threshold
from prviz.neighbors.blocks import over_tiles, point_sets_of
from prviz.neighbors.exact import pair_distances
from prviz.neighbors.kernels import entries_within, true_places
from prviz.neighbors.point_sets import RowView
from prviz.neighbors.tiles import Ball, Tile, TileRequest

__all__ = [
    "count_held",
    "count_in_balls",
    "largest_ratios",
    "multiply_within",
    "smallest_holding",
]

Floats = NDArray[np.float64]

# Most pairs whose reference distances are computed at a time.
_PAIRS = 1 << 20
# Factors of a product that are multiplied before the first check against ``least``.
_FACTORS = 256
# Relative slack of approximate ratios: far above the rounding of their few float64 operations.
_SLACK = 1e-9


def count_in_balls(
    points: NDArray[Any],
    centres: NDArray[Any],
    radii: NDArray[np.float64],
    *,
    rows: NDArray[np.intp] | None = None,
    centre_rows: NDArray[np.intp] | None = None,
) -> NDArray[np.int64]:
    """Exact number of closed balls that hold each point: (number of points,).

    points : (n, d). centres : (m, d). rows, centre_rows : which rows of them; None: all. radii : distances, one per
    centre. Only blocks of the samples are copied.
    """
    asked, around = point_sets_of(RowView(points, rows), RowView(centres, centre_rows))
    ball = Ball.of(asked.arithmetic, _squared(radii), around.norms, around_rows=False)
    counts = np.empty(len(asked), dtype=np.int64)

    def use(tile: Tile, block: slice) -> None:
        counts[block] = tile.count([TileRequest(ball)])[0][0]

    over_tiles(asked, around, use)
    return counts


def count_held(
    centres: NDArray[Any],
    radii: Floats,
    points: NDArray[Any],
    *,
    centre_rows: NDArray[np.intp] | None = None,
    rows: NDArray[np.intp] | None = None,
) -> NDArray[np.int64]:
    """Exact number of points in each closed ball: (number of centres,). Arguments as in `count_in_balls`."""
    around, held = point_sets_of(RowView(centres, centre_rows), RowView(points, rows))
    ball = Ball.of(around.arithmetic, _squared(radii), around.norms)
    counts = np.empty(len(around), dtype=np.int64)

    def use(tile: Tile, block: slice) -> None:
        counts[block] = tile.count([TileRequest(ball.part(block))])[0][0]

    over_tiles(around, held, use)
    return counts


def multiply_within(
    points: NDArray[Any],
    centres: NDArray[Any],
    radius: float,
    factor: Callable[[Floats], Floats],
    *,
    rows: NDArray[np.intp] | None = None,
    centre_rows: NDArray[np.intp] | None = None,
    apart: bool = False,
    least: float = 0.0,
) -> Floats:
    """Per point, the product of factor(squared distance) over all centres within ``radius``: (number of points,).

    Multiplied in float64, in the order of the centres; 1 without centres.

    factor : function of an array of reference squared distances, in [0, 1]; also called beyond the radius, to give 1.
    apart : True if the points are the centres, in the same order; each then leaves itself out.
    least : a product is not continued once at or below this value.
    """
    asked, around = point_sets_of(RowView(points, rows), RowView(centres, centre_rows))
    ball = Ball.of(asked.arithmetic, np.full(len(asked), squared_threshold(radius)), asked.norms)
    products = np.ones(len(asked))

    def use(tile: Tile, block: slice) -> None:
        step = max(1, _PAIRS // len(around))
        for start in range(0, len(tile.values), step):
            part = slice(start, min(start + step, len(tile.values)))
            pairs = _Pairs(tile, part, ball.possible[block][part], factor, apart)
            products[block][part] = pairs.products(least)

    over_tiles(asked, around, use)
    return products


def largest_ratios(points: NDArray[Any], centres: NDArray[Any], radii: Floats) -> Floats:
    """Per point, the largest radius / distance of all centres, exact; inf at a centre: (number of points,).

    points : (n, d). centres : (m, d). radii : one per centre, none negative.
    """
    asked, around = point_sets_of(RowView(points), RowView(centres))
    arithmetic, ratios = asked.arithmetic, np.zeros(len(asked))
    scaled = arithmetic.scaled(np.square(radii))

    def use(tile: Tile, block: slice) -> None:
        wide = tile.values.astype(np.float64)
        # Bound on the error of the approximate distance of any pair.
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

    over_tiles(asked, around, use)
    return ratios


def smallest_holding(points: NDArray[Any], centres: NDArray[Any], radii: Floats) -> Floats:
    """Per point, the smallest radius of a closed ball that holds it, exact; nan outside all: (number of points,).

    points : (n, d). centres : (m, d). radii : one per centre.
    """
    order = np.argsort(radii, kind="stable")
    asked, around = point_sets_of(RowView(points), RowView(centres, order))
    squared = _squared(radii[order])
    ball = Ball.of(asked.arithmetic, squared, around.norms, around_rows=False)
    smallest = np.full(len(asked), np.nan)

    def use(tile: Tile, block: slice) -> None:
        inside = tile.values <= ball.possible
        left = np.flatnonzero(inside.any(axis=1))
        while len(left):
            first = inside[left].argmax(axis=1)
            holds = tile.values[left, first] <= ball.sure[first]
            unsure = np.flatnonzero(~holds)
            holds[unsure] = tile.reference(left[unsure], first[unsure]) <= squared[first[unsure]]
            smallest[block][left[holds]] = radii[order[first[holds]]]
            left, first = left[~holds], first[~holds]
            inside[left, first] = False
            left = left[inside[left].any(axis=1)]

    over_tiles(asked, around, use)
    return smallest


def _squared(radii: Floats) -> Floats:
    return np.array([squared_threshold(radius) for radius in radii.tolist()])


class _Pairs:
    """Pairs of some points of a tile with samples that might be within their limits, and a factor for each."""

    def __init__(
        self, tile: Tile, part: slice, limits: NDArray[Any], factor: Callable[[Floats], Floats], apart: bool
    ) -> None:
        self._tile, self._first, self._factor, self._apart = tile, part.start, factor, apart
        self._found = entries_within(tile.values[part], limits, None, tile.scratch)

    def products(self, least: float) -> Floats:
        """The product of each point's factors, one after the other; not continued at or below ``least``."""
        ends, begun, size = self._found.starts[1:], self._found.starts[:-1].copy(), _FACTORS
        products, left = np.ones(len(begun)), np.flatnonzero(begun < ends)
        while len(left):
            sizes = np.minimum(size, ends[left] - begun[left])
            # The product so far comes first, then the next factors.
            starts = np.cumsum(sizes + 1) - (sizes + 1)
            factors = np.empty(int(sizes.sum()) + len(left))
            new = np.ones(len(factors), dtype=np.bool_)
            factors[starts], new[starts] = products[left], False
            shift = begun[left] - starts - 1
            factors[new] = self._factors(np.flatnonzero(new) + np.repeat(shift, sizes))
            products[left] = np.multiply.reduceat(factors, starts)
            begun[left] += sizes
            left = left[(begun[left] < ends[left]) & (products[left] > least)]
            size *= 2
        return products

    def _factors(self, which: NDArray[np.intp]) -> Floats:
        rows, columns = self._found.rows[which] + self._first + self._tile.rows.start, self._found.columns[which]
        if self._tile.arithmetic.exact:
            squared = self._tile.arithmetic.unscaled(self._found.values[which])
        else:
            squared = pair_distances(self._tile.left.rows, rows, self._tile.right.rows, columns)
        factors = self._factor(squared)
        return np.where(rows == columns, 1.0, factors) if self._apart else factors
