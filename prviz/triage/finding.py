"""A finding, and the words that go with it: what is wrong with a checkpoint, with its number and
its evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from prviz.arrays import Floats, Rng

Level = Literal["note", "warning"]

# Share of the samples above which a finding is a warning.
SEVERE = 0.2

# Keys of findings that name no fault of a generator: too few samples, samples in a dependent order,
# outliers that decide the end of a curve.
NO_FAULTS = frozenset({"few", "outliers", "dependent"})

# Title of a finding if samples are too few to name the fault.
UNCLEAR = "Too few samples to say what"

EVIDENCE: Mapping[str, str] = {
    "recall end": "the right end of the curve, and the real samples that are missed there",
    "precision end": "the left end of the curve, and the generated samples that are rejected there",
    "kink": "the kink of the curve, and the samples on both sides of its classifier",
    "duplicates": "rows that repeat another one, and both ends of the curve without them",
    "dimension": "directions in which the samples vary",
    "outliers": "the samples that carry most others, and both ends of the curve without them",
    "interval": "the band of the curve",
    "preflight": "norms and spreads of both sets",
}
"""Evidence in words, by the key that a finding names."""


@dataclass(frozen=True)
class TriageFinding:
    """One thing that is wrong with a checkpoint, or may be.

    key : the key of its `FaultRule`. title : two or three words. sentence : the observation in
        plain words, with its number.
    number : this number; a share unless ``unit`` says otherwise. low, high : ends of its 95 %
        interval; None without one.
    level : a warning needs action; a note does not. evidence : a key of EVIDENCE. borderline : True
        if the fault shows in some, not in each, of several random halvings of the samples.
    """

    key: str
    title: str
    sentence: str
    number: float
    level: Level
    evidence: str
    unit: Literal["share", "ratio"] = "share"
    low: float | None = None
    high: float | None = None
    borderline: bool = False


Found: TypeAlias = tuple[TriageFinding, ...]
Plant: TypeAlias = Callable[[Floats, Floats, Rng], Floats]


@dataclass(frozen=True, kw_only=True)
class FaultRule:
    """A kind of fault: all about its finding except the function that finds it.

    key : key of the finding. number : meaning of the finding's number, in words.
    listed, seen : title and visible sign in the list of faults that are looked for; "" if another
        rule's line in the list covers this fault.
    excludes : keys of findings that are left out if this fault explains more: they follow from it,
        or contradict it as its reverse does.
    follows : True if generated rows that repeat others cause the fault where they are many.
    plant : function that puts the fault into samples as good as real (at least 400 rows), as
        strongly as it must be found: (their values, values of the reference, random numbers) ->
        values with the fault. None: `tests/benchmarks/faults.py` does it.
    """

    key: str
    number: str
    listed: str = ""
    seen: str = ""
    excludes: frozenset[str] = frozenset()
    follows: bool = False
    plant: Plant | None = None


def nothing_text(differs: bool) -> str:
    """Text for a checkpoint without a named fault; it says so if the sets differ all the same."""
    if differs:
        return "differs, no cause named"
    return "nothing found"


def grade(share: float) -> Level:
    """The level of a finding, by the share of the samples that it concerns."""
    if share > SEVERE:
        return "warning"
    return "note"


def percent(share: float) -> str:
    """A share as a percentage with two digits."""
    if share >= 0.095 or share == 0:
        return f"{100 * share:.0f} %"
    return f"{100 * share:.1f} %"
