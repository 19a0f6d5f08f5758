"""The bias lab: its sections, and the sweep from what is typed to its rows."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import prviz
from pages._lab import SECTIONS, sweep
from prviz.cli.sweep import config_arguments, config_text
from prviz.estimators import ESTIMATORS
from prviz.studies.papers.errata import ERRATA
from prviz.studies.sweeps import SweepGrid, sweep_cells
from tests.explore_app import (
    button,
    choose,
    figures,
    healthy,
    move,
    opened,
    panes,
    press,
    put,
    said,
    sliders,
    traces,
)
from tests.lab_app import section, until_done

SMALL = {
    "problems": ["Shifted generator"],
    "methods": ["knn", "kde"],
    "dims": ["3"],
    "ns": ["40", "60"],
    "ks": ["4"],
    "splits": ["0.5"],
    "repeats": 2,
}


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No sweep starts by itself."""
    monkeypatch.setattr(sweep, "AT_ONCE", -1.0)


def first_pane(app: AppTest) -> dict:
    return figures(app)[0]["panes"][0]


def typed(app: object, **values: object) -> object:
    """The sweep's fields with these values."""
    for name, value in values.items():
        kind = "number_input" if isinstance(value, int) else "multiselect"
        getattr(app, kind)(key=f"sweep.{name}").set_value(value)
    return healthy(app.run())


def small(seed: int, **values: object) -> object:
    """A sweep of 2 x 2 x 2 rows, which no other test has started."""
    return typed(section("Sweep"), **{**SMALL, "seed": seed, **values})


def test_a_section_is_drawn_at_its_own_place_so_that_another_s_figures_go_at_once() -> None:
    places = []
    for name in ("Sweep", "Errata"):
        drawn = section(name).main.children.items()
        places.append(max(place for place, each in drawn if each.type != "empty"))
    assert places[1] == places[0] + 1


@pytest.mark.parametrize("name", SECTIONS)
def test_every_section_opens_by_its_link(name: str) -> None:
    app = section(name)
    assert app.segmented_control(key="section").value == name
    assert SECTIONS[name].IDEA in said(app)


def test_errata_are_a_line_each_and_open_to_a_figure() -> None:
    app = section("Errata")
    labels = [each.label.replace("\\", "") for each in app.expander]
    assert labels == [f"{each.place}: {each.says} → **{each.finding}**" for each in ERRATA]
    assert len(re.findall(r"[^\W\d_]{2,}", " ".join([SECTIONS["Errata"].IDEA, *labels]))) < 200
    put(app, **{f"erratum-{place}": True for place in range(len(ERRATA))})
    sent = [pane for each in figures(app) for pane in each["panes"]]
    assert [pane["title"] for pane in sent] == [
        title for erratum in ERRATA for title in erratum.chart().panels
    ]
    assert all(erratum.setting in said(app) for erratum in ERRATA)


def test_explore_is_as_it_was_after_the_lab() -> None:
    app = move(opened(n="60"), k=11)
    app.switch_page("pages/bias_lab.py").run()
    healthy(app)
    app.switch_page("pages/explore.py").run()
    healthy(app)
    assert sliders(app)["k"] == 11


def test_a_sweep_gives_the_rows_that_the_shell_gives_and_every_visitor_sees_them() -> None:
    app = small(seed=901)
    assert "4 measurements, about 1 s" in said(app)
    config = app.code[0].value
    assert app.code[1].value == "prviz sweep grid.toml --out rows.parquet"
    until_done(press(app, "Start"))
    assert "Done: 4 of 4 measurements" in said(app)
    assert {"Rows as CSV", "Rows as Parquet"} <= {each.label for each in app.get("download_button")}
    with ThreadPoolExecutor(1) as pool:
        expected = prviz.sweep(**config_arguments(config, "grid.toml"), executor=pool)
    settings = ["repeat", "n", "method", "iou"]
    ordered = expected.sort_values("repeat", kind="stable", ignore_index=True)
    pd.testing.assert_frame_equal(app.dataframe[1].value[settings], ordered[settings].round(4))
    means = expected.groupby(["n", "method"], sort=False)["iou"].agg(["mean", "std"])
    pane = first_pane(app)
    texts = {
        (y, x): text
        for trace in pane["figure"]["data"][1:]
        for x, y, text in zip(trace["x"], trace["y"], trace["text"], strict=True)
    }
    assert texts == {
        (
            row,
            column,
        ): f"{means.loc[(n, method), 'mean']:.2f}<br>±{means.loc[(n, method), 'std']:.2f}"
        for row, n in enumerate((40, 60))
        for column, method in enumerate(("knn", "kde"))
    }
    assert pane["title"] == "IoU: Shifted generator, d = 3, split = 0.5, k = 4"
    choose(app, "sweep.number", "deficit")
    assert first_pane(app)["title"].startswith("Deficit: Shifted generator")
    other = small(seed=901)
    assert "Done: 4 of 4 measurements" in said(other)
    assert button(other, "Start") is None


