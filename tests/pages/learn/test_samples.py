"""Lesson 4: the votes of neighbours on a small sample, with and without a split."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest

from pages._learn import samples
from pages._learn.samples import KS, MembersRequest
from prviz.diagnostics.confusion_groups import NO_SUPPORT
from prviz.estimators import DEFAULT_METHODS
from prviz.measure.estimates import estimate
from prviz.toys import toy
from tests.explore_app import healthy, opened, vertices
from tests.lesson_app import drawn, hand, lesson, links, uncovered, verdict

KEY = samples.KEY


def curve(app, method: str) -> list:
    return next(each["vertices"] for each in drawn(app)["curves"] if each["id"] == method)


def directly(method: str, k: int, split: float | None, seed: int = 0):
    pair = toy("shifted-gaussians", d=2, mu=1.0).sample(80, seed)
    return estimate(pair, method, k=k, split=split, seed=seed)[method].curve


def test_the_lesson_opens_on_knn_with_its_curve_and_a_question() -> None:
    app = lesson("4 Samples")
    assert app.header[0].value == samples.TITLE
    np.testing.assert_allclose(curve(app, "knn"), directly("knn", 5, 0.5).vertices, atol=1e-9)
    assert [pane["id"] for pane in drawn(app)["panes"]] == ["plane", "pr"]
    assert len(drawn(app)["model"]["constants"]["at"]) == len(KS)
    assert app.radio[0].options == [samples.ABOVE, samples.BELOW, samples.EVEN]
    assert uncovered(app)
    app.toggle[0].set_value(False).run()
    np.testing.assert_allclose(curve(app, "knn"), directly("knn", 5, None).vertices, atol=1e-9)
    next(button for button in app.button if button.label == "Resample").click().run()
    np.testing.assert_allclose(curve(app, "knn"), directly("knn", 5, None, seed=1).vertices, atol=1e-9)


def compared(method: str, k: int) -> float:
    """How much more area lies under the curve without split than under that with one."""
    found = directly(method, k, None).compare(directly(method, k, 0.5))
    return found.excess - found.deficit


@pytest.mark.parametrize("k", [1, 25])
def test_the_verdict_is_that_of_this_sample(k: int) -> None:
    app = hand(lesson("4 Samples"), KEY, k=k)
    assert any(f"at k = {k} with a split" in each.value for each in app.markdown)
    difference = compared("knn", k)
    expected = samples.ABOVE if difference > 0.05 else samples.BELOW if difference < -0.05 else samples.EVEN
    assert verdict(app, expected).startswith(f"Right: **{expected}**")
    hand(app, KEY, k=3)
    assert uncovered(app)  # another state: predict again


def test_verdicts_differ_between_states() -> None:
    assert compared("knn", 1) < -0.05 < 0.05 < compared("coverage", 30)


def test_the_link_leads_to_the_same_curve_in_explore() -> None:
    app = hand(lesson("4 Samples"), KEY, k=8)
    app.toggle[0].set_value(False).run()
    explore = opened(**dict(parse_qsl(urlsplit(links(app)[0]).query)))
    np.testing.assert_allclose(vertices(explore)["knn"], curve(app, "knn"), atol=1e-9)


@pytest.mark.parametrize("split", [0.5, None])
@pytest.mark.parametrize("method", DEFAULT_METHODS)
def test_what_the_browser_is_given_makes_the_errors_and_the_view_of_python(method: str, split: float | None) -> None:
    found = samples.measured(MembersRequest(method, split, 2))
    told = samples.constants(found, "")
    real = np.array(told["points"]["real"], dtype=bool)
    np.testing.assert_array_equal(real, found.is_real)
    assert np.all(np.diff(found.points.sum(axis=1)) >= 0)
    for at, sent in zip(found.stops, told["at"], strict=True):
        expected = directly(method, at.k, split, seed=2)
        np.testing.assert_array_equal(at.curve.vertices, expected.vertices)
        level = np.array(sent["levels"])
        for j, (fpr, fnr) in enumerate(expected.vertices):
            called = np.where(level == NO_SUPPORT, sent["unsupported"][j], level >= sent["needed"][j])
            assert (np.mean(~called[real]), np.mean(called[~real])) == (fpr, fnr)
    at, sent, point, lam = found.stops[4], told["at"][4], 7, 0.7
    view, place = samples.view(found, at, point, lam), at.curve.vertex_at(lam)
    plane = np.array(sent["plane"])
    np.testing.assert_array_equal(view.calls, np.where(plane == NO_SUPPORT, -1, plane >= sent["needed"][place]))
    assert [len(side) for side in view.voters] == [len(side) for side in sent["votes"][point]]
    missed, accepted = at.curve.vertices[place] * [real.sum(), (~real).sum()]
    assert len(view.wrong) == round(missed + accepted)
    own = np.array(told["points"]["own"])
    assert np.all(own == -1) if split else np.array_equal(found.split.fit.real.values[own[real]], found.points[real])


def test_the_voter_itself_is_among_the_voters_without_a_split_only() -> None:
    found = samples.measured(MembersRequest("ipr", None, 0))
    for at in found.stops:
        for point, own, real in zip(found.order, found.own, found.is_real, strict=True):
            assert own in (at.votes.real if real else at.votes.generated)[point]


@pytest.mark.parametrize("k", [1, 30])
def test_more_samples_at_the_same_k_lead_to_the_limit(k: int) -> None:
    app = hand(lesson("4 Samples"), KEY, k=k)
    problem = toy("shifted-gaussians", **samples.PARAMETERS)
    end = problem.limit("knn", k).iou(problem.truth())
    answer = samples.NO_CLOSER if k == 1 else samples.BETWEEN if end < 0.95 else samples.ON_TRUTH
    app.radio[1].set_value(answer).run()
    [button for button in app.button if button.label == "Reveal"][1].click().run()
    healthy(app)
    assert app.success[0].value.startswith(f"Right: **{answer}**")
    assert f"{end:.2f} with infinitely many samples" in app.success[0].value
    assert len(app.radio) == 2
    app.toggle[0].set_value(False).run()
    assert len(app.radio) == 1
