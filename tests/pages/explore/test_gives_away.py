"""The panel "What gives it away": features with both distributions, areas, samples, and the
features left out.
"""

from __future__ import annotations

import html
import json
import re

import numpy as np
import pytest
from playwright.sync_api import Page
from streamlit.testing.v1 import AppTest

import prviz
from pages._explore.session import PANEL_TAB
from prviz.diagnostics.witness import GIVES_AWAY
from prviz.live.state import PANELS
from tests.explore_app import healthy, last_word, opened
from tests.pages.explore.test_space import explorer

NAME = "diffusion-e300"
N = 300


@pytest.fixture(scope="module")
def app() -> AppTest:
    started = opened(source="bundled", problem=NAME, n=str(N), methods="knn", panel=PANELS[-1])
    last_word(started)
    return started


def panel(app: AppTest) -> str:
    """The panel's HTML as text."""
    parts = [each.proto.body for each in app.get("html") if 'class="away"' in each.proto.body]
    assert not any(re.search(r"\d %", each) for each in parts)
    return " ".join(parts).replace("\u00a0", " ")


@pytest.mark.exhaustive
def test_the_panel_shows_what_python_says(app: AppTest) -> None:
    assert PANELS[-1] == GIVES_AWAY
    pair = app.session_state["_Session"].shown.problem.pair
    found = prviz.witness(pair)
    shown = html.unescape(panel(app)).replace("\xa0", " ")  # "column 2" does not break
    for each in found.named:
        assert f"<b>{each.name}</b>" in shown
        assert each.sentence in shown
    assert found.named[0].name.endswith("pixels")  # paper that is not blank
    assert shown.count("data:image/svg+xml") == len(found.named)
    assert f"<b>{found.area:.2f}</b>" in shown
    assert [each.words for each in found.remedies] == [
        "without these 29",
        "values up to 2 of 16 set to 0",
    ]
    for each in found.remedies:
        remark = "" if each.helps else ": does not help"
        assert f"<span>{each.words}{remark}</span>" in shown
        assert f"<b>{each.area:.2f}</b>" in shown
    numbers = app.session_state["_Session"].shown.problem.rows()
    for place, rows in ((1, found.most_generated), (0, found.most_missing)):
        for row in rows[:4]:
            assert f"sample, row {int(numbers[place][row]) + 1:,}" in shown


@pytest.mark.exhaustive
def test_downloads_have_what_the_panel_says(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[str, str] = {}
    monkeypatch.setattr(
        "streamlit.download_button", lambda label, make, *_, **__: made.update({label: make()})
    )
    app.session_state["export"] = True
    app.run()
    healthy(app)
    app.session_state["export"] = False
    app.run()
    kept = json.loads(made["Everything as JSON"])["witness"]
    assert kept == prviz.witness(app.session_state["_Session"].shown.problem.pair).entry()
    assert html.escape(kept["statements"][-1]) in made["HTML"]


@pytest.mark.exhaustive
def test_the_most_telling_samples_are_found_in_space(app: AppTest) -> None:
    problem = app.session_state["_Session"].shown.problem
    found = prviz.witness(problem.pair, without=False)
    app.button(key="find-samples").click().run()
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
    app.session_state[PANEL_TAB] = PANELS[-1]
    app.run()
    last_word(app)


@pytest.mark.exhaustive
def test_features_are_left_out_and_taken_back(app: AppTest) -> None:
    before = app.session_state["_Session"].shown.problem.pair
    named = prviz.witness(before, without=False)
    app.button(key="leave-out").click().run()
    last_word(app)
    problem = app.session_state["_Session"].shown.problem
    assert problem.sizes[2] == before.d - len(named.columns)
    kept = np.setdiff1d(np.arange(before.d), named.columns)
    assert (problem.pair.generated.values == before.generated.values[:, kept]).all()
    assert problem.pair.real.features[0].startswith("pixel in row 1, column ")
    app.button(key="take-back").click().run()
    last_word(app)
    healthy(app)
    assert app.session_state["_Session"].shown.problem.pair.digest == before.digest


@pytest.mark.exhaustive
@pytest.mark.parametrize("named", [True, False])
def test_features_of_files_in_the_fields_are_left_out_and_taken_back(*, named: bool) -> None:
    rng = np.random.default_rng(0)
    app = opened(n="300", methods="knn", panel=PANELS[-1])
    app.segmented_control(key="source").set_value("upload").run()
    for role, shift in (("real", 0), ("generated", 2)):
        values = rng.normal(size=(300, 4))
        values[:, 2] += shift
        text = "\n".join(",".join(map("{:.4f}".format, row)) for row in values)
        header = "a,b,c,e\n" if named else ""
        app.file_uploader(key=f"upload-{role}").upload(f"{role}.csv", (header + text).encode())
        app.run()
    last_word(app)
    app.button(key="leave-out").click().run()
    last_word(app)
    features = app.session_state["_Session"].shown.problem.pair.real.features
    assert features == (("a", "b", "e") if named else ("feature 1", "feature 2", "feature 4"))
    app.button(key="take-back").click().run()
    last_word(app)
    healthy(app)
    assert app.session_state["_Session"].shown.problem.sizes[2] == 4


@pytest.mark.exhaustive
def test_the_panel_comes_whole_though_it_waits_twice_in_one_answer(page: Page) -> None:
    page.goto(f"/?problem=modes&methods=knn&n=500&panel={GIVES_AWAY.replace(' ', '+')}")
    page.locator(".away .area").first.wait_for()
    assert page.locator(".away .feature img").count() == page.locator(".away .feature").count() > 0
    box = page.locator(".away").first.bounding_box()
    assert box is not None
    for each in page.locator(".away .feature > *, .away .area").all():
        inner = each.bounding_box()
        assert inner is not None
        assert (
            box["x"] - 1 <= inner["x"] <= inner["x"] + inner["width"] <= box["x"] + box["width"] + 1
        )
