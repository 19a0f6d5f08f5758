"""Figures of what the ends of a curve hang on: by traces, labels and ranges."""

from __future__ import annotations

import pytest

from prviz.figures import (
    FAMILY_COLORS,
    TRUTH_COLOR,
    carriers_figure,
    extreme_sweep_figure,
    fall_figure,
)
from tests.figures.test_figures import EVIL
from tests.figures.traces import by_name

LINES = {
    True: {"knn": ([1, 2, 4], [1.0, 0.9, 0.5]), "ipr": ([1, 2, 4], [1.0, 1.0, 1.0])},
    False: {"knn": ([1, 2, 8], [0.2, 0.3, 0.4])},
}


def fall(**changes):
    given = {
        "extreme": [0.8, 0.4],
        "share": [0.9, 0.5],
        "subtracted": [0.9, 0.45],
        "color": "#0072B2",
    }
    return fall_figure([0, 1], labels=("end", "carried"), **(given | changes))


def test_both_splits_over_k_are_told_apart_without_dashes() -> None:
    figure = extreme_sweep_figure(LINES, ylabel="α∞", truth=0.7)
    drawn = by_name(figure)
    assert list(drawn["kNN, with split"].y) == [1.0, 0.9, 0.5]
    assert list(drawn["kNN, without split"].x) == [1, 2, 8]
    split, whole = (drawn[f"kNN, {word}"] for word in ("with split", "without split"))
    assert split.line.color == whole.line.color == FAMILY_COLORS["knn"]
    assert split.line.width > 2 * whole.line.width
    assert whole.marker.symbol == "diamond-open"
    assert [trace.name for trace in figure.data if trace.line.dash] == ["truth"]
    assert drawn["truth"].line.color == TRUTH_COLOR
    assert list(drawn["truth"].x) == [1, 8]
    assert drawn[""].legendgroup == "now"
    legend = [trace.name for trace in figure.data if trace.showlegend is not False]
    assert legend == ["with split", "without split", "truth"]
    alone = extreme_sweep_figure({False: LINES[False]}, ylabel="α∞")
    assert [trace.name for trace in alone.data if trace.x[0] is not None] == ["kNN, without split"]
    with pytest.raises(ValueError, match="knn: x = 0; a logarithmic axis needs positive values"):
        extreme_sweep_figure({True: {"knn": ([0], [1.0])}}, ylabel="α∞")


def test_carriers_are_bars_from_the_top_with_both_counts_beside_them() -> None:
    figure = carriers_figure(["row 7", EVIL], [419, 0], [674, 3], color="#8561C5")
    drawn = by_name(figure)
    assert list(drawn["carried alone"].x) == [419, 0]
    assert list(drawn["carried"].x) == [674, 3]
    assert list(drawn["carried"].text) == ["419 of 674", "0 of 3"]
    assert figure.layout.yaxis.ticktext[0] == "row 7"
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]
    assert figure.layout.xaxis.range[1] > 674
    assert figure.layout.barmode == "overlay"
    for text in (figure.layout.yaxis.ticktext[1], drawn["carried"].customdata[1][0]):
        assert "<" not in text
        assert "$" not in text
    assert carriers_figure([], [], [], color="#8561C5").layout.height > 0


def test_the_fall_is_over_how_many_are_gone() -> None:
    drawn = by_name(fall(truth=1.0))
    assert list(drawn) == ["end", "carried", "the same by subtraction", "truth"]
    assert [list(drawn[name].x) for name in drawn] == [["0", "1"]] * 4
    assert list(drawn["the same by subtraction"].y) == [0.9, 0.45]
    assert drawn["the same by subtraction"].mode == "markers"
    assert [trace.name for trace in fall(truth=1.0).data if trace.line.dash] == ["truth"]
    assert "truth" not in by_name(fall())
    layout = fall().layout
    assert layout.xaxis.type == "category"
    assert layout.paper_bgcolor == layout.plot_bgcolor == "rgba(0,0,0,0)"
    assert layout.uirevision == "prviz"
