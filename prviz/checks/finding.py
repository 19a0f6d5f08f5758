"""A finding on a pair of sets: its level, and how its text names features."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from prviz.quoting import drop_text, first_names, short_name
from prviz.samples import Samples

Level = Literal["ok", "note", "warning"]


@dataclass(frozen=True)
class Finding:
    """One finding: title, value as text, level, effect on the estimators, and names of the features
    it concerns.
    """

    title: str
    value_text: str
    level: Level
    effect: str
    features: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Value and effect, as sentences."""
        if self.effect:
            return f"{self.value_text}. {self.effect}"
        return self.value_text

    @property
    def line(self) -> str:
        """Title and text, as the shell and a `PrvizWarning` say them."""
        if self.effect:
            return f"{self.title}: {self.text}"
        return self.text

    def entry(self) -> dict[str, Any]:
        """The finding as JSON types: level, title, text, and features if it concerns any."""
        found: dict[str, Any] = {"level": self.level, "title": self.title, "text": self.text}
        if self.features:
            found["features"] = list(self.features)
        return found


Findings: TypeAlias = tuple[Finding, ...]


def grade(note: bool, warning: bool = False) -> Level:
    """Level of a finding: "warning" if ``warning`` is True, else "note" if ``note`` is True, else
    "ok".
    """
    if warning:
        return "warning"
    if note:
        return "note"
    return "ok"


def grade_of(far: float, ratios: tuple[float, float]) -> Level:
    """Level of a finding on a ratio: "note" above the first of ``ratios``, "warning" above the
    second, else "ok".
    """
    return grade(far > ratios[0], far > ratios[1])


def in_order(findings: Iterable[Finding]) -> Findings:
    """The findings that are not ok, warnings first."""
    troubles = (each for each in findings if each.level != "ok")
    return tuple(sorted(troubles, key=lambda each: each.level != "warning"))


def called_all(samples: Samples, features: Iterable[int]) -> tuple[str, ...]:
    """Names of features; where the set has no names, "feature" and the number, counted from 1."""
    return tuple(called(samples, int(each)) for each in features)


def called(samples: Samples, feature: int) -> str:
    """Name of a feature; where the set has no names, "feature" and its number, counted from 1."""
    if samples.features:
        return short_name(samples.features[feature])
    return f"feature {feature + 1}"


def features_text(samples: Samples, features: Iterable[int]) -> str:
    """A colon and the names of the first of these features; "" where the set has no names."""
    if samples.features:
        return f": {first_names(called_all(samples, features))}"
    return ""


def dropped_text(samples: Samples, features: Sequence[int]) -> str:
    """A comma and the code that leaves these features out; "" where the set has no names."""
    if not samples.features:
        return ""
    return f", {drop_text([samples.features[each] for each in features])}"


def leave_out_text(samples: Samples, features: Sequence[int]) -> str:
    """Advice to leave features out, with the code for it where the set has names."""
    return f"leave {'it' if len(features) == 1 else 'them'} out{dropped_text(samples, features)}"


def ratio(first: float, second: float) -> float:
    """Ratio of the larger number to the smaller; 1 for equal numbers, inf if only one of them is 0
    or infinite.
    """
    if first == second:
        return 1.0
    low, high = sorted((first, second))
    if low == 0 or math.isinf(high):
        return math.inf
    return high / low
