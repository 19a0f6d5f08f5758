"""Measurements computed in a job and kept for all sessions, since they hold no user's data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

from pages._live.figure import moved
from pages._shared import answers, cache
from pages._work.jobs import JobRequest

T = TypeVar("T")
# Seconds between polls of the browser; each answer sends the figure again.
PAUSE = 0.5


@st.cache_resource
def _shared() -> cache.LeastRecentlyUsed:
    return cache.LeastRecentlyUsed(48)


def at_once(key: tuple[Any, ...], compute: Callable[[], T]) -> T:
    """The result of `compute`, computed at once and kept for all sessions."""
    return _shared().remembered(key, compute)


def known(work: JobRequest) -> Any:
    """The job's result; None if there is none yet."""
    return _shared().get(work.key)


def further(works: list[JobRequest], figure: str) -> dict[str, Any] | None:
    """Let a job do the first unfinished of these; returns the status that the figure sends to the browser.

    None: there is nothing to wait for. A job begins at the browser's first poll, so that it does not delay the first
    drawing. The figure's Stop button ends the current job.
    """
    desk, keys = cache.desk(), [work.key for work in works]
    stop, drawn = _stopped_now(figure), st.session_state.get(f"{figure}-drawn") == keys
    st.session_state[f"{figure}-drawn"] = keys
    for work in works:
        if work.key in _shared() or work.key in desk.stopped:
            continue
        if stop:
            desk.stop(work.key)
            stop = False
            continue
        if not drawn:
            return {"share": None, "left": work.seconds, "note": work.note, "pause": PAUSE, "quiet": True}
        job = desk.ask(work.key, work.compute, work.seconds)
        job.wait(0.03)
        if not job.done or job.cancelled:
            return {**answers.told(job, work.note, quiet=True), "pause": PAUSE}
        _shared().put(work.key, job.result())
    return None


def _stopped_now(figure: str) -> bool:
    """True once for each click on Stop."""
    hand, seen = moved(figure), f"{figure}-stop-turn"
    news = bool(hand.get("stop")) and hand.get("turn") != st.session_state.get(seen)
    if news:
        st.session_state[seen] = hand.get("turn")
    return news
