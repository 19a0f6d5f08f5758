"""Blocks of work on every core, in a few buffers, with progress and a way to stop."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

__all__ = ["Progress", "available_threads", "one_blas_thread", "run_blocks"]

Progress = Callable[[float], None]
Block = TypeVar("Block")
Result = TypeVar("Result")

_lock = threading.Lock()
_controller: Any = None
_limiter: Any = None
_users = 0


def available_threads() -> int:
    """Number of cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep BLAS from starting threads of its own inside ours.

    Its setting belongs to the whole process: the first user sets it, the last one restores it, so that two
    sessions at once neither fight over the cores nor leave the setting behind.
    """
    global _controller, _limiter, _users
    with _lock:
        if _controller is None:
            from threadpoolctl import ThreadpoolController

            _controller = ThreadpoolController()
        if _users == 0:
            _limiter = _controller.limit(limits=1, user_api="blas")
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                _limiter.restore_original_limits()


def run_blocks(
    work: Callable[[Block], Result],
    blocks: Sequence[Block],
    threads: int,
    done: Callable[[Block, Result], None],
) -> None:
    """Call ``work`` on every block, then ``done`` in this thread, in order.

    ``done`` may raise: no further block starts, those running end, and the exception goes on. At most two
    blocks per thread are in flight.
    """
    if threads == 1 or len(blocks) == 1:
        for block in blocks:
            done(block, work(block))
        return
    pending: deque[tuple[Block, Future[Result]]] = deque()
    with one_blas_thread(), ThreadPoolExecutor(min(threads, len(blocks))) as pool:
        try:
            for block in blocks:
                pending.append((block, pool.submit(work, block)))
                if len(pending) > 2 * threads:
                    first, future = pending.popleft()
                    done(first, future.result())
            for first, future in pending:
                done(first, future.result())
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
