"""One thing to be measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from prviz.measure.estimates import Progress
from prviz.recent import LeastRecentlyUsed

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Need(Generic[T]):
    """What is to be measured: equal keys, equal results.

    kind : of the message that tells a browser of the result: see `prviz.live.explorer`.
    seconds : its estimated time. note : its text on the page. store : where its result goes.
    look : finds a result that is known by other keys too; None where `store` has them all.
    pieces : seconds between drawings of what is known of it so far; 0: drawn when it is whole.
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
        """True if a browser waits for it to draw curves."""
        return self.kind in ("coarse", "curves")

    @property
    def known(self) -> bool:
        """True if there is a result, be it None; of a need with a store."""
        return self.result is not None or (
            self.look is None and self.store is not None and self.key in self.store
        )

    @property
    def result(self) -> T | None:
        """The result, where it is there; of a need with a store."""
        if self.look is not None:
            return self.look()
        return None if self.store is None else self.store.get(self.key)
