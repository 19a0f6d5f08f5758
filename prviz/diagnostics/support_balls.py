"""Balls that form an estimated support, to draw as circles: exact centres and radii of some of
them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from prviz.arrays import Floats, Ints
from prviz.estimators import ESTIMATORS
from prviz.neighbors import Balls, nearest_radii, radii_to
from prviz.neighbors.balls import ROLES, Rule
from prviz.samples import Split

# Radii are computed for at most this many balls, and the balls to draw are chosen from these.
MOST_RADII = 2000


@dataclass(frozen=True, eq=False)
class SupportBalls:
    """Some balls of the estimated support of one role.

    role : "real" for the support of P, "generated" for that of Q, "both" if the balls are the same.
    around : "fit": the support is the union of the balls, each around a fit sample of its role.
    "evaluation": each point has a ball of its own, and is in the support if a fit sample of the
    role is in that ball.
    centres, radii : (m, d) and (m,), by increasing radius.
    total : number of balls from which these were chosen.
    """

    role: Literal["real", "generated", "both"]
    around: Literal["fit", "evaluation"]
    centres: Floats
    radii: Floats
    total: int


def support_balls(
    split: Split, method: str, *, k: int, radii: tuple[float, float] | None = None, most: int = 60
) -> tuple[SupportBalls, ...]:
    """Some balls of the supports of P and Q, at most ``most`` of each; () if the family has no
    balls to draw.

    Balls are chosen evenly by the rank of their radius; the smallest and the largest are among
    them.

    split, method, k : those of the estimate.
    radii : radius of all real and of all generated balls, if the family has one
    (`Estimate.bandwidth`).

    Balls with one common radius are drawn around fit samples, although the family counts in balls
    around evaluation samples: both give the same support, since the distance is symmetric.
    """
    if radii is not None:
        chosen = [rows[_evenly(len(rows), most)] for rows in split.fit_rows]
        centres = [
            side.values[some].astype(float) for side, some in zip(split.pair, chosen, strict=True)
        ]
        return tuple(
            SupportBalls(
                ROLES[role],
                "fit",
                centres[role],
                np.full(len(chosen[role]), radii[role]),
                len(rows),
            )
            for role, rows in enumerate(split.fit_rows)
        )
    several = ESTIMATORS[method].balls(
        k=k, bandwidth=None, sizes=(len(split.fit_rows[0]), len(split.fit_rows[1]))
    )
    if len(several) != 1:
        return ()
    (balls,) = several
    if balls.around == "evaluation" and balls.real == balls.generated:
        return (replace(_of_rule(split, 0, balls, most), role="both"),)
    return tuple(_of_rule(split, role, balls, most) for role in (0, 1))


def _evenly(n: int, most: int) -> Ints:
    """At most ``most`` evenly spaced positions from 0 to n - 1, the first and the last included."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(np.intp))


def _of_rule(split: Split, role: int, balls: Balls, most: int) -> SupportBalls:
    values = [side.values for side in split.pair]
    rule = balls.rule(ROLES[role])
    if rule.one_radius:
        raise TypeError(f"{rule} has one radius for all balls; give it as radii")
    if balls.around == "fit":
        rows = split.fit_rows[role]
        chosen = rows[_evenly(len(rows), MOST_RADII)]
        total = len(rows)
        centres = values[role][chosen]
        radii = nearest_radii(values[role], chosen, rule.k, rows)
    else:
        parts = []
        total = sum(map(len, split.evaluate_rows))
        for own, rows in enumerate(split.evaluate_rows):
            chosen = rows[_evenly(len(rows), MOST_RADII // 2)]
            parts.append((values[own][chosen], _own_radii(split, own, chosen, rule)))
        centres, radii = (np.concatenate(part) for part in zip(*parts, strict=True))
    drawn = np.argsort(radii, kind="stable")[_evenly(len(radii), most)]
    return SupportBalls(
        ROLES[role], balls.around, centres[drawn].astype(float), radii[drawn], total
    )


def _own_radii(split: Split, own: int, chosen: Ints, rule: Rule) -> Floats:
    """Radii of balls around evaluation samples of a role; a sample that is also a fit sample is not
    its own neighbour.
    """
    sides = [ROLES.index(role) for role in rule.roles]
    among = [(tuple(split.pair)[side].values, split.fit_rows[side]) for side in sides]
    fit = np.concatenate([values[rows] for values, rows in among])
    points = tuple(split.pair)[own].values
    if split.held_out or own not in sides:
        return radii_to(points, fit, rule.k, rows=chosen)
    # Without split row i is fit sample i, so a chosen row finds its own place among the fit
    # samples.
    start = 0
    if len(sides) == 2 and own == 1:
        start = len(among[0][1])
    return nearest_radii(fit, chosen + start, rule.k)
