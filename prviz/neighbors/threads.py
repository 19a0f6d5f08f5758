"""Runs blocks of work on all cores, in turns with the other measurements of the process."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar, copy_context
from functools import partial
from typing import Any, TypeAlias, TypeVar

Progress: TypeAlias = Callable[[float], None]  # called with the fraction done; may raise to stop
Block = TypeVar("Block")
Result = TypeVar("Result")


def check_progress(progress: object) -> None:
    """Raise TypeError for a ``progress`` that is not None and can't be called."""
    if progress is not None and not callable(progress):
        raise TypeError(
            f"progress = {progress!r}; a function that is called with the fraction done is needed,"
            " such as print"
        )


def part_of(progress: Progress | None, begun: float, total: int, size: float = 1) -> Progress:
    """Progress function for one step of a longer job of ``total`` equal parts: the step takes
    ``size`` parts, after ``begun`` parts. If ``progress`` is None, nothing is reported.
    """
    check_progress(progress)
    report = progress or (lambda _: None)
    return lambda fraction: report((begun + size * fraction) / total)


# Niceness that is added for low priority: such a thread gets about a tenth of a busy machine's
# time.
_LOW_NICENESS = 10

# glibc's mallopt: numbers of two parameters, from malloc.h (_MMAP_THRESHOLD: least bytes that are
# mapped on their own; _TRIM_THRESHOLD: free bytes kept), the default of the first, and the largest
# values that glibc sets for both.
_MMAP_THRESHOLD = -3
_TRIM_THRESHOLD = -1
_MMAP_BYTES = 1 << 17
_MOST_MMAP_BYTES = 1 << 25
_MOST_TRIM_BYTES = 1 << 26
# Environment variable that Dask sets to make its workers return all freed memory at once.
_TRIM_VARIABLE = "MALLOC_TRIM_THRESHOLD_"

_lock = threading.Lock()
_libraries: Any = None
_modules = 0
_limiters: list[Any] = []  # BLAS settings that the last user of `one_blas_thread` restores.
_users = 0


_at_most: ContextVar[int | None] = ContextVar("threads_at_most", default=None)
_memory: ContextVar[int | None] = ContextVar("memory_at_most", default=None)
_low: ContextVar[bool] = ContextVar("low_priority", default=False)
_beside: ContextVar[bool] = ContextVar("beside", default=False)


def available_threads() -> int:
    """Number of cores that this process may use, or fewer inside `threads_at_most`."""
    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    return min(cores, _at_most.get() or cores)


@contextmanager
def threads_at_most(count: int) -> Iterator[None]:
    """Limit the number of threads that this thread's measurements start, so that several can run at
    once.
    """
    token = _at_most.set(count)
    try:
        yield
    finally:
        _at_most.reset(token)


@contextmanager
def low_priority(low: bool = True) -> Iterator[None]:
    """Run this thread's measurements on threads of low priority, after all other threads of the
    machine.

    Threads of other processes come first, too, so this is meant for a server that has its machine
    to itself. Linux only.
    """
    token = _low.set(low)
    try:
        yield
    finally:
        _low.reset(token)


