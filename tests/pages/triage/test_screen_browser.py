"""The first screen of Triage in a browser: what it holds at every size, and that all its views
follow each other.
"""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser import (
    LAPTOP,
    PHONE,
    Opener,
    click,
    cut_parts,
    drag,
    resize,
    visit,
    wait_idle,
    wait_until,
)

PARTS = (
    "[data-prviz=verdict]",
    "[data-prviz=ceiling]",
    "[data-prviz=ranking]",
    "[data-prviz=evidence]",
)
VIEWS = (
    *PARTS,
    ".st-key-triage-curves-box .main-svg",
    ".st-key-triage-steps-box .main-svg",
    ".ranking tbody tr",
)
# Where a point of the score over steps is on screen.
POINT = """([plot, name]) => {
    const { xaxis, yaxis } = plot._fullLayout, { x, y, customdata } = plot._fullData.at(-1);
    const box = plot.getBoundingClientRect(), i = customdata.indexOf(name);
    return [box.x + xaxis._offset + xaxis.d2p(x[i]), box.y + yaxis._offset + yaxis.d2p(y[i])];
}"""
# Gives every checkpoint a long name and a long fault, and says what of them is not in the table: the
# end of a name, or any of a fault.
CUT = """() => {
    const box = document.querySelector(".ranking .scrolled").getBoundingClientRect();
    const ranges = [];
    for (const name of document.querySelectorAll(".ranking tbody .name bdi")) {
        name.textContent = "stylegan3-config-t-ffhq1024-metfaces-gamma32-seed7-step030000";
        const text = name.firstChild, range = document.createRange();
        range.setStart(text, text.length - 10);
        range.setEnd(text, text.length);
        ranges.push([name.closest("button"), range]);
    }
    for (const chip of document.querySelectorAll(".ranking tbody .chip")) {
        chip.textContent = "Features that differ 100 %";
        const range = document.createRange();
        range.selectNodeContents(chip);
        ranges.push([chip, range]);
    }
    return ranges.flatMap(([holder, range]) => {
        const own = holder.getBoundingClientRect(), text = range.getBoundingClientRect();
        const left = Math.max(own.left, box.left), right = Math.min(own.right, box.right);
        return text.left < left - 1 || text.right > right + 1 ? [String(range)] : [];
    });
}"""
RESTORED = """([names, faults]) => {
    document.querySelectorAll(".ranking tbody .name bdi").forEach((name, i) => { name.textContent = names[i]; });
    document.querySelectorAll(".ranking tbody .chip").forEach((chip, i) => { chip.textContent = faults[i]; });
}"""
# How the element at the lower edge of the window is placed.
FOOT = """width => {
    const last = document.elementFromPoint(width / 2, innerHeight - 4);
    return getComputedStyle(last).position;
}"""
# The curves that stand out or are as drawn, by name.
SEEN = """() => [...document.querySelectorAll(".st-key-triage-curves-box .scatterlayer .trace")]
    .filter(trace => trace.__data__[0].trace.meta && getComputedStyle(trace).opacity > 0.5)
    .map(trace => trace.__data__[0].trace.meta)"""


def answered(page: Page) -> None:
    """Wait until intervals and ceiling are there."""
    expect(page.locator("[data-prviz=ceiling] b")).to_be_visible()
    expect(page.locator(".ranking td.interval i").first).to_be_attached()


# Shows the progress of a job that the page waits for, as `pages/_live/follow.js` does, and gives
# the sides of what stands in the bar, from left to right.
WAITS = """() => {
    const follow = document.querySelector(".st-key-triage-aside .follow");
    follow.hidden = false;
    follow.querySelector("span").textContent = "The open part: about 12 s left";
    const held = document.querySelectorAll(".st-key-triage-bar button, .bar-tools");
    const [first, second, tools] = [...held].sort((a, b) => a.getBoundingClientRect().x - b.getBoundingClientRect().x);
    const sides = [first, second, ...follow.children, tools].map((each) => each.getBoundingClientRect());
    return sides.flatMap(({ left, right }) => [left, right]);
}"""


