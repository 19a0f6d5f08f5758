"""The pass rules of the sanity battery: what a sweep of means must look like, with value, threshold and margin.

A rule sees the sweep points x (m,), increasing, and the mean y (m,) over repeats at each. It is made of conditions
"value >= threshold" or "value <= threshold", bounds included; the margin of a condition is how far its value is on the
right side of the threshold, negative where it fails. A rule that needs every condition has the smallest margin of them,
one that needs any has the largest.

Source: Räisä, van Breugel, van der Schaar 2025 (arXiv 2505.22450), the rules of its public code.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Condition",
    "Either",
    "Outcome",
    "Rule",
    "Verdict",
    "bell",
    "down",
    "down_mid",
    "flat",
    "low_high",
    "near",
    "one",
    "quantile_place",
    "settle",
    "up",
    "wide",
    "zero",
]

Floats: TypeAlias = NDArray[np.float64]
Verdict: TypeAlias = Literal["T", "F", "L", "H"]

# Of the published code: what counts as equal, as a rise or fall, and as close enough to the top or bottom.
_EQUAL, _STEP, _SLACK = 0.05, 0.2, 0.1


class Outcome(NamedTuple):
    """What a rule says of a sweep: "T" passed, "L" or "H" passed as low or as high, "F" failed.

    condition : the one that decides; value, margin : its own.
    """

    verdict: Verdict
    condition: Condition
    value: float
    margin: float


class Rule(Protocol):
    """Anything that judges a sweep."""

    @property
    def words(self) -> str:
        """What the rule asks for, in plain words."""

    def judge(self, x: Floats, y: Floats) -> Outcome:
        """X : (m,) sweep points, increasing. y : (m,) the mean over repeats at each."""


@dataclass(frozen=True)
class Condition:
    """value >= threshold, or value <= threshold.

    words : what the value is. of : (x, y) -> value.
    """

    words: str
    of: Callable[[Floats, Floats], float]
    sense: Literal[">=", "<="]
    threshold: float

    def judge(self, x: Floats, y: Floats) -> Outcome:
        """Passed at the threshold itself too."""
        value = float(self.of(x, y))
        margin = value - self.threshold if self.sense == ">=" else self.threshold - value
        return Outcome("T" if margin >= 0 else "F", self, value, margin)


@dataclass(frozen=True)
class _Every:
    words: str
    rules: tuple[Rule, ...]

    def judge(self, x: Floats, y: Floats) -> Outcome:
        return min((rule.judge(x, y) for rule in self.rules), key=lambda outcome: outcome.margin)


@dataclass(frozen=True)
class _Any:
    words: str
    rules: tuple[Rule, ...]

    def judge(self, x: Floats, y: Floats) -> Outcome:
        return max((rule.judge(x, y) for rule in self.rules), key=lambda outcome: outcome.margin)


@dataclass(frozen=True)
class Either:
    """Two legal answers: one is noted as low, the other as high. No sweep passes both of a pair here."""

    words: str
    low: Rule
    high: Rule

    def judge(self, x: Floats, y: Floats) -> Outcome:
        """The answer that passes, else the failure that came closer."""
        low, high = self.low.judge(x, y), self.high.judge(x, y)
        better = low if low.margin > high.margin else high
        passed: Verdict = "L" if better is low else "H"
        return better._replace(verdict=passed if better.margin >= 0 else "F")


def one(at: int) -> Rule:
    """ONE: .95 <= y(at) <= 1.05."""
    return _Every(f"1 {_place(at)}", (_least(_at(at), 0.95, at), _most(_at(at), 1.05, at)))


def zero(at: int) -> Rule:
    """ZERO: |y(at)| <= .05."""
    return _Every(f"0 {_place(at)}", (_most(_at(at), _EQUAL, at), _least(_at(at), -_EQUAL, at)))


def near(target: float, at: int) -> Rule:
    """NEAR: |y(at) - target| <= .05."""
    words = f"distance from {target:g} {_place(at)}"
    off = Condition(words, lambda _, y: abs(float(y[at]) - target), "<=", _EQUAL)
    return _Every(f"{target:g} {_place(at)}", (off,))


def wide(at: int) -> Rule:
    """WIDE: ONE is high, ZERO is low."""
    return Either(f"1 (high) or 0 (low) {_place(at)}", low=zero(at), high=one(at))


def bell(at: int) -> Rule:
    """BELL: y(at) is .2 above both ends and within .1 of the maximum, one end within .1 of the minimum."""
    ends = _Any(
        "an end near the bottom",
        (
            _most(lambda _, y: y[0] - y.min(), _SLACK, words="left end above the minimum"),
            _most(lambda _, y: y[-1] - y.min(), _SLACK, words="right end above the minimum"),
        ),
    )
    rules = (
        _least(lambda _, y: y[at] - y[0], _STEP, words=f"rise from the left end to the value {_place(at)}"),
        _least(lambda _, y: y[at] - y[-1], _STEP, words=f"fall from the value {_place(at)} to the right end"),
        _most(lambda _, y: y.max() - y[at], _SLACK, words=f"maximum above the value {_place(at)}"),
        ends,
    )
    return _Every(f"highest {_place(at)} and falling to both sides", rules)


def down() -> Rule:
    """DOWN: from the maximum at the left end to the minimum at the right end, .2 at least; .1 slack at both ends."""
    return _Every("falling from left to right", _falling(0, -1))


def up() -> Rule:
    """UP: DOWN reversed."""
    return _Every("rising from left to right", _falling(-1, 0))


def down_mid(quantile: float) -> Rule:
    """DOWNMID: DOWN, and a fall of .1 from the left end to the point nearest to that quantile of the grid."""
    early = _least(
        lambda x, y: y[0] - y[quantile_place(x, quantile)],
        _SLACK,
        words=f"fall by the {quantile:.0%} point of the sweep",
    )
    return _Every(f"falling, and by the {quantile:.0%} point of the sweep already", (*_falling(0, -1), early))


def flat() -> Rule:
    """FLAT: max - min <= .05 over the whole sweep."""
    return _Every("the same at every point", (_most(lambda _, y: np.ptp(y), _EQUAL, words="maximum less minimum"),))


def settle() -> Rule:
    """SETTLE: max - min <= .05 from the median of the grid on."""
    spread = _most(
        lambda x, y: np.ptp(y[x >= np.median(x)]), _EQUAL, words="maximum less minimum over the upper half of the sweep"
    )
    return _Every("the same over the upper half of the sweep", (spread,))


def low_high(low: Rule, high: Rule) -> Rule:
    """LOWHIGH: the first is low, the second high."""
    return Either(f"{low.words} (low), or {high.words} (high)", low, high)


def quantile_place(x: Floats, quantile: float) -> int:
    """The point nearest to this quantile of the grid, the first of two."""
    return int(np.argmin(np.abs(x - np.quantile(x, quantile))))


def _falling(top: int, bottom: int) -> tuple[Rule, ...]:
    """From the end ``top`` to the end ``bottom``."""
    names = {0: "left end", -1: "right end"}
    return (
        _least(lambda _, y: y[top] - y[bottom], _STEP, words=f"fall from the {names[top]} to the {names[bottom]}"),
        _most(lambda _, y: y.max() - y[top], _SLACK, words=f"maximum above the {names[top]}"),
        _most(lambda _, y: y[bottom] - y.min(), _SLACK, words=f"{names[bottom]} above the minimum"),
    )


def _at(at: int) -> Callable[[Floats, Floats], float]:
    return lambda _, y: float(y[at])


def _least(of: Callable[[Floats, Floats], float], threshold: float, at: int = 0, *, words: str = "") -> Condition:
    return Condition(words or f"value {_place(at)}", of, ">=", threshold)


def _most(of: Callable[[Floats, Floats], float], threshold: float, at: int = 0, *, words: str = "") -> Condition:
    return Condition(words or f"value {_place(at)}", of, "<=", threshold)


def _place(at: int) -> str:
    """Which point of the sweep is meant."""
    return {0: "at the left end", -1: "at the right end"}.get(at, f"at point {at + 1}")
