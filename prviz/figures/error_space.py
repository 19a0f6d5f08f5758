"""The same classifiers in error space: (fpr, fnr), their lower hull, and the tangent at one lam."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go

from prviz.curves import PRCurve
from prviz.figures import theme

__all__ = ["error_space_figure"]

_HOVER = (
    "<b>%{fullData.name}</b><br>calls %{x:.1%} of the real samples generated (fpr)"
    "<br>calls %{y:.1%} of the generated samples real (fnr)<br>optimal for λ from %{text}<extra></extra>"
)


def error_space_figure(
    curves: Mapping[str, PRCurve],
    *,
    truth: PRCurve | None = None,
    notes: Mapping[str, str] | None = None,
    height: int = 560,
) -> go.Figure:
    """Vertices (fpr, fnr) of every curve joined by their lower hull, closer to the origin = more separable.

    Parameters
    ----------
    curves : estimates by name, in drawing order.
    truth : the curve to compare with, or None.
    notes : a few words by the same names, added to the curve's name in legend and hover.
    height : pixels.

    Each vertex carries customdata [lam_lo, lam_hi], the interval over which it is the optimal classifier (the
    first one's ends at inf): a front end draws the tangent of slope -lam through it, which meets the vertical axis
    at alpha(lam) and the horizontal one at beta(lam).
    """
    color = theme.colors(curves)
    figure = go.Figure()
    if truth is not None:
        figure.add_trace(_hull(theme.TRUTH_LABEL, truth, theme.truth_line()))
    for name, curve in curves.items():
        figure.add_trace(_hull(name, curve, theme.line_of(color[name]), (notes or {}).get(name, "")))
    side: dict[str, Any] = {"range": [-0.01, 1.02], "constrain": "domain", "dtick": 0.2}
    return theme.finish(
        figure,
        height=height,
        xaxis=theme.axis("false positive rate:<br>real samples called generated", **side),
        yaxis=theme.axis(
            "false negative rate:<br>generated samples called real",
            scaleanchor="x",
            constraintoward="top",
            **side,
        ),
        legend=theme.legend(-0.25, centred=True),
    )


def _hull(name: str, curve: PRCurve, line: dict[str, Any], note: str = "") -> go.Scatter:
    lo, hi = np.append(curve.breakpoints, 0.0), np.insert(curve.breakpoints, 0, np.inf)
    fpr, fnr = curve.vertices.T
    if name == theme.TRUTH_LABEL:
        # A line through some of a smooth curve's vertices looks the same as through all of them.
        seen = np.unique(curve.vertex_at(np.tan(np.linspace(0, np.pi / 2, 200))))
        fpr, fnr, lo, hi = fpr[seen], fnr[seen], lo[seen], hi[seen]
    return go.Scatter(
        x=fpr,
        y=fnr,
        name=f"{theme.label(name)}, {theme.plain(note)}" if note else theme.label(name),
        legendgroup=theme.plain(name),
        mode="lines" if name == theme.TRUTH_LABEL else "lines+markers",
        line={**line, "width": 1.5},
        marker={"size": 5},
        customdata=np.column_stack([lo, hi]),
        text=[f"{low} to {high}" for low, high in zip(theme.numbers(lo), theme.numbers(hi), strict=True)],
        hovertemplate=_HOVER,
    )
