"""Precision-recall curves of several pairs side by side, one panel for each estimator, each curve beside its truth."""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go
from plotly.colors import sample_colorscale
from plotly.subplots import make_subplots

from prviz.curves import PRCurve
from prviz.figures import theme

__all__ = ["panels_figure"]

# From dark to light, without the ends that vanish on a black or a white ground.
_SCALE, _ENDS = "Viridis", (0.25, 0.75)


def panels_figure(
    curves: Mapping[str, Mapping[str, PRCurve]], truths: Mapping[str, PRCurve], *, height: int = 400
) -> go.Figure:
    """One panel per estimator; in each the curves of all pairs, solid, in one colour with the pair's dashed truth.

    Parameters
    ----------
    curves : by estimator, then by the pair's name; the panels are drawn in this order.
    truths : by the pair's name; the colours follow this order.
    height : pixels.

    Raises KeyError for a pair without a truth.
    """
    shades = _shades(len(truths))
    color = dict(zip(truths, shades, strict=True))
    figure = make_subplots(rows=1, cols=max(len(curves), 1), subplot_titles=[theme.label(name) for name in curves])
    for column, found in enumerate(curves.values(), start=1):
        for pair, curve in found.items():
            for drawn, dash in ((truths[pair], "dash"), (curve, "solid")):
                _, alpha, beta = drawn.sample(200)
                line = {"color": color[pair], "width": 1.5 if dash == "dash" else 2.5, "dash": dash}
                seen = column == 1 and dash == "solid"
                shared = {"name": theme.plain(pair), "legendgroup": theme.plain(pair), "showlegend": seen}
                figure.add_scatter(x=beta, y=alpha, mode="lines", line=line, **shared, row=1, col=column)
    figure.update_xaxes(theme.axis("recall (diversity)", range=[0, 1.02], dtick=0.2))
    figure.update_yaxes(theme.axis("", range=[0, 1.02], dtick=0.2))
    figure.update_yaxes(title_text="precision (fidelity)", col=1)
    return theme.finish(figure, height=height, margin={"l": 60, "r": 20, "t": 40, "b": 50})


def _shades(count: int) -> list[str]:
    first, last = _ENDS
    places = [first + (last - first) * i / max(count - 1, 1) for i in range(count)]
    shades: list[str] = sample_colorscale(_SCALE, places)
    return shades
