"""One check of the sanity battery.

A metric along the sweep, the same reading of the truth, and the allowed ranges.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from prviz.figures import theme

# Colours of allowed ranges: met and missed; the legend says the same in words.
_MET = theme.FAMILY_COLORS["coverage"]
_MISSED = theme.FAMILY_COLORS["ipr"]


@dataclass(frozen=True, kw_only=True)
class AllowedRange:
    """Values that a rule allows.

    From ``low`` to ``high``, at one place of the sweep or between two.

    place : (first, last) value of x, equal for a single place. low, high : may be infinite.
    text : the rule in words. met : whether the mean keeps to it.
    """

    place: tuple[float, float]
    low: float
    high: float
    text: str
    met: bool


def check_figure(
    x: Sequence[float],
    mean: Sequence[float],
    spread: Sequence[float],
    truth: Sequence[float],
    asked: Sequence[AllowedRange] = (),
    *,
    name: str,
    x_title: str,
    truth_x: Sequence[float] | None = None,
    color: str = theme.FAMILY_COLORS["knn"],
    log_x: bool = False,
) -> go.Figure:
    """Mean and spread of a metric over the sweep, the truth dashed, and the thresholds as bars or bands.

    x, mean, spread : the places measured so far, increasing; the mean over the repeats and their
    standard deviation
        (nan: one repeat, no band).
    truth_x, truth : the same reading of the true curve, over the whole sweep; truth_x None: over x.
    asked : what the rule allows; what reaches to infinity is drawn to the edge of the plot.

    Raises ValueError for sequences of different lengths, or an x <= 0 on a logarithmic axis.
    """
    true_x = x if truth_x is None else truth_x
    for label, xs, ys in ((name, x, mean), (name, x, spread), (theme.TRUTH_LABEL, true_x, truth)):
        theme.check_sweep(label, xs, ys, log_x)
    figure = go.Figure()
    known = [0.0, 1.0, *(value for value in (*mean, *truth) if math.isfinite(value))]
    bottom = min(known) - 0.12
    top = max(known) + 0.12
    for each in asked:
        _add_range(figure, each, bottom, top)
    _add_spread(figure, x, mean, spread, color)
    figure.add_scatter(
        x=list(true_x),
        y=list(truth),
        mode="lines",
        line=theme.truth_line(),
        name="the truth, read alike",
        hovertemplate="<b>truth</b>, x = %{x:.4g}: %{y:.3f}<extra></extra>",
    )
    figure.add_scatter(
        x=list(x),
        y=list(mean),
        name=theme.plain(name),
        mode="lines+markers",
        line=theme.line_of(color),
        marker={"size": 5},
        customdata=[[value] for value in spread],
        hovertemplate=(
            f"<b>{theme.plain(name)}</b>, x = %{{x:.4g}}: %{{y:.3f}} ±"
            " %{customdata[0]:.3f}<extra></extra>"
        ),
    )
    return theme.finish(
        figure,
        height=330,
        xaxis=theme.axis(theme.plain(x_title), **({"type": "log", "dtick": 1} if log_x else {})),
        yaxis=theme.axis("value", range=[bottom, top]),
        legend=theme.legend(-0.26),
    )


def _add_range(figure: go.Figure, asked: AllowedRange, bottom: float, top: float) -> None:
    """A band over several places, a thick bar at one; each kind stands in the legend once."""
    if asked.met:
        ink = _MET
        kind = "asked for, met"
    else:
        ink = _MISSED
        kind = "asked for, missed"
    low = max(asked.low, bottom)
    high = min(asked.high, top)
    first, last = asked.place
    if first == last:
        ends = {"symbol": "line-ew", "size": 16, "line": {"color": ink, "width": 2.5}}
        look = {
            "x": [first, first],
            "y": [low, high],
            "mode": "lines+markers",
            "line": {"color": theme.faded(ink, 0.55), "width": 9},
            "marker": ends,
        }
    else:
        look = {
            "x": [first, last, last, first, first],
            "y": [low, low, high, high, low],
            "mode": "lines",
            "line": {"color": ink, "width": 1, "dash": "dot"},
            "fill": "toself",
            "fillcolor": theme.faded(ink, 0.2),
        }
    listed = not any(trace.legendgroup == kind for trace in figure.data)
    said = f"{asked.text}: {'met' if asked.met else 'missed'}"
    figure.add_scatter(
        **look,
        name=kind,
        legendgroup=kind,
        showlegend=listed,
        hoverinfo="text",
        hovertext=theme.plain(said, 120),
    )


def _add_spread(
    figure: go.Figure,
    x: Sequence[float],
    mean: Sequence[float],
    spread: Sequence[float],
    color: str,
) -> None:
    """One standard deviation to either side, where there are repeats."""
    places = []
    upper = []
    lower = []
    for place, value, deviation in zip(x, mean, spread, strict=True):
        if math.isfinite(value) and math.isfinite(deviation):
            places.append(place)
            upper.append(value + deviation)
            lower.append(value - deviation)
    if places:
        around = theme.there_and_back(places, places), theme.there_and_back(upper, lower)
        fill = theme.faded(color, 0.22)
        figure.add_trace(theme.polygon(*around, fill, name="± spread over repeats"))
