"""Results collected from tiles without a split: k-nearest-neighbour lists, and counts within unknown radii."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from prviz.neighbors.balls import Role, Rule
from prviz.neighbors.kernels import Entries
from prviz.neighbors.lists import NeighbourLists
from prviz.neighbors.orders import Ranking
from prviz.neighbors.passes import Runner
from prviz.neighbors.prepare import Prepared
from prviz.neighbors.radius_bounds import BoundedRadiusCounts, Key
from prviz.neighbors.tile_schedule import ScheduledTile, blocks_of_points
from prviz.neighbors.tiles import Array, Floats, Pairs, Rows, Tile

__all__ = ["CollectedLists"]

# Share of a tile's entries above which counts are made by masks, which then cost less than picking entries out.
_CROWDED = 1 / 5


class CollectedLists:
    """Lists by the roles of their points and samples; bounded counts by the roles of rows and columns, and by rule."""

    def __init__(self, prepared: Prepared) -> None:
        self._prepared = prepared
        self.lists: dict[Key, NeighbourLists] = {}
        self.bounded: dict[tuple[Key, Rule], BoundedRadiusCounts] = {}

    def limits(self, tile: Tile, place: ScheduledTile) -> list[Array]:
        """Limits within which entries of a tile are needed, (m, 1) and (1, n)."""
        high = [np.full((len(tile.values), 1), bounded.high) for bounded in self._guesses_of(tile, place)]
        return self._list_limits(tile, place) + high

    def add(self, tile: Tile, picked: Entries, place: ScheduledTile) -> None:
        """Add the entries picked out of a tile: all within `limits`, perhaps more."""
        self._add_to_lists(tile, picked, place)
        self._add_to_guesses(tile, picked, place)

    def _list_limits(self, tile: Tile, place: ScheduledTile) -> list[Array]:
        """Limits of the lists of the rows, and of the columns that are not rows too."""
        found: list[Array] = []
        if (place.left, place.right) in self.lists:
            found.append(self.lists[place.left, place.right].limits(place.rows, lambda: tile)[:, None])
        first = place.new_columns
        if (place.right, place.left) in self.lists and first < place.columns.stop:
            limits = np.full((1, tile.values.shape[1]), -np.inf, tile.values.dtype)
            points, lists = slice(first, place.columns.stop), self.lists[place.right, place.left]
            limits[0, first - place.columns.start :] = lists.limits(points, lambda: tile.turned(first))
            found.append(limits)
        return found

    def _add_to_lists(self, tile: Tile, picked: Entries, place: ScheduledTile) -> None:
        rows, columns, values, _ = picked
        if (place.left, place.right) in self.lists:
            lists = self.lists[place.left, place.right]
            lists.add(place.rows, rows, columns + tile.columns.start, values)
        skipped = place.new_columns - place.columns.start
        if (place.right, place.left) in self.lists and skipped < tile.values.shape[1]:
            if skipped:
                fresh = columns >= skipped
                rows, columns, values = rows[fresh], columns[fresh], values[fresh]
            points = slice(place.new_columns, place.columns.stop)
            self.lists[place.right, place.left].add(points, columns - skipped, rows + tile.rows.start, values)

    def _guesses_of(self, tile: Tile, place: ScheduledTile) -> list[BoundedRadiusCounts]:
        """Bounded counts to which a tile contributes; a count with too many entries in it is given up for masks."""
        found = self._kept_guesses(place)
        for bounded in found:
            if not tile.is_sparse(np.array([[bounded.high]]), _CROWDED):
                bounded.give_up()
        return [bounded for bounded in found if not bounded.given_up]

    def _kept_guesses(self, place: ScheduledTile) -> list[BoundedRadiusCounts]:
        of_roles = [bounded for (key, _), bounded in self.bounded.items() if key == (place.left, place.right)]
        return [bounded for bounded in of_roles if not bounded.given_up]

    def _add_to_guesses(self, tile: Tile, picked: Entries, place: ScheduledTile) -> None:
        counters = self._kept_guesses(place)
        if not counters:
            return
        first, second, values = picked.rows + tile.rows.start, picked.columns + tile.columns.start, picked.values
        if place.left == place.right:
            once = second > first
            first, second, values = first[once], second[once], values[once]
        for bounded in counters:
            bounded.add(first, second, values)

    def settle(self, across: bool, runner: Runner) -> None:
        """Rebuild the lists, across the roles or inside them, that turn out to be too short.

        Once all tiles have been added; those of a list together, because their products take next to no longer.
        """
        short: dict[Key, list[Rows]] = {key: [] for key in self.lists if (key[0] != key[1]) == across}

        def find(block: ScheduledTile) -> int:
            key = block.left, block.right
            short[key].append(self.lists[key].short(block.rows))
            return 0

        def look(again: ScheduledTile) -> int:
            key = again.left, again.right
            self.lists[key].look_again(np.concatenate(short[key]), runner.scratch())
            return 0

        blocks = {key: blocks_of_points(key[0], len(self._prepared.fit[key[0]])) for key in short}
        runner.run(find, [block._replace(right=key[1]) for key, some in blocks.items() for block in some])
        nothing = slice(0, 0)
        runner.run(
            look,
            [ScheduledTile(key[0], nothing, key[1], nothing) for key, some in short.items() if any(map(len, some))],
        )

    def radii(self, role: Role, among: Role, k: int, runner: Runner) -> Floats:
        """Exact squared distances of all points of a role to their k-th nearest among a role, from the lists."""
        order = self._prepared.order(k, role, among)
        squared = np.empty(len(self._prepared.fit[role]))

        def work(block: ScheduledTile) -> int:
            ranking = self.ranking(role, (among,), block.rows)
            squared[block.rows] = ranking.exact(order, np.arange(block.rows.stop - block.rows.start)).squared
            return ranking.tiles[0].rechecked

        runner.run(work, blocks_of_points(role, len(squared)))
        return squared

    def ranking(self, role: Role, members: Sequence[Role], rows: slice) -> Ranking:
        """The neighbours of some points among one role or both, from the lists, in order."""
        fit = self._prepared.fit
        lists = [self.lists[role, member].candidates(rows) for member in members]
        return Ranking([Pairs(left=fit[role], rows=rows, right=fit[member]) for member in members], lists)
