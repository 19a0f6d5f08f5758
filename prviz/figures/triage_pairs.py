"""Figures of two checkpoints A and B: their curves, and the difference between them along lam."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from prviz.arrays import Flags, Floats
from prviz.curves import PRCurve
from prviz.figures import theme

# Symbols of A and of B in texts, so that colour is not the only difference.
PAIR_SIGNS = ("▲", "▼")
_SYMBOLS = ("triangle-up", "triangle-down")
_MARKS = 10
_POINTS = 200
_LEGEND_LONGEST = 30
_REACHES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
# The vertical axis reaches this many times as far as the curves, which leaves room for a line of
# text.
_ROOM = 1.2


def pair_curves_figure(curves: tuple[PRCurve, PRCurve], names: tuple[str, str]) -> go.Figure:
    """Precision against recall of two curves, A with triangles up and B with triangles down. The
    text of each point is its lam.
    """
    figure = go.Figure()
    for place, (curve, name) in enumerate(zip(curves, names, strict=True)):
        lam, alpha, beta = curve.sample(_POINTS)
        figure.add_scatter(
            x=beta,
            y=alpha,
            name=f"{'AB'[place]}: {theme.plain(name, _LEGEND_LONGEST)}",
            mode="lines+markers",
            line=theme.line_of(theme.RIVAL_COLORS[place]),
            marker=_marker(place),
            text=theme.numbers(lam),
            hovertemplate=(
                f"<b>{'AB'[place]}: {theme.plain(name)}</b><br>precision α = %{{y:.3f}}, recall "
                "β = %{x:.3f}<br>at λ = α / β = %{text}<extra></extra>"
            ),
        )
    return theme.finish(
        figure,
        height=520,
        **theme.pr_axes(),
        legend=theme.legend(centred=True),
    )


def pair_difference_figure(
    lam: ArrayLike,
    difference: ArrayLike,
    low: ArrayLike,
    high: ArrayLike,
    *,
    quantity: str,
    level: float = 0.95,
) -> go.Figure:
    """A minus B against the angle theta = arctan(lam) in [0, 90] degrees, with its band and the
    zero line.

    Parameters
    ----------
    lam, difference, low, high : (m,) values of lam from 0 to inf, increasing, the difference at
        each, and its interval.
    quantity : what is compared, such as "precision α".
    level : confidence level of the band.

    Where the band excludes 0, the background is shaded and the line has triangles: up where A is
    better, down where B is. A text on the longest stretch of each says so. The vertical axis is
    symmetric. Traces: zero line, band, difference, A better, B better; the last two are None
    elsewhere.
    """
    rays, values, floor, ceiling = (
        np.asarray(each, dtype=float) for each in (lam, difference, low, high)
    )
    theta = np.degrees(np.arctan(rays))
    figure = go.Figure()
    zero = {"color": theme.TRUTH_COLOR, "width": 2, "dash": "dash"}
    figure.add_scatter(
        x=[0, 90], y=[0, 0], mode="lines", line=zero, name="no difference", hoverinfo="skip"
    )
    x = theme.there_and_back(theta, theta)
    y = theme.there_and_back(floor, ceiling)
    shade = theme.faded(theme.TRUTH_COLOR, 0.3)
    figure.add_trace(theme.polygon(x, y, shade, name=f"{100 * level:g} % band"))
    figure.add_scatter(
        x=theta,
        y=values,
        name="A minus B",
        mode="lines",
        line={"color": theme.TRUTH_COLOR, "width": 2.5},
        text=theme.numbers(rays),
        customdata=np.column_stack([floor, ceiling]),
        hovertemplate=(
            f"at λ = %{{text}}: {theme.plain(quantity)} of A minus that of B %{{y:+.3f}}"
            "<br>band %{customdata[0]:+.3f} to %{customdata[1]:+.3f}<extra></extra>"
        ),
    )
    shapes, notes = _add_better(figure, theta, values, (floor > 0, ceiling < 0))
    reach = theme.reach(np.abs([floor, ceiling, values]).max(), _REACHES)
    ends = {"range": [-_ROOM * reach, _ROOM * reach], **theme.SIGNED_TICKS, "zeroline": False}
    return theme.finish(
        figure,
        height=400,
        margin={"l": 60, "r": 20, "t": 20, "b": 110},
        xaxis=theme.angle_axis(),
        yaxis=theme.axis(f"{theme.plain(quantity)}: A minus B", **ends),
        legend=theme.legend(-0.3),
        shapes=shapes,
        annotations=notes,
    )


def _add_better(
    figure: go.Figure,
    theta: Floats,
    values: Floats,
    sides: Sequence[Flags],
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Draw the stretches of lam where A is better, and those where B is better, as thick lines with
    triangles.

    Returns the shaded backgrounds of all stretches, and the text for the longest stretch of each.
    """
    shapes = []
    notes = []
    for place, better in enumerate(sides):
        figure.add_scatter(
            x=theta,
            y=[value if there else None for value, there in zip(values, better, strict=True)],
            name=f"{'AB'[place]} is better",
            mode="lines+markers",
            line={"color": theme.RIVAL_COLORS[place], "width": 4},
            marker=_marker(place),
            showlegend=bool(better.any()),
            hoverinfo="skip",
        )
        runs = _runs(better)
        for first, last in runs:
            shapes.append(_ground(place, float(theta[first]), float(theta[last])))
        if runs:
            first, last = max(runs, key=lambda run: run[1] - run[0])
            notes.append(_note(place, float(theta[first] + theta[last]) / 2))
    return shapes, notes


def _runs(chosen: Flags) -> list[tuple[int, int]]:
    """First and last index of every run of True values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], chosen, [False]]).astype(np.int8)))
    return [(int(begin), int(end) - 1) for begin, end in edges.reshape(-1, 2)]


def _ground(place: int, low: float, high: float) -> dict[str, Any]:
    """The shaded background of a stretch of lam on which A, or B, is better."""
    return {
        "type": "rect",
        "yref": "paper",
        "x0": low,
        "x1": high,
        "y0": 0,
        "y1": 1,
        "fillcolor": theme.faded(theme.RIVAL_COLORS[place], 0.14),
        "line": {"width": 0},
        "layer": "below",
    }


def _note(place: int, middle: float) -> dict[str, Any]:
    """The text for a stretch of lam, where the curve is not: at the bottom for A, whose stretches
    lie above 0, and at the top for B.
    """
    side = ({"y": 0, "yanchor": "bottom"}, {"y": 1, "yanchor": "top"})[place]
    return {
        "x": float(np.clip(middle, 18, 72)),
        "yref": "paper",
        "text": f"{PAIR_SIGNS[place]} {'AB'[place]} is better here",
        "showarrow": False,
        "xanchor": "center",
        **side,
    }


def _marker(place: int) -> dict[str, Any]:
    return {
        "symbol": _SYMBOLS[place],
        "size": 9,
        "color": theme.RIVAL_COLORS[place],
        "maxdisplayed": _MARKS,
    }
