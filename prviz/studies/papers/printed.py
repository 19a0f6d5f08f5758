"""The measured numbers that the papers print, each with its setting and our own value beside it.

They are in printed.json, one entry a line. "item" is the row of docs/papers.md, "number" the name
of the number; the others are the printed value, the setting, and ours. If an experiment measures
the number, "at" has the values of the experiment's labels, and `python -m tests.papers_table
--numbers` writes "ours" from the bundled rows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

PLACE = Path(__file__).with_name("printed.json")


class PrintedNumber(NamedTuple):
    """A number as a paper prints it.

    item : paper and row of docs/papers.md.
    number : name of the number.
    printed : its value.
    setting : the setting in which it was measured.
    experiment, at : the experiment that measures the number, and the values of this experiment's
        labels; "" and () if none does.
    ours : our value; None if it is a range or measured on other data.
    """

    item: str
    number: str
    printed: float
    setting: str
    experiment: str
    at: tuple[Any, ...]
    ours: float | None


@cache
def printed_numbers() -> tuple[PrintedNumber, ...]:
    """All printed numbers, in the order of docs/papers.md."""
    found = []
    for entry in json.loads(PLACE.read_text("utf-8")):
        found.append(PrintedNumber(**{**entry, "at": tuple(entry["at"])}))
    return tuple(found)


def published(experiment: str) -> Mapping[tuple[Any, ...], float]:
    """The printed numbers that an experiment measures.

    A key has the values of the experiment's labels, then the name of the number.
    """
    mine = (each for each in printed_numbers() if each.experiment == experiment)
    return MappingProxyType({(*each.at, each.number): each.printed for each in mine})


def printed_in(item: str) -> Mapping[str, tuple[float, ...]]:
    """The printed numbers in one row of docs/papers.md, by name; a name may have several."""
    found: dict[str, tuple[float, ...]] = {}
    for each in printed_numbers():
        if each.item == item:
            found[each.number] = (*found.get(each.number, ()), each.printed)
    return MappingProxyType(found)
