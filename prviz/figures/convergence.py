"""Errors of estimates over the dimension, and over the number of samples beside the slope of the theory's bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from prviz.figures import theme

# Colour and symbol by dimension, different from those of the default families in the figure beside this one.
_LOOKS = (("#CC79A7", "circle"), ("#0F8F9C", "square"), ("#8C6D31", "diamond"), ("#E0457B", "triangle-up"))


def dimension_figure(errors: Mapping[str, tuple[Sequence[float], Sequence[float]]], *, current: float) -> go.Figure:
    """Error 1 - IoU over the dimension d on a logarithmic axis.

    errors : (dimensions, errors) by method. current : the dimension on screen, marked by the last trace, a vertical
    line of the legend group "now". Raises ValueError for sequences of different lengths or a dimension <= 0.
    """
    figure, color = go.Figure(), theme.colors(errors)
    for name, (dimensions, values) in errors.items():
        theme.check_sweep(name, dimensions, values, log_x=True)
        figure.add_scatter(
            x=list(dimensions),
            y=list(values),
            name=theme.label(name),
            legendgroup=theme.plain(name),
            mode="lines",
            line=theme.line_of(color[name]),
            hovertemplate="<b>%{fullData.name}</b>, d = %{x}: error %{y:.3f}<extra></extra>",
        )
    theme.add_now(figure, current)
    ticks = sorted({int(d) for dimensions, _ in errors.values() for d in dimensions})[::2]
    highest = max((value for _, values in errors.values() for value in values), default=0.0)
    return theme.finish(
        figure,
        height=420,
        xaxis=theme.axis("dimension d", type="log", tickvals=ticks, ticktext=[str(tick) for tick in ticks]),
        yaxis=theme.axis("error: 1 − IoU with the truth", range=[0, theme.reach(highest)]),
        legend=theme.legend(-0.24),
    )


def rates_figure(
    sizes: Sequence[float],
    errors: Mapping[str, Sequence[float]],
    exponents: Mapping[str, float],
    *,
    notes: Mapping[str, str] | None = None,
) -> go.Figure:
    """Errors over the samples per set on two logarithmic axes, each with a dotted line of the promised slope.

    sizes : increasing, positive. errors : one positive error per size, by label (at most 4). exponents : the slope of
    that label's dotted line, which begins at its first point, for only slopes are promised. notes : a few words added
    to a label in the legend. Raises ValueError for more labels, other lengths or values.
    """
    if len(errors) > len(_LOOKS):
        raise ValueError(f"{len(errors)} lines; at most {len(_LOOKS)} are told apart")
    figure = go.Figure()
    for (label, values), (color, symbol) in zip(errors.items(), _LOOKS, strict=False):
        theme.check_sweep(label, sizes, values, log_x=True)
        if min(values) <= 0:
            raise ValueError(f"{label}: an error of {min(values)}; a logarithmic axis needs positive values")
        name = theme.plain(f"{label}: {notes[label]}" if notes and label in notes else label)
        look: dict[str, Any] = {"line": {"color": color, "width": 2}, "marker": {"symbol": symbol, "size": 8}}
        hover = f"<b>{theme.plain(label)}</b>, N = %{{x}}: mean error %{{y:.3f}}<extra></extra>"
        shared = {"legendgroup": theme.plain(label), "mode": "lines"}
        figure.add_scatter(
            x=list(sizes), y=list(values), name=name, **{**shared, "mode": "lines+markers"}, **look, hovertemplate=hover
        )
        bound = [values[0] * (size / sizes[0]) ** exponents[label] for size in sizes]
        dots = {"line": {"color": color, "width": 1.5, "dash": "dot"}, "showlegend": False, "hoverinfo": "skip"}
        figure.add_scatter(x=list(sizes), y=bound, name=f"{name}, promised slope", **shared, **dots)
    return theme.finish(
        figure,
        height=460,
        xaxis=theme.axis("samples per set N", type="log", tickvals=list(sizes), ticktext=[str(n) for n in sizes]),
        yaxis=theme.axis("mean error at λ = 1", type="log", dtick="D2", tickformat=".3~g"),
        legend={**theme.legend(-0.2), "orientation": "v"},
        margin={"l": 60, "r": 20, "t": 20, "b": 140},
    )
