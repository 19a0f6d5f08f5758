"""The engine against double loops, on every kind of data that breaks fast distances."""

from __future__ import annotations

import threading
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_info

from prviz.estimators import ESTIMATORS
from prviz.neighbors import Balls, Distances, MeanNearest, Nearest, Within
from prviz.neighbors.balls import squared_threshold
from prviz.neighbors.clouds import Cloud, merge_duplicates
from prviz.neighbors.exact import pair_distances
from prviz.neighbors.kernels import Scratch, mask_within, row_counts
from prviz.neighbors.orders import Ranking
from prviz.neighbors.passes import _nearest_ball
from prviz.neighbors.prepare import prepare
from prviz.neighbors.products import choose_arithmetic
from prviz.neighbors.tiles import make_tile
from prviz.samples import SamplePair
from tests import slow_twins

N_REAL, N_GENERATED = 15, 11


def _duplicates(rng, n, d):
    return np.repeat(rng.normal(size=((n + 2) // 3, d)), 3, axis=0)[:n]


def _near_ties(rng, n, d):
    """Points whose distances from each other differ in the last few bits of float64, or not at all."""
    points = np.zeros((n, d))
    points[np.arange(n), np.arange(n) % d] = np.where(np.arange(n) % 2, 1.0, -1.0)
    return points * (1 + 2.0**-52 * rng.integers(0, 6, size=(n, 1))) * 0.7


def _with_outlier(rng, n, d, size):
    values = rng.normal(size=(n, d))
    values[n // 2] *= size
    return values


def _far_clusters(rng, n, d):
    values = rng.normal(size=(n, d))
    values[: n // 2] += 1e7
    return values


KINDS = {
    "continuous": lambda rng, n, d: rng.normal(size=(n, d)) + n / 50,
    "float32": lambda rng, n, d: rng.normal(size=(n, d)).astype(np.float32),
    "float16": lambda rng, n, d: rng.normal(size=(n, d)).astype(np.float16),
    "ternary": lambda rng, n, d: rng.integers(0, 3, size=(n, d)),
    "large integers": lambda rng, n, d: rng.integers(-2000, 3000, size=(n, d)),
    "tenths": lambda rng, n, d: rng.integers(0, 2, size=(n, d)) * 0.1,
    "near ties": _near_ties,
    "duplicates": _duplicates,
    "both collapsed": lambda rng, n, d: np.repeat(rng.normal(size=(1, d)), n, axis=0),
    "one collapsed": lambda rng, n, d: (
        np.repeat(rng.normal(size=(1, d)), n, 0) if n == N_REAL else rng.normal(size=(n, d))
    ),
    "signed zeros": lambda rng, n, d: np.where(rng.random((n, d)) < 0.5, 0.0, -0.0),
    "offset": lambda rng, n, d: rng.normal(size=(n, d)) + 1e4,
    "offset float32": lambda rng, n, d: (rng.normal(size=(n, d)) + 1e4).astype(np.float32),
    "tiny": lambda rng, n, d: rng.normal(size=(n, d)) * 1e-6,
    "huge": lambda rng, n, d: rng.normal(size=(n, d)) * 1e6,
    "squares underflow": lambda rng, n, d: rng.normal(size=(n, d)) * 1e-160,
    "squares nearly overflow": lambda rng, n, d: rng.normal(size=(n, d)) * 1e140,
    "outlier": lambda rng, n, d: _with_outlier(rng, n, d, 1e9),
    "extreme outlier": lambda rng, n, d: _with_outlier(rng, n, d, 1e140),
    "far clusters": _far_clusters,
}


def make_pair(kind: str, d: int, n_real: int = N_REAL, n_generated: int = N_GENERATED) -> SamplePair:
    rng = np.random.default_rng(d)
    return SamplePair(KINDS[kind](rng, n_real, d), KINDS[kind](rng, n_generated, d))


def typical_radius(pair: SamplePair) -> float:
    return slow_twins.mean_own_radius(list(pair.real.values), 5) * 1.25 or 1.0


def all_balls(k: int, bandwidth: float | None) -> list[Balls]:
    return [estimator.balls(k=k, bandwidth=bandwidth) for estimator in ESTIMATORS.values()]


def counts(distances: Distances, k: int, bandwidth: float | None) -> dict[str, tuple[list[int], list[int]]]:
    found = distances.count(all_balls(k, bandwidth))
    return {name: (each.real.tolist(), each.generated.tolist()) for name, each in zip(ESTIMATORS, found, strict=True)}


@pytest.mark.parametrize("split", [0.5, None])
@pytest.mark.parametrize("d", [1, 2, 7, 8, 64, 300])
@pytest.mark.parametrize("kind", KINDS)
def test_counts_equal_double_loops(kind, d, split):
    pair = make_pair(kind, d)
    drawn = pair.split(split, 0)
    distances = Distances(drawn)
    for k, bandwidth in ((1, None), (3, typical_radius(pair))):
        expected = {name: slow_twins.supports(drawn, name, k, bandwidth) for name in ESTIMATORS}
        assert counts(distances, k, bandwidth) == expected


@pytest.mark.parametrize("d", [1024, 4096])
@pytest.mark.parametrize("kind", ["continuous", "float16", "near ties", "offset float32", "far clusters"])
def test_many_dimensions(kind, d):
    drawn = make_pair(kind, d, 9, 7).split(None)
    assert counts(Distances(drawn), 2, None) == {n: slow_twins.supports(drawn, n, 2, None) for n in ESTIMATORS}


@pytest.mark.parametrize("split", [0.5, None])
@pytest.mark.parametrize("kind", ["float32", "ternary", "tenths", "duplicates", "near ties", "far clusters"])
def test_blocks_and_threads_change_nothing(kind, split):
    pair = make_pair(kind, 9, 150, 90)
    drawn = pair.split(split, 3)
    whole = counts(Distances(drawn, threads=1), 7, None)
    for block_bytes, threads in ((1, 1), (20_000, 1), (3_000, 2), (70_000, 3)):
        assert counts(Distances(drawn, block_bytes=block_bytes, threads=threads), 7, None) == whole


@pytest.mark.parametrize("kind", ["float32", "ternary", "tenths", "duplicates", "near ties", "outlier"])
def test_the_order_of_rows_changes_nothing(kind):
    pair = make_pair(kind, 9, 150, 90)
    rng = np.random.default_rng(1)
    real, generated = rng.permutation(150), rng.permutation(90)
    shuffled = SamplePair(pair.real.values[real], pair.generated.values[generated])
    rows = np.concatenate([real, 150 + generated])
    before, after = (Distances(each.split(None)).count(all_balls(7, None)) for each in (pair, shuffled))
    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(one.real[rows], other.real)
        np.testing.assert_array_equal(one.generated[rows], other.generated)
        assert one.radii == other.radii


@pytest.mark.parametrize("d", [*range(1, 20), 63, 127, 128, 129, 300, 4096, 9001])
def test_canonical_distances_are_the_twins_bit_for_bit(d):
    rng = np.random.default_rng(d)
    a, b = rng.normal(size=(7, d)), rng.normal(size=(5, d)).astype(np.float32)
    rows, columns = np.divmod(np.arange(35), 5)
    expected = [slow_twins.squared_distance(a[i], b[j]) for i, j in zip(rows, columns, strict=True)]
    assert pair_distances(a, rows, b, columns).tolist() == expected
    assert pair_distances(b, columns, a, rows).tolist() == expected
    assert pair_distances(a, rows[3:4], b, columns[3:4]).tolist() == expected[3:4]


@pytest.mark.parametrize("widen", [False, True])
@pytest.mark.parametrize("kind", ["continuous", "offset", "tiny", "huge", "outlier", "extreme outlier", "far clusters"])
@pytest.mark.parametrize("d", [8, 64, 1000])
def test_products_err_less_than_the_proven_bound(kind, d, widen):
    pair = make_pair(kind, d, 60, 50)
    sets = [pair.real.values, pair.generated.values]
    arithmetic = choose_arithmetic(sets)
    assert arithmetic.dtype == np.float32
    arithmetic = arithmetic.widened(d) if widen else arithmetic
    left, right = (Cloud(merge_duplicates(values), arithmetic) for values in sets)
    tile = make_tile(arithmetic, left, slice(0, 60), right, "tile", Scratch()).values.astype(np.float64)
    rows, columns = np.divmod(np.arange(3000), 50)
    exact = arithmetic.scaled(pair_distances(left.values, rows, right.values, columns)).reshape(60, 50)
    error = np.abs(tile - exact)
    assert error.max() > 0
    # The pairwise bound, and the one around a point, which holds for the exact distance as its own threshold.
    assert np.all(error <= arithmetic.constant * np.square(left.norms[:, None] + right.norms[None, :]))
    assert np.all(error <= arithmetic.error(left.norms[:, None], exact))
    assert np.all(error <= arithmetic.error(right.norms[None, :], exact))


def test_balls_to_an_approximate_neighbour_allow_for_its_own_error():
    """What is surely inside or outside is so by the bound around the exact radius, whichever way the radius erred."""
    drawn = make_pair("continuous", 64, 300, 200).split(None)
    prepared = prepare(drawn)
    left, right = prepared.fit["real"], prepared.fit["generated"]
    tile = make_tile(prepared.arithmetic, left, slice(0, 300), right, "tile", Scratch())
    ranking = Ranking([tile], [tile.nearest(9)])
    ball = _nearest_ball(ranking, 7)
    squared = ranking.exact(7, np.arange(300)).squared
    rows, columns = np.divmod(np.arange(60_000), 200)
    distances = pair_distances(left.values, rows, right.values, columns)
    assert squared.tolist() == np.sort(distances.reshape(300, 200), axis=1)[:, 6].tolist()
    exact = prepared.arithmetic.scaled(squared)[:, None]
    error = prepared.arithmetic.error(tile.norms[:, None], exact)
    assert np.all(ball.sure < exact - error)
    assert np.all(ball.possible > exact + error)


@pytest.mark.parametrize("n", [1, 7, 8, 2040, 2041, 5000, 16_323])
def test_row_counts_do_not_overflow(n):
    tile = np.arange(3 * n, dtype=np.float32).reshape(3, n)
    for limits in (np.full((3, 1), np.inf, np.float32), np.full((3, 1), n + n // 2, np.float32)):
        mask = mask_within(tile, limits, "mask", Scratch())
        expected = (tile <= limits).sum(axis=1).tolist()
        assert row_counts(mask, None).tolist() == expected
        assert row_counts(mask, np.full(n, 3.0)).tolist() == [3 * count for count in expected]


def test_a_few_rows_off_the_grid_are_noticed():
    values = np.random.default_rng(0).integers(0, 3, size=(70, 8)) * 1.0
    values[[1, 5, 39, 66]] += 1e-7
    drawn = SamplePair(values[:40], values[40:]).split(None)
    assert not prepare(drawn).arithmetic.exact
    assert counts(Distances(drawn), 4, None) == {n: slow_twins.supports(drawn, n, 4, None) for n in ESTIMATORS}


def test_few_comparisons_are_redone():
    rng = np.random.default_rng(0)
    real, generated = rng.normal(size=(2, 800, 64))
    drawn = SamplePair(real, generated + 0.1).split(0.5, 0)
    distances = Distances(drawn)
    distances.count(all_balls(20, None))
    # Each of the 800 fit samples needs its own exact radius; beyond these, only what is too close to call.
    assert 800 <= distances.redone < 1600
    before = distances.redone
    distances.count([Balls(Nearest(20, "both"), Nearest(20, "both"))])
    assert distances.redone - before < 60


@pytest.mark.parametrize(
    ("kind", "d"), [("ternary", 64), ("signed zeros", 64), ("continuous", 7), ("large integers", 8)]
)
def test_nothing_is_redone_where_products_are_exact(kind, d):
    distances = Distances(make_pair(kind, d, 150, 100).split(None))
    distances.count(all_balls(7, None))
    assert distances.redone == 0


def test_float64_takes_over_where_float32_is_hopeless():
    values = np.random.default_rng(0).normal(size=(400, 16))
    values[::2] += 1e4
    pair = SamplePair(values[:200], values[200:])
    assert prepare(pair.split(None)).arithmetic.dtype == np.float64
    assert prepare(make_pair("outlier", 16, 200, 200).split(None)).arithmetic.dtype == np.float32
    distances = Distances(pair.split(None))
    distances.count(all_balls(7, None))
    assert distances.redone < 2000


def test_a_collapsed_set_is_one_row():
    values = np.repeat(np.random.default_rng(0).normal(size=(2, 5)), [700, 300], axis=0)
    merged = merge_duplicates(values)
    assert merged.values.shape == (2, 5)
    assert sorted(merged.weights.tolist()) == [300, 700]
    np.testing.assert_array_equal(merged.values[merged.inverse], values)
    assert merge_duplicates(np.random.default_rng(0).normal(size=(100, 5))).weights is None


def test_counts_of_a_large_collapsed_pair():
    drawn = SamplePair(np.zeros((3000, 64)), np.random.default_rng(0).normal(size=(2000, 64))).split(None)
    knn, kde, _, coverage = Distances(drawn).count(all_balls(30, None))
    assert np.all(knn.real[:3000] == 3000)
    assert np.all(knn.generated[:3000] == 0)
    assert kde.radii[0] == 0
    assert np.all(coverage.real[3000:] == np.where(coverage.real[3000:] > 0, 3000, 0))


def test_memory_stays_far_below_all_distances():
    rng = np.random.default_rng(0)
    pair = SamplePair(*rng.normal(size=(2, 4000, 8)).astype(np.float32))
    drawn = pair.split(None)
    tracemalloc.start()
    Distances(drawn, block_bytes=1 << 20, threads=2).count(all_balls(5, None))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16e6  # all distances: 8000 x 8000 x 4 bytes = 256e6


def blas_threads() -> list[int]:
    return [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]


def test_progress_rises_to_one():
    seen: list[float] = []
    drawn = make_pair("float32", 9, 150, 90).split(0.5, 0)
    Distances(drawn, block_bytes=2_000, threads=2).count(all_balls(5, None), progress=seen.append)
    assert len(seen) > 10
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_may_stop_the_work(threads):
    class StoppedError(Exception):
        pass

    def stop(fraction: float) -> None:
        seen.append(fraction)
        if fraction > 0.3:
            raise StoppedError

    seen: list[float] = []
    drawn = make_pair("float32", 9, 150, 90).split(0.5, 0)
    distances = Distances(drawn, block_bytes=2_000, threads=threads)
    expected = counts(distances, 5, None)
    before = threading.active_count(), blas_threads()
    with pytest.raises(StoppedError):
        distances.count(all_balls(5, None), progress=stop)
    assert seen[-1] < 0.5
    assert (threading.active_count(), blas_threads()) == before
    assert counts(distances, 5, None) == expected


def test_sessions_at_once_leave_the_blas_threads_as_they_were():
    drawn = make_pair("float32", 64, 400, 400).split(None)
    expected, before = counts(Distances(drawn), 5, None), blas_threads()
    results: list[object] = []
    sessions = [
        threading.Thread(
            target=lambda: results.append(counts(Distances(drawn, block_bytes=50_000, threads=2), 5, None))
        )
        for _ in range(4)
    ]
    for session in sessions:
        session.start()
    for session in sessions:
        session.join()
    assert results == [expected] * 4
    assert blas_threads() == before


def test_values_whose_squares_overflow_are_refused():
    pair = SamplePair(np.full((5, 9), 1e200), -np.ones((5, 9)))
    with pytest.raises(ValueError, match="at most 1e153"):
        Distances(pair.split(None))


@pytest.mark.parametrize("rule", [Nearest(3, "both"), Nearest(3, "generated"), Within(1.0), MeanNearest(3, "real")])
def test_balls_around_fit_samples_reach_within_their_role(rule):
    with pytest.raises(ValueError, match=r"Nearest\(k, 'real'\) is needed"):
        Balls(rule, Nearest(3, "generated"), around="fit")


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
    expected = {name: slow_twins.supports(drawn, name, k, bandwidth) for name in ESTIMATORS}
    assert counts(Distances(drawn), k, bandwidth) == expected
