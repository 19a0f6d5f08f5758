"""Figures for papers: what may be drawn, where names stand, and files of a column's size with their
font.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from PIL import Image

import prviz
from prviz.curves import PRCurve
from prviz.curves.band import Band
from prviz.curves.refuted import is_refuted
from prviz.figures import paper, theme
from tests.marks import exhaustive_but


@pytest.fixture(scope="module")
def curves() -> dict[str, PRCurve]:
    far = PRCurve.from_error_rates([0.0, 0.1, 0.5], [0.6, 0.2, 0.0])
    near = PRCurve.from_error_rates([0.0, 0.4, 0.9], [0.95, 0.5, 0.0])
    return {"a <b> $x$": near, "c": far}


def test_each_curve_is_named_in_its_colour_and_truths_are_dashed(
    curves: dict[str, PRCurve],
) -> None:
    assert [text.get_text() for text in prviz.plot_matplotlib(curves).texts] == list(curves)
    axes = prviz.plot_matplotlib(curves, truth=curves, bound=curves["c"])
    long = [line for line in axes.lines if len(line.get_xdata()) > 100]
    drawn = [line for line in long if line.get_linewidth() > paper.THIN]
    assert [line.is_dashed() for line in drawn] == [True, True, False, False]
    assert [line.get_color() for line in drawn[:2]] == [line.get_color() for line in drawn[2:]]
    (legend,) = axes.figure.legends
    said = [text.get_text() for text in legend.get_texts()]
    assert said == [*curves, "truth", "truth is below, 95 %"]
    alone = curves["c"].plot_matplotlib(ax=axes)
    assert alone is axes


def test_files_hold_their_font_and_have_the_width_of_a_column(
    curves: dict[str, PRCurve], tmp_path: Path
) -> None:
    prviz.save(curves, tmp_path / "fig.pdf")
    pdf = (tmp_path / "fig.pdf").read_bytes()
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf
    assert re.search(rb"/MediaBox \[ 0 0 234 ", pdf)  # 3.25 in
    prviz.save(curves, tmp_path / "fig.svg", width="two columns")
    svg = (tmp_path / "fig.svg").read_text("utf-8")
    assert 'width="486pt"' in svg
    assert "<text" not in svg
    prviz.save(curves["c"], tmp_path / "fig.png", width=2)
    with Image.open(tmp_path / "fig.png") as picture:
        assert picture.width == 600
    prviz.save(prviz.plot_matplotlib(curves), tmp_path / "again.pdf")
    assert (tmp_path / "again.pdf").read_bytes() == pdf


def test_a_figure_of_plotly_has_each_truth_beside_its_curve(curves: dict[str, PRCurve]) -> None:
    figure = prviz.plot(curves, truth=curves, bound=curves["c"])
    dashed = [each.line.color for each in figure.data if each.line.dash == "dash"]
    solid = [
        each.line.color
        for each in figure.data
        if "markers" in (each.mode or "") or each.uid is None
    ]
    assert len(set(dashed)) == 2
    assert set(dashed) <= set(solid)
    assert curves["c"].plot(truth=curves["c"]).data[0].name == "truth"


def test_results_are_drawn_as_their_curves() -> None:
    rng = np.random.default_rng(0)
    real, one, other = (rng.normal(shift, size=(60, 3)) for shift in (0.0, 0.3, 1.0))
    estimates = prviz.estimate(real, one, methods=("knn", "ipr"), k=5)
    assert [text.get_text() for text in prviz.plot_matplotlib(estimates).texts] == ["kNN", "iPR"]
    two = prviz.compare(real, one, other, replicates=5)
    several = prviz.compare(real, {"near": one, "far": other}, replicates=5)
    for result in (estimates["knn"], two, several):
        assert prviz.plot(result).data


def test_what_can_not_be_drawn_is_said(
    curves: dict[str, PRCurve], tmp_path: Path, monkeypatch
) -> None:
    plain = prviz.plot(curves)
    for drawn, path, width, message in (
        (curves, "fig.eps", "one column", r"ends in \.pdf, \.svg, \.png"),
        (curves, "fig.pdf", "half", "'one column' or 'two columns' or 2 to 40 inches"),
        (curves, tmp_path / "none" / "fig.pdf", "one column", "there is no folder"),
        (plain, tmp_path / "fig.pdf", "one column", "give the curves instead"),
    ):
        with pytest.raises(ValueError, match=message):
            prviz.save(drawn, path, width=width)
    with pytest.raises(ValueError, match="belongs to no curve"):
        prviz.plot(curves, truth={"d": curves["c"]})
    with pytest.raises(TypeError, match=r"curves\['x'\] is int"):
        prviz.plot({"x": 1})
    monkeypatch.setattr(paper, "find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match="pip install matplotlib"):
        prviz.save(curves, "fig.pdf")


def test_limits_bands_and_the_bound_are_drawn_as_on_screen(curves: dict[str, PRCurve]) -> None:
    near = next(iter(curves.values()))
    bound = PRCurve.from_error_rates([0.0, 0.2, 1.0], [0.99, 0.55, 0.0])
    lam = np.geomspace(0.1, 10, 20)
    of = near.alpha(lam)
    spread = np.full(20, 0.05)
    band = Band(lam=lam, alpha_mean=of, alpha_sd=spread, beta_mean=of / lam, beta_sd=spread / lam)
    beside = {"bound": bound, "limits": {"knn": bound}, "bands": {"knn": band}}
    axes = prviz.plot_matplotlib({"knn": near}, **beside)
    ink = to_rgb(theme.colors(["knn"])["knn"])
    beyond, around = (patch.get_facecolor() for patch in axes.patches)
    assert beyond == (*to_rgb(theme.TRUTH_COLOR), 0.1)
    assert around == (*ink, 0.25)
    _, dotted, thin, bold = (line for line in axes.lines if len(line.get_xdata()) > 100)
    assert to_rgb(dotted.get_color()) == ink
    assert dotted.is_dashed()
    # Beyond the bound the curve is thin alone.
    refuted = is_refuted(*near.sample(200), bound)
    assert 0 < refuted.sum() < len(refuted)
    assert np.array_equal(np.isnan(bold.get_ydata()), refuted)
    assert thin.get_linewidth() < bold.get_linewidth()
    assert "with ever more samples" in [text.get_text() for text in axes.get_legend().get_texts()]
    assert paper.pdf({"knn": near}, "two columns", **beside).startswith(b"%PDF")


MODELS = ["StyleGAN2-ADA", "DDPM", "Latent diffusion", "Consistency model", "VAE"]


def of_shifts(*shifts: float) -> dict[str, PRCurve]:
    truths = [prviz.toy("shifted-gaussians", d=1, mu=shift).truth() for shift in shifts]
    return dict(zip(MODELS, truths, strict=False))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("shifts", [(0.35, 0.81, 1.64), (0.35, 0.9), (0.1, 0.12, 2.0)])
@pytest.mark.parametrize("width", [2.7, 3.25])
def test_a_name_beside_its_curve_lies_over_no_line(shifts: tuple[float, ...], width: float) -> None:
    curves = of_shifts(*shifts)
    axes = paper._drawn(curves, width, truth=None, bound=None, limits=None, bands=None)
    figure = axes.figure
    assert bool(axes.texts) != bool(figure.legends)
    figure.canvas.draw()
    for text in axes.texts:
        # in pixels; letters do not fill the height of their box
        box = text.get_window_extent().padded(-1)
        for line in axes.lines:
            ends = axes.transData.transform(line.get_xydata())
            shares = np.linspace(0, 1, 20)[:, None, None]
            points = (ends[:-1] + shares * np.diff(ends, axis=0)).reshape(-1, 2)
            inside = (points > box.min).all(axis=1) & (points < box.max).all(axis=1)
            assert not inside.any(), text.get_text()


@pytest.mark.one_in(4)
@pytest.mark.parametrize("width", exhaustive_but((2.0, 2.7, 3.25, 5.5, 6.75), 2.0, 6.75))
@pytest.mark.parametrize("more", ["", " trained on twice the data of ours"])
def test_where_names_do_not_fit_each_curve_has_a_mark_and_the_legend_is_on_the_page(
    width: float, more: str
) -> None:
    curves = {name + more: curve for name, curve in of_shifts(0.35, 0.4, 0.44, 1.04, 1.64).items()}
    common = next(iter(curves.values()))
    axes = paper._drawn(curves, width, truth=common, bound=None, limits=None, bands=None)
    assert not axes.texts
    (legend,) = axes.figure.legends
    said = [text.get_text().replace("\n", " ") for text in legend.get_texts()]
    assert said == [*curves, "truth"]
    marks = [line.get_marker() for line in axes.lines if line.get_linewidth() == paper.CURVE]
    assert len(set(marks)) == len(curves)
    axes.figure.canvas.draw()
    page = axes.figure.bbox
    box = legend.get_window_extent()
    assert page.x0 <= box.x0
    assert box.x1 <= page.x1
    assert page.y0 <= box.y0
    titles = [axes.xaxis.label.get_window_extent(), axes.bbox]
    assert not any(box.overlaps(each) for each in titles)


def test_in_axes_of_somebody_else_the_legend_is_inside() -> None:
    figure = Figure(figsize=(6, 3))
    for axes in figure.subplots(1, 2):
        curves = of_shifts(0.35, 0.4, 0.44, 1.04, 1.64)
        prviz.plot_matplotlib(curves, ax=axes)
        assert [text.get_text() for text in axes.get_legend().get_texts()] == MODELS
    assert figure.legends == []
