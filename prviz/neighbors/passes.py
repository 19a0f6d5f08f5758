"""The two passes over the distances: radii inside each role, then counts around every evaluation point."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from prviz.neighbors.balls import ROLES, Nearest, Role, Rule
from prviz.neighbors.clouds import Cloud
from prviz.neighbors.kernels import Scratch
from prviz.neighbors.orders import Ranking
from prviz.neighbors.prepare import Prepared
from prviz.neighbors.threads import Progress, run_blocks
from prviz.neighbors.tiles import Ball, Floats, Rows, Tile, make_tile

__all__ = ["OwnRadii", "Runner", "Task", "count_tasks", "own_radii"]

Counts = NDArray[np.int64]
OwnRadii: TypeAlias = dict[tuple[Role, int], Floats]

# A block's distances should stay in the processor's caches, but not have so few rows that products suffer.
_CACHE_BYTES, _LEAST_ROWS, _MOST_ROWS = 1 << 23, 48, 512


class Task(NamedTuple):
    """Count the fit samples of ``role`` in balls around "evaluation" or "fit" points, by ``rule``."""

    role: Role
    around: str
    rule: Rule


class _Block(NamedTuple):
    role: Role
    rows: slice
    entries: int


class Runner:
    """Runs blocks on threads, keeps their buffers, reports progress and adds up the comparisons re-done."""

    def __init__(self, threads: int, block_bytes: int | None, progress: Progress | None, entries: int) -> None:
        self.redone = 0
        self._threads = threads
        self._block_bytes = block_bytes
        self._progress = progress
        self._entries = entries
        self._finished = 0
        self._local = threading.local()

    def scratch(self) -> Scratch:
        """The buffers of the current thread."""
        if not hasattr(self._local, "scratch"):
            self._local.scratch = Scratch()
        scratch: Scratch = self._local.scratch
        return scratch

    def run(self, work: Callable[[_Block], int], sets: Mapping[Role, Cloud], columns: int, itemsize: int) -> None:
        """Call ``work``, which returns the comparisons re-done, on row blocks of ``sets``."""
        step = self._rows(sum(map(len, sets.values())), columns * itemsize)
        blocks = [
            _Block(role, slice(start, min(start + step, len(cloud))), columns * min(step, len(cloud) - start))
            for role, cloud in sets.items()
            for start in range(0, len(cloud), step)
        ]
        run_blocks(work, blocks, self._threads, self._done)

    def _rows(self, total: int, row_bytes: int) -> int:
        if self._block_bytes is not None:
            return max(1, self._block_bytes // row_bytes)
        cached = min(max(_CACHE_BYTES // row_bytes, _LEAST_ROWS), _MOST_ROWS)
        # Blocks of one size, and enough of them to keep every thread busy to the end.
        return max(1, min(cached, -(-total // (2 * self._threads))))

    def _done(self, block: _Block, redone: int) -> None:
        self.redone += redone
        self._finished += block.entries
        if self._progress is not None:
            self._progress(min(self._finished / self._entries, 1.0))


def own_radii(prepared: Prepared, own: Mapping[Role, Sequence[int]], runner: Runner) -> OwnRadii:
    """Per role and k, the exact squared distance of each (merged) fit sample to its k-th nearest."""
    squared = {(role, k): np.empty(len(prepared.fit[role])) for role, ks in own.items() for k in ks}

    def work(block: _Block) -> int:
        cloud, ks = prepared.fit[block.role], own[block.role]
        tile = make_tile(prepared.arithmetic, cloud, block.rows, cloud, "own", runner.scratch())
        # As in Prepared.order: the sample itself is the nearest, so its k nearest others are k + 1.
        ranking = Ranking([tile], [tile.nearest(max(ks) + 1)])
        everything = np.arange(len(tile.values))
        for k in ks:
            squared[block.role, k][block.rows] = ranking.exact(k + 1, everything).squared
        return tile.redone

    for role in own:
        cloud = prepared.fit[role]
        runner.run(work, {role: cloud}, len(cloud), prepared.arithmetic.dtype().itemsize)
    return squared


def count_tasks(
    prepared: Prepared, tasks: Collection[Task], known: Mapping[Task, Ball | float], runner: Runner
) -> dict[Task, Counts]:
    """The counts of every task, per original evaluation sample, real ones first.

    ``known`` holds the balls around fit samples, and the squared radius where there is one for all.
    """
    found = {
        task: {role: np.empty(len(cloud), np.int64) for role, cloud in prepared.evaluate.items()} for task in tasks
    }

    def work(block: _Block) -> int:
        tiles = {
            role: make_tile(
                prepared.arithmetic, prepared.evaluate[block.role], block.rows, cloud, role, runner.scratch()
            )
            for role, cloud in prepared.fit.items()
        }
        for task, ball in known.items():
            found[task][block.role][block.rows] = _count_known(tiles[task.role], ball)
        ranked = [task for task in tasks if task not in known]
        for task, counts in _ranked_counts(prepared, block.role, ranked, tiles).items():
            found[task][block.role][block.rows] = counts
        return sum(tile.redone for tile in tiles.values())

    columns = sum(map(len, prepared.fit.values()))
    runner.run(work, prepared.evaluate, columns, prepared.arithmetic.dtype().itemsize)
    expand = {role: cloud.merged.expand for role, cloud in prepared.evaluate.items()}
    return {task: np.concatenate([expand[role](parts[role]) for role in ROLES]) for task, parts in found.items()}


def _count_known(tile: Tile, ball: Ball | float) -> Counts:
    if not isinstance(ball, Ball):
        norms = tile.norms[:, None]
        ball = Ball.of(tile.arithmetic, np.full(norms.shape, ball), norms)
    return tile.count(ball)


def _ranked_counts(
    prepared: Prepared, role: Role, tasks: Sequence[Task], tiles: Mapping[Role, Tile]
) -> dict[Task, Counts]:
    """Counts of one block whose radii are order statistics of that block itself."""
    orders = {
        task: prepared.order(task.rule.k, role, task.rule.among) for task in tasks if isinstance(task.rule, Nearest)
    }
    if not orders:
        return {}
    candidates = {each: tile.nearest(max(orders.values())) for each, tile in tiles.items()}
    rankings: dict[str, Ranking] = {}
    pooled: dict[int, dict[Role, Counts]] = {}
    counts = {}
    for task, order in orders.items():
        among = task.rule.among if isinstance(task.rule, Nearest) else "both"
        members = ROLES if among == "both" else (among,)
        if among not in rankings:
            rankings[among] = Ranking([tiles[each] for each in members], [candidates[each] for each in members])
        ranking = rankings[among]
        if among != "both":
            counts[task] = tiles[task.role].count(_nearest_ball(ranking, order))
            continue
        if order not in pooled:
            pooled[order] = dict(zip(ROLES, ranking.counts(order), strict=True))
        counts[task] = pooled[order][task.role]
    return counts


def _nearest_ball(ranking: Ranking, order: int) -> Ball:
    """Balls around the block's points out to their order-th nearest fit sample, exact where it matters."""
    tile = ranking.tiles[0]
    scaled = ranking.approximate(order)[:, None].astype(np.float64)

    def exact_radii(rows: Rows, _columns: Rows) -> Floats:
        distinct, inverse = np.unique(rows, return_inverse=True)
        return ranking.exact(order, distinct).squared[inverse]

    return Ball.between(tile.arithmetic, scaled, 2 * tile.arithmetic.error(tile.norms[:, None], scaled), exact_radii)
