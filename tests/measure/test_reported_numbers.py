"""Frechet distance, KID, clipped numbers, Vendi, RKE and class entropy against slow twins, and
their blind spots.
"""

from __future__ import annotations

import math
import pickle
import re
from fractions import Fraction
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from scipy.linalg import sqrtm
from scipy.special import betaln, gammaln
from sklearn.metrics.pairwise import polynomial_kernel

from prviz import (
    bundled_pair,
    class_entropy,
    clipped,
    frechet_distance,
    kid,
    pr_curve,
    rke,
    scalars,
    vendi,
)
from prviz.measure import frechet as frechet_module, kernel_scores
from prviz.measure.blind_spots import BLIND_SPOTS
from prviz.measure.clipped import expected_coverage, good_share
from prviz.measure.frechet import compare_frechet
from prviz.measure.kernel_scores import half_spread
from prviz.samples import Samples, as_samples
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
    slow = ((mean - other_mean) ** 2).sum() + np.trace(
        covariance + other - 2 * np.real(sqrtm(covariance @ other))
    )
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
    assert math.isnan(frechet_distance(*enough).bias)
    assert (
        frechet_distance(*enough).caveat
        == "how much of it is the bias of so few samples is not known, it may be all: halves of 6"
        " span at most 5 of 12 dimensions; 26 samples of each set tell it"
    )
    told = frechet_distance(*gaussians(26, 26, 12))
    assert told.caveat == ""
    assert told.low <= told.value - told.bias <= told.high
    assert scalars(*enough)["frechet_distance"] == frechet_distance(*enough).value


def test_the_bias_is_what_the_value_exceeds_its_limit_by():
    draws = [
        frechet_distance(*(RNG((seed, role)).normal(size=(300, 10)) for role in (0, 1)))
        for seed in range(8)
    ]
    value, bias = np.mean([each[:2] for each in draws], axis=0)
    assert value == pytest.approx(bias, rel=0.15)  # the limit is 0


@pytest.mark.exhaustive
def test_the_interval_of_the_frechet_distance_holds_its_limit():
    d = 6
    draws = 60
    limit = 6 * 0.3**2 + 6 * 0.2**2
    found = [frechet_distance(*gaussians(300, 300, d, 0.3, seed)) for seed in range(draws)]
    assert sum(each.low <= limit <= each.high for each in found) >= 0.88 * draws
    values = np.array([each.value for each in found])
    assert np.mean([each.std for each in found]) == pytest.approx(values.std(ddof=1), rel=0.25)
    wide, narrow = (frechet_distance(*gaussians(300, 300, d), level=level) for level in (0.99, 0.5))
    assert wide.low < narrow.low < narrow.high < wide.high


@pytest.mark.exhaustive
def test_two_models_are_compared_on_the_same_real_samples():
    inside = 0
    apart = []
    alone = []
    for seed in range(40):
        rng = RNG(seed)
        real, a, b = (rng.standard_t(8, size=(300, 4)) for _ in range(3))
        found = compare_frechet(real, a + 0.6, b + 0.5)
        limit = 4 * (0.6**2 - 0.5**2)
        inside += found.low <= limit <= found.high
        apart.append(found.high - found.low)
        if seed >= 10:
            continue
        one = frechet_distance(real, a + 0.6)
        other = frechet_distance(real, b + 0.5)
        assert found.difference == pytest.approx(one.value - one.bias - other.value + other.bias)
        alone.append(3.92 * math.hypot(one.std, other.std))
    assert inside >= 0.88 * 40
    assert np.mean(apart[:10]) < 0.9 * np.mean(alone)  # what the real samples add to both cancels
    same = compare_frechet(real, a, a)
    assert (same.difference, same.caveat) == (0, "")
    few = compare_frechet(real[:7], a, b)
    assert math.isnan(few.low)
    assert few.caveat.startswith("generated_a: how much of it is the bias")


def test_samples_of_a_group_count_once_for_the_interval():
    base = gaussians(200, 200, 2)
    videos = [
        Samples(np.repeat(each, 10, axis=0), groups=np.repeat(np.arange(200), 10)) for each in base
    ]
    once = frechet_distance(*base)
    grouped = frechet_distance(*videos)
    rows = frechet_distance(*(each.values for each in videos))
    assert grouped.std == pytest.approx(once.std, rel=0.02)
    assert rows.std == pytest.approx(once.std / math.sqrt(10), rel=0.02)
    assert 0.3 < grouped.bias / once.bias < 3
    assert kid(*videos).std == pytest.approx(
        math.sqrt(10) * kid(*(each.values for each in videos)).std, rel=0.05
    )


