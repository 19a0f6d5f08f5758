"""Items, such as checkpoints, of which one at a time stands out in every live figure of a group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple


class Item(NamedTuple):
    """One item: its id as the figures' traces and points carry it, its label, its colour, and what to say of it."""

    id: str
    label: str
    color: str
    told: str


def _unheard(_: str | None) -> None:
    """A figure that does not lead tells Python nothing."""


@dataclass(frozen=True)
class Standout:
    """How a live figure takes part, see pages/_live/standout.js.

    Traces carry an item's id as their `meta`, points as their customdata, panes as their `item`.

    group: figures of one group follow each other. items: of the one figure that leads, which lists them as buttons.
    selected: the item that is chosen, by Python's word. chosen: called with what the hand has chosen, or None.
    label, hint: what the list is called, and what is said while no item stands out.
    """

    group: str
    items: Sequence[Item] = ()
    selected: str | None = None
    chosen: Callable[[str | None], None] = _unheard
    label: str = ""
    hint: str = ""

    def payload(self) -> dict[str, Any]:
        items = [item._asdict() for item in self.items]
        return {"group": self.group, "items": items, "label": self.label, "hint": self.hint}
