"""Lists of tasks that run in the background. All viewers of a list share its rows, and can stop and
continue it.

Nothing here uses Streamlit, because these threads belong to no session.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future
from functools import cached_property, lru_cache, partial
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar, cast

import pandas as pd

from pages._work.background import FIRST_SHARE, Background
from prviz.neighbors.threads import available_threads
from prviz.recent import LeastRecentlyUsed
from prviz.studies.tasks import Columns, Row, Task, run_tasks, table

T = TypeVar("T")
P = ParamSpec("P")
# The remaining time is extrapolated once this many tasks are done since the last start: a single
# task says little about the others.
FIRST_TASKS = 3


class Workers(Executor):
    """An executor with `count` threads, which start at the first submission. Calls run in the order
    of submission.

    Its threads end with the interpreter. With a ThreadPoolExecutor, the interpreter would first
    wait for all calls.
    """

    def __init__(self, count: int) -> None:
        self._max_workers = count
        self._lock = threading.Lock()
        self._waiting: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self._begun = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        self._waiting.put((future, partial(fn, *args, **kwargs)))
        with self._lock:
            if not self._begun:
                self._begun = True
                for _ in range(self._max_workers):
                    threading.Thread(target=self._serve, name="prviz-task", daemon=True).start()
        return future

    def _serve(self) -> None:
        while True:
            future, call = self._waiting.get()
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(call())
                except BaseException as error:  # noqa: BLE001 - raised by `Future.result`
                    future.set_exception(error)
            # free the memory of call and result while the thread waits for the next call
            del future, call


@lru_cache(maxsize=1)
def _workers() -> Workers:
    """The worker threads that all runs share. Each run submits only a few tasks at a time, so that
    all runs get an even share of the cores.
    """
    return Workers(available_threads())


class TaskRun(Background):
    """A list of tasks that runs in the background: its rows so far, and the work on the remaining
    tasks.

    seconds : estimated time of all tasks. known : by row key, rows that were measured before; rows
    that belong to none of these tasks are ignored.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        columns: Columns,
        seconds: float,
        known: Mapping[str, Row] | None = None,
    ) -> None:
        super().__init__(len(tasks), seconds)
        self.tasks = tasks
        self.columns = columns
        self.first_share = max(FIRST_SHARE, FIRST_TASKS / max(len(tasks), 1))
        self._done = 0
        self._rows = table([], columns)
        self._news: list[pd.DataFrame] = []
        self._begun = threading.Event()
        if known:
            self._rows = table((known[key] for key in self._place if key in known), columns)
            self._done = sum(task.left(known) is None for task in tasks)

    @property
    def done(self) -> int:
        return self._done

    @property
    def size(self) -> int:
        """Number of rows that are measured so far."""
        return len(self._rows) + sum(map(len, self._news))

    @cached_property
    def _place(self) -> dict[str, int]:
        """By row key, the row's position in the order of the tasks."""
        return {
            key: place for place, key in enumerate(key for task in self.tasks for key in task.keys)
        }

    def wait_first(self, seconds: float) -> None:
        """Wait until the first rows are measured, at most this number of seconds."""
        if self.working and not self.size:
            self._begun.wait(seconds)

    def rows(self) -> pd.DataFrame:
        """All rows so far, in the order of the tasks."""
        with self._lock:
            if self._news:
                found = pd.concat(
                    [part for part in (self._rows, *self._news) if len(part)], ignore_index=True
                )
                order = found["key"].map(self._place).argsort(kind="stable")
                self._rows = found.iloc[order].reset_index(drop=True)
                self._news = []
            return self._rows

    def _measure(self) -> None:
        known = {row["key"]: row for row in cast(list[Row], self.rows().to_dict("records"))}

        def on_rows(rows: pd.DataFrame) -> None:
            with self._lock:
                self._news.append(rows)
            self._begun.set()

        def progress(share: float) -> None:
            self._done = round(share * self.total)
            if self.done < self.total:
                self._report(0.0)

        run_tasks(
            self.tasks, self.columns, _workers(), known=known, progress=progress, on_rows=on_rows
        )


def held_runs(entries: int, most_rows: int) -> LeastRecentlyUsed:
    """A store of runs with limits on its entries and rows; a run that is dropped from it is
    stopped.
    """
    return LeastRecentlyUsed(
        entries, most_rows, lambda run: int(run.size), lambda run: run.stop(), stay=1
    )
