"""Foundations of exactness and speed: the error bound, rechecked comparisons, memory and
threads.
"""

from __future__ import annotations

import threading
import tracemalloc

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from prviz.estimators import DEFAULT_METHODS
from prviz.neighbors import Balls, Distances, MeanNearest, Nearest, Within, nearest_rows
from prviz.neighbors.kernels import mask_within, row_counts
from prviz.neighbors.point_sets import PointSet, RowView, Scratch, merge_duplicates, pair_distances
from prviz.neighbors.prepared import choose_arithmetic, prepare
from prviz.neighbors.threads import run_blocks
from prviz.neighbors.tiles import Ranking, make_tile
from prviz.samples import SamplePair
from tests import slow_twins
from tests.hard_pairs import all_balls, counts, make_pair
from tests.marks import exhaustive_but


@pytest.mark.parametrize("d", [*range(1, 20), 63, 127, 128, 129, 300, 4096, 9001])
def test_reference_distances_are_the_twins_bit_for_bit(d):
    rng = np.random.default_rng(d)
    a = rng.normal(size=(7, d))
    b = rng.normal(size=(5, d)).astype(np.float32)
    rows, columns = np.divmod(np.arange(35), 5)
    left = RowView(a)
    right = RowView(b)
    expected = [slow_twins.squared_distance(a[i], b[j]) for i, j in zip(rows, columns, strict=True)]
    assert pair_distances(left, rows, right, columns).tolist() == expected
    assert pair_distances(right, columns, left, rows).tolist() == expected
    assert pair_distances(left, rows[3:4], right, columns[3:4]).tolist() == expected[3:4]


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize(
    "kind", ["continuous", "offset", "tiny", "huge", "outlier", "extreme outlier", "far clusters"]
)
@pytest.mark.parametrize("d", [8, 64, 1000])
def test_products_err_less_than_the_proven_bound(kind, d, wide):
    pair = make_pair(kind, d, 60, 50)
    sets = [RowView(each.values) for each in pair]
    arithmetic = choose_arithmetic(sets, wide=wide)
    assert arithmetic.dtype == (np.float64 if wide else np.float32)
    left, right = (PointSet(merge_duplicates(rows), arithmetic) for rows in sets)
    tile = make_tile(left, slice(0, 60), right, Scratch()).values.astype(np.float64)
    rows, columns = np.divmod(np.arange(3000), 50)
    exact = arithmetic.scaled(pair_distances(left.rows, rows, right.rows, columns)).reshape(60, 50)
    error = np.abs(tile - exact)
    assert error.max() > 0
    # The pairwise bound, and the one around a point, which holds for the exact distance as its own
    # threshold.
    assert np.all(
        error <= arithmetic.constant * np.square(left.norms[:, None] + right.norms[None, :])
    )
    assert np.all(error <= arithmetic.error(left.norms[:, None], exact))
    assert np.all(error <= arithmetic.error(right.norms[None, :], exact))


def test_balls_to_an_approximate_neighbour_allow_for_its_own_error():
    """Sure decisions agree with the bound around the exact radius, whichever way the radius
    erred.
    """
    drawn = make_pair("continuous", 64, 300, 200).split(None)
    prepared = prepare(drawn, 1 << 30)
    left = prepared.fit["real"]
    right = prepared.fit["generated"]
    tile = make_tile(left, slice(0, 300), right, Scratch())
    ranking = Ranking([tile], [tile.nearest(9)])
    ball = ranking.ball(7)
    squared = ranking.exact(7, np.arange(300)).squared
    rows, columns = np.divmod(np.arange(60_000), 200)
    distances = pair_distances(left.rows, rows, right.rows, columns)
    assert squared.tolist() == np.sort(distances.reshape(300, 200), axis=1)[:, 6].tolist()
    exact = prepared.arithmetic.scaled(squared)
    error = prepared.arithmetic.error(tile.norms, exact)
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
    assert not prepare(drawn, 1 << 30).arithmetic.exact
    assert counts(Distances(drawn), 4, None) == {
        n: slow_twins.supports(drawn, n, 4, None) for n in DEFAULT_METHODS
    }


def test_few_comparisons_are_redone():
    rng = np.random.default_rng(0)
    real, generated = rng.normal(size=(2, 800, 64))
    drawn = SamplePair(real, generated + 0.1).split(0.5, 0)
    distances = Distances(drawn)
    distances.count(all_balls(20, None))
    # Three exact radii for each of 800 points, the own and the two of coverage; beyond, only what
    # is too close to call.
    assert 2400 <= distances.rechecked < 3000
    before = distances.rechecked
    distances.count([Balls(Nearest(20, "both"), Nearest(20, "both"))])
    assert distances.rechecked - before < 60


@pytest.mark.parametrize(("kind", "d"), [("ternary", 64), ("signed zeros", 64), ("continuous", 7)])
def test_nothing_is_redone_where_products_are_exact(kind, d):
    distances = Distances(make_pair(kind, d, 150, 100).split(None))
    distances.count(all_balls(7, None))
    assert distances.rechecked == 0


def test_large_integers_are_exact_in_float64():
    pair = make_pair("large integers", 8, 30, 20)
    narrow, wide = (
        choose_arithmetic([RowView(each.values) for each in pair], wide=wide)
        for wide in (False, True)
    )
    assert (narrow.dtype, narrow.exact) == (np.float32, False)
    assert (wide.dtype, wide.exact) == (np.float64, True)


