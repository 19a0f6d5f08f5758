"""Blocks of work on every core, in a few buffers, with progress and a way to stop."""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

__all__ = [
    "Progress",
    "available_threads",
    "one_blas_thread",
    "one_openmp_thread",
    "run_blocks",
    "threads_at_most",
]

Progress = Callable[[float], None]
Block = TypeVar("Block")
Result = TypeVar("Result")

_lock = threading.Lock()
_libraries: Any = None
_modules = 0
_limiter: Any = None
_users = 0


_at_most: ContextVar[int | None] = ContextVar("threads_at_most", default=None)


def available_threads() -> int:
    """Number of cores this process may use, or fewer inside `threads_at_most`."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, _at_most.get() or cores)


@contextmanager
def threads_at_most(count: int) -> Iterator[None]:
    """Limit the threads that measurements of this thread start, for several measurements at once."""
    token = _at_most.set(count)
    try:
        yield
    finally:
        _at_most.reset(token)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep BLAS from starting threads of its own inside ours.

    Its setting belongs to the whole process: the first user sets it, the last one restores it, so that two
    sessions at once neither fight over the cores nor leave the setting behind.
    """
    global _limiter, _users
    with _lock:
        if _users == 0:
            _limiter = _loaded().limit(limits=1, user_api="blas")
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                _limiter.restore_original_limits()


def _one_blas_thread_here() -> None:
    """Keep a BLAS built on OpenMP to one thread; call it in each new thread, as the setting is per thread."""
    with _lock:
        _loaded().limit(limits=1, user_api="blas")


@contextmanager
def one_openmp_thread() -> Iterator[None]:
    """Keep OpenMP to one thread in what this thread calls: its setting belongs to the calling thread alone."""
    with _lock:
        limiter = _loaded().limit(limits=1, user_api="openmp")
    try:
        yield
    finally:
        limiter.restore_original_limits()


def _loaded() -> Any:
    """Libraries with threads of their own; searched again only after an import, because the search is slow."""
    global _libraries, _modules
    if _libraries is None or _modules != len(sys.modules):
        from threadpoolctl import ThreadpoolController

        _libraries, _modules = ThreadpoolController(), len(sys.modules)
    return _libraries


class Turns:
    """Queue for blocks: as many run at once as there are cores, waiting ones in order of arrival.

    All runs of a process share one: two users take turns block by block, whatever the number of their threads.
    """

    def __init__(self, cores: int) -> None:
        self._lock = threading.Lock()
        self._free = cores
        self._waiting: deque[threading.Event] = deque()

    def __enter__(self) -> None:
        with self._lock:
            if self._free > 0:
                self._free -= 1
                return
            turn = threading.Event()
            self._waiting.append(turn)
        turn.wait()

    def __exit__(self, *_: object) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1


_turns = Turns(available_threads())


def run_blocks(
    work: Callable[[Block], Result],
    blocks: Sequence[Block],
    threads: int,
    done: Callable[[Block, Result], None],
) -> None:
    """Call ``work`` on every block, then ``done`` in this thread, in order.

    ``done`` may raise: no further block starts, running ones end, and the exception is passed on. At most two
    blocks per thread are in flight.
    """

    def in_turn(block: Block) -> Result:
        with _turns:
            return work(block)

    if threads == 1 or len(blocks) < 2:
        for block in blocks:
            done(block, in_turn(block))
        return
    pending: deque[tuple[Block, Future[Result]]] = deque()
    with one_blas_thread(), ThreadPoolExecutor(min(threads, len(blocks)), initializer=_one_blas_thread_here) as pool:
        try:
            for block in blocks:
                pending.append((block, pool.submit(in_turn, block)))
                if len(pending) > 2 * threads:
                    first, future = pending.popleft()
                    done(first, future.result())
            for first, future in pending:
                done(first, future.result())
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
