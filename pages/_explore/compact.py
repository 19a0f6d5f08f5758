"""A figure at the size that it has beside the curve."""

from __future__ import annotations

import plotly.graph_objects as go


def compact(figure: go.Figure, height: int) -> go.Figure:
    """This figure itself, this many pixels high, without legend and titles of its axes: the panel's title says them."""
    figure.update_layout(height=height, showlegend=False, margin={"l": 30, "r": 8, "t": 16, "b": 20})
    figure.update_xaxes(title=None, automargin=False)
    figure.update_yaxes(title=None, automargin=False)
    return figure
