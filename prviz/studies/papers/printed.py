"""Every number that the papers print of a measurement, with the setting that gives it and ours
beside it.

The numbers are in printed.json, an entry a line: the row of docs/papers.md ("item"), what it is
("number"), as printed, the setting, and ours. Where an experiment measures it, "at" has the values
of its labels, and `python -m tests.papers_table --numbers` writes ours from its kept rows.
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
    """A number as printed.

    item : paper and row of docs/papers.md. number : what it is. printed : its value. setting : what
    gives it.
    experiment, at : where prviz measures it, by the values of the experiment's labels; "" and ()
    outside of these.
    ours : our value; None where it is a range or of other data.
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
    """All of them, in the order of the papers' rows."""
    found = []
    for entry in json.loads(PLACE.read_text("utf-8")):
        found.append(PrintedNumber(**{**entry, "at": tuple(entry["at"])}))
    return tuple(found)


def published(experiment: str) -> Mapping[tuple[Any, ...], float]:
    """The numbers of an experiment, by the values of its labels and what the number is."""
    mine = (each for each in printed_numbers() if each.experiment == experiment)
    return MappingProxyType({(*each.at, each.number): each.printed for each in mine})


def printed_in(item: str) -> Mapping[str, tuple[float, ...]]:
    """The numbers of a row of docs/papers.md, in their order, by what they are."""
    found: dict[str, tuple[float, ...]] = {}
    for each in printed_numbers():
        if each.item == item:
            found[each.number] = (*found.get(each.number, ()), each.printed)
    return MappingProxyType(found)
