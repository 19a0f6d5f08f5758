"""hub: improved precision and recall from hub samples, against the definition in slow loops."""

from __future__ import annotations

import math

import numpy as np
import pytest

from prviz.estimators import ESTIMATORS
from prviz.estimators.hub import HUB, THRESHOLD, hub_rows
from prviz.measure.estimates import estimate, pr_curve
from prviz.neighbors import count_in_balls, nearest_radii
from prviz.neighbors.faiss_lists import projected
from prviz.neighbors.table import WORTH_A_TABLE
from prviz.samples import SamplePair, Split
from tests import slow_twins
from tests.benchmarks.hub import hub_scalars
from tests.hard_pairs import SOME_KINDS, make_pair
from tests.neighbors.test_native import both_ways
from tests.slow_twins import exact_hub_rows


def gaussians(
    n_real: int = 70, n_generated: int = 50, d: int = 6, shift: float = 0.4
) -> SamplePair:
    rng = np.random.default_rng(3)
    return SamplePair(rng.normal(size=(n_real, d)), rng.normal(size=(n_generated, d)) + shift)


def ties(n_real: int = 60, n_generated: int = 45, d: int = 3) -> SamplePair:
    rng = np.random.default_rng(4)
    return SamplePair(rng.integers(0, 4, (n_real, d)), rng.integers(1, 5, (n_generated, d)))


PAIRS = pytest.mark.parametrize("pair", [gaussians(), ties()], ids=["gaussians", "ties"])
SPLITS = pytest.mark.parametrize("split", [0.5, None])


def slow_radii(points, rows, k: int) -> list[float]:
    squared = slow_twins.own_radii(list(points), k)
    return [math.sqrt(squared[row]) for row in rows]


def slow_counts(points, centres, radii) -> list[int]:
    return [
        sum(
            math.sqrt(slow_twins.squared_distance(z, x)) <= radius
            for x, radius in zip(centres, radii, strict=True)
        )
        for z in points
    ]


def slow_hubs(values, k: int, t: int = THRESHOLD) -> list[int]:
    """Samples that are among the k nearest others of more than t samples."""
    occurrences = [0] * len(values)
    for i, x in enumerate(values):
        others = sorted(
            (slow_twins.squared_distance(x, y), j) for j, y in enumerate(values) if j != i
        )
        for _, j in others[:k]:
            occurrences[j] += 1
    return [i for i, count in enumerate(occurrences) if count > min(t, max(occurrences) - 1)]


def slow_supports(drawn: Split, k: int, seed: int, t: int = THRESHOLD):
    """Supports by definition, for given hubs."""
    fit = [hub_rows(side.values, k, seed, threshold=t) for side in drawn.fit]
    evaluate = [hub_rows(side.values, k, seed, threshold=t) for side in drawn.evaluate]
    points = [
        z for side, rows in zip(drawn.evaluate, evaluate, strict=True) for z in side.values[rows]
    ]
    counts = [
        slow_counts(points, side.values[rows], slow_radii(side.values, rows, k))
        for side, rows in zip(drawn.fit, fit, strict=True)
    ]
    return counts, [*evaluate[0], *(drawn.evaluate.real.n + evaluate[1])], len(evaluate[0])


@PAIRS
@pytest.mark.parametrize("k", [1, 4])
def test_radii_and_counts_equal_double_loops(pair, k):
    values = pair.real.values
    rows = np.array([0, 7, 31])
    radii = nearest_radii(values, rows, k)
    assert radii.tolist() == slow_radii(values, rows, k)
    assert count_in_balls(pair.generated.values, values[rows], radii).tolist() == slow_counts(
        pair.generated.values, values[rows], radii
    )


@pytest.mark.one_in(4)
@PAIRS
@SPLITS
@pytest.mark.parametrize("k", [1, 3, 10])
def test_supports_equal_the_definition(pair, split, k):
    supports = estimate(pair, "hub", k=k, split=split, seed=2)["hub"].supports
    counts, rows, n_real = slow_supports(pair.split(split, 2), k, 2)
    assert [supports.c_real.tolist(), supports.c_generated.tolist()] == counts
    assert supports.rows is not None
    assert supports.rows.tolist() == rows
    assert supports.n_real == n_real


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", SOME_KINDS)
def test_supports_on_pairs_that_break_fast_distances(kind):
    pair = make_pair(kind, 9, 22, 17)
    for split in (0.5, None):
        counts, *_ = slow_supports(pair.split(split, 2), 3, 2)
        for found in both_ways(
            lambda split=split: estimate(pair, "hub", k=3, split=split, seed=2)["hub"].supports
        ):
            assert [found.c_real.tolist(), found.c_generated.tolist()] == counts


@SPLITS
def test_it_copies_no_half_of_the_samples(split, monkeypatch):
    monkeypatch.setattr(Split, "_taken", lambda *given: pytest.fail("a copy of a half"))
    assert len(estimate(gaussians(), "hub", k=3, split=split)["hub"].supports.rows) > 0


@PAIRS
@SPLITS
def test_many_k_from_one_table_equal_the_definition(pair, split):
    drawn = pair.split(split, 2)
    ks = list(range(1, WORTH_A_TABLE + 1))
    found = HUB.runs_over_k(drawn, ks=ks, seed=2, progress=lambda share: None)
    for k, (supports,) in zip(ks, found, strict=True):
        counts, rows, n_real = slow_supports(drawn, k, 2)
        assert [supports.c_real.tolist(), supports.c_generated.tolist()] == counts
        assert supports.rows.tolist() == rows
        assert supports.n_real == n_real


