"""The truth of stand-ins: closed forms, and sampling where there is none."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from numpy.typing import NDArray

from prviz.curves.ground_truth import (
    finite_masses,
    sampled_truth,
    scaled_gaussians,
    shifted_gaussians,
)
from prviz.studies.surrogate import Density, fit_pair
from prviz.studies.surrogate.densities import mixed
from prviz.studies.surrogate.problems import density_truth, sampled_log_ratios
from tests.studies.test_surrogate import correlated

Floats = NDArray[np.float64]


def gaussian(mean: Floats, covariance: Floats) -> Density:
    return Density(np.ones(1), mean[None], covariance[None])


def test_equal_covariances_have_the_closed_form() -> None:
    stand_in = fit_pair(correlated(300, 5, 0), correlated(300, 5, 0, 0.4), d=5)
    assert stand_in.real.covariances[0] == pytest.approx(stand_in.generated.covariances[0])
    gap = stand_in.generated.means[0] - stand_in.real.means[0]
    distance = float(np.sqrt(gap @ np.linalg.solve(stand_in.real.covariances[0], gap)))
    problem = stand_in.problem()
    assert problem.truth_error <= 1e-6
    assert problem.truth().iou(shifted_gaussians(distance)) == pytest.approx(1, abs=1e-9)


def test_a_set_against_itself_has_the_full_square() -> None:
    stand_in = fit_pair(correlated(300, 3, 0), correlated(300, 3, 1), d=2)
    for scenario in ("real-real", "generated-generated"):
        problem = stand_in.problem(scenario)  # type: ignore[arg-type]
        assert problem.truth().auc == finite_masses([1], [1]).auc == 1
        assert problem.truth_error == 0


def test_sampled_truths_meet_the_closed_forms() -> None:
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((4, 4)))[0]
    covariance = turn @ np.diag([4.0, 1.0, 0.5, 0.1]) @ turn.T
    shift = 0.7 * turn @ np.array([2.0, 0, 0, 0])  # 0.7 standard deviations
    real = gaussian(np.zeros(4), covariance)
    for generated, exact in (
        (gaussian(shift, 0.49 * covariance), scaled_gaussians(0.7, 4, distance=0.7)),
        (gaussian(np.zeros(4), 2.25 * covariance), scaled_gaussians(1.5, 4)),
    ):
        truth = density_truth(real, generated)
        assert 1e-5 <= truth.auc_error < 4e-3
        assert abs(truth.curve.auc - exact.auc) < 5 * truth.auc_error
        assert truth.curve.iou(exact) > 0.99
    # One Gaussian written as two components goes another way.
    twice = Density(np.full(2, 0.5), np.stack([shift] * 2), np.stack([covariance] * 2))
    truth = density_truth(real, twice)
    assert abs(truth.curve.auc - shifted_gaussians(0.7).auc) < 5 * truth.auc_error


def test_the_quick_way_agrees_with_sampling_the_densities() -> None:
    stand_in = fit_pair(
        correlated(200, 5, 0), correlated(200, 5, 1) * np.linspace(0.5, 1.5, 5), d=5
    )
    quick = density_truth(stand_in.real, stand_in.generated)
    slow = sampled_truth(
        lambda n, seed: sampled_log_ratios(stand_in.real, stand_in.generated, n, seed), n=50_000
    )
    assert abs(quick.curve.auc - slow.curve.auc) < 5 * (quick.auc_error + slow.auc_error)
    assert density_truth(stand_in.real, stand_in.generated) is quick  # remembered


def test_a_common_part_bounds_the_curve_from_below() -> None:
    """P - Q is half of what it is without the common part; far apart, the curve is the square
    through (1/2, 1/2).
    """
    stand_in = fit_pair(
        correlated(300, 3, 0), correlated(300, 3, 1, 30.0), d=3, shared=correlated(300, 3, 2, -30.0)
    )
    truth = stand_in.problem("common").truth()
    assert truth.auc == pytest.approx(0.25, abs=0.01)
    assert truth.total_variation == pytest.approx(0.5, abs=0.01)
    near = fit_pair(correlated(300, 3, 0), correlated(300, 3, 1, 0.8), d=3)
    whole, half = (
        near.problem(scenario).truth().total_variation for scenario in ("pair", "common")
    )  # type: ignore[arg-type]
    assert half == pytest.approx(whole / 2, abs=0.01)


def test_truths_are_sampled_in_little_memory() -> None:
    real = gaussian(np.zeros(400), np.eye(400))
    generated = mixed(real, gaussian(np.full(400, 0.05), 1.1 * np.eye(400)), 0.5)
    tracemalloc.start()
    try:
        density_truth(real, generated, 30_000)
        assert tracemalloc.get_traced_memory()[1] < 20e6  # one set of samples takes 96 MB
    finally:
        tracemalloc.stop()
