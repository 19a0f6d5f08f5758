"""Statistics of a pair: chance alone between sets of one distribution, and what slow twins
compute.
"""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ks_2samp, ranksums

from prviz.arrays import Flags, Floats
from prviz.cli.main import main
from prviz.diagnostics.preflight import preflight
from prviz.neighbors.point_sets import RowView
from prviz.neighbors.queries import NearestRows
from prviz.samples import SamplePair
from prviz.triage import triage as triage_module
from prviz.triage.findings import sample_faults
from prviz.triage.memorisation import held_out_distances, memorisation
from prviz.triage.pair_statistics import (
    _REAL,
    FEW,
    JUMPS,
    VOID,
    _all_unlike,
    _Compared,
    _distance,
    _masses,
    _neighbours,
    _principal,
    _quantiles,
    _radii,
    _rank_z,
    _shares_up_to_deciles,
    _steps,
    _unlike,
    cluster_of,
    clusters,
    halvings,
)
from tests.benchmarks.faults import planted
from tests.triage_files import pair_statistics


@pytest.mark.exhaustive
def test_z_scores_of_one_distribution_are_those_of_chance() -> None:
    """Of 12 draws no z-score is large, and their spread is at most that of a normal one."""
    drawn = [
        asdict(pair_statistics(planted("gaussian, d = 8", None, 0.0, 200, seed)))
        for seed in range(12)
    ]
    for name in (
        "off_z",
        "unreached_z",
        "radius_z",
        "total_z",
        "top_z",
        "low_z",
        "all_total_z",
        "worst",
    ):
        scores = np.array([each[name] for each in drawn])
        assert np.abs(scores).max() < 4.0, name
        assert scores.std() < 1.25, name


@pytest.mark.exhaustive
def test_units_and_other_seeds_change_no_fault() -> None:
    pair = planted("6 modes, d = 16", "class missing", 0.2, 500, 3)
    scaled = SamplePair(pair.real.values * 2.0**300, pair.generated.values * 2.0**300)
    one, other = (asdict(halvings(each, times=1)[0]) for each in (pair, scaled))
    assert one == pytest.approx(other, rel=1e-9, nan_ok=True)
    assert all(halvings(pair, seed=seed, times=1)[0].empty > 0.1 for seed in range(4))


@pytest.mark.exhaustive
def test_what_was_averaged_is_told_from_what_was_stretched() -> None:
    """The nearest distance over the tenth is the same after any stretching, and less between
    averaged samples.
    """
    pair = planted("6 modes, d = 16", None, 0.0, 400, 1)
    mean = np.full(16, 3.0)
    plain = pair_statistics(pair)
    for factor in (0.7, 1.5):
        stretched = pair_statistics(
            SamplePair(pair.real, mean + factor * (pair.generated.values - mean))
        )
        assert stretched.uneven_z == pytest.approx(plain.uneven_z)
    assert pair_statistics(planted("6 modes, d = 16", "blurred", 0.5, 400, 1)).uneven_z < -8


def neighbours(
    fit: Floats, held: Floats, one: Floats, other: Floats
) -> tuple[dict[str, float], Flags, Flags]:
    """`_neighbours` of samples that are not in one array."""
    near = NearestRows(*(RowView(np.concatenate(halves)) for halves in ((fit, held), (one, other))))
    own, aside = (
        [(number, slice(0, len(first))), (number, slice(len(first), None))]
        for number, first in enumerate((fit, one))
    )
    known = _radii(near, own[0]), near.among(own[1], own[0], VOID)
    return _neighbours(near, *own, *aside, *known)


