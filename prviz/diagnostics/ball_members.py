"""Ball members: the fit samples that a family counts for each evaluation sample, and the balls.

The counts c_X(z) and c_Y(z) of a neighbour family are votes of fit samples for "real" and for "generated". The curves
need only their numbers; for figures and explanations this module lists the fit samples and the balls.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from prviz.curves.frozen import ReadOnlyArrays
from prviz.estimators import ESTIMATORS
from prviz.estimators.base import check_bandwidth, check_k
from prviz.neighbors import Balls, Distances
from prviz.neighbors.balls import ROLES, Role, squared_threshold
from prviz.neighbors.rows import RowView, pair_distances
from prviz.samples import Split

Floats: TypeAlias = NDArray[np.float64]
Members: TypeAlias = tuple[NDArray[np.intp], ...]

# Largest number of pairs of an evaluation and a fit sample, whose distances are all held in memory at once.
MOST_PAIRS = 1 << 24


@dataclass(frozen=True, eq=False)
class BallMembers(ReadOnlyArrays):
    """Fit samples counted for each of m evaluation samples, real ones first, and the balls of the counts.

    real, generated : (m,) tuples of increasing positions among the real and the generated fit samples; their lengths
        are c_X and c_Y.
    around : "evaluation": each evaluation sample has a ball for either role; "fit": each fit sample has a ball, and
        counts for all evaluation samples in it.
    real_radii, generated_radii : radii of these balls: (m,) each, or one per real and one per generated fit sample.
    """

    real: Members
    generated: Members
    around: Literal["evaluation", "fit"]
    real_radii: Floats
    generated_radii: Floats

    def __post_init__(self) -> None:
        super().__post_init__()
        for array in (*self.real, *self.generated):
            array.flags.writeable = False


def votes(split: Split, method: str, *, k: int, bandwidth: float | None = None) -> BallMembers:
    """Exact ball members of a family that counts in one kind of balls, such as knn, kde, ipr and coverage.

    split : few samples, since all pairs of evaluation and fit samples are compared. method, k, bandwidth : as in
    `prviz.estimate`. Raises ValueError for another family, an illegal k or bandwidth, or more than 16 million pairs.
    """
    family = ESTIMATORS.get(method)
    if family is None or not family.supports_are_counts:
        raise ValueError(f"method = {method!r}; a family that counts in one kind of balls is needed")
    sizes = [sum(map(len, rows)) for rows in (split.evaluate_rows, split.fit_rows)]
    if sizes[0] * sizes[1] > MOST_PAIRS:
        raise ValueError(f"{sizes[0]} evaluation and {sizes[1]} fit samples; at most {MOST_PAIRS} pairs are compared")
    fit = len(split.fit_rows[0]), len(split.fit_rows[1])
    (balls,) = family.balls(k=check_k(k, split), bandwidth=check_bandwidth(bandwidth), sizes=fit)
    evaluated = np.concatenate([side.values for side in split.evaluate])
    squared = {role: _squared(evaluated, _fitted(split, role)) for role in ROLES}
    limits = {role: _limits(split, balls, role, squared) for role in ROLES}
    columns = balls.around == "fit"
    members = {
        role: tuple(
            np.flatnonzero(row) for row in squared[role] <= (limits[role] if columns else limits[role][:, None])
        )
        for role in ROLES
    }
    radii = [np.sqrt(limits[role]) for role in ROLES]
    return BallMembers(members["real"], members["generated"], balls.around, radii[0], radii[1])


def _fitted(split: Split, role: Role) -> NDArray[Any]:
    return (split.fit.real if role == "real" else split.fit.generated).values


def _squared(points: NDArray[Any], samples: NDArray[Any]) -> Floats:
    """Reference squared distances: (points, samples)."""
    rows, columns = np.divmod(np.arange(len(points) * len(samples)), len(samples))
    return pair_distances(RowView(points), rows, RowView(samples), columns).reshape(len(points), len(samples))


def _limits(split: Split, balls: Balls, role: Role, squared: dict[Role, Floats]) -> Floats:
    """Squared radii in which fit samples of a role are counted: one per evaluation sample, or one per fit sample."""
    rule, m = balls.rule(role), len(squared[role])
    radius = rule.single_radius(lambda among, k: Distances(split).mean_radii(k)[ROLES.index(among)])
    if radius is not None:
        return np.full(m, squared_threshold(radius))
    if balls.around == "fit":  # from each fit sample to its k-th nearest other one of its role
        values = _fitted(split, role)
        own = _squared(values, values)
        np.fill_diagonal(own, np.inf)
        return np.partition(own, rule.k - 1, axis=1)[:, rule.k - 1]
    parts = []  # from each evaluation sample to its k-th nearest fit sample, itself left out by index
    for among in rule.roles:
        part = squared[among].copy()
        if not split.held_out:
            start = 0 if among == "real" else split.fit.real.n
            itself = np.arange(part.shape[1])
            part[start + itself, itself] = np.inf
        parts.append(part)
    return np.partition(np.concatenate(parts, axis=1), rule.k - 1, axis=1)[:, rule.k - 1]
