"""Reads and decodes items in parallel: by processes that return pictures in shared memory, by
threads, or in the calling thread.
"""

from __future__ import annotations

import shutil
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from prviz.arrays import Array
from prviz.embed.base import SourceItem
from prviz.embed.picture_arrays import close_held
from prviz.embed.pictures import Picture, decoded, from_values, largest_value, may_be_deep
from prviz.embed.sources import EmbeddingSource
from prviz.neighbors.threads import available_threads
from prviz.readers.media.looks import MediaError
from prviz.studies.tasks import interrupt_blocked, task_executor

# Number of items in a group, which one worker prepares at a time and which is encoded as one batch.
GROUP = 32
# Number of groups in progress per core.
_AHEAD = 4
# Number of items from which worker processes save time, since starting them takes about a second.
_WORTH_PROCESSES = 256
_ENDED = (
    "a worker process was ended from outside, perhaps because memory ran out; the same command"
    " continues"
)
# Folder of Linux's shared memory. A write beyond its free space kills the process, and containers
# often have little.
_SHARED = Path("/dev/shm")
# Blocks of shared memory by name, attached once per worker process.
_attached: dict[str, SharedMemory] = {}


@dataclass(frozen=True)
class PreparedGroup:
    """A group of items, read and decoded by a worker.

    count : number of items.
    good : the items without errors: stacked pictures, or texts.
    bad : errors by position in the group.
    facts : a row for every good picture: shorter side in pixels, 1 if any part was transparent
        (else 0), and number of unused bands.
    shared : shape and dtype of the pictures if they are in shared memory, else None.
    """

    count: int
    good: Any
    bad: dict[int, str]
    facts: NDArray[np.int32]
    shared: tuple[tuple[int, ...], str] | None = None


class ItemWorkers:
    """Prepares items in groups, in order, on several workers; the number of groups in progress is
    limited.

    A small number of items is prepared in the calling thread.

    executor : threads to use; None: a process per core. Processes return pictures in shared memory
        if there is enough, otherwise through a pipe, which is slower (see
        `tests/benchmarks/embed.py`).
    """

    def __init__(
        self,
        source: EmbeddingSource,
        prepare: Callable[[Picture], Array] | None,
        executor: Executor | None,
    ) -> None:
        self._source = source
        self._prepare = prepare
        self._pool = executor
        self._processes = executor is None
        # The source without its items, since it is pickled with every task.
        self._bare: EmbeddingSource = replace(cast(Any, source), items=())
        self._stack = ExitStack()
        self._buffer: Array = np.empty(0)

    def __enter__(self) -> ItemWorkers:
        if self._prepare is None or len(self._source.items) < _WORTH_PROCESSES:
            self._pool = None
        elif self._processes and available_threads() > 1:
            self._pool = self._stack.enter_context(task_executor(None, available_threads()))
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)
        close_held()

    def largest_value(self, report: Callable[[], object]) -> int | None:
        """Largest value of all 16-bit pictures; None if all pictures have 8 bits.

        ``report`` is called after every group with 16-bit pictures.
        """
        items = self._source.items
        cuts = [items[at : at + 8 * GROUP] for at in range(0, len(items), 8 * GROUP)]
        look = partial(_largest, self._bare)
        found: int | None = None
        try:
            for largest in map(look, cuts) if self._pool is None else self._pool.map(look, cuts):
                # only 16-bit pictures were decoded, the slow part worth a report
                if largest is not None:
                    report()
                    found = max(largest, found or 0)
        except BrokenExecutor:
            raise ChildProcessError(_ENDED) from None
        return found

    def groups(
        self, items: Sequence[SourceItem], bits: int | None = None
    ) -> Iterator[PreparedGroup]:
        """Yield prepared groups of items, in order. The pictures of a group are valid only until
        the next group is requested.

        bits : as in `prviz.embed.pictures.decoded`; if given, all pictures are floats.
        """
        cuts = deque(items[at : at + GROUP] for at in range(0, len(items), GROUP))
        prepared = partial(_prepared, self._bare, self._prepare, bits)
        if self._pool is None:
            yield from (prepared(group, None) for group in cuts)
            return
        most = _AHEAD * available_threads()
        free = deque[SharedMemory | None]([None] * (most + 1))
        if self._processes and cuts:
            first = prepared(cuts.popleft(), None)
            yield first
            free.extendleft(self._shared_memory(first, most + 1))
        waiting: deque[tuple[Future[PreparedGroup], SharedMemory | None]] = deque()
        try:
            while cuts or waiting:
                if cuts and len(waiting) <= most:
                    memory = free.popleft()
                    # submitting may start a worker process, which must inherit the block of Ctrl-C
                    with interrupt_blocked():
                        name = None
                        if memory is not None:
                            name = memory.name
                        waiting.append((self._pool.submit(prepared, cuts.popleft(), name), memory))
                    continue
                future, memory = waiting.popleft()
                group = self._taken(future.result(), memory)
                free.appendleft(memory)
                yield group
        except BrokenExecutor:
            raise ChildProcessError(_ENDED) from None

    def _shared_memory(self, like: PreparedGroup, count: int) -> list[SharedMemory]:
        """``count`` blocks of shared memory, each large enough for a group of pictures like those
        in ``like``; empty if memory is short.
        """
        size = 0
        if len(like.good):
            size = GROUP * like.good[0].nbytes
        if not size or (_SHARED.is_dir() and shutil.disk_usage(_SHARED).free < 2 * count * size):
            return []
        memories = list[SharedMemory]()
        for _ in range(count):
            memories.append(SharedMemory(create=True, size=size))
            self._stack.callback(memories[-1].unlink)
            self._stack.callback(memories[-1].close)
        return memories

    def _taken(self, group: PreparedGroup, memory: SharedMemory | None) -> PreparedGroup:
        """The group with its pictures copied from shared memory into this process."""
        if memory is None or group.shared is None:
            return group
        shape, dtype = group.shared
        if self._buffer.shape[1:] != shape[1:] or self._buffer.dtype != np.dtype(dtype):
            self._buffer = np.empty((GROUP, *shape[1:]), dtype)
        good = self._buffer[: shape[0]]
        good[:] = np.ndarray(shape, dtype, buffer=memory.buf)
        return replace(group, good=good)


