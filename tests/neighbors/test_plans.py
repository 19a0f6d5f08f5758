"""Counts are the same whatever the engine keeps, computes again, or gives up half-way."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from prviz.estimators.ipr import IPR
from prviz.estimators.prc import cover_balls
from prviz.neighbors import (
    Distances,
    count_in_balls,
    engine,
    lists,
    native,
    nearest_radii,
    sweep,
    symmetric,
)
from prviz.neighbors.prepared import prepare
from prviz.neighbors.threads import (
    Turns,
    _begin_thread,
    low_priority,
    one_blas_thread,
    one_openmp_thread,
    run_blocks,
)
from prviz.samples import SamplePair
from tests.benchmarks.plans import walk
from tests.browser import ROOT
from tests.hard_pairs import all_balls, counts, make_pair
from tests.marks import exhaustive_but
from tests.neighbors.test_native import both_ways


def by_rows(drawn, k):
    """The counts by the plan that keeps nothing but one block."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(symmetric, "bytes_needed", lambda *_, **__: math.inf)
        return counts(Distances(drawn), k, None)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("few", exhaustive_but([True, False], True))
@pytest.mark.parametrize(
    ("d", "n_real", "n_generated", "split"),
    [(2, 500, 300, None), (2, 300, 500, 0.5), (64, 500, 340, None), (64, 500, 500, 0.5)],
)
def test_the_smallest_memory_and_any_threads_change_nothing(d, n_real, n_generated, split, few):
    pair = make_pair("float32", d, n_real, n_generated)
    drawn = pair.split(split, 1)
    ks = (7,) if few else (1, 7, 40, 110)
    balls = [
        each
        for k in ks
        for each in (*all_balls(k, None), cover_balls(k, 3, n_real // 2, n_generated // 2))
    ]
    whole = Distances(drawn, block_bytes=1 << 40, memory_limit=10**10, threads=1).count(balls)
    ipr = whole[balls.index(*IPR.balls(k=7, bandwidth=None, sizes=(2, 2)))]
    assert [ipr.real.tolist(), ipr.generated.tolist()] == [
        held.tolist() for held in held_by_own_balls(drawn, 7)
    ]
    for number in (1, 2):
        limits = {"memory_limit": engine._LEAST_MEMORY, "threads": number}
        for found in both_ways(lambda limits=limits: Distances(drawn, **limits).count(balls)):
            for one, other in zip(found, whole, strict=True):
                assert np.array_equal(one.real, other.real)
                assert np.array_equal(one.generated, other.generated)
                assert one.radii == other.radii


def held_by_own_balls(drawn, k):
    """Number of real and of generated samples whose balls hold each evaluation sample, by all
    distances.
    """
    points = np.concatenate([side.values for side in drawn.evaluate]).astype(np.float64)
    for side in drawn.fit:
        fit = side.values.astype(np.float64)
        # The smallest of each row is the sample's own.
        radii = np.sort([np.sum((fit - x) ** 2, axis=1) for x in fit], axis=1)[:, k]
        yield np.sum(
            [
                np.sum((points - x) ** 2, axis=1) <= radius
                for x, radius in zip(fit, radii, strict=True)
            ],
            axis=0,
        )


@pytest.mark.parametrize("block_bytes", [None, 2_000])
@pytest.mark.parametrize(
    "kind", exhaustive_but(["float32", "ternary", "near ties", "outlier", "offset"], "ternary")
)
def test_factors_made_again_change_nothing(kind, block_bytes, monkeypatch):
    drawn = make_pair(kind, 9, 150, 90).split(None)
    expected = by_rows(drawn, 7)
    assert counts(Distances(drawn, block_bytes=block_bytes), 7, None) == expected
    monkeypatch.setattr(engine, "prepare", lambda split, _: prepare(split, 0))
    again = Distances(drawn, block_bytes=block_bytes)
    assert again._prepared.factors_bytes == 0
    assert counts(again, 7, None) == expected


@pytest.mark.one_in(3)
@pytest.mark.parametrize("length", exhaustive_but([0, 1, 8, 30], 1))
@pytest.mark.parametrize("kind", ["float32", "ternary", "near ties"])
def test_short_lists_are_cleared_or_given_up(kind, length, monkeypatch):
    drawn = make_pair(kind, 9, 300, 250).split(None)
    expected = by_rows(drawn, 7)
    monkeypatch.setattr(lists, "_capacity", lambda order, roomy: order + length)
    for found in both_ways(lambda: counts(Distances(drawn, block_bytes=4_000), 7, None)):
        assert found == expected


@pytest.mark.parametrize("kind", exhaustive_but(["float32", "near ties", "outlier"], "near ties"))
def test_points_whose_first_limit_was_too_small_are_looked_at_again(kind, monkeypatch):
    drawn = make_pair(kind, 9, 300, 250).split(None)
    expected = by_rows(drawn, 7)
    monkeypatch.setattr(lists, "_OVERFULL", -1)  # no estimate is tight
    monkeypatch.setattr(lists.NeighbourLists, "_most_of", lambda self, seen: 1)
    assert counts(Distances(drawn, block_bytes=4_000), 7, None) == expected


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "kind",
    exhaustive_but(["float32", "ternary", "near ties", "outlier", "offset"], "float32", "ternary"),
)
@pytest.mark.parametrize("wrong", ["radius", "room", "crowded", "lists", "reach"])
def test_whatever_is_guessed_wrong_is_looked_at_again(kind, wrong, monkeypatch):
    drawn = make_pair(kind, 9, 150, 120).split(None)
    expected = by_rows(drawn, 7)
    if wrong == "radius":
        monkeypatch.setattr(lists.RandomSubset, "mean_radius", lambda *_: (0.0, 1e-3))
    elif wrong == "room":
        monkeypatch.setattr(symmetric, "BYTES_PER_PAIR", 1 << 40)
    elif wrong == "crowded":
        monkeypatch.setattr(symmetric, "_CROWDED", 0.0)
    elif wrong == "lists":
        monkeypatch.setattr(symmetric, "_LONGEST", 0.0)
    else:
        monkeypatch.setattr(
            lists.RandomSubset, "reach", lambda self, _: np.zeros(len(self._squares))
        )
    assert counts(Distances(drawn, block_bytes=4_000), 7, None) == expected


def test_first_tiles_are_looked_at_only_where_a_sample_says_too_little(monkeypatch):
    rng = np.random.default_rng(0)
    plain = rng.normal(size=(2, 700, 9))
    modes = plain + 30 * rng.normal(size=(7, 9)).repeat(100, axis=0)
    looked = []
    limit = lists.NeighbourLists._most_of
    monkeypatch.setattr(
        lists.NeighbourLists, "_most_of", lambda *given: looked.append(1) or limit(*given)
    )
    for pair, first_tiles in ((plain, False), (modes, True)):
        drawn = SamplePair(*pair).split(None)
        looked.clear()
        assert counts(Distances(drawn, block_bytes=90_000), 7, None) == by_rows(drawn, 7)
        assert bool(looked) == first_tiles


def test_balls_beyond_the_end_of_a_list_are_counted_in_tiles(monkeypatch):
    rng = np.random.default_rng(0)
    # Around many of the scattered real samples lie all of the generated ones, which are close
    # together.
    drawn = SamplePair(rng.normal(size=(400, 9)), rng.normal(size=(300, 9)) / 20).split(None)
    expected = by_rows(drawn, 7)
    monkeypatch.setattr(lists.RandomSubset, "held", lambda *_: 1)
    for found in both_ways(lambda: counts(Distances(drawn), 7, None)):
        assert found == expected


@pytest.mark.parametrize(("n_real", "n_generated"), [(9, 33), (33, 9), (33, 33), (41, 65)])
def test_tiles_of_a_single_column_or_row(n_real, n_generated):
    drawn = make_pair("float32", 9, n_real, n_generated).split(None)
    # Blocks of eight rows and 32 columns.
    assert counts(Distances(drawn, block_bytes=8 * 8 * 4), 3, None) == by_rows(drawn, 3)


@pytest.mark.exhaustive
def test_rows_sorted_by_class_are_no_trouble():
    rng = np.random.default_rng(0)
    real = np.sort(rng.normal(size=(900, 9)), axis=0)
    drawn = SamplePair(real, real[::-1] + 0.05).split(None)
    assert counts(Distances(drawn, block_bytes=4_000), 20, None) == by_rows(drawn, 20)


def test_a_profile_beyond_the_memory_is_refused(monkeypatch):
    drawn = make_pair("float32", 9, 40, 34).split(0.5, 0)
    balls = [each for k in range(1, 10) for each in all_balls(k, None)]
    monkeypatch.setattr(engine, "bytes_needed", lambda *_: 3_000_000_000)
    with pytest.raises(
        ValueError, match=r"evaluation samples need 3\.0 GB; memory_limit is 1\.0 GB: raise it"
    ):
        Distances(drawn).count(balls)
    assert (
        sweep.bytes_needed(Distances(drawn)._prepared, list(range(10)), {"real": 4}) > 8 * 10 * 37
    )


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", ["float32", "ternary", "duplicates", "float16", "far clusters"])
@pytest.mark.parametrize("d", [2, 9, 300])
def test_radii_and_counts_of_some_points(kind, d):
    values = np.asarray(make_pair(kind, d, 60, 50).real.values)
    exact = np.sqrt(
        [
            [np.sum((a - b) ** 2) for b in values.astype(np.float64)]
            for a in values.astype(np.float64)
        ]
    )
    rows = np.random.default_rng(1).permutation(60)[:25]
    others = exact.copy()
    np.fill_diagonal(others, np.inf)
    radii = nearest_radii(values, rows, 5)
    assert radii.tolist() == np.sort(others[rows], axis=1)[:, 4].tolist()
    held = (exact[:, rows] <= radii).sum(axis=1)
    assert count_in_balls(values, values[rows], radii).tolist() == held.tolist()
    assert (
        count_in_balls(values, values, radii, centre_rows=rows, rows=rows[:9]).tolist()
        == held[rows[:9]].tolist()
    )
    among = np.sort(rows)
    inner = np.sort(others[np.ix_(rows, among)], axis=1)[:, 4]
    assert nearest_radii(values, rows, 5, among).tolist() == inner.tolist()


def test_two_runs_at_once_take_turns():
    order: list[str] = []
    turns = Turns(1)
    first = threading.Event()

    def run(name: str, blocks: int) -> None:
        for block in range(blocks):
            with turns:
                order.append(name)
                if not block:
                    first.set()
                    # The first block lasts until the other run waits, or, if none ever does, for
                    # ten seconds.
                    for _ in range(1000):
                        if turns._waiting or len(order) > 1:
                            break
                        time.sleep(0.01)

    long = threading.Thread(target=run, args=("long", 60))
    short = threading.Thread(target=run, args=("short", 10))
    long.start()
    first.wait()
    short.start()
    long.join()
    short.join()
    # The later caller had the very next turn, and did not wait for the end of the first one.
    assert order[:2] == ["long", "short"]


def test_no_more_blocks_run_at_once_than_there_are_cores(monkeypatch):
    running = [0]
    most = [0]
    lock = threading.Lock()
    monkeypatch.setattr("prviz.neighbors.threads._turns", {False: Turns(2)})

    def work(_: int) -> None:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.003)
        with lock:
            running[0] -= 1

    users = [
        threading.Thread(target=run_blocks, args=(work, list(range(20)), 3, lambda *_: None))
        for _ in range(3)
    ]
    for user in users:
        user.start()
    for user in users:
        user.join()
    assert most[0] == 2


