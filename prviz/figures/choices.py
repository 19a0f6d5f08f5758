"""A strip that shows which family and k have the lowest risk at each lam."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from prviz.figures import theme
from prviz.measure.risk import ChosenSetting


def choices_figure(choices: Sequence[ChosenSetting]) -> go.Figure:
    """A strip over lam that shows which family and k have the lowest risk at each lam; the axis is
    linear in arctan(lam).

    Each part has its family's colour, and its k as text where the text fits.

    Parameters
    ----------
    choices : the choices by increasing lam.
    """
    figure = go.Figure()
    for method, own in theme.colors(choice.method for choice in choices).items():
        parts = [choice for choice in choices if choice.method == method]
        low, high = np.degrees(np.arctan([(part.low, part.high) for part in parts])).T
        figure.add_bar(
            x=high - low,
            base=low,
            y=[0] * len(parts),
            orientation="h",
            name=theme.label(method),
            marker={"color": own, "line": {"width": 1, "color": "#ffffff"}},
            text=[str(part.k) for part in parts],
            textposition="inside",
            insidetextanchor="middle",
            hovertext=[_said(part) for part in parts],
            hovertemplate="<b>%{fullData.name}</b>, %{hovertext}<extra></extra>",
        )
    layout = {
        "barmode": "overlay",
        "uniformtext": {"minsize": 9, "mode": "hide"},
        "showlegend": False,
    }
    return theme.finish(
        figure, height=150, xaxis=theme.angle_axis(), yaxis=theme.axis("", visible=False), **layout
    )


def _said(choice: ChosenSetting) -> str:
    low = theme.number(choice.low)
    return f"k = {choice.k}, λ from {low} to {theme.number(choice.high)}"
