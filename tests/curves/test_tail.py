"""Where a curve first leaves the truth: hand-made cases, and a dense grid as the slow twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from prviz.curves import PRCurve
from prviz.curves.summaries import first_difference, first_differences
from prviz.measure.estimates import pr_curve
from prviz.toys import toy

HALF = PRCurve.from_error_rates([0.0], [0.5])  # alpha = min(lam, 0.5)
EQUAL = PRCurve.from_error_rates([], [])  # alpha = min(lam, 1)


def on_a_grid(curve: PRCurve, truth: PRCurve, by: float) -> float | None:
    """Last lam of a grid before the precisions differ by more than the margin."""
    lams = np.geomspace(1e-4, 1e4, 200_001)
    beyond = np.flatnonzero(np.abs(curve.alpha(lams) - truth.alpha(lams)) > by)
    return float(lams[max(beyond[0] - 1, 0)]) if len(beyond) else None


def test_a_gap_of_just_the_margin_is_kept_on_either_side_of_a_rounding() -> None:
    """Rates are often exact fractions; processors differ in their last bits, and pages get nine
    digits.
    """
    for nudge in (-1e-9, 0.0, 1e-9):
        near = PRCurve.from_error_rates([0.0, 0.5], [0.5 + nudge, 0.0])
        assert first_difference(near, EQUAL, 0.5) is None


def test_lines_that_part_do_so_where_the_division_says() -> None:
    assert first_difference(HALF, EQUAL) == pytest.approx(0.55, abs=1e-15)
    assert first_difference(EQUAL, HALF, 0.2) == pytest.approx(0.7, abs=1e-15)
    # beta of HALF is min(1, 0.5 / lam), of EQUAL min(1, 1 / lam): from above they part where 0.5 /
    # lam is 0.05
    assert first_differences(HALF, EQUAL) == pytest.approx((0.55, 10.0))


def test_a_margin_that_is_reached_but_not_passed_is_no_difference() -> None:
    assert first_difference(HALF, EQUAL, 0.5) is None
    assert first_differences(HALF, HALF) == (None, None)


def test_a_curve_without_area_differs_where_the_other_has_grown_to_the_margin() -> None:
    nothing = PRCurve.from_error_rates([0.0], [0.0])
    assert first_differences(nothing, EQUAL) == pytest.approx((0.05, 20.0))


@pytest.mark.parametrize("by", [0.0, 1.0, -0.1, float("nan")])
def test_another_margin_is_refused(by: float) -> None:
    with pytest.raises(ValueError, match=r"by = .*between 0 and 1"):
        first_difference(HALF, EQUAL, by)


rates = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=8)


# Margins are no multiples of 1/20: at a plateau of the same height rounding would decide.
@pytest.mark.exhaustive
@given(rates, rates, st.sampled_from([0.021, 0.047, 0.13]))
def test_it_is_what_a_dense_grid_finds(first: list, second: list, by: float) -> None:
    curve, truth = (
        PRCurve.from_error_rates([f / 20 for f, _ in some], [n / 20 for _, n in some])
        for some in (first, second)
    )
    found = first_differences(curve, truth, by)
    expected = on_a_grid(curve, truth, by)
    margin = float(
        np.abs(curve.alpha(found.precision or 0.0) - truth.alpha(found.precision or 0.0))
    )
    if found.precision is None:
        assert expected is None
    else:
        assert margin == pytest.approx(by, abs=1e-12)
        # The grid may step over a piece of the curve that is off for less than a step, never the
        # other way round.
        assert expected is None or found.precision <= expected * 1.0001
        beyond = np.linspace(0, found.precision, 1001)
        assert np.abs(curve.alpha(beyond) - truth.alpha(beyond)).max() <= by + 1e-12
        just = found.precision * (1 + 1e-7)
        assert abs(curve.alpha(just) - truth.alpha(just)) > by
    mirrored = first_differences(curve.mirrored(), truth.mirrored(), by)
    assert (mirrored.precision is None) == (found.recall is None)
    if found.recall is not None:
        assert found.recall * (mirrored.precision or 0.0) == pytest.approx(1.0)


@pytest.mark.parametrize("method", ["knn", "ipr"])
def test_of_a_measured_curve_and_a_smooth_truth(method: str) -> None:
    problem = toy("shifted-gaussians", d=16)
    curve = pr_curve(*problem.sample(400, 0), method=method, k=4)
    truth = problem.truth()
    found = first_difference(curve, truth)
    expected = on_a_grid(curve, truth, 0.05)
    assert found is not None
    assert expected == pytest.approx(found, rel=1e-4)
