"""A precision-recall curve: its summaries, its ends, and its differences from the true curve.

The idea, in `prviz.curves.pr_curve`: every estimate and every truth is a finite set of error rates
(fpr, fnr), and the curve is their lower-left convex hull.
"""

from __future__ import annotations

from prviz.curves.pr_curve import Comparison, CurvePoint, ErrorRates, NamedCurves, PRCurve

__all__ = ["Comparison", "CurvePoint", "ErrorRates", "NamedCurves", "PRCurve"]
