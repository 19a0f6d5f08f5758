"""Surrogates: what is fitted, in which coordinates, and its truth."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import multivariate_normal
from sklearn.covariance import oas as sklearn_oas
from sklearn.decomposition import PCA

from prviz.samples import Samples
from prviz.studies.surrogate import Density, Surrogate, fit_pair, most_dimensions
from prviz.studies.surrogate.fitting import oas

Floats = NDArray[np.float64]


def correlated(n: int, d: int, seed: int, shift: float = 0.0) -> Floats:
    """Gaussian samples whose directions have different widths."""
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(np.random.default_rng(1).standard_normal((d, d)))[0]
    return (rng.standard_normal((n, d)) / np.sqrt(np.arange(1, d + 1)) + shift) @ turn


def three_clusters(n: int, seed: int, d: int = 3) -> Floats:
    rng = np.random.default_rng(seed)
    centres = np.array([[-6.0, 0, 0], [6, 0, 0], [0, 9, 0]])[:, :d]
    return centres[rng.choice(3, n, p=[0.5, 0.3, 0.2])] + rng.standard_normal((n, d))


def slow_density(density: Density, z: Floats) -> Floats:
    """By scipy, one component at a time."""
    parts = zip(density.weights, density.means, density.covariances, strict=True)
    terms = [weight * multivariate_normal(*moments).pdf(z) for weight, *moments in parts]
    result: Floats = np.sum(terms, axis=0)
    return result


# ---- densities ----


@pytest.mark.parametrize("scenario", ["pair", "common"])
def test_log_ratio_is_scipys(scenario: Any) -> None:
    surrogate = fit_pair(three_clusters(400, 0), three_clusters(300, 1) * 1.5, d=3)
    problem = surrogate.problem(scenario, common=0.3)
    z = np.random.default_rng(2).standard_normal((50, 3)) * 5
    expected = np.log(slow_density(problem.generated, z) / slow_density(problem.real, z))
    np.testing.assert_allclose(problem.log_ratio(z), expected, rtol=1e-9, atol=1e-9)


def test_a_common_part_has_its_weight_in_both() -> None:
    surrogate = fit_pair(correlated(300, 4, 0), correlated(300, 4, 1, 1.0), d=4)
    problem = surrogate.problem("common", common=0.25)
    z = correlated(20, 4, 2)
    for found, own in ((problem.real, surrogate.real), (problem.generated, surrogate.generated)):
        common, alone = (np.exp(each.log_density(z)) for each in (surrogate.shared, own))
        np.testing.assert_allclose(np.exp(found.log_density(z)), 0.25 * common + 0.75 * alone)


def test_a_third_set_is_the_common_part() -> None:
    third = correlated(200, 4, 5, 3.0)
    surrogate = fit_pair(correlated(300, 4, 0), correlated(300, 4, 1), d=4, shared=third)
    axes = PCA(4).fit(correlated(300, 4, 0))
    np.testing.assert_allclose(
        np.abs(surrogate.shared.means[0]), np.abs(axes.transform(third).mean(axis=0))
    )


def test_samples_have_the_moments_of_the_density() -> None:
    surrogate = fit_pair(three_clusters(500, 0), three_clusters(500, 1), d=3)
    drawn = surrogate.problem("common").real.sample(40_000, np.random.default_rng(0))
    both = np.concatenate([each.values for each in surrogate.projected])
    values = np.concatenate([both, np.repeat(surrogate.projected.real.values, 2, axis=0)])
    np.testing.assert_allclose(drawn.mean(axis=0), values.mean(axis=0), atol=0.15)
    np.testing.assert_allclose(np.cov(drawn.T), np.cov(values.T), atol=0.6)


def test_a_density_refuses_what_it_is_not() -> None:
    mean = np.zeros((1, 2))
    covariance = np.eye(2)[None]
    with pytest.raises(ValueError, match="sum 1"):
        Density(np.array([0.5, 0.6]), np.zeros((2, 2)), np.stack([np.eye(2)] * 2))
    with pytest.raises(ValueError, match="shapes"):
        Density(np.ones(1), mean, covariance[:, :, :1])
    with pytest.raises(ValueError, match="positive definite"):
        Density(np.ones(1), mean, -covariance).log_density(mean)
    with pytest.raises(ValueError, match="3 features; the density has d = 2"):
        Density(np.ones(1), mean, covariance).log_density(np.zeros((1, 3)))


# ---- coordinates ----


def test_components_are_those_of_the_real_set_for_every_d() -> None:
    real = correlated(300, 6, 0)
    generated = correlated(200, 6, 1, 2.0)
    model = PCA(4).fit(real)
    few, many = (fit_pair(real, generated, d=d) for d in (4, 6))
    for samples, values in zip(few.projected, (real, generated), strict=True):
        np.testing.assert_allclose(
            np.abs(samples.values), np.abs(model.transform(values)), atol=1e-9
        )
    assert few.explained == pytest.approx(model.explained_variance_ratio_.sum())
    assert many.explained == pytest.approx(1.0)
    np.testing.assert_array_equal(few.real.means[0], many.real.means[0][:4])


def test_a_large_offset_costs_nothing() -> None:
    near, far = (
        fit_pair(correlated(100, 3, 0) + at, correlated(100, 3, 1) + at, d=3) for at in (0.0, 1e6)
    )
    np.testing.assert_allclose(far.real.covariances, near.real.covariances, atol=1e-8)


# ---- fits ----


def test_a_gaussian_has_the_moments_of_its_set() -> None:
    surrogate = fit_pair(correlated(200, 3, 0), correlated(200, 3, 1), d=3)
    values = surrogate.projected.real.values
    np.testing.assert_allclose(surrogate.real.means[0], values.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(surrogate.real.covariances[0], np.cov(values.T, ddof=0), atol=1e-12)


def test_shrinkage_is_the_published_one_and_engages_where_samples_are_few() -> None:
    few = correlated(30, 20, 0)
    found, share = oas(np.cov(few.T, ddof=0), 30)
    expected, expected_share = sklearn_oas(few)
    np.testing.assert_allclose(found, expected)
    assert share == pytest.approx(expected_share)
    surrogate = fit_pair(correlated(400, 20, 1), correlated(12, 20, 2), d=20)
    assert np.linalg.cond(surrogate.generated.covariances[0]) < 1e4
    assert np.isfinite(surrogate.problem().log_ratio(surrogate.projected.real)).all()


# ---- data that no density fits ----


def test_constant_columns_leave_fewer_directions() -> None:
    real = np.column_stack([correlated(100, 3, 0), np.full(100, 7.0), np.zeros(100)])
    assert most_dimensions(real) == 3
    assert fit_pair(real, real, d=3).explained == pytest.approx(1)
    with pytest.raises(
        ValueError,
        match="d = 4; an integer from 1 to 3, the directions in which the real set varies, is",
    ):
        fit_pair(real, real, d=4)
    with pytest.raises(ValueError, match="1 to 4, the"):
        fit_pair(correlated(5, 9, 0), correlated(50, 9, 1), d=9)


def test_a_collapsed_generator_is_a_narrow_density() -> None:
    real = correlated(200, 3, 0)
    one = np.tile(correlated(1, 3, 1), (150, 1))
    for fit in ("gaussian", "kernels"):
        assert fit_pair(real, one, d=3, fit=fit).problem().truth().auc < 0.03  # type: ignore[arg-type]


def test_duplicates_and_flat_sets_are_fitted() -> None:
    real = correlated(200, 3, 0)
    flat = np.column_stack([real[:, 0], np.zeros(200), np.zeros(200)])
    few = real[np.random.default_rng(0).integers(0, 3, 200)]
    for generated in (flat, few):
        for fit in ("gaussian", "kernels"):
            surrogate = fit_pair(real, generated, d=3, fit=fit)  # type: ignore[arg-type]
            assert np.isfinite(surrogate.generated.log_density(surrogate.projected.real)).all()
            assert np.isfinite(surrogate.problem().sample(50).generated.values).all()


SET = correlated(50, 3, 0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"real": np.ones((50, 3))}, "do not differ; at least 2 different"),
        ({"real": SET[:1]}, "real has 1 sample; at least 2"),
        ({"generated": SET[:1]}, "generated has 1 sample; at least 2"),
        ({"real": SET * 1e120}, r"at most 1e\+100"),
        ({"generated": correlated(50, 4, 0)}, "3 features, generated ones have 4"),
        ({"d": 0}, "d = 0; .* 1 to 3"),
        ({"fit": "kde"}, "one of gaussian, kernels"),
        ({"seed": -1}, "fit_seed = -1"),
        ({"shared": np.ones((5, 2))}, "shared has 2 features; 3"),
    ],
)
def test_what_can_not_be_fitted_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fit_pair(**{"real": SET, "generated": SET, "d": 2, **given})


def test_problems_refuse_other_scenarios() -> None:
    surrogate = fit_pair(correlated(50, 3, 0), correlated(50, 3, 1), d=2)
    with pytest.raises(ValueError, match="one of pair, real-real, generated-generated, common"):
        surrogate.problem("both")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="common = 1"):
        surrogate.problem("common", common=1)


def test_surrogates_travel() -> None:
    surrogate = fit_pair(
        three_clusters(100, 0), three_clusters(100, 1), d=2, shared=Samples(three_clusters(50, 2))
    )
    copy = pickle.loads(pickle.dumps(surrogate))
    assert isinstance(copy, Surrogate)
    assert not copy.real.means.flags.writeable
    assert copy.real.digest == surrogate.real.digest != surrogate.generated.digest
    assert copy.problem("common") == surrogate.problem("common")
    assert copy.shared.digest == surrogate.shared.digest
