"""The upper bound by families against its definition in slow loops, and against known truths."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import bisect
from scipy.stats import binom

import prviz
from prviz.curves.summaries import DIVERGENCES
from prviz.estimators import DEFAULT_METHODS, Supports
from prviz.toys import toy
from prviz.uncertainty.upper_bound import _bounded, _nested_bounds, bound_of
from tests.marks import exhaustive_but

LAMS = np.tan(np.linspace(0, np.pi / 2, 200)[1:-1])


@pytest.mark.one_in(3)
@pytest.mark.parametrize("n", [1, 2, 30, 1000])
@pytest.mark.parametrize("level", [0.2, 0.001])
def test_bounds_of_nested_classifiers(n: int, level: float) -> None:
    bounds, share = _nested_bounds(n, level)
    band = math.sqrt(math.log(2 / level) / (2 * n))
    powers = range(1 + int(math.log(n, 1.2)))
    steps = {0} | {round(1.2**power) for power in powers if round(1.2**power) < n}
    assert share == pytest.approx(level / 2 / (len(steps) + 2))
    for errors in range(0, n + 1, max(1, n // 40)):
        coarser = [step for step in steps if step >= errors]
        # The rate at which so few errors are as unlikely as the level of one number.
        own = 1.0
        if coarser:
            most = min(coarser)
            own = bisect(lambda rate, most=most: binom.cdf(most, n, rate) - share, 0, 1)
        assert bounds[errors] == pytest.approx(min(errors / n + band, own), abs=1e-9)


def test_every_classifier_is_bounded_and_the_ends_by_themselves() -> None:
    rng = np.random.default_rng(0)
    supports = Supports(*rng.integers(0, 4, (2, 90)).astype(float), 50)
    found = _bounded(supports, 0.05)
    rates = supports.rates()
    for side, errors, n in zip(found, (rates.fpr, rates.fnr), (50, 40), strict=True):
        bounds, share = _nested_bounds(n, 0.05)
        for bound, rate in zip(side[:-2], errors[:-2], strict=True):
            assert bound == bounds[round(rate * n)]
        for bound, rate in zip(side[-2:], errors[-2:], strict=True):
            assert binom.cdf(round(rate * n), n, bound) == pytest.approx(share)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("method", exhaustive_but((DEFAULT_METHODS, "ipr"), DEFAULT_METHODS))
@pytest.mark.parametrize("name", ["mixtures", "boxes", "finite", "dirac", "identical"])
def test_the_truth_lies_below(name: str, method: str | tuple[str, ...]) -> None:
    problem = toy(name, **({"d": 4} if name in ("mixtures", "identical") else {}))
    truth = problem.truth()
    for seed in range(10):
        bound = prviz.upper_bound(*problem.sample(300, seed), method, seed=seed)
        assert np.all(truth.alpha(LAMS) <= bound.alpha(LAMS) + 1e-9)
        for divergence in DIVERGENCES:  # the sentence of their columns: a lower bound
            assert divergence.of(bound) <= divergence.of(truth) + 1e-9
    tighter = prviz.upper_bound(*problem.sample(3000, 0), method)
    assert tighter.auc <= bound.auc


def test_what_is_measured_already_has_the_same_bound() -> None:
    pair = toy("mixtures", d=4).sample(300, 0)
    found = bound_of(prviz.estimate(pair, ("knn", "cluster")).values())
    assert np.array_equal(found.vertices, prviz.upper_bound(*pair, ("knn", "cluster")).vertices)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "method", [name for name, each in prviz.ESTIMATORS.items() if not each.chosen_by_evaluation]
)
def test_an_evaluation_sample_changes_no_support_but_its_own(method: str) -> None:
    pair = toy("mixtures", d=3).sample(80, 0)
    changed = np.array(pair.real.values)
    row = int(pair.split(0.5, 0).evaluate_rows[0][5])
    changed[row] += 3.0
    pairs = (pair, prviz.SamplePair(changed, pair.generated))
    before, after = (prviz.estimate(each, method, k=5)[method].runs for each in pairs)
    others = np.arange(len(before[0].c_real)) != 5
    for one, other in zip(before, after, strict=True):
        assert np.array_equal(one.c_real[others], other.c_real[others])
        assert np.array_equal(one.c_generated[others], other.c_generated[others])


def test_more_settings_and_more_confidence_cost_something() -> None:
    pair = toy("mixtures", d=4).sample(500, 0)
    one = prviz.upper_bound(*pair, "knn")
    assert np.all(one.alpha(LAMS) <= prviz.upper_bound(*pair, "knn", confidence=0.999).alpha(LAMS))
    same_k, two = (prviz.upper_bound(*pair, "knn", ks=ks) for ks in ((22, "sqrt", 22), (22, 5)))
    assert same_k.auc != two.auc


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"split": None}, "split = None; a share"),
        ({"confidence": 1}, "confidence = 1; a share between 0 and 1"),
        ({"ks": ()}, "ks is empty"),
        ({"methods": "nothing"}, "methods = 'nothing'"),
        (
            {"methods": ("knn", "tightest", "eas")},
            r"\['tightest', 'eas'\]: their evaluation samples take part",
        ),
        ({"ks": (500,)}, "k = 500"),
    ],
)
def test_bad_arguments_are_named(options: dict[str, Any], message: str) -> None:
    pair = toy("mixtures", d=2).sample(60, 0)
    with pytest.raises(ValueError, match=message):
        prviz.upper_bound(*pair, **options)
