"""Explore with families that are fitted: no slider moves them, and some need a split."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

import prviz
from pages._explore.session import PANEL_TAB
from prviz.live.state import PANELS
from tests.browser import wait_idle
from tests.explore_app import healthy, last_word, move, opened, payload, vertices
from tests.marks import exhaustive_but
from tests.pages.explore.test_explore_browser import slider
from tests.pages.live.test_live_browser import PATH, at_stop, drawn, followed, settled

SMALL = {"problem": "shifted-gaussians", "p.d": "3", "n": "200"}
FITTED = "cluster,classifier,classifier-boosting,classifier-mlp"


def python_vertices(name: str, split: float | None = 0.5) -> list:
    pair = prviz.toy("shifted-gaussians", d=3).sample(200, 0)
    return prviz.pr_curve(*pair, name, split=split).vertices.round(9).tolist()


@pytest.mark.parametrize("methods", exhaustive_but((f"knn,{FITTED}", "cluster"), "cluster"))
def test_they_are_drawn_as_python_has_them_and_stay_at_every_k(methods) -> None:
    app = opened(methods=methods, **SMALL)
    last_word(app)
    names = methods.split(",")
    before = vertices(app)
    assert list(before) == ["truth", *names]
    for name in names:
        assert before[name] == python_vertices(name), name
    move(app, k=9)
    last_word(app)
    after = vertices(app)
    for name in FITTED.split(","):
        assert after.get(name) == before.get(name)
    assert ("knn" not in names) or after["knn"] != before["knn"]


def test_the_spread_over_the_clusterings_is_a_band() -> None:
    app = opened(methods="cluster,classifier", **SMALL)
    last_word(app)
    pr = next(pane for pane in payload(app)["panes"] if pane["id"] == "pr")
    assert [trace["legendgroup"] for trace in pr["figure"]["data"] if trace.get("fill")] == [
        "cluster"
    ]


@pytest.mark.exhaustive
def test_without_a_split_classifiers_are_left_out_with_a_note() -> None:
    app = opened(methods="knn,cluster,classifier,classifier-mlp", split="none", **SMALL)
    last_word(app)
    assert list(vertices(app)) == ["truth", "knn", "cluster"]
    assert vertices(app)["cluster"] == python_vertices("cluster", None)
    note = (
        "Linear classifiers and MLP can only be measured on samples held out by a split and are"
        " left out."
    )
    assert [info.value for info in app.info][:1] == [note]
    alone = opened(methods="classifier", split="none", **SMALL)
    last_word(alone)
    assert list(vertices(alone)) == ["truth", "knn", "kde", "ipr", "coverage"]
    assert alone.info[0].value.endswith("the usual four are shown until another family is chosen.")


@pytest.mark.exhaustive
@pytest.mark.parametrize("methods", ["cluster,classifier", "knn,kde,cluster,classifier"])
def test_every_tab_knows_them(methods) -> None:
    app = opened(methods=methods, **SMALL)
    last_word(app)
    for tab in PANELS:
        app.session_state[PANEL_TAB] = tab
        app.run()
        last_word(app)
        app.run()
        healthy(app)


@pytest.mark.exhaustive
def test_the_browser_leaves_them_and_their_band_where_they_are(page) -> None:
    figure = followed(page, f"{PATH}&methods=knn,cluster,classifier")
    revision = figure.get_attribute("data-revision")
    first = drawn(page)
    for _ in range(7):
        slider(page, "Neighbours k").press("ArrowRight")
    at_stop(figure, r"^(?!5\|)")
    settled(figure)
    local = drawn(page)
    band = next(trace for trace in local[0]["traces"] if "mean ± σ" in trace["name"])
    assert len(band["x"]) > 100
    assert band == next(trace for trace in first[0]["traces"] if trace["name"] == band["name"])
    assert local != first
    expect(figure).not_to_have_attribute("data-revision", revision or "")  # Python has answered
    wait_idle(page)
    assert drawn(page) == local
