"""Stand-ins: what is fitted, in which coordinates, and its truth."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn.covariance import oas as sklearn_oas
from sklearn.decomposition import PCA

from prviz.samples import SamplePair, Samples
from prviz.studies.surrogate import Density, FitOptions, Surrogate, fit_pair, most_dimensions
from prviz.studies.surrogate.choice import (
    TRY_SECONDS,
    best_surrogate,
    cheap_kinds,
    checked,
    kinds,
    trial_seconds,
)
from prviz.studies.surrogate.fitting import oas
from prviz.studies.surrogate.surrogate import SurrogateSources

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


def slow_log_density(density: Density, z: Floats) -> Floats:
    """By scipy, one component at a time."""
    uses = density.uses if density.uses is not None else range(density.components)
    terms = []
    for weight, mean, use in zip(density.weights, density.means, uses, strict=True):
        covariance = density.covariances[use]
        full = np.diag(covariance) if covariance.ndim == 1 else covariance
        terms.append(np.log(weight) + multivariate_normal(mean, full).logpdf(z))
    result: Floats = logsumexp(np.stack(terms), axis=0)
    return result


# ---- densities ----


@pytest.mark.parametrize("covariance", ["full", "tied", "diag"])
@pytest.mark.parametrize("scenario", ["pair", "common"])
def test_log_ratio_is_scipys(covariance: Any, scenario: Any) -> None:
    stand_in = fit_pair(
        three_clusters(400, 0),
        three_clusters(300, 1) * 1.5,
        d=3,
        fit="mixture",
        covariance=covariance,
        most_components=3,
    )
    problem = stand_in.problem(scenario, common=0.3)
    z = np.random.default_rng(2).standard_normal((50, 3)) * 5
    expected = slow_log_density(problem.generated, z) - slow_log_density(problem.real, z)
    np.testing.assert_allclose(problem.log_ratio(z), expected, rtol=1e-9, atol=1e-9)


def test_a_common_part_has_its_weight_in_both() -> None:
    stand_in = fit_pair(correlated(300, 4, 0), correlated(300, 4, 1, 1.0), d=4)
    problem = stand_in.problem("common", common=0.25)
    z = correlated(20, 4, 2)
    for found, own in ((problem.real, stand_in.real), (problem.generated, stand_in.generated)):
        expected = 0.25 * np.exp(stand_in.shared.log_density(z)) + 0.75 * np.exp(own.log_density(z))
        np.testing.assert_allclose(np.exp(found.log_density(z)), expected)


def test_a_third_set_is_the_common_part() -> None:
    third = correlated(200, 4, 5, 3.0)
    stand_in = fit_pair(correlated(300, 4, 0), correlated(300, 4, 1), d=4, shared=third)
    axes = PCA(4).fit(correlated(300, 4, 0))
    np.testing.assert_allclose(
        np.abs(stand_in.shared.means[0]), np.abs(axes.transform(third).mean(axis=0))
    )


@pytest.mark.parametrize("covariance", ["full", "diag"])
def test_samples_have_the_moments_of_the_density(covariance: Any) -> None:
    stand_in = fit_pair(
        three_clusters(500, 0),
        three_clusters(500, 1),
        d=3,
        fit="mixture",
        covariance=covariance,
        most_components=3,
    )
    density = stand_in.real
    n = 40_000
    drawn = density.sample(n, np.random.default_rng(0))
    np.testing.assert_allclose(
        drawn.mean(axis=0), stand_in.projected.real.values.mean(axis=0), atol=0.15
    )
    np.testing.assert_allclose(np.cov(drawn.T), np.cov(stand_in.projected.real.values.T), atol=0.6)


def test_a_density_refuses_what_it_is_not() -> None:
    with pytest.raises(ValueError, match="sum 1"):
        Density(np.array([0.5, 0.6]), np.zeros((2, 2)), np.stack([np.eye(2)] * 2))
    with pytest.raises(ValueError, match="shapes"):
        Density(np.ones(1), np.zeros((1, 2)), np.eye(2)[None, :, :1])
    with pytest.raises(ValueError, match="positive definite"):
        Density(np.ones(1), np.zeros((1, 2)), -np.eye(2)[None]).log_density(np.zeros((1, 2)))
    with pytest.raises(ValueError, match="3 features; the density has d = 2"):
        Density(np.ones(1), np.zeros((1, 2)), np.eye(2)[None]).log_density(np.zeros((1, 3)))


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


@pytest.mark.parametrize("covariance", ["full", "tied", "diag"])
@pytest.mark.parametrize("seed", [0, 1])
def test_bic_finds_three_clusters(covariance: Any, seed: int) -> None:
    values = three_clusters(600, seed)
    stand_in = fit_pair(
        values,
        values[:400],
        d=3,
        fit="mixture",
        covariance=covariance,
        most_components=6,
        seed=seed,
    )
    for density in (stand_in.real, stand_in.generated):
        assert density.components == 3
        assert min(density.bic, key=lambda m: density.bic[m]) == 3
        np.testing.assert_allclose(sorted(density.weights), [0.2, 0.3, 0.5], atol=0.06)
    assert fit_pair(values, values, d=3, fit="mixture", most_components=2).real.components == 2


def test_one_component_is_the_gaussian() -> None:
    real = correlated(200, 3, 0)
    generated = correlated(200, 3, 1)
    one = fit_pair(real, generated, d=3, fit="mixture", most_components=1).real
    gaussian = fit_pair(real, generated, d=3).real
    np.testing.assert_array_equal(one.covariances, gaussian.covariances)
    values = fit_pair(real, generated, d=3).projected.real.values
    np.testing.assert_allclose(gaussian.covariances[0], np.cov(values.T, ddof=0), atol=1e-12)


def test_shrinkage_is_the_published_one_and_engages_where_samples_are_few() -> None:
    few = correlated(30, 20, 0)
    found, share = oas(np.cov(few.T, ddof=0), 30)
    expected, expected_share = sklearn_oas(few)
    np.testing.assert_allclose(found, expected)
    assert share == pytest.approx(expected_share)
    stand_in = fit_pair(correlated(400, 20, 1), correlated(12, 20, 2), d=20)
    assert stand_in.real.shrinkage == 0
    assert stand_in.generated.shrinkage > 0
    assert np.linalg.cond(stand_in.generated.covariances[0]) < 1e4
    assert np.isfinite(stand_in.problem().log_ratio(stand_in.projected.real)).all()


def test_few_samples_of_a_component_are_shrunk_to_the_others() -> None:
    values = three_clusters(100, 0)
    density = fit_pair(values, values, d=3, fit="mixture", most_components=3).real
    assert density.components == 3
    assert 0.1 < density.shrinkage < 0.3  # 20 samples: 5 / 25


# ---- data that no density fits ----


def test_constant_columns_leave_fewer_directions() -> None:
    real = np.column_stack([correlated(100, 3, 0), np.full(100, 7.0), np.zeros(100)])
    assert most_dimensions(real) == 3
    assert fit_pair(real, real, d=3).explained == pytest.approx(1)
    with pytest.raises(
        ValueError, match=r"d = 4; the real set varies in 3 directions, so 1 to 3 is needed"
    ):
        fit_pair(real, real, d=4)
    with pytest.raises(ValueError, match="1 to 4 is needed"):
        fit_pair(correlated(5, 9, 0), correlated(50, 9, 1), d=9)


def test_a_collapsed_generator_is_a_narrow_density() -> None:
    real = correlated(200, 3, 0)
    one = np.tile(correlated(1, 3, 1), (150, 1))
    for fit in ("gaussian", "mixture"):
        stand_in = fit_pair(real, one, d=3, fit=fit)  # type: ignore[arg-type]
        assert stand_in.generated.raised == 3
        assert stand_in.generated.components == 1
        assert stand_in.problem().truth().auc < 1e-3


def test_duplicates_and_flat_sets_are_fitted() -> None:
    real = correlated(200, 3, 0)
    flat = np.column_stack([real[:, 0], np.zeros(200), np.zeros(200)])
    few = real[np.random.default_rng(0).integers(0, 3, 200)]
    for generated in (flat, few):
        for covariance in ("full", "tied", "diag"):
            stand_in = fit_pair(real, generated, d=3, fit="mixture", covariance=covariance)  # type: ignore[arg-type]
            assert np.isfinite(stand_in.generated.log_density(stand_in.projected.real)).all()
            assert np.isfinite(stand_in.problem().sample(50).generated.values).all()


@pytest.mark.parametrize(
    ("real", "generated", "options", "message"),
    [
        (np.ones((50, 3)), correlated(50, 3, 0), {}, "do not differ; at least 2 different"),
        (correlated(50, 3, 0)[:1], correlated(50, 3, 0), {}, "real has 1 sample; at least 2"),
        (correlated(50, 3, 0), correlated(50, 3, 0)[:1], {}, "generated has 1 sample; at least 2"),
        (correlated(50, 3, 0) * 1e120, correlated(50, 3, 0), {}, "at most 1e\\+100"),
        (correlated(50, 3, 0), correlated(50, 4, 0), {}, "3 features, generated ones have 4"),
        (correlated(50, 3, 0), correlated(50, 3, 0), {"d": 0}, "d = 0; .* 1 to 3"),
        (correlated(50, 3, 0), correlated(50, 3, 0), {"fit": "kde"}, "one of gaussian, mixture"),
        (
            correlated(50, 3, 0),
            correlated(50, 3, 0),
            {"covariance": "round"},
            "one of full, tied, diag",
        ),
        (correlated(50, 3, 0), correlated(50, 3, 0), {"most_components": 0}, "at least 1"),
        (correlated(50, 3, 0), correlated(50, 3, 0), {"most_components": 51}, "1 to 50"),
        (
            correlated(50, 3, 0),
            correlated(50, 3, 0),
            {"shared": np.ones((5, 2))},
            "shared has 2 features; 3",
        ),
    ],
)
def test_what_can_not_be_fitted_is_refused(
    real: Floats, generated: Floats, options: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        fit_pair(real, generated, **{"d": 2, **options})


def test_problems_refuse_other_scenarios() -> None:
    stand_in = fit_pair(correlated(50, 3, 0), correlated(50, 3, 1), d=2)
    with pytest.raises(ValueError, match="one of pair, real-real, generated-generated, common"):
        stand_in.problem("both")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="common = 1"):
        stand_in.problem("common", common=1)


def test_stand_ins_travel() -> None:
    stand_in = fit_pair(
        three_clusters(100, 0), three_clusters(100, 1), d=2, shared=Samples(three_clusters(50, 2))
    )
    copy = pickle.loads(pickle.dumps(stand_in))
    assert isinstance(copy, Surrogate)
    assert not copy.real.means.flags.writeable
    assert copy.real.digest == stand_in.real.digest != stand_in.generated.digest
    assert copy.problem("common") == stand_in.problem("common")
    assert copy.shared.digest == stand_in.shared.digest


def test_the_best_surrogate_is_the_kind_whose_fresh_samples_keep_least_apart() -> None:
    rng = np.random.default_rng(5)
    clouds = [rng.normal(size=(40, 2)) + 8.0 * (np.arange(40) % 2)[:, None] for _ in range(2)]
    sources = SurrogateSources(SamplePair(*map(Samples, clouds)))
    tried = {kind: checked(sources, 2, kind, lambda _: None) for kind in kinds()}
    best = best_surrogate(sources, 2, lambda _: None)
    assert best.surrogate.options == min(tried, key=lambda kind: tried[kind].apart)
    assert best.surrogate.options.fit == "mixture"  # no Gaussian has two clouds
    assert not best.poor
    assert tried[FitOptions()].poor
    assert cheap_kinds(sources.pair, 2) == kinds()


def test_what_takes_long_to_fit_is_not_tried() -> None:
    rng = np.random.default_rng(6)
    pair = SamplePair(*(Samples(rng.normal(size=(4000, 150))) for _ in range(2)))
    tried = cheap_kinds(pair, 150)
    assert tried[0] == FitOptions()
    assert FitOptions("mixture", "full") not in tried
    assert all(trial_seconds(pair, 150, kind) >= TRY_SECONDS for kind in set(kinds()) - set(tried))
