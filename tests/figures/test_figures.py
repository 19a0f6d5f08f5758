from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from prviz.curves import PRCurve
from prviz.curves.band import Band, band
from prviz.curves.refuted import refuted_runs
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.figures import (
    FAMILY_COLORS,
    GROUP_LOOKS,
    SPARE_COLORS,
    TRUTH_COLOR,
    ExtremeRow,
    SamplePoints,
    bias_figure,
    colors,
    error_space_figure,
    extremes_figure,
    iou_sweep_figure,
    plain,
    pr_figure,
    roles_figure,
    samples_figure,
    stability_figure,
)
from prviz.figures.pr import BOUND, LIMIT, REFUTED
from prviz.figures.svg import pr_svg
from prviz.figures.theme import PRECISION, RECALL, label, symbols
from prviz.toys import SupportMasses
from tests.figures.traces import by_name, names

TRUTH = PRCurve.from_error_rates([0.1, 0.4], [0.4, 0.1])
CURVES = {
    "knn": PRCurve.from_error_rates([0.05, 0.3], [0.5, 0.1]),
    "kde": PRCurve.from_error_rates([], []),
    "ipr": PRCurve.from_error_rates([0.0], [0.0]),
    "coverage": PRCurve.from_error_rates([0.0, 0.2, 0.5], [0.6, 0.2, 0.0]),
}
EVIL = '<b>b</b><a href="javascript:alert(1)">x</a>\n%{x} $a$ &lt;'
GROUP_COLORS = [look.color for look in GROUP_LOOKS.values()]
MASSES = SupportMasses(1.0, 0.6, 0.7, 0.5)
ROWS = [ExtremeRow(method, held_out, 0.8, 0.4) for method in CURVES for held_out in (True, False)]


def every_figure(name: str = "knn") -> dict[str, go.Figure]:
    """One of each kind, with a curve of this name."""
    curves = {name: CURVES["knn"], "kde": CURVES["kde"]}
    points = np.random.default_rng(0).normal(size=(40, 2))
    samples: dict[str, Any] = {"c_real": np.arange(40), "c_generated": np.ones(40)}
    line = SamplePoints(points[:, :1], (name, name))
    plane = SamplePoints(points, (name, name))
    noted = SamplePoints(points, (name, name), [name] * 40)
    return {
        "pr": pr_figure(curves, truth=TRUTH, bands={name: band_of(CURVES["knn"])}),
        "error space": error_space_figure(curves, truth=TRUTH),
        "bias": bias_figure(curves, TRUTH),
        "sweep": iou_sweep_figure({name: ([1, 2], [0.5, 0.6])}, xlabel=name),
        "stability": stability_figure({name: ([1, 2], [0.5, 0.6])}, truth=0.5),
        "extremes": extremes_figure([ExtremeRow(name, True, 0.5, 0.6)], truth=MASSES),
        "roles": roles_figure(noted, np.arange(40) < 20),
        "samples 1-D": samples_figure(line, np.arange(40) < 20, **samples),
        "samples 2-D": samples_figure(plane, np.arange(40) < 20, **samples),
    }


def band_of(curve: PRCurve) -> Band:
    return band([curve, CURVES["kde"], CURVES["coverage"]], points=20)


def linear(color: str) -> np.ndarray:
    """Red, green and blue as amounts of light."""
    levels = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(levels <= 0.04045, levels / 12.92, ((levels + 0.055) / 1.055) ** 2.4)


def luminance(color: str) -> float:
    return float(np.dot(linear(color), [0.2126, 0.7152, 0.0722]))


@pytest.mark.parametrize(
    "color", [*FAMILY_COLORS.values(), *SPARE_COLORS, TRUTH_COLOR, *GROUP_COLORS]
)
@pytest.mark.parametrize("ground", ["#ffffff", "#0e1117"])
def test_every_colour_has_a_contrast_of_three_on_both_grounds(color: str, ground: str) -> None:
    dark, light = sorted((luminance(color), luminance(ground)))
    assert (light + 0.05) / (dark + 0.05) >= 3.0


