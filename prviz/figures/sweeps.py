"""Means over the repeats of a sweep, one cell per setting and estimator."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from prviz.figures import theme

_LINE = 18
_AROUND = 50


def sweep_figure(
    methods: Sequence[str],
    settings: Sequence[str],
    mean: ArrayLike,
    spread: ArrayLike,
    repeats: ArrayLike,
    *,
    label: str,
    less_is_better: bool = False,
    top: float | None = None,
) -> go.Figure:
    """A heat map of one number: a row per setting, the first on top, and a column per estimator.

    Parameters
    ----------
    methods : the columns, by their names in ESTIMATORS. settings : the rows, in words and lines.
    mean, spread, repeats : (settings, methods); nan where nothing is measured, or a spread has only
    one repeat.
    label : name of the number. less_is_better : True if small values get the bright colours.
    top : the value at the upper end of the colours; None: a round one that holds all.

    Raises ValueError for tables of another shape.
    """
    tables = [np.asarray(table, dtype=np.float64) for table in (mean, spread, repeats)]
    shape = (len(settings), len(methods))
    for name, table in zip(("mean", "spread", "repeats"), tables, strict=True):
        if table.shape != shape:
            raise ValueError(f"{name} has the shape {table.shape}; {shape} is needed")
    texts = [[""] * len(methods) for _ in settings]
    hovers = [[""] * len(methods) for _ in settings]
    for i, j in np.argwhere(np.isfinite(tables[0])).tolist():
        value, deviation, count = (float(table[i, j]) for table in tables)
        alone = math.isnan(deviation)
        # narrow, for a phone
        texts[i][j] = f"{value:.2f}" + ("" if alone else f"<br>±{deviation:.2f}")
        hovers[i][j] = (
            f"<b>{theme.label(methods[j])}</b><br>{_broken(settings[i])}<br>{theme.plain(label)}:"
            f" {value:.3f}"
            + (", 1 repeat" if alone else f" ± {deviation:.3f}, {count:.0f} repeats")
        )
    figure = go.Figure()
    end = top or theme.reach(float(np.nanmax(tables[0], initial=0.0)))
    figure.add_heatmap(
        z=[[None if math.isnan(value) else value for value in row] for row in tables[0].tolist()],
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
    inks = theme.by_ink(theme.HEAT, tables[0] / end, reverse=less_is_better)
    theme.add_cell_texts(
        figure,
        [(j, i, texts[i][j], ink) for ink, places in inks.items() for i, j in places],
    )
    lines = max((setting.count("\n") + 1 for setting in settings), default=1)
    lines = max(lines, 2) if np.isfinite(tables[1]).any() else lines
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
