"""The kink that re-weighted modes leave inside a curve."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from prviz.curves import PRCurve

__all__ = ["KINK", "KINK_SURE", "ModeReweighting", "kink"]

# A kink is a point that is optimal over lam in a ratio of 3, as between two modes made 3 times as often relative to
# each other as they should be. Of two Gaussians shifted or scaled against each other the curve turns evenly: the ratio
# stays near 2. The replicates must hold most of it.
KINK = 3.0
KINK_SURE = 2.0
KINK_MOVE = 0.03  # how far the point may move in either error rate: the noise of a rate from a few hundred samples
KINK_INSIDE = 0.05  # from either end of the curve, and from error rates of 0


class ModeReweighting(NamedTuple):
    """The point of a curve that stays optimal, nearly unmoved, over the widest range of lam; ratio 1 where none is.

    ratio : of the ends of that range. lam : their geometric mean. fpr, fnr : the point.
    """

    ratio: float
    lam: float
    fpr: float
    fnr: float


def kink(curve: PRCurve) -> ModeReweighting:
    """The widest kink inside a curve.

    Vertices within KINK_MOVE of each other in both rates, over the range of lam on which one of them is optimal, their
    middle at least KINK_INSIDE away from both ends and from rates of 0.
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
