"""Balls that a family of classifiers counts in: the vocabulary of the estimators.

For an evaluation point z a family needs c_X(z), the number of real fit samples x with d(x, z) <=
radius, and its mirror c_Y(z). The radius belongs either to the evaluation point or to the fit
sample, and follows a rule:

    Nearest(k, "both")        distance from the centre to its k-th nearest fit sample, real and
    generated pooled Nearest(k, "real")        ... to its k-th nearest real fit sample ("generated":
    likewise) MeanNearest(k, "real")    one radius for all: the mean k-NN radius inside the real fit
    samples Within(radius)            one radius for all, given

Every rule answers for itself: which roles it reaches to (``roles``) and to which neighbour there
(``k``), whether all balls have one radius (``one_radius``), and that radius (``single_radius``).

Balls are closed. A radius leaves the centre itself out by index, never because its distance is
zero: duplicates are other points. A count includes the point itself when it is a fit sample, that
is, without split.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

Role: TypeAlias = Literal["real", "generated"]
ROLES: tuple[Role, Role] = ("real", "generated")
OTHER: dict[Role, Role] = {"real": "generated", "generated": "real"}
# Mean distance of a role's fit samples to their k-th nearest in that role.
MeanRadius: TypeAlias = Callable[[Role, int], float]


@dataclass(frozen=True)
class Nearest:
    """Radius: from the ball's centre to its k-th nearest fit sample among one role or both."""

    k: int
    among: Literal["real", "generated", "both"]

    one_radius: ClassVar[bool] = False

    @property
    def roles(self) -> tuple[Role, ...]:
        """Roles of the neighbours."""
        if self.among == "both":
            return ROLES
        return (self.among,)

    def single_radius(self, mean_radius: MeanRadius) -> float | None:  # noqa: ARG002
        """None: each ball has its own radius."""
        return None


@dataclass(frozen=True)
class MeanNearest:
    """Radius: the mean distance of a role's fit samples to their k-th nearest in that role."""

    k: int
    among: Role

    one_radius: ClassVar[bool] = True

    @property
    def roles(self) -> tuple[Role, ...]:
        """Role of the neighbours."""
        return (self.among,)

    def single_radius(self, mean_radius: MeanRadius) -> float | None:
        """Radius of all balls, from mean distances to neighbours."""
        return mean_radius(self.among, self.k)


@dataclass(frozen=True)
class Within:
    """Radius: the given distance, in the units of the data."""

    radius: float

    one_radius: ClassVar[bool] = True
    k: ClassVar[int] = 0
    roles: ClassVar[tuple[Role, ...]] = ()

    def single_radius(self, mean_radius: MeanRadius) -> float | None:  # noqa: ARG002
        """Radius of all balls."""
        return self.radius


Rule: TypeAlias = Nearest | MeanNearest | Within


@dataclass(frozen=True)
class Balls:
    """The balls of one family at one parameter: a rule for counting real samples, one for generated
    samples.

    real, generated : the rule for the balls in which samples of that role are counted.
    around : "evaluation", a ball around each evaluation point, or "fit", a ball around each fit
    sample that
        is counted when it holds the evaluation point. Balls around fit samples reach to neighbours
        of their own role.
    """

    real: Rule
    generated: Rule
    around: Literal["evaluation", "fit"] = "evaluation"

    def __post_init__(self) -> None:
        for role in ROLES if self.around == "fit" else ():
            rule = self.rule(role)
            if rule.one_radius or rule.roles != (role,):
                needed = f"Nearest(k, {role!r}) is needed"
                raise ValueError(f"balls around {role} fit samples have the rule {rule}; {needed}")

    def rule(self, role: Role) -> Rule:
        """The rule for counting samples of ``role``."""
        if role == "real":
            return self.real
        return self.generated

    def request(self, role: Role) -> CountRequest:
        """Request to count the fit samples of ``role`` in these balls."""
        return CountRequest(role, self.around, self.rule(role))


@dataclass(frozen=True)
class CountRequest:
    """Request to the engine: the fit samples of ``role`` in balls of a rule around evaluation or
    fit samples.
    """

    role: Role
    around: Literal["evaluation", "fit"]
    rule: Rule

    @property
    def own(self) -> tuple[Role, int] | None:
        """Role and k of the distances from fit samples to their k-th nearest in their role that
        decide the radii.
        """
        if self.around == "fit" or self.rule.one_radius:
            return next(((role, self.rule.k) for role in self.rule.roles), None)
        return None

    @property
    def evaluated(self) -> Role:
        """The other role, for whose evaluation samples ball members are listed."""
        if self.role == "real":
            return "generated"
        return "real"

    @property
    def reached(self) -> tuple[Role, ...]:
        """Roles whose distances from the evaluation samples are needed: the counted one and those
        that set radii.
        """
        sets_radii = () if self.around == "fit" or self.rule.one_radius else self.rule.roles
        return tuple(role for role in ROLES if role == self.role or role in sets_radii)


def squared_threshold(radius: float) -> float:
    """The largest double t with sqrt(t) <= radius: d2 <= t decides exactly as sqrt(d2) <=
    radius.
    """
    threshold = radius * radius
    while math.sqrt(threshold) > radius:
        threshold = math.nextafter(threshold, 0.0)
    while math.sqrt(above := math.nextafter(threshold, math.inf)) <= radius:
        threshold = above
    return threshold
