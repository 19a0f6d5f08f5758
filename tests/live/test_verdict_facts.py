"""What the verdict rests on beside the curves: what chance alone makes, what few samples say, when
overlaps count.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from prviz.curves import PRCurve
from prviz.estimators import DEFAULT_METHODS
from prviz.estimators.tightest import FEWEST
from prviz.live import bounds, results, snapshots
from prviz.live.problems import Uploaded, problem_of
from prviz.measure.estimates import estimate
from prviz.reports.settings import ExploreSettings
from prviz.samples import SamplePair, Samples
from prviz.toys import toy
from prviz.uncertainty.upper_bound import JudgedHalf


def bundled(n: int) -> ExploreSettings:
    return ExploreSettings(source="bundled", problem="rbm-epoch-30", n=n)


@pytest.mark.parametrize("name", ["shifted-gaussians", "finite"])
def test_chance_alone_makes_no_greater_difference_of_two_families(name: str) -> None:
    """Of draws that differ in nothing but the seed, the difference of two IoUs stays near its own
    mean.
    """
    n = 300
    parameters = {"d": 8} if name == "shifted-gaussians" else {}
    known = toy(name, **parameters)
    truth = known.truth()
    found = [
        estimate(known.sample(n, seed), DEFAULT_METHODS, k="sqrt", seed=seed) for seed in range(12)
    ]
    ious = np.array([[each.curve.iou(truth) for each in one.values()] for one in found])
    pairs = itertools.combinations(range(len(DEFAULT_METHODS)), 2)
    away = np.array([ious[:, i] - ious[:, j] - (ious[:, i] - ious[:, j]).mean() for i, j in pairs])
    settings = ExploreSettings(problem=name, n=n, parameters=parameters)
    assert (np.abs(away) <= results.noise(problem_of(settings))).mean() >= 0.95


def test_repeats_of_a_toy_leave_less_to_chance_and_more_samples_too() -> None:
    problem = problem_of(ExploreSettings(problem="shifted-gaussians", n=400))
    assert results.noise(problem) == pytest.approx(1 / np.sqrt(200))
    assert results.noise(problem.having(repeats=4)) == pytest.approx(results.noise(problem) / 2)
    assert results.noise(problem.having(n=1600)) == pytest.approx(results.noise(problem) / 2)


def test_under_200_samples_only_the_bound_and_the_gate_are_said() -> None:
    few = problem_of(bundled(FEWEST - 1))
    assert bounds.too_few(few) == {"bound": None, "apart": None}
    half = JudgedHalf(PRCurve.from_error_rates([0.0, 0.5], [0.5, 0.0]), 0.5)
    few.stores.results.put(bounds.bound_key(few), half)
    assert bounds.too_few(few) == {"bound": half.bound.auc, "apart": True}
    all_allowed = JudgedHalf(PRCurve.from_error_rates([], []), 0.5)
    few.stores.results.put(bounds.bound_key(few), all_allowed)
    assert bounds.shade(few) is None
    assert bounds.too_few(few) == {"bound": None, "apart": all_allowed.told_apart}
    assert bounds.too_few(problem_of(bundled(FEWEST))) is None
    assert bounds.too_few(problem_of(ExploreSettings(problem="modes", n=FEWEST - 1))) is None


def test_samples_of_one_group_count_as_one() -> None:
    n = 2 * FEWEST
    draw = np.random.default_rng(0).normal
    alone = Samples(draw(size=(n, 2)))
    four_each = Samples(draw(size=(n, 2)), groups=np.arange(n) // 4)
    settings = ExploreSettings(source="upload", n=n)
    whole = problem_of(settings, Uploaded(SamplePair(alone, alone), ("a", "b"), (None, None)))
    assert bounds.too_few(whole) is None
    for real, generated in ((alone, four_each), (four_each, alone)):
        grouped = problem_of(
            settings, Uploaded(SamplePair(real, generated), ("a", "b"), (None, None))
        )
        assert sorted(grouped.independent) == [n // 4, n]
        assert bounds.too_few(grouped) == {"bound": None, "apart": None}
        assert results.noise(grouped) == pytest.approx(2 * results.noise(whole))


def test_the_curve_to_believe_is_waited_for_where_it_is_to_be_measured() -> None:
    problem = problem_of(bundled(60))
    key = results.believed_key(results.believed(problem))  # type: ignore[arg-type]
    assert bounds.is_pending(problem, set())
    assert not bounds.is_pending(problem, {key})
    problem.stores.results.put(key, ("measured",))
    assert not bounds.is_pending(problem, set())
    assert not bounds.is_pending(problem_of(ExploreSettings(problem="modes", n=60)), set())
    assert not bounds.is_pending(problem.having(split=None), set())


@pytest.mark.parametrize(("p", "apart"), [(0.02, False), (0.009, True)])
def test_the_gate_asks_for_one_percent_where_the_bound_leaves_nothing_out(
    p: float, *, apart: bool
) -> None:
    assert JudgedHalf(PRCurve.from_error_rates([], []), p).told_apart == apart


@pytest.mark.parametrize(
    ("name", "first"), [("dirac", "auc"), ("narrow-gaussian", "auc"), ("boxes", "iou")]
)
def test_an_overlap_with_a_truth_without_area_is_never_a_number(name: str, first: str) -> None:
    """It would be all or nothing, 1 for a curve that touches nothing: the areas are compared."""
    problem = problem_of(ExploreSettings(problem=name, n=50))
    assert snapshots.columns(problem)[0].key == first
    assert len(snapshots.row(PRCurve.from_error_rates([], []), problem)) == len(
        snapshots.columns(problem)
    )
