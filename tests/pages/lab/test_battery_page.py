"""The bias lab's sanity battery: the truth's verdicts at once, verdicts as rows come, and a cell in
detail.
"""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import prviz.studies.battery.tasks
from pages._lab import battery, battery_table
from pages._lab.battery import SCENARIOS, like_problem
from pages._lab.battery_table import FIRST_CHECKS, Choice
from prviz.reports.settings import ExploreSettings
from prviz.studies.battery import (
    CHECKS,
    COLUMNS,
    JUDGED,
    MODES,
    PASSES,
    SCORES,
    SIDES,
    battery_tasks,
    judge,
    oracle_rows,
    published_verdict,
)
from prviz.studies.battery.tasks import keep
from prviz.studies.kept_rows import Provenance
from prviz.studies.tasks import table
from prviz.toys import toy
from tests.explore_app import APP, assert_link_gives, healthy
from tests.lab_app import button, press, said, section, until_done

FACTS = Provenance(
    "2026-01-02",
    {"Python": "3.11", "prviz": "0.1.0"},
    "Some processor, 2 cores",
    "prviz battery x",
    61.0,
)
CHEAP = "gaussian-mixture-mode-dropping-invention"
REPEATS = MODES["quick"][1]
FAR = "gaussian-high-dim-one-disjoint-dim"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where results are kept: nowhere yet."""
    monkeypatch.setattr(prviz.studies.battery.tasks, "folder", lambda: tmp_path)
    battery._shared().clear()
    return tmp_path


def opened(*checks: str, **choices: object) -> AppTest:
    """The section with these checks and choices."""
    app = AppTest.from_file(APP, default_timeout=60)
    app.query_params["section"] = "Sanity battery"
    app.session_state["battery.result"] = "Run it yourself"
    app.session_state["battery.which"] = "My choice"
    app.session_state["battery.checks"] = list(checks)
    for name, value in choices.items():
        app.session_state[f"battery.{name}"] = value
    app.switch_page("pages/bias_lab.py").run()
    healthy(app)
    return app


def components(app: AppTest) -> list[bytes]:
    return [each.proto.bytes for each in app.get("bidi_component")]


def shown(app: AppTest) -> dict:
    """What the table was sent."""
    return next(json.loads(each) for each in components(app) if each.startswith(b'{"caption"'))


def panes(app: AppTest) -> list[dict]:
    """What the figure of the detail was sent."""
    return next(json.loads(each) for each in components(app) if b'"panes":' in each)["panes"]


def cell(app: AppTest, row: int, column: int) -> dict:
    return shown(app)["rows"][row]["cells"][column]


def choose(app: AppTest, place: str) -> AppTest:
    app.session_state[battery_table.KEY] = {"cell": place}
    app.run()
    healthy(app)
    return app


def test_the_truths_verdicts_are_there_before_anything_is_measured() -> None:
    app = opened(FAR, CHEAP)
    found = shown(app)
    assert found["measured"] == 0
    assert [(row["check"], row["tag"]) for row in found["rows"]] == [
        (CHECKS[name].title, tag) for name in (CHEAP, FAR) for tag in ("bounds", "purpose")
    ]
    assert [column["label"] for column in found["columns"]] == [
        "kNN, α(10) and β(1/10)",
        "improved precision and recall",
        "density and coverage",
    ]
    oracle = judge(oracle_rows([CHEAP, FAR], ["knn@10", "i-prec/i-rec"])).set_index(
        ["check", "tag", "reading", "side"]
    )
    for row in found["rows"]:
        for each in row["cells"][:4]:
            assert (each["verdict"], each["kind"]) == ("", "wait")
            assert each["oracle"] == oracle.loc[tuple(each["id"].split("|")), "verdict"]
    # support scores: the two Gaussians lie in each other's support, so that 0 is the wrong thing to
    # ask for
    assert cell(app, 2, 2)["oracle"] == "F"
    assert cell(app, 2, 2)["published"] == "F"
    assert cell(app, 2, 0)["published"] == ""
    passed, truth, paper = (total["values"] for total in found["totals"])
    assert passed == ["–"] * 6
    assert truth[0] == "4 of 4"
    assert truth[2] == "3 of 4"
    assert (paper[0], paper[2]) == ("–", "2 of 4")
    assert "nothing is measured yet" in app.subheader[0].value
    choose(app, cell(app, 0, 0)["id"])
    assert "Not measured yet. The truth passes here." in said(app)
    assert button(app, "Start") is not None


def test_the_section_opens_with_what_is_kept_beside_the_truth(place: Path) -> None:
    made = battery_tasks([CHEAP, FAR], ["symprec/symrec"], repeats=2)
    rows = table((row for task in made for row in task.run()), COLUMNS)
    keep(rows, FACTS)
    app = section("Sanity battery")
    found = shown(app)
    expected = judge(rows).set_index(["check", "tag", "reading", "side"])
    assert len(expected) == 8
    wrong: dict[str, list[bool]] = {side: [] for side in SIDES}
    for row in found["rows"]:
        for side, each, truth in zip(SIDES, row["cells"], row["truth"], strict=True):
            line = expected.loc[tuple(each["id"].split("|"))]
            assert (each["verdict"], each["oracle"]) == (line["verdict"], line["oracle"])
            assert truth["kind"] == ("right" if line["oracle"] in PASSES else "asks")
            if line["oracle"] in PASSES:
                wrong[side].append(line["verdict"] not in PASSES)
    assert wrong["fidelity"] == wrong["diversity"] == [True] * 3
    assert app.subheader[0].value == "Where the truth passes, each number fails 3 of 3"
    assert "Measured on 2026-01-02" in said(app).replace("\\", "")
    app.segmented_control(key="battery.result").set_value("Run it yourself").run()
    healthy(app)
    assert shown(app)["measured"] == 0
    assert button(app, "Start")


def test_what_else_is_reported_has_its_own_table_beside_the_truth(place: Path) -> None:
    made = battery_tasks([CHEAP, FAR], ["symprec/symrec", "fd", "vendi"], repeats=2)
    rows = table((row for task in made for row in task.run()), COLUMNS)
    keep(rows, FACTS)
    app = section("Sanity battery")
    app.segmented_control(key="battery.result").set_value(battery.OTHERS).run()
    healthy(app)
    found = shown(app)
    assert [[side["label"] for side in column["sides"]] for column in found["columns"]] == [
        ["FD, fidelity", "FD, diversity"],
        ["Vendi"],
    ]
    assert [total["label"] for total in found["totals"]] == ["passed", "the truth passes"]
    expected = judge(rows).set_index(["check", "tag", "reading", "side"])
    for row in found["rows"]:
        assert len(row["cells"]) == 3
        for each in row["cells"]:
            assert each["verdict"] == expected.loc[tuple(each["id"].split("|")), "verdict"]
    choose(app, found["rows"][0]["cells"][-1]["id"])
    assert "Vendi" in said(app)
    assert "2 repeats" in said(app)


def test_damaged_kept_rows_are_told_and_not_shown(place: Path) -> None:
    rows = table(
        (row for task in battery_tasks([CHEAP], ["c-prec/c-rec"], repeats=2) for row in task.run()),
        COLUMNS,
    )
    (path,) = keep(rows, FACTS)
    path.write_bytes(path.read_bytes() + b"\n")
    app = opened(CHEAP, scores=["c-prec/c-rec"])
    assert f"{CHEAP}.csv is not the file that" in app.warning[0].value.replace("\\", "")
    assert shown(app)["measured"] == 0
    assert button(app, "Start") is not None


def test_a_run_fills_the_table_and_another_point_of_the_curves_needs_no_other() -> None:
    app = until_done(press(opened(CHEAP, families=["knn"], scores=["i-prec/i-rec"]), "Start"))
    found = shown(app)
    assert found["measured"] == 10 * REPEATS * 2  # points, repeats, methods
    assert all(each["verdict"] in ("T", "F") for row in found["rows"] for each in row["cells"])
    made = battery_tasks([CHEAP], ["knn@10", "i-prec/i-rec"])
    rows = table((row for task in made for row in task.run()), COLUMNS)
    for point in ("10", "ends"):
        app.multiselect(key="battery.points").set_value([point]).run()
        healthy(app)
        assert button(app, "Start") is None
        expected = judge(rows, [f"knn@{point}"])["verdict"].tolist()
        assert [
            each["verdict"] for row in shown(app)["rows"] for each in row["cells"][:2]
        ] == _by_tag(expected)


def _by_tag(verdicts: list[str]) -> list[str]:
    """From (fidelity: bounds, purpose; diversity: bounds, purpose) to rows of the table."""
    return [verdicts[place] for place in (0, 2, 1, 3)]


def test_the_detail_says_what_decides_and_draws_the_sweep_beside_the_truth() -> None:
    app = until_done(
        press(opened(CHEAP, families=["knn"], points=["1"], scores=["density/coverage"]), "Start")
    )
    # at lambda = 1 a dropped mode costs precision, too
    choose(app, f"{CHEAP}|bounds|knn@1|fidelity")
    assert shown(app)["chosen"] == f"{CHEAP}|bounds|knn@1|fidelity"
    assert cell(app, 0, 0)["kind"] == "asks"
    assert "the check asks for something else" in said(app)
    choose(app, f"{CHEAP}|bounds|density/coverage|diversity")
    assert cell(app, 0, 3)["kind"] == "wrong"
    assert "the estimator is wrong here" in said(app)
    (line,) = (each.value for each in app.markdown if "Measured" in each.value)
    tasks = battery_tasks([CHEAP], ["density/coverage"])
    judged = judge(table((row for task in tasks for row in task.run()), COLUMNS))
    mine = judged[(judged["tag"] == "bounds") & (judged["side"] == "diversity")].iloc[0]
    assert mine["verdict"] == "F"
    assert (
        f"Value **{mine['value']:.3f}** ± {mine['spread']:.3f} (spread), threshold at least 0.95"
        in line
    )
    assert f"margin **{mine['margin']:+.3f}**" in line
    (pane,) = panes(app)
    traces = {trace["name"]: trace for trace in pane["figure"]["data"]}
    assert len(traces["Coverage"]["y"]) == len(traces["the truth, read alike"]["y"]) == 10
    assert "asked for, missed" in traces
    assert "1 at x = 5; 1 at the right end" in pane["caption"]
    (link,) = app.get("link_button")
    query = {name: found[0] for name, found in parse_qs(urlsplit(link.proto.url).query).items()}
    settings, messages = ExploreSettings.from_query(query)
    assert (settings.problem, messages) == ("finite", [])


def test_of_a_part_of_the_rows_only_whole_sweeps_have_verdicts() -> None:
    choice = Choice((CHEAP, FAR), ("i-prec/i-rec",), "quick")
    oracle = judge(oracle_rows(choice.checks, choice.readings), choice.readings)
    rows = table(
        (row for task in battery_tasks([CHEAP], choice.readings, n=100) for row in task.run()),
        COLUMNS,
    )
    for part, verdicts in ((rows[rows["place"] < 9], 0), (rows, 4), (rows[rows["repeat"] == 0], 4)):
        known = battery_table.cells(choice, oracle, judge(part, choice.readings))
        assert len(known) == 8
        assert sum(bool(each.verdict) for each in known.values()) == verdicts
        assert all(each.kind == "wait" for each in known.values() if each.place.check == FAR)
    assert len(battery_table.cells(choice, oracle, pd.DataFrame(columns=list(JUDGED)))) == 8


def test_a_part_of_a_sweep_is_drawn_as_far_as_it_goes() -> None:
    def page() -> None:
        from pages._lab import battery
        from pages._lab.battery_table import Choice
        from prviz.studies.battery import COLUMNS, battery_tasks
        from prviz.studies.tasks import table

        choice = Choice(("gaussian-mixture-mode-dropping-invention",), ("knn@10",), "quick")
        rows = table(
            (row for task in battery_tasks(choice.checks, ["knn@10"], n=100) for row in task.run()),
            COLUMNS,
        )
        battery._draw(choice, battery._oracle(choice), rows[rows["place"] < 4])

    app = AppTest.from_function(page, default_timeout=60)
    app.session_state[battery_table.KEY] = {"cell": f"{CHEAP}|bounds|knn@10|fidelity"}
    app.run()
    healthy(app)
    assert shown(app)["measured"] == 4 * REPEATS
    assert cell(app, 0, 0)["kind"] == "wait"
    (pane,) = panes(app)
    traces = {trace["name"]: trace for trace in pane["figure"]["data"]}
    assert traces["α(10)"]["x"] == [1, 2, 3, 4]
    assert len(traces["the truth, read alike"]["x"]) == 10


def test_what_is_missing_is_said() -> None:
    app = opened(CHEAP, families=[], scores=[])
    assert "a family with a point to read it at, or a published pair" in app.info[0].value
    app = opened(families=["knn"])
    assert "Choose at least a check, and a family" in app.info[0].value


@pytest.mark.parametrize("name", CHECKS)
def test_words_and_links_are_there_for_every_check(name: str) -> None:
    check = CHECKS[name]
    assert set(check.scenarios) <= {"", *SCENARIOS}
    for dim in check.dims:
        settings = like_problem(name, dim)
        if settings is not None:
            assert_link_gives(settings, settings.to_query())
            toy(settings.problem, **settings.parameters)
    assert set(FIRST_CHECKS) <= set(CHECKS)


def test_the_number_of_failed_checks_is_that_of_the_published_verdicts() -> None:
    failed = {
        score: {
            name
            for name in CHECKS
            for tag in battery_table.tags(name)
            for side in SIDES
            if (verdict := published_verdict(name, tag, side, score)) and verdict not in PASSES
        }
        for score in SCORES
    }
    assert f"failed {min(map(len, failed.values()))} or more" in battery.IDEA
    assert f"{len(CHECKS)} such checks" in battery.IDEA


def test_an_estimator_that_meets_what_the_truth_meets_is_told_so() -> None:
    place = battery_table.CellPlace(next(iter(CHECKS)), "", "", "")
    assert "meets each criterion that the truth itself meets" in battery._besides([], place)