@pytest.mark.parametrize(("fits", "ones"), [(40, 35), (35, 40), (35, 35)])
def test_samples_without_others_near_by_are_those_of_the_double_loop(fits: int, ones: int) -> None:
    rng = np.random.default_rng(0)
    fit, held = (rng.normal(size=(number, 2)) for number in (fits, 30))
    one, other = (2 * rng.normal(size=(number, 2)) + 2 for number in (ones, 80))
    number = min(fits, ones)

    def alone(points: Floats, own: Floats, others: Floats, k: int) -> list[bool]:
        pool = np.concatenate([own[:number], others[:number]])
        near = [np.argsort(np.linalg.norm(pool - row, axis=1))[:k] for row in points]
        return [bool((rows < number).all()) for rows in near]

    found, on, _ = neighbours(fit, held, one, other)
    void = alone(held, fit, one, VOID)
    bare = np.array(alone(other, one, fit, FEW))[~on[ones:]]
    assert found["void"] == np.mean(void)
    assert found["bare"] == np.mean(bare)
    assert {True, False} == set(void) == set(bare.tolist())


@pytest.mark.exhaustive
def test_the_order_of_the_rows_changes_nothing() -> None:
    pair = planted("6 modes, d = 16", "class missing", 0.2, 300, 3)
    rng = np.random.default_rng(0)
    mixed = SamplePair(rng.permutation(pair.real.values), rng.permutation(pair.generated.values))
    assert asdict(pair_statistics(mixed)) == pytest.approx(
        asdict(pair_statistics(pair)), rel=1e-9, nan_ok=True
    )


def test_clusters_are_the_means_of_their_members() -> None:
    rng = np.random.default_rng(1)
    values = np.concatenate([rng.normal(size=(50, 3)) + 20 * step for step in range(4)])
    centres = clusters(values, 4, int(rng.integers(2**31)))
    members = cluster_of(values, centres)
    slow = [np.argmin([np.sum((row - centre) ** 2) for centre in centres]) for row in values]
    assert members.tolist() == slow
    for place, centre in enumerate(centres):
        np.testing.assert_allclose(centre, values[members == place].mean(axis=0))


@pytest.mark.exhaustive
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


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("n", "value", "real"), [(100, 1.0, None), (80, 0.0, None), (60, 1e200, None), (90, 1.0, 1.0)]
)
def test_sets_without_spread_are_measured(n: int, value: float, real: float | None) -> None:
    reference = planted("gaussian, d = 8", None, 0.0, 100, 0).real.values
    if real is not None:
        reference = np.full((100, 8), real)
    found = asdict(pair_statistics(SamplePair(reference, np.full((n, 8), value))))
    assert not np.isinf([*found.values()]).any()


@pytest.mark.parametrize("far", [4, 5])
def test_how_compact_lost_samples_are_is_said_of_five_and_more(far: int) -> None:
    rng = np.random.default_rng(0)
    fit, held, one = (rng.normal(size=(60, 2)) for _ in range(3))
    one[:5] += 50
    # copies of fit samples are on the support
    other = np.concatenate([fit[:40], 50 + rng.normal(size=(far, 2))])
    found, on, _ = neighbours(fit, held, one, other)
    assert np.flatnonzero(~on[len(one) :]).tolist() == list(range(40, 40 + far))
    if far < 5:
        assert math.isnan(found["compact"])
        assert math.isnan(found["bare"])
        return
    third = [
        [np.sort(np.linalg.norm(each - row, axis=1))[2] for row in other[40:]]
        for each in (one, fit)
    ]
    assert found["compact"] == pytest.approx(np.median(np.divide(*third)))
    assert found["bare"] == 1.0


@pytest.mark.parametrize(("real", "empty"), [(12, 0.06), (8, 0.0)])
def test_a_cluster_without_generated_samples_is_empty_beyond_chance_alone(
    real: int, empty: float
) -> None:
    """At 12 of 200 its z-score is -3.4, at 8 it is -2.7."""
    centres = np.array([[0.0, 0.0], [9.0, 9.0]])
    held = centres[(np.arange(200) < real).astype(int)]
    assert _masses(held, np.zeros((200, 2)), centres)["empty"] == pytest.approx(empty)


