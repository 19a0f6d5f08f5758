"""Intersection over union with the truth: as signed bars, and over a parameter of the estimator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from prviz.curves import Comparison
from prviz.figures import theme

__all__ = ["iou_bars", "iou_sweep_figure"]

_BAR_HOVER = (
    "<b>%{text}</b><br>too optimistic (excess): %{customdata[1]:.3f}"
    "<br>too pessimistic (deficit): %{customdata[2]:.3f}"
    "<br>shared with the truth (IoU): %{customdata[0]:.3f}<extra></extra>"
)


def iou_bars(comparisons: Mapping[str, Comparison]) -> go.Figure:
    """One signed bar per estimator: excess (optimistic) to the right, deficit (pessimistic) to the left.

    Parameters
    ----------
    comparisons : each estimate's comparison with the truth, by name; the first is drawn on top. Excess and
        deficit are shares of the union of the two areas; IoU = 1 - excess - deficit stands beside the bar.
    """
    figure, color = go.Figure(), theme.colors(comparisons)
    names = [theme.label(name) for name in comparisons]
    places = list(range(len(names)))
    values = [[c.iou, c.excess, c.deficit] for c in comparisons.values()]
    fills = [color[name] for name in comparisons]
    for side, lengths in {"deficit": [-c[2] for c in values], "excess": [c[1] for c in values]}.items():
        pattern = "/" if side == "deficit" else ""
        figure.add_bar(
            x=lengths,
            y=places,
            name=side,
            orientation="h",
            marker={"color": fills, "pattern": {"shape": pattern, "fillmode": "replace"}},
            customdata=values,
            text=names,
            textposition="none",
            hovertemplate=_BAR_HOVER,
        )
    for place, (iou, _, _) in zip(places, values, strict=True):
        label = {"text": f"IoU {iou:.3f}", "x": 1.02, "xref": "paper", "xanchor": "left"}
        figure.add_annotation(y=place, yref="y", showarrow=False, **label)
    longest = max((length for c in values for length in c[1:]), default=0.0)
    return theme.finish(
        figure,
        height=90 + 36 * max(len(names), 1),
        barmode="relative",
        bargap=0.35,
        showlegend=False,
        margin={"l": 20, "r": 80, "t": 10, "b": 60},
        xaxis=theme.signed_axis("share of both areas<br>← too pessimistic · too optimistic →", longest),
        yaxis=theme.axis("", **theme.tick_names(comparisons), showgrid=False),
    )


def iou_sweep_figure(
    values: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    *,
    xlabel: str,
    ylabel: str = "IoU with the truth",
    current: float | None = None,
    best: bool = False,
    lowest: bool = False,
    limits: Mapping[str, tuple[Sequence[float], Sequence[float]]] | None = None,
    log_x: bool = False,
) -> go.Figure:
    """IoU with the truth over k, or over the bandwidth in units of the mean k-NN radius.

    Parameters
    ----------
    values : (xs, ious) by method; any order, drawn by increasing x.
    xlabel, ylabel : what x and y are, e.g. "k".
    current : the value on screen, marked by a vertical line, or None.
    best : mark each method's largest value by a star, the leftmost of several; the smallest one if ``lowest``.
    limits : (xs, ious) by method of the limits for infinitely many samples, dotted.
    log_x : logarithmic x; needs positive xs.

    Raises ValueError when a method's two sequences differ in length, or for xs <= 0 with log_x.
    """
    figure, color = go.Figure(), theme.colors(values)
    hover = f"{theme.plain(xlabel)} = %{{x:.4g}}<br>{theme.plain(ylabel)} = %{{y:.3f}}<extra></extra>"
    for name, (xs, ious) in values.items():
        theme.check_sweep(name, xs, ious, log_x)
        pairs = sorted(zip(map(float, xs), map(float, ious), strict=True))
        shared = {"name": theme.label(name), "legendgroup": theme.plain(name)}
        label = f"<b>%{{fullData.name}}</b><br>{hover}"
        line: dict[str, Any] = {"mode": "lines", "line": theme.line_of(color[name]), "hovertemplate": label}
        figure.add_scatter(x=[x for x, _ in pairs], y=[iou for _, iou in pairs], **shared, **line)
        if best and pairs:
            x, iou = max(pairs, key=lambda pair: (-pair[1] if lowest else pair[1], -pair[0]))
            star = {"symbol": "star", "size": 13, "color": color[name], "line": {"width": 1, "color": "#ffffff"}}
            label = f"<b>%{{fullData.name}}</b>, best<br>{hover}"
            at: dict[str, Any] = {"x": [x], "y": [iou], "mode": "markers", "marker": star, "hovertemplate": label}
            figure.add_scatter(**at, **shared, showlegend=False)
    for name, (xs, ious) in (limits or {}).items():
        line = {"color": color[name], "width": 1.5, "dash": "dot"}
        shared = {"name": f"{theme.label(name)} at n = ∞", "legendgroup": theme.plain(name)}
        figure.add_scatter(x=list(xs), y=list(ious), mode="lines", line=line, hovertemplate=hover, **shared)
    theme.add_now(figure, current)
    # 1, 2, 5 per decade: the default repeats bare digits between the powers of ten.
    ticks = {"dtick": "D2", "tickformat": ".4~g"} if log_x else {"rangemode": "tozero"}
    span: dict[str, Any] = {"range": [0, 1.02], "dtick": 0.2}
    if lowest:
        span = {"range": [0, 1.05 * max((max(ious, default=0.0) for _, ious in values.values()), default=1.0)]}
    return theme.finish(
        figure,
        height=380,
        xaxis=theme.axis(theme.plain(xlabel), type="log" if log_x else "linear", **ticks),
        yaxis=theme.axis(theme.plain(ylabel), **span),
    )
