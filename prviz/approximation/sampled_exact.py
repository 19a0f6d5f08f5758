"""Exact supports of a few evaluation samples with all fit samples, to compare approximate supports with."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prviz.estimators import Supports
from prviz.neighbors import Balls, Distances, Nearest, Within, count_in_balls, nearest_radii
from prviz.neighbors.balls import ROLES, Role, Rule
from prviz.samples import Split

__all__ = ["SampledExact"]

Array = NDArray[Any]
Rows = NDArray[np.intp]


class SampledExact:
    """Exact supports of families that count in balls, on a sample.

    split : all fit samples and the few evaluation samples.
    centres : positions of the fit samples with balls of their own, by role; mean radii are over these too.
    fit_again : True if the evaluation samples are fit samples too, which a radius leaves out.
    memory_limit : bytes for the distances.
    progress : called with the fraction done; may raise to stop.
    """

    def __init__(
        self,
        split: Split,
        centres: Mapping[Role, Rows],
        *,
        fit_again: bool,
        memory_limit: int,
        progress: Callable[[float], None],
    ) -> None:
        self.split, self.centres, self._fit_again = split, centres, fit_again
        self._memory_limit, self._progress = memory_limit, progress
        self._radii: dict[tuple[Role, int], Array] = {}

    def supports(self, balls: Mapping[str, Balls]) -> dict[str, Supports]:
        """Supports by name of the family."""
        around = {name: each for name, each in balls.items() if each.around == "evaluation"}
        counts = self._around_evaluation(around) if around else {}
        counts |= {name: self._around_fit(each) for name, each in balls.items() if each.around == "fit"}
        return {name: Supports(*counts[name], len(self.split.evaluate_rows[0])) for name in balls}

    def _around_evaluation(self, balls: Mapping[str, Balls]) -> dict[str, tuple[Array, Array]]:
        """Counts as if held out, where a sample that is also a fit sample is its own nearest neighbour."""
        held_out = {name: tuple(self._held_out(each, role) for role in ROLES) for name, each in balls.items()}
        different = list(dict.fromkeys(each for both in held_out.values() for each in both))
        distances = Distances(self.split, memory_limit=self._memory_limit)
        counted = dict(zip(different, distances.count(different, progress=self._progress), strict=True))
        n_real = len(self.split.evaluate_rows[0])
        counts = {}
        for name, (for_real, for_generated) in held_out.items():
            first, second = counted[for_real], counted[for_generated]
            counts[name] = (
                np.concatenate([first.real[:n_real], second.real[n_real:]]),
                np.concatenate([first.generated[:n_real], second.generated[n_real:]]),
            )
        return counts

    def _held_out(self, balls: Balls, role: Role) -> Balls:
        """Balls around points of this role, equal to ``balls`` when the points do not count as fit samples."""
        return replace(balls, real=self._rule(balls.real, role), generated=self._rule(balls.generated, role))

    def _rule(self, rule: Rule, role: Role) -> Rule:
        radius = rule.single_radius(self._mean_radius)
        if radius is not None:
            return Within(radius)
        if isinstance(rule, Nearest) and self._fit_again and role in rule.roles:
            return Nearest(rule.k + 1, rule.among)
        return rule

    def _mean_radius(self, role: Role, k: int) -> float:
        radii = self._own_radii(role, k)
        return math.fsum(radii.tolist()) / len(radii)

    def _around_fit(self, balls: Balls) -> tuple[Array, Array]:
        real, generated = (self._inside(role, balls.rule(role)) for role in ROLES)
        return real, generated

    def _inside(self, role: Role, rule: Rule) -> Array:
        values, rows = self._fit(role)
        radii, centres = self._own_radii(role, rule.k), rows[self.centres[role]]
        sides = zip(self.split.pair, self.split.evaluate_rows, strict=True)
        counts = [count_in_balls(side.values, values, radii, rows=part, centre_rows=centres) for side, part in sides]
        return np.concatenate(counts)

    def _own_radii(self, role: Role, k: int) -> Array:
        if (role, k) not in self._radii:
            values, rows = self._fit(role)
            self._radii[role, k] = nearest_radii(values, rows[self.centres[role]], k, rows)
        return self._radii[role, k]

    def _fit(self, role: Role) -> tuple[Array, Rows]:
        which = ROLES.index(role)
        return (self.split.pair.real, self.split.pair.generated)[which].values, self.split.fit_rows[which]
