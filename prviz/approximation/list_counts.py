"""Counts in balls around points from lists of near fit samples, for every rule of `prviz.neighbors.balls`.

Where a ball reaches beyond the list:

- a ball that reaches to a k-th neighbour: samples beyond the list are not counted, so that the count is a lower bound;
- one radius for all: both balls shrink by the factor that brings them inside their lists. For a uniform density around
  the point the ratio of the two counts, which is all that a family uses, does not change.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prviz.neighbors.balls import ROLES, Balls, Role, Rule

__all__ = ["ApproximateLists", "ball_counts"]

Array = NDArray[Any]


class ApproximateLists(NamedTuple):
    """Distances of m points to near fit samples, by role.

    squared : (m, length) squared distances, increasing; a point that is a fit sample is in its own list.
    whole : True if the lists hold the whole set.
    """

    squared: Mapping[Role, Array]
    whole: Mapping[Role, bool]

    def reach(self, role: Role) -> Array:
        """Squared distance, (m,), up to which the lists are complete."""
        ends: Array = self.squared[role][:, -1]
        return np.full(len(ends), np.inf) if self.whole[role] else ends


def ball_counts(
    lists: ApproximateLists, balls: Balls, fixed: Mapping[Rule, float], role: Role | None
) -> tuple[Array, Array]:
    """Numbers, (m,), of real and of generated fit samples in balls around the points.

    fixed : squared radius of each rule with one radius for all points.
    role : role of the points if they are fit samples too, which a radius leaves out; else None.
    """
    squared = {each: _squared_radius(balls.rule(each), lists, fixed, role) for each in ROLES}
    if balls.real.one_radius and balls.generated.one_radius:
        shrink = np.min([_shrink(lists.reach(each), squared[each]) for each in ROLES], axis=0)
        squared = {each: radius * shrink for each, radius in squared.items()}
    real, generated = (np.count_nonzero(lists.squared[each] <= squared[each][:, None], axis=1) for each in ROLES)
    return real, generated


def _shrink(reach: Array, squared: Array) -> Array:
    """Factor, at most one, that brings squared radii within reach."""
    shrink: Array = np.minimum(1.0, np.divide(reach, squared, out=np.ones(len(reach)), where=squared > reach))
    return shrink


def _squared_radius(rule: Rule, lists: ApproximateLists, fixed: Mapping[Rule, float], role: Role | None) -> Array:
    """Squared radius, (m,), around each point."""
    if rule.one_radius:
        return np.full(len(lists.squared[ROLES[0]]), fixed[rule])
    near = np.hstack([lists.squared[each] for each in rule.roles])
    order = rule.k + (role in rule.roles)
    radius: Array = np.partition(near, order - 1, axis=1)[:, order - 1]
    return radius
