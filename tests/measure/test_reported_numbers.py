"""Frechet distance, KID, clipped numbers, Vendi, RKE and class entropy against slow twins, and their blind spots."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.linalg import sqrtm
from scipy.special import betaln, gammaln
from sklearn.metrics.pairwise import polynomial_kernel

from prviz import bundled_pair, class_entropy, clipped, frechet_distance, kid, pr_curve, rke, scalars, vendi
from prviz.measure import frechet as frechet_module
from prviz.measure import kernel_scores
from prviz.measure.blind_spots import BLIND_SPOTS
from prviz.measure.clipped import expected_coverage, good_share
from prviz.measure.kernel_scores import half_spread
from prviz.samples import as_samples
from tests import slow_twins

RNG = np.random.default_rng


def gaussians(n, m, d, shift=0.3, seed=0):
    rng = RNG(seed)
    return rng.normal(size=(n, d)), rng.normal(size=(m, d)) * 0.8 + shift


PAIRS = [gaussians(60, 40, 3), gaussians(30, 45, 1), gaussians(80, 80, 12, 0.1)]


# ---- Frechet distance ----


@pytest.mark.parametrize("pair", PAIRS)
def test_the_frechet_distance_is_the_formula_with_a_matrix_root(pair):
    (mean, covariance), (other_mean, other) = (
        (each.mean(axis=0), np.atleast_2d(np.cov(each, rowvar=False))) for each in pair
    )
    slow = ((mean - other_mean) ** 2).sum() + np.trace(covariance + other - 2 * np.real(sqrtm(covariance @ other)))
    assert frechet_distance(*pair).value == pytest.approx(slow, rel=1e-9)
    assert frechet_distance(*reversed(pair)).value == pytest.approx(slow, rel=1e-9)


def test_too_few_samples_for_the_dimension_are_named_and_give_no_scalar():
    few = gaussians(12, 30, 12)
    found = frechet_distance(*few)
    assert found.value > 0
    assert math.isnan(found.bias)
    assert found.caveat == "12 samples span at most 11 of 12 dimensions: a covariance is singular"
    assert math.isnan(scalars(*few)["frechet_distance"])
    enough = gaussians(13, 30, 12)
    assert frechet_distance(*enough).caveat == ""
    assert scalars(*enough)["frechet_distance"] == frechet_distance(*enough).value
    with pytest.raises(ValueError, match="real has 1 sample; a covariance needs at least 2"):
        frechet_distance(few[0][:1], few[1])


def test_the_bias_is_what_the_value_exceeds_its_limit_by():
    draws = [frechet_distance(*(RNG((seed, role)).normal(size=(300, 10)) for role in (0, 1))) for seed in range(8)]
    value, bias = np.mean([each[:2] for each in draws], axis=0)
    assert value == pytest.approx(bias, rel=0.15)  # the limit is 0


# ---- KID ----


def slow_kid(real, generated):
    def kernel(x, y):
        return (float(np.dot(x, y)) / len(x) + 1) ** 3

    def inside(values):
        return np.mean([kernel(x, y) for i, x in enumerate(values) for j, y in enumerate(values) if i != j])

    return inside(real) + inside(generated) - 2 * np.mean([kernel(x, y) for x in real for y in generated])


@pytest.mark.parametrize("pair", PAIRS)
def test_kid_is_the_double_loop(pair):
    assert kid(*pair).value == pytest.approx(slow_kid(*pair), rel=1e-9)


def test_tiles_change_nothing(monkeypatch):
    pair = gaussians(70, 50, 4)
    whole = kid(*pair), rke(pair[0], bandwidth=1.0)
    for module in (frechet_module, kernel_scores):
        monkeypatch.setattr(module, "BLOCK", 16)
    assert kid(*pair) == pytest.approx(whole[0])
    assert rke(pair[0], bandwidth=1.0) == pytest.approx(whole[1])
    assert frechet_distance(*pair).value == pytest.approx(frechet_module.frechet(*map(as_samples, pair)))


def test_kid_of_subsets_is_torch_fidelitys():
    real, generated = gaussians(90, 70, 5)
    stream, values = np.random.RandomState(2020), []
    for _ in range(7):
        x = real[stream.choice(90, 40, replace=False)]
        y = generated[stream.choice(70, 40, replace=False)]
        own, other, across = polynomial_kernel(x), polynomial_kernel(y), polynomial_kernel(x, y)
        inside = own.sum() - np.trace(own) + other.sum() - np.trace(other)
        values.append(inside / (40 * 39) - 2 * across.sum() / 40**2)
    assert kid(real, generated, subsets=7, subset_size=40) == pytest.approx((np.mean(values), np.std(values)))


def test_kid_is_unbiased_and_its_deviation_is_about_right():
    same = [kid(*(RNG((seed, role)).normal(size=(100, 4)) for role in (0, 1))) for seed in range(60)]
    apart = [kid(*gaussians(100, 100, 4, 0.7, seed)) for seed in range(60)]
    for draws, low, high in ((same, 1.0, 2.2), (apart, 0.7, 1.4)):
        values, claimed = np.array(draws).T
        assert low < claimed.mean() / values.std(ddof=1) < high
    values = np.array(same)[:, 0]
    assert abs(values.mean()) < 3 * values.std(ddof=1) / math.sqrt(60)
    assert values.min() < 0
    digits = bundled_pair("mixture-converged").real.values
    halves = [
        kid(digits[order[:400]], digits[order[400:800]]) for order in (RNG(s).permutation(1797) for s in range(30))
    ]
    values, claimed = np.array(halves).T
    assert claimed.mean() / values.std(ddof=1) == pytest.approx(1.7, abs=0.4)


# ---- clipped density and coverage ----


def slow_clipped(real, generated, k):
    own = slow_twins.own_radii(list(real), k)
    cap = np.median(np.sqrt(own))
    short = [min(math.sqrt(each), cap) for each in own]

    def held(y, skip=None):
        inside = [
            math.dist(x, y) <= r * (1 + 1e-12) for i, (x, r) in enumerate(zip(real, short, strict=True)) if i != skip
        ]
        return min(sum(inside) / k, 1)

    density = np.mean([held(y) for y in generated]) / np.mean([held(x, i) for i, x in enumerate(real)])
    inside = [
        min(sum(slow_twins.squared_distance(x, y) < radius for y in generated) / k, 1)
        for x, radius in zip(real, own, strict=True)
    ]
    return min(density, 1), good_share(float(np.mean(inside)), k, len(real), len(generated))


@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("pair", PAIRS)
def test_clipped_numbers_are_the_double_loop(pair, k):
    assert clipped(*pair, k=k) == pytest.approx(slow_clipped(*pair, k))


def test_expected_coverage_is_the_sum_over_beta_binomial_counts():
    k, n, m = 3, 20, 15
    for drawn in range(m + 1):
        counts = np.arange(drawn + 1)
        choose = gammaln(drawn + 1) - gammaln(counts + 1) - gammaln(drawn - counts + 1)
        chance = np.exp(choose + betaln(k + counts, n - k + drawn - counts) - betaln(k, n - k))
        expected = (np.minimum(counts, k) * chance).sum() / k if drawn >= k else 0
        assert expected_coverage(k, n, m)[drawn] == pytest.approx(expected)
    # k = 1: the nearest of n - 1 real samples and j drawn ones is a drawn one.
    assert expected_coverage(1, 8, 5)[4] == pytest.approx(float(Fraction(4, 4 + 7)))


def test_clipped_numbers_are_those_of_the_authors_code():
    # From ClippedDensityCoverage at commit 9920dae, K = 5 and 10, on these seeds.
    pair = gaussians(400, 300, 8, 0.9, seed=7)
    assert clipped(*pair) == pytest.approx(AUTHORS[5])
    assert clipped(*pair, k=10) == pytest.approx(AUTHORS[10])


AUTHORS = {5: (0.5910780669144983, 0.30564784053156147), 10: (0.6159292035398232, 0.3388704318936877)}


# ---- Vendi, RKE, classes ----


@pytest.mark.parametrize("pair", PAIRS)
def test_vendi_is_the_entropy_of_the_cosines(pair):
    unit = pair[0] / np.linalg.norm(pair[0], axis=1, keepdims=True)
    chances = np.linalg.eigvalsh(unit @ unit.T / len(unit))
    chances = chances[chances > 1e-12]
    assert vendi(pair[0]) == pytest.approx(np.exp(-(chances * np.log(chances)).sum()))
    assert vendi(pair[0], order=2) == pytest.approx(1 / (chances**2).sum())
    assert vendi(pair[0] * 1e-200) == pytest.approx(vendi(pair[0]))


def test_rke_is_the_double_loop_and_counts_modes():
    values = gaussians(40, 5, 3)[0]
    squares = [math.exp(-(math.dist(x, y) ** 2) / (2 * 0.7**2)) ** 2 for x in values for y in values]
    assert rke(values, bandwidth=0.7) == pytest.approx(1 / np.mean(squares))
    modes = np.repeat(np.eye(5) * 100, 20, axis=0) + RNG(0).normal(size=(100, 5)) * 0.01
    assert rke(modes, bandwidth=1.0) == pytest.approx(5, rel=1e-3)
    assert half_spread(as_samples(values)) == pytest.approx(
        math.sqrt(np.mean([math.dist(x, y) ** 2 for x in values for y in values]) * 40 / 39) / 2
    )


def test_class_entropy_is_the_score_of_votes():
    modes = np.repeat(np.eye(4) * 50, 25, axis=0)
    real, labels = modes + RNG(1).normal(size=modes.shape), np.repeat(list("abcd"), 25)
    even = class_entropy(real, modes + 0.1, labels)
    assert (even.overall, even.within, even.score) == pytest.approx((math.log(4), 0, 4))
    one = class_entropy(real, modes[:25], labels)
    assert one.score == pytest.approx(1)
    blurred = class_entropy(real, np.zeros((30, 4)) + 12.5, labels)
    assert blurred.score == pytest.approx(1)
    assert blurred.within > 0.5
    with pytest.raises(ValueError, match=r"labels has the shape \(3,\); \(100,\), one for each real sample"):
        class_entropy(real, modes, [1, 2, 3])
    with pytest.raises(ValueError, match="labels = None; a class for each real sample"):
        class_entropy(real, modes)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: vendi(x, order=0), "order = 0; a positive number"),
        (lambda x: rke(x, bandwidth=0), "bandwidth = 0; a positive number"),
        (lambda x: kid(x, x[:1]), "KID needs at least 2 samples"),
        (lambda x: kid(x, x, subsets=0), "subsets = 0, subset_size = 1000; at least 1 and 2"),
        (lambda x: clipped(x, x, k=0), "k = 0; an integer from 1 to 19"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call(RNG(0).normal(size=(20, 2)))


def test_numbers_too_large_for_them_are_nan():
    found = scalars(*(each * 1e150 for each in PAIRS[0]))
    assert math.isnan(found["kid"])
    assert found["precision"] == scalars(*PAIRS[0])["precision"]


# ---- what they can't see ----


def shapes():
    """Two modes along the first axis, and a Gaussian of the same moments up to the third."""
    rng = RNG(3)
    modes = rng.normal(size=(800, 4)) * 0.3
    modes[:, 0] += np.where(np.arange(800) % 2, 3.0, -3.0)
    gaussian = rng.normal(size=(800, 4)) @ np.linalg.cholesky(np.cov(modes, rowvar=False)).T
    return modes, gaussian


def many_modes():
    rng = RNG(4)
    modes = np.repeat(np.eye(5) * 40, 60, axis=0)
    real = modes + rng.normal(size=modes.shape)
    one = modes[:60].repeat(5, axis=0) + rng.normal(size=modes.shape)
    half_noise = modes + rng.normal(size=modes.shape)
    half_noise[::2] = rng.uniform(-200, 200, size=(150, 5))
    return real, one, half_noise


def test_equal_moments_hide_another_shape_from_frechet_distance_and_kid():
    modes, gaussian = shapes()
    moved = gaussian + np.array([1.0, 0, 0, 0])
    for name in ("frechet_distance", "kid"):
        assert scalars(modes, gaussian)[name] < 0.1 * scalars(modes, moved)[name]
    assert pr_curve(modes, gaussian).auc < 0.6
    one, other = scalars(modes, moved), scalars(moved, modes)
    assert one["frechet_distance"] == pytest.approx(other["frechet_distance"])
    assert one["kid"] == pytest.approx(other["kid"])


def test_one_good_mode_hides_missing_ones_and_noise_hides_behind_coverage():
    real, one, half_noise = many_modes()
    collapsed, noisy = scalars(real, one), scalars(real, half_noise)
    for name in ("precision", "clipped_density"):
        assert collapsed[name] > 0.9
    assert collapsed["density"] > 0.9
    assert collapsed["clipped_coverage"] < 0.25
    assert noisy["coverage"] > 0.9
    assert noisy["clipped_density"] < 0.6
    assert noisy["recall"] > 0.9
    dense = np.repeat(real[:60].mean(axis=0, keepdims=True), 300, axis=0)
    assert scalars(real, dense)["density"] > 1
    far = np.concatenate([np.full((6, 5), 900.0) * np.arange(1, 7)[:, None]])
    assert scalars(real, far)["recall"] == 1
    noise = RNG(5).normal(size=real.shape) * 200
    assert scalars(real, noise)["rke_generated"] > 2 * scalars(real, real)["rke_generated"]
    flat = real * [1, 1, 1, 0.01, 0.01]
    assert scalars(flat, noise)["vendi_generated"] > 1.2 * scalars(flat, flat)["vendi_generated"]


def test_clipped_coverage_takes_half_noise_for_missing_modes():
    real, _, half_noise = many_modes()
    fresh = real + RNG(6).normal(size=real.shape)
    kept = fresh[:180].repeat(2, axis=0)[:300]
    for generated in (half_noise, kept):
        assert 0.3 < scalars(real, generated)["clipped_coverage"] < 0.7


def test_the_class_score_sees_neither_collapse_inside_a_class_nor_how_frequent_classes_are():
    real, _, _ = many_modes()
    labels, centres = np.repeat(np.arange(5), 60), np.eye(5) * 40
    assert class_entropy(real, centres.repeat(60, axis=0), labels).score == pytest.approx(5)
    rare = np.concatenate([real[:60], real[60::20]])
    assert (
        class_entropy(rare, centres.repeat(60, axis=0), np.concatenate([labels[:60], labels[60::20]]), k=2).score > 4.5
    )


def test_every_number_has_its_line():
    pairs = {f"{name}_{side}" for name in ("eas", "prc", "ppr") for side in ("precision", "recall")}
    assert set(scalars(*PAIRS[0])) - set(BLIND_SPOTS) == {"coverage_precision", "kid_std", *pairs}
