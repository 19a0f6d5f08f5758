"""Blocks of points against whole sets: the loop shared by all queries for a selection of points."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from prviz.neighbors.passes import Runner
from prviz.neighbors.point_sets import DistinctRows, PointSet, RowView
from prviz.neighbors.products import choose_arithmetic
from prviz.neighbors.threads import available_threads
from prviz.neighbors.tiles import Tile, make_tile

__all__ = ["over_tiles", "point_sets_of"]

_STORED_VALUES = 1 << 25


class _Block(NamedTuple):
    rows: slice
    entries: int


def point_sets_of(first: RowView, second: RowView) -> tuple[PointSet, PointSet]:
    """Both sets of points, ready for products with each other."""
    arithmetic = choose_arithmetic([first, second])
    # Small factors are stored, large ones are computed block by block.
    stored = (len(first) + len(second)) * first.d < _STORED_VALUES
    return PointSet(DistinctRows(first), arithmetic, stored=stored), PointSet(
        DistinctRows(second), arithmetic, stored=stored
    )


def _blocks(n: int, columns: int) -> list[_Block]:
    step = min(max((1 << 21) // columns, 48), 512)
    return [_Block(slice(start, min(start + step, n)), step * columns) for start in range(0, n, step)]


def over_tiles(points: PointSet, samples: PointSet, use: Callable[[Tile, slice], None]) -> None:
    """Call ``use`` with every tile of a block of points against all samples, and the rows of these points."""
    runner = Runner(available_threads(), None, None, 1)

    def work(block: _Block) -> int:
        tile = make_tile(points, block.rows, samples, slice(0, len(samples)), "tile", runner.scratch())
        use(tile, block.rows)
        return tile.rechecked

    runner.run(work, _blocks(len(points), len(samples)))
