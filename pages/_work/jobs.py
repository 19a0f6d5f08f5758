"""Jobs in a thread of their own, so that the page can answer meanwhile: progress, time left, and a way to stop.

Nothing here knows Streamlit, and no work may touch `st`: its thread belongs to no session.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")

Progress = Callable[[float], None]


class JobRequest(NamedTuple):
    """A job to run: equal keys, equal results; `seconds` is its estimated time, `note` its text on the page."""

    key: tuple[Any, ...]
    compute: Callable[[Progress], Any]
    seconds: float
    note: str


# Seconds since the last poll after which a job stops: its tab is closed, or shows something else.
IDLE_SECONDS = 10.0
# Share done from which the pace gives the time left; below it the estimate made before the start counts.
FIRST_SHARE = 0.05
STOPPED = "Stopped"


@dataclass(frozen=True)
class Status:
    """State of an answer: final, coarse or stale, and the job that is still running.

    more: None if nothing is running; else of the running job the "share" done (0 to 1, or None), seconds "left", a
    "note" as text, the "pause" in seconds before the next poll, and "quiet": True where the drawing is final.
    coarse: samples per set of a first, coarse drawing; 0 if the drawing is of all samples.
    stale: True if the drawing is of other settings than those requested.
    """

    more: dict[str, Any] | None = None
    coarse: int = 0
    stale: bool = False

    @property
    def final(self) -> bool:
        """True if the drawing is of the requested settings and all samples."""
        return not (self.coarse or self.stale)

    def payload(self) -> dict[str, Any]:
        return {"more": self.more, "coarse": self.coarse, "stale": self.stale}


class CancelledError(Exception):
    """Raised inside the work at its next progress report."""


class Job(Generic[T]):
    """One piece of work, `compute(progress)`: it ends at its next progress report after `cancel`.

    key : equal keys, equal results.
    seconds : how long it should take, estimated before the start.
    """

    def __init__(self, key: Hashable, compute: Callable[[Progress], T], seconds: float) -> None:
        self.key, self.seconds, self.share = key, seconds, 0.0
        self._compute: Callable[[Progress], T] | None = compute
        self._found: list[T] = []
        self._error: BaseException | None = None
        self._ended = threading.Event()
        self._began: float | None = None
        self._asked = time.monotonic()
        self.cancelled = False

    def run(self) -> None:
        """Do the work in this thread; an error is kept and raised by `result`."""
        self._began = time.monotonic()
        try:
            self._report(0.0)
            if self._compute is not None:
                self._found.append(self._compute(self._report))
        except CancelledError:
            self.cancelled = True
        except BaseException as error:  # noqa: BLE001 - raised again by `result`
            self._error = error
        finally:
            self._compute = None  # and all that it holds
            self._ended.set()

    def _report(self, share: float) -> None:
        if self.cancelled or time.monotonic() - self._asked > IDLE_SECONDS:
            raise CancelledError
        self.share = min(max(share, self.share), 1.0)

    def touch(self) -> None:
        """Note that a viewer still waits for the result."""
        self._asked = time.monotonic()

    def cancel(self) -> None:
        self.cancelled = True

    @property
    def done(self) -> bool:
        return self._ended.is_set()

    def wait(self, seconds: float) -> bool:
        """True if the job is done within this number of seconds."""
        self.touch()
        return self._ended.wait(seconds)

    def result(self) -> T:
        """The value that `compute` returned, or the error it raised, raised here. Only for a job that is done."""
        if self._error is not None:
            raise self._error
        if not self._found:
            raise CancelledError
        return self._found[0]

    @property
    def seconds_left(self) -> float:
        """Estimated seconds left: by the pace so far, or by the first estimate while there is no pace."""
        gone = 0.0 if self._began is None else time.monotonic() - self._began
        if self.share < FIRST_SHARE:
            return max(self.seconds - gone, gone)  # late already: as long again as it has taken
        return gone * (1 / self.share - 1)


class JobQueue:
    """The jobs of one session: one running, at most one waiting for it to stop, one thread for both."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._newest: Job[Any] | None = None
        self._next: Job[Any] | None = None
        self._working = False
        # Reason by key why its job does not run: the user has stopped it, or it has failed.
        self.stopped: dict[Hashable, str] = {}

    def ask(self, key: Hashable, compute: Callable[[Progress], T], seconds: float) -> Job[T]:
        """The job of this key, started if it is not running yet; a job of another key is stopped."""
        with self._lock:
            job = self._newest
            if job is None or job.key != key or job.cancelled:
                if job is not None:
                    job.cancel()
                job = self._newest = self._next = Job(key, compute, seconds)
                if not self._working:
                    self._working = True
                    threading.Thread(target=self._work, name="prviz-job", daemon=True).start()
        job.touch()
        return job

    def at_work(self, key: Hashable) -> Job[Any] | None:
        """The job of this key; None if it is done, cancelled or was never requested."""
        job = self._newest
        return job if job is not None and job.key == key and not (job.done or job.cancelled) else None

    def keep(self, keys: set[Hashable]) -> None:
        """Stop and forget the newest job unless its key is one of these."""
        job = self._newest
        if job is not None and job.key not in keys:
            job.cancel()
            self._newest = None

    def stop(self, key: Hashable) -> None:
        """Stop the job of this key and let none begin: the key is in `stopped` until `resume`."""
        job = self._newest
        if job is not None and job.key == key:
            job.cancel()
        self.stopped[key] = STOPPED

    def resume(self, key: Hashable) -> None:
        self.stopped.pop(key, None)
        self.keep(set())

    def _work(self) -> None:
        while True:
            with self._lock:
                job, self._next = self._next, None
                if job is None:
                    self._working = False
                    return
            job.run()
            del job  # its memory belongs to those that hold the job
