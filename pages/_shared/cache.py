"""The bounded stores of one browser session (results, samples, profiles, thumbnails, runs) and its job queue."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import streamlit as st

from pages._work.jobs import JobQueue
from pages._work.task_runs import Runs
from prviz.samples import SamplePair, Samples

T = TypeVar("T")
_MISSING = object()

# Limits of each store, in entries, bytes or rows. Every session has its own stores, so that none sees another's data.
# Samples and profiles have stores of their own: a large one must not push out everything else.
CAPACITY = 48
RESULTS_BYTES = 200_000_000
SAMPLES_CAPACITY = 24
SAMPLES_BYTES = 400_000_000
PROFILES_CAPACITY = 4
PROFILES_BYTES = 200_000_000
THUMBNAILS_CAPACITY = 2000
THUMBNAILS_BYTES = 32_000_000
RUNS_CAPACITY = 16
RUNS_ROWS = 50_000


def nbytes(value: Any) -> int:
    """Bytes of samples and their labels, or the value's own `nbytes`; 0 where it has none."""
    if isinstance(value, SamplePair):
        return sum(map(nbytes, value))
    if isinstance(value, Samples):
        return value.values.nbytes + sum(column.nbytes for column in value.labels.values())
    return getattr(value, "nbytes", 0)


class LeastRecentlyUsed:
    """Values by key, for any thread; a key must hold the digest of everything that decides its value.

    The least recently used values are dropped above `entries` values or `most` bytes; the newest two stay.
    """

    def __init__(self, entries: int, most: float = math.inf) -> None:
        self._entries, self._most = entries, most
        self._lock = threading.Lock()
        self._held: OrderedDict[Hashable, Any] = OrderedDict()

    def __len__(self) -> int:
        return len(self._held)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._held

    def get(self, key: Hashable, missing: Any = None) -> Any:
        """The value, now the most recently used, or `missing`."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
            return self._held.get(key, missing)

    def put(self, key: Hashable, value: T) -> T:
        with self._lock:
            self._held[key] = value
            self._held.move_to_end(key)
            while len(self._held) > self._entries or (len(self._held) > 2 and self._bytes() > self._most):
                self._held.popitem(last=False)
        return value

    def remembered(self, key: Hashable, compute: Callable[[], T]) -> T:
        """The value of this key, computed if it is missing."""
        found: T | object = self.get(key, _MISSING)
        return self.put(key, compute()) if found is _MISSING else found  # type: ignore[return-value]

    def clear(self) -> None:
        with self._lock:
            self._held.clear()

    def _bytes(self) -> int:
        return sum(map(nbytes, self._held.values()))


def _session(name: str, make: Callable[[], T]) -> T:
    if name not in st.session_state:
        st.session_state[name] = make()
    held: T = st.session_state[name]
    return held


def results() -> LeastRecentlyUsed:
    return _session("_results", lambda: LeastRecentlyUsed(CAPACITY, RESULTS_BYTES))


def samples() -> LeastRecentlyUsed:
    """Samples read or drawn."""
    return _session("_samples", lambda: LeastRecentlyUsed(SAMPLES_CAPACITY, SAMPLES_BYTES))


def profiles() -> LeastRecentlyUsed:
    return _session("_profiles", lambda: LeastRecentlyUsed(PROFILES_CAPACITY, PROFILES_BYTES))


def thumbnails() -> LeastRecentlyUsed:
    """Small pictures of uploaded samples."""
    return _session("_thumbnails", lambda: LeastRecentlyUsed(THUMBNAILS_CAPACITY, THUMBNAILS_BYTES))


def desk() -> JobQueue:
    return _session("_desk", JobQueue)


def runs() -> Runs:
    """Measurements on this session's own data."""
    return _session("_runs", lambda: Runs(RUNS_CAPACITY, RUNS_ROWS))


def clear() -> None:
    """Forget everything read or computed in this session, and stop its running jobs."""
    desk().keep(set())
    runs().clear()
    for store in (results(), samples(), profiles(), thumbnails()):
        store.clear()


def remembered(key: Hashable, compute: Callable[[], T]) -> T:
    """The result of `compute` for this key; see `LeastRecentlyUsed`."""
    return results().remembered(key, compute)


def held_samples(key: Hashable, make: Callable[[], T]) -> T:
    """Samples read or drawn before, or made now; the newest two stay whatever their size."""
    return samples().remembered(key, make)
