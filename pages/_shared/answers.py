"""What the page draws now: the final result, a coarse one or the one before, while a job measures the rest."""

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

# What takes longer runs in a job; and so long an answer waits for one that is nearly done.
INLINE_SECONDS = 0.15
WAIT_SECONDS = 0.03
# And of a tab on a page without a main figure, where no hand waits.
ASIDE_SECONDS = 0.3
# When the browser asks again: a hand that moves meanwhile is answered at once, and a job pays for few answers.
PAUSES = (0.1, 0.2)
COMPUTING = "Computing"
# The first, coarse drawing: how long it may take, and below how many samples per set it would say nothing.
COARSE_SECONDS = 0.04
COARSE_LEAST = 50
# Above it nobody waits for a profile: every k and bandwidth is measured when it is asked for.
PROFILE_SECONDS = 60.0


@dataclass(frozen=True, eq=False)
class Answer:
    """What is drawn now: these three belong together, and `status` says how final they are."""

    problem: Problem
    settings: ExploreSettings
    found: Results
    status: Status


def answer(problem: Problem, settings: ExploreSettings, before: Callable[[], Answer], *, stop: bool = False) -> Answer:
    """What to draw now for these settings; `before` gives what was final last, where nothing else can be drawn.

    In stages: what is known; what is measured at once; a coarse drawing; the same while a job measures the rest, from
    the next answer on, so that a moving hand starts none. After the final drawing a job makes the profile. What the
    data refuse is among the desk's `stopped`, and so is what is still to come at a `stop`.
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
    """The job that measures, done already where it is quick; one that was at work before is given a moment."""

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
    """The result, remembered; None if it is not there, and why not is said at the desk if that is for good."""
    if not job.done or job.cancelled:
        return None
    try:
        return store.put(job.key, job.result())
    except (ValueError, MemoryError) as error:
        cache.desk().stopped[job.key] = str(error) or "Not enough memory"
        return None


def _coarse(problem: Problem, settings: ExploreSettings) -> tuple[Problem, ExploreSettings] | None:
    """A subsample of the same problem, with its settings, or None where one that is drawn in time says nothing."""
    n = coarse_size(problem, settings)
    if n < COARSE_LEAST:
        return None
    small = problem.smaller(n)
    return small, replace(settings, n=n, repeats=1, k=_coarse_k(problem, settings, small), approximate=False)


def coarse_size(problem: Problem, settings: ExploreSettings) -> int:
    """Samples per set that are drawn and measured before anybody notices."""
    return live_size(*problem.sizes, limit=COARSE_SECONDS, **_results.work(problem, settings))


def _coarse_k(problem: Problem, settings: ExploreSettings, small: Problem) -> int:
    """The same k: what a curve looks like depends on k more than on n, unless the balls hold a large share of it."""
    k = root_k(problem) if settings.k == "sqrt" else settings.k
    fit = min(fit_size(n, settings.split) for n in small.sizes[:2])
    return max(min(k, fit // 4, largest_k(settings, small)), 1)


def told(job: Job[Any], note: str, **rest: bool) -> dict[str, Any]:
    """What the browser is told of a job at work."""
    left = job.seconds_left
    return {"share": round(job.share, 3), "left": round(left, 1), "note": note, "pause": _pause(left), **rest}


def _promise(expected: float, note: str, *, quiet: bool) -> dict[str, Any]:
    """What the browser is told of work that begins when it asks again."""
    return {"share": None, "left": round(expected, 1), "note": note, "pause": PAUSES[quiet], "quiet": quiet}


def _pause(left: float) -> float:
    return round(min(max(left / 2, PAUSES[0]), PAUSES[1]), 3)


# ---- what is computed after the final drawing ----


@dataclass(frozen=True, eq=False)
class Wish:
    """Work for a job: what it gives is put into `store`."""

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
    """What is still to be done: for the open tab, then the profile."""
    stopped, last = cache.desk().stopped, _profile_wish(problem, settings)
    profiled = last.seconds <= PROFILE_SECONDS and not settings.approximate
    wishes = [*([aside] if aside else []), *([last] if profiled else [])]
    return [wish for wish in wishes if wish.key not in wish.store and wish.key not in stopped]


def _promised(problem: Problem, settings: ExploreSettings, aside: Wish | None) -> dict[str, Any] | None:
    """Of an answer that brings a new drawing; a hand that moves on must not pay for what comes after it."""
    for wish in _open(problem, settings, aside):
        return _promise(wish.seconds, wish.note, quiet=True)
    return None


def _background(problem: Problem, settings: ExploreSettings, aside: Wish | None) -> dict[str, Any] | None:
    """Of an answer with a drawing that was there before: one wish after another is fulfilled."""
    for wish in _open(problem, settings, aside):
        job = cache.desk().ask(wish.key, wish.compute, wish.seconds)
        job.wait(WAIT_SECONDS)
        if not job.done:
            return told(job, wish.note, quiet=True)
        taken(job, wish.store)
    return None


def ready(key: tuple[Any, ...], seconds: float, compute: Callable[[Progress], Any]) -> bool:
    """Whether an open tab may ask `_cache.remembered` for this now: the result is there, or comes within a moment.

    Else a job computes it, or the user has stopped that, and is told so here. The main figure asks for it again and
    again, so it must know of it before it is drawn: the page runs once more.
    """
    if key in cache.results() or (seconds <= INLINE_SECONDS and key not in cache.desk().stopped):
        return True
    if key in cache.desk().stopped:
        say_stopped(key, "this was not measured.", where="aside")
        return False
    if "_aside" in st.session_state:  # one of the tab's own comes before it
        st.caption("It comes as soon as the rest of this tab is measured.")
        return False
    st.session_state["_aside"] = Wish(key, seconds, compute, cache.results(), "Measuring for the open tab")
    if st.session_state.get("_aside_known") != key:
        st.rerun(scope="app")
    st.caption("It comes as soon as it is measured.")
    return False


# ---- on a page without a main figure, which asks again by itself ----


def aside() -> Job[Any] | None:
    """The job for what the open tab waits for, begun if it was not; None: there is nothing to wait for."""
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
    """Whether the open tab waits for something, as far as this run of the page knows."""
    wish: Wish | None = st.session_state.get("_aside")
    return wish is not None and wish.key not in wish.store and wish.key not in cache.desk().stopped


def stop(key: Hashable) -> None:
    """Compute this no further, until the user wants it after all."""
    cache.desk().stop(key)


def _wish() -> Wish | None:
    """What the tab that was open in the last run waits for; it wishes again if it still is."""
    wish: Wish | None = st.session_state.pop("_aside", None)
    st.session_state["_aside_known"] = None if wish is None else wish.key
    return wish


def say_stopped(key: tuple[Any, ...], effect: str, where: str = "") -> None:
    """Why this is not at work, and a button that begins it again; nothing where it is not stopped."""
    desk = cache.desk()
    reason = desk.stopped.get(key)
    if reason is None:
        return
    st.info(f"{plain(reason)}: {effect}", icon=":material/pause:")
    st.button("Compute it after all", on_click=desk.resume, args=(key,), key=f"after-all-{key[0]}{where}")
