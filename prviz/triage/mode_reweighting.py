"""Mode re-weighting: the corner that re-weighted modes leave inside a curve."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from prviz.curves import PRCurve

__all__ = ["KINK", "KINK_SURE", "ModeReweighting", "kink"]

# Ratio of the ends of the range of lam over which one point is optimal: mode re-weighting from 3 on, if that of the
# replicates is at least 2. Two modes of which one is generated 3 times too often relative to the other give 3.
KINK = 3.0
KINK_SURE = 2.0
KINK_MOVE = 0.03  # largest move of the point in either error rate: the noise of a rate from a few hundred samples
KINK_INSIDE = 0.05  # least distance to either end of the curve, and to error rates of 0


class ModeReweighting(NamedTuple):
    """The point of a curve that stays optimal, nearly unmoved, over the widest range of lam; ratio 1 without one.

    ratio : ratio of the ends of that range. lam : their geometric mean. fpr, fnr : the point.
    """

    ratio: float
    lam: float
    fpr: float
    fnr: float


def kink(curve: PRCurve) -> ModeReweighting:
    """The mode re-weighting with the widest range of lam inside a curve.

    The range is that on which any of several vertices is optimal that lie within KINK_MOVE of each other in both rates,
    their middle at least KINK_INSIDE away from both ends and from rates of 0.
    """
    fpr, fnr = curve.vertices.T
    lo, hi = np.append(curve.breakpoints, 0.0), np.insert(curve.breakpoints, 0, np.inf)
    last = np.minimum(
        np.searchsorted(fpr, fpr + KINK_MOVE, side="right"), np.searchsorted(-fnr, KINK_MOVE - fnr, side="right")
    )
    last = np.maximum(last - 1, np.arange(len(fpr)))
    f, n = (fpr + fpr[last]) / 2, (fnr + fnr[last]) / 2
    inside = (f >= KINK_INSIDE) & (n >= KINK_INSIDE)
    inside &= (f <= curve.extreme_recall - KINK_INSIDE) & (n <= curve.extreme_precision - KINK_INSIDE)
    if not inside.any():
        return ModeReweighting(1.0, float("nan"), float("nan"), float("nan"))
    places = np.flatnonzero(inside)
    ratios = hi[places] / lo[last[places]]
    place = places[int(np.argmax(ratios))]
    ends = float(lo[last[place]]), float(hi[place])
    return ModeReweighting(float(ratios.max()), float(np.sqrt(ends[0] * ends[1])), float(f[place]), float(n[place]))
