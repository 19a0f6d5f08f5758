"""Explore's first view: nothing moves while it comes, and its curves do not wait for Plotly."""

from __future__ import annotations

import pytest
from playwright.sync_api import Route, expect

from prviz.reports.settings import ExploreSettings
from tests.browser import LAPTOP, PHONE, Opener, visit, wait_idle
from tests.marks import exhaustive, thorough

MOST_SHIFT = 0.05  # cumulative layout shift
SHIFTS = """() => {
    window.__shifts = [];
    new PerformanceObserver((list) => {
        for (const { value, hadRecentInput, sources } of list.getEntries()) if (!hadRecentInput) window.__shifts.push(
            [value, sources.map(({ node }) => (node?.dataset?.testid ?? node?.className ?? node?.nodeName))]);
    }).observe({ type: 'layout-shift', buffered: true });
}"""
# Where the panels begin, from the first rows on.
TOPS = """() => {
    window.__tops = [];
    setInterval(() => {
        const panels = document.querySelector("[role=tablist]");
        if (panels && document.querySelector(".rows .entry")) __tops.push(panels.getBoundingClientRect().y);
    }, 50);
}"""
BOXES = """(lines) => [...document.querySelectorAll(lines)].map(line => line.getBoundingClientRect())
    .map(({ x, y, width, height }) => [x, y, width, height])"""
# Whether a frame has shown curves by the time at which Plotly is asked for.
SEEN = """() => {
    const look = () => {
        window.__seen ||= Boolean(document.querySelector(".first-line"));
        requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    new MutationObserver(() => {
        if (document.querySelector("script[src*='plotly-']")) window.__first ??= window.__seen;
    }).observe(document, { childList: true, subtree: true });
}"""
OF_PLOTLY = ".live.screen .plot .scatterlayer .trace .js-line"
OURS = ".live.screen .plot .first .first-line"


@exhaustive
@pytest.mark.parametrize("size", [pytest.param(LAPTOP, id="wide"), pytest.param(PHONE, id="phone")])
def test_nothing_moves_while_the_first_view_comes(new_page: Opener, size: tuple[int, int]) -> None:
    page = new_page(fresh=True, size=size)
    page.add_init_script(f"({SHIFTS})()")
    visit(page)
    page.locator(".live.screen[data-revision]").wait_for()
    wait_idle(page)
    shifts = page.evaluate("window.__shifts")
    assert sum(value for value, _ in shifts) <= MOST_SHIFT, shifts


@exhaustive
def test_the_row_of_the_curve_to_believe_has_its_room_before_it_comes(
    new_page: Opener,
) -> None:
    page = new_page(size=LAPTOP)
    page.add_init_script(f"({TOPS})()")
    visit(page, "/?source=bundled&problem=mixture-em-1&n=300&k=3")
    expect(page.locator(".rows .entry").first).to_contain_text("Best classifier", timeout=60_000)
    wait_idle(page)
    tops = page.evaluate("window.__tops")
    assert len(tops) > 5
    assert len(set(tops)) == 1


@thorough
def test_the_curve_to_believe_is_in_the_table_of_numbers_too(new_page: Opener) -> None:
    page = new_page(size=LAPTOP)
    visit(page, "/?source=bundled&problem=mixture-em-1&n=300&k=3&panel=Numbers")
    numbers = page.get_by_role("table").filter(has_text="extreme precision")
    expect(numbers).to_contain_text("Best classifier", timeout=60_000)
    wait_idle(page)
    area = page.locator(".rows .entry").filter(has_text="Best classifier").first.inner_text()
    row = numbers.get_by_role("row").filter(has_text="AuC").inner_text().split()
    assert f"{float(row[1]):.2f}" in area


@thorough
@pytest.mark.parametrize(
    "size",
    [
        pytest.param(LAPTOP, id="wide", marks=exhaustive),
        pytest.param(PHONE, id="phone"),
    ],
)
def test_the_curves_are_there_before_plotly_and_stay_in_place(
    new_page: Opener, size: tuple[int, int]
) -> None:
    page = new_page(fresh=True, size=size)
    held: list[Route] = []
    released = False
    page.route(
        "**/plotly-*.js", lambda route: route.continue_() if released else held.append(route)
    )
    visit(page)
    expect(page.locator(OURS)).to_have_count(len(ExploreSettings().methods) + 1)  # the truth
    expect(page.locator(".live.screen .first")).to_have_attribute("aria-hidden", "true")
    expect(page.locator(".live.screen .verdict")).not_to_be_empty()
    first = page.evaluate(BOXES, OURS)
    room = page.evaluate(BOXES, ".live.screen .plot")
    released = True
    for route in held:
        route.continue_()
    expect(page.locator(OURS)).to_have_count(0)
    drawn = page.evaluate(BOXES, OF_PLOTLY)
    for box in first:
        assert any(box == pytest.approx(other, abs=1.5) for other in drawn), (box, drawn)
    assert page.evaluate(BOXES, ".live.screen .plot") == room


@thorough
def test_the_first_curves_are_seen_where_plotly_is_there_at_once(
    new_page: Opener,
) -> None:
    page = new_page(fresh=True)
    page.add_init_script(f"({SEEN})()")
    visit(page)
    page.locator(OF_PLOTLY).first.wait_for()
    assert page.evaluate("window.__first")
