"""Work of all visitors: what a browser waits for to draw comes first, the rest in order of
arrival.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Seconds after which work that waits looks whether it is still wanted.
LOOK_SECONDS = 0.2
# Most seconds for which work gives way at one progress report, so that it ends however many come.
GIVE_WAY_SECONDS = 0.5


class WorkQueue:
    """At most `at_once` pieces of work at a time."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._tickets = list[object]()  # in the order in which they came; the first ones work
        self._changed = threading.Condition()

    @contextmanager
    def turn(self, waiting: Callable[[int], None]) -> Iterator[None]:
        """Run the block when it is its turn.

        waiting : called until then with the place in the queue, from 1; may raise to give up.
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
    """What browsers wait for to draw: the runs of pages and the curves on screen."""

    def __init__(self) -> None:
        self._count = 0
        self._changed = threading.Condition()

    @contextmanager
    def drawing(self) -> Iterator[None]:
        """Let all other work give way while the block runs."""
        self._add(1)
        try:
            yield
        finally:
            self._add(-1)

    def give_way(self, until: Callable[[], bool] = lambda: False) -> None:
        """Wait while a browser waits, GIVE_WAY_SECONDS at most.

        until : looked at after each `look_again`; True if this work is to go on at once.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._count == 0 or until(), GIVE_WAY_SECONDS)

    def look_again(self) -> None:
        """Let all that give way look whether they are to go on."""
        with self._changed:
            self._changed.notify_all()

    def _add(self, more: int) -> None:
        with self._changed:
            self._count += more
            self._changed.notify_all()


foreground = Foreground()