def _largest(source: EmbeddingSource, items: Sequence[SourceItem]) -> int | None:
    """Largest value among the 16-bit pictures of some items; None if there are no such pictures."""
    found: list[int] = []
    for item in items:
        try:
            head = source.head(item)
            if head is not None and not may_be_deep(head):
                continue
            data = source.get(item)
            if isinstance(data, bytes):
                largest = largest_value(data)
            else:
                largest = (
                    None
                    if data.dtype == np.uint8
                    else int(data[..., :3].max() if data.ndim == 3 else data.max())
                )
        except (MediaError, MemoryError):  # preparing the item reports the error
            continue
        if largest is not None:
            found.append(largest)
    return max(found, default=None)


def _prepared(
    source: EmbeddingSource,
    prepare: Callable[[Picture], Array] | None,
    bits: int | None,
    items: Sequence[SourceItem],
    shared: str | None,
) -> PreparedGroup:
    """Read and decode a group of items; the pictures are written into the shared memory named
    ``shared``, if given.
    """
    texts: list[str] = []
    bad: dict[int, str] = {}
    facts: list[tuple[int, int, int]] = []
    pictures: Array | None = None
    for row, item in enumerate(items):
        try:
            data = source.get(item)
            if prepare is None:
                texts.append(cast(bytes, data).decode())
                continue
            picture = decoded(data, bits) if isinstance(data, bytes) else from_values(data, bits)
            values = prepare(picture)
        except MediaError as error:
            bad[row] = str(error)
            continue
        except MemoryError:
            bad[row] = "not enough memory for it; save it smaller."
            continue
        if pictures is None:
            dtype = values.dtype if bits is None else np.dtype(np.float32)
            pictures = np.ndarray(
                (GROUP, *values.shape), dtype, None if shared is None else _memory(shared).buf
            )
        pictures[len(facts)] = values
        facts.append((picture.side, int(picture.transparent), picture.left_out))
    known = np.array(facts, np.int32).reshape(-1, 3)
    if pictures is None:
        return PreparedGroup(len(items), texts, bad, known)
    good = pictures[: len(facts)]
    if shared is None:
        return PreparedGroup(len(items), good, bad, known)
    return PreparedGroup(len(items), (), bad, known, (good.shape, good.dtype.str))


def _memory(name: str) -> SharedMemory:
    if name not in _attached:
        _attached[name] = SharedMemory(name)
    return _attached[name]
