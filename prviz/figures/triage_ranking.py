"""Checkpoints in the order of their ranking, with intervals, and both sides of their curves against each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from prviz.figures import theme

_ROW, _MOST_ROW, _FEW, _AROUND = 24, 42, 330, 130
_LONGEST = 22
_NAMES_SHOWN = 6
# Shares of the width and of the height that a name needs.
_NAME_SIZE = (0.3, 0.06)
_COLOR = theme.FAMILY_COLORS["knn"]
# Label, symbol and size by the relation to the best checkpoint; open marks are worse.
_LOOKS = {
    "best": ("best", "diamond", 12),
    "tied": ("may be best too", "circle", 9),
    "worse": ("worse than the best", "circle-open", 9),
}


class RankedLine(NamedTuple):
    """One checkpoint: its score with an interval, and the two sides of its curve.

    tied : True if it may be best too. front : True if no other beats it on both sides.
    """

    name: str
    score: float
    low: float
    high: float
    tied: bool
    front: bool
    precision: float
    recall: float


def ranking_figure(
    lines: Sequence[RankedLine], *, selected: str | None = None, level: float = 0.95, ceiling: float | None = None
) -> go.Figure:
    """A dot and a whisker per checkpoint, best first from the top; a dashed line at the score of the best.

    lines : in rank order. selected : whose row is shaded. level : of the intervals, for the hover.
    ceiling : the score of real samples, a dotted line.
    """
    figure = go.Figure()
    figure.add_scatter(  # from low to high, which need not have the score between them
        x=[end for line in lines for end in (line.low, line.high, None)],
        y=[end for place in range(len(lines)) for end in (place, place, None)],
        mode="lines+markers",
        line={"color": _COLOR, "width": 2},
        marker={"symbol": "line-ns-open", "size": 9, "color": _COLOR, "line": {"width": 2, "color": _COLOR}},
        showlegend=False,
        hoverinfo="skip",
    )
    for kind, (label, symbol, size) in _LOOKS.items():
        places = [
            place
            for place, line in enumerate(lines)
            if kind == ("best" if place == 0 else "tied" if line.tied else "worse")
        ]
        some = [lines[place] for place in places]
        figure.add_scatter(
            x=[line.score for line in some],
            y=places,
            name=label,
            mode="markers",
            marker={"symbol": symbol, "size": size, "color": _COLOR, "line": {"width": 2, "color": _COLOR}},
            text=[theme.plain(line.name) for line in some],
            customdata=[[line.low, line.high, place + 1] for place, line in zip(places, some, strict=True)],
            hovertemplate=f"<b>%{{text}}</b>, place %{{customdata[2]}}<br>score %{{x:.3f}}<br>{100 * level:g} % "
            "interval %{customdata[0]:.3f} to %{customdata[1]:.3f}<extra></extra>",
        )
    low, high = min(line.low for line in lines), max(line.high for line in lines)
    high = high if ceiling is None else max(high, ceiling)
    ends = [max(min(low, lines[-1].score), 0.0), min(max(high, lines[0].score), 1.0)]
    pad = 0.04 * max(ends[1] - ends[0], 0.02)
    area: dict[str, Any] = {"type": "rect", "xref": "paper", "x0": 0, "x1": 1, "layer": "below", "line": {"width": 0}}
    shaded = [
        {**area, "y0": place - 0.5, "y1": place + 0.5, "fillcolor": theme.FAINT}
        for place, line in enumerate(lines)
        if line.name == selected
    ]
    best: dict[str, Any] = {"color": theme.TRUTH_COLOR, "width": 1.5, "dash": "dash"}
    at = {"x0": lines[0].score, "x1": lines[0].score, "yref": "paper", "y0": 0, "y1": 1}
    real = {"type": "line", "line": {**best, "dash": "dot"}, "x0": ceiling, "x1": ceiling}
    top = [] if ceiling is None else [{**at, **real, "label": {"text": "real data", "textposition": "end"}}]
    height = _AROUND + max(round(len(lines) * max(_ROW, min(_MOST_ROW, _FEW / len(lines)))), 2 * _MOST_ROW)
    return theme.finish(
        figure,
        height=height,
        margin={"l": 20, "r": 20, "t": 10, "b": 90},
        xaxis=theme.axis("score (larger is better)", range=[ends[0] - pad, ends[1] + pad], zeroline=False),
        yaxis=theme.axis("", **theme.tick_names([_short(line.name) for line in lines]), showgrid=False),
        shapes=[{"type": "line", "line": best, **at}, *top, *shaded],
        legend=theme.legend(-46 / max(height - 100, 1)),  # below the axis title, whatever the height of the plot
    )


def _short(name: str) -> str:
    """A long name shortened in its middle, since checkpoints may differ at either end."""
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST // 2 - 2]}…{name[-_LONGEST // 2 :]}"


def sides_figure(lines: Sequence[RankedLine], goal: float, *, selected: str | None = None) -> go.Figure:
    """The precision side of every curve against its recall side: up and to the right is better.

    Filled diamonds are those that no other beats on both sides; the dotted stairs close in everything that one of them
    is at least as good as. The dashed line joins what would score as much as the best at this goal: its slope is
    -goal / (1 - goal), so that the goal turns it. Names stand beside the best, the one that is selected and, where they
    are few, those of the front, but none runs into another. lines : in rank order.
    """
    figure = go.Figure()
    ranges = _ranges(lines)
    front = sorted((line for line in lines if line.front), key=lambda line: (line.recall, -line.precision))
    figure.add_scatter(
        x=[0.0, *(line.recall for line in front), front[-1].recall],
        y=[front[0].precision, *(line.precision for line in front), 0.0],
        mode="lines",
        showlegend=False,
        line={"shape": "vh", "color": theme.TRUTH_COLOR, "width": 1.5, "dash": "dot"},
        hoverinfo="skip",
    )
    # The line (1 - goal) P + goal R = score within the first range, or the second where it is upright.
    best, x, y = lines[0], np.array(ranges[0]), np.array(ranges[1])
    if goal < 0.5:
        y = best.precision - goal / (1.0 - goal) * (x - best.recall)
    else:
        x = best.recall - (1.0 - goal) / goal * (y - best.precision)
    figure.add_scatter(
        x=x,
        y=y,
        name="same score as the best",
        mode="lines",
        line={"color": theme.TRUTH_COLOR, "width": 1.5, "dash": "dash"},
        hoverinfo="skip",
    )
    few = front if len({(line.recall, line.precision) for line in front}) <= _NAMES_SHOWN else []
    named = _apart([*(line for line in lines if line.name == selected), lines[0], *few], ranges)
    for label, symbol, wanted in (("beaten by none", "diamond", True), ("beaten on both sides", "circle-open", False)):
        some = [line for line in lines if line.front == wanted]
        chosen = [line.name == selected for line in some]
        middle = float(np.mean(ranges[0]))
        figure.add_scatter(  # the selected one larger, names on the side that has room
            x=[line.recall for line in some],
            y=[line.precision for line in some],
            name=label,
            mode="markers+text",
            marker={
                "symbol": symbol,
                "size": [16 if each else 10 for each in chosen],
                "color": _COLOR,
                "opacity": 1,
                "line": {"width": [3.5 if each else 2 for each in chosen], "color": _COLOR},
            },
            text=[f" {theme.plain(_short(line.name))} " if line.name in named else "" for line in some],
            textposition=["top right" if line.recall < middle else "bottom left" for line in some],
            customdata=[[theme.plain(line.name), line.score] for line in some],
            hovertemplate="<b>%{customdata[0]}</b><br>precision side P = %{y:.3f}<br>recall side R = %{x:.3f}"
            "<br>score %{customdata[1]:.3f}<extra></extra>",
        )
    return theme.finish(
        figure,
        height=460,
        margin={"l": 60, "r": 20, "t": 10, "b": 95},
        xaxis=theme.axis("recall side R", range=ranges[0], zeroline=False),
        yaxis=theme.axis("precision side P", range=ranges[1], zeroline=False),
        legend=theme.legend(-0.17),
    )


def _apart(lines: Sequence[RankedLine], ranges: Sequence[Sequence[float]]) -> set[str]:
    """The names that don't overlap an earlier one."""
    size = np.array([(high - low) * share for (low, high), share in zip(ranges, _NAME_SIZE, strict=True)])
    places: dict[str, ArrayLike] = {}
    for line in lines:
        at = np.array([line.recall, line.precision])
        if all((np.abs(at - other) >= size).any() for other in places.values()):
            places[line.name] = at
    return set(places)


def _ranges(lines: Sequence[RankedLine]) -> list[list[float]]:
    """Of both axes: all points with some room, in steps, so that one more checkpoint seldom changes them."""
    found = []
    for values in ([line.recall for line in lines], [line.precision for line in lines]):
        low, high = min(values), max(values)
        step = 0.1 if high - low > 0.1 else 0.02
        first, last = np.floor(low / step - 0.3) * step, np.ceil(high / step + 0.3) * step
        found.append([float(first) if first > 0 else -0.05 * float(last), min(float(last), 1.02)])
    return found
