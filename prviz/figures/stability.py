"""One summary of every curve over k: how much a published number depends on a choice that few papers state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from prviz.figures import theme

__all__ = ["stability_figure"]

_TICKS = [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000]


def stability_figure(
    values: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    *,
    truth: float | None = None,
    current: float | None = None,
) -> go.Figure:
    """A small panel without a legend: one summary over k on a logarithmic axis, from 0 to 1 on the vertical one.

    Parameters
    ----------
    values : (ks, values of the summary) by method, the ks increasing.
    truth : the summary of the true curve, dashed, or None.
    current : the k on screen, marked by a vertical line, or None.

    Raises ValueError when a method's two sequences differ in length, or for a k <= 0.
    """
    figure, color = go.Figure(), theme.colors(values)
    for name, (ks, numbers) in values.items():
        theme.check_sweep(name, ks, numbers, log_x=True)
        figure.add_scatter(
            x=list(ks),
            y=list(numbers),
            name=theme.label(name),
            legendgroup=theme.plain(name),
            mode="lines",
            line={**theme.line_of(color[name]), "width": 2},
            hovertemplate="<b>%{fullData.name}</b>, k = %{x}: %{y:.3f}<extra></extra>",
        )
    theme.add_truth(figure, truth, sorted(k for ks, _ in values.values() for k in ks), width=1.5)
    theme.add_now(figure, current)
    return theme.finish(
        figure,
        height=165,
        showlegend=False,
        margin={"l": 34, "r": 8, "t": 8, "b": 26},
        xaxis=theme.axis("", type="log", tickvals=_TICKS, automargin=False),
        yaxis=theme.axis("", range=[0, 1.02], tickvals=[0, 0.5, 1], automargin=False),
    )
