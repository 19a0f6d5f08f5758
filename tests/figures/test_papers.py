"""Charts of experiments: numbers that are legible on their cells, families' colours, truths dashed,
spread drawn.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from prviz.estimators import ESTIMATORS
from prviz.figures import (
    FAMILY_COLORS,
    GENERATED_COLOR,
    REAL_COLOR,
    TRUTH_COLOR,
    experiment_figures,
)
from prviz.figures.theme import luminance
from prviz.studies.papers.base import ChartBand, ChartLine, CurveChart, HeatMap, LineChart
from tests.figures.traces import written

KNN = ESTIMATORS["knn"].title
IPR = ESTIMATORS["ipr"].title
RAY = np.array([0.8, 0.4, 0.0])
# Python's and the page's grounds: white, and the dark page.
GROUNDS = (1.0, luminance([14 / 255, 17 / 255, 23 / 255]))


def contrast(one: float, other: float) -> float:
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)


def levels(color: str) -> list[float]:
    return [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]


def band(sd: float = np.nan) -> ChartBand:
    return ChartBand(RAY, RAY[::-1], np.full(3, sd), np.full(3, sd))


def test_a_heat_map_writes_every_known_number_legibly_into_its_cell() -> None:
    values = np.linspace(0, 1, 12).reshape(3, 4)
    values[1, 2] = np.nan
    chart = HeatMap(
        ("a", "b", "c", "d"),
        ("first", "second", "third"),
        {"ours": values, "published": values},
        "IoU",
    )
    found = experiment_figures(chart)
    assert list(found) == ["ours", "published"]
    cells, *inks = found["ours"].data
    np.testing.assert_array_equal(np.array(cells.z, dtype=float), values)
    assert (cells.zmin, cells.zmax) == (0, 1)
    places = itertools.product(chart.y, chart.x)
    told = {(x, y): f"{value:.2f}" for (y, x), value in zip(places, values.flat, strict=True)}
    del told["c", "second"]
    assert written(inks) == told
    # Cividis is dark below and light above; black and white meet where neither reads worse than
    # 4.5:1.
    assert {ink.textfont.color: ink.text[0] for ink in inks} == {"black": "0.64", "white": "0.00"}
    assert list(found["ours"].layout.yaxis.range) == [2.5, -0.5]  # the first row on top
    assert all(each.layout.yaxis.showticklabels is not False for each in found.values())


@pytest.mark.parametrize("log_x", [False, True])
def test_lines_keep_their_families_colours_and_show_spread_and_published_points(
    log_x: bool,
) -> None:
    one = ChartLine(np.array([10.0, 100.0]), np.array([0.5, 0.75]), np.array([0.1, 0.2]))
    single = ChartLine(one.x, one.mean, np.full(2, np.nan))
    chart = LineChart(
        {"IoU": {KNN: one, IPR: single, "truth": single}}, "n", "IoU", log_x, {"IoU": {KNN: single}}
    )
    figure = experiment_figures(chart)["IoU"]
    knn, ipr, truth, published = figure.data
    assert (knn.line.color, ipr.line.color) == (FAMILY_COLORS["knn"], FAMILY_COLORS["ipr"])
    assert (truth.line.color, truth.line.dash, knn.line.dash) == (TRUTH_COLOR, "dash", None)
    np.testing.assert_array_equal(knn.error_y.array, one.sd)
    assert ipr.error_y.array is None
    assert (published.marker.color, published.mode) == (FAMILY_COLORS["knn"], "markers")
    assert published.marker.symbol.endswith("-open")
    assert figure.layout.xaxis.type == ("log" if log_x else None)
    assert list(figure.layout.yaxis.range) == [0, 1.05]


def test_a_panel_with_words_of_its_own_has_its_own_scale_and_a_mark_is_an_upright_line() -> None:
    small, large = (
        ChartLine(np.array([1.0, 8.0]), np.array(mean), np.full(2, np.nan))
        for mean in ([0.1, 0.9], [2, 7])
    )
    panels = {"share": {"real": small, "generated": small}, "times": {"a": large}}
    alike = experiment_figures(LineChart(panels, "t", "value", log_x=True))
    assert [figure.layout.yaxis.range for figure in alike.values()] == [None, None]
    assert not alike["share"].layout.shapes
    own = experiment_figures(
        LineChart(panels, "t", "value", True, y_titles={"share": "s", "times": "x"}, mark=3.0)
    )
    assert list(own["share"].layout.yaxis.range) == [0, 1.05]
    axis = own["times"].layout.yaxis
    assert (axis.range, axis.rangemode) == (None, "tozero")
    assert [figure.layout.yaxis.title.text for figure in own.values()] == ["s", "x"]
    assert [figure.layout.shapes[0].x0 for figure in own.values()] == [3.0, 3.0]
    assert [trace.line.color for trace in own["share"].data] == [REAL_COLOR, GENERATED_COLOR]


def test_curves_have_their_truth_dashed_and_one_deviation_around_them() -> None:
    chart = CurveChart({"n = 10": {KNN: band(0.1), IPR: band()}}, {"n = 10": {"truth": band()}})
    area, truth, knn, ipr = experiment_figures(chart)["n = 10"].data
    assert (truth.line.dash, truth.line.color) == ("dash", TRUTH_COLOR)
    assert (knn.line.color, ipr.line.color) == (FAMILY_COLORS["knn"], FAMILY_COLORS["ipr"])
    np.testing.assert_allclose(area.x, np.clip([0.7, 0.3, -0.1, 0.1, 0.5, 0.9], 0, 1.02))
    np.testing.assert_allclose(area.y, np.clip([-0.1, 0.3, 0.7, 0.9, 0.5, 0.1], 0, 1.02))
    assert area.fill == "toself"


def test_curves_in_an_order_are_told_apart_on_both_grounds_beside_truths_of_their_own() -> None:
    names = [f"q = {q}" for q in range(1, 11)]
    chart = CurveChart({"kNN": dict.fromkeys(names, band())}, {"kNN": dict.fromkeys(names, band())})
    drawn = experiment_figures(chart)["kNN"].data
    truths = drawn[:10]
    curves = drawn[10:]
    assert len({curve.line.color for curve in curves}) == 10
    for truth, curve in zip(truths, curves, strict=True):
        color = curve.line.color
        assert (truth.line.color, truth.line.dash, truth.showlegend) == (color, "dash", False)
        assert min(contrast(luminance(levels(color)), ground) for ground in GROUNDS) >= 2.95


def test_what_is_not_there_yet_is_no_panel() -> None:
    assert experiment_figures(LineChart({}, "n", "IoU")) == {}
    assert experiment_figures(CurveChart({})) == {}
    nothing = HeatMap(("a",), ("b",), {"ours": np.full((1, 1), np.nan)}, "IoU")
    assert [len(ink.text) for ink in experiment_figures(nothing)["ours"].data[1:]] == [0, 0]
