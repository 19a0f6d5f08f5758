"""The samples in the four confusion groups of one classifier: kept, missed, accepted, rejected."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from prviz.diagnostics.confusion_groups import GROUPS
from prviz.figures import theme
from prviz.figures.samples import density_histogram, sample_axes

Rows = NDArray[np.intp]


class MarkerStyle(NamedTuple):
    """Colour, symbol and size of a group's marks."""

    color: str
    symbol: str
    size: int


# Samples called real have the colour of their role, samples called generated a warm one; all
# generated ones are triangles.
GROUP_LOOKS: Mapping[str, MarkerStyle] = {
    "kept": MarkerStyle(theme.REAL_COLOR, "circle", 6),
    "missed": MarkerStyle("#C2255C", "x", 8),
    "accepted": MarkerStyle(theme.GENERATED_COLOR, "triangle-up", 7),
    "rejected": MarkerStyle("#C77700", "triangle-down", 8),
}
_OPACITY = 0.85


def groups_figure(
    points: ArrayLike,
    group: ArrayLike,
    *,
    keys: ArrayLike,
    key_title: str = "c<sub>Y</sub> / c<sub>X</sub>",
    ids: ArrayLike | None = None,
    axis_titles: Sequence[str] = ("x", "y"),
    notes: Sequence[str] | None = None,
    always: ArrayLike = (),
    most: int = 2000,
    seed: int = 0,
) -> go.Figure:
    """Samples in 1-D (histograms above a rug with a line per group) or 2-D (scatter), with colour and symbol by group.

    Parameters
    ----------
    points : (n, 1) or (n, 2) coordinates: the data themselves, or principal components.
    group : (n,) index of each sample's group in `prviz.diagnostics.confusion_groups.GROUPS`; the
    first two are groups
        of real samples.
    keys : (n,) value by which the classifier decides, shown on hover under the name key_title; nan:
    0/0.
    ids : (n,) number that identifies each sample for a front end, its customdata; by default its
    row in points.
    axis_titles : names of the coordinates, one per column.
    notes : (n,) text on each sample for the hover, such as its row and labels; by default its row
    from 1.
    always : rows that are always drawn.
    most : largest number of other rows drawn, a random subset by `seed`; the axis title says so.

    The first four traces are the groups in their order, each named with its number of samples,
    drawn or not. All their data are plain lists, so that a front end can regroup them. Raises
    ValueError for other shapes or lengths.
    """
    coordinates = np.asarray(points, dtype=np.float64)
    groups = np.asarray(group, dtype=np.intp)
    values = np.asarray(keys, dtype=np.float64)
    if coordinates.ndim != 2 or coordinates.shape[1] not in (1, 2):
        raise ValueError(f"points have shape {coordinates.shape}; (n, 1) or (n, 2) is needed")
    lengths = len(coordinates), len(groups), len(values)
    if len(set(lengths)) > 1:
        raise ValueError(f"points, group and keys have {lengths} entries; one per sample is needed")
    if not bool(np.all((groups >= 0) & (groups < len(GROUPS)))):
        raise ValueError(
            f"group holds {groups.min()} to {groups.max()}; 0 to {len(GROUPS) - 1} are needed"
        )
    n = len(coordinates)
    flat = coordinates.shape[1] == 1
    numbers = np.arange(n) if ids is None else np.asarray(ids, dtype=np.intp)
    if notes is None:
        said = [f"row {i + 1}" for i in range(n)]
    else:
        said = [theme.noted(each) for each in notes]
    shown = np.arange(n)
    if n > most:
        shown = np.union1d(theme.subset(shown, most, seed), np.asarray(always, dtype=np.intp))
    figure = go.Figure()
    # Without any point Plotly would drop a group from the legend too.
    for index, (name, label) in enumerate(GROUPS.items()):
        rows = shown[groups[shown] == index]
        y = np.full(len(rows), float(index)) if flat else coordinates[rows, 1]
        color, symbol, size = GROUP_LOOKS[name]
        marker = {
            "color": color,
            "symbol": "line-ns-open" if flat else symbol,
            "size": 11 if flat else size,
        }
        same = {"marker": {"opacity": _OPACITY}}  # selected or not
        figure.add_scatter(
            x=coordinates[rows, 0].tolist() or [None],
            y=y.tolist() or [None],
            yaxis="y2" if flat else "y",
            mode="markers",
            marker={**marker, "opacity": _OPACITY},
            selected=same,
            unselected=same,
            text=[key_text(value) for value in values[rows].tolist()],
            hovertext=[said[row] for row in rows],
            hovertemplate=(
                f"<b>%{{meta}}, %{{hovertext}}</b><br>{key_title} = %{{text}}<extra></extra>"
            ),
            customdata=numbers[rows, None].tolist(),
            name=f"{label}: {np.sum(groups == index):,}",
            meta=label,
            legendgroup=name,
        )
    if flat:
        for is_role, role, look in ((True, "real", "kept"), (False, "generated", "accepted")):
            values = coordinates[(groups < 2) == is_role, 0]
            figure.add_trace(density_histogram(values, role, GROUP_LOOKS[look].color))
    return theme.finish(
        figure,
        height=560,
        legend=theme.legend(-0.2),
        margin={"l": 60, "r": 20, "t": 40, "b": 60},
        **sample_axes(
            axis_titles, len(shown), n, rug=list(GROUPS.values()) if flat else (), rug_height=0.28
        ),
    )


def key_text(key: float) -> str:
    """A sample's key c_Y / c_X in words; nan: both supports are 0."""
    if math.isnan(key):
        return "0/0"
    return theme.number(key)
