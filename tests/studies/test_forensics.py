"""Table 1 by the conventions that the paper leaves open: the rows, the choice, the sentence, the
marks, the shell.
"""

from __future__ import annotations

import pickle
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import prviz
from prviz.cli.main import main
from prviz.curves.rays import iou_on_rays
from prviz.figures.papers import experiment_figures
from prviz.measure.curve_conventions import PAPERS, CurveConvention
from prviz.studies.papers import EXPERIMENTS, HeatMap
from prviz.studies.papers.base import stored, title_of
from prviz.studies.papers.forensics import (
    CONVENTIONS,
    check_tried,
    convention_rows,
    read_by,
    readings,
    spreads_by,
)
from prviz.studies.papers.gaussians import PUBLISHED, Table1Experiment
from prviz.studies.sweeps import Cell

TABLE1 = EXPERIMENTS["table1"]
assert isinstance(TABLE1, Table1Experiment)
SHIFT = prviz.toy("shifted-gaussians", mu=0.3, d=8)


@pytest.fixture(scope="module")
def kept() -> pd.DataFrame:
    found = stored(TABLE1)
    assert found is not None
    return found.rows


def test_rows_hold_the_iou_by_every_convention() -> None:
    wanted = (("knn", 4, None), ("coverage", "sqrt", None))
    cell = Cell(SHIFT, 60, None, 0, 0, wanted, measure=convention_rows)
    assert pickle.loads(pickle.dumps(cell)) == cell
    knn, coverage = cell.run()
    assert [row["key"] for row in (knn, coverage)] == list(cell.keys)
    pair = SHIFT.sample(60, cell.drawn_by)
    truth = SHIFT.truth()
    own, fewer = (prviz.pr_curve(*pair, "knn", k=k, split=None) for k in (4, 3))
    assert knn["iou"] == own.iou(truth)
    assert knn["iou_count_13"] == iou_on_rays(own, truth, 13)
    # Its own first neighbour and counted: the ball to the third other sample, which the library's k
    # = 3 is.
    assert knn["iou_both"] == fewer.iou(truth)
    assert coverage["iou"] == prviz.pr_curve(*pair, "coverage", k=7, split=None).iou(truth)
    assert len({round(knn[each.key], 9) for each in CONVENTIONS}) >= 16
    assert cell.left({*cell.keys}) is None
    assert cell.left({cell.keys[0]}) == replace(cell, wanted=wanted[1:])


def test_with_a_split_only_radii_inside_a_set_can_count_a_sample() -> None:
    cell = Cell(SHIFT, 60, 0.5, 0, 0, (("knn", 4, None), ("ipr", 4, None)))
    knn, ipr = convention_rows(cell)
    assert knn["iou"] == knn["iou_none"] == knn["iou_radius"] == knn["iou_both"]
    assert ipr["iou"] == ipr["iou_none"] != ipr["iou_radius"] == ipr["iou_both"]


def test_the_conventions_that_made_a_table_are_chosen() -> None:
    rng = np.random.default_rng(0)
    index = pd.MultiIndex.from_product([range(8), ["iPR", "kNN"]], names=["cell", "family"])
    cells = pd.DataFrame(
        rng.random((16, len(CONVENTIONS))), index, [each.key for each in CONVENTIONS]
    )
    made = {
        "iPR": CurveConvention("radius", 13, gammas=True),
        "kNN": CurveConvention("none", 13, gammas=True),
    }
    published = pd.Series([cells.at[at, made[at[1]].key] for at in index], index) + 0.01
    found = readings(cells, published, pd.Series(0.011, index))
    both = found["both"]
    assert (both.rays, both.gammas, both.self_counting) == (
        13,
        True,
        {"iPR": "radius", "kNN": "none"},
    )
    assert both.explained.all()
    assert not found["own"].explained.all()
    assert readings(cells, published, pd.Series(0.009, index))["both"].explained.sum() == 0
    assert list(found["self"].off) == [
        abs(cells.at[at, CurveConvention(found["self"].self_counting[at[1]]).key] - published[at])
        for at in index
    ]


