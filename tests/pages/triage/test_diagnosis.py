"""The part "What is wrong with it?" by Streamlit's own test driver, on real measurements."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import prviz
from pages._triage import diagnosis, evidence, gallery
from pages._triage.checkpoints import NONE_YET, CheckpointResults, Diagnosis, missed_text
from pages._triage.session import DIAGNOSED, KEY, PART, CheckpointChoice, TriageSession
from prviz.diagnostics.witness import GIVES_AWAY
from prviz.estimators.tightest import TIGHTEST
from prviz.measure.estimates import estimate
from prviz.readers.bundled import bundled_pair
from prviz.readers.paths import PICTURES_VARIABLE
from prviz.triage.classes import by_class, missed_samples
from prviz.triage.evidence import lam_at_end
from prviz.triage.finding import EVIDENCE
from prviz.triage.measured import CACHE_VARIABLE
from prviz.triage.power import power
from tests.explore_app import button, html, last_word, panes, press, put, said, vertices
from tests.lab_app import until_done
from tests.marks import exhaustive, exhaustive_but
from tests.triage_app import begin, part, settled, triage
from tests.triage_folder import folder_found, pair_of
from tests.triage_found import bundled_found

NAMES = ("truncation-0.0", "truncation-0.6", "truncation-1.0")


@cache
def truncated() -> CheckpointResults:
    return bundled_found(NAMES)


def opened(
    found: CheckpointResults, *, selected: str | None = None, opened: str | None = None
) -> AppTest:
    choice = CheckpointChoice(selected=selected)
    return part("diagnosis", found, **{KEY: TriageSession(choice=choice, open_finding=opened)})


def titles(app: AppTest) -> list[str]:
    return [
        each.value.split("**")[1].replace("\\", "")
        for each in app.markdown
        if "-badge[" in each.value
    ]


def case(found: CheckpointResults, name: str) -> Diagnosis:
    measured = found.one(name)
    return Diagnosis(found=found, measured=measured, pair=found.pair(measured))


@exhaustive
def test_nothing_is_said_to_be_wrong_with_real_samples_and_what_would_have_been(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diagnosis, "POWER_SECONDS", 0.0)
    found = folder_found(tmp_path, "nothing")
    app = opened(found)
    assert "Nothing found" in said(app)
    for each in power(found.reference, seconds=0.0)[1:]:
        assert f"{each.fault}: in {each.named} of {each.tries} tries" in said(app)
    assert "held-out" in said(app)
    assert titles(app) == []


@exhaustive
def test_the_best_is_looked_at_first() -> None:
    app = opened(truncated())
    assert app.selectbox[0].value == "truncation-1.0"
    assert "The one with the highest score" in said(app)
    # a mixture of 15 Gaussians, which never has what a hundredth of the real digits have at the
    # edge
    assert titles(app) == ["Features that differ", "Under-trained"]
    assert not button(app, "Previous").disabled
    assert button(app, "Next").disabled
    settled(press(app, "Previous"))
    assert (app.selectbox[0].value, app.session_state[KEY].choice.selected) == (
        "truncation-0.6",
        "truncation-0.6",
    )
    assert titles(app) == ["Features that differ", "Too narrow"]
    app.selectbox[0].select("truncation-0.0")
    assert settled(app).session_state[KEY].choice.selected == "truncation-0.0"
    assert "Repeated samples" in titles(app)


@exhaustive
def test_what_gives_the_checkpoint_away_is_said_with_its_samples() -> None:
    found = truncated()
    app = opened(found, selected="truncation-0.6")
    expected = prviz.witness(found.pair(found.one("truncation-0.6")), without=False)
    assert GIVES_AWAY in said(app)
    for statement in expected.statements:
        assert f"- {statement}" in said(app)
    rows = ", ".join(str(row + 1) for row in expected.most_generated)
    assert f"- most surely generated: rows {rows}" in said(app)


@exhaustive
def test_what_remains_is_said_where_the_curve_to_believe_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = truncated()
    one = found.one("truncation-0.6")
    by = CheckpointResults.by
    monkeypatch.setattr(
        CheckpointResults,
        "by",
        lambda self, name: (one,) if name == TIGHTEST.name else by(self, name),
    )
    left = SimpleNamespace(curve=SimpleNamespace(auc=0.9375))
    monkeypatch.setattr(
        "prviz.diagnostics.witness.estimate", lambda *_, **__: {TIGHTEST.name: left}
    )
    app = opened(found, selected="truncation-0.6")
    told = said(app)
    assert f"- area {one.curve.auc:.2f}; without these " in told
    assert ": 0.94" in told


@exhaustive
def test_what_is_lost_at_an_end_of_the_curve_is_counted_and_marked() -> None:
    found = truncated()
    app = opened(found, selected="truncation-0.6", opened="narrow/Too narrow")
    measured = found.one("truncation-0.6")
    lam = lam_at_end(measured.curve, "recall")
    fpr, fnr = measured.curve.vertices[measured.curve.vertex_at(lam)]
    n = measured.estimate.supports.n_real
    count = round(n * (1 - fpr))
    assert (
        f"**{count:,} of {n:,}** real samples ({100 * count / n:.1f} %) are lost at this end"
        in said(app)
    )
    loss = 1 - measured.curve.beta(lam)
    assert f"{1 - fpr:.3f} - {fnr / lam:.3f} = **{loss:.3f}**" in said(app)
    drawn = panes(app)
    ring = drawn["triage-curve"]["figure"]["data"][-1]
    assert (ring["x"], ring["y"]) == (pytest.approx([1 - loss]), pytest.approx([0.05]))
    assert [trace.get("fill") for trace in drawn["triage-curve"]["figure"]["data"]].count(
        "toself"
    ) == 1
    assert drawn["triage-plane"]["figure"]["data"][-1]["name"] == f"real, lost at this end: {count}"


@exhaustive
def test_all_missed_samples_are_in_the_file_and_in_the_tiles() -> None:
    """They are those of *Class by class*, each class with its share."""
    found = truncated()
    one = case(found, "truncation-0.6")
    app = opened(found, selected="truncation-0.6")
    missed = missed_samples(*one.pair)
    assert missed_text("real", missed) in said(app)
    rows = list(csv.DictReader(io.StringIO(gallery.group_file(one, "real", missed))))
    assert [int(each["id"]) for each in rows] == (missed.rows + 1).tolist()
    assert [float(each["key"]) for each in rows] == sorted(
        (float(each["key"]) for each in rows), reverse=True
    )
    labels = one.pair.real.labels["digit"]
    assert [each["digit"] for each in rows] == [str(labels[int(each["id"]) - 1]) for each in rows]
    tiles = next(body for body in html(app) if "real sample" in body)
    assert all(
        f"real sample, row {each['id']}, digit {each['digit']}" in tiles for each in rows[:12]
    )
    check_table(app, one.pair, rows)
    table = next(each.value for each in app.dataframe if "share none generated near" in each.value)
    told = dict(zip(table["digit "], table["share none generated near"], strict=True))
    shares = by_class(*one.pair, labels)
    assert told == pytest.approx({each.label: each.missed for each in shares})


def check_table(app: AppTest, pair: Any, rows: list[dict[str, str]]) -> None:
    """The nearest generated samples of the table are those of all distances."""
    table = next(each.value for each in app.dataframe if "nearest generated row" in each.value)
    assert table["row"].tolist() == [int(each["id"]) for each in rows[: len(table)]]
    own = pair.real.values[table["row"] - 1].astype(float)
    reach = np.linalg.norm(own[:, None] - pair.generated.values[None].astype(float), axis=2)
    np.testing.assert_allclose(table["distance"], reach.min(axis=1))
    assert table["nearest generated row"].tolist() == (reach.argmin(axis=1) + 1).tolist()


@exhaustive
def test_a_collapse_shows_the_picture_that_repeats() -> None:
    app = opened(truncated(), selected="truncation-0.0")
    assert "Repeated samples" in titles(app)
    shown = [each for each in app.button if each.label == "Show the evidence"]
    next(each for each in shown if "collapse" in each.key).click()
    settled(app)
    assert button(app, "Hide the evidence").key.startswith("triage-evidence-collapse")
    assert "**1,796** of 1,797 generated rows repeat" in said(app)
    tiles = next(body for body in html(app) if "occurs 1,797 times" in body)
    assert tiles.count('class="own"') == 1
    assert "too few rows are left" in said(app)
    press(app, "Hide the evidence")
    assert button(app, "Hide the evidence") is None


HALLMARKS = {
    "dropping": ("dropping/Dropped modes", "triage-plane", "knn"),
    "reweighting": ("reweighting/Re-weighted modes", "triage-plane", "knn"),
    "outliers": ("outliers/Outliers carry extreme precision", "fall", "ipr"),
    "few": ("few/Too few samples", "triage-curve", "knn"),
    "apart": ("scale/Different scales", "triage-norms", "knn"),
    "flat": ("flat/Fewer directions", "triage-spectrum", "knn"),
    "collapse": ("collapse/Repeated samples", "", "coverage"),
}


def test_every_evidence_has_a_view() -> None:
    assert set(evidence.VIEWS) == set(EVIDENCE)


@pytest.mark.parametrize("fault", exhaustive_but(HALLMARKS, "dropping"))
def test_every_view_opens_on_a_pair_that_shows_the_fault(fault: str, tmp_path: Path) -> None:
    name, pane, method = HALLMARKS[fault]
    app = opened(folder_found(tmp_path, fault, method), opened=name)
    assert name.split("/")[1] in titles(app)
    assert button(app, "Hide the evidence") is not None
    assert pane in panes(app) or not pane
    if fault == "flat":
        table = app.dataframe[0].value
        assert table["effective dimension"].tolist() == pytest.approx([15.5, 5.9], abs=0.5)
    if fault == "collapse":
        assert app.dataframe[0].value["occurs"].tolist() == ["4 times"] * 12
        assert "α∞, one of each" in app.dataframe[1].value
    if fault == "apart":
        assert panes(app)["triage-norms"]["figure"]["layout"]["yaxis"]["type"] == "log"
    if fault == "reweighting":
        assert "made too seldom" in panes(app)["triage-plane"]["figure"]["data"][1]["name"]


@exhaustive
def test_the_other_end_has_its_own_samples(tmp_path: Path) -> None:
    found = folder_found(tmp_path, "invention")
    app = opened(found, opened="invention/Invented modes")
    measured = found.one("invention")
    lam = lam_at_end(measured.curve, "precision")
    fpr, fnr = measured.curve.vertices[measured.curve.vertex_at(lam)]
    loss = 1 - measured.curve.alpha(lam)
    assert f"{1 - fnr:.3f} - {lam * fpr:.3f} = **{loss:.3f}**" in said(app)
    assert (
        "generated, lost at this end: " in panes(app)["triage-plane"]["figure"]["data"][-1]["name"]
    )


@exhaustive
def test_tables_without_pictures_show_labels_and_texts_as_they_are(tmp_path: Path) -> None:
    app = opened(folder_found(tmp_path, "dropping", table=True), opened="dropping/Dropped modes")
    table = app.dataframe[0].value
    assert {"row", "text", "label ", "c_Y / c_X", "nearest generated row", "distance"} <= set(
        table.columns
    )
    assert "picture" not in table
    assert table["text"].tolist() == [f"a <b>text</b> of row {row}" for row in table["row"]]
    kinds = next(each.value for each in app.dataframe if "share lost at this end" in each.value)
    assert kinds["label "].tolist()[0] == "right"  # the mode that was dropped


def test_a_file_that_is_gone_or_another_is_told_and_the_rest_stays(tmp_path: Path) -> None:
    found = folder_found(tmp_path, "dropping")
    path = tmp_path / "dropping.npy"
    before = path.read_bytes()
    path.unlink()
    app = opened(found)
    assert "can't be read any more" in app.error[0].value
    assert app.selectbox[0].value == "dropping"
    np.save(path, found.reference.values)
    assert "has changed since" in settled(app).error[0].value
    path.write_bytes(before)
    app = opened(found)
    assert not app.error
    assert "Dropped modes" in titles(app)


@exhaustive
def test_while_results_come_in_the_first_best_stays_until_all_are_there() -> None:
    whole = truncated()
    some = replace(whole, key=("some",), outcomes=whole.outcomes[:1])
    app = opened(some)
    assert app.selectbox[0].value == "truncation-0.0"
    app.session_state["found"] = replace(whole, key=("more",), outcomes=whole.outcomes[:2])
    assert settled(app).selectbox[0].value == "truncation-0.0"
    assert "so far" in said(app)
    app.session_state["found"] = whole
    assert settled(app).selectbox[0].value == "truncation-1.0"
    assert NONE_YET in said(put(app, found=replace(whole, key=("none",), outcomes=())))


def at_explore(app: AppTest) -> dict[str, Any]:
    """Explore, to which the button has led, at its last word."""
    press(settled(app), "Open this checkpoint in Explore")
    assert app.title[0].value == "Explore"
    # The driver itself does not know that the page has changed.
    return last_word(app.switch_page("pages/explore.py").run())


def at_faults(app: AppTest) -> AppTest:
    """The part in the page itself, all of its checkpoints measured."""
    until_done(begin(app))
    app.session_state[PART] = "What is wrong with it?"
    return settled(app)


@exhaustive
def test_explore_opens_the_checkpoint_with_the_same_curve_and_one_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setenv(PICTURES_VARIABLE, str(tmp_path))
    app = at_faults(triage(set="mixture", k="30", methods="knn"))
    assert app.selectbox(key=DIAGNOSED).value == "EM iteration 20"
    sent = at_explore(app)
    assert app.selectbox(key="family").value == "mixture"
    assert app.select_slider(key="checkpoint.mixture").value == "mixture-em-20"
    assert [curve["id"] for curve in sent["curves"] if curve["id"] != "tightest"] == ["knn"]
    expected = estimate(bundled_pair("mixture-em-20"), "knn", k=30)["knn"].curve
    np.testing.assert_allclose(vertices(app)["knn"], expected.vertices, atol=1e-9)
    # Files of a folder are held as if they had been uploaded there.
    pair = pair_of("dropping")
    (tmp_path / "run").mkdir()
    np.save(tmp_path / "real.npy", pair.real.values)
    np.save(tmp_path / "run" / "step-1.npy", pair.generated.values)
    app = at_faults(triage(data="folder", folder="run", reference="real.npy", methods="knn"))
    at_explore(app)
    assert app.button(key="forget").label == "Remove both"
    expected = estimate(pair, "knn")["knn"].curve
    np.testing.assert_allclose(vertices(app)["knn"], expected.vertices, atol=1e-9)
    app.session_state[PART] = (
        "What is wrong with it?"  # the driver gives tabs of another page any value
    )
    app.switch_page("pages/triage.py").run()
    assert "Dropped modes" in titles(settled(app))
    app.switch_page("pages/explore.py").run()
    last_word(app)
    np.testing.assert_allclose(vertices(app)["knn"], expected.vertices, atol=1e-9)
