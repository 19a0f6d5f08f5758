"""Lists of tasks that run in the background, shared by all their viewers: rows so far, stop, continue.

Nothing here knows Streamlit: the threads belong to no session.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import cast

import pandas as pd

from pages._work.background import Background
from pages._work.workers import Workers
from prviz.neighbors.threads import available_threads
from prviz.studies.tasks import Columns, Row, Task, run_tasks, table

# Seconds since the last poll after which a viewer counts as gone (the browser polls every second).
LOOKING_SECONDS = 10.0
# Tasks done, as a number and a share, from which the pace gives the time left; until then the first estimate counts.
FIRST_TASKS, FIRST_SHARE = 3, 0.05


@lru_cache(maxsize=1)
def _workers() -> Workers:
    """The workers of all runs: each run queues only a few tasks at a time, so that runs share the cores evenly."""
    return Workers(available_threads())


class TaskRun(Background):
    """The rows of these tasks so far, and the work on the rest.

    seconds : time of all tasks, estimated before the start.
    known : rows, by key, that are known already; those of other tasks are left out.
    """

    def __init__(
        self, tasks: Sequence[Task], columns: Columns, seconds: float, known: Mapping[str, Row] | None = None
    ) -> None:
        super().__init__()
        self.tasks, self.columns, self.seconds = tasks, columns, seconds
        self._done = 0
        self._rows = table([], columns)
        self._news: list[pd.DataFrame] = []
        self._asked: dict[Hashable, float] = {}
        self._pace: float | None = None  # seconds per task since the last start
        if known:
            self._rows = table((known[key] for key in self._place if key in known), columns)
            self._done = sum(task.left(known) is None for task in tasks)

    # ---- state ----

    @property
    def done(self) -> int:
        return self._done

    @property
    def total(self) -> int:
        return len(self.tasks)

    @property
    def _asked_last(self) -> float:
        return max(self._asked.values(), default=0.0)

    @property
    def size(self) -> int:
        """Number of rows so far."""
        return len(self._rows) + sum(map(len, self._news))

    @cached_property
    def _place(self) -> dict[str, int]:
        """The position of every row in the order of the tasks, by its key."""
        return {key: place for place, key in enumerate(key for task in self.tasks for key in task.keys)}

    def rows(self) -> pd.DataFrame:
        """All rows so far in the order of the tasks."""
        with self._lock:
            if self._news:
                found = pd.concat([part for part in (self._rows, *self._news) if len(part)], ignore_index=True)
                order = found["key"].map(self._place).argsort(kind="stable")
                self._rows, self._news = found.iloc[order].reset_index(drop=True), []
            return self._rows

    @property
    def seconds_left(self) -> float:
        """Estimated seconds left: by the pace since the last start, or by the first estimate while there is no pace."""
        pace = self.seconds / max(len(self.tasks), 1) if self._pace is None else self._pace
        return pace * (len(self.tasks) - self.done)

    def others(self, who: Hashable) -> bool:
        """True if another viewer has polled lately."""
        now = time.monotonic()
        return any(now - asked < LOOKING_SECONDS for viewer, asked in self._asked.items() if viewer != who)

    # ---- control ----

    def touch(self, who: Hashable) -> None:
        """Note that this visitor still waits for the rows."""
        self._asked[who] = time.monotonic()

    def start(self, who: Hashable) -> None:
        """Continue with the missing tasks; does nothing while the run is working."""
        self.touch(who)
        self._start()

    def leave(self, who: Hashable) -> None:
        """Remove this visitor; the run stops unless another viewer has polled lately."""
        self._asked.pop(who, None)
        if not self.others(who):
            self.stop()

    # ---- in the thread ----

    def _measure(self) -> None:
        known = {row["key"]: row for row in cast(list[Row], self.rows().to_dict("records"))}
        run_tasks(self.tasks, self.columns, _workers(), known=known, progress=self._report, on_rows=self._take)

    def _take(self, rows: pd.DataFrame) -> None:
        with self._lock:
            self._news.append(rows)

    def _report(self, share: float) -> None:
        self._done = round(share * len(self.tasks))
        found = self.done - self._before
        if found >= max(FIRST_TASKS, FIRST_SHARE * len(self.tasks)):
            self._pace = (time.monotonic() - self._began) / found
        if self.done < self.total:
            self._go_on()


class Runs:
    """Runs by key; the least recently used is dropped above `entries` runs or `most` rows."""

    def __init__(self, entries: int, most: int) -> None:
        self._entries, self._most = entries, most
        self._lock = threading.Lock()
        self._held: OrderedDict[Hashable, TaskRun] = OrderedDict()

    def __len__(self) -> int:
        return len(self._held)

    def get(self, key: Hashable) -> TaskRun | None:
        """The run of this key, now the most recently used; None if it is not held."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
            return self._held.get(key)

    def keep(self, key: Hashable, run: TaskRun) -> TaskRun:
        """Hold this run, or return the one held under this key: equal keys, equal tasks."""
        with self._lock:
            found = self._held.setdefault(key, run)
            self._held.move_to_end(key)
            while len(self._held) > 1 and self._too_much():
                self._held.popitem(last=False)[1].stop()
            return found

    def clear(self) -> None:
        """Stop and forget all runs."""
        with self._lock:
            for run in self._held.values():
                run.stop()
            self._held.clear()

    def _too_much(self) -> bool:
        return len(self._held) > self._entries or sum(run.size for run in self._held.values()) > self._most
