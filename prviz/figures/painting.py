"""Samples that were drawn from two painted densities, on a line with the densities or in the plane."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from prviz.figures import theme

Floats = NDArray[np.float64]


def painted_line_figure(
    masses: tuple[ArrayLike, ArrayLike],
    shares: tuple[ArrayLike, ArrayLike],
    samples: tuple[ArrayLike, ArrayLike],
) -> go.Figure:
    """Densities on equal cells of [0, 1], the samples' histograms on the same cells, and the samples as a rug.

    Each argument is a pair, the real side first. masses : (m,) of the cells, each side of sum 1. shares : (m,) of the
    samples in each cell. samples : (n,) coordinates. The traces are the two histograms, the two densities, the two
    rugs. Raises ValueError for masses and shares of other lengths.
    """
    cells = {len(np.ravel(each)) for each in (*masses, *shares)}
    if len(cells) > 1:
        raise ValueError(f"masses and shares have {sorted(cells)} entries; one each per cell is needed")
    figure = go.Figure()
    sides = list(zip(masses, shares, samples, theme.ROLES, strict=True))
    for _, share, _, (role, _, color) in sides:
        fill = {"fill": "tozeroy", "fillcolor": theme.faded(color, 0.3), "line": {"color": color, "width": 0.5}}
        figure.add_scatter(**_stairs(share), name=f"{role} samples", mode="lines", hoverinfo="skip", **fill)
    for mass, _, _, (role, _, color) in sides:
        hover = f"<b>{role} density</b> %{{y:.3f}} at x = %{{x:.2f}}<extra></extra>"
        line = {"color": color, "width": 2}
        figure.add_scatter(**_stairs(mass), name=f"{role}, painted", mode="lines", line=line, hovertemplate=hover)
    for place, (_, _, drawn, (role, _, color)) in enumerate(sides):
        x, marker = np.ravel(drawn), {"symbol": "line-ns-open", "size": 9, "color": color, "opacity": 0.6}
        figure.add_scatter(
            x=x,
            y=np.full(len(x), place),
            yaxis="y2",
            name=f"{role} samples, one by one",
            mode="markers",
            marker=marker,
            showlegend=False,
            hovertemplate=f"<b>{role} sample</b> at x = %{{x:.3f}}<extra></extra>",
        )
    highest = max(float(np.max(each)) for each in (*masses, *shares)) * cells.pop()
    rug = {"tickvals": [0, 1], "ticktext": ["real", "generated"], "range": [1.6, -0.6], "showgrid": False}
    return theme.finish(
        figure,
        height=540,
        xaxis=theme.axis("x", range=[0, 1], zeroline=False, anchor="y2"),
        yaxis=theme.axis("density", range=[0, 1.08 * highest], zeroline=False, domain=[0.2, 1]),
        yaxis2=theme.axis("", domain=[0, 0.14], anchor="x", zeroline=False, **rug),
        legend=theme.legend(-0.2),
    )


def _stairs(masses: ArrayLike) -> dict[str, Floats]:
    """Density on equal cells of [0, 1], as a line that goes up and down their borders."""
    values = np.ravel(np.asarray(masses, dtype=np.float64))
    edges = np.arange(len(values) + 1) / len(values)
    return {"x": np.repeat(edges, 2)[1:-1], "y": np.repeat(values * len(values), 2)}


def painted_plane_figure(real: ArrayLike, generated: ArrayLike, *, side: int) -> go.Figure:
    """Samples (n, 2) and (m, 2) on the unit square, its grid of side x side cells behind them.

    The traces are the real samples (circles) and the generated ones (triangles). Raises ValueError for other shapes.
    """
    figure = go.Figure()
    for given, (role, symbol, color) in zip((real, generated), theme.ROLES, strict=True):
        points = np.asarray(given, dtype=np.float64)
        if points.ndim != 2 or points.shape[1] != 2:
            raise ValueError(f"{role} has shape {points.shape}; (n, 2) is needed")
        hover = f"<b>{role} sample</b> at (%{{x:.3f}}, %{{y:.3f}})<extra></extra>"
        marker = {"symbol": symbol, "size": 5, "color": color, "opacity": 0.7}
        figure.add_scatter(
            x=points[:, 0], y=points[:, 1], name=f"{role} samples", mode="markers", marker=marker, hovertemplate=hover
        )
    cells = {"range": [0, 1], "zeroline": False, "tickvals": np.arange(side + 1) / side, "constrain": "domain"}
    ends = {"ticktext": ["0", *[""] * (side - 1), "1"]}
    return theme.finish(
        figure,
        height=420,
        xaxis=theme.axis("x", **cells, **ends),
        yaxis=theme.axis("y", scaleanchor="x", **cells, **ends),
        legend=theme.legend(centred=True),
    )
