"""Work in the background of a page: a list of tasks or one job, with its buttons, its progress and results."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from pages._shared import answers
from pages._shared.cache import session
from pages._shared.text import plain
from pages._work.jobs import Background
from pages._work.task_runs import TaskRun, held_runs
from prviz.live.need import Need
from prviz.live.store import LeastRecentlyUsed
from prviz.measure.workload import duration
from prviz.readers import errors
from prviz.studies.tasks import Columns, Row, Task, as_parquet

# Seconds between polls of the browser while measurements run; each poll redraws the rows. Seconds that the page waits
# for the first rows, which would else come with the next poll.
PAUSE, FIRST_WAIT = 1.0, 0.6
# Seconds between polls while a job runs, and seconds that the page waits for a job that is nearly done.
JOB_PAUSE, JOB_WAIT = 0.5, 0.3
# Most runs and rows held for all visitors together; a row of a sweep takes some 400 bytes.
SHARED_RUNS, SHARED_ROWS = 64, 200_000

Draw = Callable[[pd.DataFrame, bool], None]


class WorkRequest(NamedTuple):
    """Tasks to measure.

    key : equal keys, equal tasks. title : text; the files are named after it.
    seconds : time of all tasks, estimated before the start.
    private : True for data that a visitor has brought: rows stay in this session, not shared with other visitors.
    known : rows of other work, by key, that need not be measured again. at_once : True to start without a click.
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
    return session().runs if work.private else _shared()


def _run(work: WorkRequest) -> TaskRun:
    """The run held for this work, or a new one, which is held only once it starts."""
    return _runs(work).get(work.key) or TaskRun(work.tasks, work.columns, work.seconds, work.known)


def box(work: WorkRequest, draw: Draw, before: Callable[[], None] | None = None) -> None:
    """Draw this work with its buttons; `draw(rows so far, complete)` its rows, `before` what stands there before."""
    run = _run(work)
    if work.at_once and not (run.done or run.error or run.working or work.key in session().left_runs):
        _runs(work).put(work.key, run, replace=False).start(session().viewer)
    waiting = _waits(work, _run(work))
    st.fragment(_box, run_every=PAUSE if waiting else None)(work, draw, waiting, before)


def job_result(request: Need[Any], effect: str) -> Any:
    """The job's result; None while it runs, or after a failure or Stop: then `effect` says what is missing."""
    if answers.is_open(request) and answers.awaited_job(request, JOB_WAIT) is not None:
        _job_progress(request)
    answers.say_stopped(request.key, effect)
    return (session().results if request.store is None else request.store).get(request.key)


@st.fragment(run_every=JOB_PAUSE)
def _job_progress(request: Need[Any]) -> None:
    """Draw the progress; the page is drawn again when the job ends."""
    jobs = session().jobs
    job = jobs.ask(request)
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Stop", key=f"stop.{request.key[0]}", icon=":material/stop:"):
            jobs.stop(request.key)
        st.progress(job.share, f"{request.note}, {duration(job.seconds_left)} left")
    if not job.working or request.key in jobs.stopped:
        st.rerun()


def _waits(work: WorkRequest, run: TaskRun) -> bool:
    """True if the run is working and this visitor has not stopped it."""
    return run.working and work.key not in session().left_runs


def _box(work: WorkRequest, draw: Draw, waiting: bool, before: Callable[[], None] | None) -> None:
    """The fragment that polls; a change of the polling itself reruns the whole page."""
    run = _run(work)
    if waiting:
        run.touch(session().viewer)
    name, who, gone = _name(work), session().viewer, session().left_runs

    def start() -> None:
        gone.discard(work.key)
        _runs(work).put(work.key, run, replace=False).start(who)

    def stop() -> None:
        gone.add(work.key)
        run.leave(who)

    buttons(
        run,
        "measurements",
        start,
        stop,
        keys=(f"work-{name}", f"start.{name}", f"stop.{name}"),
        waits=_waits(work, run),
        first=f"{run.total} measurements, {duration(run.seconds_left)} on this machine.",
        stopping="finishing the running measurements",
    )
    if waiting != _waits(work, run):
        st.rerun()
    if run.working and not run.stopping and work.key in session().left_runs:
        st.info("Another visitor waits for the same measurements: they go on.", icon=":material/group:")
    if run.error is not None:
        st.error(f"{plain(error_text(run.error))} What was measured before stays.", icon=":material/block:")
    run.wait_first(FIRST_WAIT)
    rows = run.rows()
    if len(rows):
        draw(rows, run.complete)
        name = _name(work)

        files: dict[str, tuple[str, str, Callable[[], bytes]]] = {
            "CSV": ("csv", "text/csv", lambda: rows.to_csv(index=False).encode()),
            "Parquet": ("parquet", "application/vnd.apache.parquet", lambda: as_parquet(rows, work.columns)),
        }
        with st.container(horizontal=True, vertical_alignment="center"):
            for label, (suffix, mime, make) in files.items():
                label = f"Rows as {label}"
                st.download_button(
                    label, make, f"prviz-{name}.{suffix}", mime, key=f"{suffix}.{name}", on_click="ignore"
                )
            st.caption(f"{len(rows)} rows" + ("." if run.complete else " so far."))
    elif before is not None:
        before()


def buttons(
    work: Background,
    unit: str,
    start: Callable[[], None],
    stop: Callable[[], None],
    *,
    keys: tuple[str, str, str],
    waits: bool,
    first: str,
    stopping: str,
    done: str = "",
) -> None:
    """Draw the progress of this work with Stop, or Start or Continue with the estimated time, or what is done.

    keys : of the container and its two buttons. waits : True if this viewer waits for the work.
    first : text beside Start. stopping : what still runs after a stop. done : text after the number of pieces.
    """
    count = f"{work.done} of {work.total} {unit}"
    box, start_key, stop_key = keys
    with st.container(horizontal=True, vertical_alignment="center", key=box):
        if waits:
            halted = work.stopping
            st.button("Stop", on_click=stop, key=stop_key, icon=":material/stop:", disabled=halted)
            st.progress(work.share, f"{count}{f'; {stopping}' if halted else f', {duration(work.seconds_left)} left'}")
        elif not work.complete:
            label = "Continue" if work.done else "Start"
            st.button(label, on_click=start, key=start_key, icon=":material/play_arrow:", type="primary")
            left = f"{count}; the rest should take {duration(work.seconds_left)}."
            st.caption(left if work.done else first)
        else:
            st.caption(f"Done: {count}{done}.")


def error_text(error: Exception) -> str:
    """Describe the error that ended a measurement in the background."""
    if isinstance(error, MemoryError):
        return "This machine has too little memory for it: fewer samples or dimensions need less."
    if isinstance(error, ValueError | TypeError | OSError):
        return f"{errors.error_text(error).rstrip('.')}."
    return f"A measurement failed ({errors.described(error)}). Continue tries it again."


def _name(work: WorkRequest) -> str:
    return re.sub(r"[^a-z0-9]+", "-", work.title.lower()).strip("-")