@PAIRS
def test_hubs_of_some_rows_are_those_of_a_copy(pair):
    rows = np.arange(1, 45, 2)
    for values in (pair.real.values, np.repeat(pair.real.values, 12, axis=1)):
        assert hub_rows(values, 4, 1, rows).tolist() == hub_rows(values[rows], 4, 1).tolist()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("t", [0, THRESHOLD, 5])
def test_in_a_subspace_that_is_the_whole_space_hubs_are_those_of_the_definition(k, t):
    for side in gaussians():
        assert hub_rows(side.values, k, 0, threshold=t).tolist() == slow_hubs(side.values, k, t)


@pytest.mark.exhaustive
def test_in_many_dimensions_most_true_hubs_are_found():
    values = np.random.default_rng(0).normal(size=(400, 200))
    found = set(hub_rows(values, 5, 0).tolist())
    true = set(slow_hubs(values, 5))
    # A random subspace of 35 of 200 features; as many samples at random would hold their own share
    # of the hubs.
    assert len(found & true) / len(true) > 1.3 * len(found) / len(values)


def test_the_subspace_follows_the_seed():
    values = np.random.default_rng(1).normal(size=(300, 64))
    one, again, other = (hub_rows(values, 3, seed) for seed in (0, 0, 1))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
    assert projected(values, 20, 0).shape == (300, 20)
    assert projected(values, 64, 0).shape == (300, 64)


def test_distances_survive_in_the_subspace_far_from_the_origin():
    values = np.random.default_rng(1).normal(size=(300, 64))
    np.testing.assert_array_equal(hub_rows(values, 5, 0), hub_rows(values * 2.0**-40, 5, 0))
    near = set(hub_rows(values, 5, 0).tolist())
    far = set(hub_rows(values + 1e6, 5, 0).tolist())
    assert len(near & far) > 0.95 * len(near)


def test_there_are_hubs_in_every_set():
    rng = np.random.default_rng(0)
    for values in (
        np.zeros((30, 4)),
        rng.normal(size=(2, 3)),
        np.arange(12.0)[:, None],
        rng.normal(size=(30, 2)),
    ):
        assert len(hub_rows(values, 1, 0)) >= 1


def test_a_sample_has_no_more_than_k_nearest_others_among_its_copies():
    # Seven samples have seven nearest others in all, of which a hub takes at least THRESHOLD + 1.
    for n in (5, 6, 7):
        assert len(hub_rows(np.zeros((n, 3)), 1, 0)) == 1


@pytest.mark.parametrize(("split", "k"), [(0.5, 19), (None, 39)])
@pytest.mark.parametrize("make", [gaussians, ties])
def test_where_everybody_is_a_hub_it_is_ipr(make, split, k):
    found = estimate(make(40, 40), ("hub", "ipr"), k=k, split=split)
    hub = found["hub"]
    ipr = found["ipr"]
    assert hub.supports.rows.tolist() == list(range(len(ipr.supports.c_real)))
    assert np.array_equal(hub.supports.c_real, ipr.supports.c_real)
    assert np.array_equal(hub.supports.c_generated, ipr.supports.c_generated)
    assert np.array_equal(hub.curve.vertices, ipr.curve.vertices)


@PAIRS
@SPLITS
def test_hubs_alone_count_no_more_than_everybody(pair, split):
    found = estimate(pair, ("hub", "ipr"), k=4, split=split)
    hub = found["hub"].supports
    ipr = found["ipr"].supports
    assert np.all(hub.c_real <= ipr.c_real[hub.rows])
    assert np.all(hub.c_generated <= ipr.c_generated[hub.rows])


@SPLITS
def test_scalars_are_the_shares_inside_some_hub_ball(split):
    pair = gaussians()
    supports = estimate(pair, "hub", k=3, split=split)["hub"].supports
    (real, generated), _, n_real = slow_supports(pair.split(split, 0), 3, 0)
    precision = np.mean([count > 0 for count in real[n_real:]])
    recall = np.mean([count > 0 for count in generated[:n_real]])
    assert hub_scalars(supports) == (precision, recall)
    mirrored = estimate(SamplePair(pair.generated, pair.real), "hub", k=3, split=split)[
        "hub"
    ].supports
    assert hub_scalars(mirrored) == (recall, precision)


def test_a_dropped_mode_costs_recall():
    rng = np.random.default_rng(5)
    modes = np.repeat([[0.0], [40.0]], 150, axis=0)
    real = rng.normal(size=(300, 8)) + modes
    generated = rng.normal(size=(300, 8))
    supports = estimate(SamplePair(real, generated), "hub", k=15, split=None)["hub"].supports
    precision, recall = hub_scalars(supports)
    assert precision > 0.9
    assert 0.3 < recall < 0.7
    assert pr_curve(real, generated, "hub", k=15).recall_at(precision=0.3) < 0.6


def test_it_computes_its_supports_itself_and_does_no_more_than_asked():
    assert not ESTIMATORS["hub"].shares_pass
    assert "hub" not in estimate(gaussians(), k=3)


def test_exact_hubs_are_among_the_nearest_of_more_than_three_others():
    values = np.random.default_rng(3).normal(size=(40, 8))
    apart = np.linalg.norm(values[:, None] - values, axis=2)
    np.fill_diagonal(apart, np.inf)
    nearest = np.argsort(apart, axis=1)[:, :2]
    times = np.bincount(nearest.ravel(), minlength=40)
    assert {THRESHOLD, THRESHOLD + 1} <= {*times.tolist()}
    assert exact_hub_rows(values, 2).tolist() == np.flatnonzero(times > THRESHOLD).tolist()
