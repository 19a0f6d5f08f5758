"""Explore with families that are fitted: no slider moves them, and some need a split."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

import prviz
from prviz.live.state import PANELS
from tests.browser import press_often, wait_idle
from tests.explore_app import at_panel, healthy, last_word, measured, move, panes, vertices
from tests.marks import exhaustive, exhaustive_but
from tests.pages.explore.test_explore_browser import slider
from tests.pages.live.test_live_browser import PATH, at_stop, drawn, followed, settled

SMALL = {"problem": "shifted-gaussians", "p.d": "3", "n": "200"}
FITTED = "cluster,classifier,classifier-boosting,classifier-mlp"


def python_vertices(name: str, split: float | None = 0.5) -> list:
    pair = prviz.toy("shifted-gaussians", d=3).sample(200, 0)
    return prviz.pr_curve(*pair, name, split=split).vertices.round(9).tolist()


@pytest.mark.parametrize("methods", exhaustive_but((f"knn,{FITTED}", "cluster"), "cluster"))
def test_they_are_drawn_as_python_has_them_and_stay_at_every_k(methods) -> None:
    app = measured(methods=methods, **SMALL)
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
    app = measured(methods="cluster,classifier", **SMALL)
    data = panes(app)["pr"]["figure"]["data"]
    assert [trace["legendgroup"] for trace in data if trace.get("fill")] == ["cluster"]


@exhaustive
def test_without_a_split_classifiers_are_left_out_with_a_note() -> None:
    app = measured(methods="knn,cluster,classifier,classifier-mlp", split="none", **SMALL)
    assert list(vertices(app)) == ["truth", "knn", "cluster"]
    assert vertices(app)["cluster"] == python_vertices("cluster", None)
    note = (
        "Linear classifiers and MLP can only be measured on samples held out by a split and are"
        " left out."
    )
    assert [info.value for info in app.info][:1] == [note]
    alone = measured(methods="classifier", split="none", **SMALL)
    assert list(vertices(alone)) == ["truth", "knn", "kde", "ipr", "coverage"]
    assert alone.info[0].value.endswith("the usual four are shown until another family is chosen.")


@exhaustive
@pytest.mark.parametrize("methods", ["cluster,classifier", "knn,kde,cluster,classifier"])
def test_every_tab_knows_them(methods) -> None:
    app = measured(methods=methods, **SMALL)
    for tab in PANELS:
        at_panel(app, tab)
        last_word(app)
        healthy(app.run())


@exhaustive
def test_the_browser_leaves_them_and_their_band_where_they_are(page) -> None:
    figure = followed(page, f"{PATH}&methods=knn,cluster,classifier")
    revision = figure.get_attribute("data-revision")
    first = drawn(page)
    press_often(slider(page, "Neighbours k"), 7)
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
