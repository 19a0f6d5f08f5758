"""Blocks of points of one measurement, run on threads with reused buffers, progress, and a way to
stop.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from prviz.neighbors.balls import Role
from prviz.neighbors.point_sets import Scratch, slices
from prviz.neighbors.prepared import Prepared
from prviz.neighbors.threads import Block, Progress, run_blocks
from prviz.neighbors.tiles import Tile, make_tile

# _CACHE_BYTES: bytes of a block's distances, so that they fit the processor's caches. _LEAST_ROWS:
# rows of a block, at least, for fast products. _MOST_ROWS: rows of a block, at most.
_CACHE_BYTES = 1 << 23
_LEAST_ROWS = 48
_MOST_ROWS = 512


class RowBlock(NamedTuple):
    """A block of points of one role, to be compared with ``columns`` samples."""

    role: Role
    rows: slice
    columns: int

    def entries(self) -> int:
        """Number of distances in the block."""
        return int(self.rows.stop - self.rows.start) * self.columns


class Runner:
    """Runs blocks on threads, keeps each thread's buffers, reports progress, and adds up the
    comparisons rechecked.
    """

    def __init__(
        self,
        threads: int,
        *,
        block_bytes: int | None = None,
        progress: Progress | None = None,
        entries: int = 1,
        parts: int = 2,
    ) -> None:
        """``entries``: number of distances to compute in total; progress is the share of them that
        is done. ``parts``: blocks per thread.
        """
        self.rechecked = 0
        self.threads = threads
        self._block_bytes = block_bytes
        self._parts = parts
        self._progress = progress
        self._entries = entries
        self._finished = 0
        self._shown = 0.0
        self._local = threading.local()

    def scratch(self) -> Scratch:
        """The `Scratch` buffers of the current thread."""
        if not hasattr(self._local, "scratch"):
            self._local.scratch = Scratch()
        scratch: Scratch = self._local.scratch
        return scratch

    def run(
        self,
        work: Callable[[Block], int],
        blocks: Sequence[Block],
        entries: Callable[[Block], int] = lambda _: 0,
    ) -> None:
        """Call ``work`` on every block; it returns the number of comparisons it has rechecked.
        ``entries`` gives a block's number of distances, for the progress.
        """

        def done(block: Block, rechecked: int) -> None:
            self.rechecked += rechecked
            self._finished += entries(block)
            if self._progress is not None:
                self._shown = max(self._shown, min(self._finished / self._entries, 1.0))
                self._progress(self._shown)

        try:
            run_blocks(work, blocks, self.threads, done)
        finally:
            # The threads are reused in later runs, but the buffers of this run are dropped.
            self._local = threading.local()

    def expect(self, entries: int) -> None:
        """Increase by this number the distances that count as the whole progress."""
        self._entries += entries

    def row_blocks(
        self, sizes: Mapping[Role, int], columns: Mapping[Role, int], itemsize: int, most: int
    ) -> list[RowBlock]:
        """Blocks of at most ``most`` rows that cover sets of these sizes. A block of a role is
        compared with ``columns[role]`` samples.
        """
        row_bytes = max(columns.values()) * itemsize
        if self._block_bytes is not None:
            step = max(1, min(self._block_bytes // row_bytes, most))
        else:
            cached = min(max(_CACHE_BYTES // row_bytes, _LEAST_ROWS), _MOST_ROWS)
            # Blocks have equal size, and there are several per thread, so that every thread is busy
            # to the end.
            step = max(
                1, min(cached, most, -(-sum(sizes.values()) // (self._parts * self.threads)))
            )
        return [
            RowBlock(role, rows, columns[role])
            for role, n in sizes.items()
            for rows in slices(n, step)
        ]


def run_rows(
    work: Callable[[RowBlock], int],
    prepared: Prepared,
    sizes: Mapping[Role, int],
    columns: Mapping[Role, int],
    runner: Runner,
) -> None:
    """Run ``work`` on blocks of points. For each role, ``sizes`` has the number of points, and
    ``columns`` the number of samples with which each block of points is compared.
    """
    if sizes:
        blocks = runner.row_blocks(sizes, columns, prepared.itemsize, prepared.rows_at_once)
        runner.run(work, blocks, RowBlock.entries)


def run_evaluations(
    count: Callable[[RowBlock, Mapping[Role, Tile]], None], prepared: Prepared, runner: Runner
) -> None:
    """Call ``count`` with each block of evaluation samples and its tiles against both fit sets."""

    def work(block: RowBlock) -> int:
        points = prepared.evaluate[block.role]
        scratch = runner.scratch()
        tiles = {
            role: make_tile(points, block.rows, samples, scratch, buffer=role)
            for role, samples in prepared.fit.items()
        }
        count(block, tiles)
        return sum(tile.rechecked for tile in tiles.values())

    sizes = {role: len(points) for role, points in prepared.evaluate.items()}
    width = sum(map(len, prepared.fit.values()))
    run_rows(work, prepared, sizes, dict.fromkeys(sizes, width), runner)
