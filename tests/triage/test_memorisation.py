"""Memorisation: copies are named, independent samples are not, and the numbers equal those of a
slow twin.
"""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from numpy.typing import NDArray

from prviz.neighbors import MEMORY_LIMIT
from prviz.samples import Samples, as_samples
from prviz.triage.memorisation import (
    NEAR,
    Memorisation,
    held_out_distances,
    memorisation,
    memorised_text,
)
from tests.benchmarks.faults import planted
from tests.benchmarks.memorisation import COPIES, NARROW, called

N = 500
D = 8


def drawn(seed: int, n: int = N) -> NDArray[np.float64]:
    return np.random.default_rng(seed).normal(size=(n, D))


def samples(values: NDArray[np.float64]) -> Samples:
    return as_samples(values, name="some")


def judged(
    real: NDArray[np.float64],
    generated: NDArray[np.float64],
    holdout: NDArray[np.float64] | None = None,
) -> Memorisation:
    reference = samples(real)
    held_out = held_out_distances(reference, None if holdout is None else samples(holdout))
    return memorisation(reference, samples(generated), held_out)


@pytest.mark.parametrize("with_holdout", [False, True])
def test_independent_samples_are_not_called_copies(with_holdout: bool) -> None:
    alarms = [
        judged(
            drawn(3 * seed), drawn(3 * seed + 1), drawn(3 * seed + 2) if with_holdout else None
        ).memorised
        for seed in range(50)
    ]
    assert np.mean(alarms) <= 0.04


@pytest.mark.parametrize("name", [*NARROW, *COPIES])
def test_narrow_samples_are_no_copies_and_few_copies_are(name: str) -> None:
    """A small part of `tests/benchmarks/memorisation.py`, at d = 16."""
    with_holdout, alone = called(name, "gaussian", 1000, 16, 1)
    assert with_holdout == (name in COPIES)
    assert alone == (name in COPIES and COPIES[name][1] >= 0.03)


@pytest.mark.parametrize("with_holdout", [False, True])
def test_copies_are_named(with_holdout: bool) -> None:
    real = drawn(0)
    holdout = drawn(1) if with_holdout else None
    exact = judged(real, real, holdout)
    assert exact.exact.number == N
    assert exact.exact.low > 0.9
    noise = 0.05 * drawn(2)
    near = judged(real, real + noise, holdout)
    assert near.exact.number == 0
    assert near.memorised
    tenth = drawn(3)
    tenth[: N // 10] = real[: N // 10] + noise[: N // 10]
    assert judged(real, tenth, holdout).memorised
    text = memorised_text({"late": exact, "early": judged(real, drawn(4), holdout)})
    assert text is not None
    assert f"late: {N} exact copies" in text
    assert "early" not in text


def test_the_numbers_equal_those_of_brute_force() -> None:
    real = drawn(0)
    generated = drawn(1, 300)
    holdout = drawn(2, 400)
    generated[7] = real[11]
    for held in (None, holdout):
        found = judged(real, generated, held)
        table = np.sqrt(((generated[:, None] - real) ** 2).sum(axis=2))
        other = np.sqrt((((real if held is None else held)[:, None] - real) ** 2).sum(axis=2))
        if held is None:
            np.fill_diagonal(other, np.inf)
        ratios = [np.divide(*np.sort(each, axis=1)[:, :2].T) for each in (table, other)]
        threshold = np.sort(ratios[1])[int(NEAR * (len(other) - 1))] ** 2
        assert found.threshold == pytest.approx(threshold, rel=1e-9)
        assert found.near.number == np.count_nonzero(ratios[0] <= threshold)
        assert found.exact.number == 1
        assert found.near.low < found.near.value < found.near.high
        assert found.pairs[0] == (7, 11, 0.0)
        for pair in found.pairs:
            assert pair.real == table[pair.generated].argmin()
            assert pair.distance == pytest.approx(table[pair.generated].min(), rel=1e-12)


@pytest.mark.exhaustive
def test_a_memory_limit_changes_the_memory_and_nothing_else() -> None:
    real, generated = (
        samples(np.random.default_rng(seed).normal(size=(1500, 20))) for seed in (0, 1)
    )
    found = []
    peaks = []
    for limit in (MEMORY_LIMIT, 10**6):
        tracemalloc.start()
        held_out = held_out_distances(real, memory_limit=limit)
        found.append(memorisation(real, generated, held_out, memory_limit=limit))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert found[0] == found[1]
    assert peaks[1] < peaks[0] / 2


def test_near_copies_are_found_in_few_dimensions_too() -> None:
    """There a copy moved by a tenth of the nearest distance is as near as one in fifty other
    samples.
    """
    for seed in range(3):
        for fault in (None, "near copies"):
            pair = planted("moons, d = 3", fault, 0.2, 500, seed)
            found = memorisation(*pair, held_out_distances(pair.real))
            assert found.memorised == (found.near.low > 0) == (fault is not None)


def test_what_lies_between_real_samples_of_a_lattice_is_no_copy() -> None:
    rng = np.random.default_rng(0)
    lattice = np.argwhere(np.ones((35, 35))) + 0.01 * rng.normal(size=(1225, 2))
    real, other = np.split(rng.permutation(lattice), [1000])
    moved = other + rng.normal(size=other.shape)
    assert not judged(real, moved).memorised
    assert judged(real, np.vstack([moved[:180], real[:45] + 0.001])).near.low > 0


def test_rows_that_real_ones_repeat_are_no_copies_however_often_they_are_made() -> None:
    rng = np.random.default_rng(0)
    share = np.array([0.1, 0.2, 0.3, 0.7, 0.8, 0.85, 0.9, 0.95])
    real = rng.binomial(3, share, size=(800, 8)).astype(float)
    # the commonest, more often
    usual = rng.binomial(3, 0.5 + 1.1 * (share - 0.5), size=(800, 8)).astype(float)
    found = judged(real, usual)
    assert found.exact.share > found.exact.expected + 0.1
    assert not found.memorised
    copied = np.where(rng.random((800, 1)) < 0.7, real[rng.permutation(800)], usual)
    assert judged(real, copied).memorised
