"""hub: improved precision and recall from hub samples, against the definition in slow loops."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

from prviz.estimators import Supports
from prviz.estimators.hub import HUB, THRESHOLD, hub_rows
from prviz.measure.estimates import estimate
from prviz.neighbors import count_in_balls, nearest_radii
from prviz.neighbors.faiss_lists import projected
from prviz.neighbors.table import WORTH_A_TABLE
from prviz.samples import Split
from tests import slow_twins
from tests.benchmarks.hub import hub_scalars
from tests.estimators.pairs import (
    SPLITS,
    dropped_mode,
    gaussians,
    lists,
    pooled,
    supports,
    swapped,
    ties,
)
from tests.hard_pairs import SOME_KINDS, make_pair
from tests.neighbors.test_native import both_ways
from tests.slow_twins import exact_hub_rows

PAIR = gaussians(70, 50, 6)
PAIRS = pytest.mark.parametrize("pair", [PAIR, ties(60, 45)], ids=["gaussians", "ties"])


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
    """Supports by definition, for given hubs, as `hub_lists` gives them."""
    real, generated = (
        hub_rows(side.values, k, seed, threshold=t).tolist() for side in drawn.evaluate
    )
    rows = [*real, *(drawn.evaluate.real.n + row for row in generated)]
    points = pooled(drawn.evaluate)[rows]
    counts = []
    for side in drawn.fit:
        hubs = hub_rows(side.values, k, seed, threshold=t)
        counts.append(slow_counts(points, side.values[hubs], slow_radii(side.values, hubs, k)))
    return *counts, rows, len(real)


def hub_lists(found: Supports):
    assert found.rows is not None
    return *lists(found), found.rows.tolist(), found.n_real


@PAIRS
@pytest.mark.parametrize("k", [1, 4])
def test_radii_and_counts_equal_double_loops(pair, k):
    values = pair.real.values
    rows = np.array([0, 7, 31])
    radii = nearest_radii(values, rows, k)
    assert radii.tolist() == slow_radii(values, rows, k)
    balls = (pair.generated.values, values[rows], radii)
    assert count_in_balls(*balls).tolist() == slow_counts(*balls)


@pytest.mark.one_in(4)
@PAIRS
@SPLITS
@pytest.mark.parametrize("k", [1, 3, 10])
def test_supports_equal_the_definition(pair, split, k):
    found = supports(pair, "hub", k=k, split=split, seed=2)
    assert hub_lists(found) == slow_supports(pair.split(split, 2), k, 2)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", SOME_KINDS)
def test_supports_on_pairs_that_break_fast_distances(kind):
    pair = make_pair(kind, 9, 22, 17)
    for split in (0.5, None):
        expected = slow_supports(pair.split(split, 2), 3, 2)
        for found in both_ways(partial(supports, pair, "hub", k=3, split=split, seed=2)):
            assert hub_lists(found) == expected


@SPLITS
def test_it_copies_no_half_of_the_samples(split, monkeypatch):
    monkeypatch.setattr(Split, "_taken", lambda *given: pytest.fail("a copy of a half"))
    assert len(supports(PAIR, "hub", k=3, split=split).rows) > 0


@PAIRS
@SPLITS
def test_many_k_from_one_table_equal_the_definition(pair, split):
    drawn = pair.split(split, 2)
    ks = list(range(1, WORTH_A_TABLE + 1))
    found = HUB.runs_over_k(drawn, ks=ks, seed=2, progress=lambda share: None)
    for k, (run,) in zip(ks, found, strict=True):
        assert hub_lists(run) == slow_supports(drawn, k, 2)


@PAIRS
def test_hubs_of_some_rows_are_those_of_a_copy(pair):
    rows = np.arange(1, 45, 2)
    for values in (pair.real.values, np.repeat(pair.real.values, 12, axis=1)):
        assert hub_rows(values, 4, 1, rows).tolist() == hub_rows(values[rows], 4, 1).tolist()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("t", [0, THRESHOLD, 5])
def test_in_a_subspace_that_is_the_whole_space_hubs_are_those_of_the_definition(k, t):
    for side in PAIR:
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
    drawn = [rng.normal(size=shape) for shape in ((2, 3), (30, 2))]
    for values in (np.zeros((30, 4)), np.arange(12.0)[:, None], *drawn):
        assert len(hub_rows(values, 1, 0)) >= 1


def test_a_sample_has_no_more_than_k_nearest_others_among_its_copies():
    # Seven samples have seven nearest others in all, of which a hub takes at least THRESHOLD + 1.
    for n in (5, 6, 7):
        assert len(hub_rows(np.zeros((n, 3)), 1, 0)) == 1


@pytest.mark.parametrize(("split", "k"), [(0.5, 19), (None, 39)])
@pytest.mark.parametrize("make", [gaussians, ties])
def test_where_everybody_is_a_hub_it_is_ipr(make, split, k):
    hub, ipr = estimate(make(40, 40), ("hub", "ipr"), k=k, split=split).values()
    assert hub.supports.rows.tolist() == list(range(len(ipr.supports.c_real)))
    assert lists(hub.supports) == lists(ipr.supports)
    assert np.array_equal(hub.curve.vertices, ipr.curve.vertices)


@PAIRS
@SPLITS
def test_hubs_alone_count_no_more_than_everybody(pair, split):
    hub, ipr = (supports(pair, method, k=4, split=split) for method in ("hub", "ipr"))
    assert np.all(hub.c_real <= ipr.c_real[hub.rows])
    assert np.all(hub.c_generated <= ipr.c_generated[hub.rows])


@SPLITS
def test_scalars_are_the_shares_inside_some_hub_ball(split):
    real, generated, _, n_real = slow_supports(PAIR.split(split, 0), 3, 0)
    precision = np.mean([count > 0 for count in real[n_real:]])
    recall = np.mean([count > 0 for count in generated[:n_real]])
    assert hub_scalars(supports(PAIR, "hub", k=3, split=split)) == (precision, recall)
    mirrored = supports(swapped(PAIR), "hub", k=3, split=split)
    assert hub_scalars(mirrored) == (recall, precision)


def test_a_dropped_mode_costs_recall():
    precision, recall = hub_scalars(supports(dropped_mode(), "hub", k=15, split=None))
    assert precision > 0.9
    assert 0.3 < recall < 0.7


def test_exact_hubs_are_among_the_nearest_of_more_than_three_others():
    values = np.random.default_rng(3).normal(size=(40, 8))
    apart = np.linalg.norm(values[:, None] - values, axis=2)
    np.fill_diagonal(apart, np.inf)
    nearest = np.argsort(apart, axis=1)[:, :2]
    times = np.bincount(nearest.ravel(), minlength=40)
    assert {THRESHOLD, THRESHOLD + 1} <= {*times.tolist()}
    assert exact_hub_rows(values, 2).tolist() == np.flatnonzero(times > THRESHOLD).tolist()
