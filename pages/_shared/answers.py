"""The answer that the page draws now: the final result, a coarse one or the one before, while a job measures on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import streamlit as st

from pages._shared.cache import session
from pages._shared.text import plain
from pages._work.jobs import Job
from prviz.live import needs
from prviz.live.need import Need
from prviz.live.problems import Problem
from prviz.live.results import Answer, results
from prviz.live.store import LeastRecentlyUsed
from prviz.measure.estimates import Progress
from prviz.reports.settings import ExploreSettings

T = TypeVar("T")

# Seconds for which a page waits for a running job.
WAIT_SECONDS = 0.03
# The same on a page without a main figure, where no moving slider is held up.
ASIDE_SECONDS = 0.3


def answer(problem: Problem, settings: ExploreSettings, before: Callable[[], Answer]) -> Answer:
    """What the page draws at once: the curves where they are known or quick, else coarse ones, else `before`.

    The line brings the rest. Keys that the data refuse are in the job queue's `stopped`.
    """
    stopped, curves = session().jobs.stopped, needs.curves(problem, settings)
    found = curves.result
    if found is None and curves.seconds <= needs.INLINE_SECONDS and curves.key not in stopped:
        job = Job(curves)
        job.run()
        found = _taken(job)
    if found is not None:
        return Answer(problem, settings, found)
    rough = needs.coarse(problem, settings)
    if rough is None or curves.key in stopped:
        return replace(before(), stale=True)
    return Answer(*rough, results(*rough), coarse=rough[1].n)


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


def awaited_job(request: Need[Any], wait: float) -> Job[Any] | None:
    """The running job of this request; None if it ends within `wait` seconds, its result or error being kept."""
    job = session().jobs.ask(request)
    job.wait(wait)
    if job.working or job.cancelled:
        return job
    _taken(job)
    return None


def is_open(request: Need[Any]) -> bool:
    """True if the request has no result yet, and was neither stopped nor ended by an error."""
    return request.key not in _store(request) and request.key not in session().jobs.stopped


def ready(key: tuple[Any, ...], seconds: float, compute: Callable[[Progress], Any]) -> bool:
    """True if an open tab may call `cache.remembered` for this key now: the result is there, or comes within a moment.

    Else it is noted as what the tab waits for, or the page says here that the user has stopped it.
    """
    held = session()
    if key in held.results or (seconds <= needs.INLINE_SECONDS and key not in held.jobs.stopped):
        return True
    if key in held.jobs.stopped:
        say_stopped(key, "this was not measured.", where="aside")
    elif held.waited_for is not None:  # another result of this tab comes first
        st.caption("Being measured after the rest of this panel …")
    else:
        held.waited_for = Need(key, compute, seconds, "Measuring for the open tab", held.results)
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
    return tab


def say_stopped(key: tuple[Any, ...], effect: str, where: str = "") -> None:
    """Say why this key is not being computed, with a button that resumes it; nothing where it is not stopped."""
    jobs = session().jobs
    reason = jobs.stopped.get(key)
    if reason is None:
        return
    st.info(f"{plain(reason)}: {effect}", icon=":material/pause:")
    st.button("Compute it after all", on_click=jobs.resume, args=(key,), key=f"after-all-{key[0]}{where}")
