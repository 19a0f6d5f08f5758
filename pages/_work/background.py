"""Work in a thread of its own, which can be stopped and continued.

Nothing here uses Streamlit, and work must not call `st`: its thread belongs to no session.
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

# Once this share of the work is done, the remaining time is extrapolated from the time so far;
# before that, it follows from the initial estimate.
FIRST_SHARE = 0.05
# A viewer counts as gone this many seconds after the last poll. A page that shows the work polls
# every second.
LOOKING_SECONDS = 10.0
# The queue in which all visitors' work waits for its turn.
_queue = WorkQueue(available_threads())


class CancelledError(Exception):
    """Ends stopped work: raised inside it, at its next progress report."""


class Background(ABC):
    """Work that consists of `total` pieces. The results of finished pieces are kept, so that no
    piece is done twice.

    seconds : estimated time of all pieces. error : the error that has ended the work, if any.
    idle_seconds : the work stops if no viewer has polled for this time, since then no browser tab
    shows it any more.
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
        self.place = 0  # place in the queue, counted from 1; 0 while the work runs or is not queued
        self._part = 0.0  # share done of the current piece
        self._began = time.monotonic()
        # share of the work that was done before the last start; `_began` is the time of that start
        self._before = 0.0
        self._pace: float | None = (
            # estimated seconds for all pieces, extrapolated from the pieces done since the last
            # start
            None
        )
        self._polled: dict[Hashable, float] = {}  # time of the last poll, by viewer

    @property
    @abstractmethod
    def done(self) -> int:
        """Number of finished pieces."""

    @abstractmethod
    def _measure(self) -> None:
        """Do the missing pieces. Called in the work's thread; must call `_report` between and
        inside pieces.
        """

    @property
    def share(self) -> float:
        """Share of the work that is done, from 0 to 1, including the finished part of the current
        piece.
        """
        return min((self.done + self._part) / max(self.total, 1), 1.0)

    @property
    def working(self) -> bool:
        """True while the thread runs or is about to start. After `stop` it still finishes its
        current piece.
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
        """Estimated seconds until the work is done: extrapolated from the time since the last start
        or, at first, from the initial estimate.
        """
        if self._pace is not None or not self.working:
            return (self._pace or self.seconds) * (1 - self.share)
        gone = time.monotonic() - self._began
        # once the initial estimate has passed, assume that it takes the time so far once more
        return max(self.seconds * (1 - self._before) - gone, gone)

    def touch(self, who: Hashable = None) -> None:
        """Note that this viewer polls now, and so still waits for the work."""
        self._polled[who] = time.monotonic()

    def start(self, who: Hashable = None) -> None:
        """Do the missing pieces in a new thread. If a thread is still running, that one goes on."""
        self.touch(who)
        with self._lock:
            idle = self._ended.is_set()
            self._wanted, self.error, self._began = True, None, time.monotonic()
            self._ended.clear()
        if idle:
            threading.Thread(target=self._run, name="prviz-run", daemon=True).start()

    def _run(self) -> None:
        """What the thread does: work until all pieces are done, the work is stopped, or an error
        ends it.
        """
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
        """Called while the work waits in the queue, with its place there. Raises CancelledError if
        no viewer waits for it any more.
        """
        self.place = place
        self._began = time.monotonic()
        self._report(0.0)

    def stop(self) -> None:
        """Stop before the next piece. The results of finished pieces are kept; `start` continues
        with the others.
        """
        self._wanted = False

    def leave(self, who: Hashable) -> None:
        """Forget this viewer, who no longer waits. The work stops unless another viewer has polled
        recently.
        """
        self._polled.pop(who, None)
        if (
            time.monotonic() - max(self._polled.values(), default=-LOOKING_SECONDS)
            >= LOOKING_SECONDS
        ):
            self.stop()

    def wait(self, seconds: float) -> bool:
        """Wait for the end of the thread, at most this number of seconds; True if it has ended."""
        self.touch()
        return self._ended.wait(seconds)

    def _report(self, share: float) -> None:
        """Note the share of the current piece that is done. On a shared server, also wait while the
        server draws pages.

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
