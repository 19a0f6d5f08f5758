"""What one browser session remembers: results, samples and profiles, each store bounded; and its desk of jobs."""

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

# Each session has its own stores, so that no session sees another's data, and they forget the oldest entries. Samples
# and profiles have stores of their own: a large one must not push out everything else.
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
    """Bytes of samples and their labels, or of anything that says how many it has."""
    if isinstance(value, SamplePair):
        return sum(map(nbytes, value))
    if isinstance(value, Samples):
        return value.values.nbytes + sum(column.nbytes for column in value.labels.values())
    return getattr(value, "nbytes", 0)


class LeastRecentlyUsed:
    """Values by key, which must hold the digest of everything that decides the value; for any thread.

    The oldest go when there are more than `entries` or they take more than `most` bytes together; the newest two stay.
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
        """The value, or `missing`; asked for now, it is the newest again."""
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
        """The value of this key, computed unless it is there."""
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
    """Forget everything read or computed in this session, and stop what is at work."""
    desk().keep(set())
    runs().clear()
    for store in (results(), samples(), profiles(), thumbnails()):
        store.clear()


def remembered(key: Hashable, compute: Callable[[], T]) -> T:
    """The result of `compute` for this key; see `LeastRecentlyUsed`."""
    return results().remembered(key, compute)


def held_samples(key: Hashable, make: Callable[[], T]) -> T:
    """Samples read or drawn before, or made now; the newest stay whatever their size."""
    return samples().remembered(key, make)
