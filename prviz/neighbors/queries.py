"""Radii and counts for some of the points only, by blocks of points against whole sets, exact as all else here."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prviz.neighbors.balls import squared_threshold
from prviz.neighbors.clouds import Cloud, Merged, Rows
from prviz.neighbors.orders import Ranking
from prviz.neighbors.passes import Runner
from prviz.neighbors.products import choose_arithmetic
from prviz.neighbors.threads import available_threads
from prviz.neighbors.tiles import Ball, Wanted, make_tile

__all__ = ["count_in_balls", "nearest_radii"]


_STORED_VALUES = 1 << 25


class _Block(NamedTuple):
    rows: slice
    entries: int


def _clouds(first: Rows, second: Rows) -> tuple[Cloud, Cloud]:
    arithmetic = choose_arithmetic([first, second])
    # Factors are stored where they are small, else made block by block.
    stored = (len(first) + len(second)) * first.d < _STORED_VALUES
    return Cloud(Merged(first), arithmetic, stored=stored), Cloud(Merged(second), arithmetic, stored=stored)


def _blocks(n: int, columns: int) -> list[_Block]:
    step = min(max((1 << 21) // columns, 48), 512)
    return [_Block(slice(start, min(start + step, n)), step * columns) for start in range(0, n, step)]


def nearest_radii(
    points: NDArray[Any], rows: NDArray[np.intp], k: int, among: NDArray[np.intp] | None = None
) -> NDArray[np.float64]:
    """Distances of ``points[rows]`` to their k-th nearest other point, exact: (len(rows),).

    points : (n, d), perhaps memory-mapped; only blocks of it are copied. among : the rows of the set whose points
    count, which holds ``rows``; None: all. k : from 1 to the size of that set - 1. A point leaves itself out by
    index: duplicates are other points.
    """
    asked, everything = _clouds(Rows(points, rows), Rows(points, among))
    runner = Runner(available_threads(), None, None, 1)
    squared = np.empty(len(rows))

    def work(block: _Block) -> int:
        tile = make_tile(asked, block.rows, everything, slice(0, len(everything)), "tile", runner.scratch())
        # The point itself is the nearest of all, at distance zero: its k nearest others are k + 1.
        ranking = Ranking([tile], [tile.nearest(k + 1)])
        squared[block.rows] = ranking.exact(k + 1, np.arange(len(tile.values))).squared
        return tile.redone

    runner.run(work, _blocks(len(rows), len(everything)))
    return np.sqrt(squared)


def count_in_balls(
    points: NDArray[Any],
    centres: NDArray[Any],
    radii: NDArray[np.float64],
    *,
    rows: NDArray[np.intp] | None = None,
    centre_rows: NDArray[np.intp] | None = None,
) -> NDArray[np.int64]:
    """How many closed balls hold each point, exact: (number of points,).

    points : (n, d). centres : (m, d). rows, centre_rows : which rows of them; None: all. radii : distances, one per
    centre. Only blocks of the samples are copied.
    """
    asked, around = _clouds(Rows(points, rows), Rows(centres, centre_rows))
    runner = Runner(available_threads(), None, None, 1)
    squared = np.array([squared_threshold(radius) for radius in radii.tolist()])
    ball = Ball.of(asked.arithmetic, squared, around.norms, around_rows=False)
    counts = np.empty(len(asked), dtype=np.int64)

    def work(block: _Block) -> int:
        tile = make_tile(asked, block.rows, around, slice(0, len(around)), "tile", runner.scratch())
        counts[block.rows] = tile.count([Wanted(ball)])[0][0]
        return tile.redone

    runner.run(work, _blocks(len(asked), len(around)))
    return counts
