"""Items, such as checkpoints, of which one at a time stands out in every live figure of a group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple


class Item(NamedTuple):
    """One item: its id as the figures' traces and points carry it, its label, its colour, and its text."""

    id: str
    label: str
    color: str
    sentence: str


@dataclass(frozen=True)
class Standout:
    """A live figure's part in a group of linked figures, see pages/_live/standout.js.

    Traces carry an item's id as their `meta`, points as their customdata, panes as their `item`.

    group: figures of one group follow each other. items: of the one figure that leads, which lists them as buttons.
    selected: the id of the item that Python selects. chosen: called with the id that the user selects, or None.
    label, hint: the title of the list, and the text while no item stands out.
    """

    group: str
    items: Sequence[Item] = ()
    selected: str | None = None
    chosen: Callable[[str | None], None] = lambda _: None
    label: str = ""
    hint: str = ""

    def payload(self) -> dict[str, Any]:
        items = [item._asdict() for item in self.items]
        return {"group": self.group, "items": items, "label": self.label, "hint": self.hint}
