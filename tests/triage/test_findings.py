"""Findings: every fault that was put in is found and named, and nothing is found where nothing is wrong."""

from __future__ import annotations

import re

import numpy as np
import pytest

from prviz.curves import PRCurve
from prviz.diagnostics.influence import influence
from prviz.diagnostics.preflight import preflight
from prviz.measure.estimates import estimate
from prviz.samples import SamplePair
from prviz.toys import toy
from prviz.toys.failures import FAILURES
from prviz.triage.findings import (
    EVIDENCE,
    KINK,
    KINK_INSIDE,
    KINK_MOVE,
    LOST,
    curve_faults,
    findings,
    mode_reweighting,
    outlier_faults,
    sample_faults,
)
from prviz.uncertainty.bootstrap import bootstrap


def mixture(p, q, *, n=800, d=16, seed=0):
    means = (0.0, -5.0, 3.0, 6.0)[: len(p)]
    return toy("mixtures", d=d, means=means, real_weights=p, generated_weights=q).sample(n, seed)


def gaussian(*, n=800, d=16, seed=0):
    return toy("shifted-gaussians", d=d, mu=0).sample(n, seed)


def found_in(pair, method="knn", **options):
    found = findings(pair, estimate(pair, method)[method], replicates=60, **options)
    for fault in found:
        assert fault.evidence in EVIDENCE
        assert fault.low is None or fault.low <= fault.high
        assert re.search(r"\d", fault.sentence)
    return {fault.key: fault for fault in found}


@pytest.mark.parametrize("method", ["knn", "coverage"])
@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_found_in_faultless_pairs(method, seed):
    pairs = (mixture((0.3, 0.3, 0.4), (0.3, 0.3, 0.4), seed=seed), gaussian(seed=seed), gaussian(d=64, seed=seed))
    assert [found_in(pair, method) for pair in pairs] == [{}, {}, {}]


def test_families_that_count_in_balls_of_their_own_find_nothing_either():
    assert found_in(gaussian(d=4), "ipr") == {}


@pytest.mark.parametrize("method", ["knn", "coverage"])
def test_dropped_and_invented_modes_are_found_with_their_share(method):
    dropped = found_in(mixture((0.3, 0.3, 0.4), (0.5, 0.5, 0.0)), method)
    assert set(dropped) - {"few"} == {"dropping"}
    assert dropped["dropping"].number == pytest.approx(0.4, abs=0.06)
    assert dropped["dropping"].low <= dropped["dropping"].number <= dropped["dropping"].high
    assert dropped["dropping"].level == "warning"
    assert "while precision holds" in dropped["dropping"].sentence
    invented = found_in(mixture((0.5, 0.5, 0.0), (0.4, 0.4, 0.2)), method)
    assert set(invented) - {"few"} == {"invention"}
    assert invented["invention"].number == pytest.approx(0.2, abs=0.05)
    assert "while recall holds" in invented["invention"].sentence


def test_the_paper_mixture_drops_and_invents_and_reweights():
    found = found_in(toy("mixtures").sample(1000, 0))
    assert {"dropping", "invention", "reweighting"} <= set(found)
    assert "precision is lost as well" in found["dropping"].sentence
    assert found["dropping"].number == pytest.approx(0.2, abs=0.06)
    assert found["invention"].number == pytest.approx(0.4, abs=0.06)


def test_swapped_roles_swap_the_findings():
    pair = mixture((0.3, 0.3, 0.4), (0.5, 0.5, 0.0))
    one, other = found_in(pair), found_in(SamplePair(pair.generated, pair.real))
    assert set(other) - {"few"} == {"invention"}
    assert other["invention"].number == pytest.approx(one["dropping"].number)


def test_reweighted_modes_are_a_kink_and_shifted_ones_are_not():
    found = found_in(mixture((0.5, 0.5), (0.85, 0.15)))
    assert set(found) - {"few"} == {"reweighting"}
    assert found["reweighting"].number == pytest.approx(0.85 / 0.15, rel=0.4)
    assert found["reweighting"].unit == "ratio"
    for mu in (0.1, 0.2, 0.3):
        assert "reweighting" not in found_in(toy("shifted-gaussians", d=16, mu=mu).sample(800, 1))


def slow_kink(curve: PRCurve) -> float:
    """All pairs of vertices."""
    vertices, best = curve.vertices, 1.0
    ends = [np.inf, *curve.breakpoints, 0.0]
    for i, (f, n) in enumerate(vertices):
        for j in range(i, len(vertices)):
            middle = (vertices[i] + vertices[j]) / 2
            near = vertices[j, 0] <= f + KINK_MOVE and n <= vertices[j, 1] + KINK_MOVE
            inside = min(middle) >= KINK_INSIDE and middle[0] <= curve.extreme_recall - KINK_INSIDE
            if near and inside and middle[1] <= curve.extreme_precision - KINK_INSIDE:
                best = max(best, ends[i] / ends[j + 1])
    return best


