"""Explore's approximate mode: off by default, labelled wherever it shows, and whole in everything
taken away.
"""

from __future__ import annotations

import json
import re
import runpy
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

import prviz
from pages._explore import approximate
from pages._explore.session import COLOUR, PANEL_TAB
from pages._shared import uploads
from prviz.estimators import DEFAULT_METHODS
from prviz.live import problems, results
from prviz.live.explorer import Explorer
from prviz.reports.settings import ExploreSettings
from tests.browser import visit, wait_idle
from tests.explore_app import (
    about,
    ask,
    figures,
    healthy,
    last_word,
    move,
    opened,
    payload,
    question,
    vertices,
)
from tests.file_builders import npy
from tests.pages.explore.test_explore_browser import saved, slider
from tests.waiting import until

ON = {"approximate": "yes", "n": "300", "p.d": "4"}


def words(app: AppTest) -> str:
    """The label above the figure, "" where there is none."""
    return (
        "".join(str(each.value) for each in app.markdown if "approximate" in str(each.value))
        .replace("\\", "")
        .replace("\u00a0", " ")
    )


def final(**query: str) -> AppTest:
    app = opened(**{**ON, **query})
    last_word(app)
    return app


def direct(app: AppTest, **options: Any) -> prviz.Approximation:
    """The curves on screen, computed by the library alone."""
    settings, _ = ExploreSettings.from_query(dict(app.query_params))
    pair = prviz.toy("mixtures", d=4).sample(settings.n, seed=0)
    return prviz.approximate(*pair, settings.methods, **options)


def names(app: AppTest) -> list[str]:
    """The names of the main figure's lines, the truth left out."""
    names = [trace["name"] for trace in payload(app)["panes"][0]["figure"]["data"]]
    return [name for name in names if name != "truth"]


@pytest.mark.exhaustive
def test_it_is_off_until_it_is_switched_on_and_then_labelled_everywhere() -> None:
    app = opened(n="300", **{"p.d": "4"})
    last_word(app)
    exact = vertices(app)
    assert app.toggle(key="approximate").value is False
    assert "approximate" not in app.query_params
    assert "approximate" not in json.dumps(payload(app))
    app.toggle(key="approximate").set_value(True).run()
    healthy(app)
    last_word(app)
    found = direct(app)
    assert words(app).endswith(f"{found.label}.")
    assert vertices(app) == {
        "truth": exact["truth"],
        **{name: each.curve.vertices.round(9).tolist() for name, each in found.estimates.items()},
    }
    assert len(names(app)) == 4
    assert all(name.endswith(", approximate") for name in names(app))
    assert "approximate" in payload(app)["table"]["caption"]
    app.toggle(key="approximate").set_value(False).run()
    assert vertices(app) == exact
    assert "approximate" not in words(app)


def test_before_it_is_measured_a_word_stands_in_the_place_of_the_label() -> None:
    app = opened(**{**ON, "n": "1000"})
    assert payload(app)["coarse"]
    assert approximate.PENDING in words(app)
    assert not any("approximate" in name for name in names(app))
    last_word(app)
    assert "lists hold" in words(app)


@pytest.mark.exhaustive
def test_it_is_one_measurement_and_no_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "make_profile", lambda *given: pytest.fail("a profile"))
    app = final(repeats="5")
    assert "repeats" not in {control["id"] for control in payload(app)["controls"]}
    assert "repeats" not in app.query_params
    assert not payload(app)["more"]
    assert "frames" not in [each["kind"] for each in ask(app)]
    first = vertices(app)
    move(app, k=3)
    last_word(app)
    assert vertices(app)["knn"] != first["knn"]
    assert words(app).endswith(f"{direct(app, k=3).label}.")


@pytest.mark.exhaustive
def test_frames_of_exact_curves_are_never_taken_for_approximate_ones() -> None:
    app = opened(n="300", **{"p.d": "4"})
    last_word(app)
    (exact,) = [each["id"] for each in ask(app) if each["kind"] == "frames"]
    app.toggle(key="approximate").set_value(True).run()
    last_word(app)
    assert payload(app)["frames"] != exact


