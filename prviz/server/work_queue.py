"""Scheduling of all visitors' work: what a browser waits for in order to draw comes first, all
other work in order of arrival.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Waiting work checks, at intervals of this many seconds, whether its result is still needed.
LOOK_SECONDS = 0.2
# Most seconds for which work pauses at one progress report in favour of drawing, so that it ends
# even on a busy server.
GIVE_WAY_SECONDS = 0.5


class WorkQueue:
    """A queue in which at most `at_once` pieces of work run at a time."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._tickets = list[object]()  # By arrival; the first `at_once` are running.
        self._changed = threading.Condition()

    @contextmanager
    def turn(self, waiting: Callable[[int], None]) -> Iterator[None]:
        """Context that waits for its turn and then runs the block.

        waiting : called while the block waits, with its place in the queue, counted from 1; may
        raise to give up.
        """
        ticket = object()
        with self._changed:
            self._tickets.append(ticket)
        try:
            while (place := self._place(ticket)) > 0:
                waiting(place)
                with self._changed:
                    if self._place(ticket) > 0:
                        self._changed.wait(LOOK_SECONDS)
            yield
        finally:
            with self._changed:
                self._tickets.remove(ticket)
                self._changed.notify_all()

    def _place(self, ticket: object) -> int:
        return self._tickets.index(ticket) + 1 - self._at_once


class Foreground:
    """Keeps count of the work that browsers wait for in order to draw (runs of pages, and curves on
    screen), to which other work gives way.
    """

    def __init__(self) -> None:
        self._count = 0
        self._changed = threading.Condition()

    @contextmanager
    def drawing(self) -> Iterator[None]:
        """Context: all other work gives way while the block runs."""
        self._add(1)
        try:
            yield
        finally:
            self._add(-1)

    def give_way(self, until: Callable[[], bool] = lambda: False) -> None:
        """Called by other work: wait while a browser waits for drawing, at most GIVE_WAY_SECONDS.

        until : checked at each call of `look_again`; True ends the wait.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._count == 0 or until(), GIVE_WAY_SECONDS)

    def look_again(self) -> None:
        """Let work that waits in `give_way` check its `until` again."""
        with self._changed:
            self._changed.notify_all()

    def _add(self, more: int) -> None:
        with self._changed:
            self._count += more
            self._changed.notify_all()


foreground = Foreground()
