"""Results computed by the session's job queue, with progress and Stop."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages._shared import answers, cache
from pages._work.jobs import JobRequest
from prviz.measure.workload import duration

# Seconds between polls of the browser, and seconds that the page waits for a job that is nearly done.
PAUSE, WAIT_SECONDS = 0.5, 0.3


def made(wanted: JobRequest, effect: str) -> Any:
    """The result; None while a job computes it, or after a failure or Stop: then `effect` says what is missing."""
    store, queue = cache.results(), cache.desk()
    if wanted.key in store:
        return store.get(wanted.key)
    if wanted.key not in queue.stopped:
        job = queue.ask(wanted.key, wanted.compute, wanted.seconds)
        job.wait(WAIT_SECONDS)
        found = answers.taken(job, store)
        if found is not None:
            return found
    if wanted.key not in queue.stopped:
        _waiting(wanted)
    answers.say_stopped(wanted.key, effect)
    return None


@st.fragment(run_every=PAUSE)
def _waiting(wanted: JobRequest) -> None:
    """Draw the progress; the page is drawn again when the job ends."""
    queue = cache.desk()
    job = queue.ask(wanted.key, wanted.compute, wanted.seconds)
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Stop", key=f"stop.{wanted.key[0]}", icon=":material/stop:"):
            queue.stop(wanted.key)
        st.progress(job.share, f"{wanted.note}, {duration(job.seconds_left)} left")
    if job.done or wanted.key in queue.stopped:
        st.rerun()
