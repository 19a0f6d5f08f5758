"""First difference of an estimated curve from the truth, from either end: exact, without a grid of lambda."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from prviz.curves.pr_curve import PRCurve

__all__ = ["FirstDifferences", "first_difference", "first_differences"]


class FirstDifferences(NamedTuple):
    """The first lam in (0, inf) at which an estimate leaves a margin around the truth; None if it never does.

    precision : lam rising from 0, where every precision is 0; the margin is on |alpha_E - alpha_T|.
    recall : lam falling from inf, where every recall is 0; the margin is on |beta_E - beta_T|.
    """

    precision: float | None
    recall: float | None


def first_differences(curve: PRCurve, truth: PRCurve, by: float = 0.05) -> FirstDifferences:
    """`first_difference` of the precision, and that of the recall, read off the mirrored curves."""
    mirrored = first_difference(curve.mirrored(), truth.mirrored(), by)
    return FirstDifferences(first_difference(curve, truth, by), None if mirrored is None else 1.0 / mirrored)


def first_difference(curve: PRCurve, truth: PRCurve, by: float = 0.05) -> float | None:
    """The largest lam up to which |alpha_E - alpha_T| <= by; None where that holds for every lam.

    Between two neighbouring breakpoints of the curves both precisions are linear, alpha = lam fpr + fnr, so the piece
    in which the margin is left is found at the breakpoints and the lam in it by one division. Beyond the last
    breakpoint both precisions are constant.

    curve, truth : the estimate E and the reference T. by : the margin, in (0, 1). Raises ValueError for another one.
    """
    if not 0 < by < 1:
        raise ValueError(f"by = {by}; a margin between 0 and 1 (both excluded) is needed")
    lams = np.unique(np.concatenate((curve.breakpoints, truth.breakpoints)))
    gaps = curve.alpha(lams) - truth.alpha(lams)
    beyond = np.flatnonzero(np.abs(gaps) > by)
    if not len(beyond):
        return None
    end = int(beyond[0])
    low, high = float(lams[end - 1]) if end else 0.0, float(lams[end])
    # The vertices that are optimal from `low` to `high`.
    (f, n), (true_f, true_n) = (each.vertices[each.vertex_at(high)].tolist() for each in (curve, truth))
    if f == true_f:  # parallel but for rounding: the margin is left at the beginning of the piece
        return low
    lam = (float(np.copysign(by, gaps[end])) - (n - true_n)) / (f - true_f)
    return float(np.clip(lam, low, high))
