"""A finding, and the words that go with it: what is wrong with a checkpoint, with its number and
its evidence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Level = Literal["note", "warning"]

# Part of the samples above which a finding is a warning.
SEVERE = 0.2

# What follows from the number of samples or from the end of a curve, and not from a generator.
NO_FAULTS = frozenset({"few", "outliers", "dependent"})

# What a difference is called that the samples are too few to name.
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

NUMBERS: Mapping[str, str] = {
    "dropping": "of the real data is hardly ever generated",
    "invention": "of the generated samples form modes without real ones",
    "off": "of the generated samples lie off the real support",
    "reweighting": "of the samples would have to change their mode",
    "narrow": "the real spread",
    "wide": "the real spread",
    "tails": "the real reach of the farthest samples",
    "blurred": "the real distance to the nearest sample",
    "noise": "the real spread in the minor directions",
    "coarse": "the real distance to real samples",
    "repeated": "of the real rows repeat another",
    "collapse": "of the generated rows repeat another",
    "single": "times the same real row",
    "copies": "of the generated rows are rows of the reference",
    "near_copies": "of the generated samples nearly copy a real one",
    "scale": "the real values",
    "shifted": "the part of the difference that one shift explains",
    "permuted": "of the features are in another place",
    "unclear": "of random halvings agree on a fault",
    "columns": "of the features differ",
    "flat": "as many directions as the real samples",
    "outliers": "of the other set would lose all support",
    "dependent": "of the samples have their nearest one in a row beside theirs",
    "few": "width of 95 % of AuC's draws",
    "apart": "of the mass in common",
}
"""What the number of a finding is, by the finding's key."""


@dataclass(frozen=True)
class TriageFinding:
    """One thing that is wrong, or may be.

    key : a key of NUMBERS. title : two or three words. sentence : the observation in plain words,
    with its number.
    number : that number, a share unless ``unit`` says otherwise. low, high : its interval of 95 %,
    if any.
    level : a warning needs action; a note does not. evidence : a key of EVIDENCE. borderline : True
    if not each of several random halvings of the samples shows it by itself.
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


def nothing_text(differs: bool) -> str:
    """What is said where no fault is named: that is no clearance where the sets differ."""
    if differs:
        return "differs, no cause named"
    return "nothing found"


def grade(share: float) -> Level:
    """The level of a finding that concerns this share of the samples."""
    if share > SEVERE:
        return "warning"
    return "note"


def percent(share: float) -> str:
    """A share in percent, in two digits."""
    if share >= 0.095 or share == 0:
        return f"{100 * share:.0f} %"
    return f"{100 * share:.1f} %"
