"""What findings are seen on, against slow twins: ends of curves, rows that repeat, directions,
sizes, kinds.
"""

from __future__ import annotations

import pickle
import tracemalloc
from collections import Counter

import numpy as np
import pytest

from prviz.curves import PRCurve
from prviz.diagnostics.confusion_groups import OptimalClassifiers
from prviz.diagnostics.preflight import preflight
from prviz.measure.estimates import estimate
from prviz.samples import SamplePair, Samples
from prviz.toys import toy
from prviz.triage.evidence import END, kinds, lam_at_end, most_repeated, scales, spectrum


def test_the_ends_are_read_where_the_other_number_is_005() -> None:
    pair = toy("mixtures", d=4).sample(400, 0)
    curve = estimate(pair, "knn")["knn"].curve
    right = lam_at_end(curve, "recall")
    left = lam_at_end(curve, "precision")
    assert (curve.alpha(right), curve.beta(right)) == pytest.approx((END, curve.recall_at(END)))
    assert (curve.beta(left), curve.alpha(left)) == pytest.approx((END, curve.precision_at(END)))
    assert right <= 1 <= left
    assert lam_at_end(curve.mirrored(), "recall") == pytest.approx(1 / left)
    apart = PRCurve.from_error_rates([0.0], [0.0])
    assert (lam_at_end(apart, "recall"), lam_at_end(apart, "precision")) == (1.0, 1.0)


def test_what_recall_lacks_there_are_the_real_samples_of_the_dropped_mode() -> None:
    problem = toy(
        "mixtures", d=16, means=(0.0, -9.0), real_weights=(0.6, 0.4), generated_weights=(1.0, 0.0)
    )
    pair = problem.sample(600, 1)
    measured = estimate(pair, "knn")["knn"]
    lam = lam_at_end(measured.curve, "recall")
    kept = OptimalClassifiers.from_supports(measured.supports).groups(lam).kept
    rows = pair.split(0.5, 0).evaluate_rows[0]
    dropped = pair.real.values[rows].mean(axis=1) < -4.5
    assert set(kept.tolist()) == set(np.flatnonzero(dropped).tolist())


def test_rows_that_repeat_are_those_a_counter_finds() -> None:
    rng = np.random.default_rng(0)
    generated = rng.integers(0, 3, size=(60, 3)).astype(float)
    generated[generated == 0] = -0.0
    real = rng.integers(0, 3, size=(40, 3)).astype(float)
    found = most_repeated(SamplePair(real, generated), 5)
    rows = [tuple(row + 0.0) for row in generated]
    counts = Counter(rows)
    slow = sorted((-n, rows.index(row)) for row, n in counts.items() if n > 1)[:5]
    assert [(-each.times, each.row) for each in found] == slow
    there = Counter(tuple(row + 0.0) for row in real)
    assert [each.real for each in found] == [there[rows[each.row]] for each in found]
    assert most_repeated(SamplePair(real, rng.normal(size=(20, 3)))) == ()


@pytest.mark.parametrize("shape", [(300, 12), (10, 40)])
def test_the_spectrum_is_that_of_the_covariance(shape: tuple[int, int]) -> None:
    values = np.random.default_rng(1).normal(size=shape) * np.arange(1, shape[1] + 1) * 1e-3
    found = spectrum(Samples(values))
    slow = np.sort(np.linalg.eigvalsh(np.cov(values.T, bias=True)))[::-1]
    assert found.variance == pytest.approx(slow.sum(), rel=1e-4)
    shares = slow / slow.sum()
    np.testing.assert_allclose(found.shares[:9], shares[:9], atol=1e-5)
    assert found.shares.sum() == pytest.approx(1)
    assert found.directions(0.9) == np.searchsorted(np.cumsum(shares), 0.9) + 1
    facts = preflight(SamplePair(values, values)).facts
    assert found.dimension == pytest.approx(facts.effective[0].value, rel=1e-4)
    assert pickle.loads(pickle.dumps(found)).dimension == found.dimension


def test_equal_rows_have_no_direction() -> None:
    found = spectrum(Samples(np.full((30, 4), 1e-300)))
    assert found.dimension == found.directions(0.9) == found.variance == len(found.shares) == 0


def test_scales_are_quantiles_of_norms_and_spreads() -> None:
    values = np.random.default_rng(2).normal(size=(500, 7))
    found = scales(Samples(values), values.std(axis=0))
    for quantiles, slow in (
        (found.norms, np.linalg.norm(values, axis=1)),
        (found.spreads, values.std(axis=0)),
    ):
        assert quantiles[[0, 50, -1]] == pytest.approx(np.quantile(slow, [0, 0.5, 1]))


def test_kinds_are_counted_and_names_are_none() -> None:
    column = np.array(list("aabbbbcccccc"))
    found = kinds(column, range(12), [2, 3, 4, 6])
    assert found == (("b", 4, 3), ("c", 6, 1), ("a", 2, 0))
    assert [each.share for each in found] == [3 / 4, 1 / 6, 0]
    assert [each.value for each in kinds(column, range(6), [0])] == ["a", "b"]
    assert kinds(np.array([f"file {i}" for i in range(12)]), range(12), [1]) == ()
    assert kinds(np.array(["one"] * 12), range(12), [1]) == ()
    numbers = np.array([1, 1, 1, 2, 2, 2])
    assert (
        kinds(numbers, range(6), [0])
        == kinds(numbers.astype(str), range(6), [0])
        == (("1", 3, 1), ("2", 3, 0))
    )


def test_one_long_label_does_not_pad_the_others() -> None:
    column = np.array([*["a", "b"] * 5_000, "c" * 20_000], dtype=object)
    tracemalloc.start()
    try:
        found = kinds(column, range(len(column)), [0])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [(each.value[:1], each.n) for each in found] == [("a", 5_000), ("b", 5_000), ("c", 1)]
    assert peak < 5e6  # padded to the longest label: 1.5 GB
