"""The samples in the four confusion groups of one classifier: kept, missed, accepted, rejected."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from prviz.diagnostics.confusion_groups import GROUPS
from prviz.figures import theme
from prviz.figures.samples import SamplePoints, density_histogram


class MarkerStyle(NamedTuple):
    """Colour, symbol and size of a group's marks."""

    color: str
    symbol: str
    size: int


# Groups called real have the colour of their true role, groups called generated a warm colour. Real
# samples are circles, generated ones triangles.
GROUP_LOOKS: Mapping[str, MarkerStyle] = {
    "kept": MarkerStyle(theme.REAL_COLOR, "circle", 6),
    "missed": MarkerStyle("#C2255C", "x", 8),
    "accepted": MarkerStyle(theme.GENERATED_COLOR, "triangle-up", 7),
    "rejected": MarkerStyle("#C77700", "triangle-down", 8),
}
_OPACITY = 0.85


def groups_figure(
    samples: SamplePoints,
    group: ArrayLike,
    *,
    keys: ArrayLike,
    key_title: str = "c<sub>Y</sub> / c<sub>X</sub>",
    always: ArrayLike = (),
    most: int = 2000,
) -> go.Figure:
    """Samples coloured and marked by their confusion group: histograms above a rug plot (1-D), or a
    scatter plot (2-D).

    Parameters
    ----------
    samples : the samples; the customdata of each point is its id.
    group : (n,) index of each sample's group in `prviz.diagnostics.confusion_groups.GROUPS`, whose
        first two groups hold real samples.
    keys : (n,) c_Y / c_X, by which the classifier decides; nan for 0/0. Shown on hover.
    key_title : name of the keys on hover.
    always : rows that are always drawn.
    most : largest number of other rows drawn, a random subset; the axis title says so.

    The first four traces are the groups in their order, each named with its number of samples,
    drawn or not. All their data are plain lists, so that a front end can regroup them. Raises
    ValueError for columns of different lengths.
    """
    groups = np.asarray(group, dtype=np.intp)
    values = np.asarray(keys, dtype=float)
    samples.check(group=groups, keys=values)
    if not bool(np.all((groups >= 0) & (groups < len(GROUPS)))):
        raise ValueError(
            f"group holds {groups.min()} to {groups.max()}; 0 to {len(GROUPS) - 1} are needed"
        )
    shown = np.arange(len(groups))
    if len(shown) > most:
        shown = np.union1d(theme.subset(shown, most), np.asarray(always, dtype=np.intp))
    figure = go.Figure()
    for index, (name, label) in enumerate(GROUPS.items()):
        rows = shown[groups[shown] == index]
        color, symbol, size = GROUP_LOOKS[name]
        marks = samples.marks(rows, index, symbol, size, _OPACITY)
        marks["marker"]["color"] = color
        if samples.flat:
            marks["marker"]["size"] = 11
        for side in "xy":  # Plotly would drop an empty group from the legend, too
            marks[side] = marks[side].tolist() or [None]
        figure.add_scatter(
            **marks,
            text=[key_text(value) for value in values[rows].tolist()],
            hovertext=samples.said(rows),
            hovertemplate=(
                f"<b>%{{meta}}, %{{hovertext}}</b><br>{key_title} = %{{text}}<extra></extra>"
            ),
            customdata=samples.ids_of(rows)[:, None].tolist(),
            name=f"{label}: {np.sum(groups == index):,}",
            meta=label,
            legendgroup=name,
        )
    if samples.flat:
        for is_role, role, look in ((True, "real", "kept"), (False, "generated", "accepted")):
            chosen = samples.points[(groups < 2) == is_role, 0]
            figure.add_trace(density_histogram(chosen, role, GROUP_LOOKS[look].color))
    return theme.finish(
        figure,
        height=560,
        legend=theme.legend(-0.2),
        margin={"l": 60, "r": 20, "t": 40, "b": 60},
        **samples.axes(len(shown), rug=list(GROUPS.values()), rug_height=0.28),
    )


def key_text(key: float) -> str:
    """A sample's key c_Y / c_X as text; nan means that both supports are 0."""
    if math.isnan(key):
        return "0/0"
    return theme.number(key)
