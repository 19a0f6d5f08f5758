"""The steps as data, and what Python measures for them."""

from __future__ import annotations

import json
import re
from collections import Counter

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from pages._learn import measured
from pages._learn.steps import LESSONS, STEPS, payload
from prviz.curves import PRCurve
from prviz.curves.ground_truth import discrete_curve
from prviz.measure.estimates import estimate
from prviz.toys import toy
from tests.explore_app import load

WORDS = 60
# The words around the texts of a step.
AROUND = len(["1", "of", "7", "One", "number", "Back", "Next"])


def test_lessons_come_in_order_and_every_step_has_its_own_id() -> None:
    found = payload()
    assert list(Counter(step["lesson"] for step in found)) == list(LESSONS)
    assert len({step["id"] for step in found}) == len(found)


@pytest.mark.parametrize("step", STEPS, ids=[step["id"] for step in payload()])
def test_a_step_has_one_sentence_one_clause_and_few_words(step: object) -> None:
    guess = step.guess  # type: ignore[attr-defined]
    texts = [step.lead, guess.ask, *(option.label for option in guess.options)]  # type: ignore[attr-defined]
    longest = max((option.because for option in guess.options), key=lambda text: len(text.split()))
    for shown in ((step.clause,), (step.takeaway, longest)):  # type: ignore[attr-defined]
        words = [
            word for text in (*texts, *shown) for word in text.split() if re.search(r"\w", word)
        ]
        assert len(words) + AROUND <= WORDS
    assert len({option.id for option in guess.options}) == len(guess.options)
    assert all(option.because for option in guess.options)
    assert step.help  # type: ignore[attr-defined]


def test_the_page_sends_everything_it_needs_at_once() -> None:
    app = load("learn")
    assert app.title[0].value == "Learn"
    contents = [json.loads(each.proto.bytes) for each in app.get("bidi_component")]
    sent = next(each["measured"] for each in contents if "measured" in each)
    assert sent.keys() == {"names", "colors", "limits", *measured.CELLS}
    used = {name for cell in sent["believed"] + sent["bound"] for name in cell["curves"]}
    assert used == {"knn", measured.BELIEVED, measured.BOUND} <= sent["names"].keys()


def drawn(flat: list[float]) -> PRCurve:
    """The curve of kept vertices, one after the other."""
    return PRCurve.from_error_rates(*np.reshape(flat, (-1, 2)).T)


@pytest.mark.parametrize(
    "name",
    [
        *("d", "n"),
        # by the best classifier, whose numbers the tests of tightest judge
        *(pytest.param(name, marks=pytest.mark.thorough) for name in ("believed", "bound")),
    ],
)
def test_what_is_kept_is_what_is_measured(name: str) -> None:
    cells = measured.CELLS[name]
    kept = measured.kept()[name]
    assert [(each["d"], each["n"]) for each in kept] == [(d, n) for d, n, _, _ in cells]
    again = measured.cell(*cells[0])
    assert again["curves"].keys() == kept[0]["curves"].keys()
    assert kept[0]["iou"] == pytest.approx(again["iou"], abs=2e-3)


def test_limits_that_are_kept_are_those_of_the_problem() -> None:
    kept = measured.kept()
    problem = toy("shifted-gaussians", **measured.LIMIT_PROBLEM)
    assert kept["limits"].keys() == set(map(str, measured.KS))
    for k in measured.KS:
        curve = drawn(kept["limits"][str(k)])
        assert curve.iou(problem.limit("knn", k)) > 0.999


def test_with_a_split_many_dimensions_flatter_and_without_one_they_need_not() -> None:
    most = measured.kept()["d"][-1]
    truth = toy("high-dimension", d=most["d"], shift=measured.DISTANCE).truth()
    for name, flat in most["curves"].items():
        assert drawn(flat).auc > truth.auc + 0.1, name
    equal = toy("shifted-gaussians", d=64, mu=0.0)
    found = estimate(equal.sample(500, 0), "ipr", k=3, split=None)["ipr"].curve
    assert found.auc < 0.9


def test_without_a_split_few_voters_mostly_err_too_rarely() -> None:
    problem = toy("shifted-gaussians", d=2, mu=1.0)
    truth = problem.truth()
    below = 0
    for seed in range(20):
        sets = problem.sample(80, seed)
        alone, held = (
            estimate(sets, "knn", k=3, split=split, seed=seed)["knn"].curve.auc
            for split in (None, 0.5)
        )
        assert alone < held
        below += alone < truth.auc
    assert below >= 15


