"""Work in a thread of its own, which can be stopped and continued.

It does not use Streamlit, and no work may call `st`, because its thread belongs to no session.
"""

from __future__ import annotations

import logging
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Hashable

from prviz.neighbors.threads import available_threads, low_priority
from prviz.server.limits import limits
from prviz.server.work_queue import WorkQueue, foreground

# Share of the work from which on the remaining time is extrapolated from the time so far; before,
# the initial estimate is used.
FIRST_SHARE = 0.05
# Seconds since the last poll after which a viewer counts as gone; a page that shows the work polls
# every second.
LOOKING_SECONDS = 10.0
# Queue of all visitors' work.
_queue = WorkQueue(available_threads())


class CancelledError(Exception):
    """Raised inside work at its next progress report after it was stopped."""


class Background(ABC):
    """Work in `total` pieces. Finished pieces are kept, so that none is done twice.

    seconds : estimated time of all pieces. error : the error that has ended the work, if any.
    idle_seconds : the work stops when no viewer has polled for this time: every tab that showed it
    is closed or shows something else.
    """

    idle_seconds = 600.0
    first_share = FIRST_SHARE

    def __init__(self, total: int, seconds: float) -> None:
        self.total = total
        self.seconds = seconds
        self.error: Exception | None = None
        self._lock = threading.Lock()
        self._wanted, self._ended = False, threading.Event()
        self._ended.set()
        self.place = 0  # place in the queue of all visitors' work, from 1; 0 while it runs
        self._part = 0.0  # share done of the current piece
        self._began = time.monotonic()
        self._before = 0.0  # share done before the last start, whose time is `_began`
        self._pace: float | None = (
            None  # estimated seconds for all pieces, from those done since the last start
        )
        self._polled: dict[Hashable, float] = {}  # time of the last poll, by viewer

    @property
    @abstractmethod
    def done(self) -> int:
        """Number of finished pieces."""

    @abstractmethod
    def _measure(self) -> None:
        """Do the missing pieces in the work's thread; call `_report` between and inside pieces."""

    @property
    def share(self) -> float:
        """Share done, from 0 to 1, including the finished part of the current piece."""
        return min((self.done + self._part) / max(self.total, 1), 1.0)

    @property
    def working(self) -> bool:
        """True if the thread runs or is about to start; after `stop` it still finishes its current
        piece.
        """
        return not self._ended.is_set()

    @property
    def complete(self) -> bool:
        """True if every piece is done and the thread has ended."""
        return self.done == self.total and not self.working

    @property
    def stopping(self) -> bool:
        """True if the thread is finishing its last piece after `stop`."""
        return self.working and not self._wanted

    @property
    def seconds_left(self) -> float:
        """Estimated seconds left, extrapolated from the time since the last start, or at first from
        the initial estimate.
        """
        if self._pace is not None or not self.working:
            return (self._pace or self.seconds) * (1 - self.share)
        gone = time.monotonic() - self._began
        # the initial estimate has passed: assume the time so far once more
        return max(self.seconds * (1 - self._before) - gone, gone)

    def touch(self, who: Hashable = None) -> None:
        """Note that this viewer is still waiting for the work."""
        self._polled[who] = time.monotonic()

    def start(self, who: Hashable = None) -> None:
        """Do the missing pieces in a new thread; does nothing more while one is running."""
        self.touch(who)
        with self._lock:
            idle = self._ended.is_set()
            self._wanted, self.error, self._began = True, None, time.monotonic()
            self._ended.clear()
        if idle:
            threading.Thread(target=self._run, name="prviz-run", daemon=True).start()

    def _run(self) -> None:
        """The thread: work until all pieces are done, the work is stopped, or an error ends it."""
        while True:
            self._began = time.monotonic()
            self._before = self.share
            try:
                with _queue.turn(self._wait), low_priority(limits.shared):
                    self.place = 0
                    self._report(0.0)
                    self._measure()
            except CancelledError:
                pass
            except (ValueError, TypeError, MemoryError, OSError) as error:
                self.error = error
            except Exception as error:
                logging.getLogger(__name__).exception("a piece of work failed")
                self.error = error
            self._part = 0.0
            self.place = 0
            with self._lock:
                if not self._wanted or self.error is not None or self.done == self.total:
                    self._wanted = False
                    self._ended.set()
                    return

    def _wait(self, place: int) -> None:
        """Note the place in the queue; raises CancelledError if no viewer waits any more."""
        self.place = place
        self._began = time.monotonic()
        self._report(0.0)

    def stop(self) -> None:
        """Begin no further piece. Finished pieces are kept; `start` continues with the others."""
        self._wanted = False

    def leave(self, who: Hashable) -> None:
        """Remove this viewer; the work stops unless another viewer has polled recently."""
        self._polled.pop(who, None)
        if (
            time.monotonic() - max(self._polled.values(), default=-LOOKING_SECONDS)
            >= LOOKING_SECONDS
        ):
            self.stop()

    def wait(self, seconds: float) -> bool:
        """Wait at most this number of seconds; True if the thread has ended."""
        self.touch()
        return self._ended.wait(seconds)

    def _report(self, share: float) -> None:
        """Note the share done of the current piece. On a shared server this also waits while
        browsers draw.

        Raises CancelledError if the work was stopped or no viewer polls any more.
        """
        if limits.shared:
            foreground.give_way()
        now = time.monotonic()
        if now - max(self._polled.values(), default=self._began) > self.idle_seconds:
            self._wanted = False
        if not self._wanted:
            raise CancelledError
        limits.check(now - self._began)
        self._part = min(max(share, self._part), 1.0)
        since = self.share - self._before
        if since > 0 and since >= self.first_share:
            self._pace = (now - self._began) / since
