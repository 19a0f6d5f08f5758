"""Where a curve lies beyond an upper bound of the truth: there, and only there, it is refuted."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from prviz.arrays import Flags
from prviz.curves.pr_curve import PRCurve

# By how much of a distance from the origin a curve must lie beyond a bound: less is not seen.
BEYOND = 2e-3
# Angles of lam, in degrees, at which a curve is looked at.
_ANGLES = np.arange(361) / 4


def is_refuted(lam: ArrayLike, alpha: ArrayLike, beta: ArrayLike, bound: PRCurve) -> Flags:
    """True for each of these points of a curve that lies beyond the bound on the ray of its lam."""
    limit = np.hypot(bound.alpha(lam), bound.beta(lam))
    beyond: Flags = np.hypot(alpha, beta) > limit + BEYOND
    return beyond


def refuted_runs(curve: PRCurve, bound: PRCurve) -> list[tuple[float, float]]:
    """The first and the last lam of each run of 361 angles at which a curve lies beyond a bound, by
    increasing lam.

    The truth lies below the bound at every lam at once, so what lies beyond it at one lam is wrong
    there.
    """
    lams = np.tan(np.radians(_ANGLES))
    lams[-1] = np.inf
    places = np.flatnonzero(is_refuted(lams, curve.alpha(lams), curve.beta(lams), bound))
    runs = np.split(places, np.flatnonzero(np.diff(places) > 1) + 1)
    return [(float(lams[run[0]]), float(lams[run[-1]])) for run in runs if len(run)]
