"""The pass rules of the sanity battery: conditions on the means of a metric along a sweep.

A rule gets the sweep points x (m,), increasing, and the mean y (m,) over repeats at each. It
combines conditions "value >= threshold" and "value <= threshold". The margin of a condition is the
distance of its value from the threshold, negative if the condition fails. The margin of a rule is
the smallest margin of its conditions if all must hold, and the largest if one must.

Source: Räisä, van Breugel, van der Schaar 2025 (arXiv 2505.22450), the rules of its public code.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from prviz.arrays import Floats

Verdict: TypeAlias = Literal["T", "F", "L", "H"]


class ConditionOutcome(NamedTuple):
    """Verdict of a rule on a sweep: "T" passed, "L" or "H" passed as low or as high, "F" failed.

    condition : the condition that decides; value and margin are of this condition.
    """

    verdict: Verdict
    condition: Condition
    value: float
    margin: float


class AllowedValues(NamedTuple):
    """The range that a rule allows for the means from point ``first`` to point ``last``, given as
    indices.

    If a rule compares points with each other, low and high depend on the means at other points.
    Each may be infinite.
    """

    first: int
    last: int
    low: float
    high: float


Number: TypeAlias = Callable[[Floats, Floats], float]
Range: TypeAlias = Callable[[Floats, Floats], AllowedValues]


@dataclass(frozen=True)
class Condition:
    """A condition on a sweep (x, y): value >= threshold, or value <= threshold.

    words : the value in words.
    of : function of (x, y) that returns the value.
    leaves : function of (x, y) that returns the range that the condition allows.
    """

    words: str
    of: Number
    sense: Literal[">=", "<="]
    threshold: float
    leaves: Range

    def judge(self, x: Floats, y: Floats) -> ConditionOutcome:
        """The outcome for a sweep; a value equal to the threshold passes."""
        value = float(self.of(x, y))
        margin = value - self.threshold if self.sense == ">=" else self.threshold - value
        return ConditionOutcome("T" if margin >= 0 else "F", self, value, margin)

    def allowed(self, x: Floats, y: Floats) -> list[AllowedValues]:
        """The one range that this condition allows."""
        return [self.leaves(x, y)]


@dataclass(frozen=True)
class Rule:
    """A rule made of parts, all or one of which must hold.

    words : the rule in plain words.
    how : "all" parts must hold; "any" one of them; or "either" of two, where the first passes as
        high, the second as low. In the battery no sweep can satisfy both parts of an "either".
    """

    words: str
    parts: tuple[Rule | Condition, ...]
    how: Literal["all", "any", "either"] = "all"

    def judge(self, x: Floats, y: Floats) -> ConditionOutcome:
        """The outcome of the part with the smallest margin if all parts must hold; otherwise of the
        part that comes closest to passing.

        x : (m,) sweep points, increasing.
        y : (m,) mean over repeats at each point.
        """
        if self.how == "all":
            return min((part.judge(x, y) for part in self.parts), key=_margin)
        best = self._closest(x, y)
        outcome = best.judge(x, y)
        if self.how == "any" or outcome.margin < 0:
            return outcome
        return outcome._replace(verdict="H" if best is self.parts[0] else "L")

    def allowed(self, x: Floats, y: Floats) -> list[AllowedValues]:
        """The ranges that the rule allows, to be drawn: one for each part of the sweep that it
        restricts.

        If only one part of the rule must hold, these are the ranges of the part that comes closest
        to passing.
        """
        if self.how != "all":
            return self._closest(x, y).allowed(x, y)
        found: dict[tuple[int, int], AllowedValues] = {}
        for part in self.parts:
            for each in part.allowed(x, y):
                before = found.get(each[:2], each)
                low = max(each.low, before.low)
                found[each[:2]] = each._replace(low=low, high=min(each.high, before.high))
        return list(found.values())

    def _closest(self, x: Floats, y: Floats) -> Rule | Condition:
        return max(self.parts, key=lambda part: part.judge(x, y).margin)


def _margin(outcome: ConditionOutcome) -> float:
    return outcome.margin


# Tolerance of the published code: values that differ by at most this count as equal.
_EQUAL = 0.05
# Least rise or fall between the two ends of a sweep.
_STEP = 0.2
# Largest distance from the maximum or the minimum that counts as close to it.
_SLACK = 0.1


def one(at: int) -> Rule:
    """ONE: .95 <= y(at) <= 1.05."""
    return Rule(f"1 {_place(at)}", _within(at, 0.95, 1.05))


def zero(at: int) -> Rule:
    """ZERO: |y(at)| <= .05."""
    return Rule(f"0 {_place(at)}", _within(at, -_EQUAL, _EQUAL))


def near(target: float, at: int) -> Rule:
    """NEAR: |y(at) - target| <= .05."""
    words = f"distance from {target:g} {_place(at)}"
    around = AllowedValues(at, at, target - _EQUAL, target + _EQUAL)
    off = Condition(words, lambda _, y: abs(float(y[at]) - target), "<=", _EQUAL, lambda *_: around)
    return Rule(f"{target:g} {_place(at)}", (off,))


def wide(at: int) -> Rule:
    """WIDE: a value that satisfies ONE passes as high, one that satisfies ZERO as low."""
    return Rule(f"1 (high) or 0 (low) {_place(at)}", (one(at), zero(at)), "either")


def bell(at: int) -> Rule:
    """BELL: y(at) is at least 0.2 above both ends and within 0.1 of the maximum; one end is within
    0.1 of the minimum.
    """
    value = f"value {_place(at)}"
    parts = (
        _fall(at, 0, f"rise from the left end to the {value}"),
        _fall(at, -1, f"fall from the {value} to the right end"),
        _near_top(at, value),
        Rule("an end near the bottom", (_near_bottom(0), _near_bottom(-1)), "any"),
    )
    return Rule(f"highest {_place(at)} and falling to both sides", parts)


def down() -> Rule:
    """DOWN: the right end is at least 0.2 below the left end, the left end within 0.1 of the
    maximum, and the right end within 0.1 of the minimum.
    """
    return Rule("falling from left to right", _falling(0, -1))


def up() -> Rule:
    """UP: DOWN with left and right swapped."""
    return Rule("rising from left to right", _falling(-1, 0))


def down_mid(quantile: float) -> Rule:
    """DOWNMID: DOWN, and at the sweep point nearest to this quantile of x the value is at least 0.1
    below the left end.
    """

    def value(x: Floats, y: Floats) -> float:
        return float(y[0] - y[quantile_place(x, quantile)])

    def leaves(x: Floats, y: Floats) -> AllowedValues:
        at = quantile_place(x, quantile)
        return AllowedValues(at, at, -np.inf, float(y[0]) - _SLACK)

    by = f"by the {100 * quantile:.0f} % point of the sweep"
    early = Condition(f"fall {by}", value, ">=", _SLACK, leaves)
    return Rule(f"falling, and {by} already", (*_falling(0, -1), early))


def flat() -> Rule:
    """FLAT: max - min <= .05 over the whole sweep."""
    return Rule("the same at every point", (_even("maximum less minimum", lambda _: 0),))


def settle() -> Rule:
    """SETTLE: max - min <= 0.05 over the points from the median of the sweep on."""
    spread = _even(
        "maximum less minimum over the upper half of the sweep",
        lambda x: int(np.argmax(x >= np.median(x))),
    )
    return Rule("the same over the upper half of the sweep", (spread,))


def low_high(low: Rule, high: Rule) -> Rule:
    """LOWHIGH: a sweep that satisfies the first rule passes as low, the second as high."""
    return Rule(f"{low.words} (low), or {high.words} (high)", (high, low), "either")


def quantile_place(x: Floats, quantile: float) -> int:
    """Index of the sweep point nearest to this quantile of x; of two equally near points the
    first.
    """
    return int(np.argmin(np.abs(x - np.quantile(x, quantile))))


_ENDS = {0: "left end", -1: "right end"}


def _falling(top: int, bottom: int) -> tuple[Condition, ...]:
    """Conditions for a fall from the end ``top`` of the sweep to its end ``bottom``."""
    words = f"fall from the {_ENDS[top]} to the {_ENDS[bottom]}"
    return _fall(top, bottom, words), _near_top(top, _ENDS[top]), _near_bottom(bottom)


def _fall(top: int, bottom: int, words: str) -> Condition:
    """Condition: the value at ``top`` is at least _STEP above the value at ``bottom``."""
    return Condition(
        words,
        lambda _, y: y[top] - y[bottom],
        ">=",
        _STEP,
        lambda _, y: AllowedValues(bottom, bottom, -np.inf, float(y[top]) - _STEP),
    )


def _near_top(at: int, name: str) -> Condition:
    return Condition(
        f"maximum above the {name}",
        lambda _, y: y.max() - y[at],
        "<=",
        _SLACK,
        lambda _, y: AllowedValues(at, at, float(y.max()) - _SLACK, np.inf),
    )


def _near_bottom(at: int) -> Condition:
    return Condition(
        f"{_ENDS[at]} above the minimum",
        lambda _, y: y[at] - y.min(),
        "<=",
        _SLACK,
        lambda _, y: AllowedValues(at, at, -np.inf, float(y.min()) + _SLACK),
    )


def _within(at: int, low: float, high: float) -> tuple[Condition, Condition]:
    """Conditions: the value at one point lies between two numbers."""
    words = f"value {_place(at)}"
    above = AllowedValues(at, at, low, np.inf)
    below = AllowedValues(at, at, -np.inf, high)
    return (
        Condition(words, lambda _, y: y[at], ">=", low, lambda *_: above),
        Condition(words, lambda _, y: y[at], "<=", high, lambda *_: below),
    )


def _even(words: str, first: Callable[[Floats], int]) -> Condition:
    """Condition: all values from the point ``first`` on differ by at most _EQUAL.

    The allowed range is a band around the middle of these values.
    """

    def leaves(x: Floats, y: Floats) -> AllowedValues:
        part = y[first(x) :]
        middle = float(part.min() + part.max()) / 2.0
        return AllowedValues(first(x), -1, middle - _EQUAL / 2.0, middle + _EQUAL / 2.0)

    return Condition(words, lambda x, y: np.ptp(y[first(x) :]), "<=", _EQUAL, leaves)


def _place(at: int) -> str:
    """The point of the sweep, in words."""
    if at in _ENDS:
        return f"at the {_ENDS[at]}"
    return f"at point {at + 1}"