# Linear red, green and blue as seen with a deficiency (Machado, Oliveira, Fernandes 2009, severity
# 1), and in grey.
SEEN = {
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "grey": [[0.2126, 0.7152, 0.0722]] * 3,
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
APART = 15  # CIELAB units: more than six just noticeable differences


def colour_distance(one: str, other: str, seen: str) -> float:
    places = []
    for color in (one, other):
        light = np.clip(np.array(SEEN[seen]) @ linear(color), 0, 1)
        x, y, z = np.cbrt(TO_XYZ @ light / [0.9505, 1, 1.089])
        places.append(np.array([116 * y, 500 * (x - y), 200 * (y - z)]))
    return float(np.linalg.norm(places[0] - places[1]))


@pytest.mark.parametrize("seen", SEEN)
def test_families_whose_colours_look_alike_to_somebody_have_other_markers(seen: str) -> None:
    symbol = symbols(ESTIMATORS)
    color = colors(ESTIMATORS)
    alike = [
        pair
        for pair in combinations(ESTIMATORS, 2)
        if colour_distance(*(color[name] for name in pair), seen) < APART
    ]
    assert alike  # or there would be no need of a second code
    assert all(symbol[one] != symbol[other] for one, other in alike)
    usual = {pair for pair in alike if set(pair) <= set(DEFAULT_METHODS)}
    assert bool(usual) == (seen == "grey")
    drawn = {
        trace.legendgroup: trace.marker.symbol
        for trace in pr_figure(CURVES, truth=CURVES["knn"]).data
    }
    assert drawn == {"truth": None, **{name: symbol[name] for name in CURVES}}


def test_a_family_keeps_its_colour_whatever_else_is_drawn() -> None:
    alone = {name: colors([name])[name] for name in ESTIMATORS}
    assert colors(ESTIMATORS) == colors([*ESTIMATORS][::-1]) == alone
    assert len(set(alone.values())) == len(ESTIMATORS)
    assert colors(["coverage", "mine"])["coverage"] == FAMILY_COLORS["coverage"]
    mixed = colors(["mine", "knn", "yours"])
    assert mixed["knn"] == FAMILY_COLORS["knn"]
    assert len(set(mixed.values())) == 3
    assert list(colors(str(i) for i in range(20)))[:2] == ["0", "1"]


def test_each_family_has_one_colour_in_all_figures() -> None:
    own = {name: FAMILY_COLORS[name] for name in CURVES}
    for figure in (pr_figure(CURVES), error_space_figure(CURVES), bias_figure(CURVES, TRUTH)):
        drawn = by_name(figure)
        assert {name: drawn[ESTIMATORS[name].title].line.color for name in CURVES} == own
    assert set(extremes_figure(ROWS).data[0].marker.color) == set(own.values())


def test_only_the_truth_is_dashed() -> None:
    for figure in (pr_figure(CURVES, truth=TRUTH), error_space_figure(CURVES, truth=TRUTH)):
        dashed = [trace.name for trace in figure.data if trace.line.dash]
        assert dashed == ["truth"]
        assert by_name(figure)["truth"].line.color == TRUTH_COLOR


@pytest.mark.parametrize("draw", [pr_figure, error_space_figure])
def test_the_curve_to_believe_alone_is_bold(draw: Callable[..., go.Figure]) -> None:
    figure = draw({"tightest": TRUTH, **CURVES}, truth=TRUTH)
    widths = {trace.name: trace.line.width for trace in figure.data}
    assert max(widths, key=widths.__getitem__) == label("tightest")
    assert sorted(widths.values())[-2] < 0.7 * max(widths.values())


def test_a_bound_is_a_grey_line_with_everything_beyond_it_shaded() -> None:
    bound = PRCurve.from_error_rates([0.1, 0.3], [0.6, 0.3])
    figure = pr_figure(CURVES, bound=bound, limits={"knn": TRUTH})
    shade, line = figure.data[-3:-1]
    assert {shade.legendgroup, line.legendgroup} == {BOUND}
    assert shade.fill == "toself"
    np.testing.assert_array_equal(shade.x[: len(line.x)], line.x)
    assert list(zip(shade.x[-3:], shade.y[-3:], strict=True)) == [(0, 2), (2, 2), (2, 0)]
    lam = np.array([0.25, 1.0, 4.0])
    np.testing.assert_allclose(
        np.interp(lam, line.y / np.maximum(line.x, 1e-12), line.y), bound.alpha(lam), rtol=0.01
    )
    (limit,) = [trace for trace in figure.data if trace.meta == LIMIT]
    assert (limit.line.color, limit.name) == (FAMILY_COLORS["knn"], "kNN at n = ∞")


def test_a_curve_is_thin_where_it_leaves_the_bound_and_only_there() -> None:
    bound = PRCurve.from_error_rates([0.0, 0.9], [0.3, 0.0])
    across = PRCurve.from_error_rates([0.0, 0.25], [0.5, 0.0])
    figure = pr_figure({"kde": across, "knn": bound}, bound=bound)
    own, inside, thin = (trace for trace in figure.data if trace.legendgroup in ("kde", "knn"))
    assert (own.line.width, inside.line.width, thin.line.width) == (2.5, 2.5, 1)
    assert (thin.meta, thin.legendgroup, thin.mode) == (REFUTED, "kde", "lines")
    assert not np.isnan(inside.y).any()
    lam = own.customdata[:, 0]
    beyond = across.alpha(lam) > bound.alpha(lam) + 1e-2
    assert 0 < beyond.sum() < len(lam)
    assert not np.isnan(thin.y[beyond]).any()
    assert np.isnan(thin.y[across.alpha(lam) <= bound.alpha(lam)]).all()
    drawn = np.isnan(own.y).astype(int) + np.isnan(thin.y)
    assert drawn.max() == 1  # no gap
    assert (drawn == 0).sum() <= 4  # where they meet
    ((low, high),) = refuted_runs(across, bound)
    assert beyond[(lam > 1.1 * low) & (lam < 0.9 * high)].all()
    assert refuted_runs(bound, bound) == []
    # beyond a bound at both ends and not between them
    ends = PRCurve.from_error_rates([0.1], [0.1]), PRCurve.from_error_rates([0.0, 0.3], [0.3, 0.0])
    (low, high), (lower, higher) = refuted_runs(*ends)
    assert low == 0 < high < 1 < lower < higher == np.inf
    for given, thin_lines in ((bound, 1), (None, 0)):
        svg = pr_svg({"kde": across}, title="a", bound=given)
        assert svg.count(f'stroke="{FAMILY_COLORS["kde"]}" stroke-width="1"') == thin_lines


def test_everything_in_a_pr_figure_is_legal_for_plotly() -> None:
    bands = {name: band([curve, TRUTH]) for name, curve in CURVES.items()}
    figure = pr_figure(
        CURVES, truth=TRUTH, bound=TRUTH, limits=CURVES, bands=bands, notes={"knn": "a"}
    )
    assert len(figure.data) == 3 * len(CURVES) + 3 + 2  # two curves leave the bound
    checked = go.Figure(figure.to_plotly_json())  # it checks every entry
    assert json.loads(checked.to_json()) == json.loads(figure.to_json())


def test_shared_layout() -> None:
    for kind, figure in every_figure().items():
        layout = figure.layout
        assert layout.paper_bgcolor == layout.plot_bgcolor == "rgba(0,0,0,0)", kind
        assert layout.uirevision == "prviz"
        assert layout.font.color is None
        assert layout.template.layout.font.color is None
        assert layout.legend.orientation == "h"
        assert layout.legend.y <= -0.2


def test_plain_text() -> None:
    assert plain("a < b & c") == "a &lt; b &amp; c"
    assert plain("%{customdata}") == "%&#123;customdata}"
    assert plain("$x$") == "&#36;x&#36;"
    assert plain('"it\'s"') == '"it\'s"'
    assert plain("two\r\nlines\tof\x00 it") == "two lines of it"
    assert len(plain("x" * 500)) == 80
    assert plain("x" * 500, 10) == "x" * 9 + "…"
    assert plain("&lt;") == "&amp;lt;"


def test_foreign_names_are_plain_text_in_every_figure() -> None:
    for kind, figure in every_figure(EVIL).items():
        document = json.dumps(json.loads(figure.to_json()))
        assert "&lt;b&gt;" in document, kind
        for harmful in ("<b>b", "<a", "%{x} ", "$a$", "\\n%"):
            assert harmful not in document, kind


def test_pr_figure_is_square_and_named() -> None:
    layout = pr_figure(CURVES).layout
    assert tuple(layout.xaxis.range) == tuple(layout.yaxis.range) == (0, 1.02)
    assert layout.yaxis.scaleanchor == "x"
    assert (layout.xaxis.title.text, layout.yaxis.title.text) == (RECALL, PRECISION)


def test_pr_points_carry_their_classifier() -> None:
    trace = by_name(pr_figure({"knn": CURVES["knn"]}, truth=TRUTH))["kNN"]
    lam, fpr, fnr = np.asarray(trace.customdata).T
    assert lam[0] == 0
    assert np.isinf(lam[-1])
    inner = slice(1, -1)
    np.testing.assert_allclose(trace.y[inner], lam[inner] * fpr[inner] + fnr[inner])
    np.testing.assert_allclose(trace.x[inner], fpr[inner] + fnr[inner] / lam[inner])
    drawn = np.unique(np.column_stack([fpr, fnr]), axis=0)
    np.testing.assert_array_equal(drawn, CURVES["knn"].vertices)
    assert trace.text[-1] == "∞"
    for word in ("precision", "recall", "λ", "fpr", "fnr"):
        assert word in trace.hovertemplate


def test_both_figures_of_a_curve_link_by_lam() -> None:
    points = np.asarray(by_name(pr_figure(CURVES))["kNN"].customdata)
    vertices = by_name(error_space_figure(CURVES))["kNN"]
    for lam, fpr, fnr in points:
        (j,) = np.flatnonzero((vertices.x == fpr) & (vertices.y == fnr))
        low, high, *rates = vertices.customdata[j]
        assert rates == [fpr, fnr]
        assert low <= lam <= high


def test_band_is_a_closed_faded_polygon_behind_its_curve() -> None:
    figure = pr_figure(CURVES, bands={"knn": band_of(CURVES["knn"])})
    drawn = figure.data[0]
    assert drawn.fill == "toself"
    assert drawn.legendgroup == by_name(figure)["kNN"].legendgroup
    assert drawn.fillcolor.startswith("rgba(0,114,178,")
    assert 0 <= min(drawn.x) <= max(drawn.x) <= 1
    half = len(drawn.y) // 2
    assert np.all(np.asarray(drawn.y[:half]) <= np.asarray(drawn.y[half:])[::-1])


def test_error_space_axes_say_what_the_rates_are() -> None:
    figure = error_space_figure(CURVES)
    assert "real samples called generated" in figure.layout.xaxis.title.text
    assert "generated samples called real" in figure.layout.yaxis.title.text
    low, high, fpr, fnr = np.asarray(by_name(figure)["kNN"].customdata).T
    np.testing.assert_array_equal(low[:-1], high[1:])
    assert (high[0], low[-1]) == (np.inf, 0)
    np.testing.assert_array_equal(np.column_stack([fpr, fnr]), CURVES["knn"].vertices)


def test_bias_is_the_difference_of_precision() -> None:
    figure = bias_figure(CURVES, TRUTH, points=91)
    trace = by_name(figure)["KDE"]
    lam, estimate, true = np.asarray(trace.customdata).T
    np.testing.assert_array_equal(trace.y, estimate - true)
    np.testing.assert_allclose(estimate, np.minimum(lam, 1))
    assert trace.y[-1] == 1 - TRUTH.extreme_precision
    assert trace.x[45] == 45
    assert lam[45] == pytest.approx(1)
    axis = figure.layout.xaxis
    assert dict(zip(axis.ticktext, axis.tickvals, strict=True))["1"] == 45
    assert "λ" in axis.title.text
    assert list(by_name(figure)["truth"].y) == [0, 0]


def test_iou_sweep_is_sorted_and_has_a_mark_for_a_front_end_to_move() -> None:
    figure = iou_sweep_figure({"knn": ([5, 1, 3], [0.5, 0.1, 0.3])}, xlabel="k")
    curve, mark = figure.data
    assert list(curve.x) == [1, 3, 5]
    assert list(curve.y) == [0.1, 0.3, 0.5]
    assert (list(mark.x), mark.legendgroup, mark.showlegend) == ([None, None], "now", False)
    assert figure.layout.xaxis.type == "log"
    assert figure.layout.xaxis.title.text == "k"


def test_iou_sweep_marks_the_best_value_once() -> None:
    figure = iou_sweep_figure({"knn": ([5, 1, 3], [0.3, 0.1, 0.3])}, xlabel="k", best="highest")
    _, star, _ = figure.data
    assert (list(star.x), list(star.y)) == ([3], [0.3])
    assert star.marker.symbol == "star"
    assert star.marker.color == FAMILY_COLORS["knn"]


def test_stability_shows_every_method_and_the_truth() -> None:
    figure = stability_figure({"knn": ([1, 2], [0.1, 0.2]), "kde": ([1, 2], [0.3, 0.4])}, truth=0.5)
    traces = by_name(figure)
    assert list(traces["kNN"].y) == [0.1, 0.2]
    assert list(traces["truth"].y) == [0.5, 0.5]
    assert figure.layout.showlegend is False
    assert figure.layout.xaxis.type == "log"


def test_bias_reaches_equally_far_on_both_sides() -> None:
    low, high = bias_figure(CURVES, TRUTH).layout.yaxis.range
    assert low == -high
    assert high in [1.05 * reach for reach in (0.05, 0.1, 0.2, 0.5, 1)]


@pytest.mark.parametrize("draw", [stability_figure, partial(iou_sweep_figure, xlabel="k")])
def test_lines_over_k_refuse_what_they_cannot_draw(draw: Callable[..., go.Figure]) -> None:
    with pytest.raises(ValueError, match="2 values of x and 1 of y"):
        draw({"knn": ([1, 2], [0.5])})
    with pytest.raises(ValueError, match="positive"):
        draw({"knn": ([0, 2], [0.5, 0.6])})


def test_extremes_stand_beside_all_four_masses() -> None:
    figure = extremes_figure(ROWS, truth=MASSES)
    traces = by_name(figure)
    masses = ("Q(supp P)", "Q(cosupp)", "P(supp Q)", "P(cosupp)")
    assert [traces[f"true {name}"].x[0] for name in masses] == list(MASSES)
    assert traces["true Q(cosupp)"].yaxis != traces["true P(cosupp)"].yaxis
    assert set(traces["precision, with split"].x) == {0.8}
    assert set(traces["recall, without split"].x) == {0.4}
    assert traces["recall, with split"].yaxis == traces["true P(supp Q)"].yaxis
    titles = " ".join(note.text for note in figure.layout.annotations)
    assert "true Q(cosupp) = 0.600" in titles
    assert "true P(supp Q) = 0.700" in titles
    shown = [trace.name for trace in figure.data if trace.showlegend is None]
    assert shown == ["with split", "without split"]


def test_extremes_without_truth_have_no_reference_lines() -> None:
    assert not [name for name in names(extremes_figure(ROWS)) if name.startswith("true")]
    assert extremes_figure([]).layout.height > 0
