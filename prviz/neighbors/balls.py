"""Balls that a family of classifiers counts in: the vocabulary of the estimators.

For an evaluation point z a family needs c_X(z), the number of real fit samples x with d(x, z) <=
radius, and its mirror c_Y(z). The radius belongs either to the evaluation point or to the fit
sample, and follows a rule:

    Nearest(k, "both")        distance from the ball's centre to its k-th nearest fit sample among
                              real and generated ones pooled
    Nearest(k, "real")        distance from the centre to its k-th nearest real fit sample
                              ("generated" likewise)
    MeanNearest(k, "real")    one radius for all balls: the mean k-NN radius inside the real fit
                              samples ("generated" likewise)
    Within(radius)            one given radius for all balls

Every rule has the same attributes: the roles among which it looks for neighbours (``roles``), which
neighbour it takes (``k``), whether all balls share one radius (``one_radius``), and that radius
(``single_radius``).

Balls are closed. The k-th nearest sample of a centre never is the centre itself, which is left out
by its index and not by its distance of zero: a duplicate of the centre is another point. A count
includes the evaluation point itself where it is a fit sample, that is, without split.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

Role: TypeAlias = Literal["real", "generated"]
ROLES: tuple[Role, Role] = ("real", "generated")
OTHER: dict[Role, Role] = {"real": "generated", "generated": "real"}
# A function of a role and k: the mean distance from the fit samples of that role to their k-th
# nearest neighbours of the same role.
MeanRadius: TypeAlias = Callable[[Role, int], float]


@dataclass(frozen=True)
class Nearest:
    """Radius of each ball: the distance from its centre to the k-th nearest fit sample of one or
    both roles.
    """

    k: int
    among: Literal["real", "generated", "both"]

    one_radius: ClassVar[bool] = False

    @property
    def roles(self) -> tuple[Role, ...]:
        """The roles among which the k-th nearest sample is counted off."""
        if self.among == "both":
            return ROLES
        return (self.among,)

    def single_radius(self, mean_radius: MeanRadius) -> float | None:  # noqa: ARG002
        """None, because each ball has a radius of its own."""
        return None


@dataclass(frozen=True)
class MeanNearest:
    """One radius for all balls: the mean distance from a role's fit samples to their k-th nearest
    neighbours of the same role.
    """

    k: int
    among: Role

    one_radius: ClassVar[bool] = True

    @property
    def roles(self) -> tuple[Role, ...]:
        """A tuple with one entry: the role inside which the mean distance is computed."""
        return (self.among,)

    def single_radius(self, mean_radius: MeanRadius) -> float | None:
        """The one radius of all balls: ``mean_radius`` of this rule's role and k."""
        return mean_radius(self.among, self.k)


@dataclass(frozen=True)
class Within:
    """One radius for all balls, given in the units of the data."""

    radius: float

    one_radius: ClassVar[bool] = True
    k: ClassVar[int] = 0
    roles: ClassVar[tuple[Role, ...]] = ()

    def single_radius(self, mean_radius: MeanRadius) -> float | None:  # noqa: ARG002
        """The radius that was given to the rule."""
        return self.radius


Rule: TypeAlias = Nearest | MeanNearest | Within


@dataclass(frozen=True)
class Balls:
    """The balls in which one family counts, for one value of k or of the bandwidth: one rule for
    counting real samples, one for counting generated samples.

    real, generated : the rule for the balls in which samples of that role are counted.
    around : "evaluation", a ball around each evaluation point, or "fit", a ball around each fit
    sample that is counted when it holds the evaluation point. With "fit" the rule must be `Nearest`
    among fit samples of the same role.
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
        """The rule of the balls in which samples of ``role`` are counted."""
        if role == "real":
            return self.real
        return self.generated

    def request(self, role: Role) -> CountRequest:
        """Convert the balls to the request of the engine that counts the fit samples of ``role`` in
        them.
        """
        return CountRequest(role, self.around, self.rule(role))

    def requests(self) -> tuple[CountRequest, CountRequest]:
        """The two requests: for the real samples, and for the generated ones."""
        return self.request("real"), self.request("generated")


@dataclass(frozen=True)
class CountRequest:
    """Request to the engine: count the fit samples of ``role`` in balls of one rule, placed around
    evaluation points or around the fit samples themselves.
    """

    role: Role
    around: Literal["evaluation", "fit"]
    rule: Rule

    @property
    def own(self) -> tuple[Role, int] | None:
        """The radii that must be computed before counting, as (role, k): distances of that role's
        fit samples to their k-th nearest neighbours of the same role. None if the rule needs none.
        """
        if self.around == "fit" or self.rule.one_radius:
            return next(((role, self.rule.k) for role in self.rule.roles), None)
        return None

    @property
    def evaluated(self) -> Role:
        """The role opposite to the counted one: ball members are listed for the evaluation samples
        of this role.
        """
        if self.role == "real":
            return "generated"
        return "real"

    @property
    def reached(self) -> tuple[Role, ...]:
        """Roles whose fit samples are compared with the evaluation samples: the role that is
        counted, and those whose samples decide the radii.
        """
        sets_radii = () if self.around == "fit" or self.rule.one_radius else self.rule.roles
        return tuple(role for role in ROLES if role == self.role or role in sets_radii)


def squared_threshold(radius: float) -> float:
    """The largest double t with sqrt(t) <= radius, so that d2 <= t decides exactly as sqrt(d2) <=
    radius, without roots.
    """
    threshold = radius * radius
    while math.sqrt(threshold) > radius:
        threshold = math.nextafter(threshold, 0.0)
    while math.sqrt(above := math.nextafter(threshold, math.inf)) <= radius:
        threshold = above
    return threshold
