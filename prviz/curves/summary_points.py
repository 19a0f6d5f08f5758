"""Summary points: the points of a curve at which its summaries are reached, as figures mark them."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from prviz.curves.pr_curve import CurvePoint, PRCurve

__all__ = ["NOWHERE", "SummaryPoints", "f_point", "landmarks"]

NOWHERE = CurvePoint(math.nan, math.nan, math.nan)


class SummaryPoints(NamedTuple):
    """Summary points of one curve; `NOWHERE` for a point that the curve lacks.

    f8_precision, f8_recall : where F8, leaning to that side, is reached.
    median : the point whose ray alpha = lam beta halves the area.
    alpha_at_005 : the point of recall 0.05 and precision alpha@0.05.
    """

    f8_precision: CurvePoint
    f8_recall: CurvePoint
    median: CurvePoint
    alpha_at_005: CurvePoint


def f_point(curve: PRCurve, b: float, *, leaning: Literal["precision", "recall"]) -> CurvePoint:
    """The point of the curve at which `PRCurve.f_score` is reached, the one of larger lam where two are.

    The maximum is at a breakpoint; `NOWHERE` for a curve without area. Arguments and errors as `PRCurve.f_score`.
    """
    if curve.f_score(b, leaning=leaning) == 0:
        return NOWHERE
    weight = b * b if leaning == "precision" else 1.0 / (b * b)
    lams = curve.breakpoints
    lam = float(lams[np.argmax((weight + 1.0) * curve.alpha(lams) / (weight + lams))])
    return CurvePoint(lam, curve.alpha(lam), curve.beta(lam))


def landmarks(curve: PRCurve) -> SummaryPoints:
    """Points of F8 leaning to each side, of the PR median and of alpha@0.05 (hal-05344404, section 4.4)."""
    median = NOWHERE if curve.auc == 0 else curve.median
    return SummaryPoints(
        f_point(curve, 8.0, leaning="precision"), f_point(curve, 8.0, leaning="recall"), median, _at_recall(curve, 0.05)
    )


def _at_recall(curve: PRCurve, recall: float) -> CurvePoint:
    if recall > curve.extreme_recall:
        return NOWHERE
    precision = curve.precision_at(recall)
    return CurvePoint(precision / recall, precision, recall)
