"""One thing after another that takes longer than a glance: made by the session's desk, with progress and Stop."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages._shared import answers, cache
from pages._work.jobs import JobRequest
from prviz.measure.workload import duration

# How often the browser asks; and how long the page waits for what is nearly there.
PAUSE, WAIT_SECONDS = 0.5, 0.3


def made(wanted: JobRequest, effect: str) -> Any:
    """The result; None while it is made, and where it can't be or was stopped: then `effect` says what is missing."""
    store, desk = cache.results(), cache.desk()
    if wanted.key in store:
        return store.get(wanted.key)
    if wanted.key not in desk.stopped:
        job = desk.ask(wanted.key, wanted.compute, wanted.seconds)
        job.wait(WAIT_SECONDS)
        found = answers.taken(job, store)
        if found is not None:
            return found
    if wanted.key not in desk.stopped:
        _waiting(wanted)
    answers.say_stopped(wanted.key, effect)
    return None


@st.fragment(run_every=PAUSE)
def _waiting(wanted: JobRequest) -> None:
    """How far it is; the page is drawn once more when it is there."""
    desk = cache.desk()
    job = desk.ask(wanted.key, wanted.compute, wanted.seconds)
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Stop", key=f"stop.{wanted.key[0]}", icon=":material/stop:"):
            desk.stop(wanted.key)
        st.progress(job.share, f"{wanted.note}, {duration(job.seconds_left)} left")
    if job.done or wanted.key in desk.stopped:
        st.rerun()
