"""The plan for many tasks at once, every k and radius of a profile: blocks of points against whole fit sets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from prviz.neighbors.balls import ROLES, Nearest, Role
from prviz.neighbors.passes import Block, CountTask, Runner
from prviz.neighbors.prepare import Prepared
from prviz.neighbors.radii import Counts, Radii, SampleRadii
from prviz.neighbors.sweep_counts import SortedRows, sorted_neighbours
from prviz.neighbors.tiles import Floats, Tile, make_tile

__all__ = ["bytes_needed", "count_many", "own_orders"]


def bytes_needed(prepared: Prepared, tasks: Collection[CountTask], own: Mapping[Role, int]) -> int:
    """Memory of the counts, twice for their concatenation, and of the radii inside the roles."""
    points = sum(
        len(point_set.merged.inverse if point_set.merged.inverse is not None else point_set)
        for point_set in prepared.evaluate.values()
    )
    return 8 * len(tasks) * points + sum(8 * len(prepared.fit[role]) * (k + 1) for role, k in own.items())


def own_orders(prepared: Prepared, own: Mapping[Role, int], runner: Runner) -> dict[Role, Floats]:
    """Per role, (n, k + 1) exact squared distances of fit samples to themselves and their k nearest others."""
    found = {role: np.empty((len(prepared.fit[role]), k + 1)) for role, k in own.items()}

    def work(block: Block) -> int:
        point_set = prepared.fit[block.role]
        tile = make_tile(point_set, block.rows, point_set, slice(0, len(point_set)), "own", runner.scratch())
        found[block.role][block.rows] = sorted_neighbours(tile, own[block.role] + 1)
        return tile.rechecked

    for role in own:
        point_set = prepared.fit[role]
        runner.run(work, runner.row_blocks({role: point_set}, len(point_set), prepared.itemsize))
    return found


@dataclass(frozen=True, eq=False)
class _Groups:
    """Tasks grouped by rule: nearest neighbours, one radius for all balls, balls around samples."""

    nearest: dict[str, list[CountTask]] = field(default_factory=lambda: defaultdict(list))
    within: dict[Role, list[CountTask]] = field(default_factory=lambda: defaultdict(list))
    around_samples: dict[Role, list[CountTask]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, tasks: Collection[CountTask], fixed: Mapping[CountTask, float]) -> _Groups:
        groups = cls()
        for task in tasks:
            if not isinstance(task.rule, Nearest):
                groups.within[task.role].append(task)
            elif task.around == "fit":
                groups.around_samples[task.role].append(task)
            else:
                groups.nearest[task.rule.among].append(task)
        for some in groups.within.values():
            some.sort(key=fixed.__getitem__)
        for some in groups.around_samples.values():
            some.sort(key=_k)
        return groups


def _k(task: CountTask) -> int:
    return task.rule.k if isinstance(task.rule, Nearest) else 0


class _Counter:
    """Counts the tasks on one block after the other."""

    def __init__(
        self,
        prepared: Prepared,
        tasks: Collection[CountTask],
        fixed: Mapping[CountTask, float],
        own: Mapping[Role, Floats],
    ) -> None:
        self._prepared = prepared
        self._groups = groups = _Groups.of(tasks, fixed)
        self._radii = {
            role: Radii(prepared.arithmetic, np.array([fixed[task] for task in some]))
            for role, some in groups.within.items()
        }
        self._balls = {
            role: SampleRadii(prepared.fit[role], own[role][:, [_k(task) for task in some]])
            for role, some in groups.around_samples.items()
        }

        self._nearest = {role: self._orders(role) for role in ROLES}

    def _orders(self, role: Role) -> dict[tuple[str, Role], tuple[list[CountTask], NDArray[np.intp]]]:
        """Tasks and their orders around points of a role, by the roles of the neighbours and of the counted samples."""
        found: dict[tuple[str, Role], tuple[list[CountTask], NDArray[np.intp]]] = {}
        for among, tasks in self._groups.nearest.items():
            for counted in ROLES:
                some = [task for task in tasks if task.role == counted]
                orders = np.array([self._prepared.order(_k(task), role, among) for task in some], dtype=np.intp)
                found |= {(among, counted): (some, orders)} if some else {}
        return found

    @property
    def groups(self) -> list[list[CountTask]]:
        """The tasks in the order in which `counts` yields them."""
        nearest = [tasks for tasks, _ in self._nearest["real"].values()]
        return [*self._groups.within.values(), *self._groups.around_samples.values(), *nearest]

    def counts(self, role: Role, tiles: Mapping[Role, Tile]) -> Iterator[Counts]:
        """(tasks, m) counts of each group around the rows of the tiles, which are points of ``role``."""
        for sample_role, radii in self._radii.items():
            yield radii.counts(tiles[sample_role])
        for sample_role, balls in self._balls.items():
            yield balls.counts(tiles[sample_role])
        if self._nearest[role]:
            asked: dict[str, int] = {}
            for (among, _), (_, orders) in self._nearest[role].items():
                asked[among] = max(asked.get(among, 0), int(orders.max()))
            rows = SortedRows(tiles, asked)
            for (among, counted), (_, orders) in self._nearest[role].items():
                yield rows.counts(among, orders, counted)


def count_many(
    prepared: Prepared,
    tasks: Sequence[CountTask],
    fixed: Mapping[CountTask, float],
    own: Mapping[Role, Floats],
    runner: Runner,
) -> dict[CountTask, dict[Role, Counts]]:
    """The counts of every task around the evaluation samples of each role; none of the fit sets may have weights.

    ``fixed`` holds the squared radius where there is one for all, ``own`` the result of `own_orders`.
    """
    counter = _Counter(prepared, tasks, fixed, own)
    found = {
        role: [np.empty((len(group), len(point_set)), np.int32) for group in counter.groups]
        for role, point_set in prepared.evaluate.items()
    }

    def work(block: Block) -> int:
        points, scratch = prepared.evaluate[block.role], runner.scratch()
        tiles = {
            role: make_tile(points, block.rows, point_set, slice(0, len(point_set)), role, scratch)
            for role, point_set in prepared.fit.items()
        }
        for out, counts in zip(found[block.role], counter.counts(block.role, tiles), strict=True):
            out[:, block.rows] = counts
        return sum(tile.rechecked for tile in tiles.values())

    columns = sum(map(len, prepared.fit.values()))
    runner.run(work, runner.row_blocks(prepared.evaluate, columns, prepared.itemsize))
    return {
        task: {role: found[role][place][index] for role in found}
        for place, group in enumerate(counter.groups)
        for index, task in enumerate(group)
    }
