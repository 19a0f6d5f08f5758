"""The curve between two given distributions, against the paper's formula and all classifiers."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st

import prviz
from prviz.curves.ground_truth import discrete_curve

LAMS = np.concatenate([[0.0], np.geomspace(1e-4, 1e4, 41), [np.inf]])


@st.composite
def distributions(draw):
    """Two distributions over 1 to 7 outcomes, with empty ones, ties and equal ratios among them."""
    m = draw(st.integers(1, 7))
    counts = st.lists(st.integers(0, 5), min_size=m, max_size=m).filter(any)
    p, q = (np.array(draw(counts), dtype=float) for _ in range(2))
    return p / p.sum(), q / q.sum()


@given(distributions())
def test_it_is_the_minimum_over_all_classifiers(pair):
    p, q = pair
    # what each classifier calls real
    subsets = np.array(list(product([False, True], repeat=len(p))))
    fpr = (~subsets) @ p
    fnr = subsets @ q
    curve = discrete_curve(p, q)
    for lam in LAMS[1:-1]:
        assert curve.alpha(lam) == pytest.approx(float(np.min(lam * fpr + fnr)), abs=1e-12)
    assert curve.extreme_precision == pytest.approx(float(fnr[fpr < 1e-12].min()), abs=1e-12)
    assert curve.extreme_recall == pytest.approx(float(fpr[fnr < 1e-12].min()), abs=1e-12)


@given(distributions())
def test_it_is_the_papers_formula(pair):
    p, q = pair
    curve = discrete_curve(p, q)
    for lam in LAMS[1:-1]:
        assert curve.alpha(lam) == pytest.approx(float(np.minimum(lam * p, q).sum()), abs=1e-12)
        assert curve.beta(lam) == pytest.approx(float(np.minimum(p, q / lam).sum()), abs=1e-12)
    np.testing.assert_allclose(discrete_curve(q, p).vertices, curve.mirrored().vertices, atol=1e-12)


@given(distributions(), st.randoms(use_true_random=False))
def test_the_order_of_the_outcomes_means_nothing(pair, random):
    order = random.sample(range(len(pair[0])), len(pair[0]))
    shuffled = discrete_curve(*(side[order] for side in pair))
    lams = LAMS[1:-1]
    np.testing.assert_allclose(shuffled.alpha(lams), discrete_curve(*pair).alpha(lams), atol=1e-12)


def test_the_papers_first_examples():
    both = [0.5, 0.5]
    one = [1.0, 0.0]
    dropped = prviz.discrete_curve(both, one)
    invented = prviz.discrete_curve(one, both)
    assert dropped.vertices.tolist() == [[0, 1], [0.5, 0]]
    assert invented.vertices.tolist() == [[0, 0.5], [1, 0]]
    assert prviz.discrete_curve(both, both).auc == 1
    assert prviz.discrete_curve([1.0, 0.0], [0.0, 1.0]).auc == 0


def test_masses_are_divided_by_their_sum():
    rounded = np.float32([1 / 3] * 3)
    curve = discrete_curve(rounded, [1 / 3, 2 / 3 + 9e-6, 0.0])
    assert curve.extreme_precision == 1
    with pytest.raises(ValueError, match="q has the total 7; masses of total 1"):
        discrete_curve([0.5, 0.5], [3, 4])


@pytest.mark.parametrize(
    ("p", "q", "message"),
    [
        ([0.5, 0.5], [1.0], "p has 2 masses, q has 1"),
        ([], [], r"p has shape \(0,\)"),
        ([[1.0]], [1.0], r"p has shape \(1, 1\)"),
        ([1.5, -0.5], [0.5, 0.5], r"p holds -0\.5; every mass"),
        ([1.0, 0.0], [np.nan, 1.0], "q holds nan"),
        ([1.0, 0.0], [np.inf, 0.0], "q holds inf"),
        ([1.0, 0.0], [0.0, 0.0], "q has the total 0"),
    ],
)
def test_what_is_no_distribution_is_refused(p, q, message):
    with pytest.raises(ValueError, match=message):
        discrete_curve(p, q)
