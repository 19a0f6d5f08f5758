"""Figures of checkpoints: what they hold, in which order, in which colours, and whose name nobody
can misuse.
"""

from __future__ import annotations

import json
import math

import numpy as np
import plotly.graph_objects as go
import pytest

from prviz.curves import PRCurve
from prviz.curves.summaries import summaries
from prviz.figures.theme import luminance, shades
from prviz.figures.triage import (
    CEILING,
    CheckpointView,
    checkpoint_panels,
    checkpoint_trade_figure,
    checkpoints_figure,
    in_order,
    placed_names,
    short_name,
    steps_figure,
)

EVIL = "<a href='javascript:alert(1)'>x</a> %{x} $y$"


def view(name: str, step: float | None, quality: float, *, known: bool = True) -> CheckpointView:
    curve = PRCurve.from_error_rates([0.0, 0.1, 0.4], [1 - quality, 0.5 * (1 - quality), 0.0])
    found = summaries(curve)
    intervals = {}
    if known:
        intervals = {key: (value - 0.02, value + 0.01) for key, value in found.items()}
    return CheckpointView(name, step, curve, found, intervals)


VIEWS = [view("late", 4000.0, 0.9), view("early", 10.0, 0.2), view(EVIL, 200.0, 0.5)]
BY_NAME = {each.name: each for each in VIEWS}
ORDER = ["early", EVIL, "late"]


def of_items(figure: go.Figure) -> list[go.Scatter]:
    """Traces of one checkpoint each, or of all by their points."""
    return [
        trace for trace in figure.data if trace.meta is not None or trace.customdata is not None
    ]


def test_all_curves_are_there_in_the_order_of_their_steps() -> None:
    figure = checkpoints_figure(VIEWS)
    curves = of_items(figure)
    assert [trace.meta for trace in curves] == ORDER
    for trace in curves:
        x, y = (np.asarray(side) for side in (trace.x, trace.y))
        inner = (y > 1e-3 * x) & (y < 1e3 * x)
        alpha = BY_NAME[trace.meta].curve.alpha(y[inner] / x[inner])
        np.testing.assert_allclose(alpha, y[inner], atol=2e-3)
    bar = figure.data[-1].marker.colorbar
    assert bar.ypad > 0  # the texts below the bar are whole
    assert list(bar.ticktext) == ["step 10", "step 4,000"]
    scale = [color for _, color in figure.data[-1].marker.colorscale]
    assert scale == [trace.line.color for trace in curves]


def test_a_few_stand_out_of_grey_and_the_ceiling_is_dashed_in_both_figures() -> None:
    focus = {"late": "#0072B2", EVIL: "#B84A00"}
    top = view("real", None, 0.95)
    figure = checkpoints_figure(VIEWS, focus=focus, ceiling=top.curve)
    lines = {
        trace.meta: trace.line for trace in figure.data if trace.mode == "lines" and trace.meta
    }
    assert {name: lines[name].color for name in focus} == focus
    assert lines["late"].width > lines[EVIL].width > lines["early"].width
    assert [trace.line.dash for trace in figure.data if trace.legendgroup == "truth"] == ["dash"]
    assert [trace.meta for trace in figure.data if "text" in trace.mode] == [None, EVIL, "late"]
    steps = steps_figure(VIEWS, "auc", focus=focus, ceiling=top.curve.auc)
    (line,) = steps.layout.shapes
    assert line.y0 == line.y1 == top.curve.auc <= steps.layout.yaxis.range[1]
    points = of_items(steps)[-1]
    assert dict(zip(points.customdata, points.marker.color, strict=True)) == {
        **focus,
        "early": "#8a8a8a",
    }


def test_a_name_is_nearest_to_its_own_curve_or_at_the_end_of_a_line_to_it() -> None:
    curves = [view(f"run {i}", float(i), auc) for i, auc in enumerate((0.3, 0.5, 0.6, 0.601, 0.8))]
    focus = {"run 2": "#0072B2", "run 3": "#B84A00", "run 4": "#009E73"}
    figure = checkpoints_figure(curves, focus=focus, ceiling=curves[4].curve)
    names = [trace for trace in figure.data if "text" in trace.mode]
    assert {trace.meta for trace in names} == {*focus, None}
    for trace in names[1:]:  # the first is that of the ceiling
        away = {each.name: pixels_between(trace, each.curve) for each in curves}
        if trace.mode == "text":
            assert away[trace.meta] <= min(away.values()) + 1
        else:  # the line begins on the curve
            assert pixels_between(trace, curves[int(trace.meta[-1])].curve, box=False) < 1