def test_a_frechet_distance_without_digits_says_so(monkeypatch):
    real = gaussians(300, 300, 4)[0]
    wide = RNG(9).normal(size=(300, 1)) * 1e9
    lost = frechet_distance(np.hstack([wide, real]), np.hstack([wide, real * 1.1]))
    assert math.isnan(lost.value)
    assert "vary far more than the others" in lost.caveat
    assert frechet_distance(real, real).caveat.startswith(
        "0 within rounding, which is up to about "
    )
    assert "too large" in frechet_distance(real * 1e200, real * 2e200).caveat
    far = frechet_distance(real, real * 1.1 + 1e9)
    assert far.bias == 0
    assert far.caveat.startswith("its bias is less than its rounding, which is up to about ")
    assert far.low <= far.value <= far.high
    plain = frechet_distance(real, real * 1.1)
    for offset, digits in ((1e9, 1e-6), (1e12, 1e-3)):
        assert frechet_distance(real + offset, real * 1.1 + offset).value == pytest.approx(
            plain.value, rel=digits
        )
    # a feature that is constant in one set has no inverse: its influence is that of what is left
    flat = frechet_distance(
        np.hstack([real, np.zeros((300, 1))]), np.hstack([real * 1.1, real[:, :1]])
    )
    assert 0.5 < flat.std / plain.std < 10
    for number in (
        frechet_distance(real * 1e-200, real * 2e-200),
        kid(real * 1e-200, real * 2e-200),
    ):
        assert math.isnan(number.value)
        assert number.caveat == "the squares of these numbers' differences are too small for it"
    near = kid(real * 1e-8, real * 1.5e-8 + 1e-8)
    assert near.value == pytest.approx(3 * ((real.mean(axis=0) * 5e-9 + 1e-8) ** 2).mean(), rel=0.1)
    monkeypatch.setattr(frechet_module, "frechet", lambda *_: math.nan)
    assert frechet_distance(real, real * 1.1).caveat.startswith(
        "its bias is not known: rounding leaves no digit"
    )


@pytest.mark.parametrize("power", [-330, 480])
def test_intervals_grow_with_the_values_as_the_distance_does(power: int) -> None:
    """Squares of what they are made of would under- or overflow."""
    real, a, b = RNG(0).normal(size=(3, 80, 3))
    scale = 2.0**power
    plain = frechet_distance(real, a + 0.3)
    far = frechet_distance(scale * real, scale * (a + 0.3))
    expected = [each * scale**2 for each in (plain.std, plain.low, plain.high)]
    assert [far.std, far.low, far.high] == pytest.approx(expected, rel=1e-9)
    between = compare_frechet(real, a + 0.3, b + 0.4)
    far_between = compare_frechet(scale * real, scale * (a + 0.3), scale * (b + 0.4))
    width = (between.high - between.low) * scale**2
    assert far_between.high - far_between.low == pytest.approx(width, rel=1e-9)


def test_the_deviation_of_kid_is_that_of_its_linear_part_where_values_are_tiny() -> None:
    real, generated = RNG(0).normal(size=(2, 80, 3))
    found = [kid(scale * real, scale * (generated + 1)) for scale in (1e-8, 1e-100)]
    assert found[1].std / found[1].value == pytest.approx(found[0].std / found[0].value, rel=1e-3)


# ---- KID ----


def slow_kid(real, generated):
    def kernel(x, y):
        return (float(np.dot(x, y)) / len(x) + 1) ** 3

    def inside(values):
        return np.mean(
            [kernel(x, y) for i, x in enumerate(values) for j, y in enumerate(values) if i != j]
        )

    across = np.mean([kernel(x, y) for x in real for y in generated])
    return inside(real) + inside(generated) - 2 * across


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
    assert frechet_distance(*pair).value == pytest.approx(
        frechet_module.frechet(*map(as_samples, pair))
    )


