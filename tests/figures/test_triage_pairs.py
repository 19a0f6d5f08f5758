"""Figures of two checkpoints: where everything stands, what marks it, and foreign names."""

from __future__ import annotations

import numpy as np
import pytest

from prviz.curves import PRCurve
from prviz.figures.triage_pairs import pair_curves_figure, pair_difference_figure
from tests.figures.traces import by_name


def with_band(lam, difference, half):
    ends = (difference - half, difference + half)
    return pair_difference_figure(lam, difference, *ends, quantity="recall β")


def test_both_curves_of_a_pair_differ_by_more_than_colour():
    curves = PRCurve.from_error_rates([0.2], [0.3]), PRCurve.from_error_rates([0.4], [0.1])
    figure = pair_curves_figure(curves, ("x{y}", "z"))
    for trace, curve, letter in zip(figure.data, curves, "AB", strict=True):
        _, alpha, beta = curve.sample(200)
        assert trace.name.startswith(f"{letter}: ")
        assert np.array(trace.y) == pytest.approx(alpha)
        assert np.array(trace.x) == pytest.approx(beta)
    assert figure.data[0].name == "A: x&#123;y}"
    assert figure.data[0].marker.symbol != figure.data[1].marker.symbol


def test_where_the_band_leaves_out_zero_the_better_one_is_marked():
    lam = np.array([0.0, 0.5, 1.0, 2.0, np.inf])
    difference = np.array([-0.2, -0.1, 0.0, 0.1, 0.3])
    figure = with_band(lam, difference, 0.15)
    assert figure.data[2].x == pytest.approx(np.degrees(np.arctan(lam)))
    a, b = (by_name(figure)[f"{letter} is better"] for letter in "AB")
    assert a.y == (None, None, None, None, 0.3)
    assert b.y == (-0.2, None, None, None, None)
    assert (a.marker.symbol, b.marker.symbol) == ("triangle-up", "triangle-down")
    # on the other side of 0 than the curve
    notes = [(note.text, note.y) for note in figure.layout.annotations]
    assert notes == [("▲ A is better here", 0), ("▼ B is better here", 1)]
    assert figure.layout.yaxis.labelalias == {"+0": "0"}
    assert [(shape.x0, shape.x1) for shape in figure.layout.shapes] == [(90, 90), (0, 0)]
    low, high = figure.layout.yaxis.range
    assert low == -high
    assert high >= 0.45
    none = with_band(lam, difference, 1)
    assert not none.layout.annotations
    assert not none.layout.shapes
    assert not by_name(none)["A is better"].showlegend


@pytest.mark.parametrize("sign", [1, -1])
def test_no_curve_reaches_the_text_of_its_stretch(sign):
    """At the least height of the plot, where the band reaches as far as its axis allows."""
    lam = np.tan(np.linspace(0, np.pi / 2, 40))
    difference = sign * np.full(40, 0.499)
    figure = with_band(lam, difference, 0.001)
    (note,) = figure.layout.annotations
    low, high = figure.layout.yaxis.range
    pixels = 200
    text = low + np.array([0, 18]) * (high - low) / pixels
    if note.y == 1:
        text = -text[::-1]
    for trace in figure.data:
        values = np.array([value for value in trace.y if value is not None])
        assert not ((text[0] < values) & (values < text[1])).any()
