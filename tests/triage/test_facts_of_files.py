"""Faults that a file shows by itself, of sparse, whole or limited values: they come before what
shapes make of them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from prviz.arrays import Floats, Rng
from prviz.checks.twins import without_twins
from prviz.diagnostics.whole_rows import row_property
from prviz.diagnostics.witness import TWINS, witness
from prviz.measure.estimates import estimate
from prviz.samples import SamplePair, Samples
from prviz.triage.findings import findings
from prviz.triage.memorisation import held_out_distances, memorisation
from tests.triage_files import faults_of, keys_of


def _mixture(rng: Rng, n: int, d: int = 8) -> Floats:
    means = 2 * np.random.default_rng(1).normal(size=(3, d))
    turn = np.random.default_rng(2).normal(size=(d, d)) / np.sqrt(d)
    return means[rng.choice(3, n, p=[0.5, 0.3, 0.2])] + rng.normal(size=(n, d)) @ turn


def _answers(rng: Rng, n: int, d: int = 12) -> Floats:
    """Answers from 1 to 5 that hang together."""
    loads = np.random.default_rng(3).normal(size=(3, d))
    traits = rng.normal(size=(n, 3)) @ loads
    return np.clip(np.rint(3 + 0.7 * traits + 0.8 * rng.normal(size=(n, d))), 1, 5)


def _counts(rng: Rng, n: int, d: int = 60) -> Floats:
    """Counts of which most are 0."""
    means = np.random.default_rng(4).gamma(0.5, 1.0, (3, d))
    return rng.poisson(means[rng.integers(3, size=n)]).astype(float)


def _frames(rng: Rng, n: int) -> Floats:
    """Pairs of samples that are nearly alike, in random order."""
    values = np.repeat(_mixture(rng, n // 2, 24), 2, axis=0)
    return rng.permutation(values + 0.02 * rng.normal(size=values.shape))


def test_real_samples_that_come_in_pairs_are_no_fault_of_the_generator() -> None:
    rng = np.random.default_rng(0)
    pair = SamplePair(_frames(rng, 600), _frames(rng, 600))
    assert {each.n for each in without_twins(pair)} == {300}
    (together, *others) = findings(pair, estimate(pair, "knn")["knn"], replicates=20)
    assert together.key == "dependent"
    seen = witness(pair, without=False)
    assert not seen.told_apart
    assert seen.notes == (TWINS,)
    assert "50 % of the real samples have an earlier one far nearer" in together.sentence
    assert {each.key for each in others} <= {"few"}


@pytest.mark.parametrize("kind", [_mixture, _answers, _counts])
def test_independent_samples_have_no_twins(kind: Callable[[Rng, int], Floats]) -> None:
    rng = np.random.default_rng(5)
    pair = SamplePair(kind(rng, 300), kind(rng, 300))
    assert without_twins(pair) is pair


def test_samples_that_lie_in_lumps_of_both_sets_are_no_twins() -> None:
    rng = np.random.default_rng(19)
    places = np.repeat(_mixture(rng, 100, 24), 6, axis=0)
    both = rng.permutation(places + 0.02 * rng.normal(size=places.shape))
    pair = SamplePair(*np.split(both, 2))
    assert without_twins(pair) is pair
    other = _mixture(rng, 300, 24)
    assert without_twins(SamplePair(pair.real, Samples(other))).real.n < 300
    # As many in a lump as chance makes them: no twins whatever is generated.
    alone = SamplePair(both[:120], other)
    assert without_twins(alone) is alone


def test_samples_of_known_groups_or_equal_to_others_are_no_twins() -> None:
    rng = np.random.default_rng(6)
    grouped = Samples(_frames(rng, 200), groups=np.arange(200) // 2)
    repeated = Samples(np.repeat(_mixture(rng, 100), 2, axis=0))
    few = Samples(_frames(rng, 30))
    for real in (grouped, repeated, few):
        pair = SamplePair(real, real)
        assert without_twins(pair) is pair


def test_twins_of_many_samples_are_searched_among_some_of_them() -> None:
    rng = np.random.default_rng(7)
    pair = SamplePair(_frames(rng, 2400), _mixture(rng, 100, 24))
    assert [each.n for each in without_twins(pair)] == [1200, 100]
    some = np.concatenate([_mixture(rng, 160, 24), _frames(rng, 40)])
    assert without_twins(SamplePair(pair.real, Samples(some))).generated.n == 180


@pytest.mark.parametrize("kind", [_mixture, _answers])
def test_values_cut_off_at_a_limit_are_called_that(kind: Callable[[Rng, int], Floats]) -> None:
    rng = np.random.default_rng(8)
    real = kind(rng, 400)
    low, high = np.quantile(real, [0.15, 0.85], axis=0)
    (fault, *_) = faults_of(real, np.clip(kind(rng, 400), low, high))
    assert fault.key == "columns"
    assert "beyond a limit are cut off, to that limit" in fault.sentence


@pytest.mark.parametrize("step", [0.5, 1.0])
@pytest.mark.parametrize("n", [(80, 80), (1000, 100)])
def test_coarse_rounding_is_called_that(n: tuple[int, int], step: float) -> None:
    rng = np.random.default_rng(20)
    real, generated = (_mixture(rng, each) for each in n)
    grid = step * real.std(axis=0)
    (fault, *_) = faults_of(real, np.rint(generated / grid) * grid)
    assert fault.title == "Rounded values"
    assert fault.number == 1.0


def test_few_rows_again_or_lost_counts_are_no_rounding() -> None:
    rng = np.random.default_rng(21)
    real = _mixture(rng, 200)
    again = _mixture(rng, 12)[rng.integers(12, size=200)]
    counts = _counts(rng, 200)
    many, few = (np.floor(np.exp(1.5 * rng.normal(size=(n, 3)))) for n in (5000, 70))
    pairs = (real, again), (counts, np.minimum(_counts(rng, 200), 1)), (real, real), (many, few)
    for one, other in pairs:
        assert "Rounded values" not in {each.title for each in faults_of(one, other)}


@pytest.mark.parametrize("kind", [_mixture, _answers])
def test_features_that_were_mixed_up_row_by_row_are_called_unrelated(
    kind: Callable[[Rng, int], Floats],
) -> None:
    rng = np.random.default_rng(22)
    real, generated = kind(rng, 200), kind(rng, 200)
    (fault, *_) = faults_of(real, rng.permuted(generated, axis=0))
    assert fault.title == "Unrelated features"
    assert "is 0.0" in fault.sentence
    # one model for all modes keeps the correlations
    coarse = rng.multivariate_normal(generated.mean(axis=0), np.cov(generated.T), 200)
    assert "Unrelated features" not in {each.title for each in faults_of(real, coarse)}


def test_values_beyond_a_limit_of_the_real_ones_are_called_that() -> None:
    rng = np.random.default_rng(9)
    real, generated = rng.normal(size=(2, 400, 6)) + 0.3
    fault = faults_of(np.maximum(real, 0), generated)[0]
    assert "real values keep to a limit" in fault.sentence


def test_changed_signs_of_some_features_come_before_what_shapes_say() -> None:
    rng = np.random.default_rng(10)
    shares = rng.dirichlet(np.full(10, 0.4), 300)
    generated = shares[150:].copy()
    generated[:, :4] *= -1
    generated[:, 4] += 0.2
    (fault, *others) = faults_of(shares[:150], generated)
    assert fault.key == "columns"
    assert "As if their signs were changed" in fault.sentence
    assert "coarse" not in {each.key for each in others}


def test_a_shift_of_whole_values_is_called_a_shift() -> None:
    rng = np.random.default_rng(11)
    real = _answers(rng, 100, 28)
    move = 0.7 * real.std(axis=0) * rng.choice([-1, 1], 28)
    assert keys_of(real, _answers(rng, 100, 28) + move)[0] == "shifted"


def test_a_constant_feature_in_large_units_comes_before_what_it_leaves() -> None:
    rng = np.random.default_rng(12)
    real, generated = (np.column_stack([_mixture(rng, 300, 5), np.zeros(300)]) for _ in range(2))
    real[:, 5] = 1.7e9 + rng.integers(0, 600_000, 300)
    generated[:, 5] = 1.7e9 + 300_000
    (fault, *_) = faults_of(real, generated)
    assert fault.key == "columns"
    assert "one value throughout" in fault.sentence


def test_whole_rows_speak_where_no_statistic_does() -> None:
    rng = np.random.default_rng(13)
    real, generated = rng.poisson(2.0, (2, 70, 30)).astype(float)
    generated[np.arange(70), rng.integers(30, size=70)] += 0.25
    assert keys_of(real, generated) == ["rows"]
    assert row_property(SamplePair(real, real[::-1])) is None


def test_lost_values_other_than_0_come_before_what_shapes_say() -> None:
    rng = np.random.default_rng(14)
    real, generated = (_counts(rng, 80) for _ in range(2))
    generated[rng.random(generated.shape) < 0.4] = 0
    (fault, *_) = faults_of(real, generated)
    assert fault.key == "rows"
    assert "zeros were lost or added" in fault.sentence
    assert 0.5 < fault.number < 0.7


def test_a_few_rows_far_from_all_others_are_off_the_manifold() -> None:
    rng = np.random.default_rng(15)
    real, generated = _mixture(rng, 600), _mixture(rng, 600)
    assert faults_of(real, generated) == ()
    generated[:24] += 8 * real.std(axis=0) * rng.normal(size=(24, 8))
    (fault,) = faults_of(real, generated)
    assert fault.key == "off"
    assert "(25) lie farther from all real ones" in fault.sentence


def test_limits_of_a_few_features_are_passed_by_another_spread_too() -> None:
    rng = np.random.default_rng(16)
    real, generated = rng.integers(-1, 2, (2, 400, 10)).astype(float)
    for values in (real, generated):
        values[:, 1:] += 0.3 * rng.normal(size=(400, 9))
    assert keys_of(real, 0.6 * generated)[0] == "narrow"


def _healthy(rng: Rng, n: int, share: float) -> Floats:
    """Answers of people of whom a share says 0 or 1 to everything."""
    well = rng.random((n, 1)) < share
    return np.where(well, rng.random((n, 12)) < 0.2, rng.integers(0, 5, (n, 12))).astype(float)


def test_rows_that_coincide_by_nature_are_no_copies_where_a_mode_is_missing() -> None:
    rng = np.random.default_rng(17)
    real = Samples(_healthy(rng, 600, 0.15))
    held_out = held_out_distances(real)
    lost = memorisation(real, Samples(_healthy(rng, 600, 1.0)), held_out)
    assert not lost.memorised
    copied = _healthy(rng, 600, 0.15)
    copied[:200] = real.values[rng.permutation(600)[:200]]
    assert memorisation(real, Samples(copied), held_out).exact.low > 0
    again = real.values[rng.permutation(600)[:60]]
    repeated = Samples(np.concatenate([again[rng.integers(60, size=400)], copied[200:400]]))
    assert memorisation(real, repeated, held_out).exact.share > 0.5
    few = Samples(real.values[:100])
    often = Samples(np.concatenate([copied[200:], few.values[rng.integers(100, size=600)]]))
    assert memorisation(few, often, held_out_distances(few)).memorised


def test_more_generated_than_real_rows_repeat_by_chance_where_there_are_more() -> None:
    rng = np.random.default_rng(14)
    real, generated = (
        np.stack([rng.integers(0, 20, n) for _ in range(3)] + [rng.integers(0, 6, n)], axis=1)
        for n in (100, 1000)
    )
    assert len(np.unique(generated, axis=0)) <= 990
    assert faults_of(real.astype(float), generated.astype(float)) == ()