def test_kid_of_subsets_is_torch_fidelitys():
    real, generated = gaussians(90, 70, 5)
    stream = np.random.RandomState(2020)
    values = []
    for _ in range(7):
        x = real[stream.choice(90, 40, replace=False)]
        y = generated[stream.choice(70, 40, replace=False)]
        own = polynomial_kernel(x)
        other = polynomial_kernel(y)
        across = polynomial_kernel(x, y)
        inside = own.sum() - np.trace(own) + other.sum() - np.trace(other)
        values.append(inside / (40 * 39) - 2 * across.sum() / 40**2)
    assert kid(real, generated, subsets=7, subset_size=40) == pytest.approx(
        (np.mean(values), np.std(values))
    )


@pytest.mark.exhaustive
def test_kid_is_unbiased_and_its_deviation_is_about_right():
    same = [
        kid(*(RNG((seed, role)).normal(size=(100, 4)) for role in (0, 1))) for seed in range(60)
    ]
    apart = [kid(*gaussians(100, 100, 4, 0.7, seed)) for seed in range(60)]
    for draws, low, high in ((same, 1.0, 2.2), (apart, 0.7, 1.4)):
        values, claimed = np.array(draws).T
        assert low < claimed.mean() / values.std(ddof=1) < high
    values = np.array(same)[:, 0]
    assert abs(values.mean()) < 3 * values.std(ddof=1) / math.sqrt(60)
    assert values.min() < 0
    digits = bundled_pair("mixture-converged").real.values
    halves = [
        kid(digits[order[:400]], digits[order[400:800]])
        for order in (RNG(s).permutation(1797) for s in range(30))
    ]
    values, claimed = np.array(halves).T
    assert claimed.mean() / values.std(ddof=1) == pytest.approx(1.7, abs=0.4)


def exact_kid(real, generated):
    """KID in fractions: nothing is rounded."""
    sets = [[[Fraction(float(x)) for x in row] for row in side] for side in (real, generated)]
    d = len(sets[0][0])

    def kernel(x, y):
        return (sum(p * q for p, q in zip(x, y, strict=True)) / d + 1) ** 3

    inside = []
    for side in sets:
        values = [kernel(x, y) for x, y in combinations(side, 2)]
        inside.append(sum(values) / len(values))
    across = [kernel(x, y) for x in sets[0] for y in sets[1]]
    return float(inside[0] + inside[1] - 2 * sum(across) / len(across))


@pytest.mark.parametrize("offset", [0.0, 1e2, 1e4, 1e9, -1e12, np.array([1e9, 0.0, -3e5])])
def test_kid_far_from_zero_has_its_digits(offset):
    pair = [each + offset for each in gaussians(12, 15, 3)]
    found = kid(*pair)
    assert found.value == pytest.approx(exact_kid(*pair), rel=1e-9)
    assert found.caveat == ""
    assert 0 < found.std < 3 * abs(found.value)
    whole = kid(*pair, subsets=1, subset_size=12)
    assert 0.1 < whole.value / found.value < 10
    moved = scalars(*pair, k=3)
    assert moved["kid"] == found.value
    assert moved["frechet_distance"] == pytest.approx(
        scalars(*gaussians(12, 15, 3), k=3)["frechet_distance"], rel=1e-3
    )


def test_a_kid_without_digits_is_nan_and_says_why(monkeypatch):
    real, generated = gaussians(20, 25, 3)
    found = kid(real * 1e60, generated * 1e60)
    assert math.isnan(found.value)
    assert re.fullmatch(
        r"numbers of up to .*e\+60 are too large: the kernel takes their sixth powers", found.caveat
    )
    assert pickle.loads(pickle.dumps(found)).caveat == found.caveat
    assert kid(np.full((9, 3), 0.1), np.full((8, 3), 0.1)) == (0.0, 0.0)
    monkeypatch.setattr(kernel_scores, "_ROUNDING", 1e-3)  # as of numbers with three digits
    lost = kid(real, real[::-1].copy())
    assert math.isnan(lost.value)
    assert re.fullmatch(
        r"rounding alone is up to about .*, beside a value of .*: no digits hold", lost.caveat
    )


def test_kid_of_subsets_is_the_same_in_one_pass_over_all_samples_and_one_for_each(monkeypatch):
    real, generated = gaussians(90, 70, 5)
    pair = real.astype(np.float32), generated + 0.5
    monkeypatch.setattr(kernel_scores, "_TOGETHER", 3)
    monkeypatch.setattr(frechet_module, "BLOCK", 32)
    monkeypatch.setattr(kernel_scores, "BLOCK", 32)
    shares: list[float] = []
    found = []
    for one_pass in (True, False):
        monkeypatch.setattr(kernel_scores, "_in_one_pass", lambda *_, answer=one_pass: answer)
        found.append(kid(*pair, subsets=7, subset_size=40, progress=shares.append))
        assert 0 < shares[0] < shares[-1] <= 1
    assert found[0] == pytest.approx(found[1], rel=1e-10)


