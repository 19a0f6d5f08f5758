"""Figures of the co-support map and of the tails: traces, ranges and what they leave out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from prviz.curves import PRCurve
from prviz.curves.band import band
from prviz.curves.summaries import first_differences
from prviz.diagnostics.support_balls import SupportBalls, support_balls
from prviz.figures import (
    SamplePoints,
    support_bands_figure,
    support_map_figure,
    support_samples_figure,
    tail_figure,
)
from prviz.measure.estimates import estimate
from prviz.toys import toy
from tests.figures.traces import by_name

CURVE = PRCurve.from_error_rates([0.0, 0.2, 0.5], [0.6, 0.2, 0.0])
TRUTH = PRCurve.from_error_rates([0.0, 0.1], [0.9, 0.0])


def ball(role: Any, dimension: int) -> SupportBalls:
    return SupportBalls(role, "fit", np.full((2, dimension), 3.0), np.array([0.5, 2.0]), 1234)


def test_a_map_has_regions_their_colours_samples_and_circles() -> None:
    x = np.linspace(0, 4, 5)
    y = np.linspace(0, 6, 7)
    classes = np.zeros((7, 5), dtype=int)
    classes[2, 3], classes[0, 0] = 1, 3
    points = np.arange(12.0).reshape(6, 2)
    samples: dict[str, Any] = {"points": points, "is_real": np.arange(6) < 4}
    figure = support_map_figure((x, y), classes, **samples, balls=[ball("real", 2)])
    regions = figure.data[0]
    assert (regions.type, regions.zmin, regions.zmax) == ("heatmap", -0.5, 3.5)
    np.testing.assert_array_equal(regions.z, classes)
    assert len({color for _, color in regions.colorscale}) == 4
    traces = by_name(figure)
    assert list(traces) == [
        "support of P only",
        "both: the co-support",
        "support of P: 2 of 1,234 balls",
        "real samples",
        "generated samples",
    ]
    circles = traces["support of P: 2 of 1,234 balls"]
    xs, ys = (np.asarray(side).reshape(2, -1)[:, :-1] for side in (circles.x, circles.y))
    np.testing.assert_allclose(np.hypot(xs - 3, ys - 3), [[0.5] * xs.shape[1], [2.0] * xs.shape[1]])
    assert (len(traces["real samples"].x), len(traces["generated samples"].x)) == (4, 2)
    assert figure.layout.yaxis.scaleanchor == "x"
    flat = support_map_figure((100 * x, y), classes, **samples)
    assert flat.layout.yaxis.scaleanchor is None
    with pytest.raises(ValueError, match=r"classes have shape \(7, 5\); \(5, 7\) is needed"):
        support_map_figure((y, x), classes, **samples)


def test_bands_stand_above_their_own_balls_and_all_above_the_samples() -> None:
    axis = np.linspace(0, 1, 4)
    rows = {"truth": [0, 1, 1, 3], "knn": [2, 2, 3, 3], "ipr": [0, 0, 0, 0]}
    balls = {"knn": [ball("both", 1)], "ipr": [ball("real", 1), ball("generated", 1)]}
    samples: dict[str, Any] = {"points": np.arange(5.0), "is_real": np.arange(5) < 2}
    figure = support_bands_figure(axis, rows, **samples, balls=balls)
    bands = figure.data[0]
    np.testing.assert_array_equal(np.asarray(bands.z)[::2], list(rows.values()))
    assert not np.asarray(bands.z)[1::2].any()
    assert len(bands.y) == len(bands.z) + 1
    lanes = ["truth", "kNN", "iPR", "real samples", "generated ones"]
    assert list(figure.layout.yaxis.ticktext) == lanes
    traces = by_name(figure)
    for whose, low, high in (
        ("both supports", 1.34, 2),
        ("support of P", 2.34, 2.68),
        ("support of Q", 2.68, 3),
    ):
        lane = traces[f"balls of {whose}"]
        ends = np.asarray(lane.x).reshape(2, 3)[:, :2]
        np.testing.assert_allclose(ends, [[2.5, 3.5], [1.0, 5.0]])
        assert low <= np.nanmin(lane.y) <= np.nanmax(lane.y) <= high
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]  # the first row is on top
    with pytest.raises(ValueError, match=r"rows\['knn'\] has shape"):
        support_bands_figure(axis, {"knn": [0]}, **samples)


def test_samples_are_coloured_by_class_and_known_by_their_row() -> None:
    points = np.arange(16.0).reshape(8, 2)
    is_real = np.arange(8) < 4
    classes = np.array([0, 1, 3, 3, 2, 3, 3, 0])
    notes = [f"<b>{i}" for i in range(8)]
    samples = SamplePoints(points, notes=notes, ids=np.arange(8) * 10)
    traces = by_name(support_samples_figure(samples, is_real, classes))
    assert list(traces) == [
        "neither: real",
        "neither: generated",
        "P only: real",
        "Q only: generated",
        "both: real",
        "both: generated",
    ]
    assert list(traces["both: real"].customdata) == [20, 30]
    assert list(traces["both: real"].x) == [4, 6]
    assert traces["neither: generated"].marker.symbol == "triangle-up-open"
    assert "<b>" not in "".join(traces["both: real"].hovertext)
    thinned = support_samples_figure(SamplePoints(points), is_real, classes, most=3)
    assert sum(len(trace.x) for trace in thinned.data) == 3
    assert "3 of 8 samples drawn" in thinned.layout.xaxis.title.text
    with pytest.raises(ValueError, match="one per sample"):
        support_samples_figure(SamplePoints(points), is_real, classes[:5])


@pytest.mark.parametrize(("side", "at"), [("precision", PRCurve.alpha), ("recall", PRCurve.beta)])
def test_a_tail_is_the_curve_over_six_decades_and_says_where_it_leaves_the_truth(
    side: Any, at: Any
) -> None:
    differences = {"knn": first_differences(CURVE, TRUTH), "kde": first_differences(TRUTH, TRUTH)}
    figure = tail_figure(
        {"knn": CURVE, "kde": TRUTH}, side=side, truth=TRUTH, differences=differences
    )
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    assert [line.legendgroup for line in lines] == ["truth", "knn", "kde"]
    lam = np.asarray(lines[1].x)
    assert (lam[0], lam[-1], len(lam)) == (pytest.approx(1e-3), pytest.approx(1e3), 241)
    np.testing.assert_allclose(lines[1].y, at(CURVE, lam))
    assert (figure.layout.xaxis.type, list(figure.layout.xaxis.range)) == ("log", [-3, 3])
    off, never = [trace for trace in figure.data if trace.meta == "first"]
    found = getattr(differences["knn"], side)
    assert list(off.x) == [found]
    assert off.y[0] == at(CURVE, found)
    assert abs(at(CURVE, found) - at(TRUTH, found)) == pytest.approx(0.05)
    assert (list(never.x), list(never.y)) == ([None], [None])


def test_the_legend_of_the_tails_is_whole_within_the_margins_that_the_page_gives_them():
    page = Path(__file__).parents[2] / "pages" / "_live" / "pane.js"
    below = int(re.search(r"const OVERLAID = .*b: (\d+) }", page.read_text("utf-8"))[1])
    layout = tail_figure({"knn": CURVE}).layout
    plot = layout.height - 34 - below  # pixels; the row of buttons is above
    assert -layout.legend.y * plot + 1.6 * 14 < below


def test_a_tail_without_a_truth_is_the_curves_alone_and_a_band_follows_its_own() -> None:
    alone = tail_figure({"knn": CURVE})
    assert [trace.legendgroup for trace in alone.data] == ["knn"]
    banded = tail_figure(
        {"knn": CURVE}, bands={"knn": band([CURVE, TRUTH]), "other": band([CURVE])}
    )
    filled = [trace for trace in banded.data if trace.fill]
    assert [trace.legendgroup for trace in filled] == ["knn"]
    assert min(filled[0].x) > 0
    assert 0 <= min(filled[0].y) <= max(filled[0].y) <= 1


@pytest.mark.parametrize("d", [1, 2])
def test_measured_balls_can_be_drawn(d: int) -> None:
    split = toy("mixtures", d=d).sample(60, 0).split(0.5)
    radii = estimate(split.pair, "kde", k=3)["kde"].bandwidth
    balls = {
        name: support_balls(split, name, k=3, radii=radii if name == "kde" else None)
        for name in ("kde", "knn")
    }
    points = np.concatenate([side.values for side in split.evaluate])
    shared: dict[str, Any] = {"points": points, "is_real": np.arange(60) < 30}
    axis = np.linspace(-9, 9, 5)
    if d == 1:
        figure = support_bands_figure(axis, dict.fromkeys(balls, np.ones(5)), balls=balls, **shared)
    else:
        figure = support_map_figure((axis, axis), np.ones((5, 5)), balls=balls["kde"], **shared)
    assert any("support of P" in name for name in by_name(figure))
