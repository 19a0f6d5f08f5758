"""Detects where an estimated curve lies beyond an upper bound of the true curve: there the estimate
is refuted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from prviz.arrays import Flags
from prviz.curves.pr_curve import PRCurve

# Distance along a ray from the origin by which a curve must lie beyond a bound to count as refuted:
# a smaller distance can't be seen in a figure.
BEYOND = 2e-3
# Angles theta, in degrees, at which curves and bounds are compared; lam = tan(theta).
_ANGLES = np.arange(361) / 4


def is_refuted(lam: ArrayLike, alpha: ArrayLike, beta: ArrayLike, bound: PRCurve) -> Flags:
    """For each point (lam, alpha, beta) of a curve, True if it lies beyond the upper bound at the
    same lam.
    """
    limit = np.hypot(bound.alpha(lam), bound.beta(lam))
    beyond: Flags = np.hypot(alpha, beta) > limit + BEYOND
    return beyond


def refuted_runs(curve: PRCurve, bound: PRCurve) -> list[tuple[float, float]]:
    """The ranges of lam in which a curve lies beyond an upper bound of the truth: the first and the
    last lam of each, in increasing order. Both are compared at the angles of _ANGLES.

    The bound is above the truth at every lam, so a curve beyond the bound is wrong there.
    """
    lams = np.tan(np.radians(_ANGLES))
    lams[-1] = np.inf
    places = np.flatnonzero(is_refuted(lams, curve.alpha(lams), curve.beta(lams), bound))
    runs = np.split(places, np.flatnonzero(np.diff(places) > 1) + 1)
    return [(float(lams[run[0]]), float(lams[run[-1]])) for run in runs if len(run)]
