"""The tabs "Co-support map" and "Tail" by Streamlit's own test driver."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from prviz.curves.summaries import first_differences
from prviz.diagnostics.cosupport import class_shares, support_classes, supports_at
from prviz.measure.estimates import estimate
from prviz.toys import toy
from tests.explore_app import healthy, last_word, move, opened

TOY = {"problem": "mixtures", "n": "120"}
BUNDLED = {"source": "bundled", "problem": "rbm-epoch-30", "n": "100"}


def tab(name: str, **query: str) -> AppTest:
    app = opened(**query)
    known = query.get("source", "toy") == "toy"
    app.session_state["diagnostics-with-truth" if known else "diagnostics"] = name
    app.run()
    healthy(app)
    last_word(app)
    return app


def sent(app: AppTest, place: int = -1) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(app.get("bidi_component")[place].proto.bytes[12:])
    return found


def panes(app: AppTest) -> dict[str, dict[str, Any]]:
    return {pane["id"]: pane for pane in sent(app)["panes"]}


def chosen(app: AppTest, key: str, value: str) -> AppTest:
    app.segmented_control(key=key).set_value(value).run()
    healthy(app)
    last_word(app)
    return app


def decoded(values: dict[str, str]) -> np.ndarray:
    """An array as Plotly sends it."""
    flat = np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"])
    return flat.reshape([int(each) for each in values["shape"].split(", ")]) if "shape" in values else flat


def test_on_the_line_all_families_are_bands_below_the_truth() -> None:
    app = tab("Co-support map", **TOY, **{"p.d": "1"})
    figure = panes(app)["cosupport-line"]["figure"]
    labels = figure["layout"]["yaxis"]["ticktext"]
    assert labels == ["truth", "kNN", "KDE", "iPR", "Coverage", "real samples", "generated ones"]
    bands = decoded(figure["data"][0]["z"])[::2]
    assert set(bands[0]) == {3}
    axis = decoded(figure["data"][0]["x"])[:, None]
    split = toy("mixtures", d=1).sample(120, 0).split(0.5, 0)
    np.testing.assert_array_equal(bands[3], support_classes(*supports_at(split, axis, "ipr")["ipr"]))


def test_in_the_plane_one_family_brings_its_balls_and_k_its_map() -> None:
    app = tab("Co-support map", **TOY, **{"p.d": "2"})
    assert list(panes(app)) == [f"cosupport-{name}" for name in ("truth", "knn", "kde", "ipr", "coverage")]
    assert not any("balls" in trace["name"] for pane in panes(app).values() for trace in pane["figure"]["data"][1:])
    shares = class_shares(estimate(toy("mixtures", d=2).sample(120, 0), "ipr")["ipr"].supports)
    assert f"{shares.p_of_cosupport:.0%} of the real" in panes(app)["cosupport-ipr"]["caption"]
    chosen(app, "cosupport-family", "ipr")
    assert list(panes(app)) == ["cosupport-truth", "cosupport-ipr"]
    before = panes(app)["cosupport-ipr"]["figure"]["data"]
    assert [trace["name"] for trace in before if "balls" in trace.get("name", "")] == [
        "support of P: 40 of 60 balls",
        "support of Q: 40 of 60 balls",
    ]
    move(app, k=2)
    last_word(app)
    after = panes(app)["cosupport-ipr"]["figure"]["data"]
    assert (decoded(after[0]["z"]) == 3).sum() < (decoded(before[0]["z"]) == 3).sum()


def test_masses_stand_beside_the_extremes_and_the_truth() -> None:
    app = tab("Co-support map", problem="dirac", n="80", **{"p.d": "2"})
    table = sent(app, -2)["table"]
    assert [column["label"] for column in table["columns"]] == ["P(cosupp)", "β0", "Q(cosupp)", "α∞"]
    assert table["rows"]["truth"] == [0, 0, 0, 0]
    found = estimate(toy("dirac", d=2).sample(80, 0), "coverage")["coverage"]
    shares = class_shares(found.supports)
    expected = [shares.p_of_cosupport, found.curve.extreme_recall]
    expected += [shares.q_of_cosupport, found.curve.extreme_precision]
    assert table["rows"]["coverage"] == pytest.approx(expected)
    assert "too small to be seen" in panes(app)["cosupport-truth"]["caption"]


@pytest.mark.parametrize("query", [TOY, BUNDLED, {**TOY, "p.d": "3", "split": "none"}])
def test_many_dimensions_are_shown_at_the_samples_in_two_linked_panes(query: dict[str, str]) -> None:
    app = tab("Co-support map", **query)
    first, second = panes(app).values()
    assert (first["title"], second["title"]) == ("Principal components", "Linear discriminant")
    assert first["link"] == second["link"] != ""
    assert ("the same samples" in second["caption"]) == ("split" in query)

    def rows(pane: dict[str, Any]) -> dict[str, list[int]]:
        return {trace["name"]: sorted(decoded(trace["customdata"]).tolist()) for trace in pane["figure"]["data"]}

    count = 240 if "split" in query else 100 if query is BUNDLED else 120
    assert rows(first) == rows(second)
    assert sorted(row for some in rows(first).values() for row in some) == list(range(count))
    chosen(app, "cosupport-second", "components")
    assert [pane["title"] for pane in panes(app).values()] == ["Principal components", "Further components"]
    before = rows(first)
    move(app, k=2)
    last_word(app)
    assert rows(next(iter(panes(app).values()))) != before


def test_families_without_a_support_are_named_and_clusters_have_one() -> None:
    app = tab("Co-support map", **TOY, **{"p.d": "2"}, methods="knn,cluster,classifier,hub")
    assert any("Linear classifiers: a trained classifier" in each.value for each in app.info)
    assert any("Hub iPR: hubs are samples" in each.value for each in app.caption)
    assert list(panes(app)) == ["cosupport-truth", "cosupport-knn", "cosupport-cluster"]
    chosen(app, "cosupport-family", "cluster")
    assert "not made of balls" in panes(app)["cosupport-cluster"]["caption"]
    assert list(sent(app, -2)["table"]["rows"]) == ["truth", "knn", "cluster", "hub"]
    alone = tab("Co-support map", **TOY, methods="classifier")
    assert any("Linear classifiers" in each.value for each in alone.info)


@pytest.mark.parametrize("query", [{**TOY, "p.d": "1"}, {**TOY, "p.d": "2", "repeats": "2"}, TOY, BUNDLED])
def test_the_tail_is_drawn_on_both_sides_and_says_where_the_truth_is_left(query: dict[str, str]) -> None:
    app = tab("Tail", **query)
    known = query is not BUNDLED
    assert {name: pane["follow"] for name, pane in panes(app).items()} == {
        "tail-precision": "tail",
        "tail-recall": "tail-recall",
    }
    for pane in panes(app).values():
        kinds = [trace.get("meta") or ("band" if "fill" in trace else "line") for trace in pane["figure"]["data"]]
        assert kinds.count("line") == 4 + known
        assert kinds.count("first") == 4 * known
        assert kinds.count("band") == (4 if "repeats" in query else 0)
    tables = [each.value for each in app.markdown if "first differs from the truth" in each.value]
    assert len(tables) == known
    if query is TOY:
        problem = toy("mixtures")
        curve = estimate(problem.sample(120, 0), "ipr")["ipr"].curve
        found = first_differences(curve, problem.truth())
        cells = [f"{lam:.4g}" if lam else "never" for lam in found]
        assert f"| iPR | {cells[0]} | {cells[1]} |" in tables[0]
