"""First come, first served: what waits knows its place in the queue."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Seconds after which work that waits looks whether it is still wanted.
LOOK_SECONDS = 0.2


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