def test_a_link_restores_it_and_a_wrong_word_in_it_is_told() -> None:
    app = final(k="5", bandwidth="1.2", split="none")
    again = opened(**app.query_params)
    last_word(again)
    assert again.toggle(key="approximate").value is True
    assert vertices(again) == vertices(app)
    assert again.query_params == app.query_params
    assert "expected yes or no" in opened(n="100", approximate="maybe").warning[0].value


@pytest.mark.exhaustive
def test_hub_is_left_out_with_a_note() -> None:
    app = final(methods="knn,hub")
    assert app.info[0].value == "Hub iPR can't be approximated and is left out."
    assert list(vertices(app)) == ["truth", "knn"]
    app.toggle(key="approximate").set_value(False).run()
    healthy(app)
    last_word(app)
    assert list(vertices(app)) == ["truth", "knn", "hub"]
    assert not app.info
    alone = final(methods="hub")
    assert "the usual four are shown" in alone.info[0].value
    assert list(vertices(alone)) == ["truth", *DEFAULT_METHODS]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "query",
    [
        {"split": "none", "repeats": "3"},
        pytest.param({"k": "4", "bandwidth": "1.3", "seed": "2"}, marks=pytest.mark.exhaustive),
    ],
)
def test_the_snippet_repeats_the_screen(tmp_path: Path, query: dict[str, str]) -> None:
    app = final(**query)
    app.session_state["export"] = app.session_state["export-python"] = True
    app.run()
    (snippet,) = [code.value for code in app.code if "import prviz" in code.value]
    (tmp_path / "repeat.py").write_text(snippet)
    found = runpy.run_path(str(tmp_path / "repeat.py"))
    drawn = vertices(app)
    assert {name: curve.vertices.round(9).tolist() for name, curve in found["curves"].items()} == {
        name: drawn[name] for name in DEFAULT_METHODS
    }
    assert words(app).endswith(f"{found['found'].label}.")


def test_every_panel_is_approximate() -> None:
    app = opened(**ON)
    for tab in ("Space", "Extremes", "Numbers"):
        app.session_state[PANEL_TAB] = tab
        app.run()
        healthy(app)
        last_word(app)
        captions = " ".join(caption.value for caption in app.caption)
        assert "Also approximate: lists hold" in captions, tab
    assert (
        "Approximate curves are measured at one k at a time." in payload(app)["controls"][0]["help"]
    )


def uploaded(real: np.ndarray, generated: np.ndarray, **query: str) -> AppTest:
    app = opened(n="100", **query)
    app.segmented_control(key="source").set_value("upload").run()
    for role, values in (("real", real), ("generated", generated)):
        app.file_uploader(key=f"upload-{role}").upload(f"{role}.npy", npy(values)).run()
        healthy(app)
    last_word(app)
    return app


@pytest.mark.exhaustive
def test_all_rows_of_a_large_file_are_used_and_the_samples_shown_are_those_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(0)
    monkeypatch.setattr(uploads, "default_rows", lambda *sizes: 90)
    values = rng.normal(size=(700, 3)), rng.normal(size=(600, 3))
    assert "90 real" in about(uploaded(*values))
    measure = results.approximate
    monkeypatch.setattr(
        results, "approximate", lambda *pair, **options: measure(*pair, evaluate=50, **options)
    )
    app = uploaded(*values, approximate="yes")
    app.session_state[PANEL_TAB] = "Space"
    app.run()
    assert "700 real and 600 generated" in about(app)
    assert "on 50 samples per set" in words(app)
    app.segmented_control(key=COLOUR).set_value("Decision").run()
    last_word(app)
    sent = [json.loads(each.proto.bytes) for each in figures(app)[1:]]
    drawn = next(
        each for each in sent if each["panes"] and each["panes"][0]["id"] == "samples-decision"
    )
    kept, missed, accepted, rejected = (
        trace["hovertext"] for trace in drawn["panes"][0]["figure"]["data"]
    )
    shown = (kept + missed, accepted + rejected)
    split = prviz.SamplePair(*values).split(0.5)
    rows = prviz.approximate(*values, evaluate=50).estimates["knn"].supports.rows
    assert rows is not None
    for said, places, evaluated in zip(
        shown, (rows[:50], rows[50:] - 350), split.evaluate_rows, strict=True
    ):
        assert sorted(said) == sorted(f"row {row + 1}" for row in evaluated[places])


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("real", "generated"),
    [
        (np.zeros((40, 3)), np.zeros((30, 3))),
        pytest.param(
            np.zeros((40, 3)),
            np.random.default_rng(0).normal(size=(30, 3)),
            marks=pytest.mark.exhaustive,
        ),
        pytest.param(
            np.arange(10.0)[:, None], np.arange(10.0)[:, None] + 4, marks=pytest.mark.exhaustive
        ),
        (np.random.default_rng(0).normal(size=(30, 2)) * 1e150, np.ones((30, 2))),
    ],
)
def test_strange_files_give_curves_or_a_message(real: np.ndarray, generated: np.ndarray) -> None:
    app = uploaded(real, generated, approximate="yes")
    assert set(vertices(app)) == set(DEFAULT_METHODS)
    assert "approximate" in words(app)
    move(app, bandwidth=1.5, k=2)
    last_word(app)
    assert not app.exception


