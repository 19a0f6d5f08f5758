"""Errors over dimension and samples: against the obvious loop, and against exact power laws."""

from __future__ import annotations

import numpy as np
import pytest

import prviz
from prviz.measure.estimates import mean_radius
from prviz.studies.convergence import (
    convergence,
    factor_to_gain,
    fitted_slope,
    measured,
    rate_exponent,
    shrunk_bandwidth,
)

PROBLEM = prviz.toy("high-dimension", d=3, shift=2.0)
METHODS = ("knn", "kde")


def test_the_exponents_are_the_theorem_s() -> None:
    assert [rate_exponent(d) for d in (1, 2, 64)] == [-1 / 3, -1 / 4, -1 / 66]
    assert [factor_to_gain(rate_exponent(d)) for d in (1, 2, 8)] == pytest.approx(
        [8.0, 16.0, 1024.0]
    )
    assert factor_to_gain(-0.5, gain=10.0) == pytest.approx(100.0)
    assert (
        factor_to_gain(0.0)
        == factor_to_gain(0.3)
        == factor_to_gain(rate_exponent(2048))
        == float("inf")
    )
    assert shrunk_bandwidth(3.0, 50, first=50, d=2) == 3.0
    assert shrunk_bandwidth(3.0, 800, first=50, d=2) == pytest.approx(1.5)
    with pytest.raises(ValueError, match="d = 0"):
        rate_exponent(0)
    with pytest.raises(ValueError, match="gain = 1"):
        factor_to_gain(-0.5, gain=1.0)


def test_a_power_law_has_its_exponent_and_no_error() -> None:
    sizes = [50, 100, 400, 1600]
    slope = fitted_slope(sizes, [3.0 * n**-0.4 for n in sizes])
    assert slope.value == pytest.approx(-0.4)
    assert slope.error == pytest.approx(0.0, abs=1e-9)


def test_the_slope_is_least_squares() -> None:
    rng = np.random.default_rng(0)
    sizes = [50, 100, 200, 400, 800]
    errors = np.exp(rng.normal(size=5))
    line, covariance = np.polyfit(np.log(sizes), np.log(errors), 1, cov=True)
    assert fitted_slope(sizes, errors) == pytest.approx((line[0], np.sqrt(covariance[0, 0])))
    assert np.isnan(fitted_slope(sizes[:2], errors[:2]).error)
    for xs, ys in (([1, 2], [0.0, 1.0]), ([2, 2], [1.0, 1.0]), ([1, 2], [1.0]), ([1], [1.0])):
        with pytest.raises(ValueError, match="one positive error for each size"):
            fitted_slope(xs, ys)


def test_measured_is_the_obvious_loop() -> None:
    found = measured(PROBLEM, METHODS, n=60, repeats=3, seed=5, lam=2.0)
    truth = PROBLEM.truth()
    for method in METHODS:
        curves = [
            prviz.pr_curve(*PROBLEM.sample(60, seed), method, seed=seed) for seed in (5, 6, 7)
        ]
        compared = np.mean([curve.compare(truth) for curve in curves], axis=0)
        assert found.comparisons[method] == pytest.approx(compared)
        assert sum(found.comparisons[method]) == pytest.approx(1.0)
        assert found.errors[method] == pytest.approx(
            np.mean([abs(curve.alpha(2.0) - truth.alpha(2.0)) for curve in curves])
        )
        assert found.curves[method].alpha(0.7) == pytest.approx(
            np.mean([curve.alpha(0.7) for curve in curves])
        )


def test_convergence_is_measured_at_every_size_with_the_theorem_s_radius() -> None:
    told: list[float] = []
    found = convergence(PROBLEM, (40, 90), METHODS, repeats=2, seed=1, progress=told.append)
    unit = mean_radius(PROBLEM.sample(40, 1), seed=1)
    for place, (n, seed) in enumerate(((40, 1), (90, 10_001))):
        width = unit * (n / 40) ** (-1 / 5)
        alone = measured(PROBLEM, METHODS, n=n, repeats=2, seed=seed, bandwidth=width)
        assert [found.errors[method][place] for method in METHODS] == [
            alone.errors[method] for method in METHODS
        ]
    assert (found.d, found.sizes) == (3, (40, 90))
    assert found.slope("kde") == pytest.approx(
        fitted_slope((40, 90), found.errors["kde"]), nan_ok=True
    )
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1.0)
    for sizes in ((40,), (90, 40)):
        with pytest.raises(ValueError, match="increasing"):
            convergence(PROBLEM, sizes, METHODS, repeats=1)


def test_more_dimensions_make_every_family_err_more_with_the_same_truth() -> None:
    low, high = (prviz.toy("high-dimension", d=d, shift=2.0) for d in (4, 1024))
    assert np.array_equal(low.truth().vertices, high.truth().vertices)
    near, far = (measured(problem, n=150, repeats=2).comparisons for problem in (low, high))
    for method in near:
        assert far[method].iou < near[method].iou - 0.2
        assert far[method].excess > far[method].deficit  # two equal distributions, they seem
