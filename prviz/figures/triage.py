"""Figures of several checkpoints: their curves, and their summaries against the training step.

A front end finds everything that belongs to a checkpoint by its unchanged name: a trace of one
checkpoint has the name as its `meta`, and in a trace of several checkpoints each point has the name
as its `customdata`. Traces that belong to no checkpoint have neither.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import plotly.graph_objects as go

from prviz.arrays import Floats
from prviz.curves import PRCurve
from prviz.figures import theme
from prviz.figures.labels import Line, Place, along, place_labels
from prviz.figures.pr import beyond

StepAxis: TypeAlias = Literal["linear", "log", "even"]

_POINTS = 80
_FAINT_POINTS = 24
# With this number of curves or more, grey curves have fewer points, because the browser redraws all
# of them when the user selects a checkpoint.
_MANY = 40
_HOVER = (
    "{who}<br>precision α = %{{y:.3f}}, recall β = %{{x:.3f}}<br>at λ = α / β ="
    " %{{text}}<extra></extra>"
)
_EVEN = "#8a8a8a"
_THIN = {"color": _EVEN, "width": 1}
_BARS = {
    "type": "data",
    "symmetric": False,
    "width": 3,
    "thickness": 1.5,
    "color": _EVEN,
}
_GREY = {"color": "rgba(127,127,127,0.5)", "width": 1.25}
_FAINT = {"color": "rgba(127,127,127,0.25)", "width": 1}
CEILING = "real against real"
LEANINGS = {"f8_precision": "F8, leaning to precision", "f8_recall": "F8, leaning to recall"}
_MOST_TICKS = 8
# If the largest step is more than this many times the smallest, small steps crowd on a linear axis.
_WIDE = 20.0
# Width in pixels of a letter.
_LETTER = 6.5
# Height in pixels of a line of text.
_LINE = 14.0
# Radius in pixels of a point.
_POINT = 6.0
# Step in pixels between the points that represent a line when names are placed.
_DENSE = 4.0
# Side in pixels of a small plot.
_SIDE = 300.0
_NAME_SIZE = 12
_LONGEST = 18


class CheckpointView(NamedTuple):
    """One checkpoint to draw.

    name : name, unique among the checkpoints.
    step : training step; None if it is not known.
    summaries : numbers read off its curve, by their keys.
    intervals : (low, high) of each summary; empty until they are computed.
    bound : an upper bound of the true curve, or None.
    """

    name: str
    step: float | None
    curve: PRCurve
    summaries: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    bound: PRCurve | None = None


Views: TypeAlias = Sequence[CheckpointView]


def in_order(views: Views) -> tuple[list[CheckpointView], bool]:
    """The checkpoints ordered by step, and True; if a step is not known, the checkpoints as given,
    and False.
    """
    if any(view.step is None for view in views):
        return list(views), False
    return sorted(views, key=lambda view: view.step or 0.0), True


def step_words(step: float) -> str:
    """A step as short text with all its digits."""
    return f"{step:,.10g}"


def step_axes(views: Views) -> list[StepAxis]:
    """Scales that suit an axis of the steps, the simplest first.

    "log" and "even" are offered only if small steps would crowd on a linear axis.
    """
    steps = [view.step for view in views if view.step is not None]
    positive = [step for step in steps if step > 0]
    if len(steps) < len(views) or max(positive, default=0.0) <= _WIDE * min(positive, default=1.0):
        return ["linear"]
    if len(positive) == len(steps):
        return ["linear", "log", "even"]
    return ["linear", "even"]


def checkpoints_figure(
    views: Views,
    *,
    focus: Mapping[str, str] | None = None,
    ceiling: PRCurve | None = None,
    height: int = 560,
) -> go.Figure:
    """Precision against recall of all checkpoints, later checkpoints drawn over earlier ones.

    The colour shows the position in the order of steps. Both ends of the colour bar name a step or,
    if not all steps are known, a checkpoint.
    focus : colours, by name, of a few checkpoints that stand out with their names, the most
        important first; all others are grey.
    ceiling : the curve of real samples against real ones, dashed.
    """
    ordered, stepped = in_order(views)
    figure = go.Figure()
    if ceiling is not None:
        figure.add_trace(_ceiling_curve(ceiling))
    if focus is not None:
        names = list(focus)
        bold = [view for name in reversed(names) for view in ordered if view.name == name]
        points, line = (_POINTS, _GREY) if len(ordered) <= _MANY else (_FAINT_POINTS, _FAINT)
        figure.add_traces(
            [_curve(view, line, points) for view in ordered if view.name not in focus]
        )
        for view in bold:
            width = 3.5 if view.name == names[0] else 2
            figure.add_trace(_curve(view, {"color": focus[view.name], "width": width}))
        figure.add_traces(_curve_names(ordered, focus, ceiling))
        return theme.finish(figure, height=height, showlegend=False, **theme.pr_axes())
    for view, color in zip(ordered, theme.shades(len(ordered)), strict=True):
        figure.add_trace(_curve(view, {"color": color, "width": 2}))
    if len(ordered) > 1:  # a trace without points, for the colour bar
        theme.add_entry(figure, mode="markers", marker=_order_bar(ordered, stepped=stepped))
    return theme.finish(figure, height=height, showlegend=False, **theme.pr_axes())


def _order_bar(ordered: Views, *, stepped: bool) -> dict[str, Any]:
    """A marker whose colour bar names the first and the last checkpoint at its ends."""
    last = len(ordered) - 1
    ends = []
    for view in (ordered[0], ordered[last]):
        ends.append(f"step {step_words(view.step or 0.0)}" if stepped else short_name(view.name))
    return {
        "color": [0],
        "colorscale": [[at / last, color] for at, color in enumerate(theme.shades(len(ordered)))],
        "cmin": 0,
        "cmax": last,
        "showscale": True,
        "colorbar": {
            "orientation": "h",
            "yref": "container",
            "y": 0.005,
            "yanchor": "bottom",
            "ypad": 4,  # pixels below the texts, whose descenders would be cut
            "thickness": 10,
            "len": 0.7,
            "outlinewidth": 0,
            "tickvals": [0, last],
            "ticktext": ends,
        },
    }


def checkpoint_panels(
    views: Views, names: Sequence[str], ceiling: PRCurve | None = None
) -> list[go.Figure]:
    """One panel for each of ``names``: this checkpoint's curve in colour over all others in grey,
    with the area beyond its bound shaded.

    ceiling : the curve of real samples against real ones, dashed.
    """
    ordered, _ = in_order(views)
    colors = dict(zip([view.name for view in ordered], theme.shades(len(ordered)), strict=True))
    faint = {}
    for view in ordered:  # coordinates of all curves, separated by nan so that one trace draws them
        _, alpha, beta = view.curve.sample(_FAINT_POINTS)
        faint[view.name] = np.array([[*beta, np.nan], [*alpha, np.nan]], np.float32)
    layout = theme.square("", "", range=[0, 1.04], tickvals=[0, 0.5, 1])
    layout["margin"] = {"l": 28, "r": 6, "t": 6, "b": 24}
    figures = []
    for one in (view for name in names for view in ordered if view.name == name):
        x, y = np.hstack(
            [
                np.empty((2, 0), np.float32),
                *(line for name, line in faint.items() if name != one.name),
            ]
        )
        others = go.Scatter(x=x, y=y, mode="lines", line=_THIN, opacity=0.35, hoverinfo="skip")
        curve = _curve(one, {"color": colors[one.name], "width": 2.5})
        shade = []
        if one.bound is not None:
            shade = [beyond(one.bound, _POINTS)]
        top = []
        if ceiling is not None:
            top = [_ceiling_curve(ceiling)]
        figures.append(
            theme.finish(
                go.Figure([*shade, others, *top, curve]), height=190, showlegend=False, **layout
            )
        )
    return figures


def steps_figure(
    views: Views,
    key: str,
    *,
    axis: StepAxis = "linear",
    focus: Mapping[str, str] | None = None,
    ceiling: float | None = None,
    height: int = 280,
) -> go.Figure:
    """One summary of all checkpoints against their steps, each with its interval, and a ribbon
    through the intervals.

    axis : scale of the step axis; "even" places the steps in order at equal distances. Where not
        all steps are known, the checkpoints are drawn in their own order, by name. Points are
        joined only where all steps are known and different.
    focus : colours, by name, of a few checkpoints that stand out; all others are grey. None: the
        colour shows the place in the order.
    ceiling : the summary of real samples against real ones, drawn as a dashed line.
    """
    ordered, stepped = in_order(views)
    even = not stepped or axis == "even"
    x = [float(place) if even else float(view.step or 0.0) for place, view in enumerate(ordered)]
    names = [view.name for view in ordered]
    numbers = _with_intervals(ordered, key)
    y, low, high = numbers.T
    figure = go.Figure()
    colors = theme.shades(len(ordered))
    sizes = [8] * len(ordered)
    if focus is not None:
        colors = [focus.get(name, _EVEN) for name in names]
        sizes = [11 if name in focus else 7 for name in names]
    reached = numbers.ravel().tolist()
    if ceiling is not None:
        reached.append(ceiling)
        figure.add_hline(ceiling, line={**theme.truth_line(), "width": 2}, layer="below")
    if stepped and len(set(x)) == len(x):
        figure.add_trace(_ribbon(x, ordered, key))
        figure.add_scatter(x=x, y=y.tolist(), mode="lines", line=_THIN, hoverinfo="skip")
    visible = {"marker": {"opacity": 1}}
    figure.add_scatter(
        x=x,
        y=y.tolist(),
        mode="markers",
        marker={"color": colors, "size": sizes, "opacity": 1},
        selected=visible,
        unselected=visible,
        error_y={"array": (high - y).tolist(), "arrayminus": (y - low).tolist(), **_BARS},
        customdata=names,
        hovertext=[_said(view, {key: "value"}) for view in ordered],
        hovertemplate="%{hovertext}<extra></extra>",
    )
    return theme.finish(
        figure,
        height=height,
        showlegend=False,
        selectdirection="h",
        margin={"l": 44, "r": 10, "t": 10, "b": 44},
        xaxis=_step_axis(ordered, x, stepped, even, axis == "log"),
        yaxis=theme.axis("", range=_span(reached)),
    )


def checkpoint_trade_figure(
    views: Views, *, ceiling: tuple[float, float] | None = None, height: int = 560
) -> go.Figure:
    """F8 leaning to precision against F8 leaning to recall: one point per checkpoint, joined in the
    order of the steps.

    Above the diagonal precision is higher than recall, below it lower. Names are written where
    there is room; the hover shows all of them.
    ceiling : (recall, precision) F8 of real samples against real ones: the corner of a dashed line.

    Source: Sajjadi et al. 2018, figure 7.
    """
    ordered, stepped = in_order(views)
    scores = [[view.summaries["f8_recall"], view.summaries["f8_precision"]] for view in ordered]
    points = np.array(scores).reshape(-1, 2)
    x, y = points.T
    names = [view.name for view in ordered]
    ends = _span([*x, *y, *(ceiling or ())])
    joined = stepped and len({view.step for view in ordered}) == len(ordered)
    path: dict[str, Any] = {"x": x, "y": y} if joined else {"x": [], "y": []}
    figure = go.Figure()
    figure.add_scatter(x=ends, y=ends, mode="lines", line=_THIN, hoverinfo="skip")
    figure.add_scatter(**path, mode="lines", line=_THIN, hoverinfo="skip")
    if ceiling is not None:
        across, up = ceiling
        corner = {"x": [ends[0], across, across], "y": [up, up, ends[0]]}
        line = {**theme.truth_line(), "width": 2}
        hover = f"{CEILING}<extra></extra>"
        figure.add_scatter(**corner, line=line, mode="lines", hovertemplate=hover)
    texts, sides = placed_names(
        names,
        points,
        ends,
        lines=[np.column_stack([trace.x, trace.y]) for trace in figure.data],
    )
    rim = {"width": 1, "color": "#ffffff"}
    figure.add_scatter(
        x=x,
        y=y,
        mode="markers+text",
        text=texts,
        textposition=sides,
        textfont={"size": 11},
        cliponaxis=False,
        marker={"color": theme.shades(len(ordered)), "size": 10, "line": rim},
        customdata=names,
        hovertext=[_said(view, LEANINGS) for view in ordered],
        hovertemplate="%{hovertext}<extra></extra>",
    )
    return theme.finish(
        figure,
        height=height,
        showlegend=False,
        **theme.square(LEANINGS["f8_recall"], LEANINGS["f8_precision"], range=ends),
    )


# ---- parts ----


def _who(view: CheckpointView) -> str:
    step = ""
    if view.step is not None:
        step = f", step {step_words(view.step)}"
    return f"<b>{theme.plain(view.name)}</b>{step}"


def _said(view: CheckpointView, labels: Mapping[str, str]) -> str:
    """Hover text of a checkpoint, with a line for each of the summaries in ``labels`` and its
    interval.
    """
    lines = [_who(view)]
    for key, label in labels.items():
        text = f"{label}: {view.summaries[key]:.3f}"
        if key in view.intervals:
            low, high = view.intervals[key]
            text += f", 95 % of the draws {low:.3f} to {high:.3f}"
        lines.append(text)
    return "<br>".join(lines)


def _curve(view: CheckpointView, line: dict[str, Any], points: int = _POINTS) -> go.Scatter:
    about = {"name": theme.plain(view.name), "meta": view.name}
    return _line(view.curve, _who(view), points, line=line, **about)


def _ceiling_curve(curve: PRCurve) -> go.Scatter:
    return _line(curve, CEILING, name=CEILING, legendgroup="truth", line=theme.truth_line())


def _line(curve: PRCurve, who: str, points: int = _POINTS, **options: Any) -> go.Scatter:
    lam, alpha, beta = curve.sample(points)
    return go.Scatter(
        x=beta.round(5),
        y=alpha.round(5),
        mode="lines",
        text=theme.numbers(lam),
        hovertemplate=_HOVER.format(who=who),
        **options,
        # Plotly's validation is off: for hundreds of curves it would take most of the time
        _validate=False,
    )


def _curve_names(
    views: Views, focus: Mapping[str, str], ceiling: PRCurve | None
) -> list[go.Scatter]:
    """The names of the ceiling and of the checkpoints in `focus`, placed by `labels.place_labels`
    in a plot of _SIDE pixels.
    """
    curves = {view.name: view.curve for view in views}
    standing = [name for name in focus if name in curves]
    lines = {name: Line(_pixels(curves[name]), short_name(name)) for name in standing}
    lines |= {name: Line(_pixels(curves[name])) for name in curves if name not in focus}
    if ceiling is not None:
        lines[CEILING] = Line(_pixels(ceiling), CEILING)
    places = place_labels(lines, (_SIDE, _SIDE), _NAME_SIZE, leaders=True)
    colors = {**focus, CEILING: theme.TRUTH_COLOR}
    return [
        _curve_name(lines[name].text, places[name], colors[name], name if name in focus else None)
        for name in [CEILING, *reversed(standing)]
        if name in places
    ]


def _pixels(curve: PRCurve) -> Floats:
    _, alpha, beta = curve.sample(_POINTS)
    return _SIDE * np.column_stack([beta, 1 - alpha])


def _curve_name(text: str, place: Place, color: str, checkpoint: str | None) -> go.Scatter:
    """The name of a curve, with a leader line if the name is not beside the curve."""
    left, top, right, bottom = place.box
    starts = left >= place.anchor[0]
    at = np.array([left, bottom] if starts else [right, top])
    far = np.abs(at - place.anchor).max() > 2 * _LINE
    ends = np.array([place.anchor, at]) if far else at[None]
    x, y = ends.T / _SIDE
    return go.Scatter(
        x=x,
        y=1 - y,
        meta=checkpoint,
        mode="lines+text" if far else "text",
        text=["", f"<b>{text}</b>"][-len(ends) :],
        textposition="top right" if starts else "bottom left",
        textfont={"color": color, "size": _NAME_SIZE},
        line={"color": color, "width": 1},
        hoverinfo="skip",
    )


def _with_intervals(ordered: Views, key: str) -> Floats:
    """(n, 3): one summary of each checkpoint, and both ends of its interval. An unknown interval
    has length 0 at the summary.

    The interval of resampled curves need not contain the summary itself.
    """
    found = []
    for view in ordered:
        value = view.summaries[key]
        found.append((value, *view.intervals.get(key, (value, value))))
    return np.array(found)


def _ribbon(x: Sequence[float], ordered: Views, key: str) -> go.Scatter:
    """The ribbon through the intervals, a polygon for each run of successive checkpoints with known
    intervals.
    """
    xs = list[float | None]()
    ys = list[float | None]()
    stretch = list[tuple[float, float, float]]()
    for place, view in zip([*x, math.nan], [*ordered, None], strict=True):
        interval = None
        if view is not None:
            interval = view.intervals.get(key)
        if interval is not None:
            stretch.append((place, *interval))
            continue
        if len(stretch) > 1:
            xs += [*(at for at, _, _ in stretch), *(at for at, _, _ in reversed(stretch)), None]
            ys += [
                *(low for _, low, _ in stretch),
                *(high for _, _, high in reversed(stretch)),
                None,
            ]
        stretch = []
    return theme.polygon(xs, ys, "rgba(127,127,127,0.22)")


def _step_axis(
    ordered: Views, x: Sequence[float], stepped: bool, even: bool, log: bool
) -> dict[str, Any]:
    title = "step" if stepped else "checkpoint"
    if even:
        stride = math.ceil(len(x) / _MOST_TICKS)
        words = [
            step_words(view.step) if stepped and view.step is not None else short_name(view.name)
            for view in ordered
        ]
        ticks = {
            "tickvals": list(x)[::stride],
            "ticktext": words[::stride],
            "ticklabeloverflow": "allow",
        }
        return theme.axis(title, range=[-0.5, len(x) - 0.5], zeroline=False, **ticks)
    if log:
        first = math.log10(min(x))
        last = math.log10(max(x))
        around = max(0.06 * (last - first), 0.05)
        dtick = 1 if last - first > 1 else None
        return theme.axis(title, type="log", range=[first - around, last + around], dtick=dtick)
    around = 0.06 * (max(x) - min(x)) or max(abs(x[0]) * 0.1, 0.5)
    return theme.axis(title, range=[min(x) - around, max(x) + around], zeroline=False, nticks=7)


def _span(values: Sequence[float]) -> list[float]:
    """A range around values in [0, 1] that ends at tenths, with some space at both ends.

    Rounding keeps the range the same for most new values.
    """
    low = min(values)
    high = max(values)
    bottom = math.floor(10 * low - 0.1) / 10
    top = math.ceil(10 * high + 0.1) / 10
    return [max(bottom, -0.04), min(top, 1.04)]


# ---- names beside points, where there is room for them ----


class _Box(NamedTuple):
    left: float
    bottom: float
    right: float
    top: float

    def meets(self, other: _Box) -> bool:
        across = self.left < other.right and other.left < self.right
        return across and self.bottom < other.top and other.bottom < self.top

    @property
    def inside(self) -> bool:
        return min(self.left, self.bottom) >= 0 and max(self.right, self.top) <= _SIDE


def short_name(name: str) -> str:
    """A name escaped for Plotly; of a long name the beginning is cut, since checkpoint names differ
    at the end.
    """
    return theme.plain(name if len(name) <= _LONGEST else f"…{name[1 - _LONGEST :]}")


def placed_names(
    names: Sequence[str],
    points: Floats,
    ends: Sequence[float],
    *,
    lines: Sequence[Floats] = (),
) -> tuple[list[str], list[str]]:
    """Texts and positions of the names beside points, where there is room.

    A name covers no other point, name or line; it is "" where there is no room. The first and the
    last name are placed before the others.
    points : (n, 2) in a square plot whose axes both reach from ends[0] to ends[1].
    lines : polylines of such points.
    """
    scale = _SIDE / (ends[1] - ends[0])
    places = scale * (points - ends[0])
    taken = [_Box(x - _POINT, y - _POINT, x + _POINT, y + _POINT) for x, y in places]
    for line in lines:
        if len(line) > 1:
            dense = along(scale * (line - ends[0]), _DENSE)
            taken += [_Box(x, y, x, y) for x, y in dense]
    texts = [""] * len(names)
    sides = ["top center"] * len(names)
    for index in sorted(range(len(names)), key=lambda i: (i not in (0, len(names) - 1), i)):
        width = _LETTER * min(len(names[index]), _LONGEST)
        for side, box in _around(float(places[index, 0]), float(places[index, 1]), width):
            if box.inside and not any(box.meets(other) for other in taken):
                texts[index], sides[index] = short_name(names[index]), side
                taken.append(box)
                break
    return texts, sides


def _around(x: float, y: float, width: float) -> Iterator[tuple[str, _Box]]:
    """Positions of a text around a point in order of preference, and the box that it covers in
    each.
    """
    away = _POINT + 2
    yield "middle right", _Box(x + away, y - _LINE / 2, x + away + width, y + _LINE / 2)
    yield "middle left", _Box(x - away - width, y - _LINE / 2, x - away, y + _LINE / 2)
    yield "top center", _Box(x - width / 2, y + away, x + width / 2, y + away + _LINE)
    yield "bottom center", _Box(x - width / 2, y - away - _LINE, x + width / 2, y - away)
    yield "top right", _Box(x + away, y + away, x + away + width, y + away + _LINE)
    yield "top left", _Box(x - away - width, y + away, x - away, y + away + _LINE)
    yield "bottom right", _Box(x + away, y - away - _LINE, x + away + width, y - away)
    yield "bottom left", _Box(x - away - width, y - away - _LINE, x - away, y - away)
