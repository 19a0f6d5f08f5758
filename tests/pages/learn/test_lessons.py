"""Lessons 1 to 3: the first view, the question's computed answer, the link, for several states."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest

from pages._learn import LESSONS
from prviz.curves.ground_truth import finite_masses, scaled_gaussians
from prviz.reports.settings import ExploreSettings
from prviz.toys import toy
from tests.learn_app import answer, lesson, move, payload


@pytest.mark.parametrize("name", LESSONS)
def test_every_lesson_opens_by_its_link_with_its_figure_question_and_neighbours(name: str) -> None:
    app = lesson(name)
    assert app.header[0].value == LESSONS[name].TITLE
    sent = payload(app)
    assert sent["panes"]
    assert all(pane["title"] and pane["caption"] for pane in sent["panes"])  # the alternatives in text
    assert app.radio
    names = list(LESSONS)
    shown = {button.label for button in app.button}
    for step, label in ((-1, "Back: "), (1, "Next: ")):
        place = names.index(name) + step
        assert not 0 <= place < len(names) or label + names[place] in shown


def test_next_goes_to_the_next_lesson() -> None:
    app = lesson("1 Overlap")
    next(button for button in app.button if button.label == "Next: 2 Classifier").click().run()
    assert app.header[0].value == LESSONS["2 Classifier"].TITLE


def _linked(app: object) -> ExploreSettings:
    url = next(each.proto.url for each in app.get("link_button"))  # type: ignore[attr-defined]
    settings, messages = ExploreSettings.from_query(dict(parse_qsl(urlsplit(url).query)))
    assert messages == []
    return settings


def test_the_overlap_lesson_computes_its_answer_from_the_sliders() -> None:
    app = lesson("1 Overlap")
    key = "lesson-overlap"
    said = answer(app, key)
    assert "Recall loses more" in said  # a safe generator
    assert f"{scaled_gaussians(0.4, 1, distance=1.0).beta(0.1):.3f}" in said
    move(app, key, shift=0.0, scale=3.0)
    assert not [box.value for box in app.success]  # covered again
    said = answer(app, key)
    assert "Neither loses" in said or "Precision loses more" in said or "Recall loses more" in said
    after, before = scaled_gaussians(1.5, 1), scaled_gaussians(3.0, 1)
    assert f"{before.alpha(10.0):.3f} to {after.alpha(10.0):.3f}" in said
    settings = _linked(app)
    assert toy(settings.problem, **settings.parameters).truth().iou(before) == 1


def test_the_classifier_lesson_says_which_error_is_larger() -> None:
    app = lesson("2 Classifier")
    key = "lesson-classifier"
    assert "Both errors are equal" in answer(app, key)
    move(app, key, shift=1.0, scale=0.3)
    fpr, fnr = (curve := scaled_gaussians(0.3, 1, distance=1.0)).vertices[curve.vertex_at(1.0)]
    said = answer(app, key)
    assert ("More real" if fpr > fnr else "More generated") in said
    assert f"{fpr + fnr:.3f}" in said


@pytest.mark.parametrize("view", ["error", "roc", "collapse"])
def test_the_classifier_lesson_draws_its_errors_in_three_ways(view: str) -> None:
    app = lesson("2 Classifier")
    app.segmented_control(key="lesson-view").set_value(view).run()
    pane = payload(app)["panes"][1]
    assert pane["follow"] == view
    assert pane["caption"]


def test_the_modes_lesson_follows_bars_and_presets() -> None:
    app = lesson("3 Modes")
    key = "lesson-modes"
    p, q = (0.2, 0.2, 0.6, 0.0), (0.0, 0.5, 0.0, 0.4)
    assert f"**{finite_masses(p, q).extreme_recall:.0%}**" in answer(app, key)
    move(app, key, p=[0.5, 0.3, 0.2, 0.0], q=[0.5, 0.25, 0.25, 0.0], spread=1.5)
    assert "**50%**" in answer(app, key)
    settings = _linked(app)
    np.testing.assert_allclose(settings.parameters["means"], np.divide([-6, -2, 2, 6], 1.5), atol=1e-4)
    app.button(key="modes.Perfect").click().run()
    bars = {control["id"]: control["value"] for control in payload(app)["controls"]}
    assert bars["p"] == bars["q"] == [0.25] * 4
    assert len(payload(app)["curves"][1]["vertices"]) == 2  # P = Q


def test_a_generator_of_one_mode_alone_has_no_question() -> None:
    app = lesson("3 Modes")
    move(app, "lesson-modes", p=[1.0, 0.0, 0.0, 0.0], q=[1.0, 0.0, 0.0, 0.0])
    assert not app.radio
    assert "another mode" in app.info[0].value
