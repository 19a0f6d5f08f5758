"""Explore in a real Chromium: what a visitor sees, moves, uploads and takes away."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image, ImageChops
from playwright.sync_api import Locator, Page, expect

from tests.browser import (
    Opener,
    Tab,
    at_page,
    beside,
    box_of,
    choose_files,
    click,
    cut_parts,
    drag,
    enter,
    link_says,
    middle,
    press_often,
    resize,
    saved,
    unfold,
    visit,
    wait_idle,
    wait_until,
)
from tests.file_builders import npy
from tests.marks import exhaustive, thorough

FAMILIES = ("kNN", "KDE", "iPR", "Coverage")
# The first view with few samples: half of the time of the default ones.
QUICK = "/?n=100&p.d=2"
# The PNG that the page makes of a drawing, as Base64.
PAINTED = """async (text) => {
    const image = new Image();
    image.src = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [2 * image.naturalWidth, 2 * image.naturalHeight];
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL().split(",")[1];
}"""


def main_figure(page: Page) -> Locator:
    return page.locator(".live", has=page.locator(".control")).first


def painted(page: Page) -> str:
    """Revision of the main figure once it has been drawn."""
    figure = main_figure(page)
    expect(figure).to_have_attribute("data-revision", re.compile("[0-9a-f]{12}"))
    return figure.get_attribute("data-revision") or ""


def paths(page: Page, pane: int = 0) -> list[str]:
    """The drawn curves of one pane, as SVG paths."""
    return (
        main_figure(page)
        .locator(".pane")
        .nth(pane)
        .locator(".scatterlayer .js-line")
        .evaluate_all("lines => lines.map(line => line.getAttribute('d'))")
    )


def drawn_paths(page: Page) -> list[str]:
    """The drawn curves of the first pane, as Plotly draws them, which follows what the page itself
    has painted.
    """
    page.wait_for_function(
        "() => [...document.querySelectorAll('.live[data-stop]')].every((each) => "
        "each.dataset.settled === each.dataset.stop)"
    )
    return paths(page)


def slider(page: Page, name: str) -> Locator:
    """A slider by its name; the seed's stands in the fold, which opens for it."""
    if name == "Seed":
        unfold(page)
    return page.get_by_role("slider", name=name).first


def number(page: Page, name: str) -> Locator:
    """The field of a slider's exact value; the seed's stands in the fold, which opens for it."""
    if name == "Seed":
        unfold(page)
    return page.get_by_role("spinbutton", name=f"{name}, exact value")


def row(page: Page, curve: str) -> Locator:
    """The row of a curve, a click on which hides it."""
    return page.locator(f".rows [data-curve={curve}]")


def line_of(curve: str) -> str:
    """JavaScript for what Plotly has of a curve's line in `plot`."""
    return f"plot._fullData.find(each => each.legendgroup === '{curve}' && !/to/.test(each.fill))"


def hide(page: Page, curve: str) -> None:
    row(page, curve).click()
    plot = main_figure(page).locator(".js-plotly-plot").first
    page.wait_for_function(
        f"plot => {line_of(curve)}.visible === 'legendonly'", arg=plot.element_handle()
    )


def mark(page: Page, pane: int, curve: str) -> tuple[float, float]:
    """The mark at lam on one curve: recall and precision in figure 0, both error rates in the tab
    Error space.
    """
    dot = page.locator(".live").nth(pane).locator(f"circle[data-curve={curve}]")
    return float(dot.get_attribute("data-x") or "nan"), float(dot.get_attribute("data-y") or "nan")


def open_explore(page: Page, path: str = "/") -> None:
    visit(page, path)
    at_page(page, "Explore")
    painted(page)
    wait_idle(page)


def no_trouble(page: Page) -> None:
    expect(page.locator('[data-testid="stException"]')).to_have_count(0)


@pytest.fixture(scope="module")
def looked_at(warm: Tab) -> Iterator[Page]:
    """One visitor of the first view, for tests that bring what they need of it; zoom and hidden
    entries stay.
    """
    tab = beside(warm)
    open_explore(tab.page)
    yield tab.page
    tab.close()


