"""Classifiers in error space: (fpr, fnr), their lower hull, and the tangent at one lam.

The same vertices can also be drawn as an ROC curve or as the boundary of mode collapse.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go

from prviz.curves import NamedCurves, PRCurve
from prviz.figures import theme

View = Literal["error", "roc", "collapse"]

_FPR = "false positive rate:<br>real samples called generated"
_FNR = "false negative rate:<br>generated samples called real"
_AXES: dict[View, tuple[str, str]] = {
    "error": (_FPR, _FNR),
    "roc": (_FPR, "1 − fnr:<br>generated samples called generated"),
    "collapse": (
        "fnr: share of generated samples<br>in the part called real",
        "1 − fpr:<br>share of real samples there",
    ),
}

_HOVER = (
    "<b>%{fullData.name}</b><br>calls %{customdata[2]:.1%} of the real samples generated"
    " (fpr)<br>calls %{customdata[3]:.1%} of the generated samples real (fnr)<br>optimal for λ from"
    " %{text}<extra></extra>"
)


def error_space_figure(
    curves: NamedCurves,
    *,
    truth: PRCurve | None = None,
    notes: Mapping[str, str] | None = None,
    view: View = "error",
) -> go.Figure:
    """Vertices (fpr, fnr) of every curve, joined by their lower hull.

    The closer a hull is to the origin, the easier the two distributions are to tell apart.

    Parameters
    ----------
    curves : estimates by name, in drawing order.
    truth : the curve to compare with, or None.
    notes : curve name -> a few words that are added to the name in legend and hover.
    view : "error": (fpr, fnr). "roc": (fpr, 1 - fnr), the ROC curve, where "generated" is the
        positive answer. "collapse": (fnr, 1 - fpr), the boundary of the mode-collapse region of
        Lin, Khetan, Fanti, Oh 2018.

    Each vertex carries customdata [lam_lo, lam_hi, fpr, fnr]: the interval of lam on which this
    classifier is optimal (for the first vertex up to inf), and its error rates. A front end draws
    the tangent of slope -lam through it, which meets the vertical axis at alpha(lam) and the
    horizontal one at beta(lam).
    """
    color = theme.colors(curves)
    figure = go.Figure()
    if truth is not None:
        figure.add_trace(_hull(theme.TRUTH_LABEL, truth, theme.truth_line(), view=view))
    for name, curve in curves.items():
        figure.add_trace(
            _hull(
                name,
                curve,
                theme.curve_line(name, color[name]),
                (notes or {}).get(name, ""),
                view=view,
            )
        )
    return theme.finish(
        figure,
        height=560,
        **theme.square(*_AXES[view], range=[-0.01, 1.02], dtick=0.2),
        legend=theme.legend(-0.25, centred=True),
    )


def _hull(
    name: str, curve: PRCurve, line: dict[str, Any], note: str = "", *, view: View
) -> go.Scatter:
    lo = np.append(curve.breakpoints, 0.0)
    hi = np.insert(curve.breakpoints, 0, np.inf)
    fpr, fnr = curve.vertices.T
    if name == theme.TRUTH_LABEL:
        # For speed: a smooth curve has many vertices, and a line through 200 of them looks the
        # same.
        seen = np.unique(curve.vertex_at(np.tan(np.linspace(0, np.pi / 2, 200))))
        fpr = fpr[seen]
        fnr = fnr[seen]
        lo = lo[seen]
        hi = hi[seen]
    x, y = {"error": (fpr, fnr), "roc": (fpr, 1 - fnr), "collapse": (fnr, 1 - fpr)}[view]
    return go.Scatter(
        x=x,
        y=y,
        **theme.named(name, note),
        mode="lines" if name == theme.TRUTH_LABEL else "lines+markers",
        line={**line, "width": 0.6 * line["width"]},
        marker={"size": 5},
        customdata=np.column_stack([lo, hi, fpr, fnr]),
        text=[
            f"{low} to {high}"
            for low, high in zip(theme.numbers(lo), theme.numbers(hi), strict=True)
        ],
        hovertemplate=_HOVER,
    )
