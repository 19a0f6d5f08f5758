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
from tests.estimators.pairs import (
    PAIRS,
    SPLITS,
    dropped_mode,
    gaussians,
    lists,
    supports,
    swapped,
)
from tests.marks import exhaustive_but


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
        assert lists(each.supports) == slow_twins.supports(drawn, method, each.k, bandwidth)
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
    def inside(points, samples):
        balls = list(zip(samples, slow_twins.own_radii(samples, k), strict=True))
        return [any(slow_twins.squared_distance(z, x) <= r for x, r in balls) for z in points]

    real, generated = (side.values for side in pair)
    improved_precision = np.mean(inside(generated, real))
    improved_recall = np.mean(inside(real, generated))
    found = estimate(pair, "ipr", k=k, split=None)["ipr"]
    assert ends(found) == (improved_precision, improved_recall)


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
@SPLITS
@pytest.mark.parametrize("bandwidth", exhaustive_but((None, 1.7), 1.7))
def test_swapping_the_roles_mirrors_every_curve(pair, split, bandwidth):
    # A perceptron's first weights are drawn for one order of the classes.
    methods = [each for each in measured_at(split) if each != "classifier-mlp"]
    found = [
        estimate(each, methods, k=3, bandwidth=bandwidth, split=split)
        for each in (pair, swapped(pair))
    ]
    for method in methods:
        one, other = (each[method] for each in found)
        assert one.supports.n_real == len(other.supports.c_real) - other.supports.n_real
        np.testing.assert_allclose(one.curve.mirrored().vertices, other.curve.vertices, atol=1e-12)


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("split", "method"), [(split, method) for split in (0.5, None) for method in measured_at(split)]
)
def test_a_dropped_mode_costs_recall_and_not_precision(method, split):
    curve = pr_curve(*dropped_mode(), method, k=15, split=split)
    # The truth: full precision up to a recall of one half, and no recall beyond.
    assert curve.precision_at(recall=0.3) > 0.75
    assert curve.recall_at(precision=0.3) < 0.6


def test_the_pooled_ball_leaves_its_centre_out_by_index():
    # The real point 0 has a duplicate: its nearest other sample is that duplicate, at distance
    # zero.
    pair = SamplePair(np.array([[0.0], [0.0], [5.0]]), np.array([[1.0], [1.0], [6.0]]))
    knn = supports(pair, "knn", k=1, split=None)
    assert lists(knn) == ([2, 2, 1, 0, 0, 1], [0, 0, 1, 2, 2, 1])


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
        found = supports(pair, method, k=4, split=None)
        assert lists(found) == slow_twins.supports(pair.split(None), method, 4, None)
    with pytest.raises(ValueError, match="at least 2 of each are needed"):
        estimate(gaussians(7, 2), k=1, split=0.5)


@pytest.mark.parametrize(
    ("error", "bandwidths"), [(ValueError, (0, -1.0, np.inf)), (TypeError, ("wide", True))]
)
def test_illegal_bandwidth(error, bandwidths):
    for bandwidth in bandwidths:
        with pytest.raises(error, match=r"bandwidth = .*; a positive"):
            check_bandwidth(bandwidth)


def test_supports_keep_their_arrays():
    source = np.array([1, 2, 3])
    kept = Supports(source, np.array([0, 1, 0]), 2)
    source[0] = 9
    for each in (kept, pickle.loads(pickle.dumps(kept))):
        assert each.c_real.tolist() == [1, 2, 3]
        assert not each.c_real.flags.writeable
        assert not each.c_generated.flags.writeable
