"""The tab of extremes by Streamlit's own test driver: over k, who carries whom, what falls,
duplicates.
"""

from __future__ import annotations

import json
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages._explore import extremes
from pages._explore.session import PANEL_TAB
from prviz.diagnostics.influence import Extremes, distinct, influence, removals
from prviz.live import needs
from prviz.measure.estimates import estimate
from prviz.measure.profiles import profile_pair
from prviz.samples import SamplePair
from prviz.toys import toy
from tests.explore_app import assert_link_gives, healthy, last_word, opened
from tests.file_builders import npy

EXAMPLE = {"problem": "outlier", "n": "200", "k": "4", "split": "none"}


def at_extremes(app: AppTest) -> AppTest:
    app.session_state[PANEL_TAB] = "Extremes"
    app.run()
    app.button(key="influential").click()
    for _ in range(6):  # one job of the tab after another
        app.run()
        last_word(app)
    healthy(app)
    return app


def uploaded(real: np.ndarray, generated: np.ndarray) -> AppTest:
    app = opened(n="100")
    app.segmented_control(key="source").set_value("upload").run()
    for role, values in (("real", real), ("generated", generated)):
        app.file_uploader(key=f"upload-{role}").upload(f"{role}.npy", npy(values)).run()
    return at_extremes(app)


def panes(app: AppTest) -> dict[str, dict]:
    """The data sent to every live figure but the main one, by pane."""
    sent = [each.proto.bytes for each in app.get("bidi_component")[1:]]
    drawn = [json.loads(each) for each in sent if each[:1] == b"{"]
    return {pane["id"]: pane for each in drawn for pane in each.get("panes", [])}


def traces(pane: dict) -> dict[str, dict]:
    return {trace["name"]: trace for trace in pane["figure"]["data"] if trace.get("x") != [None]}


def texts(app: AppTest) -> str:
    said = [*app.caption, *app.markdown, *app.info]
    return " ".join(each.value for each in said).replace("\\", "")


@pytest.mark.parametrize("inline", [True, False])
def test_the_outlier_is_named_and_what_falls_is_measured(inline, monkeypatch) -> None:
    if not inline:
        monkeypatch.setattr(needs, "INLINE_SECONDS", 0.0)
    app = at_extremes(opened(**EXAMPLE))
    drawn = panes(app)
    assert {"extremes", "extremes-over-k-0", "extremes-over-k-1", "carriers", "fall"} <= set(drawn)
    pair = toy("outlier").sample(200, seed=0)
    found = influence(pair, "ipr", role="real", k=4, split=None)
    falls = removals(pair, found, split=None)
    assert falls[1].rows == (199,)
    bars = traces(drawn["carriers"])
    assert bars["carried alone"]["x"] == found.alone[found.top(10)].tolist()
    assert bars["carried"]["x"] == found.carried[found.top(10)].tolist()
    assert drawn["carriers"]["figure"]["layout"]["yaxis"]["ticktext"][0] == "row 200"
    assert "the number measured again can differ from a subtraction" in drawn["fall"]["caption"]
    lines = traces(drawn["fall"])
    assert lines["α∞, measured again"]["y"] == [each.extreme for each in falls]
    assert lines["carried, measured again"]["y"] == [each.share for each in falls]
    assert lines["the same by subtraction"]["y"] == [each.subtracted for each in falls]
    assert lines["truth"]["y"] == [1, 1]
    said = texts(app)
    assert (
        f"**Row 200** of the real samples carries {found.carried.max()} of them,"
        f" {found.alone.max()} alone" in said
    )
    assert f"without it: α∞ = {falls[1].extreme:.3f}, carried: {100 * falls[1].share:.1f} %" in said
    assert "which is what improved precision reports" in said
    assert "No row occurs twice" in said
    (table,) = [each.value for each in app.dataframe]
    assert table["row"].tolist() == (found.rows[found.top(10)] + 1).tolist()
    assert table["carried, share"].tolist() == (found.carried[found.top(10)] / 200).tolist()


