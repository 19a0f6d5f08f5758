"""Samples by role, or coloured by the ratio of a family's supports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from prviz.arrays import Floats
from prviz.curves.pr_curve import score_keys
from prviz.figures import theme

FEWEST_FOR_CONTOURS = 200

# the colours end at c_Y / c_X = 2 and 1/2 at the least, 16 and 1/16 at the most
_REACHES = (
    1.0,
    4.0,
)
_HOVER = (
    "<b>%{fullData.name}%{hovertext}</b><br>support of real samples: c<sub>X</sub> ="
    " %{customdata[1]:.6~g}<br>of generated ones: c<sub>Y</sub> ="
    " %{customdata[2]:.6~g}<br>c<sub>Y</sub> / c<sub>X</sub> = %{text}<extra></extra>"
)


def roles_figure(
    points: ArrayLike,
    is_real: ArrayLike,
    *,
    numbers: ArrayLike | None = None,
    axis_titles: Sequence[str] = ("x", "y"),
    notes: Sequence[str] | None = None,
    most: int = 4000,
    seed: int = 0,
) -> go.Figure:
    """Samples in 1-D (histograms above a rug) or 2-D (scatter), with colour and symbol by role.

    Parameters
    ----------
    points : (n, 1) or (n, 2) coordinates: the data themselves, or principal components.
    is_real : (n,) True for real samples (circles), False for generated ones (triangles).
    numbers : (n,) row of each sample in its own file or draw, for the hover; by default its row in
    points, from 1.
    axis_titles : names of the coordinates, one per column.
    notes : (n,) what to say of each sample on hover instead of its row.
    most : largest number of samples drawn, a random subset by `seed`; the axis title says so.

    customdata of each point is [row in points, number]. Arrays are as short as a screen allows,
    since a page sends them with its first view. Raises ValueError for other shapes or lengths.
    """
    coordinates = np.asarray(points, dtype=np.float64)
    real = np.asarray(is_real, dtype=bool)
    n = len(coordinates)
    rows = np.arange(1, n + 1) if numbers is None else np.asarray(numbers, dtype=np.intp)
    if (
        coordinates.ndim != 2
        or coordinates.shape[1] not in (1, 2)
        or not n == len(real) == len(rows)
    ):
        raise ValueError(
            f"points have shape {coordinates.shape}; (n, 1) or (n, 2) and one role each are needed"
        )
    shown = theme.subset(np.arange(n), most, seed)
    flat = coordinates.shape[1] == 1
    drawn = _short(coordinates)
    ids = np.column_stack([np.arange(n), rows]).astype(
        np.int16 if max(n, rows.max(initial=0)) < 1 << 15 else np.int32
    )
    figure = go.Figure()
    for place, (name, symbol, color) in enumerate(theme.ROLES):
        chosen = shown[real[shown] == (name == "real")]
        look = {"symbol": "line-ns-open", "size": 10} if flat else {"symbol": symbol, "size": 6}
        said = None if notes is None else [theme.noted(notes[row]) for row in chosen]
        figure.add_scatter(
            x=drawn[chosen, 0],
            y=np.full(len(chosen), place, dtype=np.int8) if flat else drawn[chosen, 1],
            yaxis="y2" if flat else "y",
            name=name,
            mode="markers",
            marker={"color": color, "opacity": 0.5, **look},
            selected={"marker": {"opacity": 0.5}},
            unselected={"marker": {"opacity": 0.5}},
            legendgroup=name,
            showlegend=not flat,
            customdata=ids[chosen],
            hovertext=said,
            hovertemplate=(
                f"<b>{name},"
                f" {'row %{customdata[1]}' if said is None else '%{hovertext}'}</b><extra></extra>"
            ),
        )
    if flat:
        figure.add_traces(_densities(coordinates, real))
    rug = ("real", "generated") if flat else ()
    axes = sample_axes(axis_titles, len(shown), n, rug=rug, rug_height=0.18)
    return theme.finish(figure, height=560, legend=theme.legend(-0.2), **axes)


def _short(coordinates: Floats) -> NDArray[np.floating[Any]]:
    """As numbers of four bytes, where these are exact to a thousandth of the range."""
    with np.errstate(over="ignore", invalid="ignore"):
        short = coordinates.astype(np.float32)
        if not coordinates.size:
            return short
        exact = np.all(np.abs(short - coordinates) <= np.ptp(coordinates, axis=0) / 1000)
    if exact:
        return short
    return coordinates


def samples_figure(
    points: ArrayLike,
    is_real: ArrayLike,
    *,
    c_real: ArrayLike,
    c_generated: ArrayLike,
    axis_titles: Sequence[str] = ("x", "y"),
    notes: Sequence[str] | None = None,
    ids: ArrayLike | None = None,
    density: bool = True,
    most: int = 2000,
    seed: int = 0,
) -> go.Figure:
    """Samples in 1-D (histograms, with the samples as a rug) or 2-D (scatter), coloured by log c_Y / c_X.

    Parameters
    ----------
    points : (n, 1) or (n, 2) coordinates: the data themselves, or principal components.
    is_real : (n,) True for real samples (circles), False for generated ones (triangles).
    c_real, c_generated : (n,) supports of each sample, non-negative. The colours end where 19 of 20
    ratios
        do, at 16 at the most; 0/0 has the middle colour; the hover says the true ratio.
    axis_titles : names of the coordinates, one per column.
    notes : (n,) what to say of each sample on hover after its role, such as its row and labels; by
    default its row
        in points, counted from 1.
    ids : (n,) number by which a front end knows each sample; by default its row in points.
    density : draw histograms (1-D) or density contours (2-D) of all samples of each role.
    most : largest number of samples drawn, a random subset by `seed`; the axis title says so.

    customdata of each point is [id, c_X, c_Y]; a front end finds the picture of a sample by its id
    and shows it by `picture_data_uri`. Raises ValueError for other shapes or lengths.
    """
    coordinates = np.asarray(points, dtype=np.float64)
    real = np.asarray(is_real, dtype=bool)
    supports = np.column_stack(
        [np.asarray(c_real, dtype=np.float64), np.asarray(c_generated, dtype=np.float64)]
    )
    if coordinates.ndim != 2 or coordinates.shape[1] not in (1, 2):
        raise ValueError(f"points have shape {coordinates.shape}; (n, 1) or (n, 2) is needed")
    lengths = len(coordinates), len(real), len(supports)
    if len(set(lengths)) > 1:
        raise ValueError(
            f"points, is_real and supports have {lengths} entries; one per sample is needed"
        )
    shown = theme.subset(np.arange(len(coordinates)), most, seed)
    if notes is None:
        said = [f"row {i + 1}" for i in range(len(coordinates))]
    else:
        said = [theme.noted(each) for each in notes]
    numbers = np.arange(len(coordinates)) if ids is None else np.asarray(ids, dtype=np.intp)
    if len(said) != len(coordinates):
        raise ValueError(f"notes has {len(said)} entries for {len(coordinates)} points")
    figure = go.Figure()
    for name, symbol, _ in theme.ROLES:
        rows = shown[real[shown] == (name == "real")]
        trace = _marks(coordinates[rows], numbers[rows], supports[rows], name, symbol)
        figure.add_trace(trace.update(hovertext=[f", {said[row]}" for row in rows]))
        if coordinates.shape[1] == 2:
            # The symbol of the role: Plotly would draw it black for points on a colour scale.
            marker = {"color": theme.EVEN_COLOR, "symbol": symbol, "size": 8}
            figure.add_scatter(
                x=[None], y=[None], name=name, legendgroup=name, mode="markers", marker=marker
            )
    if density:
        figure.add_traces(_densities(coordinates, real))
    rug = ("real", "generated") if coordinates.shape[1] == 1 else ()
    theme.finish(
        figure,
        height=560,
        legend=theme.legend(-0.25),
        margin={"l": 60, "r": 20, "t": 90, "b": 60},
        **sample_axes(axis_titles, len(shown), len(coordinates), rug=rug, rug_height=0.18),
    )
    # 19 of 20 samples stay within the ends of the colour scale.
    logs = np.minimum(np.abs(_log_ratio(supports)), _REACHES[1])
    reach = float(np.clip(np.percentile(logs, 95), *_REACHES))
    end = theme.number(2**reach, 2)
    words = [f"looks real (1/{end})", "even (1)", f"looks generated ({end})"]
    bar = {
        "orientation": "h",
        "x": 0.5,
        "y": 1.02,
        "yanchor": "bottom",
        "thickness": 10,
        "len": 0.8,
    }
    title = {"text": "c<sub>Y</sub> / c<sub>X</sub>, log scale", "side": "top"}
    figure.layout.coloraxis = {
        "cmin": -reach,
        "cmid": 0,
        "cmax": reach,
        "colorscale": [[0, theme.REAL_COLOR], [0.5, theme.EVEN_COLOR], [1, theme.GENERATED_COLOR]],
        "colorbar": {**bar, "tickvals": [-reach, 0, reach], "ticktext": words, "title": title},
    }
    return figure


def _log_ratio(supports: Floats) -> Floats:
    """log2 of c_Y / c_X; 0/0 is 0."""
    with np.errstate(divide="ignore"):
        logs: Floats = np.log2(score_keys(supports[:, 0], supports[:, 1]))
    return logs


def _marks(
    points: Floats, ids: NDArray[np.intp], supports: Floats, name: str, symbol: str
) -> go.Scatter:
    """The samples of one role; in 1-D a rug with one row per role below its histogram."""
    flat = points.shape[1] == 1
    ratios = theme.numbers(score_keys(supports[:, 0], supports[:, 1]))
    for place in np.flatnonzero((supports == 0).all(axis=1)):
        ratios[place] = "0/0 (nothing near)"
    role = 0.0 if name == "real" else 1.0
    return go.Scatter(
        x=points[:, 0],
        y=np.full(len(points), role) if flat else points[:, 1],
        yaxis="y2" if flat else "y",
        name=name,
        mode="markers",
        marker={
            "color": np.clip(_log_ratio(supports), -_REACHES[1], _REACHES[1]),
            "coloraxis": "coloraxis",
            "symbol": "line-ns-open" if flat else symbol,
            "size": 10 if flat else 6,
            "opacity": 0.8,
        },
        selected={"marker": {"opacity": 0.8}},
        unselected={"marker": {"opacity": 0.8}},
        legendgroup=name,
        showlegend=False,
        text=ratios,
        customdata=np.column_stack([ids, supports]),
        hovertemplate=_HOVER,
    )


def _densities(points: Floats, real: NDArray[np.bool_]) -> list[Any]:
    """Histograms or contours by role; the browser counts, so that nothing is estimated here."""
    traces: list[Any] = []
    for name, _, color in theme.ROLES:
        chosen = points[real == (name == "real")]
        if points.shape[1] == 1:
            traces.append(density_histogram(chosen[:, 0], name, color))
        elif len(chosen) >= FEWEST_FOR_CONTOURS:  # contours of a few points would ring each of them
            # About as many bins as keep some ten points in each.
            bins = int(np.clip(np.sqrt(len(chosen) / 10), 8, 30))
            lines = {
                "contours": {"coloring": "none"},
                "line": {"color": color, "width": 2},
                "ncontours": 6,
            }
            grid = {
                "nbinsx": bins,
                "nbinsy": bins,
                "histnorm": "probability density",
                "hoverinfo": "skip",
            }
            traces.append(
                go.Histogram2dContour(
                    x=chosen[:, 0], y=chosen[:, 1], name=f"{name}, density", **lines, **grid
                )
            )
    return traces


def density_histogram(values: Floats, role: str, color: str) -> go.Histogram:
    """The density of one role on the line; the browser counts."""
    return go.Histogram(
        x=values,
        name=f"{role}, density",
        histnorm="probability density",
        bingroup="samples",
        opacity=0.55,
        marker={"color": color},
        hovertemplate=f"{role}, density: %{{y:.3f}}<extra></extra>",
    )


def sample_axes(
    titles: Sequence[str], shown: int, total: int, *, rug: Sequence[str], rug_height: float
) -> dict[str, Any]:
    """The axes of two coordinates, or of densities above a rug with these lines where there is one coordinate.

    rug : empty for two coordinates. rug_height : share of the figure. The first title says how many
    samples are drawn.
    """
    below = theme.plain(titles[0]) + (
        f"<br>{shown:,} of {total:,} samples drawn" if shown < total else ""
    )
    if not rug:
        upright = theme.axis(theme.plain(titles[1]), zeroline=False)
        return {"xaxis": theme.axis(below, zeroline=False), "yaxis": upright}
    lines = {
        "tickvals": list(range(len(rug))),
        "ticktext": list(rug),
        "range": [len(rug) - 0.4, -0.6],
    }
    return {
        "xaxis": theme.axis(below, zeroline=False, anchor="y2"),
        "yaxis": theme.axis("density", domain=[round(rug_height + 0.06, 2), 1], rangemode="tozero"),
        "yaxis2": theme.axis(
            "", domain=[0, rug_height], anchor="x", zeroline=False, showgrid=False, **lines
        ),
        "barmode": "overlay",
    }
