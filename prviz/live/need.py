"""`Need`: one thing that is to be measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from prviz.measure.estimates import Progress
from prviz.recent import LeastRecentlyUsed

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Need(Generic[T]):
    """Something to measure, with the function that does so. Equal keys mean equal results.

    kind : of the message that sends the result to a browser (see `prviz.live.explorer`). seconds :
    estimated time. note : text shown during the measurement. store : where the result goes. look :
    finds a result that `store` may have under other keys; None to look up `key` alone. pieces :
    seconds between drawings of intermediate results; 0 to draw only the final one.
    """

    key: tuple[Any, ...]
    compute: Callable[[Progress], T]
    seconds: float
    note: str = ""
    store: LeastRecentlyUsed | None = None
    look: Callable[[], T | None] | None = None
    kind: str = "panel"
    pieces: float = 0.0

    @property
    def urgent(self) -> bool:
        """True if a browser waits for the result to draw curves."""
        return self.kind in ("coarse", "curves")

    @property
    def known(self) -> bool:
        """True if there is a result, which may be None; for a need with a store."""
        return self.result is not None or (
            self.look is None and self.store is not None and self.key in self.store
        )

    @property
    def result(self) -> T | None:
        """The result, or None while there is none; for a need with a store."""
        if self.look is not None:
            return self.look()
        return None if self.store is None else self.store.get(self.key)