def test_the_sentence_and_the_marks_follow_from_the_kept_rows(kept: pd.DataFrame) -> None:
    """Every count again, cell by cell."""
    rows = TABLE1.labelled(kept)
    within = dict.fromkeys(("own", "self", "rays", "both"), 0)
    marks = {}
    apart = []
    for cell, group in rows.groupby(["split", "k", "shift", "family"]):
        near = 0.005 + 2 * np.sqrt(group["iou"].std() ** 2 / len(group) + 0.01**2 / 10)
        itself = "both" if cell[3] in ("kNN", "Coverage") else "count"
        columns = {"own": "iou", "self": "iou_both" if itself == "both" else "iou"}
        columns |= {"rays": "iou_count_9_gamma", "both": f"iou_{itself}_9_gamma"}
        ok = {
            name: abs(group[column].mean() - PUBLISHED[(*cell, "IoU")]) <= near
            for name, column in columns.items()
        }
        within = {name: count + ok[name] for name, count in within.items()}
        marks[cell] = "" if ok["own"] else "○" if ok["both"] else "×"
        apart += [cell[3]] if marks[cell] == "×" else []
    said = TABLE1.says(kept)
    assert [
        int(each) for each in re.findall(r"(\d+) (?:cells as|by another|by curves|by both)", said)
    ] == [*within.values()]
    assert (
        f"(kNN and Coverage take a sample for its own neighbour); {len(apart)} stay apart: iPR"
        f" ({len(apart)})." in said
    )
    assert within["both"] > 2 * within["own"]
    assert set(apart) == {"iPR"}
    chart = TABLE1.chart(kept)
    assert isinstance(chart, HeatMap)
    for y, line in zip(chart.y, chart.marks["ours"], strict=True):
        split, k, shift = (part.split(" ", 1)[1].removeprefix("= ") for part in y.split(", "))
        assert line == [marks[split, k, shift, family] for family in chart.x], y
    drawn = [text for trace in experiment_figures(chart)["ours"].data[1:] for text in trace.text]
    assert sum("○" in text for text in drawn) == [*marks.values()].count("○") > 0
    assert "○" in chart.note
    assert pickle.loads(pickle.dumps(chart)).marks == chart.marks


def test_other_rows_have_neither(kept: pd.DataFrame) -> None:
    for rows in (kept.assign(n=1000), kept.drop(columns="iou_both"), kept[kept["k"] == "4"]):
        assert "Within chance" not in TABLE1.says(rows)
    assert not TABLE1.chart(kept.assign(n=1000)).marks  # type: ignore[union-attr]


def test_a_paper_is_the_choice_closest_to_its_table(kept: pd.DataFrame) -> None:
    found = TABLE1.readings(kept)
    assert found is not None
    both = found["both"]
    for year in ("2024", "2026"):
        drawn = PAPERS[year].drawn
        assert {
            title_of(method): each.self_counting for method, each in drawn.items()
        } == both.self_counting
        assert {(each.rays, each.gammas) for each in drawn.values()} == {(both.rays, both.gammas)}
        figures = TABLE1.figures(read_by(kept, PAPERS[year]))
        assert figures["difference"].abs().mean() == pytest.approx(both.off.mean())
        assert (spreads_by(figures, PAPERS[year])["spread"] < 0.01).sum() > 60


def test_the_table_can_be_read_by_one_convention(
    kept: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    convention = CurveConvention("both", 9, gammas=True)
    figures = TABLE1.figures(read_by(kept, convention))
    assert figures["ours"].mean() == pytest.approx(kept["iou_both_9_gamma"].mean())
    assert "Within chance" not in TABLE1.says(read_by(kept, convention))
    check_tried(convention)
    with pytest.raises(ValueError, match="rays = 10; one of 9, 13, 31, 1001 is needed"):
        check_tried(CurveConvention("both", 10))
    assert main(["experiment", "table1", "--rays", "10"]) == 2
    assert main(["experiment", "same", "--self", "both"]) == 2
    assert "for the experiment table1 alone" in capsys.readouterr().err
