"""Jobs: progress, estimates, errors, and that what nobody wants any more really stops."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from pages._work import jobs
from pages._work.jobs import CancelledError, Job, JobQueue
from prviz.live.need import Need
from prviz.measure.estimates import Progress
from tests.waiting import until

LONG = 20.0  # seconds that no test should wait


def blocks(seen: list[float], *, end: threading.Event | None = None) -> Callable[[Progress], str]:
    """Work in many small blocks, each noted; it goes on until the event, or for ever."""

    pause = threading.Event()

    def compute(progress: Progress) -> str:
        while end is None or not end.is_set():
            progress(0.5)
            seen.append(time.monotonic())
            pause.wait(0.001)
        return "done"

    return compute


def asked(desk: JobQueue, key: str, compute: Callable[[Progress], Any]) -> Job[Any]:
    return desk.ask(Need((key,), compute, 1.0))


def test_a_job_gives_its_result() -> None:
    job = asked(JobQueue(), "key", lambda progress: progress(0.25) or 42)
    assert job.wait(LONG)
    assert (job.complete, job.result(), job.share) == (True, 42, 1)


def test_an_error_is_raised_where_the_result_is_asked_for() -> None:
    desk = JobQueue()

    def compute(progress: Progress) -> None:
        raise ValueError("no such data")

    job = asked(desk, "key", compute)
    assert job.wait(LONG)
    with pytest.raises(ValueError, match="no such data"):
        job.result()
    assert asked(desk, "key", compute) is job
    desk.resume(("key",))
    assert asked(desk, "key", compute) is not job


def test_a_cancelled_job_stops_at_its_next_block_and_has_no_result() -> None:
    seen: list[float] = []
    job = asked(JobQueue(), "key", blocks(seen))
    until(lambda: seen)
    job.stop()
    assert job.wait(LONG)
    count = len(seen)
    assert job.wait(LONG)
    assert len(seen) <= count + 1  # one block may have been under way
    with pytest.raises(CancelledError):
        job.result()


def test_a_job_that_nobody_asks_about_stops_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Job, "idle_seconds", 0.2)
    desk, seen = JobQueue(), []
    job = asked(desk, "key", blocks(seen))
    began = time.monotonic()
    while time.monotonic() - began < 0.5:
        assert not job.wait(0.05)  # asked about: it goes on
    until(lambda: job.cancelled)
    again = asked(desk, "key", lambda progress: "new")
    assert again is not job
    assert again.wait(LONG)
    assert again.result() == "new"


def test_a_newer_key_starts_when_the_older_has_stopped_and_what_waited_between_never_does() -> None:
    desk, first, second = JobQueue(), [], []
    hold, ended = threading.Event(), []

    def held(progress: Progress) -> None:
        try:
            while True:
                first.append(progress(0.1))
                hold.wait(LONG)
        finally:
            ended.append(len(second))

    one = asked(desk, "one", held)
    until(lambda: first)
    two = asked(desk, "two", blocks(second))
    three = asked(desk, "three", lambda progress: len(ended))
    assert one.cancelled
    assert two.cancelled
    assert not three.wait(0.05)
    assert sum(thread.name == "prviz-job" for thread in threading.enumerate()) == 1
    hold.set()
    assert three.wait(LONG)
    assert three.result() == 1
    assert ended == [0]
    assert second == []


def test_the_same_key_is_the_same_job() -> None:
    desk, go = JobQueue(), threading.Event()
    job = asked(desk, "key", blocks([], end=go))
    assert asked(desk, "key", blocks([])) is job
    go.set()
    assert job.wait(LONG)
    assert asked(desk, "key", blocks([])) is job


def test_stopped_is_remembered_until_it_is_resumed() -> None:
    desk = JobQueue()
    job = asked(desk, "key", blocks([]))
    desk.stop(("other",))
    assert not job.cancelled
    desk.stop(("key",))
    assert job.wait(LONG)
    assert desk.stopped == {("key",): jobs.STOPPED, ("other",): jobs.STOPPED}
    desk.resume(("key",))
    assert desk.stopped == {("other",): jobs.STOPPED}


def test_only_what_is_wanted_is_kept() -> None:
    desk = JobQueue()
    job = asked(desk, "key", blocks([]))
    desk.keep({("key",), ("other",)})
    assert not job.cancelled
    desk.keep({("other",)})
    assert job.cancelled
    assert job.wait(LONG)


def test_what_is_left_follows_the_estimate_and_then_the_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(jobs.time, "monotonic", lambda: now[0])
    left: list[float] = []
    job: Job[None]

    def compute(progress: Progress) -> None:
        for seconds, share in ((0, 0.0), (2, 0.01), (10, 0.25), (20, 0.5), (40, 1.0)):
            now[0] = 100.0 + seconds
            job.touch()
            progress(share)
            left.append(job.seconds_left)

    job = Job(Need(("key",), compute, 12.0))
    assert job.seconds_left == 12
    job.run()
    assert left == [12, 10, 30, 20, 0]


def test_a_share_never_goes_back() -> None:
    shares: list[float] = []

    def compute(progress: Progress) -> None:
        for share in (0.5, 0.2, 7.0):
            progress(share)
            shares.append(job.share)

    job = Job(Need(("key",), compute, 1.0))
    job.run()
    assert shares == [0.5, 0.5, 1]
