"""The panel Space by Streamlit's own test driver: what the browser regroups from, choice, selection
and files.
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages._explore import space
from pages._explore.session import PANEL_TAB
from pages._shared import sample_display
from prviz.diagnostics.confusion_groups import GROUPS, NO_SUPPORT, OptimalClassifiers
from prviz.live import problems, results
from prviz.live.store import Stores
from prviz.readers.bundled import BUNDLED
from prviz.reports.settings import ExploreSettings
from prviz.samples import SamplePair, Samples
from prviz.toys import TOYS
from tests import slow_twins
from tests.explore_app import (
    at_panel,
    bundled,
    figures,
    healthy,
    last_word,
    move,
    normal,
    opened,
    payload,
    tell,
    uploaded,
    vertices,
)
from tests.marks import exhaustive, exhaustive_but


def at_samples(**query: str) -> AppTest:
    return coloured(opened(panel="Space", **query), "Decision")


def coloured(app: AppTest, colour: str) -> AppTest:
    app.segmented_control(key="space-colour").set_value(colour)
    return settled(app)


def at(app: AppTest, panel: str) -> AppTest:
    app.session_state[PANEL_TAB] = panel
    return settled(app)


def names(app: AppTest) -> list[str]:
    """The groups in the scatter, as its traces are named."""
    return [trace["name"] for trace in drawn(app)["panes"][0]["figure"]["data"][:4]]


def family(app: AppTest, name: str) -> AppTest:
    app.selectbox(key="lambda-method").set_value(name)
    return settled(app)


def settled(app: AppTest) -> AppTest:
    """Wait until the requested drawing is on screen."""
    healthy(app.run())
    if payload(app)["coarse"] or payload(app)["stale"]:
        last_word(app)
    return app


def drawn(app: AppTest) -> dict[str, Any]:
    """What the scatter was sent."""
    return next(each for each in figures(app) if each.get("explorer"))


def explorer(app: AppTest) -> dict[str, Any]:
    return drawn(app)["explorer"]


def select(app: AppTest, picked: list[int], of: str | None = None) -> AppTest:
    app.session_state["samples"] = {"values": {"of": of or explorer(app)["of"], "picked": picked}}
    return settled(app)


def check_counts(sent: dict[str, Any]) -> None:
    """The browser counts at every classifier what Python sends, and can place every drawn
    sample.
    """
    n, m = sent["sizes"]
    levels = np.array(sent["levels"])
    assert len(levels) == n + m == len(sent["ids"] or levels)
    assert len(sent["missed"]) == len(sent["accepted"]) == len(sent["breaks"]) + 1
    for index in np.linspace(0, len(sent["breaks"]), 7).astype(int):
        called = np.where(
            levels == NO_SUPPORT, sent["unsupported"][index], levels >= sent["needed"][index]
        )
        assert int(np.sum(~called[:n])) == sent["missed"][index]
        assert int(np.sum(called[n:])) == sent["accepted"][index]


def test_the_roles_come_first_without_a_measurement_and_in_few_bytes() -> None:
    app = opened()
    assert app.segmented_control(key="space-colour").options == ["Sets", "Score", "Decision"]
    assert not [box for box in app.selectbox if box.key == "lambda-method"]
    first = drawn(settled(app))
    (pane,) = first["panes"]
    assert [(trace["name"], trace["marker"]["symbol"]) for trace in pane["figure"]["data"]] == [
        ("real", "circle"),
        ("generated", "triangle-up"),
    ]
    assert first["explorer"]["sizes"] == [1000, 1000]
    assert len(json.dumps(first, separators=(",", ":"))) < 37_000
    move(app, k=7)
    assert drawn(settled(app)) == first  # nothing is sent again


def test_a_sample_selected_among_the_roles_has_its_row_and_neighbours() -> None:
    app = opened(n="100")
    of = drawn(settled(app))["explorer"]["of"]
    select(app, [3, 70], of)
    sent = explorer(app)
    assert [(row["id"], row["real"], len(row["near"])) for row in sent["picked"]] == [
        (3, True, 3),
        (70, False, 3),
    ]
    assert (sent["lists"], sent["key"]) == ({}, "")
    assert explorer(coloured(app, "Decision"))["selected"] == [3, 70]
    assert len(app.download_button) == 4


@pytest.mark.parametrize("name", exhaustive_but(TOYS, "mixtures"))
def test_every_toy_and_its_truth(name: str) -> None:
    small = {"p.d": "3"} if "d" in TOYS[name] else {}
    app = at_samples(problem=name, n="60", **small)
    assert app.selectbox(key="lambda-method").options[-1] == "Truth"
    check_counts(explorer(app))
    family(app, "truth")
    sent = explorer(app)
    assert sent["title"] == "Truth (likelihood ratio)"
    check_counts(sent)
    assert [name.split(":")[0] for name in names(app)] == list(GROUPS.values())


def test_counts_are_those_of_the_curve() -> None:
    app = at_samples(problem="mixtures", n="300", k="7", lam="2")
    sent = explorer(app)
    curve = vertices(app)["knn"]
    n, m = sent["sizes"]
    found = np.column_stack([np.array(sent["missed"]) / n, np.array(sent["accepted"]) / m])
    np.testing.assert_allclose(found, curve, atol=1e-9)  # vertices travel with nine digits
    index = sum(each >= 2 for each in sent["breaks"])
    assert names(app)[1:3] == [
        f"real called generated: {sent['missed'][index]}",
        f"generated called real: {sent['accepted'][index]}",
    ]


@pytest.mark.parametrize("family", exhaustive_but(BUNDLED, "latent"))
def test_bundled_samples_have_labels_pictures_and_neighbours(family: str) -> None:
    app = at_samples(source="bundled", problem=BUNDLED[family].checkpoints[0].name, n="200")
    sent = explorer(app)
    check_counts(sent)
    rows = [row for each in sent["lists"].values() for row in each]
    pictures = BUNDLED[family].real == "digits"
    assert all(row["picture"].startswith("data:image/png") == pictures for row in rows)
    assert all(bool(row["text"]) != pictures for row in rows)
    assert all(len(row["near"]) == 3 for row in rows)
    assert any(row["labels"] for row in rows)
    assert any(drawn(app)["panes"][0]["pictures"]) == pictures


@pytest.mark.parametrize("d", exhaustive_but([1, 2, 5], 5))
def test_uploads_of_any_dimension_with_exact_neighbours(d: int) -> None:
    app = coloured(at_panel(uploaded(normal(0, d=d), normal(1, d=d)), "Space"), "Decision")
    sent = explorer(app)
    check_counts(sent)
    row = sent["lists"]["rejected"][0]
    y = normal(1, d=d)[row["row"] - 1]
    real = normal(0, d=d)
    squared = [slow_twins.squared_distance(y, x) for x in real]
    nearest = sorted(range(60), key=lambda i: (squared[i], i))[:3]
    assert row["near"] == [f"{i + 1} ({squared[i] ** 0.5:.3g})" for i in nearest]


def test_rows_are_those_of_the_file_also_of_a_subsample() -> None:
    app = at_samples(source="bundled", problem="rbm-epoch-30", n="100")
    problem = bundled("rbm-epoch-30", 100)
    whole = bundled("rbm-epoch-30", 10_000).pair
    shown = sample_display.evaluated(problem, results.Results({}, {}, dict))
    for place in (0, 1, 60, 99):
        role, row = shown.pair_row(place)
        side = (whole.real, whole.generated)[role]
        np.testing.assert_array_equal(
            side.values[shown.number(role, row) - 1],
            (problem.pair.real, problem.pair.generated)[role].values[row],
        )
    assert max(row["row"] for each in explorer(app)["lists"].values() for row in each) > 100


@exhaustive
def test_a_click_chooses_once_and_a_later_choice_here_counts() -> None:
    app = opened(n="100")
    at(app, "Extremes")
    move(app, angle=60.0)
    tell(app, "chosen", "kde")
    assert app.session_state["diagnostics"] == "Extremes"  # a click turns nothing over
    assert "colour" not in app.query_params
    assert float(app.query_params["lam"]) == pytest.approx(3**0.5, abs=1e-5)
    coloured(at(app, "Space"), "Decision")
    assert explorer(app)["title"] == "KDE"
    assert explorer(family(app, "ipr"))["title"] == "iPR"
    tell(app, "chosen", "truth")
    assert explorer(app)["title"].startswith("Truth")
    move(app, k=7)
    assert explorer(app)["title"].startswith("Truth")
    tell(app, "chosen", "nothing")
    assert explorer(app)["title"].startswith("Truth")


def test_a_selection_lives_as_long_as_its_samples() -> None:
    app = at_samples(n="100")
    of = explorer(app)["of"]
    sent = explorer(select(app, [3, 70, 70]))
    assert sent["selected"] == [row["id"] for row in sent["picked"]] == [3, 70]
    move(app, k=9)
    assert explorer(settled(app))["selected"] == [3, 70]
    at(app, "Numbers")
    assert explorer(at(app, "Space"))["selected"] == [3, 70]
    move(app, split=30)
    assert explorer(settled(app))["selected"] == []
    assert explorer(app)["of"] != of
    select(app, [1])
    move(app, seed=5)
    assert explorer(settled(app))["selected"] == []
    assert explorer(select(app, [2], of=of))["selected"] == []


@exhaustive
@pytest.mark.parametrize("colour", ["Belief", "Decision"])
def test_families_with_several_runs_or_with_some_samples_only(colour: str) -> None:
    app = coloured(opened(n="200", methods="hub,cluster,classifier", **{"p.d": "3"}), colour)
    for name, title in (("hub", "Hub"), ("cluster", "Clusters"), ("classifier", "Linear")):
        family(app, name)
        assert explorer(app)["title"].startswith(title)
        check_counts(explorer(app))
        (pane,) = drawn(app)["panes"]
        assert ("first run" in pane["help"]) is (name == "cluster")
        assert pane["id"] == f"samples-{colour.lower()}"


@exhaustive
def test_repeats_say_whose_groups_these_are() -> None:
    app = at_samples(n="100", repeats="2")
    assert "those of its first repeat" in drawn(app)["panes"][0]["help"]


def test_samples_keep_their_place_at_every_k() -> None:
    settings = ExploreSettings(problem="mixtures", parameters={"d": 8}, n=100)
    stores = Stores()
    changed = [
        replace(settings, **change) for change in ({}, {"k": 3}, {"seed": 1}, {"split": None})
    ]
    made = [
        sample_display.evaluated(
            problems.problem_of(each, stores=stores), results.Results({}, {}, dict)
        ).points
        for each in changed
    ]
    assert made[0] is made[1]
    assert len({each.tobytes() for each in made}) == 3


def test_each_group_is_a_file() -> None:
    values = np.random.default_rng(0).normal(size=(60, 2))
    labels = {
        "class": np.array(["a", "=1+1"] * 30),
        "text": np.array([f"word {i}" for i in range(60)]),
    }
    pair = SamplePair(Samples(values, "real", labels), Samples(values[:50] + 1, "generated"))
    settings = ExploreSettings(n=100, lam=2.0)
    shown = sample_display.DisplayedSamples(
        pair.split(0.5, 0), values, ("x", "y"), (np.arange(60) + 1, np.arange(50) + 1)
    )
    keys = np.random.default_rng(1).random(sum(shown.sizes))
    found = OptimalClassifiers.from_log_ratio(np.log(4 * keys), shown.sizes[0])
    seen: dict[str, list[int]] = {"real": [], "generated": []}
    for group, places in found.groups(2.0)._asdict().items():
        text = space.group_file(settings, shown, np.arange(len(keys)), found, "knn", group)
        rows = list(csv.DictReader(io.StringIO(text)))
        assert len(rows) == len(places)
        assert [float(row["key"]) for row in rows] == found.keys[places].tolist()
        assert {(row["group"], row["lam"], row["method"]) for row in rows} == {
            (GROUPS[group], "2.0", "knn")
        }
        seen[GROUPS[group].split()[0]] += [int(row["id"]) for row in rows]
        if GROUPS[group].startswith("real"):
            assert all(row["text"] == f"word {int(row['id']) - 1}" for row in rows)
            assert {row["class"] for row in rows} <= {"a", "'=1+1"}
    assert sorted(seen["real"]) == (shown.split.evaluate_rows[0] + 1).tolist()
    assert sorted(seen["generated"]) == (shown.split.evaluate_rows[1] + 1).tolist()
    told = shown.details(0)
    assert told["text"].startswith("word")
    assert told["labels"] in ("class a", "class =1+1")
