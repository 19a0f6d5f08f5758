"""Figures of samples coloured by role, or by the ratio of the supports that a family estimates for
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from prviz.arrays import AnyFloats, Array, Flags, Floats, Ints
from prviz.curves.pr_curve import score_keys
from prviz.figures import theme

# Fewest samples of a role for which density contours are drawn in 2-D.
FEWEST_FOR_CONTOURS = 200

# The colour scale ends at a |log2(c_Y / c_X)| between these two: at a ratio from 2 to 16.
_REACHES = (1.0, 4.0)
_ROLE_NAMES = tuple(name for name, _, _ in theme.ROLES)
_HOVER = (
    "<b>%{fullData.name}%{hovertext}</b><br>support of real samples: c<sub>X</sub> = "
    "%{customdata[1]:.6~g}<br>of generated ones: c<sub>Y</sub> = "
    "%{customdata[2]:.6~g}<br>c<sub>Y</sub> / c<sub>X</sub> = %{text}<extra></extra>"
)


@dataclass(frozen=True, eq=False)
class SamplePoints:
    """Coordinates of samples on a line or in a plane, and the hover text of each sample.

    points : (n, 1) or (n, 2) coordinates: the data themselves, or principal components.
    axis_titles : names of the coordinates, one per column.
    notes : (n,) hover text of each sample, such as its row and labels; None: its row number,
        counted from 1.
    ids : (n,) number by which a front end identifies each sample; None: its row, counted from 0.
    Raises ValueError for other shapes or lengths.
    """

    points: AnyFloats
    axis_titles: Sequence[str] = ("x", "y")
    notes: Sequence[str] | None = None
    ids: ArrayLike | None = None

    def __post_init__(self) -> None:
        shape = self.points.shape
        if len(shape) != 2 or shape[1] not in (1, 2):
            raise ValueError(f"points have shape {shape}; (n, 1) or (n, 2) is needed")
        if self.notes is not None and len(self.notes) != shape[0]:
            raise ValueError(f"notes has {len(self.notes)} entries for {shape[0]} points")

    @property
    def flat(self) -> bool:
        """True if samples have only one coordinate."""
        return bool(self.points.shape[1] == 1)

    def check(self, **columns: Array) -> None:
        """Raise ValueError unless every array in ``columns`` has one entry per sample."""
        lengths = len(self.points), *map(len, columns.values())
        if len(set(lengths)) > 1:
            names = " and ".join(columns)
            raise ValueError(f"points, {names} have {lengths} entries; one per sample is needed")

    def ids_of(self, rows: Ints) -> Ints:
        """The ids of the samples in ``rows``."""
        if self.ids is None:
            return rows
        return np.asarray(self.ids, dtype=np.intp)[rows]

    def said(self, rows: Ints) -> list[str]:
        """The hover texts of the samples in ``rows``."""
        if self.notes is None:
            return [f"row {row + 1}" for row in rows]
        return [theme.noted(self.notes[row]) for row in rows]

    def marks(
        self, rows: Ints, line: int, symbol: str, size: float, opacity: float
    ) -> dict[str, Any]:
        """Options of a trace of the samples in ``rows``; selected and unselected points look the
        same.

        line : in 1-D, the row of the rug plot in which each sample is a tick; 0 is the top row.
        symbol, size : of the points in 2-D.
        """
        same = {"marker": {"opacity": opacity}}
        marker = {"symbol": symbol, "size": size, "opacity": opacity}
        place = {"yaxis": "y", "y": self.points[rows, -1]}
        if self.flat:
            marker |= {"symbol": "line-ns-open", "size": 10}
            place = {"yaxis": "y2", "y": np.full(len(rows), line, dtype=np.int8)}
        return {
            "x": self.points[rows, 0],
            **place,
            "mode": "markers",
            "marker": marker,
            "selected": same,
            "unselected": same,
        }

    def axes(
        self, shown: int, *, rug: Sequence[str] = _ROLE_NAMES, rug_height: float = 0.18
    ) -> dict[str, Any]:
        """Axes of a scatter plot (2-D), or of densities above a rug plot with one row of ticks per
        name (1-D).

        shown : number of samples drawn; if not all are drawn, the title of the x axis says so.
        rug : names of the rows of the rug plot.
        rug_height : height of the rug plot as a share of the figure.
        """
        below = theme.plain(self.axis_titles[0])
        if shown < len(self.points):
            below += f"<br>{shown:,} of {len(self.points):,} samples drawn"
        if not self.flat:
            upright = theme.axis(theme.plain(self.axis_titles[1]), zeroline=False)
            return {"xaxis": theme.axis(below, zeroline=False), "yaxis": upright}
        densities = [round(rug_height + 0.06, 2), 1]
        lines = theme.tick_names(rug) | {"ticktext": list(rug), "showgrid": False}
        lines |= {"domain": [0, rug_height], "anchor": "x"}
        return {
            "xaxis": theme.axis(below, zeroline=False, anchor="y2"),
            "yaxis": theme.axis("density", domain=densities, rangemode="tozero"),
            "yaxis2": theme.axis("", **lines),
            "barmode": "overlay",
        }


def roles_figure(
    samples: SamplePoints,
    is_real: ArrayLike,
    *,
    numbers: ArrayLike | None = None,
    most: int = 4000,
) -> go.Figure:
    """Samples coloured and marked by role: histograms above a rug plot (1-D), or a scatter plot
    (2-D).

    Parameters
    ----------
    samples : without ids.
    is_real : (n,) True for real samples (circles), False for generated ones (triangles).
    numbers : (n,) number of each sample shown on hover, such as its row in its file; by default its
        row in ``samples``, counted from 1.
    most : largest number of samples drawn; of more samples a random subset, and the axis title says
        so.

    customdata of each point is [row in points, number]. Arrays have small number types, because a
    page sends them with its first view. Raises ValueError for columns of different lengths.
    """
    real = np.asarray(is_real, dtype=bool)
    n = len(real)
    rows = np.arange(1, n + 1) if numbers is None else np.asarray(numbers, dtype=np.intp)
    samples.check(is_real=real, numbers=rows)
    shown = theme.subset(np.arange(n), most)
    short = replace(samples, points=_short(samples.points))
    few = max(n, rows.max(initial=0)) < 1 << 15
    ids = np.column_stack([np.arange(n), rows]).astype(np.int16 if few else np.int32)
    said = "%{hovertext}"
    if samples.notes is None:
        said = "row %{customdata[1]}"
    figure = go.Figure()
    for line, (name, symbol, color) in enumerate(theme.ROLES):
        chosen = shown[real[shown] == (name == "real")]
        marks = short.marks(chosen, line, symbol, 6, 0.5)
        marks["marker"]["color"] = color
        figure.add_scatter(
            **marks,
            name=name,
            legendgroup=name,
            showlegend=not samples.flat,
            customdata=ids[chosen],
            hovertext=None if samples.notes is None else samples.said(chosen),
            hovertemplate=f"<b>{name}, {said}</b><extra></extra>",
        )
    if samples.flat:
        figure.add_traces(_densities(samples.points, real))
    axes = samples.axes(len(shown))
    return theme.finish(figure, height=560, legend=theme.legend(-0.2), **axes)


def _short(coordinates: AnyFloats) -> AnyFloats:
    """The coordinates as float32 if this changes them by at most a thousandth of their range;
    otherwise unchanged.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        short = coordinates.astype(np.float32)
        if not coordinates.size:
            return short
        exact = np.all(np.abs(short - coordinates) <= np.ptp(coordinates, axis=0) / 1000)
    if exact:
        return short
    return coordinates


