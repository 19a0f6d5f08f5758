"""The drawing for slides and papers: well-formed, complete, and legible by what stands where."""

from __future__ import annotations

import base64
import re
from xml.etree import ElementTree

import numpy as np
import pytest

import prviz
from prviz.curves import PRCurve
from prviz.curves.refuted import is_refuted
from prviz.estimators import ESTIMATORS
from prviz.figures import FAMILY_COLORS
from prviz.figures.svg import HEIGHT, LEFT, SIDE, TOP, WIDE, pr_svg

TRUTH = PRCurve.from_error_rates([0.1, 0.4], [0.4, 0.1])
CURVES = {
    name: PRCurve.from_error_rates([a, 0.4 + a], [0.5 - a, 0.1])
    for name, a in zip(("knn", "kde", "ipr", "coverage"), (0.05, 0.1, 0.2, 0.3), strict=True)
}
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>alert(1)</script> & \"]]>\x00'{$x$}"


def drawn(text: str) -> tuple[ElementTree.Element, list[str]]:
    """The document, and all its texts."""
    root = ElementTree.fromstring(text)
    return root, [node.text or "" for node in root.iter(SVG + "text")]


@pytest.mark.parametrize("wide", [False, True])
def test_every_family_stands_at_its_curve_with_the_iou_as_computed(wide: bool) -> None:
    root, texts = drawn(
        pr_svg(CURVES, title="A title", subtitle="k = 5, seed 0", truth=TRUTH, wide=wide)
    )
    assert (root.get("width"), root.get("height")) == (str(WIDE if wide else HEIGHT), str(HEIGHT))
    assert texts[:2] == ["A title", "k = 5, seed 0"]
    assert "truth" in texts
    for name, curve in CURVES.items():
        iou = curve.iou(TRUTH)
        assert f"{ESTIMATORS[name].title}, IoU {iou:.2f}" in texts
        assert (f"{iou:.2f}" in texts) == wide
    hovers = [node.text or "" for node in root.iter(SVG + "title")]
    compared = CURVES["ipr"].compare(TRUTH)
    told = f"excess {compared.excess:.2f}, deficit {compared.deficit:.2f}"
    assert any(told in hover for hover in hovers)


def test_bars_of_the_wide_drawing_are_as_long_as_excess_and_deficit_together() -> None:
    root, _ = drawn(pr_svg({"ipr": CURVES["ipr"]}, title="", truth=TRUTH, wide=True))
    whole, bar = [
        float(node.get("width") or "nan")
        for node in root.iter(SVG + "rect")
        if float(node.get("x") or 0) > LEFT + SIDE
    ]
    compared = CURVES["ipr"].compare(TRUTH)
    assert bar == pytest.approx((compared.excess + compared.deficit) * whole / 2, abs=0.1)


def test_without_a_truth_the_area_stands_there() -> None:
    _, texts = drawn(pr_svg({"knn": TRUTH}, title="", bound=CURVES["knn"], wide=True))
    assert f"kNN, AuC {TRUTH.auc:.2f}" in texts
    assert "Area under the curve" in texts
    assert "the truth lies below, 95 %" in texts
    assert "truth" not in texts
    assert not any("IoU" in text for text in texts)


def test_repeats_have_bands_and_notes_stand_behind_the_names() -> None:
    pair = prviz.toy("shifted-gaussians", d=2).sample(60, seed=0)
    band = prviz.bootstrap(prviz.estimate(pair, ("knn",))["knn"], 20).band()
    plain = pr_svg({"knn": TRUTH}, title="")
    banded = pr_svg({"knn": TRUTH}, title="", bands={"knn": band}, notes={"knn": "approximate"})
    assert banded.count("<path") == plain.count("<path") + 1
    assert any(text.endswith(", approximate") for text in drawn(banded)[1])


def test_limits_are_dotted_in_their_family_s_colour_and_named() -> None:
    text = pr_svg({"knn": TRUTH}, title="", limits={"knn": CURVES["knn"]})
    (path,) = re.findall(
        r'<path d="M([^"]+)" [^>]*stroke="([^"]+)" [^>]*stroke-dasharray="2 4"', text
    )
    assert path[1] == FAMILY_COLORS["knn"]
    points = np.array(path[0].split(), dtype=float).reshape(-1, 2)
    np.testing.assert_allclose(
        (points[:, 0] - LEFT) / SIDE * 1.02, CURVES["knn"].sample(200)[2], atol=1e-4
    )
    assert "kNN at n = ∞" in drawn(text)[1]


def test_a_curve_is_thin_and_bare_exactly_where_it_is_refuted() -> None:
    bound = PRCurve.from_error_rates([0.0, 0.9], [0.3, 0.0])
    across = PRCurve.from_error_rates([0.0, 0.25], [0.5, 0.0])
    text = pr_svg({"kde": across}, title="", bound=bound)
    paths = re.findall(
        rf'<path d="M([^"]+)" [^>]*stroke="{FAMILY_COLORS["kde"]}" stroke-width="(.)"', text
    )
    thin = set[tuple[str, ...]]()
    thick = set[tuple[str, ...]]()
    for points, width in paths:
        line = thin if width == "1" else thick
        line.update(tuple(point.split()) for point in re.findall(r"\S+ \S+", points))
    lam, precision, recall = across.sample(200)
    beyond = is_refuted(lam, precision, recall, bound)
    assert 0 < beyond.sum() < len(lam)
    corner = np.array([LEFT, TOP + SIDE])
    at = corner + np.column_stack([recall, -precision]) / 1.02 * SIDE
    assert thin == {(f"{x:.1f}", f"{y:.1f}") for x, y in at[beyond].tolist()}
    assert len(thin & thick) == np.diff(beyond).sum()  # where they meet
    marks = np.array(re.findall(r"translate\((\S+) (\S+)\) scale", text), dtype=float)
    unbounded = pr_svg({"kde": across}, title="")
    assert 0 < len(marks) < len(re.findall(r"translate\(\S+ \S+\) scale", unbounded))
    nearest = np.linalg.norm(marks[:, None] - at, axis=2).argmin(axis=1)
    assert not beyond[nearest].any()


def test_lines_are_the_curves() -> None:
    text = pr_svg({"knn": TRUTH}, title="")
    (path,) = re.findall(r'<path d="M([^"]+)" fill="none" stroke-linejoin', text)
    points = np.array(path.split(), dtype=float).reshape(-1, 2)
    _, precision, recall = TRUTH.sample(200)
    np.testing.assert_allclose((points[:, 0] - LEFT) / SIDE * 1.02, recall, atol=1e-4)
    np.testing.assert_allclose((TOP + SIDE - points[:, 1]) / SIDE * 1.02, precision, atol=1e-4)


def test_foreign_text_stays_text() -> None:
    text = pr_svg({HOSTILE: TRUTH}, title=HOSTILE, subtitle=HOSTILE)
    root, texts = drawn(text)
    assert not list(root.iter(SVG + "script"))
    assert "<script>" in texts[0]
    assert not re.search(r"href|url\((?!data:font/woff2;base64,)", text)


def test_the_font_travels_in_the_drawing() -> None:
    text = pr_svg({"knn": TRUTH}, title="")
    (font,) = re.findall(
        r"@font-face \{ font-family: 'prviz Sans'; .*url\(data:font/woff2;base64,([^)]+)\)", text
    )
    assert base64.b64decode(font, validate=True).startswith(b"wOF2")
    assert ElementTree.fromstring(text).get("font-family", "").startswith("'prviz Sans', ")
    assert len(text) < 60_000
