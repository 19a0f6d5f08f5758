"""Counts in balls around points from lists of near fit samples, for every rule of `prviz.neighbors.balls`.

Where a list is shorter than a ball reaches, its end stands for the rest:

- a ball that reaches to a k-th neighbour: what lies beyond the list is not counted, so that the count is a lower bound;
- one radius for all: both balls shrink by the factor that brings them inside their lists. Around one point the density
  is taken for even, so that the ratio of the two counts, which is all that a family uses, stays what it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prviz.neighbors.balls import ROLES, Balls, Nearest, Role, Rule

__all__ = ["ApproximateLists", "ball_counts"]

Array = NDArray[Any]


class ApproximateLists(NamedTuple):
    """The near fit samples of m points, by role.

    squared : (m, length) squared distances, increasing; a point that is a fit sample is in its own list.
    whole : whether the lists hold the whole set.
    """

    squared: Mapping[Role, Array]
    whole: Mapping[Role, bool]

    def reach(self, role: Role) -> Array:
        """Squared distance up to which nothing is missing: (m,)."""
        ends: Array = self.squared[role][:, -1]
        return np.full(len(ends), np.inf) if self.whole[role] else ends


def ball_counts(
    lists: ApproximateLists, balls: Balls, fixed: Mapping[Rule, float], role: Role | None
) -> tuple[Array, Array]:
    """(m,) numbers of real and of generated fit samples in balls around the points.

    fixed : squared radius of each rule that gives one to all points.
    role : that of the points if they are fit samples too, and a radius has to leave them out; else None.
    """
    squared = {each: _squared_radius(balls.rule(each), lists, fixed, role) for each in ROLES}
    if not any(isinstance(balls.rule(each), Nearest) for each in ROLES):
        shrink = np.min([_shrink(lists.reach(each), squared[each]) for each in ROLES], axis=0)
        squared = {each: radius * shrink for each, radius in squared.items()}
    real, generated = (np.count_nonzero(lists.squared[each] <= squared[each][:, None], axis=1) for each in ROLES)
    return real, generated


def _shrink(reach: Array, squared: Array) -> Array:
    """The factor, at most one, that brings squared radii within reach."""
    shrink: Array = np.minimum(1.0, np.divide(reach, squared, out=np.ones(len(reach)), where=squared > reach))
    return shrink


def _squared_radius(rule: Rule, lists: ApproximateLists, fixed: Mapping[Rule, float], role: Role | None) -> Array:
    """Squared radius around each point: (m,)."""
    some = lists.squared[ROLES[0]]
    if not isinstance(rule, Nearest):
        return np.full(len(some), fixed[rule])
    near = np.hstack([lists.squared[each] for each in ROLES]) if rule.among == "both" else lists.squared[rule.among]
    itself = role is not None and rule.among in ("both", role)
    order = rule.k + itself
    radius: Array = np.partition(near, order - 1, axis=1)[:, order - 1]
    return radius
