"""Work in pieces, in a thread of its own: it begins, stops, and goes on with what is missing.

Nothing here knows Streamlit: the threads belong to no session.
"""

from __future__ import annotations

import logging
import threading
import time
from abc import ABC, abstractmethod

from pages._work.jobs import CancelledError

# Nobody has looked for so long: every tab with it is closed, or has shown something else for a good while.
IDLE_SECONDS = 600.0


class Background(ABC):
    """So many pieces of work; what is done stays, and nothing is done twice.

    error : what has ended the work, if anything has.
    """

    def __init__(self) -> None:
        self.error: Exception | None = None
        self._lock = threading.Lock()
        self._working = self._wanted = False
        self._began, self._before = 0.0, 0  # when it was started last, and what was done by then

    @property
    @abstractmethod
    def done(self) -> int:
        """Pieces that are done."""

    @property
    @abstractmethod
    def total(self) -> int:
        """Pieces in all."""

    @property
    @abstractmethod
    def _asked_last(self) -> float:
        """When somebody looked last, by the clock of `time.monotonic`."""

    @abstractmethod
    def _measure(self) -> None:
        """In the thread: do what is missing, with a call of `_go_on` now and then."""

    @property
    def complete(self) -> bool:
        return self.done == self.total and not self._working

    @property
    def working(self) -> bool:
        """Whether the thread is at it; one that was told to stop ends with what is at hand."""
        return self._working

    @property
    def stopping(self) -> bool:
        return self._working and not self._wanted

    def _start(self) -> None:
        """Go on with what is missing; nothing happens while it is at work."""
        with self._lock:
            self._wanted, self.error = True, None
            if self._working:
                return
            self._working, self._began, self._before = True, time.monotonic(), self.done
        threading.Thread(target=self._work, name="prviz-run", daemon=True).start()

    def stop(self) -> None:
        """Begin nothing more. What is done stays, and starting it goes on."""
        self._wanted = False

    def _go_on(self) -> None:
        """Raise CancelledError where nobody wants more."""
        if time.monotonic() - self._asked_last > IDLE_SECONDS:
            self._wanted = False
        if not self._wanted:
            raise CancelledError

    def _work(self) -> None:
        while True:
            self._try()
            with self._lock:
                if not self._wanted or self.error is not None or self.done == self.total:
                    self._working = self._wanted = False
                    return

    def _try(self) -> None:
        """Until all is done, nobody wants more, or something goes wrong."""
        try:
            self._measure()
        except CancelledError:
            pass
        except (ValueError, TypeError, MemoryError, OSError) as error:
            self.error = error
        except Exception as error:
            logging.getLogger(__name__).exception("a piece of work failed")
            self.error = error
