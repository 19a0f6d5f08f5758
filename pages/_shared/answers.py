"""The answer that the page draws now: the final result, a coarse one or the one before, while a job measures on."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import streamlit as st

from pages._live.figure import moved
from pages._shared.cache import session
from pages._shared.text import plain
from pages._work.jobs import Job, Status
from prviz.live import results as _results
from prviz.live.need import Need, Progress
from prviz.live.needs import COMPUTING, INLINE_SECONDS, coarse, needs
from prviz.live.problems import Problem
from prviz.live.results import Results, key, results
from prviz.live.store import LeastRecentlyUsed
from prviz.reports.settings import ExploreSettings
from prviz.server.reruns import is_asked

T = TypeVar("T")

# Seconds for which an answer waits for a running job.
WAIT_SECONDS = 0.03
# Seconds to wait for a job on a page without a main figure, where no moving slider is held up.
ASIDE_SECONDS = 0.3
# Seconds before the browser polls again; a moved slider is answered at once.
PAUSE = 0.1
# Seconds for which a poll waits for its job: each poll draws the page again. It gives way to all else at once.
POLL_SECONDS, GIVE_WAY_SECONDS = 1.0, 0.01


@dataclass(frozen=True, eq=False)
class Answer:
    """The drawing: a problem, its settings and its results; `status` says how final they are."""

    problem: Problem
    settings: ExploreSettings
    found: Results
    status: Status


def answer(
    problem: Problem,
    settings: ExploreSettings,
    before: Callable[[], Answer],
    *,
    stop: bool = False,
    patient: bool = False,
) -> Answer:
    """The answer to draw now for these settings; `before` gives the last final one, where nothing else can be drawn.

    In stages: results that are known; results measured at once; a coarse drawing; the coarse drawing while a job
    measures the rest, from the next answer on, so that a moving slider starts no job. After the final drawing a job
    makes the profile. Keys that the data refuse, and keys unfinished at a `stop`, are in the job queue's `stopped`.

    patient : wait for a job, as long as the user asks for nothing else: what is on screen is the answer before.
    """
    jobs, wanted, tab = session().jobs, key(problem, settings), _waited_for()
    every = needs(problem, settings, tab)
    jobs.keep({need.key for need in every})
    if stop:
        for need in _open(every)[:1]:
            jobs.stop(need.key)
    found = _results.known(problem, settings)
    if found is not None:
        return Answer(problem, settings, found, Status(_background(every, patient=patient)))
    if wanted in jobs.stopped:
        return replace(before(), status=Status(stale=True))
    request, rough = every[0], coarse(problem, settings)
    expected = request.seconds
    if expected > INLINE_SECONDS and rough and _results.known(*rough) is None:
        return Answer(*rough, results(*rough), Status(_announced(expected, COMPUTING, quiet=False), coarse=rough[1].n))
    if expected <= INLINE_SECONDS:
        job = Job(request)
        job.run()
    else:  # a job that was running before is waited for briefly
        begun = jobs.at_work(wanted) is not None
        job = jobs.ask(request)
        _wait(job, WAIT_SECONDS if begun else 0, patient=patient)
    found = _taken(job)
    if found is not None:
        # The next job is announced with the new drawing but not started, so that a moving slider pays nothing.
        following = _open(every)[:1]
        more = [_announced(one.seconds, one.note, quiet=True) for one in following]
        return Answer(problem, settings, found, Status(more[0] if more else None))
    progress = progress_of(job, COMPUTING) if job.cancelled or job.working else None
    if progress is None or rough is None:
        return replace(before(), status=Status(progress, stale=True))
    return Answer(*rough, results(*rough), Status(progress, coarse=rough[1].n))


def _store(job: Job[Any] | Need[Any]) -> LeastRecentlyUsed:
    return session().results if job.store is None else job.store


def _taken(job: Job[T]) -> T | None:
    """The job's result, put into its store; None if there is none. An error is kept in the job queue's `stopped`."""
    if job.working or job.cancelled:
        return None
    try:
        return _store(job).put(job.key, job.result())
    except (ValueError, MemoryError) as error:
        session().jobs.stopped[job.key] = str(error) or "Not enough memory"
        return None


def _wait(job: Job[Any], seconds: float, *, patient: bool) -> None:
    """Wait for the job; a patient page waits for POLL_SECONDS, and gives way to what the user asks for meanwhile."""
    job.wait(seconds)
    end = time.monotonic() + POLL_SECONDS
    while patient and job.working and time.monotonic() < end and not is_asked():
        job.wait(GIVE_WAY_SECONDS)


def awaited_job(request: Need[Any], wait: float, *, patient: bool = False) -> Job[Any] | None:
    """The running job of this request; None if it ends within `wait` seconds, its result or error being kept."""
    job = session().jobs.ask(request)
    _wait(job, wait, patient=patient)
    if job.working or job.cancelled:
        return job
    _taken(job)
    return None


def progress_of(job: Job[Any], note: str, **rest: bool) -> dict[str, Any]:
    """Progress of a running job, for the browser."""
    left = job.seconds_left
    return {"share": round(job.share, 3), "left": round(left, 1), "note": note, "pause": PAUSE, **rest}


def _announced(expected: float, note: str, *, quiet: bool) -> dict[str, Any]:
    """Announcement of a job that starts when the browser polls again."""
    return {"share": None, "left": round(expected, 1), "note": note, "pause": PAUSE, "quiet": quiet}


def stop_clicked(figure: str) -> bool:
    """True once for each click on the figure's Stop."""
    return _told(figure, "stop")


