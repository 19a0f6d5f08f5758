"""Profiles: every curve equals that of a separate run."""

from __future__ import annotations

import math

import numpy as np
import pytest

import prviz
from prviz.estimators import DEFAULT_METHODS
from prviz.measure.estimates import estimate, mean_radius
from prviz.measure.profiles import BANDWIDTHS, bandwidth_unit, profile
from prviz.samples import SamplePair
from tests.estimators.pairs import SPLITS, gaussians, lists, ties

# the last two, with a pass of their own, read it off a table of distances
METHODS = (*DEFAULT_METHODS, "eas", "prc", "ppr", "hub")
PAIR = gaussians(60, 70, 9, 0.3, seed=5)
COLLAPSED = SamplePair(np.ones((20, 3)), np.ones((20, 3)))


@pytest.mark.one_in(4)
@SPLITS
@pytest.mark.parametrize("pair", [PAIR, ties(60, 60)], ids=["gaussians", "ties"])
def test_a_profile_equals_separate_runs(pair, split):
    bandwidths = (0.8, 1.5, 3.0, 4.25)
    found = profile(*pair, METHODS, bandwidths=bandwidths, split=split, seed=3)
    top = min(2 * math.isqrt(60), (60 if split is None else 30) - 1)
    assert found.ks == tuple(range(1, top + 1))
    assert found.bandwidths == bandwidths
    for k in found.ks:
        for method, each in estimate(pair, METHODS, k=k, split=split, seed=3).items():
            one = found.estimate(method, k)
            assert lists(one.supports) == lists(each.supports)
            assert np.array_equal(one.supports.real_rows, each.supports.real_rows)
            assert np.array_equal(found.curve(method, k).vertices, each.curve.vertices)
            assert one.bandwidth == each.bandwidth
    for width in bandwidths:
        alone = estimate(pair, "kde", bandwidth=width, split=split, seed=3)["kde"].curve
        assert np.array_equal(found.curve("kde", bandwidth=width).vertices, alone.vertices)


def test_the_default_bandwidths_span_half_to_twice_the_mean_radius():
    found = profile(*PAIR)
    unit = mean_radius(PAIR)
    assert len(found.bandwidths) == BANDWIDTHS >= 64
    assert found.bandwidths[0] == pytest.approx(unit / 2)
    assert found.bandwidths[BANDWIDTHS // 2] == pytest.approx(unit)
    assert found.bandwidths[-1] == pytest.approx(2 * unit)


@SPLITS
def test_the_unit_of_a_sample(split):
    exact, whole, few = (
        bandwidth_unit(PAIR, split=split, seed=2, sample=sample) for sample in (None, 10**6, 12)
    )
    assert whole == pytest.approx(exact, rel=1e-12)
    assert few == pytest.approx(exact, rel=0.1)
    assert few != exact
    assert bandwidth_unit(COLLAPSED, sample=5) == 0


def test_only_families_with_a_bandwidth_are_measured_at_bandwidths():
    found = profile(*PAIR, ["knn", "ipr"], [3])
    assert found.bandwidths == ()
    assert found.methods == ("knn", "ipr")


def test_collapsed_sets_have_no_unit_and_no_bandwidths():
    found = profile(*COLLAPSED)
    assert found.bandwidths == ()
    assert found.curve("kde", 2).auc == pytest.approx(1.0)


def test_a_notebook_shows_the_curves_at_the_middle_k():
    text = profile(*PAIR, ["knn", "kde"], [2, 4, 8, "sqrt"], [1.0])._repr_html_()
    assert text.count("k = 7") == 2
    assert "k from 2 to 8" in text


def test_what_a_profile_does_not_hold_is_said():
    found = profile(*PAIR, ["knn", "kde"], [2, "sqrt"], [1.0])
    assert found.ks == (2, 7)
    for (method, k, bandwidth), error, message in (
        (
            ("knn", 3, None),
            KeyError,
            "knn at 3; the profile holds 2 values from 2 to 7 for knn, kde",
        ),
        (("knn", None, 1.0), KeyError, r"knn at 1\.0"),
        (("kde", 2, 1.0), ValueError, "exactly one of them"),
        (("kde", None, None), ValueError, "exactly one of them"),
    ):
        with pytest.raises(error, match=message):
            found.curve(method, k, bandwidth=bandwidth)
    with pytest.raises(ValueError, match="k = 40 with"):
        profile(*PAIR, ["knn"], [3, 40])


def test_the_best_k_is_the_closest_to_the_truth():
    toy = prviz.toy("mixtures", d=4)
    found = prviz.profile(*toy.sample(200, seed=1), split=0.5)
    for method in DEFAULT_METHODS:
        iou = [found.curve(method, k).iou(toy.truth()) for k in found.ks]
        assert found.best_k(method, toy.truth()) == found.ks[int(np.argmax(iou))]


def test_a_profile_of_sets_far_apart_equals_separate_runs():
    rng = np.random.default_rng(8)
    pair = SamplePair(rng.normal(0, 1, size=(60, 2)), rng.normal(30, 1, size=(60, 2)))
    # no sample has one of the other set among its nearest
    found = profile(*pair, "knn", ks=range(1, 21), split=0.5)
    for k in found.ks:
        alone = estimate(pair, "knn", k=k)["knn"]
        assert lists(found.estimate("knn", k).supports) == lists(alone.supports)
        assert np.array_equal(found.curve("knn", k).vertices, alone.curve.vertices)
