"""Balls that a family of classifiers counts in: the vocabulary of the estimators.

For an evaluation point z a family needs c_X(z), the number of real fit samples x with d(x, z) <= radius, and
its mirror c_Y(z). The radius belongs either to the evaluation point or to the fit sample, and follows a rule:

    Nearest(k, "both")        distance from the centre to its k-th nearest fit sample, real and generated
    pooled Nearest(k, "real")        ... to its k-th nearest real fit sample ("generated": likewise)
    MeanNearest(k, "real")    one radius for all: the mean k-NN radius inside the real fit samples
    Within(radius)            one radius for all, given

Balls are closed. A radius leaves the centre itself out by index, never because its distance is zero:
duplicates are other points. A count includes the point itself when it is a fit sample, that is, without
split.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["ROLES", "Balls", "MeanNearest", "Nearest", "Role", "Rule", "Within", "squared_threshold"]

Role: TypeAlias = Literal["real", "generated"]
ROLES: tuple[Role, Role] = ("real", "generated")


@dataclass(frozen=True)
class Nearest:
    """Radius: from the ball's centre to its k-th nearest fit sample among one role or both."""

    k: int
    among: Literal["real", "generated", "both"]


@dataclass(frozen=True)
class MeanNearest:
    """Radius: the mean distance of a role's fit samples to their k-th nearest in that role."""

    k: int
    among: Role


@dataclass(frozen=True)
class Within:
    """Radius: the given distance, in the units of the data."""

    radius: float


Rule: TypeAlias = Nearest | MeanNearest | Within


@dataclass(frozen=True)
class Balls:
    """The balls of one family at one parameter: a rule for counting real samples, one for generated samples.

    Parameters
    ----------
    real, generated : the rule for the balls in which samples of that role are counted.
    around : "evaluation", a ball around each evaluation point, or "fit", a ball around each fit sample that
        is counted when it holds the evaluation point. Balls around fit samples reach to neighbours of their
        own role.

    Raises
    ------
    ValueError : balls around fit samples with another rule than Nearest within their own role.
    """

    real: Rule
    generated: Rule
    around: Literal["evaluation", "fit"] = "evaluation"

    def __post_init__(self) -> None:
        for role in ROLES if self.around == "fit" else ():
            rule = self.rule(role)
            if not isinstance(rule, Nearest) or rule.among != role:
                needed = f"Nearest(k, {role!r}) is needed"
                raise ValueError(f"balls around {role} fit samples have the rule {rule}; {needed}")

    def rule(self, role: Role) -> Rule:
        """The rule for counting samples of ``role``."""
        return self.real if role == "real" else self.generated


def squared_threshold(radius: float) -> float:
    """The largest double t with sqrt(t) <= radius: d2 <= t decides exactly as sqrt(d2) <= radius."""
    threshold = radius * radius
    while math.sqrt(threshold) > radius:
        threshold = math.nextafter(threshold, 0.0)
    while math.sqrt(above := math.nextafter(threshold, math.inf)) <= radius:
        threshold = above
    return threshold
