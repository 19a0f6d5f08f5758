"""The families of classifiers: their published ends, their symmetry, and their legal parameters."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from prviz.estimators import DEFAULT_METHODS, ESTIMATORS, Estimator, Supports, resolve_k
from prviz.estimators.base import check_bandwidth, check_k
from prviz.measure.estimates import Estimate, estimate, pr_curve
from prviz.samples import SamplePair
from tests import slow_twins
from tests.marks import exhaustive_but


def gaussians(
    n_real: int = 60, n_generated: int = 45, d: int = 9, shift: float = 0.4
) -> SamplePair:
    rng = np.random.default_rng(3)
    return SamplePair(rng.normal(size=(n_real, d)), rng.normal(size=(n_generated, d)) + shift)


def ties(n_real: int = 40, n_generated: int = 30, d: int = 3) -> SamplePair:
    rng = np.random.default_rng(4)
    return SamplePair(rng.integers(0, 4, (n_real, d)), rng.integers(1, 5, (n_generated, d)))


PAIRS = pytest.mark.parametrize("pair", [gaussians(), ties()], ids=["gaussians", "ties"])


def measured_at(split: float | None) -> list[str]:
    return [name for name, each in ESTIMATORS.items() if split is not None or not each.needs_split]


def test_registry_is_complete_and_in_order():
    fitted = ["cluster", "classifier", "classifier-boosting", "classifier-mlp"]
    assert list(ESTIMATORS) == [
        "knn",
        "kde",
        "ipr",
        "coverage",
        "eas",
        "prc",
        "ppr",
        *fitted,
        "hub",
        "tightest",
    ]
    assert list(DEFAULT_METHODS) == ["knn", "kde", "ipr", "coverage"]
    for name, estimator in ESTIMATORS.items():
        assert estimator.name == name
        assert estimator.title
        assert estimator.idea.endswith("?")
        assert "20" in estimator.source
        has_runs = type(estimator).runs is not Estimator.runs
        assert estimator.shares_pass is not has_runs
        assert estimator.supports_are_counts is (name in DEFAULT_METHODS)
        assert (estimator.tunes is None) is (name in (*fitted, "tightest"))
        assert estimator.needs_split is name.startswith(("classifier", "tightest"))
    tuned = [each.tunes for name, each in ESTIMATORS.items() if name not in (*fitted, "tightest")]
    assert tuned == ["k", "bandwidth", *["k"] * 6]


@pytest.mark.one_in(4)
@PAIRS
@pytest.mark.parametrize("bandwidth", [None, 1.5, np.sqrt(2)])
@pytest.mark.parametrize("k", [1, 3, "sqrt"])
@pytest.mark.parametrize("split", [0.5, 0.3, None])
def test_supports_equal_the_definitions(pair, split, k, bandwidth):
    found = estimate(pair, k=k, bandwidth=bandwidth, split=split, seed=2)
    drawn = pair.split(split, 2)
    for method, each in found.items():
        expected = slow_twins.supports(drawn, method, each.k, bandwidth)
        assert (each.supports.c_real.tolist(), each.supports.c_generated.tolist()) == expected
        assert each.supports.n_real == drawn.evaluate.real.n


def ends(found: Estimate) -> tuple[float, float]:
    """Error rates of the family's two extreme classifiers: fnr of [c_X > 0], and fpr of [c_Y == 0].

    These are what the published scalars are. Without split the first has no fpr and the second no
    fnr, so they bound the curve's own ends, which are the best of the whole family.
    """
    c_real = found.supports.c_real
    c_generated = found.supports.c_generated
    n_real = found.supports.n_real
    assert np.all(c_real[:n_real] > 0)
    assert np.all(c_generated[n_real:] > 0)
    precision = float(np.mean(c_real[n_real:] > 0))
    recall = float(np.mean(c_generated[:n_real] > 0))
    assert found.curve.extreme_precision <= precision
    assert found.curve.extreme_recall <= recall
    if np.any(found.rates.fpr == 0):
        assert (found.rates.fpr[-1], found.rates.fnr[-1]) == (0, precision)
    return precision, recall


@PAIRS
@pytest.mark.parametrize("k", [1, 3, 5])
def test_ipr_without_split_holds_improved_precision_and_recall(pair, k):
    real = pair.real.values
    generated = pair.generated.values
    real_radii = slow_twins.own_radii(real, k)
    generated_radii = slow_twins.own_radii(generated, k)

    def inside(z, samples, radii):
        return any(
            slow_twins.squared_distance(z, x) <= r for x, r in zip(samples, radii, strict=True)
        )

    improved_precision = np.mean([inside(y, real, real_radii) for y in generated])
    improved_recall = np.mean([inside(x, generated, generated_radii) for x in real])
    assert ends(estimate(pair, "ipr", k=k, split=None)["ipr"]) == (
        improved_precision,
        improved_recall,
    )


@PAIRS
@pytest.mark.parametrize("k", [1, 3, 5])
def test_coverage_without_split_holds_coverage(pair, k):
    covered = [
        any(slow_twins.squared_distance(x, y) <= r for y in pair.generated.values)
        for x, r in zip(pair.real.values, slow_twins.own_radii(pair.real.values, k), strict=True)
    ]
    assert ends(estimate(pair, "coverage", k=k, split=None)["coverage"])[1] == np.mean(covered)


@PAIRS
@pytest.mark.parametrize("k", [1, 3, 5, "sqrt"])
def test_knn_and_coverage_without_split_share_their_extreme_classifiers(pair, k):
    found = estimate(pair, ("knn", "coverage"), k=k, split=None)
    assert ends(found["knn"]) == ends(found["coverage"])


@pytest.mark.one_in(3)
@PAIRS
@pytest.mark.parametrize("split", [0.5, None])
@pytest.mark.parametrize("bandwidth", exhaustive_but((None, 1.7), 1.7))
def test_swapping_the_roles_mirrors_every_curve(pair, split, bandwidth):
    # A perceptron's first weights are drawn for one order of the classes.
    methods = [each for each in measured_at(split) if each != "classifier-mlp"]
    one = estimate(pair, methods, k=3, bandwidth=bandwidth, split=split)
    other = estimate(
        SamplePair(pair.generated, pair.real), methods, k=3, bandwidth=bandwidth, split=split
    )
    for method in methods:
        measured = one[method].supports
        swapped = other[method].supports
        assert measured.n_real == len(swapped.c_real) - swapped.n_real
        np.testing.assert_allclose(
            one[method].curve.mirrored().vertices, other[method].curve.vertices, atol=1e-12
        )


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("split", "method"), [(split, method) for split in (0.5, None) for method in measured_at(split)]
)
def test_a_dropped_mode_costs_recall_and_not_precision(method, split):
    rng = np.random.default_rng(5)
    modes = np.repeat([[0.0], [40.0]], 150, axis=0)
    real = rng.normal(size=(300, 8)) + modes
    generated = rng.normal(size=(300, 8))
    curve = pr_curve(real, generated, method, k=15, split=split)
    # The truth: full precision up to a recall of one half, and no recall beyond.
    assert curve.precision_at(recall=0.3) > 0.75
    assert curve.recall_at(precision=0.3) < 0.6


def test_the_pooled_ball_leaves_its_centre_out_by_index():
    # The real point 0 has a duplicate: its nearest other sample is that duplicate, at distance
    # zero.
    pair = SamplePair(np.array([[0.0], [0.0], [5.0]]), np.array([[1.0], [1.0], [6.0]]))
    knn = estimate(pair, "knn", k=1, split=None)["knn"].supports
    assert knn.c_real.tolist() == [2, 2, 1, 0, 0, 1]
    assert knn.c_generated.tolist() == [0, 0, 1, 2, 2, 1]


def test_kde_reports_its_bandwidths():
    pair = gaussians()
    found = estimate(pair, k=3, split=None)
    radii = tuple(slow_twins.mean_own_radius(each.values, 3) for each in pair)
    assert found["kde"].bandwidth == radii
    assert estimate(pair, "kde", bandwidth=2, split=None)["kde"].bandwidth == (2.0, 2.0)
    assert [found[method].bandwidth for method in ("knn", "ipr", "coverage")] == [None] * 3


def test_sqrt_is_of_the_smaller_set_before_the_split():
    assert resolve_k("sqrt", gaussians(120, 50)) == 7
    assert estimate(gaussians(120, 50), "knn", split=0.5)["knn"].k == 7
    assert resolve_k(np.int64(4), gaussians()) == 4


@pytest.mark.parametrize(
    ("k", "error", "message"),
    [
        (0, ValueError, r'k = 0; an integer from 1 or "sqrt" is needed'),
        (22, ValueError, r"k = 22 with 30 real and 22 generated samples to fit; k must be 1 to 21"),
        (-3, ValueError, r"k = -3"),
        ("cube", TypeError, r'k = \'cube\'; an integer from 1 or "sqrt"'),
        (2.0, TypeError, r"k = 2.0; an integer"),
        (True, TypeError, r"k = True; an integer"),
    ],
)
def test_illegal_k(k, error, message):
    with pytest.raises(error, match=message):
        estimate(gaussians(), k=k, split=0.5)


def test_largest_legal_k_and_too_few_samples():
    pair = gaussians(7, 5)
    assert check_k(4, pair.split(None)) == 4
    for method in DEFAULT_METHODS:
        drawn = pair.split(None)
        found = estimate(pair, method, k=4, split=None)[method].supports
        assert (found.c_real.tolist(), found.c_generated.tolist()) == slow_twins.supports(
            drawn, method, 4, None
        )
    with pytest.raises(ValueError, match="at least 2 of each are needed"):
        estimate(gaussians(7, 2), k=1, split=0.5)


@pytest.mark.parametrize(
    ("bandwidth", "error"),
    [
        (0, ValueError),
        (-1.0, ValueError),
        (np.inf, ValueError),
        ("wide", TypeError),
        (True, TypeError),
    ],
)
def test_illegal_bandwidth(bandwidth, error):
    with pytest.raises(error, match=r"bandwidth = .*; a positive"):
        check_bandwidth(bandwidth)


def test_supports_keep_their_arrays():
    source = np.array([1, 2, 3])
    supports = Supports(source, np.array([0, 1, 0]), 2)
    source[0] = 9
    again = pickle.loads(pickle.dumps(supports))
    for each in (supports, again):
        assert each.c_real.tolist() == [1, 2, 3]
        assert not each.c_real.flags.writeable
        assert not each.c_generated.flags.writeable
