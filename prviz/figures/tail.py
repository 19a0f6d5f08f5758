"""Figure of precision or recall against lam over six decades, which shows where the curve saturates
at either end.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
import plotly.graph_objects as go

from prviz.curves import NamedCurves, PRCurve
from prviz.curves.band import Band
from prviz.curves.summaries import FirstDifferences
from prviz.figures import theme

Side: TypeAlias = Literal["precision", "recall"]

# log10 of the first lam; the browser draws the same points.
LOWEST = -3
# log10 of the last lam.
HIGHEST = 3
# Number of values of lam.
POINTS = 241
_TITLES = {
    "precision": ("precision α(λ)", "λ, log scale<br>← recall end · α∞ is reached on the right →"),
    "recall": (
        "recall β(λ) = α(λ) / λ",
        "λ, log scale<br>← β0 is reached on the left · precision end →",
    ),
}
_HOVER = "<b>%{fullData.name}</b><br>at λ = %{text}: %{y:.3f}<extra></extra>"
_MARK = (
    "<b>%{fullData.name}</b><br>off the truth by more than the margin from λ = %{text}"
    " on<extra></extra>"
)


def tail_figure(
    curves: NamedCurves,
    *,
    side: Side = "precision",
    truth: PRCurve | None = None,
    differences: Mapping[str, FirstDifferences] | None = None,
    bands: Mapping[str, Band] | None = None,
) -> go.Figure:
    """alpha(lam), or beta(lam) = alpha(lam) / lam, for lam from 0.001 to 1000 on a log axis.

    Parameters
    ----------
    curves : estimates by name, in drawing order.
    side : "precision" for alpha, "recall" for beta.
    truth : the true curve, drawn dashed.
    differences : lam at which each estimate first leaves the truth by more than the margin, marked
        by a dot; an estimate that never leaves it has no dot.
    bands : the spread of repeated curves.

    The front end itself marks the lam that is selected.
    """
    figure = go.Figure()
    color = theme.colors(curves)
    if truth is not None:
        figure.add_trace(_line(theme.TRUTH_LABEL, truth, side, theme.truth_line()))
    for name, band in (bands or {}).items():
        if name in curves:
            figure.add_trace(_spread(name, band, side, color[name]))
    for name, curve in curves.items():
        figure.add_trace(_line(name, curve, side, theme.line_of(color[name])))
    for name, found in (differences or {}).items():
        if name in curves:
            figure.add_trace(_first(name, curves[name], side, getattr(found, side), color[name]))
    decades = [10.0**power for power in range(LOWEST, HIGHEST + 1)]
    ticks = {"tickvals": decades, "ticktext": [f"{decade:g}" for decade in decades]}
    up, across = _TITLES[side]
    return theme.finish(
        figure,
        height=380,
        xaxis=theme.axis(across, type="log", range=[LOWEST, HIGHEST], **ticks),
        yaxis=theme.axis(up, range=[-0.02, 1.03], dtick=0.2),
        legend=theme.legend(-0.3),
    )


def _spread(name: str, band: Band, side: Side, color: str) -> go.Scatter:
    """The band of repeated curves, restricted to rays within the limits of the axis."""
    inside = (band.lam > 10.0**LOWEST) & (band.lam < 10.0**HIGHEST)
    lam = band.lam[inside]
    low = band.alpha_low
    high = band.alpha_high
    if side == "recall":
        low = band.beta_low
        high = band.beta_high
    return theme.polygon(
        theme.there_and_back(lam, lam),
        np.clip(theme.there_and_back(high[inside], low[inside]), 0.0, 1.0),
        theme.faded(color, 0.18),
        name=f"{theme.label(name)} {band.meaning}",
        legendgroup=theme.plain(name),
        showlegend=False,
    )


def _first(name: str, curve: PRCurve, side: Side, lam: float | None, color: str) -> go.Scatter:
    """A dot where an estimate first leaves the truth.

    If the estimate never leaves it, the dot has no coordinates, but exists, so that a front end can
    move it.
    """
    at = None if lam is None else _at(curve, side, lam)
    return go.Scatter(
        x=[lam],
        y=[at],
        **theme.named(name),
        showlegend=False,
        meta="first",
        mode="markers",
        marker={"color": color, "size": 11},
        text=["" if lam is None else theme.number(lam)],
        hovertemplate=_MARK,
        cliponaxis=False,
    )


def _at(curve: PRCurve, side: Side, lam: Any) -> Any:
    if side == "precision":
        return curve.alpha(lam)
    return curve.beta(lam)


def _line(name: str, curve: PRCurve, side: Side, line: dict[str, Any]) -> go.Scatter:
    lam = 10.0 ** np.linspace(LOWEST, HIGHEST, POINTS)
    return go.Scatter(
        x=lam,
        y=_at(curve, side, lam),
        **theme.named(name),
        mode="lines",
        line=line,
        text=theme.numbers(lam),
        hovertemplate=_HOVER,
    )
