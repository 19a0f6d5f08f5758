"""Independent pieces of work, a few tidy rows each: run on any executor, kept as they come, never done twice."""

from __future__ import annotations

import itertools
import multiprocessing
import os
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self

from prviz.neighbors.threads import available_threads, one_blas_thread, threads_at_most

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Columns", "Row", "Task", "check_whole", "run_tasks", "table"]

Row = dict[str, Any]
Columns = Mapping[str, Literal["string", "Int64", "float64", "boolean"]]

# Tasks handed out at once, per worker: enough to keep every one busy, few enough to stop soon.
_AHEAD = 2


class Task(Protocol):
    """One piece of work. It travels to its worker by pickle, and its rows follow from its own settings alone."""

    @property
    def keys(self) -> Sequence[str]:
        """The ``key`` of every row that it gives, in order; a key names all that decides the row."""

    def left(self, known: Container[str]) -> Self | None:
        """What is still to be done where the rows of these keys are known; None: nothing."""

    def run(self) -> list[Row]:
        """The rows."""


def run_tasks(
    tasks: Sequence[Task],
    columns: Columns,
    executor: Executor | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    known: Mapping[str, Row] | None = None,
    progress: Callable[[float], None] | None = None,
    on_rows: Callable[[pd.DataFrame], None] | None = None,
) -> pd.DataFrame:
    """The rows of all tasks, in their order.

    Parameters
    ----------
    columns : names and types of a row's columns; "key" is among them.
    executor : runs the tasks; None: a process for every core. Each task keeps to one thread.
    out : a Parquet file that holds every row as soon as it is there. Rows that it holds already are not made again;
        rows of other tasks stay. known : the same for rows in memory, by key.
    progress : called with the share of the tasks that are done; on_rows : with each task's rows as they come. Both may
        raise to stop: what is done is in ``out``.

    Raises ValueError for an ``out`` that can't be used, and whatever a task raises.
    """
    path = None if out is None else Path(out)
    rows = dict(known or {}) | ({} if path is None else _held(path, columns))
    pending = [left for task in tasks if (left := task.left(rows)) is not None]
    done = len(tasks) - len(pending)
    if progress is not None:
        progress(done / len(tasks) if tasks else 1.0)
    with _executor(executor, len(pending)) as pool:
        for found in _results(pool, pending):
            rows |= {row["key"]: row for row in found}
            if path is not None:
                _write(path, table(rows.values(), columns))
            done += 1
            if on_rows is not None:
                on_rows(table(found, columns))
            if progress is not None:
                progress(done / len(tasks))
    return table((rows[key] for task in tasks for key in task.keys), columns)


def table(rows: Iterable[Row], columns: Columns) -> pd.DataFrame:
    """Rows as a table with these columns and types."""
    import pandas as pd

    return pd.DataFrame(list(rows), columns=list(columns)).astype(dict(columns))


def check_whole(name: str, value: Any, low: int) -> None:
    """Refuse what is no whole number of at least ``low``."""
    if isinstance(value, bool) or not isinstance(value, int) or value < low:
        raise ValueError(f"{name} = {value!r}; a whole number of at least {low} is needed")


@contextmanager
def _executor(given: Executor | None, tasks: int) -> Iterator[Executor]:
    """The executor given, which stays open, or a process per core for as long as the work takes."""
    if given is not None:
        yield given
        return
    workers = max(min(available_threads(), tasks), 1)
    pool = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _results(pool: Executor, tasks: Sequence[Task]) -> Iterator[list[Row]]:
    """The rows of each task as soon as they are there; when the caller stops, nothing more begins."""
    waiting, running = iter(tasks), set[Future[list[Row]]]()
    ahead = _AHEAD * (getattr(pool, "_max_workers", None) or 4 * available_threads())
    try:
        while True:
            running |= {pool.submit(_run, task) for task in itertools.islice(waiting, ahead - len(running))}
            if not running:
                return
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                yield future.result()
    finally:
        for future in running:
            future.cancel()


def _run(task: Task) -> list[Row]:
    """In the worker, on one thread: tasks run side by side."""
    with threads_at_most(1), one_blas_thread():
        return task.run()


# ---- the file ----


def _held(path: Path, columns: Columns) -> dict[str, Row]:
    """The rows of earlier work by key."""
    if not path.exists():
        if not path.absolute().parent.is_dir():
            raise ValueError(f"out = {str(path)!r}; its folder does not exist")
        return {}
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        found = pq.read_table(path).to_pandas()
    except (pa.ArrowInvalid, OSError) as error:
        raise ValueError(f"out = {str(path)!r} can't be read as Parquet ({error}); another path is needed") from None
    missing = [column for column in columns if column not in found]
    if missing:
        raise ValueError(f"out = {str(path)!r} is not a sweep's file: it has no column {missing[0]}")
    others = [column for column in found if column not in columns]
    if others:
        raise ValueError(f"out = {str(path)!r} holds other rows: it has a column {others[0]}; another path is needed")
    return {row["key"]: row for row in found[list(columns)].to_dict("records")}


def _write(path: Path, rows: pd.DataFrame) -> None:
    """All at once: whoever reads it, or a crash, meets the file as it was before or as it is after."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    rows.to_parquet(beside, index=False)
    beside.replace(path)
