"""Failures of generators, the marks on their curves, and different failures with the same summary."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from prviz.curves import PRCurve
from prviz.curves.summaries import NOWHERE, SUMMARIES, f_point, summary_points
from prviz.figures import RIVAL_COLORS, gap_bars, gaps_figure, numbers_figure, rival_paths, rival_traces
from prviz.toys.failures import FAILURES, matched

NUMBERS = {summary.key: summary.of for summary in SUMMARIES}
KEYS = ("auc", "f8_precision", "f8_recall", "median_precision", "median_recall", "alpha_at_005")
RATES = st.floats(0, 1).map(lambda rate: round(rate, 3))


def weighted_mean(alpha: float, beta: float, leaning: str) -> float:
    first, second = (alpha, beta) if leaning == "precision" else (beta, alpha)
    return 65.0 / (64.0 / first + 1.0 / second)


@given(st.lists(st.tuples(RATES, RATES), max_size=6))
def test_the_marks_are_points_of_the_curve_that_have_its_numbers(points: list[tuple[float, float]]) -> None:
    curve = PRCurve.from_error_rates([f for f, _ in points], [n for _, n in points])
    found = summary_points(curve)
    for point in found:
        if not math.isnan(point.lam):
            assert point.alpha == pytest.approx(curve.alpha(point.lam), abs=1e-9)
            assert point.beta == pytest.approx(curve.beta(point.lam), abs=1e-9)
    if curve.auc == 0:
        assert found.median is found.f8_precision is NOWHERE
        return
    for leaning, point in (("precision", found.f8_precision), ("recall", found.f8_recall)):
        assert weighted_mean(point.alpha, point.beta, leaning) == pytest.approx(curve.f_score(8, leaning=leaning))
    assert (found.median.alpha, found.median.beta) == (curve.median.alpha, curve.median.beta)
    assert math.isnan(found.alpha_at_005.lam) == (curve.extreme_recall < 0.05)


def test_the_f_point_is_the_best_of_all_points() -> None:
    curve = FAILURES["shrink"].curve(0.4)
    lams = np.tan(np.linspace(0.0001, math.pi / 2 - 0.0001, 4001))
    for leaning in ("precision", "recall"):
        best = max(weighted_mean(curve.alpha(lam), curve.beta(lam), leaning) for lam in lams)
        at = f_point(curve, 8.0, leaning=leaning)
        assert weighted_mean(at.alpha, at.beta, leaning) == pytest.approx(best, abs=5e-5)
        assert weighted_mean(at.alpha, at.beta, leaning) >= best - 1e-12


def test_the_failures_have_the_curves_of_their_names() -> None:
    drop, invent = FAILURES["drop"].curve(0.4), FAILURES["invent"].curve(0.4)
    assert (drop.extreme_precision, drop.extreme_recall) == pytest.approx((1.0, 0.6))
    assert (invent.extreme_precision, invent.extreme_recall) == pytest.approx((0.6, 1.0))
    assert drop.auc == pytest.approx(invent.auc) == pytest.approx(0.6)
    assert FAILURES["reweight"].curve(0.8).alpha(1.0) == pytest.approx(0.7)
    assert FAILURES["shift"].curve(1.5).alpha(1.0) == pytest.approx(2 * norm.cdf(-0.75), abs=1e-6)
    narrow, wide = FAILURES["shrink"].curve(0.5), FAILURES["widen"].curve(2.0)
    assert narrow.auc == pytest.approx(wide.auc, abs=1e-6)  # each other's mirror
    assert narrow.median.beta == pytest.approx(wide.median.alpha, abs=1e-4)
    for failure in FAILURES.values():
        stops = failure.stops()
        assert (stops[0], stops[-1]) == (failure.mild, failure.severe)
        assert failure.curve(stops[0]).auc == pytest.approx(1.0)
        assert failure.curve(stops[-1]).auc < 0.6
        with pytest.raises(ValueError, match=f"strength = 99.*{failure.name} needs a number from"):
            failure.curve(99.0)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("name", list(FAILURES))
def test_a_match_is_as_near_as_any_strength_comes(name: str, key: str) -> None:
    failure, number = FAILURES[name], NUMBERS[key]
    target = number(FAILURES["drop"].curve(0.44))
    gaps = [number(failure.curve(stop)) - target for stop in failure.stops()]
    found = matched(failure, number, target)
    gap = abs(number(failure.curve(found)) - target)
    assert gap <= min(map(abs, gaps)) + 1e-9
    if min(gaps) < 0 < max(gaps):
        assert gap < 2e-6


def test_a_match_can_be_checked_by_hand() -> None:
    assert matched(FAILURES["invent"], NUMBERS["auc"], 0.37) == pytest.approx(0.63)
    alone = matched(FAILURES["shift"], lambda curve: curve.alpha(1.0), 0.4)
    assert alone == pytest.approx(-2 * norm.ppf(0.2), abs=1e-5)
    assert (
        matched(FAILURES["drop"], NUMBERS["alpha_at_005"], 0.3) == FAILURES["drop"].mild
    )  # it stays 1: none is nearer


def test_the_figure_draws_every_number_where_it_sits() -> None:
    curves = {"A": FAILURES["drop"].curve(0.4), "<b>B</b>": FAILURES["shift"].curve(1.0)}
    figure = numbers_figure(curves)
    assert len(figure.data) == 1 + 12
    assert list(figure.data[0].x) == [0.05, 0.05]
    for index, curve in enumerate(curves.values()):
        area, ray, *marks = (figure.data[place] for place in rival_traces(index))
        assert (area.fill, area.line.color) == ("tozeroy", RIVAL_COLORS[index])
        assert (area.x[0], area.y[-1]) == pytest.approx((curve.extreme_recall, curve.extreme_precision), abs=1e-4)
        shoelace = abs(np.trapezoid(area.y, area.x))
        assert shoelace == pytest.approx(curve.auc, abs=2e-3)
        assert (ray.x[0], ray.y[0]) == (0, 0)
        assert (ray.x[1], ray.y[1]) == pytest.approx((curve.median.beta, curve.median.alpha), abs=1e-4)
        for trace, point in zip(marks, summary_points(curve), strict=True):
            assert (trace.x[0], trace.y[0]) == pytest.approx((point.beta, point.alpha), abs=1e-4)
        labels = [trace.name.split(": ")[1] for trace in marks]
        assert labels == ["F8, leaning to precision", "F8, leaning to recall", "PR median", "α@0.05"]
    assert "<b>" not in figure.data[rival_traces(1)[0]].name
    with pytest.raises(ValueError, match="3 curves; at most 2"):
        numbers_figure({**curves, "C": curves["A"]})


def test_a_curve_without_area_has_no_marks() -> None:
    disjoint = PRCurve.from_error_rates([0.0], [0.0])
    _, ray, *marks = rival_paths(disjoint)
    assert ray == {"x": [None, None], "y": [None, None]}
    assert marks == [{"x": [None], "y": [None]}] * 4


def test_gaps_point_to_the_larger_side() -> None:
    figure = gaps_figure({"AuC": 0.25, "α@0.05": -0.5}, ("A", "B"))
    assert [list(trace.x) for trace in figure.data] == [[0.25, 0.0], [0.0, -0.5]] == list(gap_bars([0.25, -0.5]))
    assert list(figure.layout.yaxis.ticktext) == ["AuC", "α@0.05"]
    assert [trace.marker.color for trace in figure.data] == list(RIVAL_COLORS)
