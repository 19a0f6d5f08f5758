"""Exact supports of a few evaluation samples with all fit samples, to compare approximate supports with."""

from __future__ import annotations

import functools
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

Array = NDArray[Any]
Rows = NDArray[np.intp]


def exact_supports(
    split: Split,
    balls: Mapping[str, Balls],
    centres: Mapping[Role, Rows],
    *,
    fit_again: bool,
    memory_limit: int,
    progress: Callable[[float], None],
) -> dict[str, Supports]:
    """Exact supports of a few evaluation samples with all fit samples, by name of the family that counts in balls.

    centres : positions of the fit samples with balls of their own, by role; mean radii are over these too.
    fit_again : True if the evaluation samples are fit samples too, which a radius leaves out.
    """
    n_real, values = (
        len(split.evaluate_rows[0]),
        {role: side.values for role, side in zip(ROLES, split.pair, strict=True)},
    )
    fit_rows = dict(zip(ROLES, split.fit_rows, strict=True))
    own_rows = {role: rows[centres[role]] for role, rows in fit_rows.items()}

    @functools.cache
    def own_radii(role: Role, k: int) -> Array:
        return nearest_radii(values[role], own_rows[role], k, fit_rows[role])

    def as_held_out(rule: Rule, role: Role) -> Rule:
        """Rule around points of this role, where a sample that is also a fit sample is its own nearest neighbour."""
        radius = rule.single_radius(lambda among, k: math.fsum(own_radii(among, k).tolist()) / len(own_rows[among]))
        if radius is not None:
            return Within(radius)
        if isinstance(rule, Nearest) and fit_again and role in rule.roles:
            return Nearest(rule.k + 1, rule.among)
        return rule

    def around_fit(role: Role, rule: Rule) -> Array:
        sides, radii = zip(split.pair, split.evaluate_rows, strict=True), own_radii(role, rule.k)
        return np.concatenate(
            [
                count_in_balls(side.values, values[role], radii, rows=part, centre_rows=own_rows[role])
                for side, part in sides
            ]
        )

    held_out = {
        name: [
            replace(each, real=as_held_out(each.real, role), generated=as_held_out(each.generated, role))
            for role in ROLES
        ]
        for name, each in balls.items()
        if each.around == "evaluation"
    }
    counts: dict[str, tuple[Array, Array]] = {}
    if held_out:
        different = list(dict.fromkeys(each for both in held_out.values() for each in both))
        distances = Distances(split, memory_limit=memory_limit)
        counted = dict(zip(different, distances.count(different, progress=progress), strict=True))
        for name, both in held_out.items():
            first, second = (counted[each] for each in both)
            real = np.concatenate([first.real[:n_real], second.real[n_real:]])
            counts[name] = real, np.concatenate([first.generated[:n_real], second.generated[n_real:]])
    for name, each in balls.items():
        if each.around == "fit":
            counts[name] = around_fit("real", each.real), around_fit("generated", each.generated)
    return {name: Supports(*counts[name], n_real) for name in balls}
