"""`Need`: one thing that is to be measured for the figure or a panel."""

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

    kind : kind of the message with which the result is sent to the browser (see
    `prviz.live.explorer`). seconds : estimated time. note : text shown during the measurement.
    store : where the result is stored. look : function that finds a result that is in `store` under
    other keys; None to look up `key` alone. pieces : seconds between drawings of intermediate
    results; 0 to draw only the final one.
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
        """True if the browser waits for this result to draw curves."""
        return self.kind in ("coarse", "curves")

    @property
    def known(self) -> bool:
        """True if the result is known, even if it is None; for a need with a store."""
        return self.result is not None or (
            self.look is None and self.store is not None and self.key in self.store
        )

    @property
    def result(self) -> T | None:
        """The result, or None as long as it is not known; for a need with a store."""
        if self.look is not None:
            return self.look()
        return None if self.store is None else self.store.get(self.key)
