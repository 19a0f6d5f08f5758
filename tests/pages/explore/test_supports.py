"""The maps of the panel Space, and the tails, by Streamlit's own test driver."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages._explore.session import PANEL_TAB
from prviz.curves.summaries import first_differences
from prviz.diagnostics.cosupport import class_shares, support_classes, supports_at
from prviz.measure.estimates import estimate
from prviz.toys import toy
from tests.explore_app import (
    choose,
    figures,
    healthy,
    last_word,
    measured,
    move,
    opened,
    panes,
    put,
    said,
)

TOY = {"problem": "mixtures", "n": "120"}
BUNDLED = {"source": "bundled", "problem": "rbm-epoch-30", "n": "100", "panel": "Space"}


def tab(name: str, **query: str) -> AppTest:
    app = opened(**query)
    app.session_state[PANEL_TAB] = name
    app.session_state["_ExploreSession"].enlarged = True
    healthy(app.run())
    last_word(app)
    return app


def tails(app: AppTest) -> dict[str, dict[str, Any]]:
    return {name: pane for name, pane in panes(app).items() if name.startswith("tail")}


def decoded(values: dict[str, str]) -> np.ndarray:
    """An array as Plotly sends it."""
    flat = np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"])
    return (
        flat.reshape([int(each) for each in values["shape"].split(", ")])
        if "shape" in values
        else flat
    )


def space(colour: str, *, enlarged: bool = False, selects: bool = False, **query: str) -> AppTest:
    """The panel Space with these colours; over the page, or with a sample selected."""
    app = measured(**query)
    app.session_state["_ExploreSession"].enlarged = enlarged
    choose(app, "space-colour", colour)
    last_word(app)
    if selects:
        of = next(found["explorer"]["of"] for found in figures(app) if found.get("explorer"))
        put(app, samples={"values": {"of": of, "picked": [3]}})
        last_word(app)
    return app


def maps(app: AppTest) -> dict[str, dict[str, Any]]:
    return {name: pane for name, pane in panes(app).items() if "cosupport" in name}


def masses(app: AppTest) -> dict[str, Any]:
    return next(
        found["table"]
        for found in figures(app)
        if found["table"] and not found["rows"] and not found["panes"]
    )


def family(app: AppTest, name: str) -> AppTest:
    choose(app, "lambda-method", name)
    last_word(app)
    return app


@pytest.mark.parametrize(
    ("enlarged", "families"), [(True, ["kNN", "KDE", "iPR", "Coverage"]), (False, ["iPR"])]
)
def test_on_the_line_families_are_bands_below_the_truth(
    enlarged: bool, families: list[str]
) -> None:
    app = family(space("Map", enlarged=enlarged, **TOY, **{"p.d": "1"}), "ipr")
    figure = maps(app)["cosupport-line"]["figure"]
    labels = figure["layout"]["yaxis"]["ticktext"]
    assert labels == ["truth", *families, "real samples", "generated ones"]
    bands = decoded(figure["data"][0]["z"])[::2]
    assert set(bands[0]) == {3}
    axis = decoded(figure["data"][0]["x"])[:, None]
    split = toy("mixtures", d=1).sample(120, 0).split(0.5, 0)
    found = bands[labels.index("iPR")]
    np.testing.assert_array_equal(found, support_classes(*supports_at(split, axis, "ipr")["ipr"]))


def test_in_the_plane_the_family_in_focus_brings_its_balls_and_k_its_map() -> None:
    app = space("Map", **TOY, **{"p.d": "2"})
    assert list(maps(app)) == ["cosupport-knn"]
    family(app, "truth")
    assert not any(
        "balls" in trace.get("name", "")
        for trace in maps(app)["cosupport-truth"]["figure"]["data"][1:]
    )
    family(app, "ipr")
    app.session_state["_ExploreSession"].enlarged = True
    app.run()
    last_word(app)
    assert list(maps(app)) == [
        f"cosupport-{name}" for name in ("truth", "knn", "kde", "ipr", "coverage")
    ]
    before = maps(app)["cosupport-ipr"]["figure"]["data"]
    assert [trace["name"] for trace in before if "balls" in trace.get("name", "")] == [
        "support of P: 40 of 60 balls",
        "support of Q: 40 of 60 balls",
    ]
    move(app, k=2)
    last_word(app)
    after = maps(app)["cosupport-ipr"]["figure"]["data"]
    assert (decoded(after[0]["z"]) == 3).sum() < (decoded(before[0]["z"]) == 3).sum()


def test_masses_stand_beside_the_extremes_and_the_truth() -> None:
    app = space("Map", enlarged=True, problem="dirac", n="80", **{"p.d": "2"})
    table = masses(app)
    assert [column["label"] for column in table["columns"]] == [
        "P(cosupp)",
        "β0",
        "Q(cosupp)",
        "α∞",
    ]
    assert table["rows"]["truth"] == [0, 0, 0, 0]
    found = estimate(toy("dirac", d=2).sample(80, 0), "coverage")["coverage"]
    shares = class_shares(found.supports)
    expected = [shares.p_of_cosupport, found.curve.extreme_recall]
    expected += [shares.q_of_cosupport, found.curve.extreme_precision]
    assert table["rows"]["coverage"] == pytest.approx(expected)
    assert "too small to be seen" in maps(app)["cosupport-truth"]["help"]


@pytest.mark.parametrize("query", [TOY, BUNDLED, {**TOY, "p.d": "3", "split": "none"}])
def test_many_dimensions_are_shown_at_the_samples_in_two_linked_panes(
    query: dict[str, str],
) -> None:
    app = space("Belief", **query)
    assert "Map" not in app.segmented_control(key="space-colour").options
    assert not maps(app)
    app = space("Belief", selects=True, **query)
    first, second = maps(app).values()
    assert (first["title"], second["title"]) == ("Principal components", "Linear discriminant")
    assert first["link"] == second["link"] != ""
    assert ("the same samples" in second["help"]) == ("split" in query)

    def rows(pane: dict[str, Any]) -> dict[str, list[int]]:
        return {
            trace["name"]: sorted(decoded(trace["customdata"]).tolist())
            for trace in pane["figure"]["data"]
        }

    count = 240 if "split" in query else 100 if query is BUNDLED else 120
    assert rows(first) == rows(second)
    assert sorted(row for some in rows(first).values() for row in some) == list(range(count))
    choose(app, "cosupport-second", "components")
    assert [pane["title"] for pane in maps(app).values()] == [
        "Principal components",
        "Further components",
    ]
    before = rows(first)
    move(app, k=2)
    last_word(app)
    assert rows(next(iter(maps(app).values()))) != before


def test_families_without_a_support_are_named_and_clusters_have_one() -> None:
    app = space("Map", **TOY, **{"p.d": "2"}, methods="knn,cluster,classifier,hub")
    assert app.selectbox(key="lambda-method").options == ["kNN", "Clusters", "Truth"]
    (pane,) = maps(family(app, "cluster")).values()
    assert "Linear classifiers: a trained classifier" in pane["help"]
    assert "Hub iPR: hubs are samples" in pane["help"]
    assert "not made of balls" in pane["help"]
    alone = space("Map", **TOY, **{"p.d": "2"}, methods="classifier")
    assert "None of the chosen families" in said(alone)


@pytest.mark.parametrize(
    "query", [{**TOY, "p.d": "1"}, {**TOY, "p.d": "2", "repeats": "2"}, TOY, BUNDLED]
)
def test_the_tail_is_drawn_on_both_sides_and_says_where_the_truth_is_left(
    query: dict[str, str],
) -> None:
    app = tab("Extremes", **query)
    known = query is not BUNDLED
    assert {name: pane["follow"] for name, pane in tails(app).items()} == {
        "tail-precision-large": "tail",
        "tail-recall-large": "tail-recall",
    }
    for pane in tails(app).values():
        kinds = [
            trace.get("meta") or ("band" if "fill" in trace else "line")
            for trace in pane["figure"]["data"]
        ]
        assert kinds.count("line") == 4 + known
        assert kinds.count("first") == 4 * known
        assert kinds.count("band") == (4 if "repeats" in query else 0)
    tables = [each.value for each in app.markdown if "first differs from the truth" in each.value]
    assert len(tables) == known
    if query is TOY:
        problem = toy("mixtures")
        curve = estimate(problem.sample(120, 0), "ipr")["ipr"].curve
        found = first_differences(curve, problem.truth())
        cells = [f"{lam:.4g}" if lam else "not within 1/1000 to 1000" for lam in found]
        assert f"| iPR | {cells[0]} | {cells[1]} |" in tables[0]
