"""Precision or recall against lam over six decades, with its saturation at either end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from prviz.curves import PRCurve
from prviz.curves.band import Band
from prviz.curves.summaries import FirstDifferences
from prviz.figures import theme

__all__ = ["tail_figure"]

Floats = NDArray[np.float64]
Side: TypeAlias = Literal["precision", "recall"]

# Powers of ten at both ends, and points in between; the browser draws the same.
LOWEST, HIGHEST, POINTS = -3, 3, 241
_TITLES = {
    "precision": ("precision α(λ)", "λ, log scale<br>← recall end · α∞ is reached on the right →"),
    "recall": ("recall β(λ) = α(λ) / λ", "λ, log scale<br>← β0 is reached on the left · precision end →"),
}
_HOVER = "<b>%{fullData.name}</b><br>at λ = %{text}: %{y:.3f}<extra></extra>"
_MARK = "<b>%{fullData.name}</b><br>off the truth by more than the margin from λ = %{text} on<extra></extra>"


def tail_figure(
    curves: Mapping[str, PRCurve],
    *,
    side: Side = "precision",
    truth: PRCurve | None = None,
    differences: Mapping[str, FirstDifferences] | None = None,
    bands: Mapping[str, Band] | None = None,
    height: int = 380,
) -> go.Figure:
    """alpha(lam), or beta(lam) = alpha(lam) / lam, for lam from 0.001 to 1000 on a log axis.

    Parameters
    ----------
    curves : estimates by name, in drawing order. side : which of the two.
    truth : the dashed curve.
    differences : where each estimate first leaves the truth, marked by a dot on the estimate; one that never does has
        none.
    bands : the spread of repeated curves.
    height : pixels.

    A mark at the lam on screen is the front end's.
    """
    figure, color = go.Figure(), theme.colors(curves)
    if truth is not None:
        line = {"name": theme.TRUTH_LABEL, "legendgroup": theme.TRUTH_LABEL, "line": theme.truth_line()}
        figure.add_trace(_line(truth, side, line))
    for name, each in (bands or {}).items():
        if name in curves:
            figure.add_trace(_band(name, each, side, color[name]))
    for name, curve in curves.items():
        line = {"name": theme.label(name), "legendgroup": theme.plain(name), "line": theme.line_of(color[name])}
        figure.add_trace(_line(curve, side, line))
    for name, found in (differences or {}).items():
        if name in curves:
            figure.add_trace(_mark(name, curves[name], side, getattr(found, side), color[name]))
    decades = [10.0**power for power in range(LOWEST, HIGHEST + 1)]
    ticks = {"tickvals": decades, "ticktext": [f"{decade:g}" for decade in decades]}
    up, across = _TITLES[side]
    return theme.finish(
        figure,
        height=height,
        xaxis=theme.axis(across, type="log", range=[LOWEST, HIGHEST], **ticks),
        yaxis=theme.axis(up, range=[-0.02, 1.03], dtick=0.2),
        legend=theme.legend(-0.36),
    )


def _lams() -> Floats:
    return 10.0 ** np.linspace(LOWEST, HIGHEST, POINTS)


def _at(curve: PRCurve, side: Side, lam: Any) -> Any:
    return curve.alpha(lam) if side == "precision" else curve.beta(lam)


def _line(curve: PRCurve, side: Side, options: dict[str, Any]) -> go.Scatter:
    lam = _lams()
    return go.Scatter(
        x=lam, y=_at(curve, side, lam), mode="lines", text=theme.numbers(lam), hovertemplate=_HOVER, **options
    )


def _mark(name: str, curve: PRCurve, side: Side, lam: float | None, color: str) -> go.Scatter:
    """A dot where an estimate leaves the truth; without points where it does not, for the front end to move."""
    return go.Scatter(
        x=[lam],
        y=[None if lam is None else _at(curve, side, lam)],
        name=theme.label(name),
        legendgroup=theme.plain(name),
        showlegend=False,
        meta="first",
        mode="markers",
        marker={"color": color, "size": 11},
        text=["" if lam is None else theme.number(lam)],
        hovertemplate=_MARK,
        cliponaxis=False,
    )


def _band(name: str, band: Band, side: Side, color: str) -> go.Scatter:
    """Both sides of the spread, between the rays that it is known at."""
    inside = (band.lam > 10.0**LOWEST) & (band.lam < 10.0**HIGHEST)
    low, high = (band.alpha_low, band.alpha_high) if side == "precision" else (band.beta_low, band.beta_high)
    lam = band.lam[inside]
    return go.Scatter(
        x=np.concatenate([lam, lam[::-1]]),
        y=np.clip(np.concatenate([high[inside], low[inside][::-1]]), 0.0, 1.0),
        name=f"{theme.label(name)} {band.meaning}",
        legendgroup=theme.plain(name),
        showlegend=False,
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=theme.faded(color, 0.18),
        hoverinfo="skip",
    )
