"""Rows of more features than rows: coordinates with the same distances, and the same statistics."""

from __future__ import annotations

import tracemalloc
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from prviz.samples import SamplePair
from prviz.triage import pair_statistics as statistics
from prviz.triage.row_sets import RowSet, coordinates, mixing_weights
from tests.triage_files import pair_statistics


def _wide(n: int, d: int, factor: float = 1.0) -> SamplePair:
    rng = np.random.default_rng(d)
    base = rng.normal(size=(d, d)) * np.geomspace(1, 0.01, d)
    sets = [rng.normal(size=(n, d)) @ base + 3 * rng.integers(0, 3, (n, 1)) for _ in range(2)]
    sets[1][:10] = sets[1][10:20]
    sets[1][30:35] = sets[0][:5] + 1e-4
    return SamplePair(sets[0], factor * sets[1])


def test_coordinates_keep_all_distances_of_sets_of_any_scale_and_repeated_rows_stay_at_0() -> None:
    pair = _wide(40, 300, 1e6)
    rows = np.arange(40)
    classes = rows, np.where(rows < 10, rows + 50, rows + 40)
    sets = [RowSet(part.values, rows, 2.0) for part in pair]
    found = coordinates(sets, classes)
    assert found[0].shape[1] <= 80
    for one, other in ((0, 0), (0, 1), (1, 1)):
        slow = cdist(sets[one].features(), sets[other].features())
        np.testing.assert_allclose(
            cdist(found[one], found[other]), slow, rtol=1e-7, atol=1e-6 * 1e6**one
        )
    assert np.array_equal(found[1][:10], found[1][10:20])
    near = cdist(found[0], found[0])[~np.eye(40, dtype=bool)]
    np.testing.assert_allclose(
        near, cdist(sets[0].features(), sets[0].features())[~np.eye(40, dtype=bool)], rtol=1e-9
    )


def test_weights_of_rows_give_the_centres_in_any_coordinates() -> None:
    rng = np.random.default_rng(0)
    features = rng.normal(size=(20, 50))
    turned = features @ np.linalg.qr(rng.normal(size=(50, 50)))[0]
    members = [features[:7], features[7:]]
    weights = mixing_weights(turned, np.stack([turned[:7].mean(axis=0), turned[7:].mean(axis=0)]))
    mean = features.mean(axis=0)
    for mixed, some in zip(weights @ (features - mean) + mean, members, strict=True):
        np.testing.assert_allclose(mixed, some.mean(axis=0))


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("n", "d", "factor"),
    [
        (100, 150, 1.0),
        (100, 320, 1.0),
        (100, 320, 1e6),
        pytest.param(260, 540, 1.0, marks=pytest.mark.exhaustive),
    ],
)
def test_statistics_of_wide_sets_are_those_of_all_features(
    n: int, d: int, factor: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The slow twin compares the features themselves and forms all (d, d) products."""
    pair = _wide(n, d, factor)
    fast = asdict(pair_statistics(pair))
    statistics._REAL.clear()

    class Whole(statistics._Compared):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self.wide = False

    spreads = statistics._spreads
    principal = statistics._principal_of
    monkeypatch.setattr(statistics, "_Compared", Whole)
    monkeypatch.setattr(statistics, "_spreads", lambda *sets: spreads(*sets[:4]))
    monkeypatch.setattr(statistics, "_principal_of", lambda *sets: principal(*sets[:2], None))
    slow = asdict(pair_statistics(pair))
    if (
        n < 200
        # a single cluster of moves: its centre is the mean, and the factor from there is rounding
        # over rounding
    ):
        fast.pop("stretch")
        slow.pop("stretch")
    assert fast == pytest.approx(slow, rel=1e-6, abs=1e-8, nan_ok=True)


@pytest.mark.exhaustive
def test_wide_sets_need_no_matrix_of_all_features() -> None:
    """8 MB of 120 x 8,000, twice: one (d, d) matrix would take 512 MB."""
    rng = np.random.default_rng(0)
    pair = SamplePair(*(rng.normal(size=(120, 8_000)).astype(np.float32) for _ in range(2)))
    tracemalloc.start()
    pair_statistics(pair)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.2e8


def test_coordinates_take_two_matrices_of_the_rows_at_a_time() -> None:
    rows = 700
    values = np.random.default_rng(0).normal(size=(rows, 900))
    sets = [
        RowSet(values, np.arange(start, start + rows // 2), 1.0, 70_000) for start in (0, rows // 2)
    ]
    classes = [np.arange(rows // 2), np.arange(rows // 2, rows)]
    tracemalloc.start()
    points = np.concatenate(coordinates(sets, classes))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    np.testing.assert_allclose(
        cdist(points[:9], points), cdist(values[:9], values[:rows]), atol=1e-9
    )
    assert peak < 2.6 * 8 * rows**2
