"""The bias lab's sanity battery: the truth's verdicts at once, verdicts as rows come, and a cell in
detail.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

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
from tests.explore_app import (
    assert_link_gives,
    button,
    choose,
    load,
    panes,
    press,
    put,
    said,
    traces,
)
from tests.lab_app import section, until_done

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


def rows_of(checks: Sequence[str], readings: Sequence[str], **size: int) -> pd.DataFrame:
    """What a run of these checks measures."""
    tasks = battery_tasks(checks, readings, **size)
    return table((row for task in tasks for row in task.run()), COLUMNS)


def judged(rows: pd.DataFrame) -> pd.DataFrame:
    """The verdicts, by the places of their cells."""
    return judge(rows).set_index(["check", "tag", "reading", "side"])


def opened(*checks: str, **choices: object) -> AppTest:
    """The section with these checks and choices."""
    state = {
        "battery.result": "Run it yourself",
        "battery.which": "My choice",
        "battery.checks": list(checks),
        **{f"battery.{name}": value for name, value in choices.items()},
    }
    return load("bias_lab", state, section="Sanity battery")


def components(app: AppTest) -> list[bytes]:
    return [each.proto.bytes for each in app.get("bidi_component")]


def shown(app: AppTest) -> dict:
    """What the table was sent."""
    return next(json.loads(each) for each in components(app) if each.startswith(b'{"caption"'))


def cell(app: AppTest, row: int, column: int) -> dict:
    return shown(app)["rows"][row]["cells"][column]


def open_cell(app: AppTest, place: str) -> AppTest:
    return put(app, **{battery_table.KEY: {"cell": place}})


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
    oracle = judged(oracle_rows([CHEAP, FAR], ["knn@10", "i-prec/i-rec"]))
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
    open_cell(app, cell(app, 0, 0)["id"])
    assert "Not measured yet. The truth passes here." in said(app)
    assert button(app, "Start") is not None


def test_the_section_opens_with_what_is_kept_beside_the_truth(place: Path) -> None:
    rows = rows_of([CHEAP, FAR], ["symprec/symrec"], repeats=2)
    keep(rows, FACTS)
    app = section("Sanity battery")
    found = shown(app)
    expected = judged(rows)
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
    assert "Measured on 2026-01-02" in said(app)
    choose(app, "battery.result", "Run it yourself")
    assert shown(app)["measured"] == 0
    assert button(app, "Start")


def test_what_else_is_reported_has_its_own_table_beside_the_truth(place: Path) -> None:
    rows = rows_of([CHEAP, FAR], ["symprec/symrec", "fd", "vendi"], repeats=2)
    keep(rows, FACTS)
    app = section("Sanity battery")
    choose(app, "battery.result", battery.OTHERS)
    found = shown(app)
    assert [[side["label"] for side in column["sides"]] for column in found["columns"]] == [
        ["FD, fidelity", "FD, diversity"],
        ["Vendi"],
    ]
    assert [total["label"] for total in found["totals"]] == ["passed", "the truth passes"]
    expected = judged(rows)
    for row in found["rows"]:
        assert len(row["cells"]) == 3
        for each in row["cells"]:
            assert each["verdict"] == expected.loc[tuple(each["id"].split("|")), "verdict"]
    open_cell(app, found["rows"][0]["cells"][-1]["id"])
    assert "Vendi" in said(app)
    assert "2 repeats" in said(app)


def test_damaged_kept_rows_are_told_and_not_shown(place: Path) -> None:
    (path,) = keep(rows_of([CHEAP], ["c-prec/c-rec"], repeats=2), FACTS)
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
    rows = rows_of([CHEAP], ["knn@10", "i-prec/i-rec"])
    for point in ("10", "ends"):
        choose(app, "battery.points", [point])
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
    open_cell(app, f"{CHEAP}|bounds|knn@1|fidelity")
    assert shown(app)["chosen"] == f"{CHEAP}|bounds|knn@1|fidelity"
    assert cell(app, 0, 0)["kind"] == "asks"
    assert "the check asks for something else" in said(app)
    open_cell(app, f"{CHEAP}|bounds|density/coverage|diversity")
    assert cell(app, 0, 3)["kind"] == "wrong"
    assert "the estimator is wrong here" in said(app)
    (line,) = (each.value for each in app.markdown if "Measured" in each.value)
    verdicts = judged(rows_of([CHEAP], ["density/coverage"]))
    mine = verdicts.loc[CHEAP, "bounds", "density/coverage", "diversity"]
    assert mine["verdict"] == "F"
    assert (
        f"Value **{mine['value']:.3f}** ± {mine['spread']:.3f} (spread), threshold at least 0.95"
        in line
    )
    assert f"margin **{mine['margin']:+.3f}**" in line
    (pane,) = panes(app).values()
    drawn = traces(pane)
    assert len(drawn["Coverage"]["y"]) == len(drawn["the truth, read alike"]["y"]) == 10
    assert "asked for, missed" in drawn
    assert "1 at x = 5; 1 at the right end" in pane["caption"]
    (link,) = app.get("link_button")
    query = dict(parse_qsl(urlsplit(link.proto.url).query))
    settings, messages = ExploreSettings.from_query(query)
    assert (settings.problem, messages) == ("finite", [])


def test_of_a_part_of_the_rows_only_whole_sweeps_have_verdicts() -> None:
    choice = Choice((CHEAP, FAR), ("i-prec/i-rec",), "quick")
    oracle = judge(oracle_rows(choice.checks, choice.readings), choice.readings)
    rows = rows_of([CHEAP], choice.readings, n=100)
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
        from tests.pages.lab.test_battery_page import rows_of

        choice = Choice(("gaussian-mixture-mode-dropping-invention",), ("knn@10",), "quick")
        rows = rows_of(choice.checks, ["knn@10"], n=100)
        battery._draw(choice, battery._oracle(choice), rows[rows["place"] < 4])

    app = AppTest.from_function(page, default_timeout=60)
    open_cell(app, f"{CHEAP}|bounds|knn@10|fidelity")
    assert shown(app)["measured"] == 4 * REPEATS
    assert cell(app, 0, 0)["kind"] == "wait"
    (pane,) = panes(app).values()
    drawn = traces(pane)
    assert drawn["α(10)"]["x"] == [1, 2, 3, 4]
    assert len(drawn["the truth, read alike"]["x"]) == 10


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
