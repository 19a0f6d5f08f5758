"""Figures of the papers' experiments: heat maps with numbers, lines against a setting, and mean
curves with their spread.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from prviz.arrays import Floats
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.figures import theme
from prviz.studies.papers.base import (
    Chart,
    ChartBand,
    ChartLine,
    CurveChart,
    HeatMap,
    LineChart,
    signed,
)

_ROW = 25
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "triangle-down", "star")


def experiment_figures(chart: Chart) -> dict[str, go.Figure]:
    """One figure per panel of the chart, by the panel's title, all with the same scales and
    colours.

    Families keep their colours; the truth is dashed. An area, or bars, around a line show one
    standard deviation over the repeats to either side. Open symbols are the paper's values, in the
    colour of our line.
    """
    if isinstance(chart, HeatMap):
        return {title: _heat_map(chart, title) for title in chart.panels}
    if isinstance(chart, LineChart):
        return {title: _lines(chart, title) for title in chart.panels}
    return {title: _curves(chart, title) for title in chart.panels}


# ---- heat maps ----


def _heat_map(chart: HeatMap, title: str) -> go.Figure:
    """A heat map with a number and a sign in each cell; a cell without a value is empty."""
    values = chart.panels[title]
    marks = chart.marks.get(title)
    x = [theme.plain(each) for each in chart.x]
    y = [theme.plain(each) for each in chart.y]
    hover = f"%{{y}}<br><b>%{{x}}</b>: {theme.plain(chart.label)} %{{z:.3f}}<extra></extra>"
    low = chart.low
    high = chart.high
    colours = theme.HEAT
    if title in chart.signed:
        high = float(np.nanmax(np.abs(values), initial=0.01))
        low = -high
        colours = theme.SIGNED
    scale = {"zmin": low, "zmax": high, "colorscale": colours, "showscale": False}
    figure = go.Figure(
        go.Heatmap(
            x=x, y=y, z=values, xgap=2, ygap=2, hoverongaps=False, hovertemplate=hover, **scale
        )
    )
    cells = []
    for row, column, ink in theme.inked(colours, (values - low) / (high - low)):
        value = float(values[row, column])
        text = signed(value) if title in chart.signed else f"{value:.2f}"
        if marks:
            text += f" {marks[row][column]}"
        cells.append((x[column], y[row], text, ink))
    theme.add_cell_texts(figure, cells)
    sides = {"showgrid": False, "zeroline": False, "type": "category"}
    return theme.finish(
        figure,
        height=60 + _ROW * len(chart.y),
        margin={"l": 20, "r": 10, "t": 34, "b": 4},
        xaxis=theme.axis("", side="top", categoryarray=x, range=[-0.5, len(x) - 0.5], **sides),
        yaxis=theme.axis(
            "",
            categoryarray=y,
            range=[len(y) - 0.5, -0.5],
            tickfont={"size": 11},
            **sides,
        ),
    )


# ---- lines ----


def _lines(chart: LineChart, title: str) -> go.Figure:
    figure = go.Figure()
    names = _names(chart.panels.values())
    color = {**_colors(names), theme.TRUTH_LABEL: theme.TRUTH_COLOR}
    symbol = dict(zip(names, _SYMBOLS * len(names), strict=False))
    own = chart.panels[title]
    printed = chart.published.get(title, {})
    for name, line in own.items():
        figure.add_trace(_line(name, line, color[name], symbol.get(name, "circle")))
    for name, line in printed.items():
        ink = color.get(name, theme.TRUTH_COLOR)
        mark = f"{symbol.get(name, 'circle')}-open"
        figure.add_scatter(
            x=line.x,
            y=line.mean,
            **theme.named(name, "published"),
            showlegend=False,
            mode="markers",
            marker={"symbol": mark, "size": 12, "color": ink, "line": {"width": 2}},
            hovertemplate="<b>%{fullData.name}</b> at %{x:,.4~g}: %{y:.3f}<extra></extra>",
        )
    if np.isfinite(chart.mark):
        figure.add_vline(chart.mark, line={"color": theme.TRUTH_COLOR, "width": 1, "dash": "dot"})
    every: list[ChartLine] = []
    for panel in (*chart.panels.values(), *chart.published.values()):
        every += panel.values()
    x_axis: dict[str, Any] = {}
    if chart.log_x:
        places = np.unique(np.concatenate([line.x for line in every])).tolist()
        texts = [f"{place:,.6g}" for place in places]
        x_axis = {"type": "log", "tickvals": places, "ticktext": texts}
    if title in chart.y_titles:
        y_axis = _reach([*own.values(), *printed.values()]) or {"rangemode": "tozero"}
    else:
        y_axis = _reach(every)
    return theme.finish(
        figure,
        height=440,
        xaxis=theme.axis(theme.plain(chart.x_title), **x_axis),
        yaxis=theme.axis(theme.plain(chart.y_titles.get(title, chart.y_title)), **y_axis),
        legend=theme.legend(-0.22),
    )


def _line(name: str, line: ChartLine, color: str, symbol: str) -> go.Scatter:
    """Means at each x, with bars of one standard deviation at points with several repeats; the
    truth is dashed and has no markers.
    """
    bars = {"array": np.nan_to_num(line.sd), "thickness": 1.2, "width": 3, "color": color}
    truth = name == theme.TRUTH_LABEL
    return go.Scatter(
        x=line.x,
        y=line.mean,
        error_y=bars if np.isfinite(line.sd).any() else None,
        **theme.named(name),
        mode="lines" if truth else "lines+markers",
        line=theme.truth_line() if truth else theme.line_of(color),
        marker={"symbol": symbol, "size": 7, "color": color},
        cliponaxis=False,  # a marker at 0 or 1 is whole
        text=["" if np.isnan(sd) else f" ± {sd:.3f}" for sd in line.sd],
        hovertemplate="<b>%{fullData.name}</b> at %{x:,.4~g}: %{y:.3f}%{text}<extra></extra>",
    )


def _reach(lines: Sequence[ChartLine]) -> dict[str, Any]:
    """Options of the y axis: the range 0 to 1 if all values are shares; otherwise empty, so that
    Plotly chooses.
    """
    values = np.concatenate([line.mean[np.isfinite(line.mean)] for line in lines] or [np.zeros(1)])
    if len(values) and values.min() >= 0 and values.max() <= 1.02:
        return {"range": [0, 1.05]}
    return {}


# ---- curves ----


def _curves(chart: CurveChart, title: str) -> go.Figure:
    figure = go.Figure()
    color = _colors(_names([*chart.panels.values(), *chart.truths.values()]), ordered=True)
    for name, band in chart.panels[title].items():
        if np.isfinite(band.recall_sd).any():
            x = _around(band.recall, band.recall_sd)
            y = _around(band.precision, band.precision_sd)
            look = {**theme.named(name, "spread"), "showlegend": False}
            figure.add_trace(theme.polygon(x, y, theme.faded(color[name], 0.25), **look))
    for name, band in chart.truths.get(title, {}).items():
        if name == theme.TRUTH_LABEL:
            figure.add_trace(_curve(name, band, theme.truth_line()))
        else:
            look = {**theme.truth_line(), "color": color[name], "width": 1.8}
            figure.add_trace(
                _curve(name, band, look, name=f"{theme.label(name)}, truth", showlegend=False)
            )
    for name, band in chart.panels[title].items():
        figure.add_trace(_curve(name, band, theme.line_of(color[name])))
    return theme.finish(figure, height=520, **theme.pr_axes(), legend=theme.legend(centred=True))


def _around(mean: Floats, sd: Floats) -> Floats:
    """One coordinate of the outline of the area mean +- standard deviation, cut to the plot."""
    sd = np.nan_to_num(sd)
    around: Floats = np.clip(theme.there_and_back(mean - sd, mean + sd), 0, 1.02)
    return around


def _curve(curve: str, band: ChartBand, look: dict[str, Any], **about: Any) -> go.Scatter:
    words = {**theme.named(curve), "showlegend": True, **about}
    return go.Scatter(
        x=band.recall,
        y=band.precision,
        **words,
        mode="lines",
        line=look,
        hovertemplate=(
            "<b>%{fullData.name}</b><br>precision %{y:.3f}, recall %{x:.3f}<extra></extra>"
        ),
    )


# ---- colours ----


def _names(panels: Iterable[Mapping[str, Any]]) -> list[str]:
    names = dict.fromkeys(name for panel in panels for name in panel)
    names.pop(theme.TRUTH_LABEL, None)
    return list(names)


def _colors(names: Sequence[str], *, ordered: bool = False) -> dict[str, str]:
    """The colour of each series. A family or a role has its own colour.

    Other names get colours that no family has; if `ordered` and no name is a family, shades from
    blue to orange.
    """
    families = {each.title: name for name, each in ESTIMATORS.items()}
    if ordered and not any(name in families for name in names):
        return dict(zip(names, theme.shades(len(names)), strict=True))
    color = theme.colors([*DEFAULT_METHODS, *(families.get(name, name) for name in names)])
    own = {role: role_color for role, _, role_color in theme.ROLES}
    return {name: own.get(name, color[families.get(name, name)]) for name in names}
