"""The pass rules of the sanity battery: what a sweep of means must look like.

A rule sees the sweep points x (m,), increasing, and the mean y (m,) over repeats at each. It is
made of conditions "value >= threshold" or "value <= threshold", bounds included; the margin of a
condition is how far its value is on the right side of the threshold, negative where it fails. A
rule that needs every condition has the smallest margin of them, one that needs any has the largest.

Source: Räisä, van Breugel, van der Schaar 2025 (arXiv 2505.22450), the rules of its public code.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from prviz.arrays import Floats

Verdict: TypeAlias = Literal["T", "F", "L", "H"]


class ConditionOutcome(NamedTuple):
    """Verdict of a rule on a sweep: "T" passed, "L" or "H" passed as low or as high, "F" failed.

    condition : the one that decides; value, margin : its own.
    """

    verdict: Verdict
    condition: Condition
    value: float
    margin: float


class AllowedValues(NamedTuple):
    """Range allowed on part of a sweep: from the point ``first`` to ``last`` (indices), means from low to high.

    Where the rule compares two points or more, low and high follow from the others; they may be
    infinite.
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
            found[each[:2]] = each._replace(
                low=max(each.low, before.low), high=min(each.high, before.high)
            )
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
        low = self.low.judge(x, y)
        high = self.high.judge(x, y)
        better = low if low.margin > high.margin else high
        passed: Verdict = "L" if better is low else "H"
        return better._replace(verdict=passed if better.margin >= 0 else "F")

    def allowed(self, x: Floats, y: Floats) -> list[AllowedValues]:
        """The ranges of the answer that passes, else of the one that comes closer."""
        low = self.low.judge(x, y)
        high = self.high.judge(x, y)
        return (self.low if low.margin > high.margin else self.high).allowed(x, y)


# Of the published code: what counts as equal, as a rise or fall, and as close enough to the top or
# bottom.
_EQUAL = 0.05
_STEP = 0.2
_SLACK = 0.1


def one(at: int) -> Rule:
    """ONE: .95 <= y(at) <= 1.05."""
    return Every(f"1 {_place(at)}", _within(at, 0.95, 1.05))


def zero(at: int) -> Rule:
    """ZERO: |y(at)| <= .05."""
    return Every(f"0 {_place(at)}", _within(at, -_EQUAL, _EQUAL))


def near(target: float, at: int) -> Rule:
    """NEAR: |y(at) - target| <= .05."""
    words = f"distance from {target:g} {_place(at)}"
    around = AllowedValues(at, at, target - _EQUAL, target + _EQUAL)
    off = Condition(words, lambda _, y: abs(float(y[at]) - target), "<=", _EQUAL, lambda *_: around)
    return Every(f"{target:g} {_place(at)}", (off,))


def wide(at: int) -> Rule:
    """WIDE: ONE is high, ZERO is low."""
    return Either(f"1 (high) or 0 (low) {_place(at)}", low=zero(at), high=one(at))


def bell(at: int) -> Rule:
    """BELL: y(at) is .2 above both ends and within .1 of the maximum, one end within .1 of the minimum."""
    ends = AnyOf(
        "an end near the bottom",
        (
            _most(
                lambda _, y: y[0] - y.min(),
                _SLACK,
                _below(0, np.min, _SLACK),
                "left end above the minimum",
            ),
            _most(
                lambda _, y: y[-1] - y.min(),
                _SLACK,
                _below(-1, np.min, _SLACK),
                "right end above the minimum",
            ),
        ),
    )
    here = _at(at)
    middle = _place(at)
    rules = (
        _least(
            lambda _, y: y[at] - y[0],
            _STEP,
            _below(0, here, -_STEP),
            f"rise from the left end to the value {middle}",
        ),
        _least(
            lambda _, y: y[at] - y[-1],
            _STEP,
            _below(-1, here, -_STEP),
            f"fall from the value {middle} to the right end",
        ),
        _most(
            lambda _, y: y.max() - y[at],
            _SLACK,
            _above(at, np.max, -_SLACK),
            f"maximum above the value {middle}",
        ),
        ends,
    )
    return Every(f"highest {_place(at)} and falling to both sides", rules)


def down() -> Rule:
    """DOWN: from the maximum at the left end to the minimum at the right end, .2 at least; .1 slack at both ends."""
    return Every("falling from left to right", _falling(0, -1))


