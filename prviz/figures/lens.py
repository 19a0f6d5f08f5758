"""Figure of the area under the curve in the features of several encoders, with all features and
with fewer.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from prviz.figures import theme

_GREY = theme.faded(theme.TRUTH_COLOR, 0.5)
_HOVER = (
    "<b>%{fullData.name}</b> %{customdata[1]} here<br>AuC %{y:.3f}, place"
    " %{customdata[0]}<extra></extra>"
)


class EncoderPoint(NamedTuple):
    """One checkpoint in d features of one encoder: its area and its rank.

    possible : True if the checkpoint may be the best one in these features.
    """

    encoder: str
    d: int
    area: float
    rank: int
    possible: bool


def encoders_figure(points: Mapping[str, Sequence[EncoderPoint]]) -> go.Figure:
    """AuC of every checkpoint against the encoder and, within an encoder, against the number of
    features.

    points : points of each checkpoint, with encoders in the same order. Filled marks show where a
        checkpoint may be the best one; checkpoints that may be best nowhere are grey.
    """
    leading = [name for name, own in points.items() if any(each.possible for each in own)]
    hues = itertools.cycle(theme.FAMILY_COLORS.values())
    color = dict(zip(leading, hues, strict=False))
    figure = go.Figure()
    for name in sorted(points, key=lambda name: name in color):
        legend = name in color
        for encoder, part in itertools.groupby(points[name], lambda each: each.encoder):
            figure.add_trace(_line(name, encoder, list(part), color.get(name, _GREY), legend))
            legend = False
    return theme.finish(
        figure,
        height=360,
        xaxis=theme.axis("", type="multicategory", showgrid=False),
        yaxis=theme.axis("AuC", range=[0, 1.02], dtick=0.2),
    )


def _line(
    name: str, encoder: str, points: Sequence[EncoderPoint], color: str, legend: bool
) -> go.Scatter:
    """The line of one checkpoint against the number of features of one encoder."""
    symbols = []
    said = []
    for point in points:
        symbols.append("circle" if point.possible else "circle-open")
        said.append([point.rank, "may be best" if point.possible else "is not best"])
    return go.Scatter(
        x=[[theme.plain(encoder)] * len(points), [str(each.d) for each in points]],
        y=[each.area for each in points],
        mode="lines+markers",
        line={"color": color, "width": 2},
        marker={"size": 10, "color": color, "symbol": symbols},
        customdata=said,
        hovertemplate=_HOVER,
        showlegend=legend,
        **theme.named(name),
    )