def test_blas_has_one_thread_while_anybody_needs_that_and_its_own_number_after(monkeypatch):
    """In a process of its own: threads that earlier tests left set BLAS too."""
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")
    with ProcessPoolExecutor(1, get_context("spawn")) as alone:
        before, inside, after = alone.submit(numbers_of_blas_threads).result()
    assert max(before.values()) > 1
    assert inside == [{1}, {1}, {1}]
    assert after == before


def numbers_of_blas_threads() -> tuple[dict[str, int], list[set[int]], dict[str, int]]:
    """Before, while and after several users keep BLAS to one thread."""
    before = blas_threads()
    inside = []
    begun = threading.Event()
    ended = threading.Event()

    def first() -> None:
        with one_blas_thread(), one_openmp_thread():
            pass
        with threadpool_limits(2, "blas"):  # from now on some threadpoolctl heed this thread alone
            begun.set()
            ended.wait()

    thread = threading.Thread(target=first)
    thread.start()
    begun.wait()
    with one_blas_thread():
        run_blocks(lambda _: None, range(4), 2, lambda *_: None)
        inside.append(set(blas_threads().values()))
    with threadpool_limits(3, "blas"), one_blas_thread():  # set by others
        inside.append(set(blas_threads().values()))
    with one_blas_thread():
        inside.append(set(blas_threads().values()))
    ended.set()
    thread.join()
    # of a run that has ended meanwhile
    late = threading.Thread(target=_begin_thread, args=(False,))
    late.start()
    late.join()
    return before, inside, blas_threads()


