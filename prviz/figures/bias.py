"""Bias of the estimated precision along the curve."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from prviz.curves import PRCurve
from prviz.figures import theme

__all__ = ["bias_figure"]

_HOVER = (
    "<b>%{fullData.name}</b><br>at λ = %{text}: estimated precision %{customdata[1]:.3f},"
    "<br>true precision %{customdata[2]:.3f}, difference %{y:+.3f}<extra></extra>"
)


def bias_figure(curves: Mapping[str, PRCurve], truth: PRCurve, *, points: int = 361) -> go.Figure:
    """Estimated minus true alpha(lam) over the angle theta in [0, 90] degrees, lam = tan(theta).

    Parameters
    ----------
    curves : estimates by name, in drawing order.
    truth : the curve to compare with; it is the dashed zero line.
    points : rays of equal angle, both ends included.

    The vertical axis reaches equally far on both sides, to the next of a few round lengths, so that it stays the same
    while a parameter changes a little. Above zero the estimate is too optimistic. Each point carries customdata
    [lam, estimate, truth]. The ticks show lam; at lam = 1 the two kinds of error weigh the same.
    """
    theta = np.linspace(0.0, 90.0, points)
    lam = np.tan(np.radians(theta))
    lam[-1] = np.inf
    figure, color, true = go.Figure(), theme.colors(curves), truth.alpha(lam)
    zero = {"x": [0, 90], "y": [0, 0], "mode": "lines", "line": theme.truth_line(), "hoverinfo": "skip"}
    figure.add_trace(go.Scatter(name=theme.TRUTH_LABEL, **zero))
    reach = theme.reach(max((float(np.abs(c.alpha(lam) - true).max()) for c in curves.values()), default=0.0))
    for name, curve in curves.items():
        estimate = curve.alpha(lam)
        figure.add_scatter(
            x=theta,
            y=estimate - true,
            name=theme.label(name),
            legendgroup=theme.plain(name),
            mode="lines",
            line=theme.line_of(color[name]),
            text=theme.numbers(lam),
            customdata=np.column_stack([lam, estimate, true]),
            hovertemplate=_HOVER,
        )
    ends = {"range": [-1.05 * reach, 1.05 * reach]}
    return theme.finish(
        figure,
        height=380,
        xaxis=theme.angle_axis(),
        yaxis=theme.axis("estimated minus true α(λ)<br>above 0: too optimistic", tickformat="+.3~f", **ends),
        legend=theme.legend(-0.32),
    )
