"""Densities and what they share, and the views of error space that the lessons add."""

from __future__ import annotations

import numpy as np
import pytest

from prviz.curves import PRCurve
from prviz.figures import densities_figure, error_space_figure, errors_figure, overlap_figure

CURVES = {"knn": PRCurve.from_error_rates([0.05, 0.3], [0.5, 0.1])}


@pytest.mark.parametrize(("view", "x", "y"), [("roc", 0, 1), ("collapse", 1, 0)])
def test_two_more_views_turn_one_axis_over(view: str, x: int, y: int) -> None:
    trace = error_space_figure(CURVES, view=view).data[0]
    np.testing.assert_array_equal(trace.x, CURVES["knn"].vertices[:, x])
    np.testing.assert_array_equal(trace.y, 1 - CURVES["knn"].vertices[:, y])
    assert (trace.x[np.argmax(trace.y)], max(trace.y)) == (max(trace.x), 1)


X = np.linspace(-4, 4, 33)
P, Q = np.exp(-0.5 * X**2), np.exp(-0.5 * (X - 1) ** 2)


def test_the_overlap_of_two_densities_is_drawn_below_both() -> None:
    for side, first, second in (("precision", 2 * P, Q), ("recall", P, Q / 2)):
        area, real, generated = overlap_figure(X, P, Q, lam=2, side=side).data
        np.testing.assert_array_equal(area.y, np.minimum(first, second))
        np.testing.assert_array_equal([real.y, generated.y], [first, second])
        assert side in area.name


def test_the_errors_lie_under_the_density_that_is_misjudged() -> None:
    missed, passed, real, generated = errors_figure(X, P, Q, lam=1).data
    np.testing.assert_array_equal(missed.y, np.where(Q > P, P, 0))
    np.testing.assert_array_equal(passed.y, np.where(Q > P, 0, Q))
    np.testing.assert_array_equal([real.y, generated.y], [P, Q])
    np.testing.assert_array_equal([line.y for line in densities_figure(X, P, Q).data], [P, Q])


@pytest.mark.parametrize("lam", [0.0, np.inf, np.nan])
def test_a_density_can_not_be_scaled_by_any_number(lam: float) -> None:
    with pytest.raises(ValueError, match=r"lam = .*; a positive finite number"):
        overlap_figure(X, P, Q, lam=lam, side="recall")
    with pytest.raises(ValueError, match="three lists of the same length"):
        errors_figure(X, P[1:], Q, lam=1)
