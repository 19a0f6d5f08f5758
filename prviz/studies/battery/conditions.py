"""Parts of the battery's pass rules: conditions on a sweep of means, with value, threshold and margin.

A rule sees the sweep points x (m,), increasing, and the mean y (m,) over repeats at each. It is made of conditions
"value >= threshold" or "value <= threshold", bounds included; the margin of a condition is how far its value is on the
right side of the threshold, negative where it fails. A rule that needs every condition has the smallest margin of them,
one that needs any has the largest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "AllowedValues",
    "AnyOf",
    "Condition",
    "ConditionOutcome",
    "Either",
    "Every",
    "Floats",
    "Number",
    "Range",
    "Rule",
    "Verdict",
]

Floats: TypeAlias = NDArray[np.float64]
Verdict: TypeAlias = Literal["T", "F", "L", "H"]


class ConditionOutcome(NamedTuple):
    """What a rule says of a sweep: "T" passed, "L" or "H" passed as low or as high, "F" failed.

    condition : the one that decides; value, margin : its own.
    """

    verdict: Verdict
    condition: Condition
    value: float
    margin: float


class AllowedValues(NamedTuple):
    """What a rule leaves to part of a sweep: from the point ``first`` to ``last`` (indices), means from low to high.

    Where the rule compares two points or more, low and high follow from the others; they may be infinite.
    """

    first: int
    last: int
    low: float
    high: float


Number: TypeAlias = Callable[[Floats, Floats], float]
Range: TypeAlias = Callable[[Floats, Floats], AllowedValues]


class Rule(Protocol):
    """Anything that judges a sweep."""

    @property
    def words(self) -> str:
        """The rule in plain words."""

    def judge(self, x: Floats, y: Floats) -> ConditionOutcome:
        """X : (m,) sweep points, increasing. y : (m,) the mean over repeats at each."""

    def allowed(self, x: Floats, y: Floats) -> list[AllowedValues]:
        """Where the sweep may go, for a drawing; of rules with a choice, what the answer that came closest leaves."""


@dataclass(frozen=True)
class Condition:
    """value >= threshold, or value <= threshold.

    words : what the value is. of : (x, y) -> value. leaves : (x, y) -> what it leaves to the sweep.
    """

    words: str
    of: Number
    sense: Literal[">=", "<="]
    threshold: float
    leaves: Range

    def judge(self, x: Floats, y: Floats) -> ConditionOutcome:
        """The outcome, which is a pass at the threshold itself too."""
        value = float(self.of(x, y))
        margin = value - self.threshold if self.sense == ">=" else self.threshold - value
        return ConditionOutcome("T" if margin >= 0 else "F", self, value, margin)

    def allowed(self, x: Floats, y: Floats) -> list[AllowedValues]:
        """One range."""
        return [self.leaves(x, y)]


@dataclass(frozen=True)
class Every:
    """All of several rules."""

    words: str
    rules: tuple[Rule, ...]

    def judge(self, x: Floats, y: Floats) -> ConditionOutcome:
        """The outcome with the smallest margin."""
        return min((rule.judge(x, y) for rule in self.rules), key=lambda outcome: outcome.margin)

    def allowed(self, x: Floats, y: Floats) -> list[AllowedValues]:
        """The common range of all rules for each part of the sweep."""
        found: dict[tuple[int, int], AllowedValues] = {}
        for each in (each for rule in self.rules for each in rule.allowed(x, y)):
            before = found.get(each[:2], each)
            found[each[:2]] = each._replace(low=max(each.low, before.low), high=min(each.high, before.high))
        return list(found.values())


@dataclass(frozen=True)
class AnyOf:
    """One of several rules."""

    words: str
    rules: tuple[Rule, ...]

    def judge(self, x: Floats, y: Floats) -> ConditionOutcome:
        """The outcome that comes closest."""
        return max((rule.judge(x, y) for rule in self.rules), key=lambda outcome: outcome.margin)

    def allowed(self, x: Floats, y: Floats) -> list[AllowedValues]:
        """The ranges of the rule that comes closest."""
        return max(self.rules, key=lambda rule: rule.judge(x, y).margin).allowed(x, y)


@dataclass(frozen=True)
class Either:
    """Two legal answers: one is noted as low, the other as high. No sweep passes both of a pair here."""

    words: str
    low: Rule
    high: Rule

    def judge(self, x: Floats, y: Floats) -> ConditionOutcome:
        """The answer that passes, else the failure that came closer."""
        low, high = self.low.judge(x, y), self.high.judge(x, y)
        better = low if low.margin > high.margin else high
        passed: Verdict = "L" if better is low else "H"
        return better._replace(verdict=passed if better.margin >= 0 else "F")

    def allowed(self, x: Floats, y: Floats) -> list[AllowedValues]:
        """The ranges of the answer that passes, else of the one that comes closer."""
        low, high = self.low.judge(x, y), self.high.judge(x, y)
        return (self.low if low.margin > high.margin else self.high).allowed(x, y)