def test_rke_of_modes_far_apart_counts_them():
    modes = np.repeat([[0.0, 0.0], [1e9, 1e9]], 30, axis=0)
    modes += RNG(0).normal(size=(60, 2)) * 0.01
    assert rke(modes, bandwidth=1.0) == pytest.approx(2, rel=1e-3)
    near = RNG(1).normal(size=(60, 2))
    assert half_spread(as_samples(near + 1e12)) == pytest.approx(
        half_spread(as_samples(near)), rel=1e-4
    )


# ---- clipped density and coverage ----


def slow_clipped(real, generated, k):
    own = slow_twins.own_radii(list(real), k)
    cap = np.median(np.sqrt(own))
    short = [min(math.sqrt(each), cap) for each in own]

    def held(y, skip=None):
        balls = enumerate(zip(real, short, strict=True))
        inside = [math.dist(x, y) <= r * (1 + 1e-12) for i, (x, r) in balls if i != skip]
        return min(sum(inside) / k, 1)

    of_real = np.mean([held(x, i) for i, x in enumerate(real)])
    density = np.mean([held(y) for y in generated]) / of_real
    covered = []
    for x, radius in zip(real, own, strict=True):
        inside = [slow_twins.squared_distance(x, y) < radius for y in generated]
        covered.append(min(sum(inside) / k, 1))
    return min(density, 1), good_share(float(np.mean(covered)), k, len(real), len(generated))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("pair", PAIRS)
def test_clipped_numbers_are_the_double_loop(pair, k):
    assert clipped(*pair, k=k) == pytest.approx(slow_clipped(*pair, k))


def test_expected_coverage_is_the_sum_over_beta_binomial_counts():
    k = 3
    n = 20
    m = 15
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
    assert clipped(*pair) == pytest.approx((0.5910780669144983, 0.30564784053156147))
    assert clipped(*pair, k=10) == pytest.approx((0.6159292035398232, 0.3388704318936877))


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
    squares = np.array([math.dist(x, y) ** 2 for x in values for y in values])
    kernel = np.exp(-squares / (2 * 0.7**2))
    assert rke(values, bandwidth=0.7) == pytest.approx(1 / np.mean(kernel**2))
    modes = np.repeat(np.eye(5) * 100, 20, axis=0) + RNG(0).normal(size=(100, 5)) * 0.01
    assert rke(modes, bandwidth=1.0) == pytest.approx(5, rel=1e-3)
    spread = math.sqrt(np.mean(squares) * 40 / 39)
    assert half_spread(as_samples(values)) == pytest.approx(spread / 2)


def test_class_entropy_is_the_score_of_votes():
    modes = np.repeat(np.eye(4) * 50, 25, axis=0)
    real = modes + RNG(1).normal(size=modes.shape)
    labels = np.repeat(list("abcd"), 25)
    even = class_entropy(real, modes + 0.1, labels)
    assert (even.overall, even.within, even.score) == pytest.approx((math.log(4), 0, 4))
    one = class_entropy(real, modes[:25], labels)
    assert one.score == pytest.approx(1)
    blurred = class_entropy(real, np.zeros((30, 4)) + 12.5, labels)
    assert blurred.score == pytest.approx(1)
    assert blurred.within > 0.5


X = RNG(0).normal(size=(20, 2))


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (ValueError, "order = 0; a positive number", partial(vendi, X, order=0)),
        (ValueError, "bandwidth = 0; a positive number", partial(rke, X, bandwidth=0)),
        (ValueError, "KID needs at least 2 samples", partial(kid, X, X[:1])),
        (ValueError, "subsets = 0; an integer from 1", partial(kid, X, X, subsets=0)),
        (ValueError, "k = 0; an integer from 1 to 19", partial(clipped, X, X, k=0)),
        (ValueError, "labels = None; a class for each real", partial(class_entropy, X, X)),
        (
            ValueError,
            r"labels has the shape \(3,\); \(20,\), one for each real sample",
            partial(class_entropy, X, X, [1, 2, 3]),
        ),
        (
            ValueError,
            "real has 1 sample; a covariance needs at least 2",
            partial(frechet_distance, X[:1], X),
        ),
        (
            ValueError,
            "level = 1; a share between 0 and 1",
            partial(frechet_distance, X, X, level=1),
        ),
        (
            TypeError,
            "level = '95%'; a share between 0 and 1",
            partial(frechet_distance, X, X, level="95%"),
        ),
        (
            TypeError,
            "seed = 'a'; an integer from 0 is needed",
            partial(frechet_distance, X, 2 * X, seed="a"),
        ),
    ],
)
def test_bad_input_is_named(error, message, call):
    with pytest.raises(error, match=message):
        call()


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


