"""Two checkpoints side by side: the paired band, and the samples that only one of them covers."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from prviz.curves import ErrorRates
from prviz.diagnostics.confusion_groups import OptimalClassifiers
from prviz.estimators import Supports
from prviz.measure.estimates import Estimate, estimate
from prviz.samples import SamplePair
from prviz.triage.inputs import Checkpoint
from prviz.triage.measured import MeasuredCheckpoint, PairDigests
from prviz.uncertainty.bootstrap import draws
from tests.triage_found import compare_two


def measured(supports, method="knn", real="reference"):
    runs = (supports,) if isinstance(supports, Supports) else tuple(supports)
    return MeasuredCheckpoint(
        checkpoint=Checkpoint(Path("x"), "x"),
        estimate=Estimate(method, 3, None, runs),
        n_real=runs[0].n_real,
        n_generated=0,
        seconds=0.0,
        digests=PairDigests(real, ""),
    )


def modes(rng: np.random.Generator, which: np.ndarray) -> np.ndarray:
    return rng.normal(size=(len(which), 5)) + 8.0 * which[:, None]


@pytest.fixture(scope="module")
def dropped():
    """Real data of modes 0, 1, 2; a drops mode 2, b drops mode 0."""
    rng = np.random.default_rng(0)
    which = rng.integers(0, 3, 300)
    real = modes(rng, which)
    pairs = [SamplePair(real, modes(rng, rng.choice(kept, 300))) for kept in ([0, 1], [1, 2])]
    rows = pairs[0].split(0.5, 0).evaluate_rows[0]
    return which[rows], [estimate(pair, "knn")["knn"].supports for pair in pairs]


def test_each_covers_the_mode_that_the_other_drops(dropped):
    which, (a, b) = dropped
    found = compare_two(measured(a), measured(b), bootstrap=20)
    assert np.mean(which[found.only_a] == 0) > 0.97
    assert np.mean(which[found.only_b] == 2) > 0.97
    assert len(found.only_a) > 0.95 * np.sum(which == 0)
    assert len(found.only_b) > 0.95 * np.sum(which == 2)
    again = compare_two(measured(b), measured(a), bootstrap=20)
    assert (set(again.only_a), set(again.only_b)) == (set(found.only_b), set(found.only_a))
    np.testing.assert_allclose(again.alpha, -found.alpha)
    # Covered: the classifier that is optimal there calls the sample generated.
    missed = [set(OptimalClassifiers.from_supports(each).groups(0.25).missed) for each in (a, b)]
    assert set(found.only_a) == missed[0] - missed[1]
    assert np.array_equal(found.rows, np.arange(len(which)))


def test_the_band_is_that_of_differences_of_curves_on_samples_drawn_together(dropped):
    _, (a, b) = dropped
    found = compare_two(measured(a), measured(b), bootstrap=6, seed=4, points=9, confidence=0.8)
    n = a.n_real
    differences = []
    for real, *own in draws((n, len(a.c_real) - n, len(b.c_real) - n), 6, 4):
        curves = []
        for each, generated in zip((a, b), own, strict=True):
            places = np.concatenate([real, n + generated])
            curves.append(
                ErrorRates.from_supports(each.c_real[places], each.c_generated[places], n).curve()
            )
        differences.append(
            [
                curves[0].alpha(found.lam) - curves[1].alpha(found.lam),
                curves[0].beta(found.lam) - curves[1].beta(found.lam),
            ]
        )
    low, high = np.quantile(differences, (0.1, 0.9), axis=0)
    np.testing.assert_allclose([found.alpha_low, found.beta_low], low, atol=1e-12)
    np.testing.assert_allclose([found.alpha_high, found.beta_high], high, atol=1e-12)
    assert (found.lam[0], found.lam[-1]) == (0, np.inf)
    inner = slice(1, -1)
    np.testing.assert_allclose(found.lam[inner] * found.beta[inner], found.alpha[inner], atol=1e-12)
    assert np.array_equal(pickle.loads(pickle.dumps(found)).alpha_low, found.alpha_low)


def test_a_checkpoint_is_not_apart_from_itself_and_bands_see_a_lost_recall(dropped):
    _, (a, _) = dropped
    rng = np.random.default_rng(1)
    same = compare_two(measured(a), measured(a), bootstrap=30)
    assert not same.apart.any()
    assert len(same.only_a) == len(same.only_b) == 0
    real = modes(rng, rng.integers(0, 3, 300))
    full, half = (
        estimate(SamplePair(real, modes(rng, rng.choice(m, 300))), "knn")["knn"]
        for m in ([0, 1, 2], [1])
    )
    found = compare_two(measured(full.supports), measured(half.supports), bootstrap=40)
    assert found.apart[found.lam < 0.5].all()
    assert found.beta[0] == pytest.approx(2 / 3, abs=0.1)
    assert len(found.only_b) == 0


def test_runs_count_by_their_mean(dropped):
    _, (a, b) = dropped
    one, several = (compare_two(measured(some), measured(b), bootstrap=5) for some in (a, [a, a]))
    assert np.array_equal(one.only_a, several.only_a)