def pixels_between(trace: go.Scatter, curve: PRCurve, box: bool = True) -> float:
    """Of a name, or of the trace's first point, from a curve in a plot of 300 pixels."""
    _, alpha, beta = curve.sample(2000)
    wide = 7 * len(trace.text[-1][3:-4]) if box else 0
    high = 15 if box else 0
    at = [trace.x[-1] if box else trace.x[0], trace.y[-1] if box else trace.y[0]]
    # A name is above and to the right of its point, or below and to the left.
    low = 300 * np.array(at) - np.array([wide, high]) * ("left" in trace.textposition)
    points = 300 * np.column_stack([beta, alpha])
    return float(np.hypot(*(points - np.clip(points, low, np.add(low, [wide, high]))).T).min())


def test_without_all_steps_the_list_counts() -> None:
    views = [*VIEWS, view("unknown", None, 0.3)]
    assert in_order(views) == (views, False)
    figure = checkpoints_figure(views)
    assert [trace.meta for trace in of_items(figure)] == ["late", "early", EVIL, "unknown"]
    assert list(figure.data[-1].marker.colorbar.ticktext) == ["late", "unknown"]
    steps = steps_figure(views, "auc")
    assert list(of_items(steps)[0].x) == [0, 1, 2, 3]
    assert steps.layout.xaxis.ticktext[0] == "late"
    assert len(steps.data) == 1  # what has no order is not joined


