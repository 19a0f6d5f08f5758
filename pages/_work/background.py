"""Work in pieces, in a thread of its own, which can be stopped and continued.

Nothing here knows Streamlit: the threads belong to no session.
"""

from __future__ import annotations

import logging
import threading
import time
from abc import ABC, abstractmethod

from pages._work.jobs import CancelledError

# Seconds since the last poll after which the work stops: every tab with it is closed or shows something else.
IDLE_SECONDS = 600.0


class Background(ABC):
    """Work in a fixed number of pieces; finished pieces stay, and none is done twice.

    error : the error that has ended the work, if any.
    """

    def __init__(self) -> None:
        self.error: Exception | None = None
        self._lock = threading.Lock()
        self._working = self._wanted = False
        self._began, self._before = 0.0, 0  # time of the last start, and pieces done by then

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
        """Time of the last poll by any viewer, by `time.monotonic`."""

    @abstractmethod
    def _measure(self) -> None:
        """In the thread: do the missing pieces, calling `_go_on` between them."""

    @property
    def complete(self) -> bool:
        """True if every piece is done and the thread has ended."""
        return self.done == self.total and not self._working

    @property
    def working(self) -> bool:
        """True if the thread is running; after `stop` it finishes the piece it has begun."""
        return self._working

    @property
    def stopping(self) -> bool:
        """True if the thread is running its last piece after `stop`."""
        return self._working and not self._wanted

    def _start(self) -> None:
        """Continue with the missing pieces; does nothing while the thread is running."""
        with self._lock:
            self._wanted, self.error = True, None
            if self._working:
                return
            self._working, self._began, self._before = True, time.monotonic(), self.done
        threading.Thread(target=self._work, name="prviz-run", daemon=True).start()

    def stop(self) -> None:
        """Begin no further piece. Finished pieces stay, and a new start continues."""
        self._wanted = False

    def _go_on(self) -> None:
        """Raise CancelledError if the work was stopped or nobody polls it any more."""
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
        """Work until all pieces are done, the work is stopped, or an error ends it."""
        try:
            self._measure()
        except CancelledError:
            pass
        except (ValueError, TypeError, MemoryError, OSError) as error:
            self.error = error
        except Exception as error:
            logging.getLogger(__name__).exception("a piece of work failed")
            self.error = error
