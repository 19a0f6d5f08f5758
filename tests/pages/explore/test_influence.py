"""The tab of extremes by Streamlit's own test driver: over k, who carries whom, what falls,
duplicates.
"""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages._explore import extremes
from prviz.diagnostics.influence import Extremes, distinct, influence, removals
from prviz.live import needs
from prviz.measure.estimates import estimate
from prviz.measure.profiles import profile_pair
from prviz.samples import SamplePair
from prviz.toys import toy
from tests.explore_app import (
    assert_link_gives,
    at_panel,
    choose,
    healthy,
    last_word,
    opened,
    panes,
    said,
    traces,
    uploaded,
)

EXAMPLE = {"problem": "outlier", "n": "200", "k": "4", "split": "none"}


def at_extremes(app: AppTest) -> AppTest:
    at_panel(app, "Extremes")
    app.button(key="influential").click()
    for _ in range(6):  # one job of the tab after another
        app.run()
        last_word(app)
    healthy(app)
    return app


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
    told = said(app)
    assert (
        f"**Row 200** of the real samples carries {found.carried.max()} of them,"
        f" {found.alone.max()} alone" in told
    )
    assert f"without it: α∞ = {falls[1].extreme:.3f}, carried: {100 * falls[1].share:.1f} %" in told
    assert "which is what improved precision reports" in told
    assert "No row occurs twice" in told
    (table,) = [each.value for each in app.dataframe]
    assert table["row"].tolist() == (found.rows[found.top(10)] + 1).tolist()
    assert table["carried, share"].tolist() == (found.carried[found.top(10)] / 200).tolist()


def test_the_other_end_and_another_family_are_a_choice() -> None:
    app = at_extremes(opened(**EXAMPLE))
    choose(app, "autopsy-method", "coverage")
    choose(app, "autopsy-side", "generated")
    last_word(app)
    pair = toy("outlier").sample(200, seed=0)
    found = influence(pair, "coverage", role="generated", k=4, split=None)
    ends = [each.extreme for each in removals(pair, found, split=None)]
    assert traces(panes(app)["fall"])["β0, measured again"]["y"] == ends
    assert (
        traces(panes(app)["carriers"])["carried alone"]["x"] == found.alone[found.top(10)].tolist()
    )
    assert "which is what coverage reports" in said(app)
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
    assert "EAS, Clusters" in said(app)
    assert app.button_group(key="autopsy-method").options == ["kNN", "KDE"]


def test_the_worked_example_is_a_link_that_opens_it() -> None:
    app = at_extremes(opened(n="60"))
    link = next(each.proto.url for each in app.get("link_button"))
    assert_link_gives(extremes.EXAMPLE, dict(parse_qsl(urlsplit(link).query)))
    there = at_extremes(opened(**dict(parse_qsl(urlsplit(link).query))))
    assert "This is the worked example" in said(there)
    assert "**Row 1000** of the real samples" in said(there)
    assert not there.get("link_button")


def test_duplicates_are_counted_and_measured_without_them() -> None:
    rng = np.random.default_rng(3)
    real = rng.normal(size=(60, 4))
    generated = rng.normal(size=(50, 4))
    real[50:], generated[40:45], generated[45:] = real[:10], generated[:5], real[20:25]
    app = at_extremes(uploaded(real, generated))
    told = said(app)
    assert "**10** of 60 real and **5** of 50 generated rows repeat" in told
    assert "**5** generated rows are exact copies of real ones" in told
    assert "(10 real and 5 generated rows go)" in told
    assert "(5 more)" in told
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
    assert f"**Row {row}** of the real samples" in told


def test_families_without_balls_are_left_out_and_said() -> None:
    app = at_extremes(opened(n="60", methods="cluster,ppr", **{"p.d": "3"}))
    told = said(app)
    assert "do not count single samples in one ball each: PPR, Clusters" in told
    assert "Choose kNN, KDE, iPR or Coverage" in told
    assert "fall" not in panes(app)


def test_sets_of_few_different_rows_say_so() -> None:
    app = at_extremes(uploaded(np.repeat(np.eye(3), 20, axis=0), np.repeat(np.eye(3), 15, axis=0)))
    assert "One of each: too few rows are left for this k." in said(app)
    assert list(app.dataframe[-1].value.columns) == ["estimator", "α∞, all rows", "β0, all rows"]