def test_the_other_end_and_another_family_are_a_choice() -> None:
    app = at_extremes(opened(**EXAMPLE))
    app.button_group(key="autopsy-method").set_value("coverage").run()
    app.button_group(key="autopsy-side").set_value("generated").run()
    last_word(app)
    healthy(app)
    pair = toy("outlier").sample(200, seed=0)
    found = influence(pair, "coverage", role="generated", k=4, split=None)
    ends = [each.extreme for each in removals(pair, found, split=None)]
    assert traces(panes(app)["fall"])["β0, measured again"]["y"] == ends
    assert (
        traces(panes(app)["carriers"])["carried alone"]["x"] == found.alone[found.top(10)].tolist()
    )
    assert "which is what coverage reports" in texts(app)
    assert panes(app)["carriers"]["title"] == "The generated samples that carry most"


def test_both_ends_over_k_with_and_without_split() -> None:
    app = at_extremes(opened(n="60", methods="knn,kde,eas,cluster", **{"p.d": "3"}))
    drawn = panes(app)
    pair = toy("mixtures", d=3).sample(60, seed=0)
    truth = Extremes.of(toy("mixtures", d=3).truth())
    for side in (0, 1):
        lines = traces(drawn[f"extremes-over-k-{side}"])
        for split, word in ((0.5, "with split"), (None, "without split")):
            for name, title in (("knn", "kNN"), ("kde", "KDE"), ("eas", "EAS")):
                line = lines[f"{title}, {word}"]
                made = profile_pair(pair, [name], ks=line["x"], bandwidths=(), split=split)
                expected = [Extremes.of(made.curve(name, k))[side] for k in line["x"]]
                assert line["y"] == pytest.approx(expected, abs=1e-9)
                assert len(line["x"]) > 20
        assert lines["truth"]["y"] == [truth[side]] * 2
    assert "EAS, Clusters" in texts(app)
    assert app.button_group(key="autopsy-method").options == ["kNN", "KDE"]


def test_the_worked_example_is_a_link_that_opens_it() -> None:
    app = at_extremes(opened(n="60"))
    link = next(each.proto.url for each in app.get("link_button"))
    assert_link_gives(extremes.EXAMPLE, dict(parse_qsl(urlsplit(link).query)))
    there = at_extremes(opened(**dict(parse_qsl(urlsplit(link).query))))
    assert "This is the worked example" in texts(there)
    assert "**Row 1000** of the real samples" in texts(there)
    assert not there.get("link_button")


def test_duplicates_are_counted_and_measured_without_them() -> None:
    rng = np.random.default_rng(3)
    real = rng.normal(size=(60, 4))
    generated = rng.normal(size=(50, 4))
    real[50:], generated[40:45], generated[45:] = real[:10], generated[:5], real[20:25]
    app = uploaded(real, generated)
    said = texts(app)
    assert "**10** of 60 real and **5** of 50 generated rows repeat" in said
    assert "**5** generated rows are exact copies of real ones" in said
    assert "(10 real and 5 generated rows go)" in said
    assert "(5 more)" in said
    pair = SamplePair(real, generated)
    names = ["knn", "kde", "ipr", "coverage"]
    table = app.dataframe[-1].value
    whole = estimate(pair, names)
    assert table["α∞, all rows"].tolist() == [whole[name].curve.extreme_precision for name in names]
    parts = distinct(pair, names)
    for title, part in zip(("one of each", "no copies across"), parts[1:], strict=True):
        assert table[f"α∞, {title}"].tolist() == [part.extremes[name].precision for name in names]
        assert table[f"β0, {title}"].tolist() == [part.extremes[name].recall for name in names]
    row = app.dataframe[0].value["row"][0]
    assert f"**Row {row}** of the real samples" in said


def test_families_without_balls_are_left_out_and_said() -> None:
    app = at_extremes(opened(n="60", methods="cluster,ppr", **{"p.d": "3"}))
    said = texts(app)
    assert "do not count single samples in one ball each: PPR, Clusters" in said
    assert "Choose kNN, KDE, iPR or Coverage" in said
    assert "fall" not in panes(app)


def test_sets_of_few_different_rows_say_so() -> None:
    app = uploaded(np.repeat(np.eye(3), 20, axis=0), np.repeat(np.eye(3), 15, axis=0))
    assert "One of each: too few rows are left for this k." in texts(app)
    assert list(app.dataframe[-1].value.columns) == ["estimator", "α∞, all rows", "β0, all rows"]
