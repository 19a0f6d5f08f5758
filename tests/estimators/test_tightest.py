"""tightest: one score from learners and weights that have not seen it, and how near its curve comes
to the truth.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from scipy.special import expit

import prviz
from prviz.estimators import cross_fitting, learners
from prviz.estimators.cross_fitting import Scores, cut_places
from prviz.estimators.learners import votes
from prviz.estimators.stack import Stack
from prviz.estimators.tightest import CUTS
from prviz.samples import SamplePair, Samples, SamplesLike, Split
from prviz.toys import toy
from tests.estimators.pairs import swapped

PAIR = toy("mixtures", d=3).sample(120, 0)


def tightest(pair: Iterable[SamplesLike], **options: Any) -> prviz.PRCurve:
    return prviz.pr_curve(*pair, "tightest", **options)


def equal(one: prviz.PRCurve, other: prviz.PRCurve) -> bool:
    return np.array_equal(one.vertices, other.vertices)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Split]:
    """The splits whose votes are asked for."""
    found: list[Split] = []

    def spied(splits: Any, *rest: Any) -> Any:
        found.extend(splits)
        return votes(splits, *rest)

    monkeypatch.setattr(cross_fitting, "votes", spied)
    return found


@pytest.mark.exhaustive
def test_the_curve_is_of_the_rates_at_fixed_cuts() -> None:
    scores = cross_fitting.of_all(PAIR, 4)
    cuts = [math.log(math.tan((i + 0.5) / 17 * math.pi / 2)) for i in range(17)]
    fpr = [float(np.mean(scores.real > cut)) for cut in cuts]
    fnr = [float(np.mean(scores.generated <= cut)) for cut in cuts]
    expected = prviz.PRCurve.from_error_rates(fpr, fnr)
    np.testing.assert_allclose(tightest(PAIR, seed=4).vertices, expected.vertices, atol=1e-12)


def test_levels_count_cuts_and_mirror() -> None:
    odds = np.array([-9.0, -0.1, 0.0, 0.2, 1.0, 9.0])
    scores = Scores(odds[:3], odds[3:])
    below = [[int(cut < each) + int(cut <= each) for cut in cut_places(CUTS)] for each in odds]
    assert scores.levels(CUTS).tolist() == [sum(each) for each in below]
    mirrored = Scores(-odds[:3], -odds[3:]).levels(CUTS)
    assert (mirrored == 2 * CUTS - scores.levels(CUTS)).all()
    assert scores.levels(CUTS)[[0, 2, 5]].tolist() == [0, CUTS, 2 * CUTS]


def test_supports_are_as_far_apart_as_the_odds(monkeypatch: pytest.MonkeyPatch) -> None:
    odds = np.array([-99.0, -0.1, 0.0, 0.2, 1.0, 99.0])
    scores = Scores(odds[:2], odds[2:])
    monkeypatch.setattr(cross_fitting, "of_all", lambda *_, **__: scores)
    found = prviz.estimate(*np.zeros((2, 9, 1)), "tightest")["tightest"].supports
    np.testing.assert_allclose(np.hypot(found.c_real, found.c_generated), 1.0)
    np.testing.assert_allclose(found.c_real[[0, 2, 5]], [1.0, math.sqrt(0.5), 0.0], atol=1e-12)
    assert (np.diff(found.c_generated) >= 0).all()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("groups", [False, True])
def test_no_sample_takes_part_in_what_judges_it(asked: list[Split], groups: bool) -> None:
    units = np.arange(120) // (7 if groups else 1)
    sets = [Samples(side.values, groups=units if groups else None) for side in PAIR]
    cross_fitting.of_all(SamplePair(*sets), 0)
    for role in (0, 1):
        judged = [set(each.evaluate_rows[role].tolist()) for each in asked]
        assert sorted(row for rows in judged for row in rows) == list(range(120))
        for each, rows in zip(asked, judged, strict=True):
            fitted = each.fit_rows[role]
            assert set(fitted) | rows == set(range(120))
            assert not np.intersect1d(units[fitted], units[list(rows)]).size


def test_weights_come_from_other_folds_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    fitted: list[int] = []

    class Spied(Stack):
        @classmethod
        def fit(cls, table: Any, generated: Any) -> Stack:
            fitted.append(len(generated))
            return Stack.fit(table, generated)

    monkeypatch.setattr(cross_fitting, "Stack", Spied)
    cross_fitting.of_all(PAIR, 0)
    assert fitted == [192] * 5


@pytest.mark.exhaustive
def test_a_sample_changes_the_score_of_its_own_fold_nowhere() -> None:
    """In the bound, where one classifier judges: an evaluation sample decides no score but its
    own.
    """
    split = PAIR.split(0.5, 0)
    values = np.array(PAIR.generated.values)
    row = int(split.evaluate_rows[1][3])
    values[row] += 0.25
    other = SamplePair(PAIR.real, values)
    if (PAIR.real.digest <= PAIR.generated.digest) != (other.real.digest <= other.generated.digest):
        pytest.skip("the roles are exchanged inside")
    moved = cross_fitting.of_evaluation(other.split(0.5, 0), 0)
    kept = cross_fitting.of_evaluation(split, 0)
    assert np.array_equal(moved.real, kept.real)
    assert np.array_equal(np.delete(moved.generated, 3), np.delete(kept.generated, 3))


@pytest.mark.exhaustive
def test_exchanged_roles_and_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    curve = tightest(PAIR)
    assert equal(tightest(swapped(PAIR)), curve.mirrored())
    monkeypatch.setattr(learners, "available_threads", lambda: 1)
    assert equal(tightest(PAIR), curve)
    assert not equal(tightest(PAIR, seed=1), curve)


@pytest.mark.exhaustive
def test_neither_k_nor_bandwidth_nor_split_plays_a_part() -> None:
    assert equal(tightest(PAIR, k=3, bandwidth=2.0, split=0.7), tightest(PAIR))


@pytest.mark.exhaustive
def test_all_samples_are_judged_and_equal_sets_are_not_told_apart() -> None:
    (run,) = prviz.estimate(PAIR, "tightest")["tightest"].runs
    assert (run.n_real, len(run.c_real)) == (120, 240)
    assert tightest([PAIR.real, PAIR.real.values.copy()]).auc > 0.98


@pytest.mark.exhaustive
def test_it_is_near_the_truth_and_nearer_than_a_family() -> None:
    ious = dict.fromkeys(("tightest", "knn", "coverage"), 0.0)
    for name, d in (("mixtures", 8), ("outlier", 8), ("classes", 16)):
        problem = toy(name, d=d)
        for method in ious:
            ious[method] += prviz.pr_curve(*problem.sample(400, 0), method).iou(problem.truth()) / 3
    assert ious["tightest"] > max(ious["knn"], ious["coverage"]) + 0.005


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["identical", "mixtures"])
def test_it_is_above_the_truth_but_for_chance(name: str) -> None:
    """Mean error rates alpha / (1 + lam) over three draws."""
    problem = toy(name, d=8)
    lams = np.tan(np.linspace(0, np.pi / 2, 50)[1:-1])
    curves = [tightest(problem.sample(250, seed), seed=seed) for seed in range(3)]
    above = [(curve.alpha(lams) - problem.truth().alpha(lams)) / (1 + lams) for curve in curves]
    assert np.mean(above, axis=0).min() > -0.03


def test_values_that_are_nearly_zero_are_seen_by_their_ranks() -> None:
    rng = np.random.default_rng(0)
    real, other = (np.maximum(rng.normal(size=(150, 60)), 0) for _ in range(2))
    generated = np.where(other == 0, 1e-6 * rng.exponential(size=other.shape), other)
    assert prviz.pr_curve(real, generated, "knn").auc > 0.8
    assert tightest([real, generated]).auc < 0.02


def test_odds_of_neighbours_are_those_of_equally_many_samples_of_each_set() -> None:
    split = SamplePair(np.zeros((120, 2)), np.zeros((40, 2))).split(0.5, 0)
    odds = learners._neighbour_votes(split, [3], 0, None)["knn"]  # every ball holds all samples
    assert odds == pytest.approx(np.log(20.5 / 60.5 * 60 / 20), abs=1e-12)


def test_more_fit_samples_than_a_learner_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learners, "MOST_NEIGHBOURS", 30)
    monkeypatch.setattr(learners, "MOST_FITTED", 40)
    split = PAIR.split(0.5, 0)
    (found,) = votes([split], 0)
    rows = learners._drawn(split, 40, 0)
    assert [len(side) for side in rows] == [40, 40]
    assert all(set(side) <= set(fit) for side, fit in zip(rows, split.fit_rows, strict=True))
    (exact,) = votes([Split(PAIR, rows, split.evaluate_rows, held_out=True)], 0)
    np.testing.assert_allclose(found["logistic"], exact["logistic"])


@pytest.mark.exhaustive
def test_of_very_many_features_some_are_drawn(
    monkeypatch: pytest.MonkeyPatch, asked: list[Split]
) -> None:
    monkeypatch.setattr(cross_fitting, "MOST_FEATURES", 2)
    named = [Samples(side.values, features=tuple("abc")) for side in PAIR]
    curve, turned = (tightest(sets, seed=3) for sets in (named, named[::-1]))
    assert equal(turned, curve.mirrored())
    columns = np.sort(np.random.default_rng(3).permutation(3)[:2])
    for split in asked:
        assert split.pair.real.features == tuple("abc"[column] for column in columns)
        assert split.pair.d == 2


@pytest.mark.exhaustive
def test_few_samples_and_huge_values_are_measured() -> None:
    few = [toy("mixtures", d=2).sample(n, 0) for n in (2, 3, 5)]
    huge = np.random.default_rng(0).normal(size=(2, 40, 3)) * 1e150
    for pair in (*few, huge):
        assert 0 <= tightest(pair).auc <= 1


def test_it_needs_a_split() -> None:
    with pytest.raises(ValueError, match="tightest"):
        tightest(toy("finite").sample(50, 0), split=None)


def test_weights_are_found_without_threads_of_a_library(monkeypatch: pytest.MonkeyPatch) -> None:
    import scipy.optimize
    from threadpoolctl import threadpool_info

    known: list[int] = []
    minimize = scipy.optimize.minimize

    def counting(*given: Any, **options: Any) -> Any:
        known.extend(
            each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"
        )
        return minimize(*given, **options)

    monkeypatch.setattr(scipy.optimize, "minimize", counting)
    Stack.fit({"a": np.random.default_rng(0).normal(size=(1, 40))}, np.arange(40) >= 20)
    assert set(known) == {1}


def slow_ranks(fit: Any, values: Any) -> Any:
    """Half of the fit samples below each value and half of those up to it, as a share, one by
    one.
    """
    found = np.empty_like(values)
    for place, column in enumerate(fit.T):
        for row, value in enumerate(values[:, place]):
            both = np.count_nonzero(column < value) + np.count_nonzero(column <= value)
            found[row, place] = both / (2 * len(column))
    return found


@pytest.mark.parametrize("step", [0.5, 1e-9])
def test_ranks_are_counts(step: float) -> None:
    rng = np.random.default_rng(0)
    fit, values = ((np.round(rng.normal(size=(n, 7)) / step) * step).astype("f4") for n in (31, 12))
    fit[:, 2] = 0
    fit[3, 1] = -0.0
    values[5, 1] = 0.0
    pooled = np.concatenate([fit, values]).T
    shares = learners._shares_below(pooled, np.argsort(pooled, axis=1), len(fit)).T
    assert np.array_equal(shares[: len(fit)], slow_ranks(fit, fit))
    assert np.array_equal(shares[len(fit) :], slow_ranks(fit, values))


@pytest.mark.parametrize("narrow", ["f4", "f8"])
@pytest.mark.parametrize("d", [1, 2, 7])
def test_a_split_is_scaled_alike_by_the_order_of_the_pair_and_in_any_blocks(
    monkeypatch: pytest.MonkeyPatch, narrow: str, d: int
) -> None:
    """Of all samples in five folds, and of some: values that scaling makes equal are tied in
    both.
    """
    rng = np.random.default_rng(0)
    sets = [np.round(rng.normal(place, size=(40, d)), 1) for place in range(2)]
    sets[0][3] = 1e30
    pair = SamplePair(*(Samples(each.astype(narrow)) for each in sets))
    order = learners.PairTables.of(pair).order
    rows = np.arange(40)
    for fit in (rows % 5 != 0, rows % 5 == 1):
        split = Split(pair, (rows[fit], rows[fit]), (rows[~fit][::2],) * 2, held_out=True)
        expected = learners._standardised(split, 0)
        with monkeypatch.context() as patch:
            patch.setattr(learners, "_BLOCK", 200)
            found = learners._standardised(split, 0, order)
        assert np.array_equal(found.ranks[0], slow_ranks(found.fit, found.fit))
        assert np.array_equal(found.ranks[1], slow_ranks(found.fit, found.evaluate))
        for one, other in zip(
            (*found[:2], *found.ranks), (*expected[:2], *expected.ranks), strict=True
        ):
            assert np.array_equal(one, other)
    monkeypatch.setattr(learners, "_MOST_ORDERED", 80 * d - 1)
    assert learners.PairTables.of(pair).order is None


@pytest.mark.one_in(2)
@pytest.mark.parametrize("sizes", [(50, 50), (50, 37)])
def test_trees_are_those_of_plain_calls(sizes: tuple[int, int]) -> None:
    """Without weights that are all 1, with one generator, and by what is in the leaves."""
    from sklearn.tree import DecisionTreeRegressor, ExtraTreeClassifier

    rng = np.random.default_rng(0)
    sets = [np.round(rng.normal(place / 2, size=(n, 5)), 1) for place, n in enumerate(sizes)]
    pair = SamplePair(*(Samples(each) for each in sets))
    split = learners._standardised(pair.split(0.5, 0), 0)
    called = np.zeros((2, len(split.evaluate)))
    for place, table in enumerate(((split.fit, split.evaluate), split.ranks)):
        for seed in np.random.SeedSequence(3).generate_state(10).tolist():
            tree = ExtraTreeClassifier(
                min_samples_leaf=3, max_features="sqrt", random_state=seed
            ).fit(table[0], split.generated, split.weights)
            called[place] += tree.predict_proba(table[1])[:, 1]
    assert np.array_equal(learners._trees(split, 3), called)
    odds = np.zeros(len(split.fit))
    boosted = np.zeros(len(split.evaluate))
    for seed in np.random.SeedSequence(3).generate_state(100).tolist():
        share = expit(odds)
        spread = np.maximum(share * (1 - share), 0.02)
        step = DecisionTreeRegressor(
            max_depth=3, min_samples_leaf=10, max_features=0.25, random_state=seed
        ).fit(split.fit, (split.generated - share) / spread, spread * split.weights)
        odds += 0.1 * step.predict(split.fit)
        boosted += 0.1 * step.predict(split.evaluate)
    assert np.array_equal(learners._boosting(split, 3), boosted[None])


def test_a_feature_without_spread_keeps_its_unit() -> None:
    one, other = learners._scaled(np.full((4, 2), [0.0, 5.0]), np.array([[3.0, 10.0]]))
    np.testing.assert_array_equal(one, np.zeros((4, 2)))
    np.testing.assert_array_equal(other, [[3.0, 1.0]])
