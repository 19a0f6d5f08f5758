"""Statistics of a pair: chance alone between sets of one distribution, and what slow twins compute."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest

from prviz.samples import SamplePair
from prviz.triage.pair_statistics import _distance, _rank_z, cluster_of, clusters, pair_statistics
from tests.benchmarks.faults import planted


def test_z_scores_of_one_distribution_are_those_of_chance() -> None:
    """Of 40 draws no z-score is large, and their spread is at most that of a normal one."""
    drawn = [asdict(pair_statistics(planted("gaussian, d = 8", None, 0.0, 200, seed))) for seed in range(40)]
    for name in ("off_z", "unreached_z", "radius_z", "total_z", "top_z", "low_z", "all_total_z", "worst"):
        scores = np.array([each[name] for each in drawn])
        assert np.abs(scores).max() < 4.0, name
        assert scores.std() < 1.25, name


def test_units_and_other_seeds_change_no_fault() -> None:
    pair = planted("6 modes, d = 16", "class missing", 0.2, 500, 3)
    scaled = SamplePair(pair.real.values * 2.0**300, pair.generated.values * 2.0**300)
    one, other = asdict(pair_statistics(pair)), asdict(pair_statistics(scaled))
    assert one == pytest.approx(other, rel=1e-9, nan_ok=True)
    assert all(pair_statistics(pair, seed=seed).empty > 0.1 for seed in range(4))


def test_ranks_and_distances_are_those_of_the_double_loop() -> None:
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=30), rng.normal(size=20) + 0.3
    above = np.sum(one[:, None] > other)
    slow = (above - 30 * 20 / 2) / np.sqrt(30 * 20 * 51 / 12)
    assert _rank_z(one, other) == pytest.approx(slow)
    points = np.concatenate([one, other])
    gaps = [abs(np.mean(one <= point) - np.mean(other <= point)) for point in points]
    assert _distance(one, other) == pytest.approx(max(gaps))


def test_clusters_are_the_means_of_their_members() -> None:
    rng = np.random.default_rng(1)
    values = np.concatenate([rng.normal(size=(50, 3)) + 20 * step for step in range(4)])
    centres = clusters(values, 4, rng)
    members = cluster_of(values, centres)
    slow = [np.argmin([np.sum((row - centre) ** 2) for centre in centres]) for row in values]
    assert members.tolist() == slow
    for place, centre in enumerate(centres):
        np.testing.assert_allclose(centre, values[members == place].mean(axis=0))


def test_a_spread_and_a_shift_are_measured_as_they_are() -> None:
    pair = planted("gaussian, d = 8", None, 0.0, 1000, 5)
    mean = pair.generated.values.mean(axis=0)
    narrow = pair_statistics(SamplePair(pair.real, mean + 0.7 * (pair.generated.values - mean)))
    assert np.exp(narrow.all_total) == pytest.approx(0.7, abs=0.03)
    shifted = pair_statistics(SamplePair(pair.real, pair.generated.values + 1.0))
    assert shifted.deciles > 20
    assert shifted.deciles_shift < 2
    scaled = pair_statistics(SamplePair(pair.real, pair.generated.values * 1.5))
    assert np.exp(scaled.scale) == pytest.approx(1.5, rel=0.03)


def test_sets_without_spread_are_measured() -> None:
    pair = planted("gaussian, d = 8", None, 0.0, 100, 0)
    for generated in (np.ones((100, 8)), np.zeros((80, 8)), np.full((60, 8), 1e200)):
        found = asdict(pair_statistics(SamplePair(pair.real, generated)))
        assert not [name for name, value in found.items() if np.isinf(value)]
    found = asdict(pair_statistics(SamplePair(np.ones((100, 8)), np.ones((90, 8)))))
    assert not [name for name, value in found.items() if np.isinf(value)]