@pytest.mark.exhaustive
def test_cuts_chosen_afterwards_lower_the_estimate_below_the_truth() -> None:
    problem = toy("shifted-gaussians", d=2, mu=1.0)
    truth = problem.truth().alpha(1.0)
    chosen = []
    fixed = []
    for seed in range(40):
        found = estimate(problem.sample(80, seed), "knn", k=30, split=0.5, seed=seed)["knn"]
        chosen.append(found.curve.alpha(1.0))
        fit, judged = (
            np.concatenate([part.values for part in problem.sample(40, 100 + 2 * seed + place)])
            for place in (0, 1)
        )
        classes = np.repeat([0, 1], 40)
        said = KNeighborsClassifier(30).fit(fit, classes).predict(judged)
        fixed.append(2 * np.mean(said != classes))
    assert np.mean(chosen) + 0.02 < truth < np.mean(fixed)


def test_without_a_split_an_estimate_may_lie_above_the_truth() -> None:
    problem = toy("shifted-gaussians", d=2, mu=1.0)
    found = estimate(problem.sample(1000, 0), "ipr", k="sqrt", split=None)["ipr"]
    assert found.curve.auc > problem.truth().auc + 0.01


def test_samples_come_as_well_from_two_that_share_nothing() -> None:
    # even numbers are real, odd ones generated: 200 of each of 10^9 repeat none, nine times in ten
    draws = np.random.default_rng(0).integers(0, 10**9, size=(100, 2, 200))
    whole = [len(set(each[0])) == len(set(each[1])) == 200 for each in draws]
    assert np.mean(whole) > 0.9
    masses = np.repeat([[1.0, 0.0], [0.0, 1.0]], 200, axis=0) / 200
    assert discrete_curve(*masses.T).auc == 0.0


def test_with_k_fixed_the_limit_is_right_where_both_are_equal_or_share_nothing() -> None:
    even = np.full(4, 0.25)
    halves = (np.array([0.5, 0.5, 0.0, 0.0]), np.array([0.0, 0.0, 0.5, 0.5]))
    for weights in ((even, even), halves):
        problem = toy("painted", d=1, real_weights=weights[0], generated_weights=weights[1])
        assert problem.limit("knn", 5).auc == pytest.approx(problem.truth().auc, abs=1e-9)
    wrong = toy("shifted-gaussians", d=2, mu=1.0)
    assert wrong.limit("knn", 5).iou(wrong.truth()) < 0.95


def test_the_best_classifier_is_nearer_and_its_bound_lies_above() -> None:
    kept = measured.kept()
    last = kept["believed"][-1]["iou"]
    assert last[measured.BELIEVED] > last["knn"] + 0.02
    for cell in kept["bound"]:
        truth = toy("high-dimension", d=cell["d"], shift=measured.DISTANCE).truth()
        bound = drawn(cell["curves"][measured.BOUND])
        lams = np.geomspace(0.05, 20, 41)
        assert np.all(bound.alpha(lams) >= truth.alpha(lams) - 1e-3)


def test_a_cell_is_the_mean_of_prviz_s_own_estimates() -> None:
    found = measured.cell(8, 100, ("knn", "kde"), 2)
    problem = toy("high-dimension", d=8, shift=measured.DISTANCE)
    truth = problem.truth()
    for name in ("knn", "kde"):
        runs = [
            estimate(problem.sample(100, seed), name, split=0.5, seed=seed)[name].curve
            for seed in (0, 1)
        ]
        assert found["iou"][name] == pytest.approx(PRCurve.mean(runs).iou(truth), abs=1e-4)
        vertices = np.reshape(found["curves"][name], (-1, 2))
        assert np.all(np.diff(vertices[:, 0]) >= 0)
        assert np.all(np.diff(vertices[:, 1]) <= 0)


def test_more_samples_help_least_in_most_dimensions() -> None:
    left = []
    for d in measured.SOME_DIMENSIONS:
        few, many = (1 - measured.cell(d, n, ("knn",), 10)["iou"]["knn"] for n in (100, 400))
        left.append(many / few)
    assert left[-1] > max(left[:-1]) + 0.1
    assert left[-1] < 1


def test_true_ends_saturate_for_gaussians_and_vanish_for_a_point() -> None:
    for problem in (toy("shifted-gaussians", d=4, mu=2.0), toy("narrow-gaussian", d=4, sigma=0.05)):
        assert set(problem.support_masses) == {1.0}
    masses = toy("dirac", d=4).support_masses
    assert (masses.q_of_supp_p, masses.q_of_cosupp) == (1.0, 0.0)