class ThreadsBeside:
    """Background threads that do not wait in the queue of blocks (`Turns`); each works on one piece
    after the other.

    A piece of work is called with a progress function, which raises an exception once the work is
    to stop. Exceptions of the work are dropped: code that needs the result computes it again.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._pool: ThreadPoolExecutor | None = None
        self._work: list[Future[None]] = []
        self._stopped = False

    @property
    def busy(self) -> bool:
        """True as long as some work is not finished."""
        return not all(each.done() for each in self._work)

    def start(self, work: Callable[[Progress], object]) -> None:
        """Queue a piece of work; it runs with the settings (memory limit, device) of the calling
        thread.
        """

        def tick(_: float) -> None:
            if self._stopped:
                raise InterruptedError

        def alone() -> None:
            _beside.set(True)
            with threads_at_most(1):
                work(tick)

        self._stopped = False
        self._pool = self._pool or ThreadPoolExecutor(self._count)
        self._work.append(self._pool.submit(copy_context().run, alone))

    def wait(self, left: int = 0) -> None:
        """Wait until at most this many pieces of work are left."""
        while len(self._work) > left:
            self._work = list(wait(self._work, return_when=FIRST_COMPLETED).not_done)

    def stop(self) -> None:
        """Stop all work soon; pieces of work that have not begun are dropped."""
        self._stopped = True
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None
        self._work.clear()


@contextmanager
def memory_at_most(count: int) -> Iterator[None]:
    """Limit the bytes that a fitted family may use for neighbours in this thread; the samples are
    not included.
    """
    token = _memory.set(count)
    try:
        yield
    finally:
        _memory.reset(token)


def available_memory(usual: int) -> int:
    """Bytes that neighbours may take: the limit of `memory_at_most`, otherwise ``usual``."""
    return _memory.get() or usual


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep BLAS from starting threads of its own inside our threads.

    The setting belongs to the whole process. The first user sets it and the last one restores it,
    so that two sessions at once neither compete for the cores nor leave the setting behind.
    """
    global _users
    with _lock:
        _users += 1
        blas = _loaded().select(user_api="blas")
        # Checked at every call, because other code may have changed the number of threads or loaded
        # a library.
        if any(each.num_threads != 1 for each in blas.lib_controllers):
            with _by_any_thread():
                _limiters.append(blas.limit(limits=1))
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            while _limiters and not _users:
                with _by_any_thread():
                    _limiters.pop().restore_original_limits()


def _begin_thread(low: bool) -> None:
    """Give a new thread its priority, and limit a BLAS that is built on OpenMP, whose setting
    belongs to each thread, to one thread.
    """
    with _lock:
        _loaded().select(threading_layer="openmp").limit(limits=1)
    if low and sys.platform == "linux":  # only Linux has priorities of single threads
        os.nice(_LOW_NICENESS)


@contextmanager
def one_openmp_thread() -> Iterator[None]:
    """Limit OpenMP to one thread in what this thread calls; the setting belongs to the calling
    thread alone.
    """
    with _lock:
        # The limiter restores all libraries that it contains, so only OpenMP is selected: the
        # number of BLAS threads must not change.
        limiter = _loaded().select(user_api="openmp").limit(limits=1)
    try:
        yield
    finally:
        limiter.restore_original_limits()


@contextmanager
def _by_any_thread() -> Iterator[None]:
    """Let this thread set the number of BLAS threads: threadpoolctl 3.8 silently obeys only the
    first thread that sets it.
    """
    free = [
        each.clear_controlling_thread
        for each in _loaded().lib_controllers
        if hasattr(each, "clear_controlling_thread")
    ]
    for each in free:
        each(force=True)
    yield
    for each in free:
        each(force=True)


def _loaded() -> Any:
    """Loaded libraries that have threads of their own. They are searched again only after an
    import, because the search is slow.
    """
    global _libraries, _modules
    if _libraries is None or _modules != len(sys.modules):
        from threadpoolctl import ThreadpoolController

        _libraries = ThreadpoolController()
        _modules = len(sys.modules)
    return _libraries


def return_large_arrays() -> None:
    """Give the memory of each array of 4 MB or more back to the system as soon as it is freed.

    Otherwise glibc keeps up to 64 MB for each thread. That is faster, but the memory limit has no
    room for it.
    """
    _set_malloc({_MMAP_THRESHOLD: 1 << 22})


