"""Statistics of a pair: chance alone between sets of one distribution, and what slow twins compute."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest

from prviz.samples import SamplePair
from prviz.triage.pair_statistics import VOID, _void, cluster_of, clusters, pair_statistics
from tests.benchmarks.faults import planted


def test_z_scores_of_one_distribution_are_those_of_chance() -> None:
    """Of 20 draws no z-score is large, and their spread is at most that of a normal one."""
    drawn = [asdict(pair_statistics(planted("gaussian, d = 8", None, 0.0, 200, seed))) for seed in range(20)]
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


def test_what_was_averaged_is_told_from_what_was_stretched() -> None:
    """The nearest distance over the tenth is the same after any stretching, and less between averaged samples."""
    pair, mean = planted("6 modes, d = 16", None, 0.0, 400, 1), np.full(16, 3.0)
    plain = pair_statistics(pair)
    for factor in (0.7, 1.5):
        stretched = pair_statistics(SamplePair(pair.real, mean + factor * (pair.generated.values - mean)))
        assert stretched.uneven_z == pytest.approx(plain.uneven_z)
    assert pair_statistics(planted("6 modes, d = 16", "blurred", 0.5, 400, 1)).uneven_z < -8


def test_real_samples_without_generated_ones_are_those_of_the_double_loop() -> None:
    rng = np.random.default_rng(0)
    held, fit, one = rng.normal(size=(30, 2)), rng.normal(size=(40, 2)), rng.normal(size=(35, 2)) + 4
    pool = np.concatenate([fit[:35], one])
    slow = [all(place < 35 for place in np.argsort(np.linalg.norm(pool - row, axis=1))[:VOID]) for row in held]
    assert _void(held, fit, one, VOID).tolist() == slow
    assert any(slow)


def test_the_order_of_the_rows_changes_nothing() -> None:
    pair = planted("6 modes, d = 16", "class missing", 0.2, 300, 3)
    rng = np.random.default_rng(0)
    mixed = SamplePair(rng.permutation(pair.real.values), rng.permutation(pair.generated.values))
    assert asdict(pair_statistics(mixed)) == pytest.approx(asdict(pair_statistics(pair)), rel=1e-9, nan_ok=True)


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
