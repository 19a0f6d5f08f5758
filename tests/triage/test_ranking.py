"""Rankings: areas against quadrature, replicates against samples that occur as often as drawn, ties
against chance.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

import prviz
from prviz.curves import ErrorRates, PRCurve
from prviz.estimators import Supports
from prviz.measure.estimates import Estimate, estimate
from prviz.samples import SamplePair
from prviz.toys import toy
from prviz.triage import ranking as module
from prviz.triage.decision import judge
from prviz.triage.inputs import Checkpoint
from prviz.triage.measured import MeasuredCheckpoint, PairDigests, ResultCache, bound_by
from prviz.triage.ranking import (
    headline,
    in_order,
    ranking,
    replicates_key,
    score,
    side_replicates,
    sides,
    together,
    undominated,
)
from prviz.uncertainty.bootstrap import draws
from tests.ranked import rank

RATES = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=6)


def measured(
    name: str,
    *runs: Supports,
    step: float | None = None,
    method: str = "knn",
    real: str = "reference",
) -> MeasuredCheckpoint:
    return MeasuredCheckpoint(
        checkpoint=Checkpoint(Path(name), name, step),
        estimate=Estimate(method, 3, None, runs),
        n_real=runs[0].n_real if runs else 0,
        n_generated=0,
        seconds=0.0,
        digests=PairDigests(real, ""),
    )


def coins(rng: np.random.Generator, wrong: np.ndarray, fnr: float, n: int = 200) -> Supports:
    """One classifier: real samples that it calls generated, and generated ones called real with
    probability fnr.
    """
    real_looking = np.concatenate([~wrong, rng.random(n) < fnr])
    return Supports(np.where(real_looking, 2, 1), np.where(real_looking, 1, 2), len(wrong))


def curve(rates: list[tuple[float, float]]) -> PRCurve:
    return PRCurve.from_error_rates([f for f, _ in rates], [n for _, n in rates])


@given(RATES)
def test_sides_are_mean_squares_of_precision_and_recall_and_their_mean_is_auc(rates):
    found = sides(curve(rates))
    u = (np.arange(4000) + 0.5) / 4000
    assert found.precision == pytest.approx(np.mean(curve(rates).alpha(1 / u) ** 2), abs=1e-3)
    assert found.recall == pytest.approx(np.mean(curve(rates).beta(u) ** 2), abs=1e-3)
    assert score(curve(rates), 0.5) == pytest.approx(curve(rates).auc, abs=1e-12)
    mirrored = sides(curve(rates).mirrored())
    assert (mirrored.recall, mirrored.precision) == pytest.approx(found, abs=1e-9)


@given(RATES, RATES, st.floats(0, 1))
def test_a_curve_that_lies_above_scores_at_least_as_much_at_every_goal(rates, more, goal):
    # More classifiers only lower the curve.
    assert score(curve(rates), goal) >= score(curve(rates + more), goal) - 1e-12


def test_ends_of_the_goal_are_the_known_halves_and_a_dropped_mode_costs_recall_first():
    perfect = PRCurve.from_error_rates([], [])
    nothing = PRCurve.from_error_rates([0.0], [0.0])
    assert [score(perfect, goal) for goal in (0, 0.3, 1)] == pytest.approx([1, 1, 1])
    assert [score(nothing, goal) for goal in (0, 0.3, 1)] == [0, 0, 0]
    half = PRCurve.from_error_rates([0.5], [0.0])  # alpha = min(1, lam / 2)
    # Of u = 1 / lam in [0, 1]: 1 up to 1/2, then (1 / 2u)^2; recall is 1/2 throughout.
    assert sides(half) == pytest.approx((0.5 + 0.25, 0.25))
    for goal in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="precision first"):
            score(half, goal)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12))
def test_undominated_is_the_double_loop(values):
    def beaten(one, other):
        return other[0] >= one[0] and other[1] >= one[1] and other != one

    expected = [not any(beaten(one, other) for other in values) for one in values]
    assert undominated(np.array(values, dtype=float)).tolist() == expected


def test_replicates_are_curves_of_samples_that_occur_as_often_as_drawn_the_real_ones_for_all():
    rng = np.random.default_rng(0)
    real = rng.normal(size=(60, 3))
    pairs = [
        SamplePair(real, rng.normal(size=(n, 3)) + shift)
        for n, shift in ((60, 0.2), (60, 0.4), (50, 0.0))
    ]
    found = [estimate(pair, "knn", k=4)["knn"] for pair in pairs]
    given_ = [measured(str(i), each.supports) for i, each in enumerate(found)]
    made = together(given_, 4, seed=5)
    assert made.replicates.shape == (4, 3, 2)
    streams = [int(each.supports_digest[:16], 16) + 1 for each in given_]
    for row, (drawn, *own) in zip(
        made.replicates, draws((30, 30, 30, 25), 4, 5, (0, *streams)), strict=True
    ):
        for values, each, generated in zip(row, found, own, strict=True):
            places = [*drawn, *(30 + generated)]
            c_real = each.supports.c_real[places]
            c_generated = each.supports.c_generated[places]
            slow = ErrorRates.from_supports(c_real, c_generated, 30).curve()
            assert values == pytest.approx(sides(slow), abs=1e-12)
    assert made.values == pytest.approx(np.array([sides(each.curve) for each in found]))


def test_replicates_of_a_checkpoint_are_the_same_whatever_others_there_are_and_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ordered = in_order(spoilt(np.random.default_rng(2)))
    store = ResultCache(tmp_path)
    alone = together(ordered[1:2], 5, 3, store=store)
    shared = together(ordered, 5, 3, store=store)
    assert np.array_equal(shared.replicates[:, 1:2], alone.replicates)
    assert not np.array_equal(shared.replicates[:, 0], shared.replicates[:, 1])
    with monkeypatch.context() as patch:
        patch.setattr(module, "replicated", None)  # nothing is drawn again
        for each in (store, ResultCache(tmp_path)):
            again = together(ordered, 5, 3, store=each).replicates
            assert np.array_equal(again, shared.replicates)
    key = replicates_key(ordered[1], 5, 3)
    assert key == {"replicates": 5, "seed": 3, "supports": ordered[1].supports_digest}
    for broken in ("text", [[0.5, 0.5]], [[2.0, 0.0]] * 5, None):
        store.put_facts(key, broken)
        again = side_replicates(ordered[1], 5, 3, ResultCache(tmp_path))
        assert np.array_equal(again, alone.replicates[:, 0])


def spoilt(rng: np.random.Generator, names: str = "dbca") -> list[MeasuredCheckpoint]:
    wrong = rng.random(200) < 0.3
    rates = {"a": 0.5, "b": 0.5, "c": 0.25, "d": 0.05}
    return [measured(name, coins(rng, wrong, rates[name]), step=ord(name)) for name in names]


def test_a_ranking_says_who_is_best_and_who_is_not_told_apart():
    table = rank(spoilt(np.random.default_rng(3)), 0.0, seed=1)
    columns = "checkpoint step score low high best behind loses tied_with_best"
    assert list(table.columns[:9]) == columns.split()
    assert set(table["checkpoint"][:2]) == {"a", "b"}
    assert table["checkpoint"][2:].tolist() == ["c", "d"]
    assert table["step"].tolist() == [ord(name) for name in table["checkpoint"]]
    assert table["tied_with_best"].tolist() == [True, True, False, False]
    assert table["best"].sum() == pytest.approx(1)
    assert table["best"][2:].tolist() == [0, 0]
    assert (table["low"] <= table["high"]).all()
    assert table["score"].is_monotonic_decreasing


@pytest.mark.exhaustive
def test_order_of_the_input_changes_nothing_and_the_seed_decides():
    rng = np.random.default_rng(0)
    some = spoilt(rng)
    one = rank(some, seed=2)
    again = rank(some[::-1], seed=2)
    other = rank(some, seed=3)
    assert one.equals(again)
    assert not one["low"].equals(other["low"])


def test_with_a_split_the_score_of_the_bound_is_there():
    problem = toy("mixtures", d=3)
    pair = problem.sample(300, 0)
    found = estimate(pair, "knn")["knn"]
    one = replace(measured("a", *found.runs), n_real=300)
    bound = prviz.upper_bound(*pair, "knn")
    for goal in (0.0, 0.3, 0.5):
        most = judge([one], goal, replicates=3).at_most["a"]
        assert most == score(bound, goal) > score(problem.truth(), goal)
    assert judge([replace(one, estimate=replace(found, method="eas"))], replicates=3).at_most == {
        "a": None
    }
    own = replace(one, own_bound=PRCurve.from_error_rates([0.1], [0.2]))
    assert bound_by([own, one], "knn") is own.own_bound
    other = replace(one, estimate=estimate(pair, "ipr")["ipr"])
    for some in ([one], [one, other], [one]):
        bound = prviz.upper_bound(*pair, [each.method for each in some])
        assert np.array_equal(bound_by(some, "knn").vertices, bound.vertices)
    whole = estimate(pair, "knn", split=None)["knn"]
    assert bound_by([replace(one, estimate=whole)], "knn") is None


def test_one_bootstrap_serves_every_goal():
    some = spoilt(np.random.default_rng(1))
    ordered = in_order(some)
    names = [each.checkpoint.name for each in ordered]
    steps = [each.checkpoint.step for each in ordered]
    assert names == ["a", "b", "c", "d"]
    found = together(ordered, 30, 4)
    for goal in (0.0, 0.35, 0.5, 1.0):
        table = ranking(found, names, goal, 0.8, steps=steps)
        ranked = rank(some, goal, 30, 4, 0.8)
        assert table.equals(ranked)
        replicates = np.array(
            [[(1 - goal) * p + goal * r for p, r in drawn] for drawn in found.replicates]
        )
        scores = np.array([score(each.curve, goal) for each in ordered])
        for row in table.itertuples():
            place = names.index(row.checkpoint)
            assert row.score == pytest.approx(scores[place], abs=1e-12)
            assert (row.low, row.high) == pytest.approx(
                np.quantile(replicates[:, place], (0.1, 0.9))
            )
            won = [drawn >= drawn.max() - 1e-12 for drawn in replicates]
            assert row.best == pytest.approx(np.mean([each[place] / each.sum() for each in won]))
    assert ranking(found, names)["step"].isna().all()


def test_equal_checkpoints_share_being_best():
    supports = coins(np.random.default_rng(0), np.random.default_rng(1).random(50) < 0.3, 0.2, 50)
    # Samples of no information: the curve is that of a perfect generator whatever is drawn.
    blind = Supports(np.ones(100), np.ones(100), 50)
    table = rank(
        [measured("a", blind), measured("b", blind), measured("c", supports)], 0.4, bootstrap=20
    )
    assert table["best"].tolist() == [0.5, 0.5, 0]
    assert table["tied_with_best"].tolist() == [True, True, False]
    assert table["front"].tolist() == [True, True, False]
    three = rank([measured(name, blind) for name in "abc"], bootstrap=5)
    assert three["margin"].tolist() == [0, 0, 0]
    alone = rank([measured("c", supports)], bootstrap=5)
    assert alone[["best", "tied_with_best", "front"]].to_numpy().tolist() == [[1.0, False, True]]
    assert headline(alone).head == "Only c is measured"
    assert np.isnan(alone["step"][0])


def test_goals_choose_between_a_generator_that_drops_and_one_that_invents():
    weights = {"drops": (1, 0, 0), "invents": (0.25, 0.25, 0.5), "both": (0.4, 0, 0.6)}
    modes = {"d": 8, "means": (0, 5, -5), "real_weights": (1, 1, 0)}
    pairs = {
        name: toy("mixtures", **modes, generated_weights=each).sample(400, seed=1)
        for name, each in weights.items()
    }
    real = pairs["drops"].real
    found = [
        measured(name, estimate(SamplePair(real, pair.generated), "knn")["knn"].supports)
        for name, pair in pairs.items()
    ]
    for goal, best in ((0.0, "drops"), (1.0, "invents")):
        table = rank(found, goal)
        assert (table["checkpoint"][0], table["best"][0]) == (best, 1)
    front = table.set_index("checkpoint")["front"].to_dict()
    assert front == {"drops": True, "invents": True, "both": False}


@pytest.mark.exhaustive
def test_equal_generators_are_rarely_told_apart_and_intervals_hold_what_is_true():
    # Rates of a fixed classifier are unbiased but for the choice of samples: 3 equal checkpoints,
    # and one worse. alpha(1) = fpr + fnr, so the truth of every score is that of the true vertex.
    rng = np.random.default_rng(7)
    counts = []
    true = score(PRCurve.from_error_rates([0.4], [0.3]), 0.3)
    for seed in range(40):
        wrong = rng.random(150) < 0.4
        some = [measured(f"e{i}", coins(rng, wrong, 0.3, 150)) for i in range(3)]
        some.append(measured("worse", coins(rng, wrong, 0.02, 150)))
        table = rank(some, 0.3, bootstrap=40, seed=seed).set_index("checkpoint")
        worse, same = table.loc["worse"], table.drop("worse")
        held = (same["low"] <= true) & (true <= same["high"])
        counts.append([(~same["tied_with_best"]).mean(), worse["tied_with_best"], held.mean()])
    told, missed, held = np.mean(np.array(counts, dtype=float), axis=0)
    assert told < 0.15  # 0.083 of 400 repeats, and 0.03 of chance
    assert missed < 0.05
    assert 0.88 < held < 0.99


ONES = np.ones(10)
ONE = measured("a", Supports(ONES, ONES, 5))


@pytest.mark.parametrize(
    ("some", "goal", "said"),
    [
        ([ONE, measured("b", Supports(ONES, ONES, 4))], 0.5, "needs the same"),
        (
            [ONE, measured("b", Supports(ONES, ONES, 5, rows=np.arange(10) * 2))],
            0.5,
            "needs the same",
        ),
        ([ONE, measured("b", *ONE.estimate.runs, real="other")], 0.5, "several references"),
        ([ONE, measured("b", *ONE.estimate.runs, method="ipr")], 0.5, "families ipr, knn"),
        ([], 0.5, "at least one"),
        ([ONE], 2, "goal = 2"),
    ],
)
def test_what_cannot_be_ranked_is_said(some, goal, said):
    with pytest.raises(ValueError, match=said):
        rank(some, goal=goal)
