"""Figures of one number of each curve, such as the IoU with the truth, against a parameter of the
estimators.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import plotly.graph_objects as go

from prviz.figures import theme
from prviz.figures.pr import limit_label

Values: TypeAlias = Mapping[str, tuple[Sequence[float], Sequence[float]]]
AT_K = "<b>%{fullData.name}</b>, k = %{x}: %{y:.3f}<extra></extra>"
_TICKS = [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000]


def iou_sweep_figure(
    values: Values,
    *,
    xlabel: str,
    ylabel: str = "IoU with the truth",
    best: Literal["highest", "lowest"] | None = None,
    limits: Values | None = None,
) -> go.Figure:
    """A number against a parameter of the estimators on a logarithmic axis, such as the IoU with
    the truth against k.

    Parameters
    ----------
    values : (xs, values) by method, in any order of the xs.
    xlabel, ylabel : what x and y are, e.g. "k".
    best : which value of each method gets a star, the leftmost of equal ones. The vertical axis
        ends at 1, except for "lowest".
    limits : (xs, values) by method for infinitely many samples, drawn dotted.

    Raises ValueError when a method's two sequences differ in length, or for xs <= 0.
    """
    figure = go.Figure()
    color = theme.colors(values)
    at = f"{theme.plain(xlabel)} = %{{x:.4~g}}<br>{theme.plain(ylabel)} = %{{y:.3f}}<extra></extra>"
    hover = f"<b>%{{fullData.name}}</b><br>{at}"
    top = 0.0
    for name, (xs, ious) in values.items():
        theme.check_sweep(name, xs, ious, log_x=True)
        pairs = sorted(zip(map(float, xs), map(float, ious), strict=True))
        top = max([top, *ious])
        figure.add_scatter(
            x=[x for x, _ in pairs],
            y=[iou for _, iou in pairs],
            **theme.named(name),
            mode="lines",
            line=theme.line_of(color[name]),
            hovertemplate=hover,
        )
        if best and pairs:
            sign = -1 if best == "lowest" else 1
            x, iou = max(pairs, key=lambda pair: (sign * pair[1], -pair[0]))
            star = {"symbol": "star", "size": 13, "color": color[name]}
            figure.add_scatter(
                x=[x],
                y=[iou],
                **theme.named(name),
                mode="markers",
                marker={**star, "line": {"width": 1, "color": "#ffffff"}},
                hovertemplate=f"<b>%{{fullData.name}}</b>, best<br>{at}",
                showlegend=False,
            )
    for name, (xs, ious) in (limits or {}).items():
        figure.add_scatter(
            x=list(xs),
            y=list(ious),
            name=limit_label(name),
            legendgroup=theme.plain(name),
            mode="lines",
            line={"color": color[name], "width": 1.5, "dash": "dot"},
            hovertemplate=hover,
            showlegend=False,
        )
    if limits:
        dotted = {"color": theme.TRUTH_COLOR, "width": 1.5, "dash": "dot"}
        theme.add_entry(figure, name="at n = ∞", mode="lines", line=dotted)
    theme.add_now(figure)
    span = {"range": [0, 1.02], "dtick": 0.2}
    if best == "lowest":
        span = {"range": [0, 1.05 * (top if values else 1.0)]}
    # Ticks at 1, 2, 5 of each decade: Plotly's default writes bare digits between powers of ten.
    return theme.finish(
        figure,
        height=380,
        xaxis=theme.axis(theme.plain(xlabel), type="log", dtick="D2", tickformat=".4~g"),
        yaxis=theme.axis(theme.plain(ylabel), **span),
    )


def stability_figure(values: Values, *, truth: float | None = None) -> go.Figure:
    """One summary of every family's curve against k on a logarithmic axis, as a small panel without
    a legend.

    The vertical axis goes from 0 to 1.

    Parameters
    ----------
    values : (ks, values of the summary) by method, the ks increasing.
    truth : the summary of the true curve, drawn dashed, or None.

    Raises ValueError when a method's two sequences differ in length, or for a k <= 0.
    """
    figure = go.Figure()
    color = theme.colors(values)
    for name, (ks, numbers) in values.items():
        theme.check_sweep(name, ks, numbers, log_x=True)
        figure.add_scatter(
            x=list(ks),
            y=list(numbers),
            **theme.named(name),
            mode="lines",
            line={**theme.line_of(color[name]), "width": 2},
            hovertemplate=AT_K,
        )
    theme.add_truth(figure, truth, sorted(k for ks, _ in values.values() for k in ks), width=1.5)
    theme.add_now(figure)
    return theme.finish(
        figure,
        height=165,
        showlegend=False,
        margin={"l": 34, "r": 8, "t": 8, "b": 26},
        xaxis=theme.axis("", type="log", tickvals=_TICKS, automargin=False),
        yaxis=theme.axis("", range=[0, 1.02], tickvals=[0, 0.5, 1], automargin=False),
    )
