"""Passes over the distances by blocks of points, each against whole fit sets: the plan that suits every case."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from prviz.neighbors.balls import ROLES, Nearest, Role, Rule
from prviz.neighbors.kernels import Scratch
from prviz.neighbors.orders import Ranking
from prviz.neighbors.point_sets import PointSet
from prviz.neighbors.prepare import Prepared
from prviz.neighbors.threads import Progress, run_blocks
from prviz.neighbors.tiles import Ball, Floats, Tile, TileRequest, make_tile

__all__ = [
    "Block",
    "CountTask",
    "Counts",
    "OwnRadii",
    "Runner",
    "count_tasks",
    "known_ball",
    "nearest_ball",
    "own_radii",
]

Counts = NDArray[np.int64]
OwnRadii: TypeAlias = dict[tuple[Role, int], Floats]

# Bytes of a block's distances, to stay in the processor's caches; its least rows, for fast products, and most rows.
_CACHE_BYTES, _LEAST_ROWS, _MOST_ROWS = 1 << 23, 48, 512


class CountTask(NamedTuple):
    """Count the fit samples of ``role`` in balls around "evaluation" or "fit" points, by ``rule``."""

    role: Role
    around: str
    rule: Rule


class WorkItem(Protocol):
    """Item that a runner runs: some rows or a tile; ``entries`` is its number of distances."""

    @property
    def entries(self) -> int:
        """Number of distances."""
        ...


SomeWork = TypeVar("SomeWork", bound=WorkItem)


class Block(NamedTuple):
    """Some points of a role against whole sets."""

    role: Role
    rows: slice
    entries: int


class Runner:
    """Runs blocks on threads, keeps their buffers, reports progress and adds up the comparisons rechecked."""

    def __init__(self, threads: int, block_bytes: int | None, progress: Progress | None, entries: int) -> None:
        self.rechecked = 0
        self.threads = threads
        self.block_bytes = block_bytes
        self._progress = progress
        self._entries = entries
        self._finished = 0
        self._shown = 0.0
        self._local = threading.local()

    def scratch(self) -> Scratch:
        """The buffers of the current thread."""
        if not hasattr(self._local, "scratch"):
            self._local.scratch = Scratch()
        scratch: Scratch = self._local.scratch
        return scratch

    def run(self, work: Callable[[SomeWork], int], blocks: Sequence[SomeWork]) -> None:
        """Call ``work``, which returns the comparisons rechecked, on every block."""
        run_blocks(work, blocks, self.threads, self._done)

    def expect(self, entries: int) -> None:
        """Add distances to the expected total."""
        self._entries += entries

    def row_blocks(self, sets: Mapping[Role, PointSet], columns: int, itemsize: int) -> list[Block]:
        """Blocks of rows of some sets, each against ``columns`` samples."""
        step = self._rows(sum(map(len, sets.values())), columns * itemsize)
        return [
            Block(role, slice(start, min(start + step, len(point_set))), columns * min(step, len(point_set) - start))
            for role, point_set in sets.items()
            for start in range(0, len(point_set), step)
        ]

    def _rows(self, total: int, row_bytes: int) -> int:
        if self.block_bytes is not None:
            return max(1, self.block_bytes // row_bytes)
        cached = min(max(_CACHE_BYTES // row_bytes, _LEAST_ROWS), _MOST_ROWS)
        # Blocks of one size, and enough of them to keep every thread busy to the end.
        return max(1, min(cached, -(-total // (2 * self.threads))))

    def _done(self, block: WorkItem, rechecked: int) -> None:
        self.rechecked += rechecked
        self._finished += block.entries
        if self._progress is not None:
            self._shown = max(self._shown, min(self._finished / self._entries, 1.0))
            self._progress(self._shown)


def own_radii(prepared: Prepared, own: Mapping[Role, Sequence[int]], runner: Runner) -> OwnRadii:
    """Per role and k, the exact squared distance of each (merged) fit sample to its k-th nearest."""
    squared = {(role, k): np.empty(len(prepared.fit[role])) for role, ks in own.items() for k in ks}

    def work(block: Block) -> int:
        point_set, ks = prepared.fit[block.role], own[block.role]
        tile = make_tile(point_set, block.rows, point_set, slice(0, len(point_set)), "own", runner.scratch())
        # As in Prepared.order: the sample itself is the nearest, so its k nearest others are k + 1.
        ranking = Ranking([tile], [tile.nearest(max(ks) + 1)])
        everything = np.arange(len(tile.values))
        for k in ks:
            squared[block.role, k][block.rows] = ranking.exact(k + 1, everything).squared
        return tile.rechecked

    for role in own:
        point_set = prepared.fit[role]
        runner.run(work, runner.row_blocks({role: point_set}, len(point_set), prepared.itemsize))
    return squared


def count_tasks(
    prepared: Prepared, tasks: Collection[CountTask], known: Mapping[CountTask, Ball | float], runner: Runner
) -> dict[CountTask, dict[Role, Counts]]:
    """The counts of every task around the (merged) evaluation samples of each role.

    ``known`` holds the balls around fit samples, and the squared radius where there is one for all.
    """
    found = {
        task: {role: np.empty(len(point_set), np.int64) for role, point_set in prepared.evaluate.items()}
        for task in tasks
    }
    ranked = [task for task in tasks if task not in known]

    def work(block: Block) -> int:
        points = prepared.evaluate[block.role]
        tiles = {
            role: make_tile(points, block.rows, point_set, slice(0, len(point_set)), role, runner.scratch())
            for role, point_set in prepared.fit.items()
        }
        pooled, balls = _ranked(prepared, block.role, ranked, tiles)
        balls |= {task: known_ball(tiles[task.role], ball) for task, ball in known.items()}
        for role, tile in tiles.items():
            tasks_here = [task for task in balls if task.role == role]
            counted = tile.count([TileRequest(balls[task]) for task in tasks_here])
            pooled |= {task: rows for task, (rows, _) in zip(tasks_here, counted, strict=True)}
        for task, counts in pooled.items():
            found[task][block.role][block.rows] = counts
        return sum(tile.rechecked for tile in tiles.values())

    columns = sum(map(len, prepared.fit.values()))
    runner.run(work, runner.row_blocks(prepared.evaluate, columns, prepared.itemsize))
    return found


def known_ball(tile: Tile, ball: Ball | float) -> Ball:
    """The balls around fit samples, or those of one squared radius around the block's points."""
    if isinstance(ball, Ball):
        return ball
    return Ball.of(tile.arithmetic, np.full(tile.norms.shape, ball), tile.norms)


