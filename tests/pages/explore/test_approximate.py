"""Explore's approximate mode: off by default, labelled wherever it shows, and whole in everything
taken away.
"""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import prviz
from pages._explore import approximate
from pages._explore.session import COLOUR
from pages._shared import uploads
from prviz.estimators import DEFAULT_METHODS
from prviz.live import results
from prviz.reports.settings import ExploreSettings
from tests.explore_app import (
    about,
    ask,
    at_panel,
    choose,
    exported,
    last_word,
    measured,
    move,
    normal,
    opened,
    panes,
    payload,
    said,
    uploaded,
    vertices,
)
from tests.marks import exhaustive

ON = {"approximate": "yes", "n": "300", "p.d": "4"}


def words(app: AppTest) -> str:
    """The label above the figure, "" where there is none."""
    return (
        "".join(str(each.value) for each in app.markdown if "approximate" in str(each.value))
        .replace("\\", "")
        .replace("\u00a0", " ")
    )


def final(**query: str) -> AppTest:
    return measured(**{**ON, **query})


def direct(app: AppTest, **options: Any) -> prviz.Approximation:
    """The curves on screen, computed by the library alone."""
    settings, _ = ExploreSettings.from_query(dict(app.query_params))
    pair = prviz.toy("mixtures", d=4).sample(settings.n, seed=0)
    return prviz.approximate(*pair, settings.methods, **options)


def names(app: AppTest) -> list[str]:
    """The names of the main figure's lines, the truth left out."""
    names = [trace["name"] for trace in payload(app)["panes"][0]["figure"]["data"]]
    return [name for name in names if name != "truth"]


@exhaustive
def test_it_is_off_until_it_is_switched_on_and_then_labelled_everywhere() -> None:
    app = measured(n="300", **{"p.d": "4"})
    exact = vertices(app)
    assert app.toggle(key="approximate").value is False
    assert "approximate" not in app.query_params
    assert "approximate" not in json.dumps(payload(app))
    choose(app, "approximate", True)
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
    files = exported(app)
    assert json.loads(files["Everything as JSON"])["approximate"]["label"] == found.label
    assert found.label in files["HTML"]
    assert "kNN (approximate)" in files["HTML"]
    assert re.search(r"kNN, IoU 0\.\d\d, approximate", files["HTML"])
    for table in ("Curves as CSV", "Table as CSV"):
        assert '"knn (approximate)"' in files[table]
    choose(app, "approximate", False)
    assert vertices(app) == exact
    assert "approximate" not in words(app)


def test_before_it_is_measured_a_word_stands_in_the_place_of_the_label() -> None:
    app = opened(**{**ON, "n": "1000"})
    assert payload(app)["coarse"]
    assert approximate.PENDING in words(app)
    assert not any("approximate" in name for name in names(app))
    last_word(app)
    assert "lists hold" in words(app)


@exhaustive
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


@exhaustive
def test_frames_of_exact_curves_are_never_taken_for_approximate_ones() -> None:
    app = measured(n="300", **{"p.d": "4"})
    (exact,) = [each["id"] for each in ask(app) if each["kind"] == "frames"]
    choose(app, "approximate", True)
    last_word(app)
    assert payload(app)["frames"] != exact


def test_a_link_restores_it_and_a_wrong_word_in_it_is_told() -> None:
    app = final(k="5", bandwidth="1.2", split="none")
    again = measured(**app.query_params)
    assert again.toggle(key="approximate").value is True
    assert vertices(again) == vertices(app)
    assert again.query_params == app.query_params
    assert "expected yes or no" in opened(n="100", approximate="maybe").warning[0].value


@exhaustive
def test_hub_is_left_out_with_a_note() -> None:
    app = final(methods="knn,hub")
    assert app.info[0].value == "Hub iPR can't be approximated and is left out."
    assert list(vertices(app)) == ["truth", "knn"]
    choose(app, "approximate", False)
    last_word(app)
    assert list(vertices(app)) == ["truth", "knn", "hub"]
    assert not app.info
    alone = final(methods="hub")
    assert "the usual four are shown" in alone.info[0].value
    assert list(vertices(alone)) == ["truth", *DEFAULT_METHODS]


@exhaustive
@pytest.mark.parametrize(
    "query",
    [
        {"split": "none", "repeats": "3"},
        {"k": "4", "bandwidth": "1.3", "seed": "2"},
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
        at_panel(app, tab)
        last_word(app)
        assert "Also approximate: lists hold" in said(app), tab
    assert (
        "Approximate curves are measured at one k at a time." in payload(app)["controls"][0]["help"]
    )


@exhaustive
def test_all_rows_of_a_large_file_are_used_and_the_samples_shown_are_those_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(0)
    monkeypatch.setattr(uploads, "default_rows", lambda *sizes: 90)
    values = rng.normal(size=(700, 3)), rng.normal(size=(600, 3))
    assert "90 real" in about(uploaded(*values))
    app = uploaded(*values, approximate="yes")
    measure = results.approximate
    monkeypatch.setattr(
        results, "approximate", lambda *pair, **options: measure(*pair, evaluate=50, **options)
    )
    at_panel(app, "Space")
    last_word(app)
    assert "700 real and 600 generated" in about(app)
    assert "on 50 samples per set" in words(app)
    choose(app, COLOUR, "Decision")
    last_word(app)
    drawn = panes(app)["samples-decision"]["figure"]["data"]
    kept, missed, accepted, rejected = (trace["hovertext"] for trace in drawn)
    shown = (kept + missed, accepted + rejected)
    split = prviz.SamplePair(*values).split(0.5)
    rows = prviz.approximate(*values, evaluate=50).estimates["knn"].supports.rows
    assert rows is not None
    for words_of, places, evaluated in zip(
        shown, (rows[:50], rows[50:] - 350), split.evaluate_rows, strict=True
    ):
        assert sorted(words_of) == sorted(f"row {row + 1}" for row in evaluated[places])


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("real", "generated"),
    [
        (np.zeros((40, 3)), np.zeros((30, 3))),
        (np.zeros((40, 3)), normal(0, 30, 3)),
        (np.arange(10.0)[:, None], np.arange(10.0)[:, None] + 4),
        (normal(0, 30, 2) * 1e150, np.ones((30, 2))),
    ],
)
def test_strange_files_give_curves_or_a_message(real: np.ndarray, generated: np.ndarray) -> None:
    app = uploaded(real, generated, approximate="yes")
    last_word(app)
    assert set(vertices(app)) == set(DEFAULT_METHODS)
    assert "approximate" in words(app)
    move(app, bandwidth=1.5, k=2)
    last_word(app)
    assert not app.exception


@pytest.mark.parametrize("split", ["none", "0.05", "0.95"])
def test_very_few_samples(split: str) -> None:
    app = measured(problem="identical", n="10", split=split, k="500", approximate="yes")
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