def test_first_view_shows_four_curves_the_truth_and_the_bias(looked_at: Page) -> None:
    page = looked_at
    expect(page.locator("[data-prviz=iou-row]")).to_have_text(
        [re.compile(rf"^{name}0\.\d\d$") for name in FAMILIES]
    )
    expect(
        page.locator(".curve-labels text").filter(has_text=re.compile("^truth$"))
    ).to_be_visible()
    assert len(paths(page)) >= 5
    assert page.evaluate("typeof window.Plotly.react") == "function"
    box = box_of(main_figure(page).locator(".pane").first.locator(".nsewdrag").first)
    assert abs(box["width"] - box["height"]) < 3
    no_trouble(page)


def point_at(page: Page, plot: Locator, *, trace: int, point: int) -> None:
    """Move the pointer onto one drawn point."""
    x, y = plot.evaluate(
        """(plot, [trace, point]) => {
            const { xaxis, yaxis } = plot._fullLayout, at = plot.calcdata[trace][point];
            return [xaxis.c2p(at.x) + xaxis._offset, yaxis.c2p(at.y) + yaxis._offset];
        }""",
        [trace, point],
    )
    plot.scroll_into_view_if_needed()
    box = box_of(plot)
    page.mouse.move(box["x"] + x - 30, box["y"] + y - 30)
    page.mouse.move(box["x"] + x, box["y"] + y, steps=4)


