"""The first minute of Explore: its line lies on the truth, and it is shown once, to newcomers who
follow no link.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from pages._explore import guide
from pages._learn import steps
from prviz import pr_curve
from prviz.reports.settings import FIRST_VIEW
from prviz.toys import toy
from tests.browser import COOKIE, Opener, wait_idle
from tests.explore_app import figures, load, press

TOY = toy(guide.SETTINGS.problem, **guide.SETTINGS.parameters)
SCRIPT = Path(guide.__file__).with_suffix(".js").read_text(encoding="utf-8")


def test_the_point_of_every_line_is_on_the_truth() -> None:
    _, fpr, fnr, lam = np.transpose(guide.lines())
    truth = TOY.truth()
    np.testing.assert_allclose(np.minimum(lam * fpr + fnr, 1), truth.alpha(lam), atol=1e-5)
    np.testing.assert_allclose(np.minimum(fpr + fnr / lam, 1), truth.beta(lam), atol=1e-5)


def test_the_sweep_draws_nearly_all_of_the_truth() -> None:
    lam = np.array(guide.lines())[:, 3]
    assert lam.min() < 0.01
    assert lam.max() > 100


def test_rates_of_a_line_are_those_of_samples() -> None:
    pair = TOY.sample(200_000, 0)
    along = [side.values.sum(axis=1) / np.sqrt(2) for side in pair]
    for offset, fpr, fnr, _ in guide.lines()[::110]:
        assert abs((along[0] > offset).mean() - fpr) < 0.005
        assert abs((along[1] < offset).mean() - fnr) < 0.005


def test_one_neighbour_overshoots_and_the_usual_number_is_near() -> None:
    truth = TOY.truth()
    usual = guide.content()["usual"]
    for draw in guide.content()["draws"]:
        curves = draw["curves"]
        assert curves[1]["overlap"] < 0.6 < 0.7 < curves[usual]["overlap"]
        pair = TOY.sample(guide.SETTINGS.n, draw["seed"])
        one = pr_curve(pair.real, pair.generated, "knn", k=1, split=0.5, seed=draw["seed"])
        assert one.compare(truth).excess > 0.4
        assert one.compare(truth).deficit < 0.01


def test_lam_down_gives_recall_up_gives_precision_and_the_line_moves_with_it() -> None:
    truth = TOY.truth()
    lams = np.array([1 / 8, 1, 8])
    assert (np.diff(truth.beta(lams)) < 0).all()
    assert (np.diff(truth.alpha(lams)) > 0).all()
    assert (np.diff(np.array(guide.lines())[:, 3]) > 0).all()


def test_sentences_are_short() -> None:
    block = SCRIPT.split("const SENTENCES = [")[1].split("];")[0]
    sentences = re.findall(r'"(.+)"', block)
    assert len(sentences) == 5
    assert all(len(sentence.split()) <= 14 for sentence in sentences)


def test_newcomers_see_the_steps_and_links_open_explore() -> None:
    assert figures(load()) == []
    assert figures(load(step="3")) == []
    app = load(problem="boxes")
    assert len(figures(app)) > 0
    press(app, "The first five steps again")
    assert figures(app) == []


def test_the_cookie_is_the_tests() -> None:
    assert guide.COOKIE == COOKIE


@pytest.mark.exhaustive
def test_a_skipped_guide_leaves_the_first_view(new_page: Opener) -> None:
    page = new_page(fresh=True, newcomer=True)
    page.goto("/?step=4")
    expect(page.locator(".guide")).to_have_attribute("data-step", "4")
    page.mouse.move(950, 140)  # where a row comes to be
    page.get_by_role("button", name="Skip").press("Enter")
    expect(page.locator(".row")).to_have_count(len(FIRST_VIEW.methods))
    wait_idle(page)
    expect(page.locator(".row:hover")).to_have_count(1)
    faded = page.locator(".curve-labels text[style*=opacity]")
    expect(faded).to_have_count(0)
    page.mouse.move(951, 141)
    expect(faded).not_to_have_count(0)
    assert "step" not in page.url


def test_the_colour_of_real_samples_has_the_name_that_the_course_gives_it() -> None:
    assert "Purple: how often real." in Path(steps.__file__).read_text(encoding="utf-8")
    assert "generated on the purple side" in SCRIPT
    assert "violet side" not in SCRIPT
