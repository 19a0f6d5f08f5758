"""Truth curves against formulas and integrals that share no code with them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose
from scipy import integrate, stats

from prviz.curves import PRCurve, ground_truth
from prviz.curves.ground_truth import AREA_ERROR

LAMS = np.exp(np.linspace(-6, 6, 41))
MEANS = [0.0, -5.0, 3.0, 5.0]
P = [0.2, 0.2, 0.6, 0.0]
Q = [0.0, 0.5, 0.1, 0.4]


def assert_mirrored(curve: PRCurve, swapped: PRCurve) -> None:
    """`swapped` is the curve of the pair with its roles exchanged."""
    assert_allclose(swapped.alpha(LAMS), curve.beta(1 / LAMS), atol=2e-6)
    assert swapped.auc == pytest.approx(curve.auc, abs=2 * AREA_ERROR)


def area(alpha) -> float:
    """Area under a curve from its precision function: 1/2 integral of alpha^2 + beta^2 over the
    angle.
    """

    def integrand(t: float) -> float:
        lam = np.exp(t)
        return 0.5 * alpha(lam) ** 2 * (1 + lam**-2) * lam / (1 + lam**2)

    return integrate.quad(integrand, -40, 40, points=[-5, 0, 5], limit=400, epsabs=1e-9)[0]


# --- finite masses ---

masses = st.lists(st.integers(0, 5), min_size=1, max_size=8).filter(any)


@settings(deadline=None, max_examples=80)
@given(st.data())
def test_finite_masses_are_sums_of_minima(data):
    p = data.draw(masses)
    q = data.draw(st.lists(st.integers(0, 5), min_size=len(p), max_size=len(p)).filter(any))
    curve = ground_truth.finite_masses(p, q)
    real = np.array(p) / sum(p)
    generated = np.array(q) / sum(q)
    for lam in LAMS:
        assert curve.alpha(lam) == pytest.approx(np.minimum(lam * real, generated).sum(), abs=1e-12)
    assert curve.extreme_precision == pytest.approx(generated[real > 0].sum(), abs=1e-12)
    assert curve.extreme_recall == pytest.approx(real[generated > 0].sum(), abs=1e-12)


def test_finite_masses_end_points_and_mirror():
    curve = ground_truth.finite_masses([0.5, 0.5, 0.0], [0.9, 0.0, 0.1])
    assert (curve.extreme_precision, curve.extreme_recall) == (0.9, 0.5)
    assert_mirrored(curve, ground_truth.finite_masses([0.9, 0.0, 0.1], [0.5, 0.5, 0.0]))
    assert ground_truth.finite_masses([1, 0], [0, 1]).auc == 0
    assert ground_truth.finite_masses([3, 1], [0.75, 0.25]).auc == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("p", "q", "message"),
    [
        ([0.0, 0.0], [1, 1], r"p = \[0.0, 0.0\]; a list of non-negative masses, not all 0"),
        ([1, 1], [-1, 2], r"q = \[-1.0, 2.0\]; a list of non-negative"),
        ([1, float("nan")], [1, 1], "p = "),
        ([1, 1], [1, 1, 1], "p has 2 masses, q has 3"),
    ],
)
def test_finite_masses_say_what_is_wrong(p, q, message):
    with pytest.raises(ValueError, match=message):
        ground_truth.finite_masses(p, q)


# --- shifted Gaussians ---


def shifted_alpha(distance):
    """alpha(lam) = Phi(y - D) + lam Phi(-y) at y = log(lam) / D + D / 2."""

    def alpha(lam):
        y = np.log(lam) / distance + distance / 2
        return stats.norm.cdf(y - distance) + lam * stats.norm.sf(y)

    return alpha


@pytest.mark.parametrize("distance", [0.1, 1.0, 5 / 3, 3.0, 8.0])
def test_shifted_gaussians_follow_the_formula(distance):
    curve = ground_truth.shifted_gaussians(distance)
    assert_allclose(curve.alpha(LAMS), shifted_alpha(distance)(LAMS), atol=2e-6)
    assert curve.alpha(1.0) == pytest.approx(2 * stats.norm.cdf(-distance / 2), abs=1e-6)
    assert 0 <= curve.auc - area(shifted_alpha(distance)) + 1e-9 <= AREA_ERROR
    assert (curve.extreme_precision, curve.extreme_recall) == (1, 1)
    assert_mirrored(curve, curve)


def test_shifted_gaussians_without_and_with_a_huge_shift():
    assert ground_truth.shifted_gaussians(0).auc == 1
    for distance in (40.0, 100.0, 500.0):
        apart = ground_truth.shifted_gaussians(distance)
        assert apart.auc < 1e-60
        assert (apart.extreme_precision, apart.extreme_recall) == (1, 1)
    with pytest.raises(ValueError, match=r"distance = -1; a finite number of at least 0"):
        ground_truth.shifted_gaussians(-1)


# --- scaled Gaussians ---


def scaled_alpha(scale, d):
    """The chi-squared formula for N(0, I) against N(0, scale^2 I)."""
    law = stats.chi2(d)

    def alpha(lam):
        t = np.maximum(2 * (np.log(lam) + d * np.log(scale)) / (1 - scale**-2), 0)
        if scale > 1:
            return law.cdf(t / scale**2) + lam * law.sf(t)
        return law.sf(t / scale**2) + lam * law.cdf(t)

    return alpha


@pytest.mark.parametrize(("scale", "d"), [(0.9, 64), (0.7, 64), (1.5, 2), (0.3, 1), (0.99, 64)])
def test_scaled_gaussians_follow_the_chi_squared_formula(scale, d):
    curve = ground_truth.scaled_gaussians(scale, d)
    assert_allclose(curve.alpha(LAMS), scaled_alpha(scale, d)(LAMS), atol=2e-6)
    assert 0 <= curve.auc - area(scaled_alpha(scale, d)) + 1e-8 <= AREA_ERROR
    assert (curve.extreme_precision, curve.extreme_recall) == (1, 1)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("scale", "distance"), [(0.5, 1.0), (0.9, 0.3), (0.1, 2.0), (2.0, 1.0)])
def test_a_scaled_and_shifted_gaussian_on_the_line_matches_an_integral(scale, distance):
    curve = ground_truth.scaled_gaussians(scale, 1, distance=distance)
    y = np.linspace(-12, 12, 400_001) * max(scale, 1) + distance / 2
    p = stats.norm.pdf(y)
    q = stats.norm.pdf(y, distance, scale)
    for lam in LAMS[::5]:
        assert curve.alpha(lam) == pytest.approx(np.trapezoid(np.minimum(lam * p, q), y), abs=3e-6)


@pytest.mark.parametrize(
    ("scale", "d", "distance"), [(0.7, 64, 0), (0.9, 64, 1.0), (0.5, 3, 2.0), (0.95, 64, 24)]
)
def test_scaled_gaussians_mirror_when_the_roles_swap(scale, d, distance):
    curve = ground_truth.scaled_gaussians(scale, d, distance=distance)
    # In units of Q's scale, P is the scaled and shifted one.
    assert_mirrored(curve, ground_truth.scaled_gaussians(1 / scale, d, distance=distance / scale))


def test_scaled_gaussians_end_points_and_errors():
    assert ground_truth.scaled_gaussians(1.0, 64).auc == 1
    shifted = ground_truth.shifted_gaussians(2.0)
    scaled = ground_truth.scaled_gaussians(1.0, 8, distance=2.0)
    assert scaled.iou(shifted) == 1
    far = ground_truth.scaled_gaussians(0.1, 64, distance=8.0)
    assert (far.extreme_precision, far.extreme_recall) == (1, 1)
    assert far.auc < 1e-12
    # Continuous at scale 1, where the formula's centre runs to infinity.
    near = ground_truth.scaled_gaussians(0.999, 2, distance=2.0)
    assert near.auc == pytest.approx(shifted.auc, abs=1e-3)
    with pytest.raises(ValueError, match=r"scale = 0, d = 2, distance = 0.0; scale > 0"):
        ground_truth.scaled_gaussians(0, 2)


# --- mixtures on a line ---


def line_alpha(means, p, q):
    """alpha(lam) by quadrature of min(lam p, q) on a fine grid."""
    y = np.linspace(min(means) - 9, max(means) + 9, 40_001)
    densities = stats.norm.pdf(y[:, None] - np.asarray(means))
    p, q = (densities @ (np.asarray(weights) / np.sum(weights)) for weights in (p, q))
    return lambda lam: float(np.trapezoid(np.minimum(lam * p, q), y))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("spread", [0.1, 0.5, 1.0, 8.0])
def test_line_mixtures_match_quadrature(spread):
    means = np.array(MEANS) * spread
    curve = ground_truth.line_mixtures(means, P, Q)
    expected = line_alpha(means, P, Q)
    assert_allclose(curve.alpha(LAMS), [expected(lam) for lam in LAMS], atol=1e-5)
    angles = (np.arange(1000) + 0.5) * np.pi / 2000
    alphas = np.array([expected(lam) for lam in np.tan(angles)])
    assert curve.auc == pytest.approx(np.mean((alphas / np.sin(angles)) ** 2) * np.pi / 4, abs=2e-5)
    assert (curve.extreme_precision, curve.extreme_recall) == (1, 1)


def test_the_first_cells_surround_each_place_where_one_mode_takes_over_from_another():
    around = [-64, -32, -16, -8, -4, -2, -1, 0, 1, 2, 4, 8, 16, 32, 64]
    found = ground_truth._bends(np.array([2.0, 7.0, 12.0]), np.array([0.2, 0.0, 0.8]))
    middle = 7 + np.log(0.2 / 0.8) / 10  # both modes have one density there
    assert_allclose(np.sort(found), middle + np.array(around) / 10, rtol=1e-12)


def test_line_mixtures_agree_with_the_gaussian_closed_form():
    for distance in (0.2, 1.0, 3.0, 30.0):
        curve = ground_truth.line_mixtures([0.0, distance], [1, 0], [0, 1])
        assert curve.auc == pytest.approx(
            ground_truth.shifted_gaussians(distance).auc, abs=AREA_ERROR
        )
        assert_allclose(curve.alpha(LAMS), shifted_alpha(distance)(LAMS), atol=1e-5)


def test_line_mixtures_ignore_order_origin_and_scale_of_the_weights():
    curve = ground_truth.line_mixtures(MEANS, P, Q)
    order = [2, 0, 3, 1]
    other = ground_truth.line_mixtures(
        np.array(MEANS)[order] + 7, np.array(P)[order] * 3, np.array(Q)[order] * 5
    )
    assert curve.iou(other) == pytest.approx(1, abs=3e-6)
    assert_mirrored(curve, ground_truth.line_mixtures(MEANS, Q, P))
    assert_mirrored(curve, ground_truth.line_mixtures(-np.array(MEANS), Q, P))


def test_far_modes_are_counted_like_finite_masses():
    far = ground_truth.line_mixtures(np.array(MEANS) * 45, P, Q)
    assert_allclose(far.alpha(LAMS), ground_truth.finite_masses(P, Q).alpha(LAMS), atol=1e-9)
    assert (far.extreme_precision, far.extreme_recall) == (1, 1)


def test_line_mixtures_of_equal_weights_or_one_place_are_identical():
    assert ground_truth.line_mixtures(MEANS, P, np.array(P) * 2).auc == 1
    assert ground_truth.line_mixtures([2.0, 2.0], [1, 0], [0.5, 0.5]).auc == 1


def test_line_mixtures_say_what_is_wrong():
    with pytest.raises(ValueError, match="one finite mean per weight is needed"):
        ground_truth.line_mixtures([0.0, 1.0], [1, 1, 1], [1, 1, 1])
    with pytest.raises(ValueError, match="one finite mean per weight is needed"):
        ground_truth.line_mixtures([0.0, np.inf], [1, 1], [1, 2])


# --- Monte Carlo ---


def tilted_mixture(direction):
    """Log ratios in R^3 of mixtures whose means lie along `direction`, and their exact curve."""
    centres = np.outer([0.0, 1.5, 4.0], direction)
    p = np.array([0.5, 0.5, 0.0])
    q = np.array([0.2, 0.5, 0.3])

    def log_density(z, weights):
        squares = ((z[:, None] - centres) ** 2).sum(axis=2)
        return np.log(np.exp(-0.5 * squares) @ weights)

    def log_ratios(size, seed):
        rng = np.random.default_rng(seed)
        sides = []
        for weights in (p, q):
            z = rng.standard_normal((size, 3)) + centres[rng.choice(3, size, p=weights)]
            sides.append(log_density(z, q) - log_density(z, p))
        return sides[0], sides[1]

    return log_ratios, ground_truth.line_mixtures([0.0, 1.5, 4.0], p, q)


@pytest.mark.exhaustive
def test_monte_carlo_in_full_dimension_agrees_with_the_line():
    log_ratios, exact = tilted_mixture(np.array([2.0, -1.0, 2.0]) / 3)
    sampled = ground_truth.sampled_truth(log_ratios, n=200_000, seed=5)
    assert 0 < sampled.auc_error < 0.003
    assert sampled.curve.auc == pytest.approx(exact.auc, abs=5 * sampled.auc_error)
    near = LAMS[(LAMS > 0.1) & (LAMS < 2)]
    assert_allclose(sampled.curve.alpha(near), exact.alpha(near), atol=0.006)


def test_monte_carlo_depends_on_its_seed_alone():
    log_ratios, _ = tilted_mixture(np.array([1.0, 0.0, 0.0]))
    first, again, other = (
        ground_truth.sampled_truth(log_ratios, n=2000, seed=seed) for seed in (1, 1, 2)
    )
    assert np.array_equal(first.curve.vertices, again.curve.vertices)
    assert first.auc_error == again.auc_error
    assert first.curve.auc != other.curve.auc


def test_monte_carlo_error_shrinks_with_the_square_root_of_n():
    log_ratios, _ = tilted_mixture(np.array([1.0, 0.0, 0.0]))
    small = ground_truth.sampled_truth(log_ratios, n=4_000, seed=3, batches=20)
    large = ground_truth.sampled_truth(log_ratios, n=100_000, seed=3, batches=20)
    assert 2.5 < small.auc_error / large.auc_error < 10


def test_monte_carlo_takes_infinite_log_ratios():
    def log_ratios(size, seed):
        return np.full(size, -np.inf), np.where(np.arange(size) % 4, np.inf, -np.inf)

    curve = ground_truth.sampled_truth(log_ratios, n=1_000).curve
    assert_allclose(curve.vertices, ground_truth.finite_masses([1, 0], [1, 3]).vertices)


@pytest.mark.parametrize(("n", "batches"), [(100, 1), (5, 10), (101, 10)])
def test_monte_carlo_says_what_is_wrong(n, batches):
    with pytest.raises(ValueError, match=f"n = {n}, batches = {batches}; at least 2 batches"):
        ground_truth.sampled_truth(
            lambda size, seed: (np.zeros(size), np.zeros(size)), n=n, batches=batches
        )
