"""Figures that show the evidence for a finding: marks on a curve, highlighted samples, and the
spread of both sets.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from prviz.curves import PRCurve
from prviz.figures import theme
from prviz.figures.pr import pr_figure

if TYPE_CHECKING:
    from prviz.uncertainty.bootstrap import IntervalBand

# Line and marker of real and of generated samples, which differ in more than colour.
_ROLES: Mapping[str, dict[str, Any]] = {
    "real": {"color": theme.REAL_COLOR, "dash": "solid", "symbol": "circle"},
    "generated": {"color": theme.GENERATED_COLOR, "dash": "dash", "symbol": "triangle-up"},
}
# With more principal directions than this, the lines have no markers.
_MARKED_DIRECTIONS = 40


def marked_curve_figure(
    name: str,
    curve: PRCurve,
    *,
    band: IntervalBand | None = None,
    lam: float | None = None,
    mark: str = "",
    guide: Literal["precision", "recall"] | None = None,
) -> go.Figure:
    """One curve with its band, and the point at one lam marked on it.

    Parameters
    ----------
    name : name of the curve; for a family also its colour and title.
    band : drawn behind the curve.
    lam : the ray precision / recall = lam is drawn dotted, and its intersection with the curve
        ringed; None: neither.
    mark : text beside the ring.
    guide : where to draw a dashed line at 0.05, if at all: at this precision or at this recall.
    """
    figure = pr_figure({name: curve}, bands=None if band is None else {name: band}, height=520)
    line = {"color": theme.TRUTH_COLOR, "width": 1.2, "dash": "dash"}
    if guide is not None:
        ends: dict[str, Any] = {"x0": 0, "x1": 1.02, "y0": 0.05, "y1": 0.05}
        if guide == "recall":
            ends = {"x0": 0.05, "x1": 0.05, "y0": 0, "y1": 1.02}
        figure.add_shape(type="line", line=line, layer="below", **ends)
    if lam is None:
        return figure
    x = curve.beta(lam)
    y = curve.alpha(lam)
    if lam < math.inf:
        longest = 1.02 / max(lam / math.hypot(1, lam), 1 / math.hypot(1, lam))
    else:
        longest = 1.02
    angle = math.atan(lam)
    ray = [0, longest * math.cos(angle)], [0, longest * math.sin(angle)]
    figure.add_scatter(
        x=ray[0],
        y=ray[1],
        name=f"λ = precision / recall = {theme.number(lam)}",
        mode="lines",
        line={"color": theme.TRUTH_COLOR, "width": 1.5, "dash": "dot"},
        hoverinfo="skip",
    )
    ring = {
        "symbol": "circle-open",
        "size": 14,
        "color": theme.colors([name])[name],
        "line": {"width": 3},
    }
    figure.add_scatter(
        x=[x], y=[y], mode="markers", marker=ring, showlegend=False, hoverinfo="skip"
    )
    if mark:  # placed on the side of the ring that has room
        figure.add_annotation(
            x=x,
            y=y,
            text=theme.plain(mark),
            ax=-40 if x > 0.5 else 40,
            ay=-40 if y < 0.5 else 40,
            xanchor="right" if x > 0.5 else "left",
            arrowhead=2,
            arrowcolor=theme.TRUTH_COLOR,
        )
    return figure


class Highlight(NamedTuple):
    """Some of a figure's samples, given by their rows, and how to draw them.

    bold : True to draw them larger, above all other samples.
    """

    name: str
    rows: Sequence[int]
    color: str
    symbol: str
    bold: bool = False


def highlight_figure(
    points: ArrayLike,
    parts: Sequence[Highlight],
    *,
    axis_titles: Sequence[str],
    notes: Sequence[str],
    most: int = 1500,
) -> go.Figure:
    """Samples in several parts, each with its own colour and symbol, some of them bold.

    In two dimensions samples lie in the plane; in one dimension each part has its own row.

    Parameters
    ----------
    points : (n, 1) or (n, 2) coordinates.
    parts : disjoint parts, drawn in this order.
    axis_titles : names of the coordinates.
    notes : (n,) hover text of each sample.
    most : largest number of samples drawn of each part; a larger part is sampled at random, and the
    legend says so.

    Each point's customdata is its row in points.
    """
    coordinates = np.asarray(points, dtype=float)
    figure = go.Figure()
    flat = coordinates.shape[1] == 1
    for place, part in enumerate(parts):
        every = np.asarray(part.rows, dtype=np.intp)
        rows = theme.subset(every, most)
        if len(rows) < len(every):
            drawn = f"{len(rows):,} of {len(every):,} drawn"
        else:
            drawn = f"{len(every):,}"
        marker = {"color": part.color, "symbol": part.symbol, "size": 8 if part.bold else 5}
        x: Any = coordinates[rows, 0]
        y: Any = np.full(len(rows), -float(place)) if flat else coordinates[rows, 1]
        if not len(rows):  # Plotly would drop an empty part from the legend, too
            x = y = [None]
        figure.add_scatter(
            x=x,
            y=y,
            mode="markers",
            marker=marker,
            opacity=0.9 if part.bold else 0.45,
            name=f"{theme.plain(part.name)}: {drawn}",
            customdata=rows[:, None],
            hovertext=[theme.plain(notes[row]) for row in rows],
            hovertemplate=f"<b>{theme.plain(part.name)}</b><br>%{{hovertext}}<extra></extra>",
        )
    if flat:
        upright = theme.axis("", showticklabels=False, zeroline=False)
    else:
        upright = theme.axis(theme.plain(axis_titles[1]))
    legend = theme.legend(-0.16)
    return theme.finish(
        figure,
        height=520,
        xaxis=theme.axis(theme.plain(axis_titles[0])),
        yaxis=upright,
        legend=legend,
    )


def spectrum_figure(shares: Mapping[str, ArrayLike]) -> go.Figure:
    """Cumulative share of the variance against the number of leading principal directions, for both
    sets.

    shares : for "real" and "generated", the share of the variance along each direction, decreasing.
    """
    figure = go.Figure()
    for role, each in shares.items():
        held = np.minimum(np.cumsum(np.asarray(each, dtype=float)), 1.0)
        look = _ROLES[role]
        figure.add_scatter(
            x=np.arange(1, len(held) + 1),
            y=held,
            name=role,
            mode="lines+markers" if len(held) <= _MARKED_DIRECTIONS else "lines",
            line={"color": look["color"], "width": 2.5, "dash": look["dash"]},
            marker={"symbol": look["symbol"], "size": 7},
            hovertemplate=(
                f"{role}: the first %{{x}} directions hold %{{y:.1%}} of the"
                " variance<extra></extra>"
            ),
        )
    line = {"color": theme.TRUTH_COLOR, "width": 1.2, "dash": "dot"}
    figure.add_shape(type="line", x0=0, x1=1, xref="paper", y0=0.9, y1=0.9, line=line)
    return theme.finish(
        figure,
        height=400,
        xaxis=theme.axis(
            "leading directions (log scale)", type="log", dtick=1, minor={"ticks": "inside"}
        ),
        yaxis=theme.axis("share of the variance, together", range=[0, 1.03], tickformat=".0%"),
    )


def quantiles_figure(
    values: Mapping[str, ArrayLike], *, ylabel: str, of: str, log: bool = False
) -> go.Figure:
    """Quantiles of both sets: each value against the share of the set with at most this value.

    Parameters
    ----------
    values : for "real" and "generated", quantiles at evenly spaced shares from 0 to 1.
    ylabel : name of the values.
    of : what has these values, in the plural, such as "samples".
    log : True for a logarithmic axis of the values, if all are positive.
    """
    figure = go.Figure()
    least = math.inf
    for role, each in values.items():
        quantiles = np.asarray(each, dtype=float)
        least = min(least, float(quantiles.min()))
        look = _ROLES[role]
        figure.add_scatter(
            x=np.linspace(0.0, 1.0, len(quantiles)).tolist(),
            y=quantiles.tolist(),
            name=role,
            mode="lines",
            line={"color": look["color"], "width": 2.5, "dash": look["dash"]},
            hovertemplate=(
                f"{role}: %{{x:.0%}} of the {theme.plain(of)} have at most"
                " %{y:.4g}<extra></extra>"
            ),
        )
    scale: dict[str, Any] = {"type": "log"} if log and least > 0 else {"rangemode": "tozero"}
    return theme.finish(
        figure,
        height=360,
        xaxis=theme.axis(f"share of the {theme.plain(of)}, in increasing order", tickformat=".0%"),
        yaxis=theme.axis(
            theme.plain(ylabel) + (" (log scale)" if "type" in scale else ""), **scale
        ),
    )
