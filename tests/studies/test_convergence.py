"""Errors over dimension and samples: against exact power laws."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import prviz
from prviz.measure.estimates import estimate_repeated
from prviz.studies.convergence import fitted_slope, rate_exponent


def test_the_exponents_are_the_theorem_s() -> None:
    assert [rate_exponent(d) for d in (1, 2, 64)] == [-1 / 3, -1 / 4, -1 / 66]
    with pytest.raises(ValueError, match="d = 0"):
        rate_exponent(0)


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


def test_more_dimensions_make_every_family_err_more_with_the_same_truth() -> None:
    low, high = (prviz.toy("high-dimension", d=d, shift=2.0) for d in (4, 1024))
    assert np.array_equal(low.truth().vertices, high.truth().vertices)
    near, far = (
        estimate_repeated(partial(problem.sample, 150), repeats=2) for problem in (low, high)
    )
    truth = low.truth()
    for method, runs in far.items():
        ious = [np.mean([run.curve.iou(truth) for run in each]) for each in (near[method], runs)]
        assert ious[1] < ious[0] - 0.2
        excess, deficit = np.mean([run.curve.compare(truth)[1:] for run in runs], axis=0)
        assert excess > deficit  # two equal distributions, they seem
