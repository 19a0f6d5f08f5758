"""The upper bound by one score: critical values against exact tails, its geometry in slow loops,
and known truths.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy.special import xlogy
from scipy.stats import binom, mannwhitneyu

import prviz
from prviz.curves import PRCurve
from prviz.estimators.cross_fitting import Scores, cut_places
from prviz.samples import SamplePair, Split
from prviz.toys import toy
from prviz.uncertainty.critical_values import CriticalValues, _band_edges, critical_values
from prviz.uncertainty.upper_bound import (
    _ANGLES,
    CUTS,
    GATE,
    JudgedHalf,
    _chance,
    _corners,
    _largest_rate,
    _lowest,
    bound_of_scores,
    judge_half,
)
from tests.marks import exhaustive_but

LAMS = np.tan(np.linspace(0, np.pi / 2, 300)[1:-1])


def kl(measured: Any, rate: float) -> Any:
    return xlogy(measured, measured / rate) + xlogy(1 - measured, (1 - measured) / (1 - rate))


def divergences(n: int, rate: float) -> tuple[np.ndarray, np.ndarray]:
    """n kl+ of every possible measured rate from the true one, and the probability of each."""
    counts = np.arange(n + 1)
    parts = n * kl(counts / n, rate)
    return np.where(counts / n < rate, parts, 0.0), binom.pmf(counts, n, rate)


def band(critical: CriticalValues, rates: Sequence[float]) -> tuple[int, int]:
    """Place of the critical value for these true rates."""
    first, second = (
        int(np.searchsorted(edges, rate, "right")) - 1
        for edges, rate in zip(critical.edges, rates, strict=True)
    )
    return first, second


@pytest.mark.parametrize("sizes", [(60, 60), (250, 40)])
def test_a_critical_value_is_exceeded_no_more_often_than_the_level(sizes: tuple[int, int]) -> None:
    level = 0.01
    rng = np.random.default_rng(0)
    critical = critical_values(*sizes, level)
    largest = 0.0
    for _ in range(300):
        rates = [
            float(np.clip(rng.choice([rng.random(), *rng.exponential(3 / n, 2)]), 1e-9, 0.999))
            for n in sizes
        ]
        rates = [rate if rng.random() < 0.7 else 1 - rate for rate in rates]
        place = band(critical, rates)
        (one, p), (other, q) = (divergences(n, rate) for n, rate in zip(sizes, rates, strict=True))
        exceeds = one[:, None] + other > critical.values[place]
        largest = max(largest, float((p[:, None] * q * exceeds).sum()))
    assert 0.4 * level < largest <= level


def test_the_largest_rate_has_that_divergence() -> None:
    for measured in (0.0, 0.013, 0.5, 0.98):
        for divergence in (1e-4, 0.01, 0.3):
            found = float(_largest_rate(measured, np.array([divergence]))[0])
            assert kl(measured, found) == pytest.approx(divergence, abs=1e-9)


@pytest.mark.parametrize("n", [5, 40, 1000])
def test_bands_of_true_rates_follow_one_another(n: int) -> None:
    assert (np.diff(_band_edges(n)) > 0).all()


def test_below_the_smallest_lam_the_bound_is_lam_up_to_where_the_best_cut_takes_over() -> None:
    bound = _lowest([(np.array([0.9]), np.array([1e-5]))])
    np.testing.assert_allclose(
        bound.alpha(np.array([1e-6, 1e-4, 2e-4])), [1e-6, 1e-4, 1.9e-4], rtol=1e-6
    )
    # a cut with two corners, of which the other one is worse below the smallest lam
    least = np.tan(np.pi / 4 / _ANGLES)
    fpr, fnr = np.array([0.5, 0.6]), np.array([0.2 * least, 0.0])
    lams = np.linspace(0.1, 5, 99) * least
    bounds = np.minimum(lams, (lams[:, None] * fpr + fnr).max(axis=1))
    assert (_lowest([(fpr, fnr)]).alpha(lams) >= bounds * (1 - 1e-9)).all()


def test_the_corners_hold_every_rate_of_the_region() -> None:
    sizes = (80, 50)
    rates = (0.1, 0.24)
    critical = critical_values(*sizes, 0.02)
    corners = _corners(rates, sizes, critical)
    rng = np.random.default_rng(1)
    inside = 0
    for fpr, fnr in rng.random((4000, 2)) * 0.6:
        total = 0.0
        for measured, true, n in zip(rates, (fpr, fnr), sizes, strict=True):
            if measured < true:
                total += n * kl(measured, true)
        if total <= critical.values[band(critical, (fpr, fnr))]:
            inside += 1
            assert ((corners[0] >= fpr) & (corners[1] >= fnr)).any()
    assert inside > 500


@pytest.mark.parametrize(
    ("apart", "sizes"),
    [
        (0.7, (150, 90)),
        pytest.param(9.0, (10_000, 9_000), marks=pytest.mark.thorough),
    ],
)
def test_the_bound_is_that_of_the_best_cut_at_every_lam(
    apart: float, sizes: tuple[int, int]
) -> None:
    rng = np.random.default_rng(2)
    scores = Scores(rng.normal(-apart, 1, sizes[0]), rng.normal(apart, 1, sizes[1]))
    lams = np.tan(np.linspace(0, np.pi / 2, 5000)[1:-1])  # some beyond those of the bound
    critical = critical_values(*sizes, 0.05 / CUTS)
    of_cuts = []
    for place in cut_places(CUTS):
        fpr, fnr = _corners(
            (np.mean(scores.real > place), np.mean(scores.generated <= place)), sizes, critical
        )
        of_cuts.append((lams[:, None] * fpr + fnr).max(axis=1))
    lowest = np.minimum(np.min(of_cuts, axis=0), np.minimum(lams, 1.0))
    found = bound_of_scores(scores, sizes).alpha(lams)
    assert np.all(found >= lowest - 1e-9)
    assert found.mean() < lowest.mean() + 0.03  # what is concave above it


@pytest.mark.parametrize(
    "name", exhaustive_but(["mixtures", "boxes", "finite", "dirac", "identical"], "dirac")
)
def test_the_truth_lies_below(name: str) -> None:
    problem = toy(name, **({"d": 4} if name in ("mixtures", "identical") else {}))
    truth = problem.truth()
    for seed in range(2):
        bound = prviz.upper_bound(*problem.sample(200, seed), seed=seed)
        assert np.all(truth.alpha(LAMS) <= bound.alpha(LAMS) + 1e-9)


@pytest.mark.exhaustive
def test_it_is_closer_than_that_of_the_families() -> None:
    pair = toy("mixtures", d=8).sample(500, 0)
    families = prviz.upper_bound(*pair, prviz.estimators.DEFAULT_METHODS)
    assert prviz.upper_bound(*pair).auc < families.auc - 0.05


@pytest.mark.exhaustive
def test_more_confidence_costs_something_and_groups_count_once() -> None:
    rng = np.random.default_rng(3)
    scores = Scores(rng.normal(-1, 1, 200), rng.normal(1, 1, 200))
    bound = bound_of_scores(scores, (200, 200))
    assert bound.auc < bound_of_scores(scores, (200, 200), 0.999).auc
    assert bound.auc < bound_of_scores(scores, (20, 20)).auc
    groups = np.repeat(np.arange(20), 10)
    real, generated = (prviz.Samples(rng.normal(at, 1, (200, 2)), groups=groups) for at in (0, 3))
    alone = prviz.upper_bound(real.values, generated.values)
    assert prviz.upper_bound(real, generated).auc > alone.auc + 0.1


def test_sets_are_told_apart_by_their_scores_or_a_bound_below_one() -> None:
    whole, less = PRCurve.from_error_rates([], []), PRCurve.from_error_rates([0.2], [0.3])
    assert not JudgedHalf(whole, GATE).told_apart
    assert JudgedHalf(whole, 0.9 * GATE).told_apart
    assert JudgedHalf(less, 1.0).told_apart


@pytest.mark.exhaustive
def test_the_gate_tells_sets_apart_only_where_they_differ() -> None:
    rng = np.random.default_rng(0)
    normal, other, shifted = (rng.normal(at, 1, (90, 2)) for at in (0, 0, 1.5))
    same, far = (judge_half(SamplePair(normal, each).split(0.5, 0), 0) for each in (other, shifted))
    assert not same.told_apart
    assert far.told_apart
    assert far.p < GATE < same.p
    flat = SamplePair(np.zeros((60, 1)), np.zeros((60, 1)))
    assert judge_half(flat.split(0.5, 0), 0).p == 1


def test_of_a_group_one_sample_counts_for_the_gate() -> None:
    rng = np.random.default_rng(1)
    scores = Scores(np.repeat(rng.normal(0, 1, 6), 30), np.repeat(rng.normal(1, 1, 6), 30))
    groups = np.repeat(np.arange(6), 30) + 1000
    sets = (prviz.Samples(np.zeros((180, 1)), groups=each) for each in (None, groups))
    alone, grouped = (SamplePair(each, each).split(0.5, 0) for each in sets)

    def chance(split: Split) -> float:
        real, generated = split.evaluate_rows
        return _chance(Scores(scores.real[real], scores.generated[generated]), split)

    assert chance(alone) < 1e-6
    real, generated = grouped.evaluate_rows
    sides = np.unique(scores.real[real]), np.unique(scores.generated[generated])
    one_of_each = mannwhitneyu(*sides, alternative="less", method="asymptotic").pvalue
    assert math.isclose(chance(grouped), one_of_each)


@pytest.mark.exhaustive
def test_exchanged_roles_mirror_it() -> None:
    pair = toy("mixtures", d=4).sample(300, 0)
    bound = prviz.upper_bound(*pair)
    other = prviz.upper_bound(pair.generated.values, pair.real.values)
    np.testing.assert_allclose(bound.alpha(LAMS), other.beta(1 / LAMS), atol=1e-3)


def test_a_bad_level_is_named() -> None:
    with pytest.raises(ValueError, match="confidence = 2; a share between 0 and 1"):
        prviz.upper_bound(*toy("finite").sample(30, 0), confidence=2)
    assert math.isclose(bound_of_scores(Scores(np.zeros(9), np.zeros(9)), (9, 9)).auc, 1.0)
