"""One check of the sanity battery: a metric along the sweep, the same reading of the truth, and the allowed ranges."""

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
    """Values that a rule allows: from ``low`` to ``high``, at one place of the sweep or between two.

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
        # A band over several places, a thick bar at one; each kind stands in the legend once.
        ink, kind = (_MET, "asked for, met") if each.met else (_MISSED, "asked for, missed")
        low = max(each.low, bottom)
        high = min(each.high, top)
        listed = not any(trace.legendgroup == kind for trace in figure.data)
        shared = {"name": kind, "legendgroup": kind, "showlegend": listed, "hoverinfo": "text"}
        text = theme.plain(f"{each.text}: {'met' if each.met else 'missed'}", 120)
        first, last = each.place
        if first == last:
            bar = {"color": theme.faded(ink, 0.55), "width": 9}
            ends = {"symbol": "line-ew", "size": 16, "line": {"color": ink, "width": 2.5}}
            figure.add_scatter(
                x=[first, first],
                y=[low, high],
                mode="lines+markers",
                line=bar,
                marker=ends,
                **shared,
            )
        else:
            edge = {"color": ink, "width": 1, "dash": "dot"}
            fill = theme.faded(ink, 0.2)
            xs = [first, last, last, first, first]
            ys = [low, low, high, high, low]
            figure.add_scatter(
                x=xs, y=ys, mode="lines", line=edge, fill="toself", fillcolor=fill, **shared
            )
        figure.data[-1].hovertext = text
    repeated = [
        (a, b, c)
        for a, b, c in zip(x, mean, spread, strict=True)
        if math.isfinite(b) and math.isfinite(c)
    ]
    if repeated:  # one standard deviation to either side
        around = [
            *((a, b + c) for a, b, c in repeated),
            *((a, b - c) for a, b, c in reversed(repeated)),
        ]
        xs, ys = ([point[i] for point in around] for i in (0, 1))
        figure.add_trace(
            theme.polygon(xs, ys, theme.faded(color, 0.22), name="± spread over repeats")
        )
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
