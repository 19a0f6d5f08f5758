"""Ranking and Compare two, parts of the Triage page: what they say is what the core finds."""

from __future__ import annotations

import base64
import csv
import io
import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages._triage import comparison, ranking
from pages._triage.checkpoints import CheckpointResults
from pages._triage.session import GOAL, KEY, PAIR, RANKING_TABLE, TriageSession
from prviz.samples import Samples
from prviz.triage.comparison import compare_curves
from prviz.triage.inputs import Checkpoint
from prviz.triage.measure import measure_all, samples_at
from prviz.triage.measured import TriageSettings
from prviz.triage.ranking import rank, verdict
from prviz.uncertainty.paired import GeneratorComparison
from tests.explore_app import healthy
from tests.triage_found import bundled_found, compare_two

LOW = ("truncation-0.3", "truncation-0.4", "truncation-0.6")
BOTH = ("knn", "kde")


MANY = 40


@pytest.fixture(autouse=True)
def fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resamplings enough for the same code."""
    for module in (ranking, comparison):
        monkeypatch.setattr(module, "BOOTSTRAP", MANY)


@cache
def truncation() -> CheckpointResults:
    return bundled_found(LOW, TriageSettings(methods=BOTH))


@cache
def mixture() -> CheckpointResults:
    return bundled_found(("mixture-em-5", "mixture-em-10", "mixture-em-20"), failed=("broken",))


def _part() -> None:
    """The script: one part, with the jobs that it waits for."""
    from importlib import import_module

    import streamlit as st

    from pages._shared import answers

    answers.aside()
    if st.session_state.get("name"):
        import_module(f"pages._triage.{st.session_state['name']}").draw(st.session_state["found"])


def part(name: str, found: CheckpointResults, **state: object) -> AppTest:
    app = AppTest.from_function(_part, default_timeout=60)
    for key, value in {"name": name, "found": found, **state}.items():
        app.session_state[key] = value
    return run(app)


def run(app: AppTest) -> AppTest:
    """Once, and again as the page does while a job is at work."""
    for _ in range(200):
        app.run()
        healthy(app)
        if not any("It comes as soon as" in each.value for each in app.caption):
            return app
    raise AssertionError("the job never ended")


def panes(app: AppTest) -> dict[str, dict]:
    content = app.get("bidi_component")[0].proto.bytes
    return {pane["id"]: pane for pane in json.loads(content[12:])["panes"]}


def drawn_difference(app: AppTest) -> list[float]:
    values = panes(app)["triage-pair-precision"]["figure"]["data"][2]["y"]
    return np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"]).tolist()


def said(app: AppTest) -> str:
    return "\n".join(each.value for each in (*app.markdown, *app.success, *app.warning, *app.info))


def order(app: AppTest) -> list[str]:
    return app.dataframe[0].value["checkpoint"].tolist()


def test_the_goal_decides_the_order_and_presets_are_places_of_its_slider() -> None:
    found, orders = truncation(), {}
    app = part("ranking", found)
    for name, goal in {"Balanced: AuC": 0.5, **ranking.PRESETS}.items():
        app.segmented_control(key=ranking.PRESET).set_value(name)
        run(app)
        expected = rank(found.measured, goal, MANY)
        orders[goal] = order(app)
        assert app.slider(key=GOAL).value == goal
        assert orders[goal] == expected["checkpoint"].tolist()
        shown = app.dataframe[0].value
        assert np.allclose(shown[["score", "low", "high"]], expected[["score", "low", "high"]])
        assert shown["best"].tolist() == pytest.approx((100 * expected["best"]).tolist())
        drawn = panes(app)["triage-ranking-intervals"]["figure"]
        assert drawn["layout"]["yaxis"]["ticktext"] == orders[goal]
    # A smaller psi gives up recall for precision.
    assert [name for name in orders[0.0] if name != LOW[2]] == [LOW[0], LOW[1]]
    assert [name for name in orders[1.0] if name != LOW[2]] == [LOW[1], LOW[0]]
    app.slider(key=GOAL).set_value(0.25)
    run(app)
    assert app.segmented_control(key=ranking.PRESET).value is None
    assert order(app) == rank(found.measured, 0.25)["checkpoint"].tolist()


def test_ties_and_families_are_said_in_words() -> None:
    app = part("ranking", mixture())
    table = rank(mixture().measured, 0.5, MANY)
    (box,) = app.warning  # also where the best is alone: real data get more
    assert box.value.startswith(
        verdict(table, lambda name: name.replace("-", "\\-")) + " It differs from the real data: "
    )
    shown = panes(app)["triage-ranking-intervals"]
    assert "two halves of the reference, 898 samples each" in shown["caption"]
    line = [shape for shape in shown["figure"]["layout"]["shapes"] if "label" in shape]
    assert line[0]["x0"] == pytest.approx(table["score"][0] / (app.dataframe[0].value["real"][0] / 100))
    told = app.dataframe[0].value["against"].tolist()
    assert ["may be best too" in each for each in told[1:]] == table["tied_with_best"][1:].tolist()
    assert "Kendall" not in said(app)
    both = said(part("ranking", truncation()))
    assert "All 2 families put **truncation\\-0\\.6** first." in both
    assert "Kendall's τ" in both


def test_copies_outrank_the_ranking_and_only_what_reaches_the_ceiling_is_green(tmp_path: Path) -> None:
    """A copy of the reference, then samples as good as real ones, with others held out."""
    real, fresh, held = (Samples(np.random.default_rng(seed).normal(size=(300, 4))) for seed in range(3))
    for values, memorised in ((real.values, True), (fresh.values, False)):
        files = {"best": values, "worst": fresh.values + 3}
        for name, each in files.items():
            np.save(tmp_path / f"{name}.npy", each)
        checkpoints = [Checkpoint(tmp_path / f"{name}.npy", name) for name in files]
        outcomes = tuple(measure_all(real, checkpoints, TriageSettings()))
        found = CheckpointResults(
            key=("copies", memorised),
            reference=real,
            load=lambda each: samples_at(each.path, TriageSettings()),
            settings=TriageSettings(),
            method="knn",
            outcomes=outcomes,
            total=2,
            holdout=held,
        )
        app = part("ranking", found)
        assert [each.value.startswith("Memorised: ") and "300 exact copies" in each.value for each in app.error] == (
            [True] if memorised else []
        )
        (box,) = app.warning if memorised else app.success
        assert box.value.startswith("Take best: ")
        assert box.value.endswith("It can't be told apart from real data at this n.")


def test_the_row_that_is_selected_is_that_of_the_checkpoint_whatever_the_goal() -> None:
    app = part("ranking", truncation(), **{KEY: TriageSession(selected=LOW[0])})
    for goal in (0.0, 1.0):
        app.slider(key=GOAL).set_value(goal)
        run(app)
        rows = app.session_state[RANKING_TABLE]["selection"]["rows"]
        assert [order(app)[row] for row in rows] == [LOW[0]]
        shapes = panes(app)["triage-ranking-intervals"]["figure"]["layout"]["shapes"]
        assert [shape["y0"] for shape in shapes if shape["type"] == "rect"] == [rows[0] - 0.5]
    app.session_state[KEY].selected = None
    run(app)
    assert app.session_state[RANKING_TABLE]["selection"]["rows"] == []


def test_while_results_come_in_those_so_far_are_ranked() -> None:
    found = mixture()
    early = replace(found, outcomes=found.outcomes[:2], key="early")
    app = part("ranking", early)
    assert "a ranking of the 2 measured first; 2 more are still to come" in said(app)
    assert set(order(app)) == set(early.names)
    app.session_state["found"] = found
    assert set(order(run(app))) == set(found.names)
    assert "so far" not in said(app).lower()
    alone = part("ranking", replace(found, outcomes=found.outcomes[:1], key="one"))
    assert "A ranking needs two" in said(alone)


def test_another_name_stands_in_the_same_ranking() -> None:
    found = mixture()
    app = part("ranking", found)
    before = order(app)
    called = [replace(each.checkpoint, name=f"{each.checkpoint.name}'") for each in found.outcomes]
    outcomes = tuple(
        each._replace(checkpoint=one, measured=tuple(own.named(one) for own in each.measured))
        for each, one in zip(found.outcomes, called, strict=True)
    )
    held = len(app.session_state["_Session"].results)
    app.session_state["found"] = replace(found, outcomes=outcomes, key="named")
    assert order(run(app)) == [f"{name}'" for name in before]
    assert len(app.session_state["_Session"].results) == held + 1  # the sides of the curves, by their new names


def test_two_checkpoints_are_compared_as_the_core_does_and_swapping_mirrors_all() -> None:
    found = truncation()
    app = part("comparison", found)
    a, b = app.session_state[PAIR[0]], app.session_state[PAIR[1]]
    assert [a, b] == rank(found.measured, 0.5, 20)["checkpoint"][:2].tolist()
    one, other = found.one(a), found.one(b)
    expected = compare_two(one, other, MANY)
    assert f"Only A covers {len(expected.only_a):,}" in said(app)
    assert f"Only B covers {len(expected.only_b):,}" in said(app)
    assert len(expected.only_a) > 0
    assert drawn_difference(app) == pytest.approx(expected.alpha.tolist())
    paired: GeneratorComparison = compare_curves(one, other, MANY)
    shown = app.dataframe[0].value
    assert shown["low"].tolist() == pytest.approx([each.low for each in paired.differences.values()])
    says = shown["says"].tolist()
    app.button(key="triage-pair-swap").click()
    run(app)
    assert (app.session_state[PAIR[0]], app.session_state[PAIR[1]]) == (b, a)
    assert drawn_difference(app) == pytest.approx((-expected.alpha).tolist())
    assert f"Only A covers {len(expected.only_b):,}" in said(app)
    assert app.dataframe[0].value["difference"].tolist() == pytest.approx((-shown["difference"]).tolist())
    assert "▲ A" in says
    assert "▼ B" in app.dataframe[0].value["says"].tolist()


def test_the_pair_follows_the_selection_and_choosing_the_other_one_swaps() -> None:
    app = part("comparison", truncation(), **{KEY: TriageSession(selected=LOW[0])})
    best = rank(truncation().measured, 0.5, 20)["checkpoint"][0]
    assert (app.session_state[PAIR[0]], app.session_state[PAIR[1]]) == (LOW[0], best)
    app.selectbox(key=PAIR[1]).set_value(LOW[0])
    run(app)
    assert (app.session_state[PAIR[0]], app.session_state[PAIR[1]]) == (best, LOW[0])
    app.session_state[KEY].selected = LOW[1]
    run(app)
    assert (app.session_state[PAIR[0]], app.session_state[PAIR[1]]) == (LOW[1], best)
    alone = part("comparison", replace(mixture(), outcomes=mixture().outcomes[:1], key="one"))
    assert [each.value for each in alone.info] == ["Two measured checkpoints are needed to compare them; one is there."]


def test_the_file_names_the_rows_of_the_reference() -> None:
    found = mixture()
    one, other = found.measured[0], found.measured[2]
    along = compare_two(one, other, 2)
    assert len(along.only_a)
    split = found.pair(one).split(found.settings.split, found.settings.seed)
    rows = split.evaluate_rows[0][along.rows[along.only_a]]
    text = comparison.only_csv(found, comparison._evaluated(found)[along.rows][along.only_a], "=evil")
    table = list(csv.DictReader(io.StringIO(text)))
    assert [int(line["row"]) for line in table] == (rows + 1).tolist()
    assert [int(float(line["digit"])) for line in table] == found.reference.labels["digit"][rows].tolist()
    assert {line["only covered by"] for line in table} == {"'=evil"}
