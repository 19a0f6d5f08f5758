"""Robustness of a verdict: maps of winners, the ranking on fewer samples, and agreement between families."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go
from plotly.colors import sample_colorscale

from prviz.figures import theme

_ROW = 36
_LEGEND_LINE = 21
# Characters of a legend line on the narrowest page.
_LINE = 46
# From a cell's middle to the border inside it, in cells.
_INSET_X = 0.47
_INSET_Y = 0.42
_DASH = "5px,3px"
_SAME = theme.FAMILY_COLORS["knn"]
_TAU = theme.FAMILY_COLORS["kde"]


class Contender(NamedTuple):
    """Style of a checkpoint in the cells that it wins: a short sign, and a hex colour."""

    sign: str
    color: str


def winners_figure(
    winners: Sequence[Sequence[str | None]],
    flips: Sequence[Sequence[bool]],
    details: Sequence[Sequence[str]],
    contenders: Mapping[str, Contender],
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    column_title: str,
    flipped: str = "dashed border: not the verdict",
) -> go.Figure:
    """A cell for every row and column with the winner's sign and colour, a dashed border where the verdict flips.

    winners : names by row and column, None where nothing is known: the cell stays empty.
    flips : whether another one than the verdict wins. details : what hovering a cell says below its
    winner.
    contenders : of every name among the winners. rows, columns : labels, the first row on top.
    flipped : what the
        legend calls the border.

    Raises ValueError for tables of another shape than the labels.
    """
    for name, cells in (("winners", winners), ("flips", flips), ("details", details)):
        if len(cells) != len(rows) or any(len(row) != len(columns) for row in cells):
            raise ValueError(
                f"{name} is not a table of {len(rows)} rows and {len(columns)} columns, as the"
                " labels are"
            )
    won = [name for name in contenders if any(name in row for row in winners)]
    figure = go.Figure()
    if won:  # one level of colour per winner
        place = {name: float(index) for index, name in enumerate(won)}
        edges = [index / len(won) for index in range(len(won) + 1)]
        figure.add_heatmap(
            z=[[None if name is None else place[name] for name in row] for row in winners],
            text=[
                [
                    "" if name is None else f"<b>{theme.plain(name)}</b><br>{words}"
                    for name, words in zip(*row, strict=True)
                ]
                for row in zip(winners, details, strict=True)
            ],
            hovertemplate="%{text}<extra></extra>",
            colorscale=[
                [edge, contenders[name].color]
                for i, name in enumerate(won)
                for edge in edges[i : i + 2]
            ],
            zmin=-0.5,
            zmax=len(won) - 0.5,
            showscale=False,
            hoverongaps=False,
            xgap=2,
            ygap=2,
        )
    for ink in ("black", "white"):
        signs = [
            (x, y, contenders[name].sign)
            for y, row in enumerate(winners)
            for x, name in enumerate(row)
            if name is not None and _ink(contenders[name].color) == ink
        ]
        _add_text(figure, signs, ink, 14)
    bordered = flipped if any(map(any, flips)) else ""
    for name in won:
        look = {
            "mode": "markers",
            "marker": {"symbol": "square", "size": 14, "color": contenders[name].color},
        }
        entry = f"{contenders[name].sign}: {theme.plain(name, 36)}"
        figure.add_scatter(
            x=[None], y=[None], **look, name=entry, hoverinfo="skip", showlegend=True
        )
    if bordered:
        look = {"mode": "lines", "line": {"color": theme.TRUTH_COLOR, "width": 2, "dash": _DASH}}
        figure.add_scatter(
            x=[None], y=[None], **look, name=bordered, hoverinfo="skip", showlegend=True
        )
    dashed = [
        {
            "type": "rect",
            "x0": x - _INSET_X,
            "x1": x + _INSET_X,
            "y0": y - _INSET_Y,
            "y1": y + _INSET_Y,
            "line": {"color": _ink(contenders[name].color), "width": 2, "dash": _DASH},
        }
        for y, row in enumerate(winners)
        for x, name in enumerate(row)
        if name is not None and flips[y][x]
    ]
    # Lines of the legend on the narrowest page.
    lengths = [7 + min(len(name), 36) for name in won] + ([len(bordered) + 4] if bordered else [])
    legend_lines = math.ceil(len(lengths) / max(_LINE // max(lengths), 1)) if lengths else 0
    return _finished(figure, rows, columns, column_title, shapes=dashed, legend_lines=legend_lines)


def fewer_samples_figure(
    n: Sequence[float], same: Sequence[float], tau: Sequence[float]
) -> go.Figure:
    """Against the number of samples: the share of draws with the same winner, and the mean of Kendall's tau.

    n : increasing, the last one that of all samples. same : in [0, 1]. tau : in [-1, 1], nan where
    it is not defined.

    Raises ValueError where the lengths differ, or for an n that is not positive.
    """
    figure = go.Figure()
    for values, name, color, symbol, dash in (
        (same, "draws with the same winner", _SAME, "circle", "solid"),
        (tau, "Kendall's τ of the order", _TAU, "diamond-open", "dot"),
    ):
        theme.check_sweep(name, n, values, log_x=True)
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
    """Kendall's tau between every two families: a cell with its number, empty where there is none.

    names : families. values : names by names, in [-1, 1] or nan.

    Raises ValueError for another shape.
    """
    if len(values) != len(names) or any(len(row) != len(names) for row in values):
        raise ValueError(f"values is not a table of {len(names)} by {len(names)}, as the names are")
    titles = [theme.label(name, 24) for name in names]
    details = [[f"<b>{one}</b> and <b>{other}</b>" for other in titles] for one in titles]
    look: dict[str, Any] = {
        "colorscale": theme.HEAT,
        "zmin": -1,
        "zmax": 1,
        "showscale": False,
        "hoverongaps": False,
    }
    hover = "%{text}: τ = %{z:.2f}<extra></extra>"
    figure = go.Figure(
        go.Heatmap(
            z=[list(row) for row in values],
            text=details,
            hovertemplate=hover,
            xgap=2,
            ygap=2,
            **look,
        )
    )
    for ink in ("black", "white"):
        cells = [
            (x, y, value)
            for y, row in enumerate(values)
            for x, value in enumerate(row)
            if math.isfinite(value)
            and theme.ink(sample_colorscale(theme.HEAT, [(value + 1) / 2], colortype="tuple")[0])
            == ink
        ]
        texts = [
            (x, y, f"{round(value, 2) + 0.0:.2f}".replace("-", "\N{MINUS SIGN}"))
            for x, y, value in cells
        ]
        _add_text(figure, texts, ink, 12)
    return _finished(figure, titles, titles, "", top=True)


def _add_text(
    figure: go.Figure, cells: Sequence[tuple[int, int, str]], ink: str, size: int
) -> None:
    figure.add_scatter(
        x=[x for x, _, _ in cells],
        y=[y for _, y, _ in cells],
        text=[text for _, _, text in cells],
        mode="text",
        textfont={"color": ink, "size": size},
        hoverinfo="skip",
        showlegend=False,
    )


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
    """Cells of one height; the legend just below the axis, however many lines it needs."""
    plot = _ROW * len(rows)
    below = 14 if top else 52
    sides = {"showgrid": False, "zeroline": False, "fixedrange": True}
    x = {
        "tickvals": list(range(len(columns))),
        "ticktext": list(columns),
        "range": [-0.5, len(columns) - 0.5],
    }
    y = {**theme.tick_names(rows), "range": [len(rows) - 0.5, -0.5]}
    if top:
        x |= {"side": "top"}
    height = plot + below + _LEGEND_LINE * legend_lines + (60 if top else 8)
    return theme.finish(
        figure,
        height=height,
        shapes=list(shapes),
        margin={"l": 20, "r": 8, "t": 60 if top else 8, "b": below + _LEGEND_LINE * legend_lines},
        xaxis=theme.axis(column_title, **x, **sides),
        yaxis=theme.axis("", **{**y, **sides}),
        legend={
            **theme.legend(-below / plot if plot else -0.2),
            "itemclick": False,
            "itemdoubleclick": False,
        },
        showlegend=legend_lines > 0,
    )


def _ink(color: str) -> str:
    """Black or white, whichever is legible on a hex colour."""
    return theme.ink([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
