"""Two generators' curves with their summary points, each drawn at its place."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from prviz.curves import PRCurve
from prviz.curves.summaries import summary_points
from prviz.figures import theme

# Colours of the two generators, different from those of the default families.
RIVAL_COLORS = (theme.SPARE_COLORS[0], theme.FAMILY_COLORS["classifier"])
_RECALL = 0.05
# What, its symbol, its size: at the corner of a rectangle three of them meet, and all are to be seen.
_MARKS = (
    ("F8, leaning to precision", "triangle-up-open", 17),
    ("F8, leaning to recall", "triangle-right-open", 17),
    ("PR median", "diamond", 8),
    ("α@0.05", "circle", 10),
)


def numbers_figure(curves: Mapping[str, PRCurve]) -> go.Figure:
    """Precision against recall of up to two curves by label, with what their numbers measure.

    The area under each curve is AuC; its marks are where F8 on both sides is reached, where the dotted ray halves the
    area (the PR median), and the point of recall 0.05 (alpha@0.05), on a thin line at that recall. Trace 0 is that
    line; those of curve i, in the order of `rival_paths`, are `rival_traces(i)`. Raises ValueError for more curves.
    """
    if len(curves) > len(RIVAL_COLORS):
        raise ValueError(f"{len(curves)} curves; at most {len(RIVAL_COLORS)} are told apart")
    figure = go.Figure()
    line = {"color": theme.TRUTH_COLOR, "width": 1, "dash": "dot"}
    figure.add_scatter(x=[_RECALL] * 2, y=[0, 1.02], mode="lines", line=line, showlegend=False, hoverinfo="skip")
    for (name, curve), color in zip(curves.items(), RIVAL_COLORS, strict=False):
        for style, path in zip(_styles(theme.plain(name), color), rival_paths(curve), strict=True):
            figure.add_scatter(**style, **path)
    return theme.finish(figure, height=560, **theme.pr_axes(1.04), legend=theme.legend(centred=True))


def rival_traces(index: int) -> list[int]:
    """The traces of curve `index` in `numbers_figure`."""
    each = 2 + len(_MARKS)
    return list(range(1 + index * each, 1 + (index + 1) * each))


def rival_paths(curve: PRCurve) -> list[dict[str, list[float | None]]]:
    """Recall (x) and precision (y) of the curve, the ray to its median, and its marks; None for a point that is not."""
    _, alpha, beta = curve.sample(90)
    found = summary_points(curve)
    precision, recall = _rounded(found.median.alpha), _rounded(found.median.beta)
    ends = [0.0 if precision is not None else None]
    drawn = {"x": [round(x, 4) for x in beta.tolist()], "y": [round(y, 4) for y in alpha.tolist()]}
    return [
        drawn,
        {"x": [*ends, recall], "y": [*ends, precision]},
        *({"x": [_rounded(point.beta)], "y": [_rounded(point.alpha)]} for point in found),
    ]


def gaps_figure(gaps: Mapping[str, float], names: tuple[str, str]) -> go.Figure:
    """One signed bar per number: to the right where the first of the two generators has more, to the left the other.

    gaps : the number of the first minus that of the second, in [-1, 1], by label; the first is drawn on top. Its two
    traces, one a side, are those of `gap_bars`.
    """
    figure, places = go.Figure(), list(range(len(gaps)))
    for x, name, color in zip(gap_bars(list(gaps.values())), names, RIVAL_COLORS, strict=True):
        hover = f"%{{customdata}}: larger by %{{x:.3f}} for {theme.plain(name)}<extra></extra>"
        bar = {"marker": {"color": color}, "customdata": list(gaps), "hovertemplate": hover}
        figure.add_bar(x=x, y=places, orientation="h", name=theme.plain(name), **bar)
    first, second = map(theme.plain, names)
    style: dict[str, Any] = {"range": [-1.02, 1.02], "zerolinecolor": theme.TRUTH_COLOR, "zerolinewidth": 2}
    ticks: dict[str, Any] = {"tickvals": [-1, -0.5, 0, 0.5, 1], "ticktext": ["1", "0.5", "0", "0.5", "1"]}
    return theme.finish(
        figure,
        height=330,
        barmode="relative",
        bargap=0.35,
        showlegend=False,
        xaxis=theme.axis(f"← larger for {second} · larger for {first} →", **style, **ticks),
        yaxis=theme.axis("", **theme.tick_names(gaps), showgrid=False),
    )


def gap_bars(gaps: Sequence[float]) -> tuple[list[float], list[float]]:
    """The lengths of both traces of `gaps_figure`."""
    return [max(gap, 0.0) for gap in gaps], [min(gap, 0.0) for gap in gaps]


def _rounded(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 4)


def _styles(name: str, color: str) -> list[dict[str, Any]]:
    """Styles of the traces of `rival_paths`."""
    shared = {"legendgroup": name, "showlegend": False}
    where = "precision α = %{y:.3f}, recall β = %{x:.3f}<extra></extra>"
    area = {"fill": "tozeroy", "fillcolor": theme.faded(color, 0.14), "mode": "lines", "line": theme.line_of(color)}
    ray = {"mode": "lines", "line": {"color": color, "width": 1.5, "dash": "dot"}, "hoverinfo": "skip", "name": name}
    marks = [
        {
            "name": f"{name}: {mark}",
            "mode": "markers",
            "marker": {"symbol": symbol, "size": size, "color": color, "line": {"width": 2.5, "color": color}},
            "hovertemplate": f"<b>{mark} of {name}</b><br>{where}",
        }
        for mark, symbol, size in _MARKS
    ]
    first = {"name": name, "legendgroup": name, "hovertemplate": f"<b>{name}</b><br>{where}", **area}
    return [first, *({**shared, **style} for style in (ray, *marks))]
