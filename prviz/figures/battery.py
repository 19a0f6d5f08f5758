"""The figure of one check of the sanity battery.

It shows one number along the sweep, the same number read off the true curve, and the ranges that
the check allows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from prviz.figures import theme

# Colour of allowed ranges that the metric meets; the legend says so in words too.
_MET = theme.FAMILY_COLORS["coverage"]
# Colour of allowed ranges that the metric misses.
_MISSED = theme.FAMILY_COLORS["ipr"]


@dataclass(frozen=True, kw_only=True)
class AllowedRange:
    """The range of values that a rule allows, at one x of the sweep or over a stretch of it.

    place : (first, last) x of the stretch, equal for a single x.
    low, high : limits of the allowed values; may be infinite.
    text : the rule in words.
    met : True if the mean of the metric satisfies the rule.
    """

    place: tuple[float, float]
    low: float
    high: float
    text: str
    met: bool


class SweepPoint(NamedTuple):
    """The mean of a metric over the repeats at one x of a sweep, and their standard deviation (nan
    for one repeat).
    """

    x: float
    mean: float
    spread: float


def check_figure(
    measured: Sequence[SweepPoint],
    truth: Sequence[tuple[float, float]],
    asked: Sequence[AllowedRange] = (),
    *,
    name: str,
    x_title: str,
    color: str = theme.FAMILY_COLORS["knn"],
    log_x: bool = False,
) -> go.Figure:
    """A metric over the sweep: its mean and spread, the true values dashed, and the allowed ranges
    as bars or bands.

    measured : the points measured so far, by increasing x.
    truth : (x, true value) over the whole sweep.
    asked : the allowed ranges; an infinite limit is drawn at the edge of the plot.
    Raises ValueError for an x <= 0 on a logarithmic axis.
    """
    x = [point.x for point in measured]
    mean = [point.mean for point in measured]
    theme.check_sweep(name, x, mean, log_x)
    figure = go.Figure()
    truth_x, truth_y = zip(*truth, strict=True)
    known = list(filter(math.isfinite, (0.0, 1.0, *mean, *truth_y)))
    bottom = min(known) - 0.12
    top = max(known) + 0.12
    for each in asked:
        _add_range(figure, each, bottom, top)
    _add_spread(figure, measured, color)
    figure.add_scatter(
        x=truth_x,
        y=truth_y,
        mode="lines",
        line=theme.truth_line(),
        name="the truth, read alike",
        hovertemplate="<b>truth</b>, x = %{x:.4g}: %{y:.3f}<extra></extra>",
    )
    title = theme.plain(name)
    figure.add_scatter(
        x=x,
        y=mean,
        name=title,
        mode="lines+markers",
        line=theme.line_of(color),
        marker={"size": 5},
        customdata=[[point.spread] for point in measured],
        hovertemplate=(
            f"<b>{title}</b>, x = %{{x:.4g}}: %{{y:.3f}} ± %{{customdata[0]:.3f}}<extra></extra>"
        ),
    )
    scale: dict[str, Any] = {"type": "log", "dtick": 1} if log_x else {}
    return theme.finish(
        figure,
        height=330,
        xaxis=theme.axis(theme.plain(x_title), **scale),
        yaxis=theme.axis("value", range=[bottom, top]),
        legend=theme.legend(-0.26),
    )


def _add_range(figure: go.Figure, asked: AllowedRange, bottom: float, top: float) -> None:
    """Draw an allowed range: as a band if it covers several x, as a thick bar at a single x.

    Only the first range that is met, and the first that is missed, has a legend entry.
    """
    ink = _MET if asked.met else _MISSED
    word = "met" if asked.met else "missed"
    kind = f"asked for, {word}"
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
    figure.add_scatter(
        **look,
        name=kind,
        legendgroup=kind,
        showlegend=listed,
        hoverinfo="text",
        hovertext=theme.plain(f"{asked.text}: {word}", 120),
    )


def _add_spread(figure: go.Figure, measured: Sequence[SweepPoint], color: str) -> None:
    """Shade one standard deviation to either side of the mean, at points with more than one
    repeat.
    """
    known = [point for point in measured if math.isfinite(point.mean + point.spread)]
    if known:
        x, mean, spread = np.array(known).T
        around = theme.there_and_back(x, x), theme.there_and_back(mean + spread, mean - spread)
        fill = theme.faded(color, 0.22)
        figure.add_trace(theme.polygon(*around, fill, name="± spread over repeats"))
