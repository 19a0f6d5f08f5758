"""Runs independent tasks, each with a few tidy rows, on any executor, such as Dask's, and can store
the rows in a file.
"""

from __future__ import annotations

import hashlib
import io
import json
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from multiprocessing.connection import Connection, wait as wait_for_connections
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, TypeVar

from prviz.arguments import checked_path
from prviz.neighbors.threads import (
    Progress,
    available_threads,
    check_progress,
    one_thread_of_a_worker,
)
from prviz.readers.atomic_files import locked, write_whole
from prviz.readers.errors import error_text
from prviz.readers.paths import PathLike

if TYPE_CHECKING:
    import pandas as pd

COMPUTATION = 4
"""Version of the computation.

Raise this number whenever a result of the same input changes, whether in an estimator, a truth, a
toy's sampler or the bundled data. It is part of every cache key and of every stored table, so that
results of another version are never taken for results of this one.
"""

Row = dict[str, Any]
Result = TypeVar("Result")
Tag = TypeVar("Tag")
Call = Callable[[], Result]
Columns = Mapping[str, Literal["string", "Int64", "float64", "boolean"]]

# Number of tasks submitted at a time per worker: enough to keep all workers busy, few enough to
# stop soon.
_AHEAD = 2
# Number of tasks submitted at a time to an executor whose number of workers is not known.
AHEAD_ELSEWHERE = 64
# Least seconds between two writes of the file of rows; a crash loses the rows since the last write.
_WRITE_SECONDS = 5.0
# Least pause after a write, as a multiple of the time that it took, so that writing takes at most 5
# % of the time.
_WRITE_PAUSE = 19.0
# Key of the Parquet file's metadata for the version of the computation.
_VERSION_KEY = b"prviz.computation"
# Key of the Parquet file's metadata for the SHA-256 of the rows.
_DIGEST_KEY = b"prviz.sha256"
# Type of a column -> NumPy type in which its values are hashed, the same on every machine.
_HASHED_AS = {"Int64": "<i8", "float64": "<f8", "boolean": "?"}


class Task(Protocol):
    """A piece of work that can be pickled and whose rows depend only on its own settings."""

    @property
    def keys(self) -> Sequence[str]:
        """The ``key`` of every row, in order.

        A key identifies everything that the row depends on.
        """

    def left(self, known: Container[str]) -> Self | None:
        """The task without the rows whose keys are known; None if no row is left."""

    def run(self) -> list[Row]:
        """Do the work, and return the rows."""


def run_tasks(
    tasks: Sequence[Task],
    columns: Columns,
    executor: Executor | None = None,
    *,
    out: PathLike | None = None,
    known: Mapping[str, Row] | None = None,
    progress: Progress | None = None,
    on_rows: Callable[[pd.DataFrame], None] | None = None,
) -> pd.DataFrame:
    """Run tasks, and return the rows of all tasks in their order.

    Parameters
    ----------
    columns : names and types of a row's columns; "key" is among them.
    executor : runs the tasks; None: a process for every core. Each task uses one thread.
    out : a Parquet file for the rows, written every few seconds and when the run ends or is
        stopped; a crash loses the rows of the last seconds. Rows in the file are not measured
        again; rows of other tasks stay in it. Several runs may share the file.
    known : key -> a row that is not measured again.
    progress : called with the share of the tasks that are done.
    on_rows : called with the rows of each finished task. It and ``progress`` may raise to stop;
        finished rows are then in ``out``.

    Raises
    ------
    ValueError : an ``out`` that is damaged, holds something else, or has results of another version
        of the computation.
    OSError : ``out`` can't be written, or a worker ended; and whatever a task raises.
    """
    kept = None
    if out is not None:
        kept = _RowsFile(checked_path("out", out), columns)
    rows = dict(known or {}) | ({} if kept is None else kept.rows)
    pending = [left for task in tasks if (left := task.left(rows)) is not None]
    done = len(tasks) - len(pending)
    check_progress(progress)
    if on_rows is not None and not callable(on_rows):
        raise TypeError(f"on_rows = {on_rows!r}; a function of a table of new rows is needed")
    if progress is not None:
        progress(done / len(tasks) if tasks else 1.0)
    calls = ((task, partial(_run, task)) for task in pending)
    with task_executor(executor, len(pending)) as pool, ExitStack() as at_the_end:
        if kept is not None:
            at_the_end.callback(kept.write)
        workers = getattr(pool, "_max_workers", None)
        ahead = _AHEAD * workers if workers else AHEAD_ELSEWHERE
        for _, measured in finished(
            pool, calls, ahead, lambda: None if kept is None else kept.add(())
        ):
            new_rows = measured or []
            rows |= {row["key"]: row for row in new_rows}
            if kept is not None:
                kept.add(new_rows)
            done += 1
            if on_rows is not None:
                on_rows(table(new_rows, columns))
            if progress is not None:
                progress(done / len(tasks))
    return table((rows[key] for task in tasks for key in task.keys), columns)