@pytest.mark.parametrize("split", ["none", "0.05", "0.95"])
def test_very_few_samples(split: str) -> None:
    app = opened(problem="identical", n="10", split=split, k="500", approximate="yes")
    last_word(app)
    assert "lists hold" in words(app)


def test_a_refusal_is_told_and_the_drawing_before_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    app = final()
    first = vertices(app)

    def refuse(*given: object, **options: object) -> None:
        raise ValueError("raise memory_limit")

    monkeypatch.setattr(results, "approximate", refuse)
    move(app, seed=4)
    last_word(app)
    assert "raise memory" in app.info[0].value
    assert vertices(app) == first
    assert payload(app)["stale"]
    assert "lists hold" in words(app)


def test_stop_ends_it_within_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks: list[int] = []
    go = threading.Event()

    def slow(*pair: object, progress: Any, **options: object) -> None:
        while not go.is_set():
            ticks.append(1)
            progress(0.5)
            go.wait(0.002)

    app = final()
    monkeypatch.setattr(results, "approximate", slow)
    explorer = Explorer(app.session_state["_Session"].stopped)
    explorer.ask(question(app, lambda line: None, {"seed": 4}))
    until(lambda: ticks, 30)
    explorer.stop()
    until(lambda: not explorer._working, 30)
    go.set()
    app.run()
    assert "Stopped" in app.info[0].value


def test_json_says_what_was_approximate() -> None:
    settings = ExploreSettings(n=200, parameters={"d": 3}, methods=("knn",), approximate=True)
    problem = problems.problem_of(settings)
    found = results.measure(problem)
    assert found.approximation is not None
    text = prviz.reports.export.to_json(
        found.estimates,
        pair=problem.pair,
        settings=settings,
        curves=found.curves,
        approximation=found.approximation,
    )
    assert json.loads(text)["approximate"]["label"] == found.approximation.label
    assert json.loads(text)["settings"]["approximate"] is True


# ---- in a browser ----


@pytest.mark.exhaustive
def test_the_toggle_labels_the_figure_and_every_file(page: Page, tmp_path: Path) -> None:
    visit(page, "/?n=400&p.d=4")
    page.wait_for_function("() => window.__prviz?.frames.size > 0")
    wait_idle(page)
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_text("Approximate neighbour lists").click()
    label = page.get_by_text(
        re.compile(
            r"^\W*\w*\s*approximate: lists hold \d+\s% of the true neighbours; curves within"
        )
    )
    expect(label.first).to_be_visible()
    page.wait_for_url(re.compile("approximate=yes"))
    slider(page, "Neighbours k").press("ArrowRight")  # Python answers
    page.wait_for_url(re.compile(r"[?&]k=\d+(&|$)"))
    expect(page.locator("[data-prviz=iou-row]")).to_have_count(4)
    wait_idle(page)
    page.get_by_role("button", name="Export").click()
    document = json.loads(saved(page, "Everything as JSON", tmp_path).read_text())
    assert document["approximate"]["label"].startswith("approximate: lists hold")
    assert '"knn (approximate)"' in saved(page, "Curves as CSV", tmp_path).read_text()
    assert '"knn (approximate)"' in saved(page, "Table as CSV", tmp_path).read_text()
    html = saved(page, "HTML", tmp_path).read_text()
    assert document["approximate"]["label"] in html
    assert re.search(r"kNN, IoU 0\.\d\d, approximate", html)
