"""Measurements in the background of a page: start, stop, continue, progress, and the rows so far."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import pandas as pd
import streamlit as st

from pages._shared import cache
from pages._shared.text import plain
from pages._work.task_runs import Runs, TaskRun
from prviz.measure.workload import duration
from prviz.studies.tasks import Columns, Row, Task, as_parquet

# Seconds between polls of the browser while measurements run; each poll redraws the rows.
PAUSE = 1.0
# Most runs and rows held for all visitors together; a row of a sweep takes some 400 bytes.
SHARED_RUNS, SHARED_ROWS = 64, 200_000

Draw = Callable[[pd.DataFrame, bool], None]


class WorkRequest(NamedTuple):
    """Tasks to measure.

    key : equal keys, equal tasks. title : text; the files are named after it.
    seconds : time of all tasks, estimated before the start.
    private : True for data that a visitor has brought: rows stay in this session, not shared with other visitors.
    known : rows of other work, by key, that need not be measured again.
    """

    key: Hashable
    title: str
    tasks: Sequence[Task]
    columns: Columns
    seconds: float
    private: bool = False
    known: Mapping[str, Row] = MappingProxyType({})


@st.cache_resource
def _shared() -> Runs:
    return Runs(SHARED_RUNS, SHARED_ROWS)


def _runs(work: WorkRequest) -> Runs:
    return cache.runs() if work.private else _shared()


def _run(work: WorkRequest) -> TaskRun:
    """The run held for this work, or a new one, which is held only once it starts."""
    return _runs(work).get(work.key) or TaskRun(work.tasks, work.columns, work.seconds, work.known)


def _visitor() -> str:
    if "_visitor" not in st.session_state:
        st.session_state["_visitor"] = secrets.token_hex(8)
    found: str = st.session_state["_visitor"]
    return found


def box(work: WorkRequest, draw: Draw, before: Callable[[], None] | None = None) -> None:
    """Buttons and progress of this work, its rows drawn by `draw(rows so far, complete)`, and their downloads.

    The box redraws itself while the work runs. before : draws the box's content while there are no rows.
    """
    waiting = _waits(work, _run(work))
    st.fragment(_box, run_every=PAUSE if waiting else None)(work, draw, waiting, before)


def _waits(work: WorkRequest, run: TaskRun) -> bool:
    """True if the run is working and this visitor has not stopped it."""
    return run.working and work.key not in _left()


def _left() -> set[Hashable]:
    """Keys of the work that this visitor has stopped."""
    found: set[Hashable] = st.session_state.setdefault("_left", set())
    return found


def _box(work: WorkRequest, draw: Draw, waiting: bool, before: Callable[[], None] | None) -> None:
    """The fragment that polls; a change of the polling itself reruns the whole page."""
    run = _run(work)
    if waiting:
        run.touch(_visitor())
    _buttons(work, run)
    if waiting != _waits(work, run):
        st.rerun()
    _notices(work, run)
    rows = run.rows()
    if len(rows):
        draw(rows, run.complete)
        _downloads(work, rows, run)
    elif before is not None:
        before()


def _buttons(work: WorkRequest, run: TaskRun) -> None:
    name, who, gone = _name(work), _visitor(), _left()

    def start() -> None:
        gone.discard(work.key)
        _runs(work).keep(work.key, run).start(who)

    def stop() -> None:
        gone.add(work.key)
        run.leave(who)

    with st.container(horizontal=True, vertical_alignment="center", key=f"work-{name}"):
        if _waits(work, run):
            st.button("Stop", on_click=stop, key=f"stop.{name}", icon=":material/stop:")
            st.progress(run.done / max(len(run.tasks), 1), _progress(run))
        elif not run.complete:
            label = "Continue" if run.done else "Start"
            st.button(label, on_click=start, key=f"start.{name}", icon=":material/play_arrow:", type="primary")
            st.caption(_promise(run))
        else:
            st.caption(f"Done: {_count(run)}.")


def _progress(run: TaskRun) -> str:
    if run.stopping:
        return f"{_count(run)}; finishing the running measurements"
    return f"{_count(run)}, {duration(run.seconds_left)} left"


def _promise(run: TaskRun) -> str:
    if not run.done:
        return f"{len(run.tasks)} measurements, {duration(run.seconds_left)} on this machine."
    return f"{_count(run)}; the rest should take {duration(run.seconds_left)}."


def _count(run: TaskRun) -> str:
    return f"{run.done} of {len(run.tasks)} measurements"


def _notices(work: WorkRequest, run: TaskRun) -> None:
    """Say what else the visitor must know: others keep the run going, or an error has ended it."""
    if run.working and not run.stopping and work.key in _left():
        st.info("Another visitor waits for the same measurements: they go on.", icon=":material/group:")
    if run.error is not None:
        st.error(f"{plain(told(run.error))} What was measured before stays.", icon=":material/block:")


def told(error: Exception) -> str:
    """Describe the error that ended a measurement in the background."""
    if isinstance(error, MemoryError):
        return "This machine has too little memory for it: fewer samples or dimensions need less."
    if isinstance(error, ValueError | TypeError | OSError):
        return f"{str(error).rstrip('.')}."
    return f"A measurement failed ({type(error).__name__}: {error}). Continue tries it again."


def _downloads(work: WorkRequest, rows: pd.DataFrame, run: TaskRun) -> None:
    """Download buttons of the rows; the files are made on a click."""
    name = _name(work)

    files: dict[str, tuple[str, str, Callable[[], bytes]]] = {
        "CSV": ("csv", "text/csv", lambda: rows.to_csv(index=False).encode()),
        "Parquet": ("parquet", "application/vnd.apache.parquet", lambda: as_parquet(rows, work.columns)),
    }
    with st.container(horizontal=True, vertical_alignment="center"):
        for label, (suffix, mime, make) in files.items():
            label = f"Rows as {label}"
            st.download_button(label, make, f"prviz-{name}.{suffix}", mime, key=f"{suffix}.{name}", on_click="ignore")
        st.caption(f"{len(rows)} rows" + ("." if run.complete else " so far."))


def _name(work: WorkRequest) -> str:
    return re.sub(r"[^a-z0-9]+", "-", work.title.lower()).strip("-")