def table(rows: Iterable[Row], columns: Columns) -> pd.DataFrame:
    """Rows as a data frame with the given columns and types."""
    import pandas as pd

    return pd.DataFrame(list(rows), columns=list(columns)).astype(dict(columns))


@contextmanager
def task_executor(given: Executor | None, tasks: int) -> Iterator[Executor]:
    """The given executor, which stays open; without one, a process per core, which end with the
    context.
    """
    if given is not None:
        if not hasattr(given, "submit"):
            raise TypeError(
                f"executor = {given!r}; an executor of concurrent.futures or of Dask is needed"
            )
        yield given
        return
    workers = max(min(available_threads(), tasks), 1)
    context = multiprocessing.get_context("spawn")
    stop, held_here = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(
        workers, mp_context=context, initializer=_start_worker, initargs=(stop,)
    )
    try:
        yield pool
    except BaseException:
        # the workers end at once, because the rows of running tasks are not needed any more
        held_here.close()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        held_here.close()
        stop.close()


def finished(
    executor: Executor,
    calls: Iterable[tuple[Tag, Call[Result] | None]],
    ahead: int,
    idle: Callable[[], None] = lambda: None,
    lost: Callable[[Tag], Result] | None = None,
) -> Iterator[tuple[Tag, Result | None]]:
    """The tag and the result of every call, as the calls finish; when the caller stops, no further
    call begins.

    calls : (tag, call), taken one by one; for a call that is None the result is None at once.
    ahead : largest number of calls submitted at a time.
    idle : called when nothing has finished for a few seconds.
    lost : called with the tag of a call on which Dask gave up, because several workers ended during
        it; returns the result.

    Raises ChildProcessError if a worker ended, ConnectionError if Dask's scheduler ended, and any
    exception of a call.
    """
    waiting = iter(calls)
    running = dict[Future[Result], Tag]()
    try:
        while True:
            while len(running) < ahead and (drawn := next(waiting, None)) is not None:
                tag, call = drawn
                if call is None:
                    yield tag, None
                    continue
                # submitting may start a worker, which must inherit the block of Ctrl-C
                with interrupt_blocked(), _in_main_process():
                    running[executor.submit(call)] = tag
            if not running:
                return
            done = wait(running, timeout=_WRITE_SECONDS, return_when=FIRST_COMPLETED).done
            for future in done:
                tag = running.pop(future)
                yield tag, _result_of(future, tag, lost)
            if not done:
                idle()
    except BrokenExecutor:
        raise ChildProcessError(
            "a worker process was ended from outside, perhaps because memory ran out; fewer samples"
            " need less. In a Python script the call has to stand below"
            ' `if __name__ == "__main__":`, as each worker runs the script\'s first lines too'
        ) from None
    finally:
        for future in running:
            future.cancel()


@contextmanager
def _in_main_process() -> Iterator[None]:
    """A worker ends in silence if multiprocessing refuses its own workers, as it runs a script
    without `if __name__ == "__main__":`; the main process then says so, once.
    """
    try:
        yield
    except BrokenExecutor:
        raise
    except RuntimeError:
        if multiprocessing.current_process().name == "MainProcess":
            raise
        raise SystemExit(1) from None


