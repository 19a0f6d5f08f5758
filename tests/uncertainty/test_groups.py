"""Samples in groups, such as frames of videos: resampling draws whole groups, and the bound counts
these.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import prviz
from prviz.estimators import DEFAULT_METHODS, Supports
from prviz.measure.estimates import estimate, measure
from prviz.samples import SamplePair, Samples, independent_number
from prviz.triage.measure import CheckpointEvaluator
from prviz.triage.measured import TriageSettings
from prviz.triage.memorisation import held_out_distances
from prviz.triage.stability import _drawn
from prviz.triage.yardstick import _halves, yardstick
from prviz.uncertainty.bootstrap import replicated
from prviz.uncertainty.upper_bound import _bounded, _nested_bounds, bound_of
from tests.triage_files import pair_statistics


def _videos(rng: np.random.Generator, count: int = 30, frames: int = 20, d: int = 8) -> Samples:
    groups = np.repeat(np.arange(count), frames)
    return Samples(
        rng.normal(size=(count, d))[groups] + 0.15 * rng.normal(size=(len(groups), d)),
        groups=groups,
    )


def test_groups_count_as_many_as_would_be_independent_if_all_of_a_group_were_alike() -> None:
    assert independent_number(np.repeat(np.arange(7), 5)) == 7
    assert independent_number(np.repeat([0, 1], [98, 2])) == 1
    assert Samples(np.zeros((3, 1)), groups=["b", "a", "b"]).n_independent == 1
    assert Samples(np.zeros((3, 1))).n_independent == 3


def test_one_sample_of_each_group_is_drawn() -> None:
    samples = _videos(np.random.default_rng(0), 5, 4)
    few = samples.one_of_each_group()
    assert few.n == 5
    assert few.groups is None
    assert np.array_equal(few.values, samples.one_of_each_group(seed=0).values)
    assert not np.array_equal(few.values, samples.one_of_each_group(seed=1).values)


@pytest.mark.exhaustive
def test_the_bound_holds_for_videos_of_one_law_and_fails_where_frames_count_as_independent() -> (
    None
):
    held = {"groups": 0, "frames": 0}
    for seed in range(12):
        rng = np.random.default_rng(seed)
        real = _videos(rng)
        generated = _videos(rng)
        held["groups"] += prviz.upper_bound(real, generated, "knn", seed=seed).auc > 1 - 1e-9
        bare = prviz.upper_bound(real.values, generated.values, "knn", seed=seed)
        held["frames"] += bare.auc > 1 - 1e-9
    assert held == {"groups": 12, "frames": 0}


def test_rates_of_groups_are_bounded_by_the_number_of_groups() -> None:
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 4, (2, 90)).astype(float)
    groups = np.concatenate([np.repeat(np.arange(10), 5), np.repeat(np.arange(8), 5)])
    grouped = Supports(counts[0], counts[1], 50, groups=groups)
    assert grouped.n_independent == (10, 8)
    rates = grouped.rates()
    for side, errors, n in zip(
        _bounded(grouped, 0.05), (rates.fpr, rates.fnr), (10, 8), strict=True
    ):
        bounds = _nested_bounds(n, 0.05)[0]
        slow = [bounds[int(np.ceil(round(rate * n, 9)))] for rate in errors[:-2]]
        assert side[:-2].tolist() == slow


@pytest.mark.exhaustive
def test_a_replicate_holds_whole_groups_as_often_as_they_are_drawn() -> None:
    """The mean of the replicates' error rates is that of the groups, and their spread that of so
    many groups.
    """
    rng = np.random.default_rng(0)
    groups = np.tile(np.repeat(np.arange(20), 10), 2)
    c_real = np.repeat(rng.integers(0, 3, 40), 10).astype(float)
    runs = [
        Supports(c_real, 2 - c_real, 200),
        Supports(c_real, 2 - c_real, 200, groups=groups),
        Supports(c_real[::10], 2 - c_real[::10], 20),
    ]
    alone, grouped, few = (
        np.std([curve.auc for (curve,) in replicated([[run]], 300, 0)]) for run in runs
    )
    assert grouped == pytest.approx(few)
    assert 0 < alone < 0.5 * grouped


def test_families_of_one_pass_and_others_know_the_groups() -> None:
    rng = np.random.default_rng(1)
    pair = SamplePair(_videos(rng), Samples(rng.normal(size=(300, 8))))
    found = estimate(pair, ["knn", "cluster"], k=3)
    for each in found.values():
        for run in each.runs:
            assert run.groups is not None
            assert run.n_independent == (15, 150)
    plain = estimate(SamplePair(Samples(pair.real.values), pair.generated), "knn", k=3)["knn"]
    assert plain.supports.groups is None


def test_results_with_other_groups_are_other_results(tmp_path: Any) -> None:
    from prviz.triage.inputs import Checkpoint
    from prviz.triage.measured import ResultCache

    rng = np.random.default_rng(2)
    real = _videos(rng)
    generated = _videos(rng)
    assert Samples(real.values).digest != real.digest
    assert Samples(real.values, groups=real.groups).digest == real.digest
    evaluator = CheckpointEvaluator(real, TriageSettings(), ResultCache(tmp_path), 10**9)
    checkpoint = Checkpoint(tmp_path / "a.npy", "a")
    first, again = (
        evaluator.measured(checkpoint, SamplePair(real, generated))[0] for _ in range(2)
    )
    assert np.array_equal(first.estimate.supports.groups, again.estimate.supports.groups)  # type: ignore[arg-type]
    assert first.supports_digest == again.supports_digest


def test_halves_of_the_reference_share_no_group_and_statistics_take_one_of_each() -> None:
    rng = np.random.default_rng(3)
    real = _videos(rng, 80, 6)
    first, second = _halves(real, 0)
    assert (first.n, second.n) == (240, 240)
    assert first.groups is not None
    assert second.groups is not None
    assert not np.isin(first.groups, second.groups).any()
    assert yardstick(real, TriageSettings(k=3)).ceiling["knn"].n_real == 240
    statistics = pair_statistics(SamplePair(real, _videos(rng, 80, 6)))
    assert abs(statistics.mass_z) < 4
    assert abs(statistics.off_z) < 4


def test_held_out_distances_leave_the_whole_group_out() -> None:
    real = _videos(np.random.default_rng(4), 6, 5)
    found = held_out_distances(real)
    groups = real.groups
    assert groups is not None
    for row in range(real.n):
        others = real.values[groups != groups[row]]
        slow = np.sort(np.linalg.norm(others - real.values[row], axis=1))[:2]
        np.testing.assert_allclose(found.values[row], slow)
    assert found.independent == 3
    assert np.array_equal(held_out_distances(real, memory_limit=2_000).values, found.values)
    alone = Samples(real.values, groups=np.zeros(30))
    with pytest.raises(ValueError, match="nearly all real samples are of one group"):
        held_out_distances(alone)


def test_on_fewer_samples_whole_groups_are_left() -> None:
    pair = SamplePair(*(_videos(np.random.default_rng(seed), 40, 10) for seed in range(2)))
    for repeat in range(3):
        drawn = _drawn(pair, 0.25, repeat, 0)
        for part in drawn:
            assert part.groups is not None
            numbers, sizes = np.unique(part.groups, return_counts=True)
            # it was some frames of nearly all
            assert (part.n, len(numbers), set(sizes.tolist())) == (100, 10, {10})
        # swapped roles give swapped curves
        assert np.array_equal(drawn.real.groups, drawn.generated.groups)
    bare = _drawn(SamplePair(pair.real.values, pair.generated.values), 0.25, 0, 0)
    assert bare.real.n == 100


def test_the_bound_holds_for_groups_of_laws_that_differ() -> None:
    """Every point of a known toy four times: the truth stays that of the toy, and each family's
    bound lies above.
    """
    problem = prviz.toy("mixtures", d=4)
    groups = np.repeat(np.arange(400), 4)
    truth = problem.truth()
    held = dict.fromkeys(DEFAULT_METHODS, 0)
    for seed in range(8):
        parts = problem.sample(400, seed=seed)
        pair = SamplePair(*(Samples(part.values[groups], groups=groups) for part in parts))
        for found in measure(pair.split(0.5, seed), [(name, 40, None) for name in held], seed):
            bound = bound_of([found])
            held[found.method] += bound.compare(truth).deficit <= 1e-9
            assert bound.auc < 0.9  # it says something: the truth is 0.28
    assert held == dict.fromkeys(DEFAULT_METHODS, 8)