def up() -> Rule:
    """UP: DOWN reversed."""
    return Every("rising from left to right", _falling(-1, 0))


def down_mid(quantile: float) -> Rule:
    """DOWNMID: DOWN, and a fall of .1 from the left end to the point nearest to that quantile of the grid."""

    def leaves(x: Floats, y: Floats) -> AllowedValues:
        return _below(quantile_place(x, quantile), _at(0), -_SLACK)(x, y)

    words = f"fall by the {quantile:.0%} point of the sweep"
    early = _least(lambda x, y: y[0] - y[quantile_place(x, quantile)], _SLACK, leaves, words)
    return Every(
        f"falling, and by the {quantile:.0%} point of the sweep already", (*_falling(0, -1), early)
    )


def flat() -> Rule:
    """FLAT: max - min <= .05 over the whole sweep."""
    spread = _most(
        lambda _, y: np.ptp(y), _EQUAL, lambda _, y: _around(0, y), "maximum less minimum"
    )
    return Every("the same at every point", (spread,))


def settle() -> Rule:
    """SETTLE: max - min <= .05 from the median of the grid on."""

    def leaves(x: Floats, y: Floats) -> AllowedValues:
        return _around(int(np.argmax(x >= np.median(x))), y)

    words = "maximum less minimum over the upper half of the sweep"
    spread = _most(lambda x, y: np.ptp(y[x >= np.median(x)]), _EQUAL, leaves, words)
    return Every("the same over the upper half of the sweep", (spread,))


def low_high(low: Rule, high: Rule) -> Rule:
    """LOWHIGH: the first is low, the second high."""
    return Either(f"{low.words} (low), or {high.words} (high)", low, high)


def quantile_place(x: Floats, quantile: float) -> int:
    """The point nearest to this quantile of the grid, the first of two."""
    return int(np.argmin(np.abs(x - np.quantile(x, quantile))))


def _falling(top: int, bottom: int) -> tuple[Rule, ...]:
    """Values from the end ``top`` to the end ``bottom``."""
    names = {0: "left end", -1: "right end"}
    fall = f"fall from the {names[top]} to the {names[bottom]}"
    return (
        _least(lambda _, y: y[top] - y[bottom], _STEP, _below(bottom, _at(top), -_STEP), fall),
        _most(
            lambda _, y: y.max() - y[top],
            _SLACK,
            _above(top, np.max, -_SLACK),
            f"maximum above the {names[top]}",
        ),
        _most(
            lambda _, y: y[bottom] - y.min(),
            _SLACK,
            _below(bottom, np.min, _SLACK),
            f"{names[bottom]} above the minimum",
        ),
    )


def _at(at: int) -> Callable[[Floats], float]:
    return lambda y: float(y[at])


def _least(of: Number, threshold: float, leaves: Range, words: str) -> Condition:
    return Condition(words, of, ">=", threshold, leaves)


def _most(of: Number, threshold: float, leaves: Range, words: str) -> Condition:
    return Condition(words, of, "<=", threshold, leaves)


def _within(at: int, low: float, high: float) -> tuple[Condition, Condition]:
    """The value at one point, between two numbers."""
    words = f"value {_place(at)}"

    def of(_: Floats, y: Floats) -> float:
        return float(y[at])

    return (
        _least(of, low, lambda *_: AllowedValues(at, at, low, np.inf), words),
        _most(of, high, lambda *_: AllowedValues(at, at, -np.inf, high), words),
    )


def _below(at: int, of: Callable[[Floats], float], step: float) -> Range:
    """The value at one point may be of(y) + step at most."""
    return lambda _, y: AllowedValues(at, at, -np.inf, float(of(y)) + step)


def _above(at: int, of: Callable[[Floats], float], step: float) -> Range:
    """The value at one point must be of(y) + step at least."""
    return lambda _, y: AllowedValues(at, at, float(of(y)) + step, np.inf)


def _around(first: int, y: Floats) -> AllowedValues:
    """A band as wide as equality is, around the middle of all values from a point on."""
    middle = float(y[first:].min() + y[first:].max()) / 2.0
    return AllowedValues(first, -1, middle - _EQUAL / 2.0, middle + _EQUAL / 2.0)


def _place(at: int) -> str:
    """Which point of the sweep is meant."""
    return {0: "at the left end", -1: "at the right end"}.get(at, f"at point {at + 1}")
