"""What papers leave open about a curve: whether a sample counts itself, and how few rays draw the
curve.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from prviz.curves import PRCurve
from prviz.curves.rays import check_rays, iou_on_rays, rates_on_rays
from prviz.estimators import ESTIMATORS
from prviz.measure.estimates import Estimate
from prviz.neighbors.balls import ROLES

SelfCounting: TypeAlias = Literal["count", "none", "radius", "both"]
SELF_COUNTING: dict[SelfCounting, str] = {
    "count": "a sample counts itself, but is not its own neighbour (prviz)",
    "none": "a sample neither counts itself nor is its own neighbour",
    "radius": (
        "a sample is its own first neighbour, so that radii reach to the (k-1)-th other one, but is"
        " not counted"
    ),
    "both": "a sample is its own first neighbour, and is counted",
}


@dataclass(frozen=True)
class CurveConvention:
    """A way to turn counts in balls into a curve and to compare it; the default is prviz's own.

    Parameters
    ----------
    self_counting : {"count", "none", "radius", "both"}
        What a fit sample counts for in its own ball; see SELF_COUNTING.
    rays : int, optional
        Number of rays on which curves are drawn as polylines, see `iou_on_rays`; None: exact
        curves.
    gammas : bool
        True if the classifiers' thresholds gamma lie on the same rays; see `rates_on_rays`.

    Raises
    ------
    ValueError
        Another self-counting or number of rays, or gammas without rays.
    """

    self_counting: SelfCounting = "count"
    rays: int | None = None
    gammas: bool = False

    def __post_init__(self) -> None:
        if self.self_counting not in SELF_COUNTING:
            raise ValueError(
                f"self_counting = {self.self_counting!r}; one of {', '.join(SELF_COUNTING)} is"
                " needed"
            )
        if self.gammas and self.rays is None:
            raise ValueError("gammas = True without rays; thresholds on rays need their number")
        if self.rays is not None:
            check_rays(self.rays)

    @property
    def key(self) -> str:
        """Name of the column of the IoU by this convention."""
        drawn = "" if self.rays is None else f"_{self.rays}" + "_gamma" * self.gammas
        if self == CurveConvention():
            return "iou"
        return f"iou_{self.self_counting}{drawn}"

    def curve(self, at_k: Estimate, at_fewer: Estimate, *, held_out: bool) -> PRCurve:
        """The curve of a family whose supports are counts; arguments as in `self_counted`."""
        counted = self_counted(at_k, at_fewer, self.self_counting, held_out=held_out)
        if not self.gammas or self.rays is None:
            return counted.curve
        run = counted.supports
        return rates_on_rays(run.c_real, run.c_generated, run.n_real, self.rays).curve()

    def iou(self, curve: PRCurve, truth: PRCurve) -> float:
        """IoU of two curves, exact or on the rays."""
        if self.rays is None:
            return curve.iou(truth)
        return iou_on_rays(curve, truth, self.rays)


def self_counted(
    at_k: Estimate, at_fewer: Estimate, convention: SelfCounting, *, held_out: bool
) -> Estimate:
    """The estimate of a family whose supports are counts, by a convention of self-counting.

    Parameters
    ----------
    at_k, at_fewer : Estimate
        The family's estimates of one split at k and at k - 1 neighbours.
    convention : {"count", "none", "radius", "both"}
        See SELF_COUNTING; "count" is ``at_k`` itself.
    held_out : bool
        True with a split: no evaluation sample is a fit sample, so that only radii inside a fit set
        can count it.

    Returns
    -------
    Estimate
        The estimate, with the k of ``at_k``.

    Raises
    ------
    ValueError
        A family that does not count in balls, or estimates that are not at k and k - 1.
    """
    family = ESTIMATORS[at_k.method]
    k = at_k.k
    if not family.supports_are_counts or k is None or at_fewer.k != k - 1:
        raise ValueError(
            f"{at_k.method} at k = {k} and {at_fewer.k}; counts in balls at k and at k - 1 are"
            " needed"
        )
    if convention == "count":
        return at_k
    run = at_k.supports
    fewer = at_fewer.supports
    (balls,) = family.balls(k=k, bandwidth=None, sizes=(k + 1, k + 1))
    real = np.arange(len(run.c_real)) < run.n_real
    of_role = dict(zip(ROLES, (real, ~real), strict=True))
    sides = []
    for role, count, less in zip(
        ROLES, (run.c_real, run.c_generated), (fewer.c_real, fewer.c_generated), strict=True
    ):
        if convention != "none":
            rule = balls.rule(role)
            # True for evaluation samples whose count has a radius that a ball's own centre can be a
            # neighbour in.
            centred = np.full(len(real), balls.around == "fit" or rule.one_radius)
            for other in rule.roles:
                centred |= of_role[other] & (not held_out)
            count = np.where(centred, less, count)
        sides.append(count if held_out or convention == "both" else count - of_role[role])
    return replace(at_k, runs=(replace(run, c_real=sides[0], c_generated=sides[1]),))
