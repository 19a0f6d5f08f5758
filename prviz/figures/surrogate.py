"""Figures that compare settings of estimators on a pair with known truth: errors of the area under
the curve, and lines against k or the dimension d.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import plotly.graph_objects as go

from prviz.figures import theme

# Symbol of lines without split, an open mark.
_NO_SPLIT = "circle-open"
# Symbols of lines with a split, one for each split in order of appearance.
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross")
_ERROR_SYMBOLS = {"best": "star", "": "circle", "avoid": "x"}
_ERROR_HOVER = (
    "%{text}<br>area minus true area: %{x:+.3f}<br>95 %: %{customdata[0]:+.3f} to"
    " %{customdata[1]:+.3f}<extra></extra>"
)


class SettingError(NamedTuple):
    """A setting of a family in words, and the error of its area: area minus true area.

    low, high : 95 % interval of the error on one more sample.
    mark : "best" for the best setting, "avoid" for one to avoid, else "".
    """

    method: str
    setting: str
    error: float
    low: float
    high: float
    mark: Literal["best", "", "avoid"] = ""


class SettingLine(NamedTuple):
    """One line: family, split (None for no split), and mean and standard deviation at each x.

    A family that does not depend on x has no xs and one mean, which is drawn across the whole plot.
    """

    method: str
    split: float | None
    xs: Sequence[float]
    means: Sequence[float]
    spreads: Sequence[float]

    @property
    def label(self) -> str:
        """Name of the line in the legend."""
        split = "no split"
        if self.split is not None:
            split = f"split {100 * self.split:.0f} %"
        return f"{theme.label(self.method)}, {split}"


def error_intervals(settings: Sequence[SettingError]) -> go.Figure:
    """The error of the area (area minus true area) of each setting, with its interval; the first
    setting on top.

    A star marks the best setting, a cross one to avoid.
    """
    color = theme.colors(each.method for each in settings)
    labels = [
        f"<b>{theme.label(each.method, 20)}</b> {theme.plain(each.setting, 24)}"
        for each in settings
    ]
    figure = go.Figure()
    for place, (each, label) in enumerate(zip(settings, labels, strict=True)):
        best = each.mark == "best"
        figure.add_scatter(
            x=[each.error],
            y=[place],
            error_x={"type": "data", "symmetric": False, "array": [each.high - each.error]}
            | {"arrayminus": [each.error - each.low], "thickness": 4 if best else 2, "width": 0},
            mode="markers",
            marker={
                "color": color[each.method],
                "symbol": _ERROR_SYMBOLS[each.mark],
                "size": 15 if best else 9,
            },
            text=[label],
            customdata=[[each.low, each.high]],
            hovertemplate=_ERROR_HOVER,
            opacity=0.55 if each.mark == "avoid" else 1.0,
            showlegend=False,
        )
    every = [(each.error, each.low, each.high) for each in settings]
    ends = np.abs(np.ravel(every))
    longest = ends[np.isfinite(ends)].max(initial=0.0)
    return theme.finish(
        figure,
        height=80 + 23 * max(len(settings), 1),
        margin={"l": 20, "r": 20, "t": 4, "b": 50},
        xaxis=theme.signed_axis("← area too low · area too high →", min(longest, 1.0)),
        yaxis=theme.axis("", **{**theme.tick_names(labels), "ticktext": labels}, showgrid=False),
    )


def setting_lines_figure(
    lines: Sequence[SettingLine],
    *,
    xlabel: str,
    ylabel: str,
    top: float | None = None,
    legend: bool = True,
    height: int = 420,
) -> go.Figure:
    """Means against x, one line per family and split, with bars of one standard deviation.

    Marks are filled for estimates with split, open for those without. The x axis is logarithmic,
    with a tick at every x.

    lines : drawn in this order.
    xlabel, ylabel : names of x and y.
    top : upper end of the y axis; None: a round number above all values. Raises ValueError unless
    there is one mean and one spread per x, and for an x <= 0.
    """
    figure = go.Figure()
    color = theme.colors(line.method for line in lines)
    ratios = list(dict.fromkeys(line.split for line in lines if line.split is not None))
    xs = sorted({float(x) for line in lines for x in line.xs}) or [1.0]
    for line in lines:
        if line.split is None:
            symbol = _NO_SPLIT
        else:
            symbol = _SYMBOLS[ratios.index(line.split) % len(_SYMBOLS)]
        theme.check_sweep(line.label, line.xs or xs[:1], line.means, log_x=True)
        theme.check_sweep(line.label, line.means, line.spreads, log_x=False)
        across = not line.xs
        times = len(xs) if across else 1
        spreads = [*line.spreads] * times
        bars = {"type": "data", "array": spreads, "visible": not across, "thickness": 1, "width": 3}
        figure.add_scatter(
            x=xs if across else list(line.xs),
            y=[*line.means] * times,
            name=line.label,
            legendgroup=theme.plain(line.label),
            showlegend=legend,
            mode="lines" if across and len(xs) > 1 else "lines+markers",
            line={"color": color[line.method], "width": 1.5 if line.split is None else 2.5},
            marker={"symbol": symbol, "size": 9},
            error_y=bars,
            customdata=spreads,
            hovertemplate=(
                f"<b>%{{fullData.name}}</b><br>{xlabel} = %{{x}}: {ylabel} %{{y:.3f}} ±"
                " %{customdata:.3f}<extra></extra>"
            ),
        )
    highs = [np.add(line.means, line.spreads).max(initial=0.0) for line in lines]
    ticks = _apart(xs)
    return theme.finish(
        figure,
        height=height,
        xaxis=theme.axis(xlabel, type="log", tickvals=ticks, ticktext=[f"{x:g}" for x in ticks]),
        yaxis=theme.axis(ylabel, range=[0, 1.02 * (top or theme.reach(max(highs, default=0.0)))]),
        legend=theme.legend(-0.2),
    )


def _apart(xs: Sequence[float]) -> list[float]:
    """The xs whose tick labels don't touch on a narrow screen.

    Each x is at least a third larger than the one before it.
    """
    found: list[float] = []
    for x in xs:
        if not found or x >= 1.33 * found[-1]:
            found.append(x)
    return found
