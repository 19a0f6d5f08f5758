"""Figures on the robustness of a verdict: maps of winners, the ranking on fewer samples, and the
agreement between families.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from prviz.figures import theme

_ROW = 36
_LEGEND_LINE = 21
# Number of characters in a line of the legend on the narrowest page.
_LINE = 46
# Horizontal distance from the centre of a cell to the dashed border inside it, in cells.
_INSET_X = 0.47
# Vertical distance from the centre of a cell to the dashed border inside it, in cells.
_INSET_Y = 0.42
_DASH = "5px,3px"
_CELLS = {"showscale": False, "hoverongaps": False, "xgap": 2, "ygap": 2}
_SAME = theme.FAMILY_COLORS["knn"]
_TAU = theme.FAMILY_COLORS["kde"]


class Contender(NamedTuple):
    """Style of the cells that a checkpoint wins: a short sign, and a hex colour."""

    sign: str
    color: str


class WonCell(NamedTuple):
    """One cell of a map of winners.

    row, column : counted from 0.
    words : hover text below the winner's name.
    flips : True if the winner is not the best checkpoint of the verdict.
    """

    row: int
    column: int
    winner: str
    words: str
    flips: bool


def winners_figure(
    cells: Sequence[WonCell],
    contenders: Mapping[str, Contender],
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    column_title: str,
    flipped: str = "dashed border: not the verdict",
) -> go.Figure:
    """A map of the winning checkpoint in every row and column, by sign and colour; a dashed border
    where the winner differs from the verdict's.

    cells : the cells with a winner; all others stay empty.
    contenders : style of every winner, by name.
    rows, columns : labels, the first row on top.
    flipped : legend text of the dashed border.
    """
    winners = {cell.winner for cell in cells}
    won = [name for name in contenders if name in winners]
    figure = go.Figure()
    if won:
        _add_winners(figure, cells, won, contenders, (len(rows), len(columns)))
    signs = []
    dashed = []
    for cell in cells:
        sign, color = contenders[cell.winner]
        signs.append((cell.column, cell.row, sign, _ink(color)))
        if cell.flips:
            dashed.append(_border(cell, color))
    theme.add_cell_texts(figure, signs, size=14)
    entries = []
    for name in won:
        sign, color = contenders[name]
        entries.append(7 + min(len(name), 36))
        square = {"symbol": "square", "size": 14, "color": color}
        title = f"{sign}: {theme.plain(name, 36)}"
        theme.add_entry(figure, name=title, mode="markers", marker=square, showlegend=True)
    if dashed:
        entries.append(len(flipped) + 4)
        dash = {"color": theme.TRUTH_COLOR, "width": 2, "dash": _DASH}
        theme.add_entry(figure, name=flipped, mode="lines", line=dash, showlegend=True)
    legend_lines = 0
    if entries:  # as many lines as on the narrowest page
        legend_lines = math.ceil(len(entries) / max(_LINE // max(entries), 1))
    return _finished(figure, rows, columns, column_title, shapes=dashed, legend_lines=legend_lines)


def _add_winners(
    figure: go.Figure,
    cells: Sequence[WonCell],
    won: Sequence[str],
    contenders: Mapping[str, Contender],
    shape: tuple[int, int],
) -> None:
    """Draw the cells, with one colour per winner."""
    levels: list[list[float | None]] = [[None] * shape[1] for _ in range(shape[0])]
    texts = [[""] * shape[1] for _ in range(shape[0])]
    for cell in cells:
        levels[cell.row][cell.column] = float(won.index(cell.winner))
        texts[cell.row][cell.column] = f"<b>{theme.plain(cell.winner)}</b><br>{cell.words}"
    scale = []
    for place, name in enumerate(won):
        color = contenders[name].color
        scale += [[place / len(won), color], [(place + 1) / len(won), color]]
    figure.add_heatmap(
        z=levels,
        text=texts,
        hovertemplate="%{text}<extra></extra>",
        colorscale=scale,
        zmin=-0.5,
        zmax=len(won) - 0.5,
        **_CELLS,
    )


def _border(cell: WonCell, color: str) -> dict[str, Any]:
    """A dashed rectangle inside a cell."""
    return {
        "type": "rect",
        "x0": cell.column - _INSET_X,
        "x1": cell.column + _INSET_X,
        "y0": cell.row - _INSET_Y,
        "y1": cell.row + _INSET_Y,
        "line": {"color": _ink(color), "width": 2, "dash": _DASH},
    }


def fewer_samples_figure(
    n: Sequence[float], same: Sequence[float], tau: Sequence[float]
) -> go.Figure:
    """Stability of a ranking against the number of samples: the share of draws with the same
    winner, and the mean Kendall's tau.

    n : increasing numbers of samples; the last one is that of all samples.
    same : share of draws with the winner of all samples, in [0, 1].
    tau : mean Kendall's tau with the ranking of all samples, in [-1, 1]; nan where it is not
    defined.
    """
    figure = go.Figure()
    for values, name, color, symbol, dash in (
        (same, "draws with the same winner", _SAME, "circle", "solid"),
        (tau, "Kendall's τ of the order", _TAU, "diamond-open", "dot"),
    ):
        figure.add_scatter(
            x=list(n),
            y=list(values),
            name=name,
            mode="lines+markers",
            line={"color": color, "width": 2.5, "dash": dash},
            marker={
                "symbol": symbol,
                "size": 10,
                "color": color,
                "line": {"width": 2, "color": color},
            },
            hovertemplate=f"<b>{name}</b> at n = %{{x:,}}: %{{y:.2f}}<extra></extra>",
        )
    low = min([0.0, *(value for value in tau if math.isfinite(value))])
    places = {"tickvals": list(n), "ticktext": [f"{each:,.0f}" for each in n]}
    return theme.finish(
        figure,
        height=300,
        margin={"l": 50, "r": 20, "t": 12, "b": 50},
        xaxis=theme.axis("real samples n", type="log", **places),
        yaxis=theme.axis("", range=[low - 0.06, 1.06]),
        legend=theme.legend(-0.28),
    )


def agreement_figure(names: Sequence[str], values: Sequence[Sequence[float]]) -> go.Figure:
    """Kendall's tau between the rankings by every two families; a cell is empty where tau is not
    defined.

    names : the families.
    values : table of tau, a row and a column per family; nan where it is not defined.
    """
    titles = [theme.label(name, 24) for name in names]
    table = np.array(values, dtype=float).reshape(len(names), len(names))
    figure = go.Figure()
    figure.add_heatmap(
        z=[list(row) for row in values],
        text=[[f"<b>{one}</b> and <b>{other}</b>" for other in titles] for one in titles],
        hovertemplate="%{text}: τ = %{z:.2f}<extra></extra>",
        colorscale=theme.HEAT,
        zmin=-1,
        zmax=1,
        **_CELLS,
    )
    cells = []
    for row, column, ink in theme.inked(theme.HEAT, (table + 1) / 2):
        text = f"{round(table[row, column], 2) + 0.0:.2f}".replace("-", "\N{MINUS SIGN}")
        cells.append((column, row, text, ink))
    theme.add_cell_texts(figure, cells)
    return _finished(figure, titles, titles, "", top=True)


def _finished(
    figure: go.Figure,
    rows: Sequence[str],
    columns: Sequence[str],
    column_title: str,
    *,
    shapes: Sequence[dict[str, Any]] = (),
    legend_lines: int = 0,
    top: bool = False,
) -> go.Figure:
    """The figure with all cells equally high, and the legend just below the axis for any number of
    its lines.
    """
    plot = _ROW * len(rows)
    below = 14 if top else 52
    above = 60 if top else 8
    foot = below + _LEGEND_LINE * legend_lines
    sides = {"showgrid": False, "zeroline": False, "fixedrange": True}
    x = {
        "tickvals": list(range(len(columns))),
        "ticktext": list(columns),
        "range": [-0.5, len(columns) - 0.5],
    }
    if top:
        # Names side by side: Plotly leaves out one that would touch the next.
        narrow = [name.replace(" ", "<br>") for name in columns]
        x |= {"side": "top", "ticktext": narrow, "tickfont": {"size": 11}}
    y = theme.tick_names(rows) | {"range": [len(rows) - 0.5, -0.5]} | sides
    legend = theme.legend(-below / plot if plot else -0.2)
    return theme.finish(
        figure,
        height=plot + foot + above,
        shapes=list(shapes),
        margin={"l": 20, "r": 8, "t": above, "b": foot},
        xaxis=theme.axis(column_title, **x, **sides),
        yaxis=theme.axis("", **y),
        legend=legend | {"itemclick": False, "itemdoubleclick": False},
        showlegend=legend_lines > 0,
    )


def _ink(color: str) -> str:
    """The text colour, black or white, that is legible on a background of this hex colour."""
    return theme.ink([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
