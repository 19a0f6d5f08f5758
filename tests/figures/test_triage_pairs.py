"""Figures of the ranking and of two checkpoints: where everything stands, what marks it, and foreign names."""

from __future__ import annotations

import numpy as np
import pytest

from prviz.curves import PRCurve
from prviz.figures.triage_pairs import pair_curves_figure, pair_difference_figure
from prviz.figures.triage_ranking import RankedLine, ranking_figure, sides_figure

LINES = [
    RankedLine("a<b>", 0.7, 0.65, 0.72, True, True, 0.8, 0.6),
    RankedLine("b", 0.65, 0.66, 0.7, True, True, 0.5, 0.8),  # the interval need not hold the score
    RankedLine("c" * 40, 0.3, 0.2, 0.4, False, False, 0.3, 0.3),
]


def named(figure, name):
    return next(trace for trace in figure.data if trace.name == name)


def test_the_ranking_has_a_row_for_each_with_a_whisker_from_low_to_high():
    figure = ranking_figure(LINES, selected="b")
    whiskers = figure.data[0]
    assert whiskers.x == (0.65, 0.72, None, 0.66, 0.7, None, 0.2, 0.4, None)
    assert whiskers.y == (0, 0, None, 1, 1, None, 2, 2, None)
    best, tied, worse = (figure.data[place] for place in (1, 2, 3))
    assert [(each.x, each.y) for each in (best, tied, worse)] == [((0.7,), (0,)), ((0.65,), (1,)), ((0.3,), (2,))]
    assert len({each.marker.symbol for each in (best, tied, worse)}) == 3
    assert figure.layout.yaxis.ticktext[:2] == ("a&lt;b&gt;", "b")
    assert len(figure.layout.yaxis.ticktext[2]) < 30
    line, row = figure.layout.shapes
    assert (line.x0, line.x1, row.y0, row.y1) == (0.7, 0.7, 0.5, 1.5)
    assert len(ranking_figure(LINES).layout.shapes) == 1
    low, high = figure.layout.xaxis.range
    assert low < 0.2
    assert high > 0.72
    many = [RankedLine(str(place), 0.1, 0.1, 0.1, False, False, 0.1, 0.1) for place in range(40)]
    assert ranking_figure(many).layout.height > figure.layout.height


@pytest.mark.parametrize("goal", [0.0, 0.3, 0.5, 0.9, 1.0])
def test_equal_scores_lie_on_the_dashed_line_and_the_front_on_the_stairs(goal):
    figure = sides_figure(LINES, goal, selected="b")
    stairs, equal = figure.data[0], figure.data[1]
    assert (stairs.x, stairs.y, stairs.line.shape) == ((0, 0.6, 0.8, 0.8), (0.8, 0.8, 0.5, 0), "vh")
    score = (1 - goal) * 0.8 + goal * 0.6
    assert (1 - goal) * np.array(equal.y) + goal * np.array(equal.x) == pytest.approx([score, score])
    assert len({*zip(equal.x, equal.y, strict=True)}) == 2
    front, beaten = named(figure, "beaten by none"), named(figure, "beaten on both sides")
    assert [*zip(front.x, front.y, strict=True)] == [(0.6, 0.8), (0.8, 0.5)]
    assert [text.strip() for text in front.text] == ["a&lt;b&gt;", "b"]
    assert front.marker.size[1] > front.marker.size[0]
    assert (beaten.x, beaten.text) == ((0.3,), ("",))
    for value, (low, high) in ((each.recall, figure.layout.xaxis.range) for each in LINES):
        assert low < value < high


def test_names_of_neighbours_do_not_run_into_each_other():
    near = [LINES[0], LINES[0]._replace(name="b", recall=0.61, precision=0.79), LINES[2]]
    texts = [text.strip() for text in named(sides_figure(near, 0.5), "beaten by none").text]
    assert texts == ["a&lt;b&gt;", ""]
    texts = [text.strip() for text in named(sides_figure(near, 0.5, selected="b"), "beaten by none").text]
    assert texts == ["", "b"]


def test_both_curves_of_a_pair_differ_by_more_than_colour():
    curves = PRCurve.from_error_rates([0.2], [0.3]), PRCurve.from_error_rates([0.4], [0.1])
    figure = pair_curves_figure(curves, ("x{y}", "z"), points=9)
    for trace, curve, letter in zip(figure.data, curves, "AB", strict=True):
        _, alpha, beta = curve.sample(9)
        assert trace.name.startswith(f"{letter}: ")
        assert np.array(trace.y) == pytest.approx(alpha)
        assert np.array(trace.x) == pytest.approx(beta)
    assert figure.data[0].name == "A: x&#123;y}"
    assert figure.data[0].marker.symbol != figure.data[1].marker.symbol


def test_where_the_band_leaves_out_zero_the_better_one_is_marked():
    lam = np.array([0.0, 0.5, 1.0, 2.0, np.inf])
    difference = np.array([-0.2, -0.1, 0.0, 0.1, 0.3])
    figure = pair_difference_figure(lam, difference, difference - 0.15, difference + 0.15, quantity="recall β")
    assert figure.data[2].x == pytest.approx(np.degrees(np.arctan(lam)))
    a, b = named(figure, "A is better"), named(figure, "B is better")
    assert a.y == (None, None, None, None, 0.3)
    assert b.y == (-0.2, None, None, None, None)
    assert (a.marker.symbol, b.marker.symbol) == ("triangle-up", "triangle-down")
    assert [note.text for note in figure.layout.annotations] == ["▲ A is better here", "▼ B is better here"]
    assert [(shape.x0, shape.x1) for shape in figure.layout.shapes] == [(90, 90), (0, 0)]
    low, high = figure.layout.yaxis.range
    assert low == -high
    assert high >= 0.45
    none = pair_difference_figure(lam, difference, difference - 1, difference + 1, quantity="recall β")
    assert not none.layout.annotations
    assert not none.layout.shapes
    assert not named(none, "A is better").showlegend
