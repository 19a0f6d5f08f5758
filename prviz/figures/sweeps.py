"""A heat map of means over the repeats of a sweep, one cell per setting and estimator."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from prviz.figures import theme

_LINE = 18
_AROUND = 50


class MeanCell(NamedTuple):
    """Mean and spread of a number over the repeats in one cell.

    row, column : position of the cell, counted from 0.
    spread : standard deviation; nan for one repeat.
    """

    row: int
    column: int
    mean: float
    spread: float
    repeats: float


def sweep_figure(
    methods: Sequence[str],
    settings: Sequence[str],
    cells: Sequence[MeanCell],
    *,
    label: str,
    less_is_better: bool = False,
    top: float | None = None,
) -> go.Figure:
    """A heat map of one number: a row per setting, the first on top, and a column per estimator.

    Parameters
    ----------
    methods : names in ESTIMATORS, one per column.
    settings : text of each row, of one or several lines.
    cells : the cells measured so far; all others stay empty.
    label : name of the number.
    less_is_better : True to give bright colours to small values.
    top : value at the upper end of the colour scale; None: a round number above all values.
    """
    means: list[list[float | None]] = [[None] * len(methods) for _ in settings]
    hovers = [[""] * len(methods) for _ in settings]
    texts = {}
    highest = 0.0
    lines = max((setting.count("\n") + 1 for setting in settings), default=1)
    for row, column, mean, spread, repeats in cells:
        means[row][column] = mean
        highest = max(highest, mean)
        text = f"{mean:.2f}"
        said = f"{mean:.3f}, 1 repeat"
        if not math.isnan(spread):
            text += f"<br>±{spread:.2f}"  # a second line, since cells are narrow on a phone
            said = f"{mean:.3f} ± {spread:.3f}, {repeats:.0f} repeats"
            lines = max(lines, 2)
        texts[row, column] = text
        hovers[row][column] = (
            f"<b>{theme.label(methods[column])}</b><br>{_broken(settings[row])}<br>"
            f"{theme.plain(label)}: {said}"
        )
    figure = go.Figure()
    end = top or theme.reach(highest)
    figure.add_heatmap(
        z=means,
        hovertext=hovers,
        hoverinfo="text",
        hoverongaps=False,
        zmin=0.0,
        zmax=end,
        colorscale=theme.HEAT,
        reversescale=less_is_better,
        xgap=2,
        ygap=2,
        showscale=False,
    )
    filled = []
    shares = np.array(means, dtype=float) / end
    for row, column, ink in theme.inked(theme.HEAT, shares, reverse=less_is_better):
        filled.append((column, row, texts[row, column], ink))
    theme.add_cell_texts(figure, filled)
    return theme.finish(
        figure,
        height=_AROUND + (8 + _LINE * lines) * max(len(settings), 1),
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        xaxis=_places(
            [theme.label(method, 24) for method in methods],
            side="top",
            range=[-0.5, len(methods) - 0.5],
        ),
        yaxis=_places(
            [_broken(setting) for setting in settings], range=[len(settings) - 0.5, -0.5]
        ),
    )


def _places(texts: Sequence[str], **options: Any) -> dict[str, Any]:
    ticks = {"tickvals": list(range(len(texts))), "ticktext": list(texts)}
    return theme.axis("", showgrid=False, zeroline=False, **ticks, **options)


def _broken(setting: str) -> str:
    return "<br>".join(theme.plain(line, 40) for line in setting.split("\n"))
