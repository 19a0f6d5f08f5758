"""Pairs of columns that belong together otherwise: found among many, at their level, whatever the
columns are.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import rankdata

from prviz.diagnostics import correlation_tests as module
from prviz.diagnostics.correlation_tests import MOST_COLUMNS, correlated_otherwise
from prviz.diagnostics.witness import _correlated
from prviz.samples import SamplePair


def together(seed: int, n: int = 200, d: int = 12) -> SamplePair:
    """Real columns 3 and 5 are one and the same but for noise, generated ones are independent."""
    real, generated = np.random.default_rng(seed).standard_t(2, (2, n, d))
    real[:, 5] = real[:, 3] + 0.4 * real[:, 5]
    return SamplePair(real, generated)


def test_a_lost_correlation_is_found_among_many_columns_and_called_by_both() -> None:
    pair = together(0)
    assert [each.tolist() for each in correlated_otherwise(pair, np.arange(12), 0)] == [[3, 5]]
    assert [each.tolist() for each in correlated_otherwise(pair, np.array([1, 3, 4, 5]), 0)] == [
        [3, 5]
    ]
    assert correlated_otherwise(pair, np.array([1, 3, 4]), 0) == []
    found = _correlated(pair, [0, 11], 0)
    assert [each.columns for each in found] == [(3,), (5,)]
    assert not any(each.alone for each in found)


def test_a_column_that_lost_several_is_called_alone() -> None:
    rng = np.random.default_rng(0)
    cause = rng.normal(size=(2, 300, 1))
    real, generated = cause + 0.5 * rng.normal(size=(2, 300, 5))
    generated[:, 2] = rng.permutation(generated[:, 2])
    (found,) = _correlated(SamplePair(real, generated), [], 0)
    assert found.columns == (2,)


def test_sets_that_are_alike_are_called_alike_but_for_the_level(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One in ten here; few values, heavy tails and equal columns take nothing from that."""
    monkeypatch.setattr(module, "_DRAWS", 9)
    monkeypatch.setattr(module, "SURE", 0.0)
    found = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        values = rng.standard_cauchy((60, 5)) * rng.pareto(1.0, (60, 1))
        values[:, 1] = rng.integers(0, 3, 60)
        values[:, 2] = values[:, 3]
        found += bool(
            correlated_otherwise(SamplePair(values[:30], values[30:]), np.arange(5), seed)
        )
    assert 8 <= found <= 34  # 20 are meant


def test_the_differences_are_those_of_correlations_of_ranks() -> None:
    values = np.concatenate([side.values for side in together(1, 50, 6)])
    values[:, 1] = np.round(values[:, 1])
    ranks, kept = module._ranks(np.column_stack([values, np.arange(100) < 95]))
    assert kept.tolist() == [0, 1, 2, 3, 4, 5]  # the last column has too few other values
    rows = np.random.default_rng(0).permutation(100)[:40]
    rest = np.setdiff1d(np.arange(100), rows)
    sides = [np.corrcoef(rankdata(values, axis=0)[some], rowvar=False) for some in (rows, rest)]
    off = ~np.eye(6, dtype=bool)
    expected = np.abs(np.subtract(*(np.arctanh(each[off]) for each in sides)))
    assert module._apart(ranks, ranks.T @ ranks, rows)[off] == pytest.approx(expected)


def test_what_can_not_be_tested_says_nothing() -> None:
    wide = np.zeros((2, MOST_COLUMNS + 1))
    assert correlated_otherwise(SamplePair(wide, wide), np.arange(MOST_COLUMNS + 1), 0) == []
    assert correlated_otherwise(SamplePair(wide[:, :3], wide[:, :3]), np.arange(3), 0) == []
    assert correlated_otherwise(together(0), np.arange(0), 0) == []