@pytest.mark.parametrize("features", [None, 4])
def test_variances_along_principal_directions_are_those_of_the_rows(features: int | None) -> None:
    residuals = np.random.default_rng(0).normal(size=(50, 4)) * [1.0, 3.0, 0.1, 2.0]
    variances, axes = _principal(residuals, 50, features)
    np.testing.assert_allclose(variances[:4], np.square(residuals @ axes).mean(axis=0))
    np.testing.assert_allclose(variances.sum(), np.square(residuals).sum() / 50)
    assert np.all(np.diff(variances) <= 0)


@contextmanager
def peak_below(limit: int) -> Iterator[None]:
    """Check that no more bytes are held at a time, beyond what is there."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < limit
    finally:
        tracemalloc.stop()


def wide_pair(n: int = 700, d: int = 2_000) -> SamplePair:
    rng = np.random.default_rng(0)
    return SamplePair(*(spread * rng.normal(size=(n, d)).astype("f4") for spread in (1.0, 1.3)))


@pytest.mark.exhaustive
def test_faults_of_wide_sets_are_searched_within_the_memory_limit() -> None:
    pair = wide_pair()
    facts = preflight(pair).facts
    copies = memorisation(*pair, held_out_distances(pair.real))
    # imports
    few = SamplePair(pair.real.take(range(80)), pair.generated.take(range(80)))
    sample_faults(few, facts, copies)
    limit = 50_000_000  # the least that any measurement takes; 90 MB without
    with peak_below(limit):
        found = sample_faults(pair, facts, copies, memory_limit=limit)
    assert [each.key for each in found] == ["wide"]


@pytest.mark.parametrize("d", [3, 130])
def test_what_is_kept_of_the_real_rows_changes_nothing(d: int) -> None:
    rng = np.random.default_rng(0)
    real, other = rng.normal(size=(2, 120, d))
    sets = [rng.normal(shift, 1.0, size=(90 + 20 * place, d)) for place, shift in enumerate((0, 1))]
    expected = []
    for generated in sets:
        _REAL.clear()
        expected.append(repr(halvings(SamplePair(real, generated))))  # nan equals nan
    halvings(SamplePair(other, sets[0]))
    assert [repr(halvings(SamplePair(real, generated))) for generated in sets] == expected
    assert len(_REAL) == 3
    assert expected[0] != expected[1]


def test_more_rows_than_are_compared_at_once_are_compared_in_turn() -> None:
    pair = SamplePair(*np.random.default_rng(0).normal(size=(2, 300, 3)))
    compared = _Compared(pair, 100, 10**9)
    turns = [compared.drawn(np.random.default_rng(turn), turn)[:2] for turn in range(3)]
    for role in range(2):
        rows = [
            {*map(tuple, (sides[role].features() * sides[role].unit).round(9))} for sides in turns
        ]
        assert [len(each) for each in rows] == [100, 100, 100]
        assert len(set[int]().union(*rows)) == 300


@pytest.mark.exhaustive
def test_findings_of_fewer_rows_are_kept_apart_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    searched = list[int]()
    files = [tmp_path / "real.npy", tmp_path / "made.npy"]
    for path, samples in zip(files, wide_pair(520, 1_100), strict=True):
        np.save(path, samples.values)

    def search(*_: object, memory_limit: int, **__: object) -> tuple[object, ...]:
        searched.append(memory_limit)
        return ()

    monkeypatch.setattr(triage_module, "sample_faults", search)
    line = ["triage", *map(str, files), "--method", "knn", "--out", str(tmp_path / "kept")]
    said = "findings compare 510 samples of each set: --memory-limit leaves no room for more"
    for limit in ("50MB", "1GB", "50MB", "1GB"):
        assert main([*line, "--memory-limit", limit]) == 0
        assert (said in capsys.readouterr().out) == (limit == "50MB")
    assert searched == [50_000_000, 1_000_000_000]


def test_many_features_in_blocks_have_the_statistics_of_all_at_once() -> None:
    rng = np.random.default_rng(0)
    pair = SamplePair(rng.normal(size=(24, 120)), 1.3 * rng.normal(size=(20, 120)))
    whole, parts = (
        asdict(halvings(pair, times=1, memory_limit=limit)[0]) for limit in (1 << 30, 400_001)
    )
    assert parts == pytest.approx(whole, rel=1e-6, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("d", [3, 200])
def test_a_single_cluster_is_not_stretched_about_its_own_centre(d: int) -> None:
    rng = np.random.default_rng(0)
    pair = SamplePair(1e4 + rng.normal(size=(60, d)), 1e4 + 2 * rng.normal(size=(60, d)))
    for found in halvings(pair):  # it was a rounding divided by a rounding
        assert (found.stretch, found.stretch_z) == (0.0, 0.0)
        assert found.after_stretch == found.centre_z


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(("n", "m"), [(3, 40), (5, 5), (60, 7), (200, 201)])
def test_rank_sums_and_distances_of_distributions_are_scipy_s(n: int, m: int, ties: bool) -> None:
    rng = np.random.default_rng(ties)
    one = rng.normal(size=n)
    other = rng.normal(0.3, 2, size=m)
    if ties:
        one, other = one.round(), other.round()
    assert _rank_z(one, other) == pytest.approx(ranksums(one, other).statistic, abs=1e-12)
    asymptotic = ks_2samp(one, other, method="asymp").statistic
    assert _distance(one, other) == pytest.approx(asymptotic, abs=1e-12)
    assert _rank_z(np.empty(0), one) == _rank_z(one, np.empty(0)) == 0.0


def test_what_one_feature_is_apart_from_all_others_is_that_of_each_pair() -> None:
    rng = np.random.default_rng(0)
    real, generated = (
        rng.poisson(mean, (n, 7)).astype(float) for mean, n in ((1.5, 60), (1.7, 45))
    )
    shares = _shares_up_to_deciles(real)
    found = _all_unlike(shares, generated, len(real))
    for place in range(7):
        alone = np.repeat(generated[:, [place]], 7, axis=1)
        np.testing.assert_array_equal(found[:, place], _unlike(shares, alone, len(real)))


def test_a_set_where_one_real_sample_lies_alone_is_compared() -> None:
    real, generated = np.random.default_rng(0).normal(size=(2, 200, 3))
    real[0] += 1000
    drawn = halvings(SamplePair(real, generated + 1000))
    assert all(np.isfinite(each.added) for each in drawn)


@pytest.mark.parametrize("n", [1, 2, 40, 117])
def test_quantiles_of_sorted_rows_are_those_of_numpy(n: int) -> None:
    rng = np.random.default_rng(n)
    values = rng.normal(size=(n, 5)) * [1e-300, 1, 1e3, 1e40, 0]
    for at in (np.arange(0.1, 0.95, 0.1), np.clip(np.arange(0.1, 0.95, 0.1) - 0.15, 0, 1)):
        found = _quantiles(np.sort(values.T, axis=1), at)
        assert np.array_equal(found, np.quantile(values, at, axis=0).T)


def test_deciles_of_values_that_repeat_jump_by_what_lies_within_chance() -> None:
    counts = np.sort(np.random.default_rng(0).poisson(2, size=(3, 200)).astype(float), axis=1)
    counts[2] += np.linspace(0, 0.5, 200)  # no value twice
    at = np.arange(0.1, 0.95, 0.1)
    ends = [np.clip(at + side * JUMPS * 0.04, 0, 1) for side in (-1, 1)]
    low, high = (np.quantile(counts[:2], each, axis=1).T for each in ends)
    assert np.array_equal(_steps(counts, at, 0.04), np.r_[high - low, np.zeros((1, len(at)))])
    assert (high > low).any()