def test_float64_takes_over_where_float32_is_hopeless():
    values = np.random.default_rng(0).normal(size=(400, 16))
    values[::2] += 1e4
    pair = SamplePair(values[:200], values[200:])
    assert prepare(pair.split(None), 1 << 30).arithmetic.dtype == np.float64
    assert (
        prepare(make_pair("outlier", 16, 200, 200).split(None), 1 << 30).arithmetic.dtype
        == np.float32
    )
    distances = Distances(pair.split(None))
    distances.count(all_balls(7, None))
    assert distances.rechecked < 2000


def test_a_collapsed_set_is_one_row():
    values = np.repeat(np.random.default_rng(0).normal(size=(2, 5)), [700, 300], axis=0)
    merged = merge_duplicates(RowView(values))
    distinct = merged.rows.take(slice(None))
    assert distinct.shape == (2, 5)
    assert sorted(merged.weights.tolist()) == [300, 700]
    np.testing.assert_array_equal(distinct[merged.inverse], values)
    assert merge_duplicates(RowView(np.random.default_rng(0).normal(size=(100, 5)))).weights is None


def test_counts_of_a_large_collapsed_pair():
    drawn = SamplePair(
        np.zeros((3000, 64)), np.random.default_rng(0).normal(size=(2000, 64))
    ).split(None)
    knn, kde, _, coverage = Distances(drawn).count(all_balls(30, None))
    assert np.all(knn.real[:3000] == 3000)
    assert np.all(knn.generated[:3000] == 0)
    assert kde.radii[0] == 0
    assert np.all(coverage.real[3000:] == np.where(coverage.real[3000:] > 0, 3000, 0))


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("split", "k"), [(None, 5), (0.5, 5), pytest.param(None, 700, marks=pytest.mark.exhaustive)]
)
def test_memory_stays_below_the_limit(split, k):
    rng = np.random.default_rng(0)
    pair = SamplePair(*rng.normal(size=(2, 4000, 16)).astype(np.float32))
    drawn = pair.split(split, 0)
    tracemalloc.start()
    Distances(drawn, memory_limit=60_000_000, threads=2).count(all_balls(k, None))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # all distances: 8000 x 8000 x 4 bytes = 256e6; lists for k = 700 would take as much
    assert peak < 60e6
    with pytest.raises(ValueError, match="at least 50000000 bytes"):
        Distances(drawn, memory_limit=49_999_999)


@pytest.mark.exhaustive
@pytest.mark.parametrize("split", exhaustive_but((None, 0.5), 0.5))
def test_memory_stays_below_the_limit_however_many_features_there_are(split):
    # twice 14 MB
    pair = SamplePair(*np.random.default_rng(0).normal(size=(2, 360, 10_000)).astype(np.float32))
    drawn = pair.split(split, 0)
    balls = all_balls(5, None)
    tracemalloc.start()
    counts = Distances(drawn, memory_limit=50_000_000, threads=2).count(balls)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6
    whole = Distances(drawn, memory_limit=1 << 30, threads=2).count(balls)
    assert all(
        np.array_equal(one.real, other.real) for one, other in zip(counts, whole, strict=True)
    )


@pytest.mark.exhaustive
def test_the_nearest_of_wide_rows_are_found_below_the_limit_too():
    points, among = np.random.default_rng(0).normal(size=(2, 120, 20_000)).astype(np.float32)
    expected = nearest_rows(points, np.arange(120), 2, among)  # imports what both need
    tracemalloc.start()
    found = nearest_rows(points, np.arange(120), 2, among, memory_limit=20_000_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6  # the factors of one set are 10e6
    assert all(map(np.array_equal, found, expected))


def blas_threads() -> list[int]:
    return [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]


def test_the_centre_of_long_rows_takes_little_memory():
    rows = [
        RowView(np.random.default_rng(seed).normal(size=(150, 20_000)).astype(np.float32))
        for seed in (0, 1)
    ]
    tracemalloc.start()
    choose_arithmetic(rows)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # 129 rows of each set alone are 41e6 in float64, and several arrays of that size are made
    assert peak < 80e6


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


def test_blas_keeps_to_one_thread_inside_the_pool():
    before = blas_threads()
    inside: list[list[int]] = []
    run_blocks(lambda _: blas_threads(), [1, 2, 3], 2, lambda _, found: inside.append(found))
    assert inside == [[1] * len(before)] * 3
    assert blas_threads() == before


def test_sessions_at_once_leave_the_blas_threads_as_they_were():
    drawn = make_pair("float32", 64, 400, 400).split(None)
    expected = counts(Distances(drawn), 5, None)
    before = blas_threads()
    results: list[object] = []
    sessions = [
        threading.Thread(
            target=lambda: results.append(
                counts(Distances(drawn, block_bytes=50_000, threads=2), 5, None)
            )
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


@pytest.mark.parametrize(
    "rule", [Nearest(3, "both"), Nearest(3, "generated"), Within(1.0), MeanNearest(3, "real")]
)
def test_balls_around_fit_samples_reach_within_their_role(rule):
    with pytest.raises(ValueError, match=r"Nearest\(k, 'real'\) is needed"):
        Balls(rule, Nearest(3, "generated"), around="fit")
