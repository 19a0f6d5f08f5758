"""The figures of firmness: every cell says who wins by a sign, not by its colour alone."""

from __future__ import annotations

import math

from prviz.figures import (
    Contender,
    WonCell,
    agreement_figure,
    fewer_samples_figure,
    winners_figure,
)
from tests.figures.traces import written

WHO = {
    "one": Contender("A", "#0072B2"),
    "<b>two</b>": Contender("B", "#C48A00"),
    "three": Contender("C", "#009E73"),
}
LABELS = {"rows": ["kNN", "iPR"], "columns": ["1", "4"], "column_title": "neighbours k"}


def test_every_cell_has_its_winners_sign_and_flipped_ones_a_border() -> None:
    won = [
        WonCell(0, 0, "one", "", False),
        WonCell(0, 1, "<b>two</b>", "x", True),
        WonCell(1, 1, "one", "z", False),
    ]
    figure = winners_figure(won, WHO, **LABELS)
    cells, *rest = figure.data
    assert list(map(list, cells.z)) == [[0.0, 1.0], [None, 0.0]]
    assert cells.text[0][1] == "<b>&lt;b&gt;two&lt;/b&gt;</b><br>x"
    assert {color for _, color in cells.colorscale} == {"#0072B2", "#C48A00"}
    signs = written(each for each in rest if each.mode == "text")
    assert signs == {(0, 0): "A", (1, 0): "B", (1, 1): "A"}
    (border,) = figure.layout.shapes
    assert (border.x0 + border.x1, border.y0 + border.y1, border.line.dash) == (2, 0, "5px,3px")
    shown = ["A: one", "B: &lt;b&gt;two&lt;/b&gt;", "dashed border: not the verdict"]
    assert [each.name for each in rest if each.showlegend] == shown


def test_a_map_without_winners_keeps_its_shape() -> None:
    empty = winners_figure([], WHO, **LABELS)
    assert not empty.layout.showlegend
    assert list(empty.layout.yaxis.ticktext) == ["kNN", "iPR"]


def test_many_winners_have_room_for_their_names() -> None:
    who = {f"checkpoint number {place}": Contender(str(place), "#0072B2") for place in range(8)}
    labels = {"rows": ["kNN"], "columns": [str(k) for k in range(8)], "column_title": "k"}
    heights = []
    for names in ([next(iter(who))] * 8, list(who)):
        won = [WonCell(0, at, name, "", False) for at, name in enumerate(names)]
        heights.append(winners_figure(won, who, **labels).layout.height)
    assert heights[1] - heights[0] >= 6 * 20


def test_lines_differ_by_dash_and_symbol_and_reach_down_to_reversed_orders() -> None:
    figure = fewer_samples_figure([10, 20, 40], [0.2, 1.0, 1.0], [-0.5, math.nan, 1.0])
    same, tau = figure.data
    assert same.line.dash != tau.line.dash
    assert same.marker.symbol != tau.marker.symbol
    assert figure.layout.yaxis.range[0] < -0.5
    assert list(figure.layout.xaxis.ticktext) == ["10", "20", "40"]


def test_agreement_has_its_number_in_every_cell_that_is_known() -> None:
    figure = agreement_figure(["knn", "ipr"], [[1.0, -0.333], [-0.001, math.nan]])
    texts = {(0, 0): "1.00", (1, 0): "−0.33", (0, 1): "0.00"}
    assert written(figure.data[1:]) == texts
    assert {each.textfont.color for each in figure.data[1:]} == {"black", "white"}
    named = agreement_figure(["knn", "tightest"], [[1.0, 0.5], [0.5, 1.0]]).layout
    assert list(named.xaxis.ticktext) == ["kNN", "Best<br>classifier"]
    assert list(named.yaxis.ticktext) == ["kNN", "Best classifier"]
