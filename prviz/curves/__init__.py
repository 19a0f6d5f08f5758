"""One precision-recall curve, and what is read off it: summaries, ends, differences from the truth.

`prviz.curves.pr_curve` holds the one idea: every estimate and every truth is a finite set of error rates (fpr, fnr),
and the curve is their lower-left convex hull.
"""

from __future__ import annotations

from prviz.curves.pr_curve import Comparison, CurvePoint, ErrorRates, PRCurve

__all__ = ["Comparison", "CurvePoint", "ErrorRates", "PRCurve"]
