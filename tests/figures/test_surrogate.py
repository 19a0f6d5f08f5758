"""Figures of settings on data of known truth: errors of the area, and lines over k or d per family
and split.
"""

from __future__ import annotations

import math

import plotly.graph_objects as go
import pytest

from prviz.figures import (
    FAMILY_COLORS,
    SettingError,
    SettingLine,
    error_intervals,
    setting_lines_figure,
)

ERRORS = [
    SettingError("knn", "k = √n, no split", 0.1, 0.05, 0.15, "best"),
    SettingError("ipr", "k = 5, split 50 %", -0.3, -0.4, -0.2, "avoid"),
    SettingError("knn", "<i>k</i> = 5", math.nan, math.nan, math.nan),
]
LINES = [
    SettingLine("knn", 0.5, [5, 42], [0.8, 0.9], [0.01, 0.02]),
    SettingLine("knn", None, [5, 42], [0.6, 0.95], [0.01, 0.1]),
    SettingLine("classifier", 0.5, [], [0.7], [0.03]),
]


def drawn(line: SettingLine) -> go.Figure:
    return setting_lines_figure([line], xlabel="k", ylabel="IoU")


def test_errors_have_their_interval_the_family_s_colour_and_a_mark_of_shape_too() -> None:
    figure = error_intervals(ERRORS)
    assert [trace.x[0] for trace in figure.data[:2]] == [0.1, -0.3]
    best, avoid, _ = figure.data
    assert (best.error_x.arrayminus[0], avoid.error_x.array[0]) == pytest.approx((0.05, 0.1))
    assert [trace.marker.symbol for trace in figure.data] == ["star", "x", "circle"]
    assert [trace.marker.color for trace in figure.data] == [
        FAMILY_COLORS[each.method] for each in ERRORS
    ]
    assert figure.layout.yaxis.ticktext[2] == "<b>kNN</b> &lt;i&gt;k&lt;/i&gt; = 5"
    assert figure.layout.xaxis.range[1] >= 0.4
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]  # the first on top


def test_lines_say_the_split_by_their_marks_and_are_never_dashed() -> None:
    figure = setting_lines_figure(LINES, xlabel="neighbours k", ylabel="IoU", top=1.0)
    split, whole, alone = figure.data
    assert [trace.marker.symbol for trace in (split, whole)] == ["circle", "circle-open"]
    assert split.line.color == whole.line.color == FAMILY_COLORS["knn"]
    assert split.name == "kNN, split 50 %"
    assert whole.name == "kNN, no split"
    assert not any(trace.line.dash for trace in figure.data)
    assert list(whole.error_y.array) == [0.01, 0.1]
    assert (list(alone.x), list(alone.y)) == ([5, 42], [0.7, 0.7])  # k means nothing to it
    assert figure.layout.xaxis.type == "log"
    assert list(figure.layout.xaxis.tickvals) == [5, 42]
    assert list(figure.layout.yaxis.range) == [0, 1.02]


def test_the_axis_holds_every_bar_and_labels_keep_apart() -> None:
    small = SettingLine("knn", None, [5, 42], [0.04, 0.09], [0.01, 0.05])
    assert drawn(small).layout.yaxis.range[1] >= 0.09 + 0.05
    many = drawn(SettingLine("knn", None, [50, 55, 70], [0.1] * 3, [0] * 3))
    assert list(many.layout.xaxis.ticktext) == ["50", "70"]
    assert list(many.data[0].x) == [50, 55, 70]


def test_values_that_do_not_belong_together_are_refused() -> None:
    for xs, message in (
        ([1, 2], "kNN, no split: 2 values of x and 1 of y"),
        ([0], "needs positive values"),
    ):
        with pytest.raises(ValueError, match=message):
            drawn(SettingLine("knn", None, xs, [0.5], [0.1]))