def test_a_short_sweep_starts_by_itself_and_stays_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep, "AT_ONCE", 60.0)
    app = small(seed=906, repeats=40)
    press(app, "Stop")
    app.run()
    assert button(app, "Stop") is None
    monkeypatch.setattr(sweep, "AT_ONCE", -1.0)
    app = small(seed=907)
    monkeypatch.setattr(sweep, "AT_ONCE", 60.0)
    app.run()
    until_done(app.run())
    assert "Done: 4 of 4 measurements" in said(app)


def test_stop_and_continue() -> None:
    app = small(seed=902, repeats=40)
    press(app, "Start")
    assert button(app, "Stop")
    press(app, "Stop")
    assert button(app, "Stop") is None
    # stopped before its first pair was measured
    again = "Continue" if button(app, "Continue") else "Start"
    until_done(press(app, again))
    assert "Done: 80 of 80 measurements" in said(app)


def test_what_goes_wrong_is_said_and_can_be_tried_again() -> None:
    def nothing(fit: object, evaluate: object) -> tuple[object, object]:
        raise RuntimeError("no support today")

    prviz.register("nothing", nothing)
    try:
        app = small(seed=903, methods=["nothing"])
        until_done(press(app, "Start"))
        assert "no support today" in said(app)
        assert "What was measured before stays." in said(app)
        assert button(app, "Start")
    finally:
        ESTIMATORS.pop("nothing")


REFUSED = [
    ({"problems": []}, "Problems (problems): nothing was given"),
    ({"ks": ["4", "x"]}, "Neighbours k (ks): 'x' was given; whole numbers or \"sqrt\" are needed"),
    ({"ns": []}, "Samples n per set (ns): nothing was given"),
    ({"ks": ["40"]}, "k = 40; an integer from 1 to 19"),
    ({"splits": ["1.5"]}, "split = 1.5; a share between 0 and 1"),
    ({"dims": ["0"]}, "d = 0; an integer from 1 to 4,096"),
    ({"ns": ["3000000"]}, "n = 3,000,000 and d = 3 take"),
    ({"ns": ["10000000"], "dims": ["4096"]}, "numbers per set; at most 20,480,000"),
    (
        {"repeats": 100, "splits": ["0.5", "none"], "ns": [*map(str, range(40, 70))]},
        "6,000 pairs of samples are",
    ),
    ({"repeats": 100, "ks": [*map(str, range(1, 19))]}, "7,200 rows are asked for; at most 5,000"),
]


def test_what_can_not_be_measured_is_said_with_what_is_allowed() -> None:
    app = small(seed=904)
    for values, message in REFUSED:
        typed(app, **{**SMALL, **values})
        assert message in app.error[0].value.replace("\\", "")
        assert button(app, "Start") is None
    typed(app, **SMALL)
    assert button(app, "Start")


def test_rows_of_a_visitors_own_data_are_for_this_visitor_alone() -> None:
    def script() -> None:
        import streamlit as st

        from pages._shared import cache, work_box
        from prviz.studies.sweeps import COLUMNS, SweepGrid, sweep_cells

        cells = sweep_cells(SweepGrid("identical", "knn", ns=(40,), dims=(2,), repeats=3))
        work_box.box(
            work_box.WorkRequest("own", "Own", cells, COLUMNS, 1.0, private=True),
            lambda rows, complete: st.write(complete),
        )
        if st.button("Forget"):
            cache.session().clear()

    app = AppTest.from_function(script, default_timeout=60).run()
    until_done(press(app, "Start"))
    assert "Done: 3 of 3" in said(app)
    other = AppTest.from_function(script, default_timeout=60).run()
    assert button(other, "Start")
    press(app, "Forget").run()
    assert button(app, "Start")


def test_every_problem_offered_has_a_configuration_that_says_the_same() -> None:
    problems = list(sweep.named_problems().values())
    arguments = {
        "problems": problems,
        "methods": ["knn"],
        "ks": [3, "sqrt"],
        "bandwidths": [None, 0.5],
        "splits": [None, 0.25],
        "ns": [None, 50],
        "dims": [None],
        "repeats": 2,
        "seed": 5,
    }
    read = config_arguments(config_text(arguments), "grid.toml")
    keys = [
        [key for cell in sweep_cells(SweepGrid(**given)) for key in cell.keys]
        for given in (arguments, read)
    ]
    assert keys[0] == keys[1]


def test_over_k_has_a_star_and_the_limits_of_every_pair() -> None:
    app = until_done(
        press(small(seed=905, ks=["2, 5", "9"], ns=["40"], methods=["knn", "kde"]), "Start")
    )
    over_k = panes(app)["sweep-k-0"]
    assert over_k["title"] == "Shifted generator: two Gaussians, d = 3, n = 40, split 0.5"
    lines = {name: each for name, each in traces(over_k).items() if each["mode"] == "lines"}
    problem = sweep.named_problems()["Shifted generator"]
    problem = prviz.toy(problem.name, **{**problem.parameters, "d": 3})
    expected = [problem.limit("knn", k).iou(problem.truth()) for k in (2, 5, 9)]
    assert lines["kNN at n = ∞"]["y"] == pytest.approx(expected)
    assert "KDE at n = ∞" not in lines
