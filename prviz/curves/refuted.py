"""Where a curve lies beyond an upper bound of the truth: there, and only there, it is refuted."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from prviz.curves.pr_curve import PRCurve

# By how much of a distance from the origin a curve must lie beyond a bound: less is not seen.
BEYOND = 2e-3
# Angles of lam, in degrees, at which a curve is looked at.
_ANGLES = np.arange(361) / 4


def is_refuted(lam: ArrayLike, alpha: ArrayLike, beta: ArrayLike, bound: PRCurve) -> NDArray[np.bool_]:
    """True for each of these points of a curve that lies beyond the bound on the ray of its lam."""
    limit = np.hypot(bound.alpha(lam), bound.beta(lam))
    beyond: NDArray[np.bool_] = np.hypot(alpha, beta) > limit + BEYOND
    return beyond


def refuted_lams(curve: PRCurve, bound: PRCurve) -> tuple[float, float] | None:
    """The least and the greatest lam at which a curve lies beyond a bound, of 361 angles; None where it does nowhere.

    The truth lies below the bound at every lam at once, so what lies beyond it at one lam is wrong there.
    """
    lams = np.tan(np.radians(_ANGLES))
    lams[-1] = np.inf
    beyond = lams[is_refuted(lams, curve.alpha(lams), curve.beta(lams), bound)]
    return (float(beyond[0]), float(beyond[-1])) if len(beyond) else None
