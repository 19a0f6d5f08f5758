"""Measurements computed in a job and kept for all sessions, since they hold no user's data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

from pages._learn.lesson import learn_session
from pages._shared import answers
from pages._shared.cache import session
from pages._work.jobs import JobRequest
from pages._work.store import LeastRecentlyUsed

T = TypeVar("T")
# Seconds between polls of the browser; each answer sends the figure again.
PAUSE = 0.5


@st.cache_resource
def shared() -> LeastRecentlyUsed:
    """The results of all sessions."""
    return LeastRecentlyUsed(48)


def at_once(key: tuple[Any, ...], compute: Callable[[], T]) -> T:
    """The result of `compute`, computed at once and kept for all sessions."""
    return shared().remembered(key, compute)


def further(requests: list[JobRequest[Any]], figure: str) -> dict[str, Any] | None:
    """Let a job do the first unfinished of these; returns the status that the figure sends to the browser.

    None: there is nothing to wait for. A job begins at the browser's first poll, so that it does not delay the first
    drawing. The figure's Stop button ends the current job.
    """
    drawn, keys = learn_session().drawn, [request.key for request in requests]
    first, drawn[figure] = drawn.get(figure) != keys, keys
    stop = answers.stop_clicked(figure)
    for request in filter(answers.is_open, requests):
        if stop:
            session().jobs.stop(request.key)
            stop = False
        elif first:
            return {"share": None, "left": request.seconds, "note": request.note, "pause": PAUSE, "quiet": True}
        elif (job := answers.awaited_job(request, answers.WAIT_SECONDS)) is not None:
            return {**answers.progress_of(job, request.note, quiet=True), "pause": PAUSE}
    return None
