"""The steps as data, and what Python measures for them."""

from __future__ import annotations

import json
import re
from collections import Counter

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages._learn import course
from pages._learn.steps import LESSONS, STEPS, payload
from prviz.curves import PRCurve
from prviz.measure.estimates import estimate
from prviz.toys import toy
from tests.explore_app import APP, healthy
from tests.line import measure
from tests.waiting import until

WORDS = 60
# The words around the texts of a step.
AROUND = len(["1", "of", "7", "One", "number", "Back", "Next"])


def test_lessons_come_in_order_and_every_step_has_its_own_id() -> None:
    found = payload()
    assert list(Counter(step["lesson"] for step in found)) == list(LESSONS)
    assert len({step["id"] for step in found}) == len(found)
    assert json.loads(json.dumps(found)) == json.loads(json.dumps(found))


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


def sent(app: AppTest) -> dict:
    contents = [json.loads(each.proto.bytes) for each in app.get("bidi_component")]
    return next(each for each in contents if "measured" in each)


def test_the_page_measures_what_the_browser_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    course.shared.clear()
    monkeypatch.setattr(course, "KS", (1, 5))
    app = AppTest.from_file(APP, default_timeout=60)
    app.switch_page("pages/learn.py").run()
    healthy(app)
    assert app.title[0].value == "Learn"
    assert set(sent(app)["measured"]) == {"names", "colors"}  # the first drawing waits for nothing

    def asked() -> bool:
        app.session_state["course"] = {"wish": ["limits", "__import__", 7]}
        measure(app)
        app.run()
        healthy(app)
        return "limits" in sent(app)["measured"]

    until(asked)
    found = sent(app)["measured"]
    assert set(found) == {"names", "colors", "limits"}
    assert found["limits"].keys() == {"1", "5"}
    course.shared.clear()


def test_a_cell_is_the_mean_of_prviz_s_own_estimates() -> None:
    found = course.cell(8, 100, ("knn", "kde"), 2)
    problem = toy("high-dimension", d=8, shift=course.DISTANCE)
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
    for d in course.SOME_DIMENSIONS:
        few, many = (1 - course.cell(d, n, ("knn",), 10)["iou"]["knn"] for n in (100, 400))
        left.append(many / few)
    assert left[-1] > max(left[:-1]) + 0.1
    assert left[-1] < 1


def test_true_ends_saturate_for_gaussians_and_vanish_for_a_point() -> None:
    for problem in (toy("shifted-gaussians", d=4, mu=2.0), toy("narrow-gaussian", d=4, sigma=0.05)):
        assert set(problem.support_masses) == {1.0}
    masses = toy("dirac", d=4).support_masses
    assert (masses.q_of_supp_p, masses.q_of_cosupp) == (1.0, 0.0)
