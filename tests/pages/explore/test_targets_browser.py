"""Widths: what a finger taps has 44 pixels, and nothing covers a row or the figure."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import (
    LAPTOP,
    PHONE,
    TABLET,
    AppServer,
    Opener,
    Tab,
    beside,
    box_of,
    click,
    cut_texts,
    enter,
    open_tab,
    overlaps,
    visit,
    wait_until,
)
from tests.marks import exhaustive

# Controls in sight, each by the pixels that a tap reaches it on, from its middle to the sides.
SMALL = """() => {
    const kinds = `button, a[href], input, select, summary, textarea, [role=tab], .over-stops`;
    const inside = "[inert], [aria-hidden=true], .st-key-space .tools, td.tools";
    const found = [];
    let seen = 0;
    for (const node of document.querySelectorAll(kinds)) {
        const shown = node.checkVisibility({ visibilityProperty: true, opacityProperty: true });
        if (!shown || node.disabled || node.closest(inside)) continue;
        const drawn = node.getBoundingClientRect().width > 1 && getComputedStyle(node).clipPath === "none";
        if (!drawn && !node.closest("[data-rac]")) continue; // for the keyboard alone
        const knob = node.closest("[data-rac]:has(> * > input[type=range])");
        const whole = node.role === "combobox" ? "[role=group]" : "[role=group]:has(> [role=combobox])";
        const target = knob ?? node.closest(`${whole}, .tick label, tr[data-item]`) ?? node;
        const inline = target.closest(".battery") ? "center" : "nearest"; // beside its fixed column
        target.scrollIntoView({ block: "center", inline, behavior: "instant" });
        const box = target.getBoundingClientRect();
        const middle = [box.left + box.width / 2, box.top + box.height / 2];
        const reach = (dx, dy) => {
            let far = 0;
            while (far < 50) {
                const hit = document.elementFromPoint(middle[0] + far * dx, middle[1] + far * dy);
                if (!target.contains(hit)) break;
                far += 1;
            }
            return far;
        };
        const wide = reach(1, 0) + reach(-1, 0);
        const tall = reach(0, 1) + reach(0, -1);
        seen += 1;
        const least = node.matches(".over-stops") ? 24 : 43;
        if (wide < 43 || tall < least)
            found.push(`${node.ariaLabel || node.textContent || node.className}: ${wide} x ${tall}`);
    }
    return [seen, found];
}"""
COVERED = """() => {
    const box = (name) => document.querySelector(name).getBoundingClientRect();
    const sheet = box("[data-testid=stSidebar]"), figure = box(".live.screen .plot");
    const rows = [...document.querySelectorAll(".rows .row")].map(row => row.getBoundingClientRect());
    return { sheet: sheet.top, height: sheet.height, bar: box(".st-key-prviz-bar").bottom,
        figure: [figure.top, figure.bottom], rows: rows.map(row => [row.top, row.bottom]) };
}"""


@pytest.fixture(scope="module")
def of_touch(app_server: AppServer, chromium: Browser) -> Iterator[Tab]:
    """A screen for fingers, in whose context all pages of this file open."""
    tab = open_tab(chromium, app_server.url, has_touch=True)
    tab.page.goto("/_stcore/health")
    yield tab
    tab.context.close()


@pytest.fixture
def opened(of_touch: Tab) -> Iterator[Opener]:
    """Open a page of this size and wait for its numbers and samples; without errors to the end."""
    tabs: list[Tab] = []

    def open_page(size: tuple[int, int], path: str = "/") -> Page:
        tabs.append(beside(of_touch, viewport={"width": size[0], "height": size[1]}))
        page = tabs[-1].page
        visit(page, path)
        if path == "/":
            expect(page.locator(".rows .row b").first).to_have_text(re.compile("[.]"))
            expect(page.locator(".st-key-samples .plot .trace").first).to_be_attached()
        return page

    yield open_page
    for tab in tabs:
        tab.close()


def _sideways(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))


@exhaustive
@pytest.mark.parametrize("size", [PHONE, TABLET])
def test_every_target_of_a_finger_has_44_pixels(opened: Opener, size: tuple[int, int]) -> None:
    page = opened(size)
    for path in ("/", "/?source=bundled&problem=mixture-converged"):
        if path != "/":
            visit(page, path)
            expect(page.locator(".rows .row b").first).to_have_text(re.compile("[.]"))
        elif size != PHONE:
            _whole_without_scrolling(page)
        seen, small = page.evaluate(SMALL)
        assert seen > 30
        assert small == []
        assert _sideways(page) == 0


@exhaustive
@pytest.mark.parametrize("size", [PHONE, TABLET])
def test_every_target_of_the_other_pages_has_44_pixels(
    opened: Opener, size: tuple[int, int]
) -> None:
    for path, picture in (
        ("/learn", ".course .figure"),
        ("/bias_lab", ".live .plot .main-svg"),
        ("/bias_lab?section=Sanity+battery", ".battery .cell"),
        ("/bias_lab?section=Sweep", ".live .plot .main-svg"),
        ("/triage", ".verdict-box .chip"),
    ):
        page = opened(size, path)
        expect(page.locator(picture).first).to_be_visible(timeout=90_000)
        expect(page.get_by_role("button", name="Stop")).to_have_count(0, timeout=90_000)
        seen, small = page.evaluate(SMALL)
        assert seen > 10
        assert small == [], path
        assert _sideways(page) == 0


def _whole_without_scrolling(page: Page) -> None:
    """At 820 pixels: figure, rows and panel."""
    lowest = """name => Math.max(...[...document.querySelectorAll(name)]
        .map(node => node.getBoundingClientRect().bottom))"""
    for part in (".live.screen .plot", ".rows", ".st-key-samples .plot", ".st-key-part-more"):
        assert page.evaluate(lowest, part) <= 1180, part
    scatter = box_of(page.locator(".st-key-samples .plot"))
    assert scatter["height"] >= 140
    units = "({ _fullLayout: { xaxis, yaxis } }) => [xaxis._m, yaxis._m].map(Math.abs)"
    x, y = page.locator(".st-key-samples .plot").evaluate(units)
    assert x == pytest.approx(y, rel=0.01)


def test_on_a_phone_verdict_figure_and_rows_stand_above_a_sheet_of_k(opened: Opener) -> None:
    page = opened(PHONE)
    seen = page.evaluate(COVERED)
    assert len(seen["rows"]) == 4
    assert seen["bar"] <= seen["figure"][0] < seen["figure"][1] <= seen["rows"][0][0]
    assert max(bottom for _, bottom in seen["rows"]) <= seen["sheet"] + 1
    k = page.locator("[data-prviz=k] input[type=range]")
    assert k.evaluate("k => k.getBoundingClientRect().bottom <= innerHeight")
    assert not overlaps(page, [".said", ".st-key-main-view", ".pane > .help", ".row", ".stage"])
    page.get_by_role("button", name="Play").tap()
    film = box_of(page.locator(".live.screen .film"))
    assert film["y"] >= max(bottom for _, bottom in seen["rows"]) - 1
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    page.get_by_role("button", name="Close the film").tap()
    for k in ("5", "20"):
        enter(page.locator("[data-prviz=k] input[type=number]"), k)
        expect(page.get_by_role("button", name="Pin")).to_have_attribute("aria-pressed", "false")
        page.get_by_role("button", name="Pin").tap()
        expect(page.get_by_role("button", name="Pin")).to_have_attribute("aria-pressed", "true")
    assert not overlaps(page, [".stage button", ".xtitle"])
    page.get_by_role("button", name="Compare 2").tap()
    expect(page.get_by_role("heading", name="Pinned, on the same axes")).to_be_visible()
    states = [state.bounding_box() for state in page.locator(".compare section").all()]
    assert len({state and state["y"] for state in states}) == 1
    expect(page.get_by_role("radiogroup", name="Axes")).to_be_hidden()
    assert not overlaps(page, [".compare h2", ".compare h3", ".compare p", ".compare button"])
    assert _sideways(page) == 0


@exhaustive
def test_on_a_phone_the_low_sheet_is_k_and_six_names_that_open_it(opened: Opener) -> None:
    page = opened(PHONE)
    names = page.get_by_role("navigation", name="Settings").get_by_role("button")
    expect(names).to_have_text(["k", "Data", "Curves", "Split", "Show", "More"])
    chips = page.locator("[data-prviz=k] .marks")
    expect(chips).to_be_hidden()
    top = "() => document.querySelector('[data-testid=stSidebar]').getBoundingClientRect().top"
    low = page.evaluate(top)
    parts = (
        ".st-key-part-data",
        ".st-key-part-families",
        "[data-prviz=split]",
        "[data-prviz=show]",
        ".st-key-part-more",
    )
    for number, inside in enumerate(parts, 1):
        names.nth(number).tap()
        box = box_of(page.locator(inside))
        # what is named is the first thing in the sheet
        assert page.evaluate(top) < low - 100
        assert page.evaluate(top) < box["y"] < page.evaluate(top) + 60, inside
    names.first.tap()
    assert page.evaluate(top) == low
    help_ = page.locator(".live.screen .pane > .help")
    help_.locator("summary").tap()
    expect(help_.locator("svg text")).to_have_count(3)


# Where the tabs stand, frame by frame.
WATCH_TABS = """() => {
    window.__tops = [];
    const tabs = document.querySelector(".st-key-part-panel [role=tablist]");
    const look = () => {
        window.__tops.push(tabs.getBoundingClientRect().top);
        requestAnimationFrame(look);
    };
    look();
}"""

TABS_IN_SIGHT = """() => {
    const { top } = document.querySelector(".st-key-part-panel [role=tablist]").getBoundingClientRect();
    document.querySelector("[data-testid=stMain]").scrollBy({ top: top - 250, behavior: "instant" });
}"""


@exhaustive
def test_on_a_phone_another_panel_comes_where_the_finger_is(opened: Opener) -> None:
    page = opened(PHONE)
    page.evaluate(WATCH_TABS)
    for name, content in (("Numbers", ".readout.turned td"), ("Space", ".st-key-samples .plot")):
        page.evaluate(TABS_IN_SIGHT)
        page.evaluate("window.__tops = []")
        page.get_by_role("tab", name=name).tap()
        expect(page.locator(content).first).to_be_visible(timeout=90_000)
        wait_until(page, lambda: page.evaluate("window.__tops.length > 60"))
        tops = page.evaluate("window.__tops")
        assert max(tops) - min(tops) <= 2, (name, min(tops), max(tops))
        if name == "Numbers":
            table = page.locator(".readout.turned")
            assert table.evaluate("box => box.scrollWidth <= box.clientWidth")


@exhaustive
def test_too_high_stands_in_the_gap_and_on_no_line(new_page: Opener) -> None:
    for size in (PHONE, LAPTOP):
        _assert_too_high_stands_alone(
            new_page(fresh=True, newcomer=True, has_touch=True, size=size)
        )


def _assert_too_high_stands_alone(page: Page) -> None:
    page.goto("/?step=4")
    page.get_by_label("Neighbours k").fill("0")
    said = page.locator(".guide text.name", has_text="too high")
    expect(said).to_be_visible()
    near = said.evaluate(
        """(text) => {
        const box = text.getBBox();
        const lines = [...document.querySelectorAll(".guide .figure path:is(.truth, .knn, .ghost)")];
        const apart = (point) => Math.hypot(
            Math.max(box.x - point.x, point.x - box.x - box.width, 0),
            Math.max(box.y - point.y, point.y - box.y - box.height, 0));
        return [lines.length, Math.min(...lines.flatMap((line) => Array.from({ length: 600 }, (_, i) =>
            apart(line.getPointAtLength(line.getTotalLength() * i / 599)))))];
    }"""
    )
    assert near[0] == 3
    assert near[1] > 4


@exhaustive
def test_at_twice_the_size_the_figure_stands_whole_above_the_handle(
    new_page: Opener,
) -> None:
    page = new_page(size=(683, 384))
    visit(page)
    expect(page.locator(".rows .row b").first).to_have_text(re.compile("[.]"))
    seen = page.evaluate(COVERED)
    assert seen["height"] < 40
    assert seen["bar"] <= seen["figure"][0] < seen["figure"][1] <= seen["sheet"]
    assert _sideways(page) == 0


@exhaustive
def test_on_a_phone_the_answer_of_a_task_moves_nothing(opened: Opener) -> None:
    page = opened(PHONE, "/?problem=shifted-gaussians&n=200&p.d=2&task=closest")
    choices = page.locator(".task .choices button")
    expect(choices).to_have_count(5)
    before = page.evaluate(COVERED)
    assert before["figure"][1] <= before["sheet"]
    assert not cut_texts(page, ".task")
    choices.first.tap()
    page.get_by_role("button", name="Reveal").tap()
    expect(page.locator(".task p").first).to_contain_text("Your code")
    assert page.evaluate(COVERED)["figure"] == before["figure"]


# Names of families that are cut, and labels of the scale of scores that are not whole in the panel.
CUT_NAMES = """() => [...document.querySelectorAll(".rows .name")]
    .filter(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
        scrollWidth > clientWidth || scrollHeight > clientHeight + 1)
    .map(({ textContent }) => textContent)"""
CUT_SCALE = """() => {
    const panel = document.querySelector(".st-key-samples .plot").getBoundingClientRect();
    return [...document.querySelectorAll(".st-key-samples .cbaxis text")]
        .filter((text) => text.getBoundingClientRect().bottom > panel.bottom)
        .map(({ textContent }) => textContent);
}"""


def test_names_of_many_families_and_the_scale_of_scores_are_whole(
    new_page: Opener,
) -> None:
    page = new_page(size=LAPTOP)
    methods = "knn,kde,ipr,coverage,eas,prc,ppr,classifier,classifier-boosting"
    visit(page, f"/?problem=modes&n=100&p.d=2&methods={methods}&colour=Belief")
    expect(page.locator(".rows .name")).to_have_count(9)
    assert page.evaluate(CUT_NAMES) == []
    click(page, "radio", "Score")
    expect(page.locator(".st-key-samples .cbaxis text").last).to_have_text("looks generated")
    assert page.evaluate(CUT_SCALE) == []