def _result_of(future: Future[Result], tag: Tag, lost: Callable[[Tag], Result] | None) -> Result:
    """The result of a call, or that of ``lost`` if Dask gave up on the call; see `finished`."""
    try:
        return future.result()
    except CancelledError:  # no code cancels running calls, so the scheduler has ended
        raise ConnectionError(
            "the scheduler has ended; once one is there, the same command continues where this one"
            " stopped"
        ) from None
    except Exception as error:
        dask: Any = sys.modules.get("distributed")
        if dask is None or not isinstance(error, dask.KilledWorker):
            raise
        if lost is None:
            raise BrokenExecutor from error
        return lost(tag)


@contextmanager
def interrupt_blocked() -> Iterator[None]:
    """Block Ctrl-C in this thread for the duration of the context, and for good in processes that
    start in it.

    A terminal sends Ctrl-C to all processes, but only the parent should handle it.
    """
    if sys.platform == "win32":  # Windows has no signal masks
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# ---- in the worker process ----

_at_work = threading.Event()
_stopped = threading.Event()


def _start_worker(stop: Connection) -> None:
    """End this worker process when its parent ends for any reason, or closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where the signal can't be blocked

    def end() -> None:
        wait_for_connections([stop])
        _stopped.set()
        # Between two tasks a result may be half sent; if the process ended now, the parent would
        # wait for the rest. So it ends with the next task, or when the parent has ended.
        parent = multiprocessing.parent_process()
        if parent is not None and not _at_work.is_set():
            wait_for_connections([parent.sentinel])
        os._exit(1)

    threading.Thread(target=end, daemon=True).start()


def _run(task: Task) -> list[Row]:
    """Run a task in a worker process, on one thread, because tasks run in parallel."""
    _at_work.set()
    if _stopped.is_set():
        os._exit(1)
    try:
        with one_thread_of_a_worker():
            return task.run()
    finally:
        _at_work.clear()
        if _stopped.is_set():
            os._exit(1)


# ---- the Parquet file of rows ----


def as_parquet(rows: pd.DataFrame, columns: Columns) -> bytes:
    """Rows as a Parquet file that a later run can continue, with a checksum and the version of the
    computation.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrow = pa.Table.from_pandas(rows, preserve_index=False)
    metadata = {_VERSION_KEY: str(COMPUTATION), _DIGEST_KEY: _digest(rows, columns)}
    stream = io.BytesIO()
    pq.write_table(
        arrow.replace_schema_metadata({**(arrow.schema.metadata or {}), **metadata}), stream
    )
    return stream.getvalue()


def _digest(rows: pd.DataFrame, columns: Columns) -> str:
    """SHA-256 of all names, types and values of the rows; the same before writing and after
    reading.
    """
    hasher = hashlib.sha256(json.dumps([COMPUTATION, len(rows), dict(columns)]).encode())
    for name, kind in columns.items():
        absent = rows[name].isna().to_numpy(dtype=bool)
        present = rows[name][~absent]
        hasher.update(absent.tobytes())
        hasher.update(
            json.dumps(present.tolist()).encode()
            if kind == "string"
            else present.to_numpy(dtype=_HASHED_AS[kind]).tobytes()
        )
    return hasher.hexdigest()


