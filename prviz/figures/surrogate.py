"""Settings of estimators on a pair whose truth is known: ranked bars, and lines over k or over d."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from prviz.figures import theme
from prviz.figures.iou import signed_bars

# By the splits in the order of the lines: an open mark says that there is none.
_NO_SPLIT, _SYMBOLS = "circle-open", ("circle", "square", "diamond", "triangle-up", "cross")
_RANKED_HOVER = (
    "%{text}<br>too optimistic (excess): %{customdata[0]:.3f}"
    "<br>too pessimistic (deficit): %{customdata[1]:.3f}<extra></extra>"
)


class RankedBar(NamedTuple):
    """One setting of a family, in words, and means over the repeats.

    spread : standard deviation of the IoU; nan: there is none.
    """

    method: str
    setting: str
    iou: float
    spread: float
    excess: float
    deficit: float

    @property
    def accuracy(self) -> str:
        """IoU and its spread."""
        return f"{self.iou:.2f}" + ("" if math.isnan(self.spread) else f" ± {self.spread:.2f}")

    @property
    def label(self) -> str:
        """Family and accuracy above the setting: a narrow screen has room for half a line."""
        return f"<b>{theme.label(self.method, 20)}</b> {self.accuracy}<br>{theme.plain(self.setting, 24)}"


class SettingLine(NamedTuple):
    """One line: family, split (None: no split), xs, means and standard deviations, one each per x.

    A line without xs is that of a family to which x means nothing: its one mean goes all the way across.
    """

    method: str
    split: float | None
    xs: Sequence[float]
    means: Sequence[float]
    spreads: Sequence[float]

    @property
    def label(self) -> str:
        """Name of the line in the legend."""
        split = "no split" if self.split is None else f"split {self.split:.0%}"
        return f"{theme.label(self.method)}, {split}"


def ranked_bars(bars: Sequence[RankedBar]) -> go.Figure:
    """Signed bars in the order given: deficit (too pessimistic) to the left, excess (too optimistic) to the right.

    Excess and deficit are shares of the joint area of estimate and truth; IoU = 1 - excess - deficit stands beside
    each family's name with its standard deviation.
    """
    color, labels = theme.colors(bar.method for bar in bars), [bar.label for bar in bars]
    return signed_bars(
        [(bar.excess, bar.deficit) for bar in bars],
        [color[bar.method] for bar in bars],
        text=labels,
        customdata=[[bar.excess, bar.deficit] for bar in bars],
        hovertemplate=_RANKED_HOVER,
        height=100 + 40 * max(len(bars), 1),
        right=20,
        ticks={**theme.tick_names(labels), "ticktext": labels},
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
    """A mean over x per family and split, with bars of one standard deviation; filled marks: split, open ones: none.

    lines : drawn in this order. xlabel, ylabel : what x and y are. top : upper end of y; None: a round number that
    holds all. x is logarithmic, with a tick at every x.

    Raises ValueError for other than one mean and one spread per x, or an x <= 0.
    """
    figure, color = go.Figure(), theme.colors(line.method for line in lines)
    ratios = list(dict.fromkeys(line.split for line in lines if line.split is not None))
    xs = sorted({float(x) for line in lines for x in line.xs}) or [1.0]
    for line in lines:
        symbol = _NO_SPLIT if line.split is None else _SYMBOLS[ratios.index(line.split) % len(_SYMBOLS)]
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
            hovertemplate=f"<b>%{{fullData.name}}</b><br>{xlabel} = %{{x}}: {ylabel} %{{y:.3f}} ± %{{customdata:.3f}}"
            "<extra></extra>",
        )
    highs = [mean + spread for line in lines for mean, spread in zip(line.means, line.spreads, strict=True)]
    return theme.finish(
        figure,
        height=height,
        xaxis=theme.axis(xlabel, type="log", tickvals=_apart(xs), ticktext=[f"{x:g}" for x in _apart(xs)]),
        yaxis=theme.axis(ylabel, range=[0, 1.02 * (top or theme.reach(max(highs, default=0.0)))]),
        legend=theme.legend(-0.2),
    )


def _apart(xs: Sequence[float]) -> list[float]:
    """Those of the xs whose labels don't touch on a narrow screen: each at least a third above the one before."""
    found: list[float] = []
    for x in xs:
        if not found or x >= 1.33 * found[-1]:
            found.append(x)
    return found
