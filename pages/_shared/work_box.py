"""Draws a list of tasks that runs in the background: buttons, progress and the results so far."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import pandas as pd
import streamlit as st

from pages._live.follow import follow
from pages._shared.cache import session
from pages._shared.widgets import plain, say_refusal
from pages._work.background import Background
from pages._work.task_runs import TaskRun, held_runs
from prviz.measure.workload import duration
from prviz.readers import errors
from prviz.recent import LeastRecentlyUsed
from prviz.studies.tasks import Columns, Row, Task, as_parquet

# PAUSE: seconds between drawings of the rows while they are measured. FIRST_WAIT: seconds for which
# the page waits for the first rows.
PAUSE = 1.0
FIRST_WAIT = 0.6
# Limits of the store of runs that all visitors share: SHARED_RUNS runs, and SHARED_ROWS rows in
# total. A row of a sweep takes about 400 bytes.
SHARED_RUNS = 64
SHARED_ROWS = 200_000

Draw = Callable[[pd.DataFrame, bool], None]


class WorkRequest(NamedTuple):
    """Tasks to measure.

    key : identifies the tasks; equal keys mean equal tasks. title : text on the page, also used in
    file names.
    seconds : estimated time of all tasks. private : True for the visitor's own data, whose rows
    only this session may see. known : by row key, rows that were measured before and need not be
    measured again.
    at_once : True to start without a click.
    """

    key: Hashable
    title: str
    tasks: Sequence[Task]
    columns: Columns
    seconds: float
    private: bool = False
    known: Mapping[str, Row] = MappingProxyType({})
    at_once: bool = False


@st.cache_resource
def _shared() -> LeastRecentlyUsed:
    return held_runs(SHARED_RUNS, SHARED_ROWS)


def _runs(work: WorkRequest) -> LeastRecentlyUsed:
    if work.private:
        return session().runs
    return _shared()


def _run(work: WorkRequest) -> TaskRun:
    """The stored run of this request, or a new run, which is stored once it starts."""
    return _runs(work).get(work.key) or TaskRun(work.tasks, work.columns, work.seconds, work.known)


def box(work: WorkRequest, draw: Draw, before: Callable[[], None] | None = None) -> None:
    """Draw progress and buttons of a request's run, and its rows by `draw(rows so far, complete)`;
    while there are no rows, call `before()`.
    """
    run = _run(work)
    left = session().left_runs
    viewer = session().viewer
    runs = _runs(work)
    if work.at_once and not (run.done or run.error or run.working or work.key in left):
        runs.put(work.key, run, replace=False).start(viewer)
    waits = _waits(work, _run(work))

    def state() -> tuple[bool, int, int, int]:
        now = runs.get(work.key) or run
        if now.working and work.key not in left:
            now.touch(viewer)
        return now.working, now.size, now.done, now.place

    follow(
        f"work-{_name(work)}",
        lambda: _box(work, draw, waits, before),
        state,
        lambda: PAUSE if _waits(work, _run(work)) else None,
    )


def _waits(work: WorkRequest, run: TaskRun) -> bool:
    """True if the run works and this visitor has not stopped waiting for it."""
    return run.working and work.key not in session().left_runs


def _box(work: WorkRequest, draw: Draw, waiting: bool, before: Callable[[], None] | None) -> None:
    """Draw a run, in a fragment. When the run begins or ends, the whole page is drawn again."""
    run = _run(work)
    name = _name(work)
    who = session().viewer
    gone = session().left_runs

    def start() -> None:
        gone.discard(work.key)
        _runs(work).put(work.key, run, replace=False).start(who)

    def stop() -> None:
        gone.add(work.key)
        run.leave(who)

    buttons(
        run,
        WorkTexts(
            "measurements",
            first=f"{run.total} measurements, {duration(run.seconds_left)} on this machine.",
            stopping="finishing the running measurements",
        ),
        start,
        stop,
        keys=(f"work-{name}", f"start.{name}", f"stop.{name}"),
        waits=_waits(work, run),
    )
    if waiting != _waits(work, run):
        st.rerun()
    if run.working and not run.stopping and work.key in session().left_runs:
        st.info(
            "Another visitor waits for the same measurements: they go on.", icon=":material/group:"
        )
    if run.error is not None:
        say_refusal(f"{plain(error_text(run.error))} What was measured before stays.")
    run.wait_first(FIRST_WAIT)
    rows = run.rows()
    if len(rows):
        draw(rows, run.complete)
        name = _name(work)

        files: dict[str, tuple[str, str, Callable[[], bytes]]] = {
            "CSV": ("csv", "text/csv", lambda: rows.to_csv(index=False).encode()),
            "Parquet": (
                "parquet",
                "application/vnd.apache.parquet",
                lambda: as_parquet(rows, work.columns),
            ),
        }
        with st.container(horizontal=True, vertical_alignment="center"):
            for label, (suffix, mime, make) in files.items():
                label = f"Rows as {label}"
                st.download_button(
                    label,
                    make,
                    f"prviz-{name}.{suffix}",
                    mime,
                    key=f"{suffix}.{name}",
                    on_click="ignore",
                )
            st.caption(f"{len(rows)} rows" + ("." if run.complete else " so far."))
    elif before is not None:
        before()


class WorkTexts(NamedTuple):
    """Texts on background work.

    unit : name of its pieces, such as "measurements". first : text beside the button Start.
    stopping : text on what still runs after a click on Stop. done : text after the number of
    pieces, once all are done.
    """

    unit: str
    first: str
    stopping: str
    done: str = ""


def buttons(
    work: Background,
    texts: WorkTexts,
    start: Callable[[], None],
    stop: Callable[[], None],
    *,
    keys: tuple[str, str, str],
    waits: bool,
) -> None:
    """Draw the state of background work: while it runs, its progress and the button Stop; before,
    Start or Continue with the estimated time; at the end, how much was done.

    keys : widget keys of the container, of Start and of Stop. waits : True if this viewer waits for
    the work.
    """
    count = f"{work.done} of {work.total} {texts.unit}"
    box, start_key, stop_key = keys
    with st.container(horizontal=True, vertical_alignment="center", key=box):
        if waits:
            halted = work.stopping
            left = f", {duration(work.seconds_left)} left"
            if halted:
                left = f"; {texts.stopping}"
            elif work.place:
                left = f", place {work.place} in the queue"
            st.button("Stop", on_click=stop, key=stop_key, icon=":material/stop:", disabled=halted)
            st.progress(
                work.share,
                f"{count}{left}",
            )
        elif not work.complete:
            label = "Continue" if work.done else "Start"
            st.button(
                label, on_click=start, key=start_key, icon=":material/play_arrow:", type="primary"
            )
            left = f"{count}; the rest should take {duration(work.seconds_left)}."
            st.caption(left if work.done else texts.first)
        else:
            st.caption(f"Done: {count}{texts.done}.")


def error_text(error: Exception) -> str:
    """Text for the user on the error that has ended background work."""
    if isinstance(error, MemoryError):
        return "This machine has too little memory for it: fewer samples or dimensions need less."
    if isinstance(error, ValueError | TypeError | OSError):
        return f"{errors.error_text(error).rstrip('.')}."
    return f"A measurement failed ({errors.described(error)}). Continue tries it again."


def _name(work: WorkRequest) -> str:
    return re.sub(r"[^a-z0-9]+", "-", work.title.lower()).strip("-")