class _RowsFile:
    """Rows stored in a Parquet file, which other runs may write at the same time.

    rows : key -> row, both of the file and not written yet. Raises ValueError if the file can't be
    used.
    """

    def __init__(self, path: Path, columns: Columns) -> None:
        if not path.absolute().parent.is_dir():
            raise ValueError(f"out = {str(path)!r}; its folder does not exist")
        self.rows: dict[str, Row] = {}
        self._path = path
        self._columns = columns
        self._content = ""  # digest of the file when it was last read or written
        self._unwritten = False
        self._next_write = time.monotonic() + _WRITE_SECONDS
        self._take()

    def add(self, rows: Iterable[Row]) -> None:
        """Add new rows; write the file if the last write was long enough ago."""
        new = {row["key"]: row for row in rows}
        self.rows |= new
        self._unwritten |= bool(new)
        if time.monotonic() >= self._next_write:
            self.write()

    def _take(self) -> None:
        """Read the rows of the file again, if it has changed."""
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            return
        except OSError as error:
            raise ValueError(
                f"out = {str(self._path)!r} can't be read ({error.strerror})"
            ) from None
        content = hashlib.sha256(data).hexdigest()
        if content != self._content:
            self.rows = _rows_of(data, str(self._path), self._columns) | self.rows
            self._content = content

    def write(self) -> None:
        """Write all rows, including rows that other runs have written to the file meanwhile."""
        if not self._unwritten:
            return
        began = time.monotonic()
        try:
            with locked(self._path):
                self._take()
                data = as_parquet(table(self.rows.values(), self._columns), self._columns)
                write_whole(self._path, data)
        except OSError as error:
            raise OSError(
                f"out = {str(self._path)!r} can't be written ({error.strerror or error}); what was"
                " in it still is"
            ) from error
        self._content = hashlib.sha256(data).hexdigest()
        self._unwritten = False
        now = time.monotonic()
        self._next_write = now + max(_WRITE_SECONDS, _WRITE_PAUSE * (now - began))


def _rows_of(data: bytes, name: str, columns: Columns) -> dict[str, Row]:
    """The rows of a Parquet file by key; raises ValueError for a file that `as_parquet` did not
    write.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        arrow = pq.read_table(io.BytesIO(data))
        names = arrow.column_names
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = error_text(error)
        raise ValueError(
            f"out = {name!r} can't be read as Parquet ({reason}); another path is needed"
        ) from None
    missing = [column for column in columns if column not in names]
    if missing:
        raise ValueError(f"out = {name!r} is not a sweep's file: it has no column {missing[0]}")
    others = [column for column in names if column not in columns]
    if others:
        raise ValueError(
            f"out = {name!r} holds other rows: it has a column {others[0]}; another path is needed"
        )
    metadata = arrow.schema.metadata or {}
    if metadata.get(_VERSION_KEY) != str(COMPUTATION).encode():
        raise ValueError(
            f"out = {name!r} was not written by this version of prviz: its results may differ from"
            " those of this one, and the two must not be mixed; name another path, where all is"
            " measured again"
        )
    try:
        rows = table(arrow.to_pylist(), columns)
        whole = metadata.get(_DIGEST_KEY) == _digest(rows, columns).encode()
    except (
        pa.ArrowException,
        ValueError,
        TypeError,
        OverflowError,
    ):  # values that don't fit the types of the columns
        whole = False
    if not whole:
        raise ValueError(
            f"out = {name!r} is damaged: its rows are not those that were written; put a copy in"
            " its place, or name another path, where all is measured again"
        )
    records: Any = rows.to_dict("records")
    return {row["key"]: row for row in records}


# Seconds within which a Dask scheduler must answer.
CONNECT_SECONDS = 10


@contextmanager
def dask_executor(scheduler: str | None = None) -> Iterator[Executor]:
    """An executor on the workers of a Dask scheduler, or of a local cluster with a process per
    core.

    scheduler : address of the scheduler, such as "tcp://host:8786"; None: a local cluster, which is
        closed at the end.

    If a worker ends, its tasks move to another one, at most three times. Raises ValueError if Dask
    is not installed or no scheduler answers.
    """
    try:
        import distributed
    except ImportError:
        raise ValueError('Dask is not installed; `pip install "prviz[dask]"` brings it') from None
    dask: Any = distributed  # distributed has no type annotations
    local = {"n_workers": available_threads(), "threads_per_worker": 1, "dashboard_address": None}
    with nullcontext() if scheduler else dask.LocalCluster(**local) as cluster:
        try:
            client = dask.Client(scheduler or cluster, timeout=CONNECT_SECONDS)
        except (OSError, ValueError) as error:
            raise ValueError(
                f"no scheduler answers at {scheduler} ({error_text(error)}); an address like"
                " tcp://host:8786 is needed"
            ) from None
        with client, client.get_executor(retries=2) as executor:
            yield executor
