"""The panel "What gives it away": features with both distributions, areas, samples, and the
features left out.
"""

from __future__ import annotations

import html
import json
import re

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page
from streamlit.testing.v1 import AppTest

import prviz
from pages._explore.session import PANEL_TAB
from prviz.diagnostics.witness import GIVES_AWAY
from prviz.live.problems import Problem
from prviz.live.state import PANELS
from tests.browser import box_of
from tests.explore_app import (
    at_panel,
    exported,
    last_word,
    measured,
    normal,
    press,
    put,
    upload,
    uploads,
)
from tests.pages.explore.test_space import explorer

NAME = "diffusion-e300"
N = 300


@pytest.fixture(scope="module")
def app() -> AppTest:
    return measured(source="bundled", problem=NAME, n=str(N), methods="knn", panel=PANELS[-1])


def shown(app: AppTest) -> Problem:
    return app.session_state["_Session"].shown.problem


def panel(app: AppTest) -> str:
    """The panel's HTML as text."""
    text = " ".join(
        each.proto.body for each in app.get("html") if 'class="away"' in each.proto.body
    )
    assert not re.search(r"\d %", text)
    return text.replace("\u00a0", " ")


def test_the_panel_shows_what_python_says(app: AppTest) -> None:
    assert PANELS[-1] == GIVES_AWAY
    pair = shown(app).pair
    found = prviz.witness(pair)
    text = html.unescape(panel(app)).replace("\xa0", " ")  # "column 2" does not break
    for each in found.named:
        assert f"<b>{each.name}</b>" in text
        assert each.sentence in text
    assert found.named[0].name.endswith("pixels")  # paper that is not blank
    assert text.count("data:image/svg+xml") == len(found.named)
    assert f"<b>{found.area:.2f}</b>" in text
    assert [each.words for each in found.remedies] == [
        "without these 29",
        "values up to 2 of 16 set to 0",
    ]
    for each in found.remedies:
        remark = "" if each.helps else ": does not help"
        assert f"<span>{each.words}{remark}</span>" in text
        assert f"<b>{each.area:.2f}</b>" in text
    numbers = shown(app).rows()
    for place, rows in ((1, found.most_generated), (0, found.most_missing)):
        for row in rows[:4]:
            assert f"sample, row {int(numbers[place][row]) + 1:,}" in text


def test_downloads_have_what_the_panel_says(app: AppTest) -> None:
    made = exported(app)
    put(app, export=False)
    kept = json.loads(made["Everything as JSON"])["witness"]
    assert kept == prviz.witness(shown(app).pair).entry()
    assert html.escape(kept["statements"][-1]) in made["HTML"]


def test_the_most_telling_samples_are_found_in_space(app: AppTest) -> None:
    problem = shown(app)
    found = prviz.witness(problem.pair, without=False)
    press(app, "find-samples")
    last_word(app)
    assert app.session_state[PANEL_TAB] == PANELS[0]
    real, generated = problem.split().evaluate_rows
    chosen = explorer(app)["selected"]
    picked = [
        int(real[each]) if each < len(real) else int(generated[each - len(real)]) for each in chosen
    ]
    # of the half that is shown
    assert sorted(picked) == sorted([*found.most_generated, *found.most_missing])
    assert len(picked) == 16
    at_panel(app, PANELS[-1])
    last_word(app)


def test_features_are_left_out_and_taken_back(app: AppTest) -> None:
    before = shown(app).pair
    named = prviz.witness(before, without=False)
    press(app, "leave-out")
    last_word(app)
    problem = shown(app)
    assert problem.sizes[2] == before.d - len(named.columns)
    kept = np.setdiff1d(np.arange(before.d), named.columns)
    assert (problem.pair.generated.values == before.generated.values[:, kept]).all()
    assert problem.pair.real.features[0].startswith("pixel in row 1, column ")
    press(app, "take-back")
    last_word(app)
    assert shown(app).pair.digest == before.digest


@pytest.mark.parametrize("named", [True, False])
def test_features_of_files_in_the_fields_are_left_out_and_taken_back(*, named: bool) -> None:
    app = uploads(methods="knn", panel=PANELS[-1])
    for role, shift in (("real", 0), ("generated", 2)):
        frame = pd.DataFrame(normal(len(role), 300, 4), columns=list("abce")).round(4)
        frame["c"] += shift
        upload(app, role, f"{role}.csv", frame.to_csv(index=False, header=named).encode())
    last_word(app)
    press(app, "leave-out")
    last_word(app)
    features = shown(app).pair.real.features
    assert features == (("a", "b", "e") if named else ("feature 1", "feature 2", "feature 4"))
    press(app, "take-back")
    last_word(app)
    assert shown(app).sizes[2] == 4


def test_the_panel_comes_whole_though_it_waits_twice_in_one_answer(page: Page) -> None:
    page.goto(f"/?problem=modes&methods=knn&n=500&panel={GIVES_AWAY.replace(' ', '+')}")
    page.locator(".away .area").first.wait_for()
    assert page.locator(".away .feature img").count() == page.locator(".away .feature").count() > 0
    box = box_of(page.locator(".away").first)
    for each in page.locator(".away .feature > *, .away .area").all():
        inner = box_of(each)
        assert (
            box["x"] - 1 <= inner["x"] <= inner["x"] + inner["width"] <= box["x"] + box["width"] + 1
        )
