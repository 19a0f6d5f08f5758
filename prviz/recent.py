"""Bounded caches of values by key, safe for threads."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from prviz.samples import SamplePair, Samples

T = TypeVar("T")
_MISSING = object()


def nbytes(value: Any) -> int:
    """Bytes of samples and their labels, or the value's own `nbytes`; 0 if it has none."""
    if isinstance(value, SamplePair):
        return sum(map(nbytes, value))
    if isinstance(value, Samples):
        return value.values.nbytes + sum(column.nbytes for column in value.labels.values())
    return getattr(value, "nbytes", 0)


class LeastRecentlyUsed:
    """A cache of values by key; a key must hold the digest of everything that determines its value.

    The least recently used values are dropped if there are more than `entries`, or more than `most`
    in total, measured by `size`. The `stay` newest ones are kept whatever their size. dropped :
    called with every value that is dropped or cleared. beyond : a cache shared by several caches:
    it receives every value too, and is asked for keys that are missing here.
    """

    def __init__(
        self,
        entries: int,
        most: float = math.inf,
        size: Callable[[Any], int] = nbytes,
        dropped: Callable[[Any], None] | None = None,
        stay: int = 2,
        beyond: LeastRecentlyUsed | None = None,
    ) -> None:
        self._entries = entries
        self._most = most
        self._size = size
        self._dropped = dropped
        self._stay = stay
        self._beyond = beyond
        self._lock = threading.Lock()
        self._held: OrderedDict[Hashable, Any] = OrderedDict()
        self._kept: dict[Hashable, Any] = {}

    def __len__(self) -> int:
        return len(self._held) + len(self._kept)

    def __contains__(self, key: Hashable) -> bool:
        if key in self._held or key in self._kept:
            return True
        return self._beyond is not None and key in self._beyond

    def keep(self) -> None:
        """Keep all current values until `clear`; the limits then apply only to values that are
        added later.
        """
        with self._lock:
            self._kept |= self._held
            self._held.clear()

    def get(self, key: Hashable, missing: Any = None) -> Any:
        """The value of this key, or `missing`; it then counts as the most recently used one."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                return self._held[key]
            if key in self._kept:
                return self._kept[key]
        found = _MISSING if self._beyond is None else self._beyond.get(key, _MISSING)
        if found is _MISSING:
            return missing
        return self._hold(key, found)

    def put(self, key: Hashable, value: T, *, replace: bool = True) -> T:
        """Store a value and return it. Without `replace`, an existing value stays and is returned
        instead.
        """
        if self._beyond is not None:
            value = self._beyond.put(key, value, replace=replace)
        return self._hold(key, value, replace=replace)

    def _hold(self, key: Hashable, value: T, *, replace: bool = True) -> T:
        with self._lock:
            if key in self._kept:
                if replace:
                    self._kept[key] = value
                kept: T = self._kept[key]
                return kept
            if replace or key not in self._held:
                self._held[key] = value
            value = self._held[key]
            self._held.move_to_end(key)
            while len(self._held) > self._entries or (
                len(self._held) > self._stay
                and self._most < math.inf
                and self._total() > self._most
            ):
                self._drop(self._held.popitem(last=False)[1])
        return value

    def remembered(self, key: Hashable, compute: Callable[[], T]) -> T:
        """The value for a key, computed and stored if it is missing."""
        found: T | object = self.get(key, _MISSING)
        if found is _MISSING:
            return self.put(key, compute())
        return found  # type: ignore[return-value]

    def clear(self) -> None:
        """Drop every value."""
        with self._lock:
            for value in (*self._held.values(), *self._kept.values()):
                self._drop(value)
            self._held.clear()
            self._kept.clear()

    def _drop(self, value: Any) -> None:
        if self._dropped is not None:
            self._dropped(value)

    def _total(self) -> int:
        return sum(map(self._size, self._held.values()))
