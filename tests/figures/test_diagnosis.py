"""Figures of what is wrong with a checkpoint: what is drawn is what was given."""

from __future__ import annotations

import json

import numpy as np
import pytest

from prviz.curves import PRCurve
from prviz.figures import (
    Highlight,
    highlight_figure,
    marked_curve_figure,
    quantiles_figure,
    spectrum_figure,
)
from prviz.measure.estimates import estimate
from prviz.toys import toy
from prviz.uncertainty.bootstrap import bootstrap

CURVE = PRCurve.from_error_rates([0.0, 0.2, 0.6], [0.7, 0.3, 0.0])
HOSTILE = "<b>x</b> %{y} $z$"


@pytest.mark.parametrize("lam", [0.02, 1.0, 30.0])
def test_the_mark_lies_on_the_curve_and_on_its_ray(lam: float) -> None:
    figure = marked_curve_figure("knn", CURVE, lam=lam, mark=HOSTILE, guide="precision")
    ray = figure.data[-2]
    ring = figure.data[-1]
    assert (ring.x[0], ring.y[0]) == pytest.approx((CURVE.beta(lam), CURVE.alpha(lam)))
    assert ray.y[1] / ray.x[1] == pytest.approx(lam)
    assert max(ray.x[1], ray.y[1]) == pytest.approx(1.02)
    assert figure.layout.shapes[0].y0 == figure.layout.shapes[0].y1 == 0.05
    assert "<b>" not in figure.layout.annotations[0].text


def test_without_lam_nothing_is_marked_and_the_band_is_drawn() -> None:
    spread = bootstrap(estimate(toy("mixtures", d=2).sample(100, 0), "knn")["knn"], 20)
    figure = marked_curve_figure("knn", spread.curve, band=spread.band())
    assert [bool(trace.fill) for trace in figure.data] == [True, False]
    assert not figure.layout.annotations
    sideways = marked_curve_figure("knn", CURVE, guide="recall")
    assert (sideways.layout.shapes[0].x0, sideways.layout.shapes[0].x1) == (0.05, 0.05)


def test_highlights_are_bold_and_say_how_many_there_are() -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(50, 2))
    notes = [f"{HOSTILE} {i}" for i in range(50)]
    parts = [
        Highlight("others", range(40), "#111111", "circle"),
        Highlight(HOSTILE, range(40, 50), "#222222", "x", bold=True),
    ]
    figure = highlight_figure(points, parts, axis_titles=("one", "two"), notes=notes, most=20)
    faint, bold = figure.data
    assert (len(faint.x), len(bold.x), faint.name) == (20, 10, "others: 20 of 40 drawn")
    assert bold.name.endswith(": 10")
    assert faint.opacity < bold.opacity
    assert faint.marker.size < bold.marker.size
    rows = [row for (row,) in bold.customdata]
    np.testing.assert_array_equal(np.column_stack([bold.x, bold.y]), points[rows])
    assert "<b>x" not in json.dumps(figure.to_plotly_json()["data"][1], default=list)
    flat = highlight_figure(points[:, :1], parts, axis_titles=("one",), notes=notes)
    assert [set(trace.y) for trace in flat.data] == [{0.0}, {-1.0}]


def test_the_spectrum_rises_to_all_of_the_variance() -> None:
    figure = spectrum_figure({"real": [0.5, 0.3, 0.2], "generated": []})
    assert figure.data[0].y == pytest.approx((0.5, 0.8, 1.0))
    assert tuple(figure.data[0].x) == (1, 2, 3)
    assert (
        len({trace.line.dash for trace in figure.data})
        == len({trace.marker.symbol for trace in figure.data})
        == 2
    )


def test_quantiles_are_logarithmic_only_where_all_are_positive() -> None:
    values = {"real": np.linspace(1, 2, 101), "generated": np.linspace(10, 300, 101)}
    figure = quantiles_figure(values, ylabel="norm", of="rows", log=True)
    assert figure.layout.yaxis.type == "log"
    assert figure.data[1].y[50] == 155
    assert figure.data[0].line.dash != figure.data[1].line.dash
    zero = quantiles_figure({**values, "real": np.zeros(101)}, ylabel="norm", of="rows", log=True)
    assert zero.layout.yaxis.type is None