def samples_figure(
    samples: SamplePoints,
    is_real: ArrayLike,
    *,
    c_real: ArrayLike,
    c_generated: ArrayLike,
    density: bool = True,
    most: int = 2000,
) -> go.Figure:
    """Samples coloured by log(c_Y / c_X): histograms above a rug plot (1-D), or a scatter plot
    (2-D).

    Parameters
    ----------
    samples : the samples; the hover text is the role, then the sample's note.
    is_real : (n,) True for real samples (circles), False for generated ones (triangles).
    c_real, c_generated : (n,) supports of each sample, non-negative. The colour scale ends where it
        includes 95 % of the samples, at a ratio of at most 16; 0/0 has the middle colour. The hover
        shows the exact ratio.
    density : True to draw histograms (1-D) or density contours (2-D) of all samples of each role.
    most : largest number of samples drawn; of more samples a random subset, and the axis title says
        so.

    customdata of each point is [id, c_X, c_Y]; a front end finds the picture of a sample by its id
    and shows it by `picture_data_uri`. Raises ValueError for columns of different lengths.
    """
    real = np.asarray(is_real, dtype=bool)
    supports = np.column_stack([c_real, c_generated]).astype(float)
    samples.check(is_real=real, supports=supports)
    shown = theme.subset(np.arange(len(real)), most)
    figure = go.Figure()
    for line, (name, symbol, _) in enumerate(theme.ROLES):
        rows = shown[real[shown] == (name == "real")]
        figure.add_trace(_marks(samples, rows, supports[rows], line))
        if not samples.flat:
            # An entry for the legend, in which Plotly would draw the symbol of points on a colour
            # scale black.
            marker = {"color": theme.EVEN_COLOR, "symbol": symbol, "size": 8}
            theme.add_entry(figure, name=name, legendgroup=name, mode="markers", marker=marker)
    if density:
        figure.add_traces(_densities(samples.points, real))
    return theme.finish(
        figure,
        height=560,
        legend=theme.legend(-0.25),
        margin={"l": 60, "r": 20, "t": 90, "b": 60},
        coloraxis=_ratio_axis(supports),
        **samples.axes(len(shown)),
    )


