"""The engine against double loops, on every kind of data that breaks fast distances."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from prviz.estimators import DEFAULT_METHODS
from prviz.neighbors import Balls, Distances, WholeDistances, Within, whole
from prviz.neighbors.balls import squared_threshold
from prviz.samples import SamplePair
from tests import slow_twins
from tests.hard_pairs import (
    KINDS,
    SOME_KINDS,
    all_balls,
    counts,
    make_pair,
    typical_radius,
)
from tests.marks import exhaustive_but


@pytest.mark.one_in(3)
@pytest.mark.parametrize("split", [0.5, None])
@pytest.mark.parametrize("d", exhaustive_but((1, 7, 8, 64), 7, 8))
@pytest.mark.parametrize("kind", KINDS)
def test_counts_equal_double_loops(kind, d, split):
    pair = make_pair(kind, d)
    drawn = pair.split(split, 0)
    distances = Distances(drawn)
    for k, bandwidth in ((1, None), (3, typical_radius(pair))):
        expected = {
            name: slow_twins.supports(drawn, name, k, bandwidth) for name in DEFAULT_METHODS
        }
        assert counts(distances, k, bandwidth) == expected


@pytest.mark.parametrize("d", exhaustive_but((1, 7, 8, 64, 300), 7, 300))
@pytest.mark.parametrize("kind", KINDS)
def test_counts_from_all_distances_equal_double_loops(kind, d, monkeypatch):
    monkeypatch.setattr(whole, "_BLOCK", 7)
    pair = make_pair(kind, d)
    known = WholeDistances.of(pair)
    for seed in range(2):
        drawn = pair.split(0.5, seed)
        for k, bandwidth in ((1, None), (3, typical_radius(pair))):
            expected = {
                name: slow_twins.supports(drawn, name, k, bandwidth) for name in DEFAULT_METHODS
            }
            given = SimpleNamespace(count=partial(known.count, drawn))
            assert counts(given, k, bandwidth) == expected


def test_all_distances_are_not_kept_of_many_samples_or_of_huge_values(monkeypatch):
    assert WholeDistances.of(make_pair("continuous", 3)) is not None
    assert WholeDistances.of(SamplePair(*(np.eye(9) * 1e155 for _ in range(2)))) is None
    monkeypatch.setattr(whole, "MOST_WHOLE", 25)
    assert WholeDistances.of(make_pair("continuous", 3)) is None


@pytest.mark.one_in(3)
@pytest.mark.parametrize("bandwidth", [1e-200, 1e-12, 1e20, 1e160, 1e300])
@pytest.mark.parametrize(
    "kind", ["continuous", "ternary", "squares underflow", "squares nearly overflow"]
)
@pytest.mark.parametrize("d", [3, 9])
def test_bandwidths_beyond_all_distances(kind, d, bandwidth):
    drawn = make_pair(kind, d).split(None)
    distances = Distances(drawn)
    assert counts(distances, 1, bandwidth)["kde"] == slow_twins.supports(drawn, "kde", 1, bandwidth)


@pytest.mark.parametrize("d", [1024, 4096])
@pytest.mark.parametrize(
    "kind", ["continuous", "float16", "near ties", "offset float32", "far clusters"]
)
def test_many_dimensions(kind, d):
    drawn = make_pair(kind, d, 9, 7).split(None)
    assert counts(Distances(drawn), 2, None) == {
        n: slow_twins.supports(drawn, n, 2, None) for n in DEFAULT_METHODS
    }


@pytest.mark.one_in(3)
@pytest.mark.parametrize("split", [0.5, None])
@pytest.mark.parametrize(
    "kind",
    exhaustive_but(
        ("float32", "ternary", "tenths", "duplicates", "near ties", "far clusters"),
        *("ternary", "near ties"),
    ),
)
def test_blocks_and_threads_change_nothing(kind, split):
    pair = make_pair(kind, 9, 30, 20)
    drawn = pair.split(split, 3)
    whole = counts(Distances(drawn, threads=1), 7, None)
    for block_bytes, threads in ((1, 1), (600, 2)):
        assert counts(Distances(drawn, block_bytes=block_bytes, threads=threads), 7, None) == whole


@pytest.mark.parametrize(
    "kind", ["float32", "ternary", "tenths", "duplicates", "near ties", "outlier"]
)
def test_the_order_of_rows_changes_nothing(kind):
    pair = make_pair(kind, 9, 150, 90)
    rng = np.random.default_rng(1)
    real = rng.permutation(150)
    generated = rng.permutation(90)
    shuffled = SamplePair(pair.real.values[real], pair.generated.values[generated])
    rows = np.concatenate([real, 150 + generated])
    before, after = (
        Distances(each.split(None)).count(all_balls(7, None)) for each in (pair, shuffled)
    )
    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(one.real[rows], other.real)
        np.testing.assert_array_equal(one.generated[rows], other.generated)
        assert one.radii == other.radii


@settings(deadline=None, max_examples=300)
@given(st.floats(min_value=1e-150, max_value=1e150), st.integers(-3, 3))
def test_squared_threshold_decides_as_the_root_does(radius, steps):
    threshold = squared_threshold(radius)
    candidate = threshold
    for _ in range(abs(steps)):
        candidate = np.nextafter(candidate, np.inf if steps > 0 else 0.0)
    assert (np.sqrt(candidate) <= radius) == (candidate <= threshold)


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_any_small_pair_equals_the_double_loops(data):
    d = data.draw(st.sampled_from([1, 3, 8, 11]))
    values = st.sampled_from([0.0, 1.0, -1.0, 0.1, 1 / 3, 1e-9, 1e4, 1e4 + 1e-3])
    rows = st.lists(st.lists(values, min_size=d, max_size=d), min_size=4, max_size=9)
    pair = SamplePair(np.array(data.draw(rows)), np.array(data.draw(rows)))
    drawn = pair.split(data.draw(st.sampled_from([None, 0.5])), data.draw(st.integers(0, 9)))
    k = data.draw(st.integers(1, min(drawn.fit.real.n, drawn.fit.generated.n) - 1))
    bandwidth = data.draw(st.sampled_from([None, 0.1, 1.0, float(np.sqrt(2)), 1e4]))
    expected = {name: slow_twins.supports(drawn, name, k, bandwidth) for name in DEFAULT_METHODS}
    assert counts(Distances(drawn), k, bandwidth) == expected


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("d", "split"),
    [
        (9, 0.5),
        *(pytest.param(*each, marks=pytest.mark.exhaustive) for each in ((2, 0.5), (9, None))),
    ],
)
@pytest.mark.parametrize("kind", SOME_KINDS)
def test_many_balls_at_once_count_as_each_alone(kind, d, split):
    pair = make_pair(kind, d, 40, 34)
    drawn = pair.split(split, 1)
    unit = typical_radius(pair)
    widths = [each for k in (1, 3, 16) for each in all_balls(k, None)]
    widths += [
        Balls(Within(unit * u), Within(unit * u)) for u in (1e-9, 0.3, 0.9, 1.0, 1.0, 1.1, 2.0, 1e3)
    ]
    distances = Distances(drawn)
    for together, each in zip(distances.count(widths), widths, strict=True):
        alone = Distances(drawn).count([each])[0]
        assert together.real.tolist() == alone.real.tolist(), each
        assert together.generated.tolist() == alone.generated.tolist(), each
        assert together.radii == alone.radii


@pytest.mark.parametrize("kind", ["float32", "ternary", "near ties", "far clusters"])
def test_many_balls_do_not_depend_on_blocks_and_threads(kind):
    drawn = make_pair(kind, 9, 40, 36).split(0.5, 3)
    balls = [each for k in range(1, 17) for each in all_balls(k, None)]
    whole = Distances(drawn, threads=1).count(balls)
    for block_bytes, threads in ((1, 1), (600, 2)):
        parts = Distances(drawn, block_bytes=block_bytes, threads=threads).count(balls)
        for one, other in zip(whole, parts, strict=True):
            assert np.array_equal(one.real, other.real)
            assert np.array_equal(one.generated, other.generated)
