"""Figures of checkpoints with Frechet distances: their F8 scores leaning to recall and to
precision, and how similarly several metrics rank them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from prviz.arrays import Floats
from prviz.figures import theme
from prviz.figures.triage import LEANINGS, placed_names

# Largest number of groups with a colour and a symbol of their own.
MOST_GROUPS = len(theme.SYMBOLS)


class TradePoint(NamedTuple):
    """A checkpoint: its name, its F8 leaning to recall and leaning to precision, and its Frechet
    distance.
    """

    name: str
    recall: float
    precision: float
    distance: float


def groups_of(names: Sequence[str]) -> list[str]:
    """The group of each checkpoint name: its first word without trailing digits.

    All groups are "" if there are fewer than 2, more than MOST_GROUPS, or as many as names.
    """
    groups = [name.split(" ")[0].rstrip("0123456789-_,.") for name in names]
    if 1 < len(set(groups)) <= min(MOST_GROUPS, len(names) - 1):
        return groups
    return [""] * len(names)


def equal_distance_figure(points: Sequence[TradePoint], pair: tuple[str, str] | None) -> go.Figure:
    """F8 leaning to precision against F8 leaning to recall, one point per checkpoint.

    pair : two checkpoints to ring, to join by a line and to label with their Frechet distances; or
    None.

    Source: Sajjadi et al. 2018, figures 6 and 7.
    """
    figure = go.Figure()
    figure.add_scatter(
        x=[0, 1],
        y=[0, 1],
        mode="lines",
        line=theme.truth_line(),
        hoverinfo="skip",
        showlegend=False,
    )
    groups = groups_of([point.name for point in points])
    looks = zip(dict.fromkeys(groups), theme.SYMBOLS, theme.FAMILY_COLORS.values(), strict=False)
    for group, symbol, color in looks:
        chosen = [point for point, own in zip(points, groups, strict=True) if own == group]
        names, recall, precision, _ = zip(*chosen, strict=True)
        figure.add_scatter(
            x=recall,
            y=precision,
            mode="markers",
            name=group,
            showlegend=bool(group),
            marker={"symbol": symbol, "color": color, "size": 9, "opacity": 0.75},
            customdata=names,
            hovertext=[_words(point) for point in chosen],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    if pair is not None:
        by_name = {point.name: point for point in points}
        _add_rings(figure, by_name[pair[0]], by_name[pair[1]])
    side = {"range": [-0.03, 1.03], "dtick": 0.2}
    return theme.finish(
        figure,
        height=520,
        **theme.square(LEANINGS["f8_recall"], LEANINGS["f8_precision"], **side),
    )


def _add_rings(figure: go.Figure, a: TradePoint, b: TradePoint) -> None:
    """Ring two checkpoints, label them with their Frechet distances, and join them by a line."""
    places = np.array([[a.recall, a.precision], [b.recall, b.precision]])
    texts = [f"A FD {a.distance:.3g}", f"B FD {b.distance:.3g}"]
    lines = [places, np.array([[0.0, 0.0], [1.0, 1.0]])]
    _, sides = placed_names(texts, places, (0.0, 1.0), lines=lines)
    ring = {"symbol": "circle-open", "size": 20, "line": {"width": 3}}
    figure.add_scatter(
        x=places[:, 0],
        y=places[:, 1],
        mode="lines+markers+text",
        line={"color": theme.TRUTH_COLOR, "width": 1.5, "dash": "dot"},
        marker={**ring, "color": list(theme.RIVAL_COLORS)},
        text=[f"<b>{text[0]}</b>{text[1:]}" for text in texts],
        textposition=sides,
        hoverinfo="skip",
        showlegend=False,
    )


def agreement_of_numbers_figure(names: Sequence[str], values: Floats) -> go.Figure:
    """Rank correlations between every two metrics, from -1 to 1.

    A cell is empty where a correlation is not defined.

    Source: Sajjadi et al. 2018, figure 10.
    """
    cells = [
        ["" if np.isnan(value) else f"{value:.2f}".replace("-0.00", "0.00") for value in row]
        for row in values
    ]
    figure = go.Figure(
        go.Heatmap(
            x=list(names),
            y=list(names),
            z=[[None if np.isnan(value) else float(value) for value in row] for row in values],
            zmin=-1,
            zmax=1,
            colorscale="RdBu_r",
            xgap=1,
            ygap=1,
            text=cells,
            texttemplate="%{text}",
            textfont={"size": 10},
            hoverongaps=False,
            hovertemplate="%{y} and %{x}: %{z:.2f}<extra></extra>",
            colorbar={"thickness": 10, "outlinewidth": 0, "tickvals": [-1, 0, 1]},
        )
    )
    axis: dict[str, Any] = {"showgrid": False, "ticks": ""}
    return theme.finish(
        figure,
        height=600,
        xaxis=theme.axis("", tickangle=-60, **axis),
        yaxis=theme.axis("", autorange="reversed", **axis),
    )


def _words(point: TradePoint) -> str:
    return (
        f"<b>{theme.plain(point.name)}</b><br>Fréchet distance {point.distance:.4g}<br>F8 leaning"
        f" to precision {point.precision:.3f}<br>F8 leaning to recall {point.recall:.3f}"
    )