def _ratio_axis(supports: Floats) -> dict[str, Any]:
    """The colour scale of c_Y / c_X, wide enough for 95 % of the samples."""
    logs = np.minimum(np.abs(_log_ratio(supports)), _REACHES[1])
    reach = float(np.clip(np.percentile(logs, 95), *_REACHES))
    end = theme.number(2**reach, 2)
    return {
        "cmin": -reach,
        "cmid": 0,
        "cmax": reach,
        "colorscale": [[0, theme.REAL_COLOR], [0.5, theme.EVEN_COLOR], [1, theme.GENERATED_COLOR]],
        "colorbar": {
            "orientation": "h",
            "x": 0.5,
            "y": 1.02,
            "yanchor": "bottom",
            "thickness": 10,
            "len": 0.8,
            "tickvals": [-reach, 0, reach],
            "ticktext": [f"looks real (1/{end})", "even (1)", f"looks generated ({end})"],
            "title": {"text": "c<sub>Y</sub> / c<sub>X</sub>, log scale", "side": "top"},
        },
    }


def _log_ratio(supports: Floats) -> Floats:
    """log2(c_Y / c_X) of each sample; 0 for 0/0."""
    with np.errstate(divide="ignore"):
        logs: Floats = np.log2(score_keys(supports[:, 0], supports[:, 1]))
    return logs


def _marks(samples: SamplePoints, rows: Ints, supports: Floats, line: int) -> go.Scatter:
    """A trace of one role's samples, coloured by c_Y / c_X.

    In 1-D each sample is a tick in the role's row of the rug plot.

    rows, supports : indices and supports of the samples.
    line : index of the role in ``theme.ROLES``, and of the row in the rug plot.
    """
    name, symbol, _ = theme.ROLES[line]
    ratios = theme.numbers(score_keys(supports[:, 0], supports[:, 1]))
    for place in np.flatnonzero((supports == 0).all(axis=1)):
        ratios[place] = "0/0 (nothing near)"
    marks = samples.marks(rows, line, symbol, 6, 0.8)
    colors = np.clip(_log_ratio(supports), -_REACHES[1], _REACHES[1])
    marks["marker"] |= {"color": colors, "coloraxis": "coloraxis"}
    return go.Scatter(
        **marks,
        name=name,
        legendgroup=name,
        showlegend=False,
        text=ratios,
        customdata=np.column_stack([samples.ids_of(rows), supports]),
        hovertext=[f", {said}" for said in samples.said(rows)],
        hovertemplate=_HOVER,
    )


def _densities(points: AnyFloats, real: Flags) -> list[Any]:
    """Density traces of both roles: histograms in 1-D, contours in 2-D; the browser counts the
    samples in each bin.
    """
    traces: list[Any] = []
    for name, _, color in theme.ROLES:
        chosen = points[real == (name == "real")]
        if points.shape[1] == 1:
            traces.append(density_histogram(chosen[:, 0], name, color))
        elif len(chosen) >= FEWEST_FOR_CONTOURS:  # contours of few points would ring each of them
            # about ten samples in each bin
            bins = int(np.clip(np.sqrt(len(chosen) / 10), 8, 30))
            contours = go.Histogram2dContour(
                x=chosen[:, 0],
                y=chosen[:, 1],
                name=f"{name}, density",
                contours={"coloring": "none"},
                line={"color": color, "width": 2},
                ncontours=6,
                nbinsx=bins,
                nbinsy=bins,
                histnorm="probability density",
                hoverinfo="skip",
            )
            traces.append(contours)
    return traces


def density_histogram(values: AnyFloats, role: str, color: str) -> go.Histogram:
    """A histogram of one role's samples in 1-D; the browser counts the samples in each bin."""
    return go.Histogram(
        x=values,
        name=f"{role}, density",
        histnorm="probability density",
        bingroup="samples",
        opacity=0.55,
        marker={"color": color},
        hovertemplate=f"{role}, density: %{{y:.3f}}<extra></extra>",
    )