@pytest.mark.parametrize("count", [1, 2, 11, 40])
def test_colours_of_an_order_are_distinct_and_seen_on_both_grounds(count: int) -> None:
    colors = shades(count)
    assert len(set(colors)) == count
    for color in colors:
        light = luminance([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
        assert 1.05 / (light + 0.05) >= 3
        assert (light + 0.05) / (luminance([14 / 255, 17 / 255, 23 / 255]) + 0.05) >= 3


def test_a_panel_holds_its_own_curve_in_its_colour_before_all_others() -> None:
    first, last = checkpoint_panels(VIEWS, ["late", "early"])
    assert last.data[1].meta == "early"
    others, one = first.data
    assert (one.meta, one.line.color) == ("late", shades(3)[-1])
    assert np.isnan(others.x).sum() == 2
    assert (others.meta, others.hoverinfo) == (None, "skip")


@pytest.mark.parametrize("axis", ["linear", "log", "even"])
def test_summaries_stand_at_their_steps_with_their_intervals(axis: str) -> None:
    figure = steps_figure(VIEWS, "auc", axis=axis)
    points = of_items(figure)[0]
    assert list(points.customdata) == ORDER
    assert list(points.x) == ([0, 1, 2] if axis == "even" else [10, 200, 4000])
    assert list(points.y) == [BY_NAME[name].summaries["auc"] for name in ORDER]
    ends = [BY_NAME[name].intervals["auc"] for name in ORDER]
    np.testing.assert_allclose(
        np.subtract(points.y, points.error_y.arrayminus), [low for low, _ in ends]
    )
    np.testing.assert_allclose(np.add(points.y, points.error_y.array), [high for _, high in ends])
    ribbon = figure.data[0]
    outline = [*(low for low, _ in ends), *(high for _, high in reversed(ends))]
    np.testing.assert_allclose([y for y in ribbon.y if y is not None], outline)
    low, high = figure.layout.yaxis.range
    assert low <= min(outline) < max(outline) <= high
    first, last = figure.layout.xaxis.range
    xs = [math.log10(x) for x in points.x] if axis == "log" else points.x
    assert first < min(xs) < max(xs) < last


def test_what_has_no_interval_yet_breaks_the_ribbon_only() -> None:
    views = [view(str(step), step, 0.1 * step, known=step != 3) for step in (1, 2, 3, 4, 5)]
    ribbon, line, points = steps_figure(views, "auc").data
    assert [x for x in ribbon.x if x is not None] == [1, 2, 2, 1, 4, 5, 5, 4]
    assert len(line.x) == len(points.x) == 5
    assert points.error_y.array[2] == points.error_y.arrayminus[2] == 0


def test_points_of_one_step_are_not_joined() -> None:
    twice = [view("a", 1.0, 0.2), view("b", 1.0, 0.4), view("c", 2.0, 0.5)]
    assert len(steps_figure(twice, "auc").data) == 1
    assert len(checkpoint_trade_figure(twice).data[1].x or ()) == 0


def test_the_trade_off_is_recall_across_precision_up_joined_by_step() -> None:
    figure = checkpoint_trade_figure(VIEWS)
    diagonal, path, points = figure.data
    layout = figure.layout
    assert diagonal.x == diagonal.y == layout.xaxis.range == layout.yaxis.range
    assert list(points.customdata) == ORDER
    ordered = [BY_NAME[name].summaries for name in ORDER]
    assert list(points.x) == list(path.x) == [each["f8_recall"] for each in ordered]
    assert list(points.y) == list(path.y) == [each["f8_precision"] for each in ordered]
    with_ceiling = checkpoint_trade_figure(VIEWS, ceiling=(0.99, 0.98))
    (corner,) = (trace for trace in with_ceiling.data if trace.line.dash == "dash")
    assert (corner.x[1], corner.y[1]) == (0.99, 0.98)


def test_names_stand_only_where_there_is_room() -> None:
    apart = np.array([[0.1, 0.1], [0.5, 0.5], [0.9, 0.9]])
    three = ["first", "second", "third"]
    assert placed_names(three, apart, (0, 1))[0] == three
    heap = np.full((30, 2), 0.5) + np.arange(60).reshape(30, 2) * 1e-4
    many = [f"checkpoint-{i:05d}" for i in range(30)]
    written = [text for text in placed_names(many, heap, (0, 1))[0] if text]
    assert 1 <= len(written) <= 6
    assert "checkpoint-00000" in written


def test_no_line_crosses_a_name_beside_a_point() -> None:
    middle = np.array([[0.5, 0.5]])
    right = np.array([[0.6, 0.0], [0.6, 1.0]])
    level = np.array([[0.0, 0.5], [1.0, 0.5]])
    sides = [
        placed_names(["step 1"], middle, (0, 1), lines=lines)
        for lines in ([], [right], [level], [right, level], [right, 1 - right, level])
    ]
    assert [side for _, (side,) in sides[:4]] == [
        "middle right",
        "middle left",
        "top center",
        "top center",
    ]
    assert sides[4][0] == ["step 1"]
    # the corner of the ceiling and the way along the steps
    high = [view(f"checkpoint {i}", float(i), 0.8 + 0.02 * i) for i in range(3)]
    summaries = high[1].summaries
    corner = (summaries["f8_recall"] + 0.01, summaries["f8_precision"] + 0.01)
    points = checkpoint_trade_figure(high, ceiling=corner).data[-1]
    assert "middle right" not in [
        side for text, side in zip(points.text, points.textposition, strict=True) if text
    ]


def test_the_name_of_the_ceiling_lies_on_no_curve() -> None:
    near = [view("step 1", 1.0, 0.97), view("step 2", 2.0, 0.99)]
    ceiling = PRCurve.from_error_rates([0.0, 0.005, 0.01], [0.01, 0.005, 0.0])
    for views in (VIEWS, near):
        figure = checkpoints_figure(views, focus={"step 2": "#0072B2"}, ceiling=ceiling)
        assert not figure.layout.annotations
        (name,) = [each for each in figure.data if (each.text or [""])[-1] == f"<b>{CEILING}</b>"]
        assert name.meta is None
        assert min(pixels_between(name, each.curve) for each in views) > 0


def test_foreign_names_are_words_and_never_markup() -> None:
    figures = [
        checkpoints_figure(VIEWS),
        *checkpoint_panels(VIEWS, [EVIL]),
        steps_figure(VIEWS, "auc"),
        checkpoint_trade_figure(VIEWS),
    ]
    for figure in figures:
        content = json.loads(figure.to_json())
        for trace in content["data"]:
            # a front end compares them, and shows them to nobody
            for unread in ("meta", "customdata"):
                trace.pop(unread, None)
        text = json.dumps(content, ensure_ascii=False)
        assert not [tag for tag in ("<a ", "%{x} ", "$y$") if tag in text]


def test_a_usual_name_is_whole_and_a_long_one_keeps_its_end() -> None:
    assert short_name("run-a-step-016000") == "run-a-step-016000"
    assert short_name("stylegan3-config-t-step030000") == "…nfig-t-step030000"
