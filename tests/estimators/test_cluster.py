"""cluster: the published PRD, its runs, and its invariances."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

import prviz
from prviz.curves import PRCurve
from prviz.curves.band import band
from prviz.estimators.cluster import CLUSTERS, RUNS, _Pooled, clusters_of
from prviz.measure.estimates import estimate, estimate_repeated, measure
from prviz.measure.profiles import profile
from prviz.samples import SamplePair, Split
from tests import hard_pairs
from tests.estimators.pairs import SPLITS, gaussians, lists, pooled, supports, swapped
from tests.marks import exhaustive_but
from tests.slow_twins import squared_distance

PAIR = gaussians(150, 110, 5, seed=2)


def modes() -> SamplePair:
    """Real and generated samples at a few well separated points: k-means has one solution."""
    rng = np.random.default_rng(0)
    places = 100.0 * np.arange(8)[:, None] * np.ones(3)
    real = places[rng.choice(8, 400, p=[0.3, 0.2, 0.2, 0.1, 0.1, 0.1, 0, 0])]
    return SamplePair(real, places[rng.choice(8, 300, p=[0, 0, 0.2, 0.2, 0.2, 0.2, 0.1, 0.1])])


def shares_of_places(drawn: Split) -> tuple[list[float], ...]:
    """By definition, where a cluster is a place: its shares of both sets of fit samples."""
    points = list(map(tuple, pooled(drawn.evaluate)))
    places = [list(map(tuple, side.values)) for side in drawn.fit]
    return tuple([side.count(z) / len(side) for z in points] for side in places)


def nearest(z, centres) -> int:
    return min(range(len(centres)), key=lambda j: squared_distance(z, centres[j]))


def vertices(pair: SamplePair, **options) -> list:
    return estimate(pair, "cluster", **options)["cluster"].curve.vertices.tolist()


def test_clusters_are_those_of_the_first_run():
    run = supports(PAIR, "cluster", split=None, seed=3)
    sides = clusters_of(PAIR, seed=3)
    assert [len(each) for each in sides] == [PAIR.real.n, PAIR.generated.n]
    places = np.concatenate(sides)
    shares = [np.bincount(side, minlength=CLUSTERS) / len(side) for side in sides]
    np.testing.assert_array_equal(run.c_real, shares[0][places])
    np.testing.assert_array_equal(run.c_generated, shares[1][places])


def test_without_split_each_run_is_the_curve_of_two_histograms():
    found = estimate(PAIR, "cluster", split=None)["cluster"]
    assert len(found.runs) == len(found.curves) == RUNS == 10
    assert found.supports is found.runs[0]
    np.testing.assert_array_equal(found.rates.fpr, found.runs[0].rates().fpr)
    for run, curve in zip(found.runs, found.curves, strict=True):
        # A cluster is known by its two shares; with 150 and 110 samples two clusters may have the
        # same.
        shares = np.unique(np.column_stack([run.c_real, run.c_generated]), axis=0)
        assert 10 < len(shares) <= CLUSTERS
        masses = [
            [np.mean((run.c_real[half] == a) & (run.c_generated[half] == b)) for a, b in shares]
            for half in (slice(None, 150), slice(150, None))
        ]
        expected = prviz.discrete_curve(*masses)
        lams = np.geomspace(0.01, 100, 31)
        np.testing.assert_allclose(curve.alpha(lams), expected.alpha(lams), atol=1e-12)
        assert run.c_real[:150].min() >= 1 / 150
        assert run.c_generated[150:].min() >= 1 / 110


@SPLITS
def test_on_separate_places_the_supports_are_shares_of_fit_samples(split):
    pair = modes()
    drawn = pair.split(split, 4)
    for run in estimate(pair, "cluster", split=split, seed=4)["cluster"].runs:
        assert lists(run) == shares_of_places(drawn)
        assert run.n_real == drawn.evaluate.real.n


@pytest.mark.parametrize(("method", "clusters"), [("cluster", CLUSTERS), ("cluster:clusters=7", 7)])
def test_evaluation_samples_belong_to_the_nearest_centre(method, clusters):
    run = supports(PAIR, method, seed=1)
    both = _Pooled.of(PAIR.split(0.5, 1))
    seed = int(np.random.SeedSequence(1).generate_state(RUNS)[0])
    model = KMeans(clusters, n_init=1, random_state=seed)
    centres = model.fit(both.points, sample_weight=both.real + both.generated).cluster_centers_
    fitted = np.array([nearest(x, centres) for x in both.points])
    judged = [nearest(z, centres) for z in both.evaluate]
    for counts, support in ((both.real, run.c_real), (both.generated, run.c_generated)):
        share = [counts[fitted == j].sum() / counts.sum() for j in judged]
        np.testing.assert_allclose(support, share, rtol=1e-12)


def test_the_curve_is_the_mean_over_the_runs_and_the_band_their_spread():
    found = estimate(PAIR, "cluster")["cluster"]
    lams = np.geomspace(0.01, 100, 31)
    np.testing.assert_allclose(
        found.curve.alpha(lams), np.mean([c.alpha(lams) for c in found.curves], axis=0)
    )
    assert found.band.alpha_sd[50:150].min() > 0
    np.testing.assert_array_equal(found.band.alpha_mean, band(found.curves).alpha_mean)
    alone = estimate(PAIR, "knn")["knn"]
    assert len(alone.curves) == 1
    assert np.all(alone.band.alpha_sd == 0)


def test_a_seed_gives_one_result_whatever_the_order_the_roles_and_the_threads():
    here = vertices(PAIR, split=None, seed=3)
    rng = np.random.default_rng(9)
    shuffled = SamplePair(*(rng.permutation(side.values) for side in PAIR))
    assert vertices(shuffled, split=None, seed=3) == here
    with threadpool_limits(limits=2):
        assert vertices(PAIR, split=None, seed=3) == here
    assert vertices(PAIR, split=None, seed=4) != here
    mirrored = prviz.pr_curve(*swapped(PAIR), "cluster", split=None, seed=3)
    np.testing.assert_allclose(mirrored.mirrored().vertices, here, atol=1e-12)


@pytest.mark.exhaustive
@pytest.mark.parametrize("threads", exhaustive_but(["1", "2"], "2"))
def test_another_process_with_other_threads_gives_the_same_bits(threads):
    code = (
        "import prviz, hashlib; c = prviz.pr_curve(*prviz.toy('mixtures', d=8).sample(600, 1),"
        " 'cluster');print(hashlib.sha256(c.vertices.tobytes()).hexdigest())"
    )
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": threads,
        "OPENBLAS_NUM_THREADS": threads,
        "PYTHONPATH": ".",
    }
    out = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment
    )
    here = prviz.pr_curve(*prviz.toy("mixtures", d=8).sample(600, 1), "cluster")
    assert out.stdout.strip() == hashlib.sha256(here.vertices.tobytes()).hexdigest()


@pytest.mark.one_in(5)
@SPLITS
@pytest.mark.parametrize("kind", hard_pairs.SOME_KINDS)
def test_hard_pairs_give_legal_curves(kind, split):
    found = estimate(hard_pairs.make_pair(kind, 3), "cluster", split=split)["cluster"]
    assert len(found.runs) == RUNS
    for run in found.runs:
        for shares in (run.c_real, run.c_generated):
            assert np.all((shares >= 0) & (shares <= 1))
    assert 0 <= found.curve.auc <= 1


def test_fewer_different_samples_than_clusters_are_a_cluster_each():
    same = SamplePair(np.ones((9, 2)), np.ones((7, 2)))
    assert vertices(same, split=None) == PRCurve.from_error_rates([], []).vertices.tolist()
    apart = SamplePair(np.arange(6.0)[:, None], 10 + np.arange(5.0)[:, None])
    assert vertices(apart, split=None) == [[0.0, 0.0]]
    two = SamplePair(np.zeros((2, 1)), np.ones((2, 1)))
    assert len(estimate(two, "cluster")["cluster"].runs) == RUNS


def test_k_and_bandwidth_mean_nothing_and_cost_nothing(monkeypatch):
    seen = []
    plain = estimate(PAIR, "cluster", k=3)["cluster"]
    assert plain.k is None
    assert prviz.pr_curve(*PAIR, "cluster", k=10**6, bandwidth=2.0).auc == plain.curve.auc
    kind = type(prviz.ESTIMATORS["cluster"])
    runs = kind.runs
    monkeypatch.setattr(kind, "runs", lambda *a, **o: seen.append(1) or runs(*a, **o))
    found = profile(*PAIR, ("cluster", "kde"), ks=range(1, 9))
    assert len(seen) == 1
    assert [found.curve("cluster", k).auc for k in found.ks] == [plain.curve.auc] * 8
    with pytest.raises(KeyError):
        found.curve("cluster", bandwidth=found.bandwidths[0])


def test_progress_goes_on_with_the_runs_and_may_stop_them():
    seen = []
    measure(PAIR.split(0.5, 0), [("cluster", 3, None), ("knn", 3, None)], 0, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1
    assert len([share for share in seen if 0.5 < share < 1]) == RUNS - 1

    def stop(share):
        if share > 0.3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        estimate(PAIR, "cluster", progress=stop)


def test_repeats_keep_their_runs():
    found = estimate_repeated(lambda _: PAIR, "cluster", repeats=2, seed=1)["cluster"]
    assert [len(each.runs) for each in found] == [RUNS, RUNS]
    assert found[0].curve.auc != found[1].curve.auc
