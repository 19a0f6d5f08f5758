"""The answer that the page draws now: the final result, a coarse one or the one before, while a job measures on."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import streamlit as st

from pages._shared import cache
from pages._shared import results as _results
from pages._shared.results import Results, key, profile_key, results, seconds
from pages._shared.slider_stops import largest_k, root_k, stops
from pages._shared.sources import Problem
from pages._shared.text import plain
from pages._work.jobs import Job, Progress, Status
from prviz.measure.workload import fit_size, live_size
from prviz.reports.settings import ExploreSettings

T = TypeVar("T")

# Seconds: longer measurements run in a job; an answer waits for a running job at most WAIT_SECONDS.
INLINE_SECONDS = 0.15
WAIT_SECONDS = 0.03
# Seconds to wait for a job on a page without a main figure, where no moving slider is held up.
ASIDE_SECONDS = 0.3
# Shortest and longest pause, in seconds, before the browser polls again; a moved slider is answered at once.
PAUSES = (0.1, 0.2)
COMPUTING = "Computing"
# The first, coarse drawing: its limit in seconds, and the fewest samples per set that make it worth drawing.
COARSE_SECONDS = 0.04
COARSE_LEAST = 50
# Seconds: a profile estimated to take longer is not made; each k and bandwidth is measured when it is selected.
PROFILE_SECONDS = 60.0


@dataclass(frozen=True, eq=False)
class Answer:
    """The drawing: a problem, its settings and its results; `status` says how final they are."""

    problem: Problem
    settings: ExploreSettings
    found: Results
    status: Status


def answer(problem: Problem, settings: ExploreSettings, before: Callable[[], Answer], *, stop: bool = False) -> Answer:
    """The answer to draw now for these settings; `before` gives the last final one, where nothing else can be drawn.

    In stages: results that are known; results measured at once; a coarse drawing; the coarse drawing while a job
    measures the rest, from the next answer on, so that a moving slider starts no job. After the final drawing a job
    makes the profile. Keys that the data refuse, and keys unfinished at a `stop`, are in the job queue's `stopped`.
    """
    desk, wanted, wish = cache.desk(), key(problem, settings), _wish()
    desk.keep({wanted, profile_key(problem, settings), wish.key if wish else None})
    found = _results.known(problem, settings)
    if stop:
        _stop(wanted if found is None else next((one.key for one in _open(problem, settings, wish)), None))
    if found is not None:
        return Answer(problem, settings, found, Status(_background(problem, settings, wish)))
    if wanted in desk.stopped:
        return replace(before(), status=Status(stale=True))
    expected, rough = seconds(problem, settings), _coarse(problem, settings)
    if expected > INLINE_SECONDS and rough and _results.known(*rough) is None:
        return Answer(*rough, results(*rough), Status(_promise(expected, COMPUTING, quiet=False), coarse=rough[1].n))
    job = _measured(problem, settings, expected)
    found = taken(job, cache.results())
    if found is not None:
        return Answer(problem, settings, found, Status(_promised(problem, settings, wish)))
    more = told(job, COMPUTING) if job.cancelled or not job.done else None
    if more is None or rough is None:
        return replace(before(), status=Status(more, stale=True))
    return Answer(*rough, results(*rough), Status(more, coarse=rough[1].n))


def _stop(key: Hashable) -> None:
    if key is not None:
        cache.desk().stop(key)


def _measured(problem: Problem, settings: ExploreSettings, expected: float) -> Job[Results]:
    """The job that measures, done already where it is quick; a job that was running before is waited for briefly."""

    def compute(progress: Progress) -> Results:
        return _results.measure(problem, settings, progress)

    wanted, desk = key(problem, settings), cache.desk()
    if expected <= INLINE_SECONDS:
        job = Job(wanted, compute, expected)
        job.run()
        return job
    begun = desk.at_work(wanted) is not None
    job = desk.ask(wanted, compute, expected)
    job.wait(WAIT_SECONDS if begun else 0)
    return job


def taken(job: Job[T], store: cache.LeastRecentlyUsed) -> T | None:
    """The job's result, put into the store; None if there is none. An error is kept in the job queue's `stopped`."""
    if not job.done or job.cancelled:
        return None
    try:
        return store.put(job.key, job.result())
    except (ValueError, MemoryError) as error:
        cache.desk().stopped[job.key] = str(error) or "Not enough memory"
        return None


def _coarse(problem: Problem, settings: ExploreSettings) -> tuple[Problem, ExploreSettings] | None:
    """A subsample of the same problem, with its settings; None where one measured in time would be too small."""
    n = coarse_size(problem, settings)
    if n < COARSE_LEAST:
        return None
    small = problem.smaller(n)
    return small, replace(settings, n=n, repeats=1, k=_coarse_k(problem, settings, small), approximate=False)


def coarse_size(problem: Problem, settings: ExploreSettings) -> int:
    """Samples per set that are drawn and measured within COARSE_SECONDS."""
    return live_size(*problem.sizes, limit=COARSE_SECONDS, **_results.work(problem, settings))


def _coarse_k(problem: Problem, settings: ExploreSettings, small: Problem) -> int:
    """The settings' k as far as the subsample allows: at most a quarter of its fit samples."""
    k = root_k(problem) if settings.k == "sqrt" else settings.k
    fit = min(fit_size(n, settings.split) for n in small.sizes[:2])
    return max(min(k, fit // 4, largest_k(settings, small)), 1)


def told(job: Job[Any], note: str, **rest: bool) -> dict[str, Any]:
    """Progress of a running job, for the browser."""
    left = job.seconds_left
    return {"share": round(job.share, 3), "left": round(left, 1), "note": note, "pause": _pause(left), **rest}


def _promise(expected: float, note: str, *, quiet: bool) -> dict[str, Any]:
    """Announcement of a job that starts when the browser polls again."""
    return {"share": None, "left": round(expected, 1), "note": note, "pause": PAUSES[quiet], "quiet": quiet}


def _pause(left: float) -> float:
    return round(min(max(left / 2, PAUSES[0]), PAUSES[1]), 3)


# ---- what is computed after the final drawing ----


@dataclass(frozen=True, eq=False)
class Wish:
    """Work for a job, whose result is put into `store`."""

    key: Hashable
    seconds: float
    compute: Callable[[Progress], Any]
    store: cache.LeastRecentlyUsed
    note: str


def _profile_wish(problem: Problem, settings: ExploreSettings) -> Wish:
    ks, units = stops(problem, settings)
    return Wish(
        profile_key(problem, settings),
        seconds(problem, settings, ks=len(ks), bandwidths=len(units)),
        lambda progress: _results.make_profile(problem, settings, progress),
        cache.profiles(),
        "Preparing every k and bandwidth",
    )


def _open(problem: Problem, settings: ExploreSettings, aside: Wish | None) -> list[Wish]:
    """The work still to be done: for the open tab, then the profile."""
    stopped, last = cache.desk().stopped, _profile_wish(problem, settings)
    profiled = last.seconds <= PROFILE_SECONDS and not settings.approximate
    wishes = [*([aside] if aside else []), *([last] if profiled else [])]
    return [wish for wish in wishes if wish.key not in wish.store and wish.key not in stopped]


def _promised(problem: Problem, settings: ExploreSettings, aside: Wish | None) -> dict[str, Any] | None:
    """Status sent with a new drawing: announces the next job but starts none, so that a moving slider pays nothing."""
    for wish in _open(problem, settings, aside):
        return _promise(wish.seconds, wish.note, quiet=True)
    return None


def _background(problem: Problem, settings: ExploreSettings, aside: Wish | None) -> dict[str, Any] | None:
    """Status sent with an unchanged drawing: runs the remaining jobs one after another."""
    for wish in _open(problem, settings, aside):
        job = cache.desk().ask(wish.key, wish.compute, wish.seconds)
        job.wait(WAIT_SECONDS)
        if not job.done:
            return told(job, wish.note, quiet=True)
        taken(job, wish.store)
    return None


def ready(key: tuple[Any, ...], seconds: float, compute: Callable[[Progress], Any]) -> bool:
    """True if an open tab may call `cache.remembered` for this key now: the result is there, or comes within a moment.

    Else a job computes it, or the page says here that the user has stopped it. The main figure polls for the result,
    so it must know the key before it is drawn: the page runs once more.
    """
    if key in cache.results() or (seconds <= INLINE_SECONDS and key not in cache.desk().stopped):
        return True
    if key in cache.desk().stopped:
        say_stopped(key, "this was not measured.", where="aside")
        return False
    if "_aside" in st.session_state:  # another result of this tab comes first
        st.caption("It comes as soon as the rest of this tab is measured.")
        return False
    st.session_state["_aside"] = Wish(key, seconds, compute, cache.results(), "Measuring for the open tab")
    if st.session_state.get("_aside_known") != key:
        st.rerun(scope="app")
    st.caption("It comes as soon as it is measured.")
    return False


# ---- on a page without a main figure, which would poll by itself ----


def aside() -> Job[Any] | None:
    """The job that the open tab waits for, started if it was not; None if there is nothing to wait for."""
    wish, desk = _wish(), cache.desk()
    desk.keep({wish.key if wish else None})
    if wish is None or wish.key in wish.store or wish.key in desk.stopped:
        return None
    job = desk.ask(wish.key, wish.compute, wish.seconds)
    job.wait(ASIDE_SECONDS)
    if job.done:
        taken(job, wish.store)
        return None
    return job


def awaited() -> bool:
    """True if the open tab waits for a result, as far as this run of the page knows."""
    wish: Wish | None = st.session_state.get("_aside")
    return wish is not None and wish.key not in wish.store and wish.key not in cache.desk().stopped


def stop(key: Hashable) -> None:
    """Stop computing this key until the user resumes it."""
    cache.desk().stop(key)


def _wish() -> Wish | None:
    """The work that the tab open in the last run waits for; a tab that is still open registers it again."""
    wish: Wish | None = st.session_state.pop("_aside", None)
    st.session_state["_aside_known"] = None if wish is None else wish.key
    return wish


def say_stopped(key: tuple[Any, ...], effect: str, where: str = "") -> None:
    """Say why this key is not being computed, with a button that resumes it; nothing where it is not stopped."""
    desk = cache.desk()
    reason = desk.stopped.get(key)
    if reason is None:
        return
    st.info(f"{plain(reason)}: {effect}", icon=":material/pause:")
    st.button("Compute it after all", on_click=desk.resume, args=(key,), key=f"after-all-{key[0]}{where}")