def test_what_the_page_waits_for_stands_beside_the_choices_in_the_bar(
    new_page: Opener,
) -> None:
    page = new_page()
    visit(page, "/triage?set=mixture&seed=7")  # the seed of no other test: its faults are not known
    answered(page)
    page.locator(".st-key-triage-aside .follow").wait_for(state="attached")
    for width in (1280, 1366, 1440):
        resize(page, width, 768)
        wait_idle(page)
        expect(page.locator(".st-key-triage-stop")).to_have_count(0, timeout=60_000)
        sides = page.evaluate(WAITS)
        assert sides == sorted(sides), (width, sides)


def test_the_first_screen_holds_the_answer_and_its_views_follow_each_other(
    new_page: Opener,
) -> None:
    page = new_page()
    visit(page, "/triage?set=mixture&methods=knn")
    answered(page)

    views = [page.locator(part).last for part in VIEWS]
    for width, height in ((1366, 768), (1440, 900), (1920, 1080)):
        resize(page, width, height)
        wait_until(page, lambda height=height: not cut_parts(views, height))
    expect(page.locator(".ranking tbody tr:not(:has(.chip))")).to_have_count(0, timeout=60_000)
    names = page.locator(".ranking tbody .name").all_inner_texts()
    faults = page.locator(".ranking tbody .chip").all_inner_texts()
    for width in (390, 820, 1366, 1920):
        resize(page, width, 1080)
        assert page.evaluate(CUT) == [], width
        # no bar stands at the lower edge for work that is done
        assert page.evaluate(FOOT, width) != "fixed", width
    page.evaluate(RESTORED, [names, faults])
    assert 60 < len(page.get_by_test_id("stMain").inner_text().split()) <= 320
    assert len(names) == 6
    # Under the pointer, in the table, then chosen by a click; the link and the evidence have it.
    row = page.locator(".ranking tbody tr").nth(4)
    row.hover()
    wait_until(page, lambda: set(page.evaluate(SEEN)) == {names[4]})
    row.click()
    page.mouse.move(0, 0)
    expect(page.locator(".ranking")).to_have_attribute("data-selected", names[4])
    expect(page.locator(".evidence h4").first).to_contain_text(names[4])
    wait_until(page, lambda: parse_qs(urlsplit(page.url).query).get("chosen") == [names[4]])
    # A tick adds a column of evidence; a drag over the steps leaves a part of the table.
    page.get_by_role("checkbox", name=f"compare {names[5]}", exact=True).check()
    expect(page.locator(".evidence section")).to_have_count(4)
    plot = page.locator(".st-key-triage-steps-box .plot").first
    places = [
        page.evaluate(POINT, [plot.element_handle(), name])
        for name in ("EM iteration 5", "EM iteration 10")
    ]
    (left, top), (right, bottom) = places
    drag(page, (left - 8, top - 20), (right + 8, bottom + 20))
    expect(page.locator(".ranking tbody tr")).to_have_count(2)
    click(page, "button", "2 of 6 picked: show all")
    expect(page.locator(".ranking tbody tr")).to_have_count(6)


@pytest.mark.exhaustive
def test_the_link_opens_with_the_same_answer_and_on_a_phone_the_verdict_comes_first(
    new_page: Opener,
) -> None:
    page = new_page()
    visit(page, "/triage?set=mixture&methods=knn")
    answered(page)
    row = page.locator(".ranking tbody tr").nth(4)
    chosen = row.locator(".name").inner_text()
    row.click()
    wait_until(page, lambda: parse_qs(urlsplit(page.url).query).get("chosen") == [chosen])
    resize(page, *PHONE)
    page.reload()
    answered(page)
    expect(page.locator(".ranking")).to_have_attribute("data-selected", chosen)

    def tops() -> list[float]:
        places = (
            "[data-prviz=verdict]",
            ".st-key-triage-curves-box .main-svg",
            "[data-prviz=ranking]",
        )
        return [(page.locator(part).first.bounding_box() or {"y": 0.0})["y"] for part in places]

    wait_until(page, lambda: 0 < tops()[0] < tops()[1] < 500 < tops()[2])
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.exhaustive
def test_a_part_that_opens_below_the_screen_is_brought_up(new_page: Opener) -> None:
    page = new_page()
    resize(page, *LAPTOP)
    visit(page, "/triage?set=mixture&methods=knn,ipr")
    answered(page)
    bar = page.locator(".st-key-triage-part")
    assert (bar.bounding_box() or {"y": 0})["y"] > 600
    bar.get_by_text("All numbers").click()
    wait_until(page, lambda: 40 < (bar.bounding_box() or {"y": 0})["y"] < 120)
