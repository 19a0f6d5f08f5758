"""The section of experiments by Streamlit's own test driver, and what is kept of runs at paper
size.
"""

from __future__ import annotations

import base64
import random
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import prviz.studies.kept_rows
import prviz.studies.papers.base as kept
from pages._lab import experiments as section
from prviz.measure.curve_conventions import PAPERS, CurveConvention
from prviz.reports.settings import ExploreSettings
from prviz.studies.kept_rows import KeptRows, Provenance
from prviz.studies.papers import EXPERIMENTS, Experiment
from prviz.studies.papers.base import FIGURE_COLUMNS, keep, stored
from prviz.studies.papers.forensics import DRAWINGS, read_by
from prviz.studies.tasks import table
from tests.explore_app import (
    assert_link_gives,
    button,
    choose,
    figures,
    healthy,
    load,
    said,
    widget,
)

FACTS = Provenance(
    "2026-01-02",
    {"Python": "3.11", "prviz": "0.1.0"},
    "Some processor, 2 cores",
    "prviz experiment x",
    61.0,
)
SMALL = 40
SAME = EXPERIMENTS["same"]


def measured(experiment: Experiment, tasks: int) -> pd.DataFrame:
    """The rows of the first tasks, of few samples."""
    first = experiment.tasks("quick", repeats=1, most=SMALL)[:tasks]
    return table((row for task in first for row in task.run()), experiment.columns)


def known(experiment: Experiment, *folder: Path) -> KeptRows:
    """What is kept of an experiment, which there is."""
    found = stored(experiment, *folder)
    assert found is not None
    return found


def opened(**query: str) -> AppTest:
    app = load("bias_lab", {"section": "Experiments"}, **query)
    assert app.title[0].value == "Bias lab"
    return app


def head(app: AppTest) -> str:
    """The heading, without the signs that escape Markdown."""
    return app.subheader[0].value.replace("\\", "").replace("\u00a0", " ")


