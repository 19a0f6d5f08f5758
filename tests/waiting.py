"""Waiting for what a thread or a process brings about."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic  # the function itself: a test may hold the clock of the module

__all__ = ["until"]

# Seconds between two looks, and after which what should come has failed, on any machine.
PAUSE = 0.005
LONG = 60.0
_NEVER = threading.Event()


def until(holds: Callable[[], object], seconds: float = LONG) -> None:
    """Return as soon as this is so; fail where it has not come in time."""
    deadline = monotonic() + seconds
    while not holds():
        assert monotonic() < deadline, "it never came"
        _NEVER.wait(PAUSE)