@pytest.mark.exhaustive
def test_equal_moments_hide_another_shape_from_frechet_distance_and_kid():
    modes, gaussian = shapes()
    moved = gaussian + np.array([1.0, 0, 0, 0])
    for name in ("frechet_distance", "kid"):
        assert scalars(modes, gaussian)[name] < 0.1 * scalars(modes, moved)[name]
    assert pr_curve(modes, gaussian).auc < 0.6
    one = scalars(modes, moved)
    other = scalars(moved, modes)
    assert one["frechet_distance"] == pytest.approx(other["frechet_distance"])
    assert one["kid"] == pytest.approx(other["kid"])


@pytest.mark.exhaustive
def test_one_good_mode_hides_missing_ones_and_noise_hides_behind_coverage():
    real, one, half_noise = many_modes()
    collapsed = scalars(real, one)
    noisy = scalars(real, half_noise)
    for name in ("precision", "density", "clipped_density"):
        assert collapsed[name] > 0.9
    assert collapsed["clipped_coverage"] < 0.25
    assert noisy["coverage"] > 0.9
    assert noisy["clipped_density"] < 0.6
    assert noisy["recall"] > 0.9
    dense = np.tile(real[:60].mean(axis=0), (300, 1))
    assert scalars(real, dense)["density"] > 1
    far = 900.0 * np.arange(1, 7)[:, None] * np.ones(5)
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
    labels = np.repeat(np.arange(5), 60)
    centres = np.eye(5) * 40
    assert class_entropy(real, centres.repeat(60, axis=0), labels).score == pytest.approx(5)
    rows = [*range(60), *range(60, 300, 20)]
    rare = class_entropy(real[rows], centres.repeat(60, axis=0), labels[rows], k=2)
    assert rare.score > 4.5


def test_every_number_has_its_line():
    pairs = {f"{name}_{side}" for name in ("eas", "prc", "ppr") for side in ("precision", "recall")}
    assert set(scalars(*PAIRS[0])) - set(BLIND_SPOTS) == {"coverage_precision", "kid_std", *pairs}


def test_features_beyond_100_000_times_their_spread_are_shifted_and_others_are_not():
    sizes = np.array([1e5 - 0.5, 1e5, 1e5 + 0.5, -1e5 - 0.5])
    values = np.stack([sizes, sizes - np.sign(sizes)])  # of spread 1
    found = frechet_module.shift_of(as_samples(values), as_samples(values))
    assert found.tolist() == [0.0, 0.0, 1e5 + 0.5, -1e5 - 0.5]
    constant = as_samples(np.full((3, 1), 1e9))
    assert frechet_module.shift_of(constant, constant).tolist() == [0.0]


def test_the_rounding_of_a_frechet_distance_follows_from_what_is_added():
    rng = RNG(0)
    real, generated = (as_samples(rng.normal(size=(50, 4)) * scale) for scale in (0.1, 7.0))
    means = real.values.mean(axis=0) - generated.values.mean(axis=0)
    added = (means**2).sum() + sum(np.trace(np.cov(each.values.T)) for each in (real, generated))
    expected = 8 * np.finfo(np.float64).eps * math.sqrt(4) * added
    for pair in ((real, generated), (generated, real)):
        assert frechet_module._checked(*pair).rounding == pytest.approx(expected, rel=1e-9)


def test_a_distance_without_digits_says_so_by_itself():
    rng = np.random.default_rng(0)
    far = 1e8 * rng.normal(size=(100, 1))
    real, generated = (np.hstack([far, rng.normal(size=(100, 3))]) for _ in range(2))
    found = frechet_distance(real, generated)
    assert math.isnan(found.value)
    assert found.caveat.startswith("no digit of the distance holds: rounding alone is up to about")
    assert found.caveat.endswith("scale the features first")