def has_start(app: AppTest) -> bool:
    """True if the page measures anew: there is a button for it, and no choice of a kept result."""
    keys = {each.key for each in app.segmented_control}
    return button(app, "Start") is not None and "result" not in keys


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_is_drawn_from_the_rows_that_are_there(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One row alone, as the first of a run, is shown like a kept result: what it says, chart,
    table, link.
    """
    experiment = EXPERIMENTS[name]
    monkeypatch.setattr(kept, "folder", lambda: tmp_path)
    rows = measured(experiment, 1)
    keep(experiment, rows, FACTS)
    found = known(experiment)
    pd.testing.assert_frame_equal(
        experiment.figures(found.rows), experiment.figures(rows), atol=1e-4
    )
    app = opened(experiment=name)
    assert app.selectbox(key="experiment").value == name
    ordered = experiment.ordered(found.rows)
    values = {
        label: first if first in set(ordered[label]) else ordered[label].iloc[0]
        for label, first in experiment.choices.items()
    }
    at = experiment.chosen(found.rows, values)
    drawn = experiment.chosen(
        found.rows, {label: value for label, value in values.items() if label != experiment.along}
    )
    assert head(app) == experiment.message(at)
    shown = said(app)
    assert experiment.question in shown
    assert experiment.setting("paper") in shown
    assert experiment.says(drawn) in shown
    assert "Measured on 2026-01-02" in shown
    (sent,) = figures(app)
    assert [pane["title"] for pane in sent["panes"]] == list(experiment.chart(drawn).panels)
    assert all(len(pane["alt"]) > 20 for pane in sent["panes"])
    lines = app.dataframe[0].value
    table_of_rows = experiment.table(at)
    assert len(lines) == len(table_of_rows)
    numbers = [
        name
        for name in table_of_rows
        if name == "ours" or name not in (*experiment.labels, *FIGURE_COLUMNS)
    ]
    assert numbers
    pd.testing.assert_frame_equal(lines[numbers], table_of_rows[numbers], rtol=1e-4)
    (link,) = app.get("link_button")
    assert link.proto.label == experiment.explore_title
    settings = ExploreSettings(**experiment.explore)
    assert_link_gives(settings, dict(parse_qsl(urlsplit(link.proto.url).query)))


def test_table_1_is_drawn_by_the_conventions_behind_more() -> None:
    experiment = EXPERIMENTS["table1"]
    found = known(experiment)
    app = opened(experiment="table1")
    own = app.dataframe[0].value["ours"]
    assert experiment.says(found.rows) in said(app)
    first, *others = figures(app)[0]["panes"]
    assert "○: as published by the conventions named under All numbers" in first["help"]
    assert not any(each["help"] for each in others)
    app.segmented_control(key="kept-self").set_value("both")
    app.selectbox(key="kept-rays").select_index(DRAWINGS.index((9, True))).run()
    healthy(app)
    rows = read_by(found.rows, CurveConvention("both", 9, gammas=True))
    shown = app.dataframe[0].value["ours"]
    pd.testing.assert_series_equal(shown, experiment.figures(rows)["ours"])
    assert not shown.equals(own)
    assert experiment.says(rows) in said(app)
    choose(app, "kept-paper", "2026")
    shown = app.dataframe[0].value["ours"]
    pd.testing.assert_series_equal(
        shown, experiment.figures(read_by(found.rows, PAPERS["2026"]))["ours"]
    )
    assert "kept-self" not in {each.key for each in opened(experiment="same").segmented_control}


def test_sentence_and_figure_follow_what_is_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "folder", lambda: tmp_path)
    experiment = EXPERIMENTS["hubs"]
    keep(experiment, measured(experiment, 4), FACTS)
    found = known(experiment)
    app = opened(experiment="hubs")
    (slider,) = app.select_slider
    marks = []
    for t in (10, 40):
        app.segmented_control(key="kept-hubs-k").set_value("√n")
        choose(app, slider.key, t)
        at = experiment.chosen(found.rows, {"data": "d = 64", "k": "√n", "t": t})
        assert head(app) == experiment.message(at)
        (sent,) = figures(app)
        chart = experiment.chart(experiment.chosen(found.rows, {"data": "d = 64", "k": "√n"}))
        first = sent["panes"][0]["figure"]
        drawn = np.frombuffer(base64.b64decode(first["data"][0]["y"]["bdata"]))
        np.testing.assert_allclose(drawn, chart.panels["Samples, by hubness"]["real"].mean)
        marks.append(first["layout"]["shapes"][0]["x0"])
    assert marks == [10, 40]


def test_without_a_kept_result_it_is_run_at_once_and_the_size_says_how_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "folder", lambda: tmp_path)
    app = opened(experiment="same")
    assert has_start(app)
    assert SAME.setting("quick") in said(app)
    assert app.code[0].value == "prviz experiment same"
    choose(app, "mode", "paper")
    assert SAME.setting("paper") in said(app)
    assert app.code[0].value == "prviz experiment same --paper"
    assert dict(opened().query_params) == {}  # else Back leads to the bare address twice
    choose(app, "experiment", "outlier")
    assert app.query_params["experiment"] == "outlier"


# ---- what is kept ----


def test_kept_rows_show_what_all_rows_show(tmp_path: Path) -> None:
    experiment = EXPERIMENTS["table1"]
    rows = measured(experiment, 3)
    path = keep(experiment, rows, FACTS, tmp_path)
    assert (
        path.read_text()
        .splitlines()[0]
        .startswith("problem,parameters,d,n,method,k,split,iou,iou_count_9,")
    )
    found = known(experiment, tmp_path)
    assert found.facts == FACTS
    assert list(found.rows) == list(experiment.columns)
    pd.testing.assert_frame_equal(
        experiment.figures(found.rows), experiment.figures(rows), rtol=1e-4
    )
    assert stored(SAME, tmp_path) is None


def test_a_large_result_is_compressed_and_a_changed_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = SAME
    rows = pd.concat([measured(experiment, 2)] * 20, ignore_index=True)
    monkeypatch.setattr(prviz.studies.kept_rows, "LARGEST", 10_000)
    path = keep(experiment, rows, FACTS, tmp_path)
    assert path.name == "same.csv.gz"
    assert path.read_bytes() == keep(experiment, rows, FACTS, tmp_path).read_bytes()
    found = known(experiment, tmp_path)
    assert len(found.rows) == len(rows)
    monkeypatch.setattr(prviz.studies.kept_rows, "LARGEST", 100)
    with pytest.raises(ValueError, match="at most 100 are kept"):
        keep(experiment, rows, FACTS, tmp_path)
    path.write_bytes(path.read_bytes() + b"0")
    with pytest.raises(ValueError, match=r"same\.csv\.gz is not the file"):
        stored(experiment, tmp_path)


def test_a_flipped_bit_of_a_kept_result_is_refused_or_changes_nothing(tmp_path: Path) -> None:
    experiment = EXPERIMENTS["table1"]
    draw = random.Random(0)
    keep(experiment, measured(experiment, 2), FACTS, tmp_path)
    whole = known(experiment, tmp_path)
    refused = []
    for path in sorted(tmp_path.iterdir()):
        data = path.read_bytes()
        for place in draw.sample(range(8 * len(data)), 150):
            flipped = bytearray(data)
            flipped[place // 8] ^= 1 << place % 8
            path.write_bytes(flipped)
            try:
                found = stored(experiment, tmp_path)
            except ValueError as error:
                refused.append(str(error))
                continue
            if found is not None:  # None: its name or the version is another one
                assert found.facts == whole.facts
                pd.testing.assert_frame_equal(found.rows, whole.rows)
        path.write_bytes(data)
    assert len(refused) > 250
    assert all("manifest.json" in told and told.endswith("install prviz again") for told in refused)


def test_a_damaged_result_and_one_of_another_version_of_the_computation_are_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "folder", lambda: tmp_path)
    path = keep(SAME, measured(SAME, 1), FACTS)
    offered = widget(opened(experiment="same"), "result").options
    assert offered == [section.KEPT, section.RUN]
    with monkeypatch.context() as patched:
        patched.setattr(prviz.studies.kept_rows, "COMPUTATION", 99)
        app = opened(experiment="same")
        assert has_start(app)
        assert not app.warning
    path.write_bytes(path.read_bytes().replace(b"1", b"2", 1))
    app = opened(experiment="same")
    assert has_start(app)
    assert "same.csv is not the file that" in app.warning[0].value.replace("\\", "")


def test_what_the_package_carries_is_whole() -> None:
    """Every kept file is the one that was measured, small, and of an experiment that exists."""
    for path in kept.folder().glob("*.csv*"):
        experiment = EXPERIMENTS[path.name.split(".")[0]]
        assert path.stat().st_size <= prviz.studies.kept_rows.LARGEST
        assert experiment.says(known(experiment).rows)
