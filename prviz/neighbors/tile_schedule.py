"""Order of the tiles that cover every pair of points once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from prviz.neighbors.balls import Role

__all__ = ["ScheduledTile", "across_roles", "blocks_of_points", "inside_roles"]

_LIST_ROWS = 1024


class ScheduledTile(NamedTuple):
    """A tile: points of one role against points of the same or of the other role."""

    left: Role
    rows: slice
    right: Role
    columns: slice

    @property
    def entries(self) -> int:
        """Number of distances."""
        return int((self.rows.stop - self.rows.start) * (self.columns.stop - self.columns.start))

    @property
    def new_columns(self) -> int:
        """The first column that is not one of the rows."""
        return int(max(self.rows.stop, self.columns.start) if self.left == self.right else self.columns.start)


def inside_roles(sizes: Mapping[Role, int], side: int) -> list[ScheduledTile]:
    """Tiles that cover every pair of one role once, and the pairs of a block from both sides.

    Ordered by blocks of columns, so that factors that are not stored are computed once. Rows that are among the columns
    come in two halves, the second of which covers only half of the columns.
    """
    return [
        ScheduledTile(role, block, role, slice(max(block.start, across.start), across.stop))
        for role, n in sizes.items()
        for across in _slices(n, side)
        for block in [*_slices(across.start, side), *_halves(across)]
    ]


def across_roles(n_real: int, n_generated: int, side: int) -> list[ScheduledTile]:
    """Tiles of the real points (rows) against the generated ones (columns)."""
    return [
        ScheduledTile("real", block, "generated", across)
        for across in _slices(n_generated, side)
        for block in _slices(n_real, side)
    ]


def blocks_of_points(role: Role, n: int) -> list[ScheduledTile]:
    """Blocks of points whose lists are read; without distances."""
    return [ScheduledTile(role, rows, role, slice(0, 0)) for rows in _slices(n, _LIST_ROWS)]


def _halves(some: slice) -> list[slice]:
    middle = (some.start + some.stop) // 2
    return [each for each in (slice(some.start, middle), slice(middle, some.stop)) if each.start < each.stop]


def _slices(n: int, step: int) -> list[slice]:
    return [slice(start, min(start + step, n)) for start in range(0, n, step)]