def polled(figure: str) -> bool:
    """True once for each request of the figure that asks for nothing but what is still to come."""
    return _told(figure, "again")


def _told(figure: str, word: str) -> bool:
    """True once for each request with this word, however often the figure's values are read."""
    values, turns = moved(figure), session().told_turns
    told = bool(values.get(word)) and values.get("turn") != turns.get((figure, word))
    if told:
        turns[figure, word] = values.get("turn")
    return told


# ---- what is computed after the final drawing ----


def _open(every: Sequence[Need[Any]]) -> list[Need[Any]]:
    """The needs that are still to be met."""
    return [need for need in every if is_open(need)]


def is_open(request: Need[Any]) -> bool:
    """True if the request has no result yet, and was neither stopped nor ended by an error."""
    known = request.known if request.look is not None else request.key in _store(request)
    return not known and request.key not in session().jobs.stopped


def _background(every: Sequence[Need[Any]], *, patient: bool) -> dict[str, Any] | None:
    """Status sent with an unchanged drawing: runs the remaining jobs one after another."""
    for request in _open(every):
        job = awaited_job(request, WAIT_SECONDS, patient=patient)
        if job is not None and job.working:
            return progress_of(job, request.note, quiet=True)
    return None


def ready(key: tuple[Any, ...], seconds: float, compute: Callable[[Progress], Any]) -> bool:
    """True if an open tab may call `cache.remembered` for this key now: the result is there, or comes within a moment.

    Else a job computes it, or the page says here that the user has stopped it. The main figure polls for the result,
    so it must know the key before it is drawn: the page runs once more.
    """
    held = session()
    if key in held.results or (seconds <= INLINE_SECONDS and key not in held.jobs.stopped):
        return True
    if key in held.jobs.stopped:
        say_stopped(key, "this was not measured.", where="aside")
    elif held.waited_for is not None:  # another result of this tab comes first
        st.caption("Being measured after the rest of this panel …")
    else:
        held.waited_for = Need(key, compute, seconds, "Measuring for the open tab")
        if held.known_wait != key:
            st.rerun(scope="app")
        st.caption("Being measured …")
    return False


def tab_result(key: tuple[Any, ...], seconds: float, compute: Callable[[Progress], T]) -> T | None:
    """The result that an open tab shows, computed now where that is quick; None where it is not `ready`."""
    if not ready(key, seconds, compute):
        return None
    return session().results.remembered(key, lambda: compute(lambda _: None))


# ---- on a page without a main figure, which would poll by itself ----


def aside() -> Job[Any] | None:
    """The job that the open tab waits for, started if it was not; None if there is nothing to wait for."""
    tab = _waited_for()
    session().jobs.keep({tab and tab.key})
    if tab is None or not is_open(tab):
        return None
    job = awaited_job(tab, ASIDE_SECONDS)
    return job if job is not None and job.working else None


def awaited() -> bool:
    """True if the open tab waits for a result, as far as this run of the page knows."""
    tab = session().waited_for
    return tab is not None and is_open(tab)


def _waited_for() -> Need[Any] | None:
    """The work that the tab open in the last run waits for; a tab that is still open registers it again."""
    held = session()
    tab, held.waited_for = held.waited_for, None
    held.known_wait = tab and tab.key
    return tab


def say_stopped(key: tuple[Any, ...], effect: str, where: str = "") -> None:
    """Say why this key is not being computed, with a button that resumes it; nothing where it is not stopped."""
    jobs = session().jobs
    reason = jobs.stopped.get(key)
    if reason is None:
        return
    st.info(f"{plain(reason)}: {effect}", icon=":material/pause:")
    st.button("Compute it after all", on_click=jobs.resume, args=(key,), key=f"after-all-{key[0]}{where}")
