"""What clusters hold: every sample once, its family's shares, the most lopsided first."""

from __future__ import annotations

import numpy as np

import prviz
from prviz.diagnostics.clusters import cluster_members
from prviz.samples import SamplePair

PLACES = 100.0 * np.arange(4)[:, None] * np.ones(3)


def test_separate_modes_are_found_with_their_shares() -> None:
    rng = np.random.default_rng(0)
    real = np.repeat([0, 1, 2], [10, 20, 30])
    generated = np.repeat([1, 2, 3], [5, 25, 20])
    pair = SamplePair(*(PLACES[own] + rng.normal(size=(len(own), 3)) for own in (real, generated)))
    found = cluster_members(pair, 4)
    assert [(each.real_share, each.generated_share) for each in found] == [
        (0.0, 0.4),
        (10 / 60, 0.0),
        (20 / 60, 5 / 50),
        (0.5, 0.5),
    ]
    assert [round(each.lopsided, 3) for each in found] == [1.0, 1.0, 0.538, 0.0]
    assert set(found[1].real) == set(range(10))
    distances = np.linalg.norm(
        pair.real.values[found[1].real] - pair.real.values[:10].mean(axis=0), axis=1
    )
    assert (np.diff(distances) >= 0).all()


def test_they_are_those_of_the_familys_first_run() -> None:
    pair = SamplePair(*prviz.toy("mixtures", d=4).sample(300, seed=1))
    found = cluster_members(pair, 12, seed=3)
    first, *_ = prviz.estimate(pair, ("cluster:clusters=12",), split=None, seed=3)[
        "cluster:clusters=12"
    ].runs
    assert sorted(np.concatenate([each.real for each in found])) == list(range(300))
    assert sorted(np.concatenate([each.generated for each in found])) == list(range(300))
    for each in found:
        np.testing.assert_allclose(first.c_real[each.real], each.real_share)
        np.testing.assert_allclose(first.c_generated[300 + each.generated], each.generated_share)
    lopsided = [each.lopsided for each in found]
    assert lopsided == sorted(lopsided, reverse=True)