def test_the_widest_kink_is_that_of_the_double_loop_and_of_known_truths():
    rng = np.random.default_rng(0)
    for size in (1, 3, 10, 40):
        for _ in range(20):
            f = rng.random(size)
            curve = PRCurve.from_error_rates(f, (1 - np.sqrt(f)) ** 2 * rng.uniform(0.8, 1, size))
            assert mode_reweighting(curve).ratio == pytest.approx(slow_kink(curve))
    found = mode_reweighting(FAILURES["reweight"].curve(0.8))
    # q / p is 1.6 and 0.4.
    assert (found.ratio, found.lam) == pytest.approx((4, 0.8))
    assert (found.fpr, found.fnr) == pytest.approx((0.5, 0.2))
    for name, strengths in (
        ("drop", (0.2, 0.6)),
        ("invent", (0.3,)),
        ("shift", (1.0, 2.0, 3.0)),
        ("widen", (1.5, 3.0)),
    ):
        assert all(mode_reweighting(FAILURES[name].curve(each)).ratio < KINK for each in strengths)


def test_repeats_and_lost_directions_are_collapse():
    pair = gaussian(n=600)
    repeated = np.repeat(pair.generated.values[:200], 3, axis=0)
    found = found_in(SamplePair(pair.real, repeated))
    assert found["collapse"].number == pytest.approx(2 / 3)
    assert "67 %" in found["collapse"].sentence
    # Repeats that the real data has as well are no fault of the generator.
    assert "collapse" not in found_in(SamplePair(np.repeat(pair.real.values[:200], 3, axis=0), repeated))
    flat = np.array(pair.generated.values)
    flat[:, 6:] *= 0.01
    found = found_in(SamplePair(pair.real, flat))
    assert {"flat", "dropping"} <= set(found)
    assert found["flat"].number == pytest.approx(6 / 16, abs=0.03)


@pytest.mark.parametrize("factor", [10.0, 0.3])
def test_other_units_are_told_and_what_follows_from_them_is_not(factor):
    pair = gaussian(n=400)
    found = found_in(SamplePair(pair.real, pair.generated.values * factor))
    assert set(found) - {"few"} == {"apart"}
    assert found["apart"].number == pytest.approx(factor, rel=0.05)
    assert "units" in found["apart"].sentence


def test_one_normalised_set_and_another_encoder():
    pair = gaussian(n=400)
    unit = pair.generated.values / np.linalg.norm(pair.generated.values, axis=1, keepdims=True)
    assert "Only the generated set is l2-normalised" in found_in(SamplePair(pair.real, unit))["apart"].sentence
    mixing = np.random.default_rng(0).permutation(16)
    means = np.arange(16.0)
    other = found_in(SamplePair(pair.real.values + means, (pair.generated.values + means)[:, mixing]))
    assert list(other) == ["apart"]
    assert "encoder" in other["apart"].sentence
    one_point = found_in(SamplePair(pair.real, np.ones((400, 16))))
    assert set(one_point) == {"apart", "collapse", "flat"}
    assert "no feature varies in both" in one_point["apart"].sentence
    # A mode dropped far away changes norms and spreads as well, but not alike.
    far = toy("mixtures", d=16, means=(0.0, 5.0), real_weights=(0.5, 0.5), generated_weights=(0.0, 1.0)).sample(400, 0)
    assert set(found_in(far)) - {"few"} == {"dropping"}


def test_few_samples_are_told():
    found = found_in(gaussian(n=60))
    assert set(found) == {"few"}
    assert (found["few"].level, "30 samples" in found["few"].sentence) == ("warning", True)
    assert found["few"].number == pytest.approx(found["few"].high - found["few"].low)


def with_outliers(outliers: int) -> SamplePair:
    """A fifth of the generated samples lie where only balls around real outliers reach."""
    rng = np.random.default_rng(0)
    real, generated = rng.normal(size=(400, 6)), rng.normal(size=(400, 6))
    generated[:80] += 20.0 * np.eye(6)[0]
    real[:outliers] = 40.0 * np.eye(6)[0]
    real[:outliers] += rng.normal(size=(outliers, 6))
    return SamplePair(real, generated)


def test_outliers_that_carry_the_extreme_are_found_where_they_are():
    with_, without = (found_in(with_outliers(number), "ipr") for number in (4, 0))
    assert "outliers" in with_
    assert "outliers" not in without
    assert "precision" in with_["outliers"].title
    # A mode far away fills the variance of the generated set by itself, which is no collapse.
    assert set(found_in(with_outliers(0), "knn")) - {"few"} == {"invention"}
    carried = influence(with_outliers(4), "ipr", role="real")
    slow = carried.share - np.mean(
        [
            bool(set(carried.ball_members.samples[carried.ball_members.points == point]) - set(carried.top(5)))
            or carried.ball_members.counts[point] > 5
            for point in range(len(carried.ball_members.counts))
        ]
    )
    assert with_["outliers"].number == pytest.approx(slow)
    mirrored = with_outliers(4)
    swapped = found_in(SamplePair(mirrored.generated, mirrored.real), "ipr")
    assert "recall" in swapped["outliers"].title
    assert outlier_faults(influence(with_outliers(0), "ipr", role="real")) == ()


def test_a_loss_within_chance_is_no_finding():
    # Less than counts as lost is not found, however sure; parts can be asked for by themselves.
    pair = mixture((0.485, 0.485, 0.03), (0.5, 0.5, 0.0), n=2000)
    spread = bootstrap(estimate(pair, "knn")["knn"], 60)
    assert 0 < 1 - spread.values["beta_at_005"] < LOST
    assert curve_faults(spread) == sample_faults(spread, preflight(pair).facts) == ()
