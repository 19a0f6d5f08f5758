"""Surrogates without a fixed shape: their density and truth, and the predictive check."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from prviz.curves.ground_truth import discrete_curve
from prviz.measure.estimates import pr_curve
from prviz.samples import SamplePair
from prviz.studies.surrogate import Prediction, fit_pair
from prviz.studies.surrogate.densities import Kernels, WeighedSamples
from prviz.studies.surrogate.predictive import (
    LEAST_INSIDE,
    MOST_SHARPENED,
    _prediction,
    areas,
    predicted,
)


def kernels(weights: list[float]) -> Kernels:
    rng = np.random.default_rng(0)
    return Kernels(np.array(weights), rng.normal(size=(3, 2)), np.array([0.5, 1.0, 2.0]))


def weighed(odds: np.ndarray, seed: int = 0, d: int = 2) -> WeighedSamples:
    rng = np.random.default_rng(seed)
    n = len(odds)
    return WeighedSamples(rng.normal(size=(n, d)), np.full(n, 1 / n), odds, np.full(n, 0.1))


def gamma(n: int, scale: float, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).gamma(2.0, scale, (n, 4))


def test_a_density_of_kernels_is_scipys() -> None:
    first = kernels([0.2, 0.3, 0.5])
    second = kernels([0.6, 0.3, 0.1])
    z = np.random.default_rng(1).normal(size=(50, 2)) * 3
    by_scipy = [
        sum(
            weight * multivariate_normal(centre, width**2).pdf(z)
            for weight, centre, width in zip(each.weights, each.centres, each.widths, strict=True)
        )
        for each in (first, second)
    ]
    np.testing.assert_allclose(first.log_density(z), np.log(by_scipy[0]), atol=1e-10)
    np.testing.assert_allclose(
        first.log_ratio(second, z), np.log(by_scipy[1] / by_scipy[0]), atol=1e-10
    )
    assert np.isfinite(first.log_density(np.full((1, 2), 1e4))).all()
    with pytest.raises(ValueError, match="3 features; the density has d = 2"):
        first.log_density(np.zeros((1, 3)))


def test_samples_of_kernels_have_their_moments() -> None:
    density = kernels([0.2, 0.3, 0.5])
    drawn = density.sample(200_000, np.random.default_rng(0))
    mean = density.weights @ density.centres
    variance = density.weights @ (density.widths[:, None] ** 2 + density.centres**2) - mean**2
    np.testing.assert_allclose(drawn.mean(axis=0), mean, atol=0.02)
    np.testing.assert_allclose(drawn.var(axis=0), variance, rtol=0.02)


def test_densities_part_every_kernel_by_the_odds() -> None:
    """P + Q is the same at every sharpness; narrow kernels have the curve of their weights."""
    samples = weighed(np.linspace(-3, 3, 40))
    for sharpness in (0.5, 2.0):
        real, generated = samples.densities(sharpness)
        np.testing.assert_allclose(real.weights + generated.weights, 2 / 40)
        np.testing.assert_allclose(
            np.log(generated.weights / real.weights), sharpness * samples.odds, atol=1e-12
        )
    narrow = WeighedSamples(samples.centres, samples.base, samples.odds, np.full(40, 1e-6))
    real, generated = narrow.densities()
    z = real.sample(20, np.random.default_rng(0))
    ratio = real.log_ratio(generated, z)
    assert np.abs(ratio[:, None] - samples.odds).min(axis=1).max() < 1e-6
    flat = weighed(np.zeros(40)).densities()
    assert flat[0].digest == flat[1].digest


def test_the_truth_of_a_surrogate_is_near_that_of_its_data() -> None:
    real = gamma(600, 1.0, 0)
    generated = gamma(600, 1.3, 1)
    surrogate = fit_pair(real, generated, d=4, fit="kernels")
    truth = surrogate.problem().truth()
    # the product of gammas has a ratio that depends on the sum of the features alone
    sums = np.random.default_rng(2).gamma(8.0, 1.0, 400_000)
    edges = np.linspace(0, 30, 600)
    own = np.histogram(sums, edges)[0] + 1e-9
    other = np.histogram(1.3 * sums, edges)[0] + 1e-9
    expected = discrete_curve(own / own.sum(), other / other.sum()).auc
    assert truth.auc == pytest.approx(expected, abs=0.1)
    assert surrogate.problem("real-real").truth().auc == 1
    assert surrogate.prediction is not None


def test_areas_are_those_of_curves() -> None:
    rng = np.random.default_rng(0)
    pair = SamplePair.of(rng.normal(size=(40, 2)), rng.normal(size=(30, 2)))
    settings = [("knn", "sqrt", 0.5), ("ipr", 3, None), ("kde", "sqrt", 0.5)]
    expected = [
        pr_curve(*pair, method, k=k, split=split, seed=1).auc for method, k, split in settings
    ]  # type: ignore[arg-type]
    assert areas(pair, settings, 1).tolist() == expected  # type: ignore[arg-type]


def outcome(own: list[float], sharpness: float = 1.0) -> Prediction:
    drawn = np.array([[0.4, 0.4], [0.5, 0.5], [0.6, 0.6]])
    settings = (("knn", 5, None), ("ipr", 5, None))
    return _prediction(settings, np.array(own), drawn, sharpness)


def test_a_surrogate_passes_by_areas_and_sharpness() -> None:
    half = 4.302653 * 0.1 * np.sqrt(4 / 3)  # Student's t of 2 degrees of freedom
    found = outcome([0.54, 0.5 + half + 0.01])
    np.testing.assert_allclose(found.high, 0.5 + half, rtol=1e-6)
    assert found.inside == LEAST_INSIDE
    assert found.off == pytest.approx((0.04 + half + 0.01) / 2)
    assert found.passes
    assert not outcome([1.0, 1.0]).passes
    assert outcome([0.5, 0.5], MOST_SHARPENED).passes
    assert not outcome([0.5, 0.5], MOST_SHARPENED + 0.01).passes
    assert not outcome([0.5, 0.5], 1 / MOST_SHARPENED - 0.01).passes


def test_the_sharpness_is_found_again() -> None:
    """Data drawn from kernels whose log odds are 15 % larger than the classifier's."""
    rng = np.random.default_rng(3)
    centres = weighed(np.zeros(1_000), d=4).centres
    samples = weighed(2 * centres[:, 0], d=4)
    densities = samples.densities(1.15)
    pair = SamplePair.of(*(each.sample(500, rng) for each in densities))
    told: list[float] = []
    found = predicted(pair, samples, 0, told.append)
    assert found.prediction.sharpness == pytest.approx(1.15, abs=0.08)
    assert found.prediction.inside > LEAST_INSIDE
    assert found.real.digest == samples.densities(found.prediction.sharpness)[0].digest
    assert all(0 < share < 1 for share in told)
    assert len(told) == 13


def test_equal_sets_need_no_sharpness() -> None:
    rng = np.random.default_rng(4)
    pair = SamplePair.of(rng.normal(size=(200, 2)), rng.normal(size=(200, 2)))
    assert predicted(pair, weighed(np.zeros(400))).prediction.sharpness == 1
