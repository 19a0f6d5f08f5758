"""The preflight's numbers against closed forms and brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from prviz.checks import facts
from prviz.diagnostics.preflight import effective_dimension
from prviz.samples import SamplePair, Samples


def cloud(n: int = 400, d: int = 8, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, d))


def pair(real: np.ndarray, generated: np.ndarray) -> SamplePair:
    return SamplePair(Samples(real), Samples(generated))


@pytest.mark.parametrize("shape", [(2000, 16), (60, 300)])
def test_effective_dimension_of_an_isotropic_gaussian(shape: tuple[int, int]) -> None:
    n, d = shape
    result = effective_dimension(Samples(cloud(n, d) + 1000))
    assert result.rows == n
    assert result.value == pytest.approx(d / (1 + d / n), rel=0.03)


@given(
    seed=st.integers(0, 100),
    d=st.integers(1, 12),
    scale=st.sampled_from([1e-200, 1e-3, 1.0, 1e200]),
)
@settings(deadline=None, max_examples=25)
def test_effective_dimension_is_the_participation_ratio_of_the_spectrum(
    seed: int, d: int, scale: float
) -> None:
    values = cloud(30, d, seed) * np.geomspace(1, 4, d)
    spectrum = np.linalg.svd(values - values.mean(axis=0), compute_uv=False) ** 2
    expected = spectrum.sum() ** 2 / (spectrum**2).sum()
    assert effective_dimension(Samples(values * scale)).value == pytest.approx(expected, rel=1e-4)


def test_effective_dimension_of_a_line_is_one_and_of_a_point_zero() -> None:
    line = np.linspace(-1, 3, 500)[:, None] * cloud(1, 20) + 0.1
    assert effective_dimension(Samples(line)).value == pytest.approx(1, abs=1e-4)
    assert effective_dimension(Samples(np.full((50, 20), 0.1))).value == 0


def test_effective_dimension_of_many_rows_is_drawn_with_a_seed() -> None:
    many = Samples(cloud(6000, 4))
    result = effective_dimension(many)
    assert result.rows == 5000
    assert result == effective_dimension(many)
    assert result != effective_dimension(many, seed=1)


def brute_force(real: np.ndarray, generated: np.ndarray) -> tuple[int, ...]:
    rows = [tuple(row) for row in real.astype(float).tolist()]
    others = [tuple(row) for row in generated.astype(float).tolist()]
    return (
        len(rows) - len(set(rows)),
        len(others) - len(set(others)),
        max(rows.count(row) for row in rows),
        max(others.count(row) for row in others),
        sum(row in set(others) for row in rows),
        sum(row in set(rows) for row in others),
    )


small = st.tuples(st.integers(1, 25), st.integers(1, 25), st.integers(1, 3), st.integers(0, 10**6))


@given(shape=small, mixed=st.booleans())
@settings(deadline=None, max_examples=80)
def test_duplicates_equal_a_brute_force_count(
    shape: tuple[int, int, int, int], mixed: bool
) -> None:
    n, m, d, seed = shape
    rng = np.random.default_rng(seed)
    values = np.array([-0.0, 0.0, 1.0, 0.1])
    real = rng.choice(values, (n, d))
    generated = rng.choice(values, (m, d))
    sets = (real.astype(np.float32) if mixed else real, generated)
    assert facts.compare_rows(pair(*sets)).counts == brute_force(*sets)


def test_duplicates_stay_exact_when_every_hash_collides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts, "_hashes", lambda values: np.zeros(len(values), np.uint64))
    rng = np.random.default_rng(0)
    sets = rng.integers(0, 3, (40, 2)).astype(float), rng.integers(0, 3, (30, 2)).astype(float)
    assert facts.compare_rows(pair(*sets)).counts == brute_force(*sets)


def test_hashes_of_small_whole_numbers_do_not_collide() -> None:
    samples = Samples(np.unique(np.random.default_rng(0).integers(0, 17, (50_000, 4)), axis=0))
    assert len(np.unique(facts._hashes(samples.values))) == samples.n


def test_facts_do_not_depend_on_the_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    data = Samples(np.round(cloud(300, 3), 1))
    whole = facts.moments(data), facts.compare_rows(SamplePair(data, data)).counts
    monkeypatch.setattr(facts, "BLOCK", 21)
    blocked = facts.moments(data)
    assert facts.compare_rows(SamplePair(data, data)).counts == whole[1]
    assert np.allclose(blocked.sd, whole[0].sd, rtol=1e-12)
    assert np.allclose(whole[0].sd, data.values.std(axis=0), rtol=1e-12)
    assert blocked.norm == pytest.approx(float(np.median(np.linalg.norm(data.values, axis=1))))


@pytest.mark.parametrize("block", [2**20, 12])
def test_constant_features_are_those_of_one_value_in_every_row(
    monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(facts, "BLOCK", block)
    rng = np.random.default_rng(0)
    values = rng.normal(size=(50, 6))
    values[:, [1, 3]] = 2.0
    values[:, 4] = 0.0
    values[17, 4] = 1.0  # in none of the few rows that are looked at first
    values[:, 5] = np.where(np.arange(50) % 2, 0.0, -0.0)
    found = facts.moments(Samples(values))
    assert found.constant.tolist() == [False, True, False, True, False, True]
    assert (found.sd > 0).tolist() == [True, False, True, False, True, False]


@given(st.integers(1, 6), st.integers(1, 4), st.integers(0, 10**6))
@settings(deadline=None, max_examples=40)
def test_moments_are_numpy_s(n: int, d: int, seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=(n, d)) * 1e200
    found = facts.moments(Samples(values))
    norms = np.linalg.norm(values / 1e200, axis=1)
    assert np.allclose(found.sd / 1e200, (values / 1e200).std(axis=0), atol=1e-12)
    wanted = [np.median(norms), norms.min(), norms.max()]
    assert np.allclose(
        np.array([found.norm, found.least_norm, found.greatest_norm]) / 1e200, wanted
    )


def test_rows_that_all_differ_are_numbered_one_by_one() -> None:
    assert facts.row_classes([Samples([[1.0], [3.0]]), Samples([[2.0]])]).tolist() == [0, 1, 2]
