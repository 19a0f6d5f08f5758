"""Areas in the features of several encoders, with all and with fewer of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go

from prviz.figures import theme

_GREY = theme.faded(theme.TRUTH_COLOR, 0.5)
_HOVER = (
    "<b>%{fullData.name}</b> %{customdata[1]} here<br>AuC %{y:.3f}, place"
    " %{customdata[0]}<extra></extra>"
)


class EncoderPoint(NamedTuple):
    """One checkpoint in the features of one encoder. possible : True if it may be best there."""

    encoder: str
    d: int
    area: float
    rank: int
    possible: bool


def encoders_figure(points: Mapping[str, Sequence[EncoderPoint]]) -> go.Figure:
    """AuC of every checkpoint, encoder by encoder, each by its number of features.

    points : by checkpoint, all in the same order. Filled: may be best there. Checkpoints that may
    be best nowhere are
        grey.
    """
    leading = [name for name, own in points.items() if any(each.possible for each in own)]
    hues = list(theme.FAMILY_COLORS.values())
    color = {name: hues[place % len(hues)] for place, name in enumerate(leading)}
    figure = go.Figure()
    for name in sorted(points, key=lambda name: name in leading):
        own = points[name]
        shade = color.get(name, _GREY)
        shown: dict[str, Any] = {"legendgroup": theme.plain(name), "name": theme.label(name)}
        for place, encoder in enumerate(dict.fromkeys(each.encoder for each in own)):
            part = [each for each in own if each.encoder == encoder]
            figure.add_scatter(
                x=[[theme.plain(encoder)] * len(part), [str(each.d) for each in part]],
                y=[each.area for each in part],
                mode="lines+markers",
                line={"color": shade, "width": 2},
                marker={
                    "size": 10,
                    "color": shade,
                    "symbol": ["circle" if each.possible else "circle-open" for each in part],
                },
                customdata=[
                    [each.rank, "may be best" if each.possible else "is not best"] for each in part
                ],
                hovertemplate=_HOVER,
                showlegend=place == 0 and name in leading,
                **shown,
            )
    return theme.finish(
        figure,
        height=360,
        xaxis=theme.axis("", type="multicategory", showgrid=False),
        yaxis=theme.axis("AuC", range=[0, 1.02], dtick=0.2),
    )
