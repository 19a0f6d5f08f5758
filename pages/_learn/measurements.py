"""Measurements that take longer than a glance: made in a job, kept for every visitor, for they hold nobody's data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

from pages._live.figure import moved
from pages._shared import answers, cache
from pages._work.jobs import JobRequest

T = TypeVar("T")
# How often the browser asks again; each answer sends the figure once more.
PAUSE = 0.5


@st.cache_resource
def _shared() -> cache.LeastRecentlyUsed:
    return cache.LeastRecentlyUsed(48)


def at_once(key: tuple[Any, ...], compute: Callable[[], T]) -> T:
    """What is measured here and now, once for every visitor."""
    return _shared().remembered(key, compute)


def known(work: JobRequest) -> Any:
    """What has been measured, or None."""
    return _shared().get(work.key)


def further(works: list[JobRequest], figure: str) -> dict[str, Any] | None:
    """Let a job do the first of these that is still to be done; what the figure tells the browser of it.

    None: there is nothing to wait for. A job begins when the browser asks again, after the first drawing, which it
    would only delay. The figure's Stop button ends the work at hand.
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
    """Whether Stop was clicked; that counts once, however often its values are read."""
    hand, seen = moved(figure), f"{figure}-stop-turn"
    news = bool(hand.get("stop")) and hand.get("turn") != st.session_state.get(seen)
    if news:
        st.session_state[seen] = hand.get("turn")
    return news
