"""Maps of the supports of P, of Q and of both, as a family estimates them or as they truly are.

They are drawn as regions of the plane (2-D), as bands on the line (1-D), or as coloured samples.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from prviz.arrays import Flags, Floats, Ints
from prviz.diagnostics.cosupport import CLASSES
from prviz.diagnostics.support_balls import SupportBalls
from prviz.figures import theme
from prviz.figures.samples import SamplePoints

# Colours of the CLASSES, in their order. The colour of "both" lies between those of the two roles.
CLASS_COLORS = ("#C9C9C9", theme.REAL_COLOR, theme.GENERATED_COLOR, theme.EVEN_COLOR)
_REGIONS = (
    "rgba(0,0,0,0)",
    theme.faded(theme.REAL_COLOR, 0.4),
    theme.faded(theme.GENERATED_COLOR, 0.45),
    theme.faded(theme.EVEN_COLOR, 0.62),
)
# Role of the centres of balls -> the support that these balls form, and its colour.
_BALLS = {
    "real": ("support of P", theme.REAL_COLOR),
    "generated": ("support of Q", theme.GENERATED_COLOR),
    "both": ("both supports", theme.EVEN_COLOR),
}
_CORNERS = 49  # number of points that draw a circle
# If the ranges of the two axes have a larger ratio, equal units would leave a narrow strip. The
# axes then get different units, and circles look like ellipses.
_MOST_UNLIKE = 3.0
_LANE = 1.0  # height of one row, which has a band with its balls below


def support_map_figure(
    axes: tuple[ArrayLike, ArrayLike],
    classes: ArrayLike,
    *,
    points: ArrayLike,
    is_real: ArrayLike,
    balls: Sequence[SupportBalls] = (),
    axis_titles: Sequence[str] = ("feature 1", "feature 2"),
    most: int = 1000,
) -> go.Figure:
    """Regions of the plane, coloured by class, with samples and balls drawn on top.

    Parameters
    ----------
    axes : coordinates of the grid's columns and rows.
    classes : (rows, columns) indices in `prviz.diagnostics.cosupport.CLASSES`.
    points : (n, 2) samples.
    is_real : (n,) True for real samples (circles), False for generated ones (triangles).
    balls : balls of either role, drawn as circles; the legend gives their number and the total
    number.
    most : largest number of samples drawn of each role; evenly spaced rows are kept.

    Both axes have the same unit unless one range is more than three times the other. Raises
    ValueError for arrays of other shapes.
    """
    across, up = (np.asarray(axis, dtype=float) for axis in axes)
    regions = np.asarray(classes, dtype=np.int8)
    if regions.shape != (len(up), len(across)):
        raise ValueError(f"classes have shape {regions.shape}; {(len(up), len(across))} is needed")
    figure = go.Figure(_regions(across, up, regions))
    _add_entries(figure, regions)
    angles = np.append(np.linspace(0.0, 2 * np.pi, _CORNERS), np.nan)
    for each in balls:  # all circles as one line with gaps: a trace per circle would be slow
        x = each.centres[:, :1] + each.radii[:, None] * np.cos(angles)
        y = each.centres[:, 1:2] + each.radii[:, None] * np.sin(angles)
        figure.add_scatter(x=x.ravel(), y=y.ravel(), **_ball_line(each))
    figure.add_traces(
        _samples(np.asarray(points, dtype=float), np.asarray(is_real, dtype=bool), most)
    )
    spans = float(np.ptp(across)), float(np.ptp(up))
    same = {}
    if max(spans) <= _MOST_UNLIKE * min(spans):
        same = {"scaleanchor": "x"}
    ends: list[dict[str, Any]] = [
        {"range": [axis[0], axis[-1]], "constrain": "domain"} for axis in (across, up)
    ]
    return theme.finish(
        figure,
        height=460,
        xaxis=theme.axis(theme.plain(axis_titles[0]), zeroline=False, **ends[0]),
        yaxis=theme.axis(theme.plain(axis_titles[1]), zeroline=False, **ends[1], **same),
        legend=theme.legend(-0.2),
    )


def support_bands_figure(
    axis: ArrayLike,
    rows: Mapping[str, ArrayLike],
    *,
    points: ArrayLike,
    is_real: ArrayLike,
    balls: Mapping[str, Sequence[SupportBalls]] | None = None,
    axis_title: str = "feature 1",
    most: int = 1000,
) -> go.Figure:
    """Classes along the line as coloured bands, one per family or for the truth.

    The balls of a family are drawn below its band.

    Parameters
    ----------
    axis : (m,) coordinates.
    rows : for each curve, from the top, (m,) indices in `prviz.diagnostics.cosupport.CLASSES`.
    points : (n,) or (n, 1) samples, marked at the bottom, real ones above generated ones.
    balls : balls of each curve, drawn as intervals, the shortest on top.
    most : largest number of samples drawn of each role; evenly spaced rows are kept.

    Raises ValueError for classes that do not have the length of the axis.
    """
    across = np.asarray(axis, dtype=float)
    names = list(rows)
    bands = np.zeros((2 * len(names), len(across)), dtype=np.int8)
    for place, name in enumerate(names):
        classes = np.asarray(rows[name], dtype=np.int8)
        if classes.shape != across.shape:
            raise ValueError(f"rows[{name!r}] has shape {classes.shape}; {across.shape} is needed")
        bands[2 * place] = classes
    edges = np.ravel([[place * _LANE, place * _LANE + 0.34] for place in range(len(names))])
    figure = go.Figure(_regions(across, np.append(edges, len(names) * _LANE), bands))
    _add_entries(figure, bands)
    figure.add_traces(_lanes(names, balls or {}))
    flat = np.asarray(points, dtype=float).reshape(-1)
    real = np.asarray(is_real, dtype=bool)
    lane = len(names) * _LANE + np.where(real, 0.2, 0.5)
    figure.add_traces(
        _samples(
            np.column_stack([flat, lane]), real, most, symbols=("line-ns-open", "line-ns-open")
        )
    )
    ticks = [place * _LANE + 0.17 for place in range(len(names))]
    bottom = len(names) * _LANE
    sides: dict[str, Any] = {
        "tickvals": [*ticks, bottom + 0.2, bottom + 0.5],
        "ticktext": [*map(theme.label, names), "real samples", "generated ones"],
        "range": [bottom + 0.7, -0.08],
    }
    return theme.finish(
        figure,
        height=int(150 + 78 * len(names) + 55),
        xaxis=theme.axis(theme.plain(axis_title), zeroline=False, range=[across[0], across[-1]]),
        yaxis=theme.axis("", zeroline=False, showgrid=False, **sides),
        legend=theme.legend(-0.16),
    )


def support_samples_figure(
    samples: SamplePoints, is_real: ArrayLike, classes: ArrayLike, *, most: int = 2000
) -> go.Figure:
    """Samples in two coordinates, each coloured by the class of the point where it lies.

    Parameters
    ----------
    samples : in the plane, such as the first two principal components.
    is_real : (n,) True for circles, False for triangles.
    classes : (n,) indices in `prviz.diagnostics.cosupport.CLASSES`.
    most : largest number of samples drawn; evenly spaced rows are kept, and the axis title says
    so.

    customdata of each point is its id, by which a front end marks the same sample in another
    figure. Raises ValueError for columns of different lengths.
    """
    real = np.asarray(is_real, dtype=bool)
    held = np.asarray(classes, dtype=np.int8)
    samples.check(is_real=real, classes=held)
    shown = _evenly(len(real), most)
    figure = go.Figure()
    for number, name in enumerate(CLASSES):
        for role, symbol, _ in theme.ROLES:
            chosen = shown[(held[shown] == number) & (real[shown] == (role == "real"))]
            if not len(chosen):
                continue
            said = None
            head = f"<b>{role}</b>"
            if samples.notes is not None:
                said = samples.said(chosen)
                head = f"<b>{role}, %{{hovertext}}</b>"
            # Open marks for samples in neither support, filled marks for samples in one or both.
            look = symbol if number else f"{symbol}-open"
            marker = {"color": CLASS_COLORS[number], "symbol": look, "size": 7, "opacity": 0.85}
            figure.add_scatter(
                x=samples.points[chosen, 0],
                y=samples.points[chosen, 1],
                name=f"{name}: {role}",
                mode="markers",
                marker=marker,
                legendgroup=name,
                customdata=samples.ids_of(chosen),
                hovertext=said,
                hovertemplate=f"{head}<br>support: {name}<extra></extra>",
            )
    axes = samples.axes(len(shown))
    return theme.finish(figure, height=480, legend=theme.legend(-0.25), **axes)


def _lanes(names: Sequence[str], balls: Mapping[str, Sequence[SupportBalls]]) -> list[go.Scatter]:
    """Lines for the balls of each row, below its band; those of P lie above those of Q.

    Only the first line of each role has a legend entry.
    """
    traces: list[go.Scatter] = []
    seen: set[str] = set()
    for place, name in enumerate(names):
        for each in balls.get(name, ()):
            # All intervals of a row are one line with gaps, each interval a little below the one
            # before it.
            x = each.centres[:, :1] + each.radii[:, None] * np.array([-1.0, 1.0, np.nan])
            top = place * _LANE + (0.68 if each.role == "generated" else 0.42)
            levels = top + 0.22 * np.arange(len(each.radii)) / max(len(each.radii) - 1, 1)
            entry = {
                "name": f"balls of {_BALLS[each.role][0]}",
                "showlegend": each.role not in seen,
            }
            traces.append(
                go.Scatter(x=x.ravel(), y=np.repeat(levels, 3), **{**_ball_line(each), **entry})
            )
            seen.add(each.role)
    return traces


def _evenly(n: int, most: int) -> Ints:
    if n:
        return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(np.intp))
    return np.arange(0)


def _regions(across: Floats, up: Floats, classes: NDArray[np.int8]) -> go.Heatmap:
    """The grid of classes as a heat map with one plain colour per class."""
    steps = [[place / 4 + end / 4, _REGIONS[place]] for place in range(4) for end in (0, 1)]
    look = {
        "zmin": -0.5,
        "zmax": 3.5,
        "colorscale": steps,
        "showscale": False,
        "hoverinfo": "skip",
        "zsmooth": False,
    }
    return go.Heatmap(x=across, y=up, z=classes, **look)


def _add_entries(figure: go.Figure, classes: NDArray[np.int8]) -> None:
    meanings = {1: "support of P only", 2: "support of Q only", 3: "both: the co-support"}
    for number, meaning in meanings.items():
        if (classes == number).any():
            square = {"symbol": "square", "size": 13, "color": _REGIONS[number]}
            theme.add_entry(figure, name=meaning, mode="markers", marker=square)


def _samples(
    points: Floats,
    is_real: Flags,
    most: int,
    symbols: tuple[str, str] = ("circle", "triangle-up"),
) -> list[go.Scatter]:
    traces = []
    for (role, _, color), symbol, chosen in zip(
        theme.ROLES, symbols, (is_real, ~is_real), strict=True
    ):
        places = np.flatnonzero(chosen)
        shown = places[_evenly(len(places), most)]
        drawn = ""
        if len(shown) != len(places):
            drawn = f", {len(shown):,} of {len(places):,} drawn"
        traces.append(
            go.Scatter(
                x=points[shown, 0],
                y=points[shown, 1],
                name=f"{role} samples{drawn}",
                mode="markers",
                marker={
                    "color": color,
                    "symbol": symbol,
                    "size": 4 if symbol in ("circle", "triangle-up") else 9,
                },
                opacity=0.75,
                hoverinfo="skip",
            )
        )
    return traces


def _ball_line(balls: SupportBalls) -> dict[str, Any]:
    whose, color = _BALLS[balls.role]
    what = "points' own balls"
    if balls.around == "fit":
        what = "balls"
    name = f"{whose}: {len(balls.radii)} of {balls.total:,} {what}"
    return {
        "name": name,
        "mode": "lines",
        "line": {"color": color, "width": 1},
        "opacity": 0.7,
        "hoverinfo": "skip",
    }