@contextmanager
def one_thread_of_a_worker() -> Iterator[None]:
    """Measure on one thread in a worker process that shares its machine with others.

    Dask makes its workers return each freed array to the system, and the pages of the next array
    then cost a third of the whole time. During the measurement glibc keeps freed arrays, as it does
    without Dask.
    """
    given = os.environ.get(_TRIM_VARIABLE, "")
    if given.isdecimal():
        _set_malloc({_MMAP_THRESHOLD: _MOST_MMAP_BYTES, _TRIM_THRESHOLD: _MOST_TRIM_BYTES})
    try:
        with threads_at_most(1), one_blas_thread():
            yield
    finally:
        if given.isdecimal():
            _set_malloc({_MMAP_THRESHOLD: _MMAP_BYTES, _TRIM_THRESHOLD: int(given)})


def _set_malloc(values: Mapping[int, int]) -> None:
    """Set parameters of glibc's malloc, where there is one."""
    mallopt = None
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        for name, value in values.items():
            mallopt(name, value)


class Turns:
    """Queue for blocks: as many run at once as there are cores; the others wait in order of
    arrival.

    All measurements of a process share one queue, so that two users take turns block by block,
    whatever their numbers of threads.
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


# One queue per priority (True: low), so that a low-priority thread that the system pauses does not
# hold up the others.
_turns = {low: Turns(available_threads()) for low in (False, True)}


def run_blocks(
    work: Callable[[Block], Result],
    blocks: Sequence[Block],
    threads: int,
    done: Callable[[Block, Result], None],
) -> None:
    """Call ``work`` on every block on several threads, and ``done`` with each result in the
    caller's thread, in order.

    ``done`` may raise: no further block starts, running ones end, and the exception is passed on.
    At most two blocks per thread are begun ahead of ``done``.
    """
    turns = nullcontext() if _beside.get() else _turns[_low.get()]

    def in_turn(block: Block) -> Result:
        with turns:
            return work(block)

    if threads == 1 or len(blocks) < 2:
        for block in blocks:
            done(block, in_turn(block))
        return

    def submitted(block: Block) -> Future[Result]:
        try:
            return pool.submit(in_turn, block)
        except RuntimeError:
            # The pool accepts no more work because the process is ending. This thread, a daemon,
            # then does the work itself.
            future: Future[Result] = Future()
            future.set_result(in_turn(block))
            return future

    pending: deque[tuple[Block, Future[Result]]] = deque()
    with one_blas_thread(), _pool(threads) as pool:
        try:
            for block in blocks:
                pending.append((block, submitted(block)))
                if len(pending) > 2 * threads:
                    first, future = pending.popleft()
                    done(first, future.result())
            while pending:
                first, future = pending.popleft()
                done(first, future.result())
        finally:
            wait([future for _, future in pending if not future.cancel()])


@contextmanager
def _pool(threads: int) -> Iterator[ThreadPoolExecutor]:
    """A pool of threads for one run. Idle pools of earlier runs are reused, since starting threads
    can take as long as a run.
    """
    with _lock:
        # A thread is limited only for libraries that were loaded when it started, so the pool's key
        # contains the libraries.
        kind = (threads, _low.get(), _loaded())
        for other in [other for other in _idle if other[2] is not kind[2]]:
            for pool in _idle.pop(other):
                pool.shutdown(wait=False)
        idle = _idle.setdefault(kind, [])
        if not idle:
            idle.append(ThreadPoolExecutor(threads, initializer=partial(_begin_thread, kind[1])))
        pool = idle.pop()
    try:
        yield pool
    finally:
        with _lock:
            kept = _idle.get(kind)
            if kept is not None:
                kept.append(pool)
        if kept is None:
            pool.shutdown(wait=False)


# Idle pools by number of threads, priority and loaded libraries. A forked process forgets them,
# because their threads do not exist in it.
_idle: dict[tuple[int, bool, Any], list[ThreadPoolExecutor]] = {}
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)


def on_all_cores(work: Callable[[Block], Result], items: Sequence[Block]) -> list[Result]:
    """Apply ``work`` to a few items on all cores; return the results in order."""
    results: list[Result] = []
    run_blocks(work, items, available_threads(), lambda _, result: results.append(result))
    return results