def blas_threads() -> dict[str, int]:
    loaded = ThreadpoolController().select(user_api="blas").lib_controllers
    return {each.filepath: each.num_threads for each in loaded}


@pytest.mark.skipif(sys.platform != "linux", reason="a thread has a priority of its own on Linux")
def test_background_work_has_threads_of_low_priority():
    def niceness(_: int) -> set[int]:
        return {os.getpriority(os.PRIO_PROCESS, threading.get_native_id())}

    def of_threads(work: Callable[[int], set[int]]) -> set[int]:
        found: list[set[int]] = []
        run_blocks(work, range(4), 2, lambda _, each: found.append(each))
        return set.union(*found)

    own = niceness(0)
    lower = {min(each + 10, 19) for each in own}
    assert of_threads(niceness) == own
    with low_priority():
        assert of_threads(niceness) == lower
        with low_priority(False):
            assert of_threads(niceness) == own


@pytest.mark.skipif(native.library() is None, reason="the NumPy loops take other routes")
def test_a_reader_can_follow_a_curve() -> None:
    # 250 and 793 changes of module when this was written, and a tenth for what comes
    assert walk(0.5).hops <= 275
    assert walk(None).hops <= 870


@pytest.mark.exhaustive
def test_a_run_that_the_end_of_the_process_finds_at_work_leaves_no_traceback():
    program = """
import threading, time
from prviz.neighbors.threads import run_blocks

begun = threading.Event()

def work(block):
    begun.set()
    time.sleep(0.01)

def measure():
    while True:
        run_blocks(work, range(8), 2, lambda *_: None)

threading.Thread(target=measure, daemon=True).start()
begun.wait()
threading.Thread(target=time.sleep, args=(0.3,)).start()  # what the process waits for, its pools ended already
"""
    command = [sys.executable, "-c", program]
    ended = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert ended.stderr == ""
