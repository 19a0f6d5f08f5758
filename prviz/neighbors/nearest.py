"""Exact nearest neighbours of a selection of points."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from prviz.neighbors.blocks import over_tiles, point_sets_of
from prviz.neighbors.orders import Ranking
from prviz.neighbors.point_sets import RowView
from prviz.neighbors.tiles import Tile

__all__ = ["nearest_radii", "nearest_rows", "radii_to"]

Floats = NDArray[np.float64]


def nearest_radii(
    points: NDArray[Any], rows: NDArray[np.intp], k: int, among: NDArray[np.intp] | None = None
) -> NDArray[np.float64]:
    """Distances of ``points[rows]`` to their k-th nearest other point, exact: (len(rows),).

    points : (n, d), perhaps memory-mapped; only blocks of it are copied. among : rows of the points that count, among
    them ``rows``; None: all. k : from 1 to the size of that set - 1. A point leaves itself out by
    index: duplicates are other points.
    """
    asked, everything = point_sets_of(RowView(points, rows), RowView(points, among))
    squared = np.empty(len(rows))

    def use(tile: Tile, block: slice) -> None:
        # The point itself is nearest, at distance zero: its k nearest others are the k + 1 nearest.
        ranking = Ranking([tile], [tile.nearest(k + 1)])
        squared[block] = ranking.exact(k + 1, np.arange(len(tile.values))).squared

    over_tiles(asked, everything, use)
    return np.sqrt(squared)


def nearest_rows(
    points: NDArray[Any], rows: NDArray[np.intp], k: int, among: NDArray[Any]
) -> tuple[NDArray[np.intp], Floats]:
    """The k rows of ``among`` that are nearest to each of ``points[rows]``, and their distances: (len(rows), k) each.

    Exact; the nearest first, equally near ones by row. points : (n, d). among : (m, d), another set, perhaps
    memory-mapped. k : at least 1; there are m columns where m is smaller.
    """
    asked, others = point_sets_of(RowView(points, rows), RowView(among))
    width = min(k, len(others))
    found, distances = np.empty((len(rows), width), dtype=np.intp), np.empty((len(rows), width))

    def use(tile: Tile, block: slice) -> None:
        near = tile.nearest(width)
        owner, slot = np.nonzero(np.isfinite(near.values))
        columns = near.columns[owner, slot]
        squared = tile.reference(owner, columns)
        order = np.lexsort((columns, squared, owner))
        first = np.searchsorted(owner[order], np.arange(len(near.values)))
        places = order[first[:, None] + np.arange(width)]
        found[block], distances[block] = columns[places], np.sqrt(squared[places])

    over_tiles(asked, others, use)
    return found, distances


def radii_to(
    points: NDArray[Any],
    samples: NDArray[Any],
    k: int,
    *,
    rows: NDArray[np.intp] | None = None,
    sample_rows: NDArray[np.intp] | None = None,
) -> NDArray[np.float64]:
    """Distances of points to the k-th nearest of samples that they are not among, exact: (number of points,).

    points : (n, d). samples : (m, d). rows, sample_rows : which rows of them; None: all. k : from 1 to their number.
    """
    asked, around = point_sets_of(RowView(points, rows), RowView(samples, sample_rows))
    squared = np.empty(len(asked))

    def use(tile: Tile, block: slice) -> None:
        ranking = Ranking([tile], [tile.nearest(k)])
        squared[block] = ranking.exact(k, np.arange(len(tile.values))).squared

    over_tiles(asked, around, use)
    return np.sqrt(squared)
