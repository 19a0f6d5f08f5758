"""What holds of a checkpoint or of two, whatever others there are: scores, spreads, bounds and the
order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from prviz.curves import PRCurve
from prviz.estimators import Supports, cross_fitting
from prviz.measure.estimates import Estimate
from prviz.samples import SamplePair, Samples, Split
from prviz.triage.decision import Aside, Judgement, basis_of, judge
from prviz.triage.inputs import Checkpoint
from prviz.triage.measure import CheckpointEvaluator
from prviz.triage.measured import MeasuredCheckpoint, PairDigests, TriageSettings
from prviz.triage.ranking import TOLD_APART, SharedReference, ranking
from prviz.triage.yardstick import Yardstick
from tests.marks import exhaustive_but

ALONE = ["score", "low", "high", "precision", "recall", "second", "second_low", "second_high"]


def drawn_checkpoint(rng: np.random.Generator, name: str, n: int = 200) -> list[MeasuredCheckpoint]:
    """A checkpoint by the best classifier, with a bound that may lie below it, and by
    neighbours.
    """
    found = []
    for method, most in (("tightest", rng.choice([0.1, 1.0, 8.0])), ("knn", 3.0)):
        real = rng.gamma(1.0, size=n)
        generated = most * rng.gamma(1.0, size=n)
        made = Supports(np.r_[np.ones(n), real], np.r_[generated, np.ones(n)], n)
        own = PRCurve.from_error_rates([rng.uniform(0.02, 0.9)], [rng.uniform(0.02, 0.9)])
        found.append(
            MeasuredCheckpoint(
                checkpoint=Checkpoint(Path(name), name),
                estimate=Estimate(method, 3, None, (made,)),
                n_real=n if method == "tightest" else 2 * n,
                n_generated=2 * n,
                seconds=0.0,
                digests=PairDigests("reference", name),
                own_bound=own if method == "tightest" else None,
            )
        )
    return found


def order_and_numbers(judgement: Judgement) -> tuple[list[str], dict[str, list[float]]]:
    table = judgement.table.set_index("checkpoint")
    numbers = {name: [*table.loc[name, ALONE], judgement.at_most[name]] for name in table.index}
    return list(table.index), numbers


def agree(whole: Judgement, part: Judgement) -> None:
    """The part has the scores, spreads, bounds and order of the whole."""
    order, numbers = order_and_numbers(whole)
    fewer, own = order_and_numbers(part)
    assert fewer == [name for name in order if name in own]
    assert all(np.array_equal(own[name], numbers[name], equal_nan=True) for name in own)
    assert part.decision.basis == whole.decision.basis


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", exhaustive_but(range(4), 0))
def test_no_checkpoint_changes_another_s_score_or_the_order_of_two_others(seed: int) -> None:
    rng = np.random.default_rng(seed)
    drawn = {name: drawn_checkpoint(rng, name) for name in "abcde"}
    goal = [0.0, 0.5, 1.0][seed % 3]

    def judged(names: Sequence[str]) -> Judgement:
        return judge([each for name in names for each in drawn[name]], goal, replicates=6)

    whole = judged("abcde")
    told = whole.table["score"] < TOLD_APART
    # told apart: all behind the others
    assert not told.is_monotonic_decreasing or told.all() or not told.any()
    for size in (1, 2, 3):
        for names in combinations("abcde", size):
            agree(whole, judged(names))


@pytest.mark.exhaustive
def test_no_file_changes_what_is_said_of_others_on_samples() -> None:
    rng = np.random.default_rng(3)
    real = Samples(rng.normal(size=(200, 3)))
    evaluator = CheckpointEvaluator(real, TriageSettings(("tightest", "knn")), None, 10**9)
    sets = {"near": 0.2, "far": 1.0, "hopeless": 9.0, "lost": 12.0}
    found = {
        name: evaluator.measured(
            Checkpoint(Path(name), name), SamplePair(real, rng.normal(shift, 1, (200, 3)))
        )
        for name, shift in sets.items()
    }

    def judged(*names: str) -> Judgement:
        return judge([one for name in names for one in found[name]], replicates=10)

    whole = judged(*sets)
    for left_out in sets:
        agree(whole, judged(*(name for name in sets if name != left_out)))
    lost = judged("hopeless", "lost").decision.headline
    assert lost.head == "None comes near real data: area 0.00 at best"
    assert "By kNN alone" in lost.rest
    # the two scores are of two families: no difference
    assert "Next is lost. " in judged("near", "lost").decision.headline.rest


@pytest.mark.exhaustive
@given(st.lists(st.tuples(st.floats(0, 0.3), st.floats(0, 1)), min_size=3, max_size=3, unique=True))
@settings(max_examples=25, deadline=None)
def test_the_order_goes_round_in_no_circle(values: list[tuple[float, float]]) -> None:
    """All orders of three are that of their pairs."""

    def ordered(places: Sequence[int]) -> list[str]:
        both = np.array([values[place] for place in places])
        first, second = (np.tile(both[:, [side]], 2) for side in (0, 1))
        shared = [SharedReference(each, np.stack([each, each])) for each in (first, second)]
        return list(
            ranking(shared[0], [str(place) for place in places], second=shared[1])["checkpoint"]
        )

    three = ordered(range(3))
    for one, other in permutations(range(3), 2):
        key = [
            (score >= TOLD_APART, second if score < TOLD_APART else score)
            for score, second in values
        ]
        if key[one] > key[other]:
            assert three.index(str(one)) < three.index(str(other))
            assert ordered([one, other])[0] == str(one)


@pytest.mark.parametrize("seed", range(6))
def test_no_score_lies_above_its_own_bound(seed: int) -> None:
    rng = np.random.default_rng(seed)
    measured = drawn_checkpoint(rng, "a") + drawn_checkpoint(rng, "b")
    for chosen in (None, "knn"):
        for goal in (0.0, 0.3):
            found = judge(measured, goal, replicates=3, basis=basis_of(measured, chosen))
            for line in found.table.to_dict("records"):
                most = found.at_most[line["checkpoint"]]
                assert most is not None
                assert max(line["score"], line["high"]) <= most + 1e-12
                assert found.scores[found.decision.basis.method][line["checkpoint"]] <= most


def test_a_family_that_was_chosen_is_held_against_the_best_classifier() -> None:
    measured = drawn_checkpoint(np.random.default_rng(1), "a")
    found = judge(measured, replicates=3, basis=basis_of(measured, "knn"))
    assert found.decision.headline.rest.endswith(
        f" By the best classifier a has {found.scores['tightest']['a']:.2f}."
    )
    assert "By the best classifier" not in judge(measured, replicates=3).decision.headline.rest


def test_two_checkpoints_are_judged_on_the_same_folds_of_the_real_samples(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = Samples(np.random.default_rng(0).normal(size=(40, 2)))
    held_out = []

    def votes(splits: Sequence[Split], *_: object) -> list[dict[str, np.ndarray]]:
        pair = splits[0].pair
        side = 0 if pair.real.digest == real.digest else 1
        held_out.append([each.evaluate_rows[side].tolist() for each in splits])
        return [{"one": np.zeros((1, sum(map(len, each.evaluate_rows))))} for each in splits]

    monkeypatch.setattr(cross_fitting, "votes", votes)
    for seed in (1, 2):
        cross_fitting.of_all(
            SamplePair(real, np.random.default_rng(seed).normal(size=(40 + seed, 2))), 0
        )
    assert held_out[0] == held_out[1]


def test_equal_to_real_data_is_said_only_where_a_test_finds_no_difference() -> None:
    rng = np.random.default_rng(5)
    one = drawn_checkpoint(rng, "a")[1:]
    top = drawn_checkpoint(rng, "real")[1]
    floor = replace(
        top, estimate=replace(top.estimate, runs=(Supports(np.ones(4), np.r_[0, 0, 9, 9], 2),))
    )
    ceiling = Yardstick({"knn": replace(top, estimate=one[0].estimate)}, {"knn": floor}, "")
    told = [
        judge(one, aside=Aside(apart=apart, yardstick=ceiling), replicates=20).shares["a"]
        for apart in ({}, {"a": False}, {"a": True})
    ]
    assert [each.reaches_ceiling for each in told] == [False, True, False]