def _ranked(
    prepared: Prepared, role: Role, tasks: Sequence[CountTask], tiles: Mapping[Role, Tile]
) -> tuple[dict[CountTask, Counts], dict[CountTask, Ball]]:
    """Counts of one block among the nearest of both roles, and the balls out to the nearest of one."""
    orders = {
        task: prepared.order(task.rule.k, role, task.rule.among) for task in tasks if isinstance(task.rule, Nearest)
    }
    counts: dict[CountTask, Counts] = {}
    balls: dict[CountTask, Ball] = {}
    if not orders:
        return counts, balls
    candidates = {each: tile.nearest(max(orders.values())) for each, tile in tiles.items()}
    rankings: dict[str, Ranking] = {}
    pooled: dict[int, dict[Role, Counts]] = {}
    for task, order in orders.items():
        among = task.rule.among if isinstance(task.rule, Nearest) else "both"
        members = ROLES if among == "both" else (among,)
        if among not in rankings:
            rankings[among] = Ranking([tiles[each] for each in members], [candidates[each] for each in members])
        if among != "both":
            balls[task] = nearest_ball(rankings[among], order)
            continue
        if order not in pooled:
            pooled[order] = dict(zip(ROLES, rankings[among].counts(order), strict=True))
        counts[task] = pooled[order][task.role]
    return counts, balls


def nearest_ball(ranking: Ranking, order: int) -> Ball:
    """Balls around the block's points out to their order-th nearest fit sample."""
    points = ranking.tiles[0]
    squared = ranking.exact(order, np.arange(len(points.norms))).squared
    return Ball.of(points.arithmetic, squared, points.norms)