def drag_in(plot: Locator, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Drag from one place in a plot to another, as shares of its width and height from the top
    left.
    """
    area = box_of(plot.locator(".nsewdrag").first)
    drag(
        plot.page,
        *((area["x"] + x * area["width"], area["y"] + y * area["height"]) for x, y in (start, end)),
    )


def box_zoom(page: Page, plot: Locator, *, selects: bool = False) -> None:
    """Zoom by the button and a drag, which alone does nothing; or selects samples, where it is not
    tried.
    """
    plot.scroll_into_view_if_needed()
    start = (0.2, 0.3)
    end = (0.7, 0.8)
    before = plot.evaluate("plot => plot._fullLayout.xaxis.range")
    if not selects:
        drag_in(plot, start, end)
    assert plot.evaluate("plot => plot._fullLayout.xaxis.range") == before  # not by accident
    plot.locator('.tools button[title="Zoom"]').click()
    drag_in(plot, start, end)
    page.wait_for_function(
        "([plot, [low, high]]) => { const [a, b] = plot._fullLayout.xaxis.range; return b - a < 0.9"
        " * (high - low); }",
        arg=[plot.element_handle(), before],
    )


@exhaustive
def test_the_first_screen_holds_what_a_conclusion_needs(new_page: Opener) -> None:
    page = new_page()
    open_explore(page)
    names = ("data", "families", "k", "bandwidth", "split", "iou-row", "angle", "diagnostics")
    panel = (".st-key-part-panel [role=tab]", ".st-key-enlarge button", ".over-stops")
    figure = page.locator("[data-prviz=pr-figure]").last
    parts = [figure, *(page.locator(f"[data-prviz={name}]").last for name in names)]
    parts += [page.locator(part).first for part in panel]

    def whole(height: int) -> bool:
        return not cut_parts(parts, height) and box_of(figure)["height"] > 0.7 * height

    for width, height in ((1366, 768), (1440, 900), (1920, 1080)):
        resize(page, width, height)
        wait_until(page, lambda height=height: whole(height))


@exhaustive
def test_the_menu_of_toys_closes_once_one_is_chosen_and_the_curves_of_the_last_go_at_once(
    page: Page,
) -> None:
    open_explore(page)
    number_of_row = page.locator(".rows .row b").first
    before = page.locator(".rows").first.bounding_box()
    page.evaluate("""() => new MutationObserver(() => {
            const style = part => getComputedStyle(document.querySelector(part));
            const said = [".rows .row b", ".live.screen .verdict"].every(part => style(part).visibility === "hidden");
            window.hid ||= said && style(".live.screen .plot").clipPath.startsWith("polygon");  // all but the axes
        }).observe(document.querySelector(".live.screen"), { attributeFilter: ["data-other"] })""")
    menu = page.locator(".st-key-part-toy button").first
    choice = page.get_by_text("Perfect generator", exact=True)
    menu.click()
    choice.last.click()
    expect(menu).to_contain_text("Perfect generator")
    expect(page.get_by_role("radiogroup", name="Toy, with its true curve")).to_have_count(0)
    expect(page.locator(".verdict").first).not_to_be_empty()
    expect(number_of_row).to_be_visible()
    assert page.evaluate("window.hid")
    assert page.locator(".rows").first.bounding_box() == before


@exhaustive
def test_a_row_that_is_pointed_at_draws_and_names_its_limit(looked_at: Page) -> None:
    page = looked_at
    page.locator("[data-prviz=k] .over-stops path").first.wait_for()
    wait_idle(page)
    row = page.locator(".rows .row[data-curve=ipr]")
    verdict = page.locator(".verdict")
    limit = page.locator(".live-limit")
    expect(limit).to_have_count(0)
    row.hover()
    expect(limit).to_have_count(1)
    expect(page.locator(".curve-labels .aside")).to_have_text(
        re.compile(r"^dotted: iPR with ever more samples, k = \d+$")
    )
    expect(verdict.first).to_have_text(
        re.compile(r"^iPR, k = \d+: overlap 0\.\d\d; with ever more samples 0\.\d\d\.$")
    )
    page.mouse.move(0, 0)
    expect(limit).to_have_count(0)
    expect(verdict.first).not_to_contain_text("ever more")
    tap = (
        "node => node.dispatchEvent(new PointerEvent('click', { pointerType: 'touch', bubbles:"
        " true }))"
    )
    row.evaluate(tap)  # a finger points first
    expect(limit).to_have_count(1)
    expect(row).to_have_attribute("aria-pressed", "true")
    row.evaluate(tap)
    expect(row).to_have_attribute("aria-pressed", "false")
    row.click()
    expect(row).to_have_attribute("aria-pressed", "true")


@exhaustive
def test_a_click_over_k_takes_that_k_and_escape_puts_an_enlarged_panel_back(
    looked_at: Page,
) -> None:
    page = looked_at
    picture = page.locator("[data-prviz=k] .over-stops")
    expect(picture).to_have_text("overlap")
    wait_idle(page)
    stops = int(page.get_by_label("Neighbours k", exact=True).get_attribute("max") or 0)
    box = box_of(picture.locator("svg"))
    page.mouse.click(
        box["x"] + round(0.4 * stops) / stops * box["width"], box["y"] + box["height"] / 2
    )
    expect(page.get_by_label("Neighbours k", exact=True)).to_have_value(str(round(0.4 * stops)))
    families = page.locator(".rows .row")
    # a line and a dot each, and where k is
    expect(picture.locator("path")).to_have_count(2 * families.count() + 1)
    families.first.click()
    expect(picture.locator("path")).to_have_count(2 * families.count() - 1)
    families.first.click()
    wait_idle(page)
    panel = page.locator(".st-key-part-panel")
    page.get_by_role("button", name="Enlarge this panel").first.click()
    page.wait_for_function("node => node.clientWidth > innerWidth / 2", arg=panel.element_handle())
    wait_idle(page)
    page.keyboard.press("Escape")
    page.wait_for_function("node => node.clientWidth < innerWidth / 2", arg=panel.element_handle())


def upload(page: Page, label: str, name: str, content: bytes) -> None:
    field = page.locator('[data-testid="stFileUploader"]', has_text=label)
    with page.expect_response(
        lambda answer: "upload_file" in answer.url and answer.request.method == "PUT"
    ):
        choose_files(page, label, (name, content))
    expect(
        field.get_by_role("button", name=f"Remove {name}", exact=True, include_hidden=True)
    ).to_be_attached()
    wait_idle(page)


def about(page: Page) -> Locator:
    """What stands behind the figure's question mark, its data first; folded."""
    return main_figure(page).locator(".help p").first


def open_uploads(page: Page) -> None:
    open_explore(page, QUICK)
    page.get_by_role("radio", name="Your files").or_(
        page.get_by_role("button", name="Your files")
    ).first.click()
    page.locator('[data-testid="stFileUploader"]').first.wait_for()
    wait_idle(page)


def plain_npy(seed: int) -> bytes:
    return npy(np.random.default_rng(seed).normal(size=(60, 5)))


def upload_pair(page: Page) -> None:
    """Two files of samples."""
    for title, name in (("Real samples", "real.npy"), ("Generated samples", "generated.npy")):
        upload(page, title, name, plain_npy(len(name)))
    expect(about(page)).to_contain_text("60 real and 60 generated samples in 5 dimensions")


@exhaustive
def test_a_hostile_link_is_told_and_harmless(page: Page) -> None:
    open_explore(
        page, "/?k=999999999999&problem=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&split=9&seed=-1"
    )
    told = page.get_by_text(re.compile("is ignored|there is no toy problem"))
    expect(told).to_have_count(1)  # one box for all, which leaves the figure its room
    assert page.locator("img[src=x]").count() == 0


def test_the_figure_saves_itself_as_a_picture(looked_at: Page, tmp_path: Path) -> None:
    page = looked_at
    pane = main_figure(page).locator(".pane").first
    target = tmp_path / "figure"
    for title, suffix, magic in (("PNG", "png", b"\x89PNG"), ("SVG", "svg", b"<svg")):
        pane.hover()
        with page.expect_download() as waiting:
            pane.locator(f'.tools button[title="Save this figure as {title}"]').click()
        waiting.value.save_as(target)
        assert waiting.value.suggested_filename == f"prviz-pr.{suffix}"
        assert target.read_bytes().startswith(magic)


def test_downloads_open_again(looked_at: Page, tmp_path: Path, new_page: Opener) -> None:
    page = looked_at
    click(page, "button", "Export")
    content = json.loads(saved(page, "Everything as JSON", tmp_path).read_text())
    assert set(content["methods"]) == {"knn", "kde", "ipr", "coverage"}
    curves = saved(page, "Curves as CSV", tmp_path).read_text().splitlines()
    table = saved(page, "Table as CSV", tmp_path).read_text().splitlines()
    assert len(curves) > 100
    assert len(table) == 6
    svg = saved(page, "SVG square", tmp_path).read_text("utf-8")
    assert ElementTree.fromstring(svg).get("width") == "900"
    plain = page.evaluate(PAINTED, re.sub("<style>.*?</style>", "", svg))
    with Image.open(saved(page, "PNG square", tmp_path)) as picture:
        assert picture.size == (1800, 1800)
        with Image.open(io.BytesIO(base64.b64decode(plain))) as other:
            assert ImageChops.difference(picture.convert("RGB"), other.convert("RGB")).getbbox(), (
                "not the own font"
            )
        assert len(picture.convert("RGB").getcolors(2**20) or ()) > 100
    with Image.open(saved(page, "PNG 16:9", tmp_path)) as picture:
        assert picture.size == (3200, 1800)
    html = saved(page, "HTML", tmp_path)
    assert html.stat().st_size < 1_500_000
    copy = new_page()
    copy.goto(html.as_uri())
    expect(copy.locator("svg text", has_text=re.compile("^truth$"))).to_be_visible()
    loaded = (
        "document.fonts.load('16px \"prviz Sans\"').then((fonts) => fonts.map((font) =>"
        " font.status))"
    )
    assert copy.evaluate(loaded) == ["loaded"]
    ious = {row[0]: f"{float(row[1]):.3f}" for row in csv.reader(table[2:])}
    for name, family in zip(content["methods"], FAMILIES, strict=True):
        cells = copy.get_by_role("row").filter(
            has=copy.get_by_role("rowheader", name=family, exact=True)
        )
        expect(cells.get_by_role("cell").first).to_have_text(ious[name])
        expect(copy.locator("svg text", has_text=re.compile(f"^{family}, IoU"))).to_be_visible()


@exhaustive
def test_fast_keys_reach_the_last_value_and_the_link(looked_at: Page) -> None:
    page = looked_at
    page.locator("[data-prviz=k]").get_by_role("button", name="5", exact=True).click()
    press_often(slider(page, "Neighbours k"), 8)
    expect(number(page, "Neighbours k")).to_have_value("13")
    link_says(page, "k", "13")
    wait_idle(page)


@exhaustive
def test_bound_and_limits_come_on_request(looked_at: Page) -> None:
    page = looked_at
    plot = main_figure(page).locator(".js-plotly-plot").first
    drawn = """(plot, group) => [...plot.querySelectorAll('.scatterlayer .trace')]
        .filter(node => [node.__data__[0].trace.legendgroup, node.__data__[0].trace.meta].includes(group))
        .flatMap(node => [...node.querySelectorAll('.js-line, .js-fill')].map(path => path.getAttribute('d')))"""
    assert not plot.evaluate(drawn, "bound") + plot.evaluate(drawn, "limit")
    for chip in page.locator("[data-prviz=show] button").all():
        chip.click()
        expect(chip).to_have_attribute("aria-pressed", "true")
    page.wait_for_url(re.compile("show=bound%2Climits"))
    page.wait_for_function(
        f"plot => ({drawn})(plot, 'bound').length > 1", arg=plot.element_handle()
    )
    assert len(plot.evaluate(drawn, "limit")) >= 2
    no_trouble(page)


@exhaustive
@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_nothing_is_wider_than_the_window(new_page: Opener, width: int, scheme: str) -> None:
    page = new_page(size=(width, 900), color_scheme=scheme)
    open_explore(page, QUICK)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    expect(page.locator(".rows .row")).to_have_count(4)
    inside = page.evaluate(
        """() => [...document.querySelectorAll('.rows *, .live .xtitle, .live .ytitle')]
        .every(e => { const b = e.getBoundingClientRect(); return b.left >= 0 && b.right <= innerWidth })"""
    )
    assert inside
    handle = page.get_by_role("button", name="Room for the settings")
    if width > 767:
        expect(handle).to_be_hidden()
        return
    sheet = page.get_by_test_id("stSidebar")
    closed = box_of(sheet)
    export = box_of(page.locator(".st-key-part-export"))
    assert export["y"] + export["height"] < closed["y"]
    for expanded in ("true", "false"):
        handle.press("Enter")
        expect(handle).to_have_attribute("aria-expanded", expanded)
        box = box_of(sheet)
        assert (box["height"] > closed["height"] + 100) == (expanded == "true")


@thorough
def test_a_long_computation_shows_its_progress_and_can_be_stopped(page: Page) -> None:
    open_explore(page, "/?n=100&repeats=5")
    # the first drawing may be of fewer samples
    expect(main_figure(page).locator(".coarse")).to_have_text("")
    wait_idle(page)
    first = mark(page, 0, "knn"), mark(page, 0, "ipr")
    sizes = slider(page, "Samples per set")
    sizes.focus()
    sizes.press("End")
    computing = page.get_by_text(re.compile("Computing: about"))
    stopped = page.get_by_text(re.compile("^Stopped"))
    expect(computing).to_be_visible()
    expect(main_figure(page).get_by_role("progressbar")).to_be_visible()
    main_figure(page).get_by_role("button", name="Stop").click()
    expect(stopped).to_be_visible()
    wait_idle(page)
    assert (mark(page, 0, "knn"), mark(page, 0, "ipr")) == first
    expect(about(page)).to_contain_text("100 real and 100 generated samples")
    click(page, "button", "Compute it after all")
    expect(computing).to_be_visible()
    sizes.press("Home")
    expect(computing).to_have_count(0)
    expect(stopped).to_have_count(0)


def has_shares(bars: Locator, *shares: int) -> None:
    for bar, share in zip(bars.all(), shares, strict=True):
        expect(bar).to_have_attribute("aria-valuenow", str(share))


@exhaustive
def test_a_pulled_weight_moves_the_truth_and_stands_in_the_link(page: Page) -> None:
    visit(page, "/?problem=finite&n=100&p.d=2&p.real_weights=0.5,0.5,0.0,0.0")
    painted(page)
    before = drawn_paths(page)
    page.get_by_text("Details").click()
    bars = page.get_by_role("group", name="Real shares p").get_by_role("slider")
    box = box_of(bars.nth(2))
    x, _ = middle(bars.nth(2))
    drag(page, (x, box["y"] + box["height"] - 2), (x, box["y"] + box["height"] * 0.53))
    has_shares(bars, 25, 25, 50, 0)
    wait_idle(page)
    assert drawn_paths(page) != before
    click(page, "button", "Same as real")
    generated = page.get_by_role("group", name="Generated shares q").get_by_role("slider")
    has_shares(generated, 25, 25, 50, 0)
    field = page.get_by_role("spinbutton", name="Generated shares q, mode 3, exact %")
    enter(field, "80")
    has_shares(generated, 10, 10, 80, 0)
    wait_idle(page)
    expect(page).to_have_url(re.compile(r"p\.real_weights=0\.25(,|%2C)0\.25(,|%2C)0\.5(,|%2C)0\.0"))
