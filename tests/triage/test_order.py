"""Features in another order, found where all of them have nearly one distribution."""

from __future__ import annotations

import numpy as np
import pytest

from prviz.arrays import Floats
from prviz.samples import SamplePair
from prviz.triage.pair_statistics import _matched, _misfit, halvings
from tests.triage_files import keys_of


def _embeddings(n: int, seed: int) -> Floats:
    """Rows of length 1 about four directions, in 48 features of one spread."""
    rng = np.random.default_rng((48, seed))
    values = np.random.default_rng(48).normal(size=(4, 48))[rng.integers(4, size=n)]
    values += rng.normal(size=(n, 48))
    return values / np.linalg.norm(values, axis=1, keepdims=True)


@pytest.mark.parametrize("n", [120, 400])
def test_embeddings_with_features_in_another_order_are_no_early_checkpoint(n: int) -> None:
    values = _embeddings(2 * n, n)
    order = np.random.default_rng(n).permutation(48)
    assert keys_of(values[:n], values[n:, order])[0] == "permuted"


def test_each_feature_in_an_order_of_its_own_is_no_other_order_of_the_features() -> None:
    values = _embeddings(800, 1)
    shuffled = np.random.default_rng(1).permuted(values[400:], axis=0)
    shuffled /= np.linalg.norm(shuffled, axis=1, keepdims=True)
    assert keys_of(values[:400], shuffled)[0] == "coarse"


def test_an_order_that_mends_two_of_many_features_that_differ_is_none() -> None:
    """Two features whose modes lie at nearly the same places seem exchanged where shares change."""
    rng = np.random.default_rng(3)
    places = np.resize([-2.0, 2.0], 10) + 0.1 * np.arange(10)
    modes = np.concatenate([rng.random(400) < 1 / 3, rng.random(400) < 0.6])
    values = np.where(modes[:, None], places, -places) + rng.normal(size=(800, 10))
    values[400:, [0, 1]] = values[400:, [1, 0]]
    assert keys_of(values[:400], values[400:])[0] != "permuted"


def test_units_are_seen_where_one_feature_holds_the_distances_alone() -> None:
    rng = np.random.default_rng(4)
    values = (rng.normal(size=(800, 6)) + 5) * np.array([1, 2, 1e5, 3, 4, 5])
    assert keys_of(values[:400], values[400:, [2, 0, 1, 3, 5, 4]])[0] == "permuted"


def test_correlations_in_another_order_are_found() -> None:
    rng = np.random.default_rng(5)
    angles = rng.normal(size=(30, 30))
    angles += angles.T
    for _ in range(5):
        order = rng.permutation(30)
        noisy = angles[np.ix_(order, order)] + 0.1 * np.tril(rng.normal(size=(30, 30)))
        other = np.tril(noisy) + np.tril(noisy, -1).T
        found, before, after = _matched([angles, other], np.zeros((30, 30)))
        assert np.array_equal(order[found], np.arange(30))
        assert _misfit([angles, other], found) < 0.02
        assert before.mean() > 1 > after.mean()


def test_an_order_says_how_many_features_stand_elsewhere() -> None:
    values = _embeddings(800, 9)
    order = np.arange(48)
    order[:12] = np.roll(order[:12], 1)
    (found,) = halvings(SamplePair(values[:400], values[400:, order]), times=1)
    assert found.disordered == 12
    assert found.misfit_ordered < 0.15 * found.misfit
