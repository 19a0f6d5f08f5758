"""The figure of one sweep of a check: by its traces, its ranges and its legend."""

from __future__ import annotations

import math

import pytest

from prviz.figures.battery import AllowedRange, SweepPoint, check_figure

X = [1.0, 2.0, 4.0]
MEAN = [0.9, 0.5, 0.1]
SPREAD = [0.05, 0.1, math.nan]
MEASURED = list(map(SweepPoint, X, MEAN, SPREAD))
TRUTH = [(1.0, 1.0), (2.0, 0.5), (4.0, 0.0)]
ASKED = (
    AllowedRange(place=(1.0, 1.0), low=0.95, high=1.05, text="1 at the left end", met=False),
    AllowedRange(place=(4.0, 4.0), low=-math.inf, high=0.2, text="<b>low</b>", met=True),
    AllowedRange(place=(1.0, 4.0), low=0.0, high=0.05, text="the same", met=False),
)


def test_mean_spread_truth_and_thresholds_are_drawn() -> None:
    figure = check_figure(MEASURED, TRUTH, ASKED, name="I-Prec", x_title="shift")
    one, low, same, spread, truth, mean = figure.data
    assert (list(one.x), list(one.y)) == ([1.0, 1.0], [0.95, 1.05])
    bottom, top = figure.layout.yaxis.range
    assert list(low.y) == [bottom, 0.2]
    assert low.hovertext == "&lt;b&gt;low&lt;/b&gt;: met"
    assert (set(same.x), set(same.y), same.fill) == ({1.0, 4.0}, {0.0, 0.05}, "toself")
    assert [trace.name for trace in figure.data if trace.showlegend is not False] == [
        "asked for, missed",
        "asked for, met",
        "± spread over repeats",
        "the truth, read alike",
        "I-Prec",
    ]
    # there and back; one repeat has no spread
    assert list(spread.y) == pytest.approx([0.95, 0.6, 0.4, 0.85])
    assert list(zip(truth.x, truth.y, strict=True)) == TRUTH
    assert truth.line.dash == "dash"
    assert (list(mean.x), list(mean.y)) == (X, MEAN)
    assert bottom < -0.05
    assert top > 1.05


def test_before_anything_is_measured_the_truth_stands_alone() -> None:
    figure = check_figure([], TRUTH, name="I-Prec", x_title="s", log_x=True)
    truth, mean = figure.data
    assert list(truth.x) == X
    assert not mean.x
    assert figure.layout.xaxis.type == "log"


def test_a_logarithmic_axis_without_a_place_for_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="positive"):
        check_figure([SweepPoint(0, 1, 0.1)], [(0, 1)], name="I-Prec", x_title="s", log_x=True)


def test_values_beyond_one_are_in_sight() -> None:
    high = list(map(SweepPoint, X, [1.4, 0.5, -0.3], SPREAD))
    figure = check_figure(high, TRUTH, name="Density", x_title="s")
    bottom, top = figure.layout.yaxis.range
    assert bottom < -0.3
    assert top > 1.4
