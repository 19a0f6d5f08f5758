"""What all pages wear, in a real Chromium: the bar, one type scale, the theme, and nothing serious
for axe-core.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser import (
    LAPTOP,
    PHONE,
    Opener,
    address,
    app_pages,
    at_page,
    box_of,
    click,
    visit,
    wait_idle,
)
from tests.marks import exhaustive, exhaustive_but, thorough

PAGES = {title: address(name) for name, title, _ in app_pages()}
HEADINGS_OUT_OF_SIGHT = """() => [...document.querySelectorAll('h1')]
    .every(heading => heading.closest('[data-testid=stElementContainer]').clientWidth <= 1)"""
TYPE_SIZES = """() => {
    const sizes = new Set(), main = document.querySelector('[data-testid=stMain]');
    const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const owner = texts.currentNode.parentElement;
        if (!texts.currentNode.data.trim()) continue;
        if (owner.checkVisibility() && !owner.closest('.live, svg, iframe, [data-testid=stIconMaterial]'))
            sizes.add(parseFloat(getComputedStyle(owner).fontSize));
    }
    return [...sizes];
}"""
# The font's name says that the browser has loaded it, and from where.
FONT = """async () => {
    await document.fonts.ready;
    const family = getComputedStyle(document.querySelector('[data-testid=stMain] p')).fontFamily.split(',')[0];
    const bare = (name) => name.replaceAll('"', '');
    return [...document.fonts].some(face => bare(face.family) === bare(family) && face.status === 'loaded');
}"""
SAME_WIDTH = """() => {
    const width = (text) => {
        const span = document.createElement('span');
        span.textContent = text;
        document.querySelector('[data-testid=stMain]').append(span);
        const found = span.getBoundingClientRect().width;
        span.remove();
        return found;
    };
    return width('1111111111') - width('0000000000');
}"""

SERIOUS = """async () => (await axe.run()).violations.filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .map(({ id, nodes }) => [id, ...nodes.map(node => node.html.slice(0, 160) + ' ' + node.any[0]?.message)])"""
SHOWN = "() => Promise.all(document.getAnimations().map(({ finished }) => finished))"
# By page, the buttons that open something over it.
BEHIND = {"Explore": ["^Mode dropped", "^Export$", "^About kNN$"]}


@pytest.mark.parametrize(
    "size", [LAPTOP, pytest.param(PHONE, marks=exhaustive)], ids=["wide", "phone"]
)
def test_the_bar_names_every_page_and_marks_the_one_on_screen(
    new_page: Opener, size: tuple[int, int]
) -> None:
    page = new_page(size=size)
    visit(page)
    bar = page.locator(".st-key-prviz-bar")
    for name in [*PAGES, "Explore"]:
        click(bar, "link", name, exact=True)
        at_page(page, name)
        expect(page.locator(".st-key-prviz-current")).to_have_text(name)
        wait_idle(page)
        box = box_of(bar)
        assert (box["x"], box["y"], box["height"]) == (0, 0, 44)
        for link in bar.get_by_role("link").all():
            around = box_of(link)
            # the menu's button keeps its place
            assert around["x"] + around["width"] < size[0] - 44
            assert around["height"] >= 24
        assert bar.get_by_role("link").all_inner_texts() == list(PAGES)
        if size == LAPTOP:  # its sidebar is Explore's alone
            left = page.locator(".block-container").evaluate(
                "(box) => box.getBoundingClientRect().left"
            )
            assert (left > 0) == (name == "Explore")
        assert page.evaluate(HEADINGS_OUT_OF_SIGHT)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@thorough
def test_k_is_the_second_stop_of_the_keyboard_and_keys_lead_to_sliders(
    new_page: Opener,
) -> None:
    page = new_page(size=LAPTOP)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    visit(page)
    page.get_by_role("slider", name="Neighbours k").wait_for()
    wait_idle(page)
    # behind the link of Streamlit's own, where it has one
    page.keyboard.press("Tab")
    if page.get_by_role("link", name="Skip to main content").count():
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("slider", name="Neighbours k")).to_be_focused()
    page.keyboard.press("l")
    expect(page.get_by_role("slider", name="Trade-off")).to_be_focused()
    page.keyboard.press("?")
    expect(page.locator("#prviz-keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#prviz-keys")).to_be_hidden()
    click(page, "button", "Copy link")
    expect(page.get_by_role("button", name="Copied")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.url


@exhaustive
def test_three_sizes_of_type_in_a_font_of_the_apps_own_server(
    new_page: Opener,
) -> None:
    page = new_page()  # asks no other machine: the fixture's check
    for name in PAGES.keys() - {"Explore"}:
        visit(page, PAGES[name])
        assert page.evaluate(FONT)
        assert page.evaluate(SAME_WIDTH) == 0
        assert len(page.evaluate(TYPE_SIZES)) <= 3, name


@exhaustive
def test_the_theme_is_two_clicks_away_and_stays_from_page_to_page(
    new_page: Opener,
) -> None:
    page = new_page(color_scheme="light")
    visit(page, "/learn")
    ground = "() => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    click(page, "button", "Main menu")
    click(page, "menuitemradio", "Dark")
    page.wait_for_function(f"() => ({ground})() === 'rgb(14, 17, 23)'")
    page.keyboard.press("Escape")
    page.locator(".st-key-prviz-bar").get_by_role("link", name="Triage").click()
    at_page(page, "Triage")
    assert page.evaluate(ground) == "rgb(14, 17, 23)"


def contrast(one: list[float], other: list[float]) -> float:
    """Of two colours in [0, 1], by WCAG 2."""
    linear = [
        [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color]
        for color in (one, other)
    ]
    dark, light = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in linear)
    return (light + 0.05) / (dark + 0.05)


def levels(color: str) -> list[float]:
    """Of what the browser computes: rgb(0, 114, 178) or color(srgb 0.1 0.3 0.5)."""
    numbers = [float(each) for each in re.findall(r"[\d.]+", color)[:3]]
    return numbers if color.startswith("color") else [each / 255 for each in numbers]


@exhaustive
@pytest.mark.parametrize(
    ("theme", "least"), [("light", 3.0), pytest.param("dark", 4.5, marks=exhaustive)]
)
def test_curves_and_their_names_stand_out_from_the_page(
    new_page: Opener, theme: str, least: float
) -> None:
    page = new_page(size=LAPTOP, color_scheme=theme)
    visit(page, "/?k=5")
    page.locator(".curve-labels text").first.wait_for()
    ground = levels(
        page.evaluate(
            "getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
        )
    )
    style = "(all, name) => all.map((each) => getComputedStyle(each)[name])"
    names = page.locator(".curve-labels text").evaluate_all(style, "fill")
    drawn = page.locator(".live.screen .plot .js-line")
    strokes = drawn.evaluate_all(style, "stroke")
    widths = drawn.evaluate_all(style, "strokeWidth")
    lines = [stroke for stroke, width in zip(strokes, widths, strict=True) if width != "0px"]
    assert len(names) >= 3
    assert len(lines) >= 5
    assert min(contrast(levels(color), ground) for color in names) >= 4.5
    assert min(contrast(levels(color), ground) for color in lines) >= least


@thorough
@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=exhaustive)])
@pytest.mark.parametrize(
    "name", exhaustive_but([*PAGES, "The first minute"], "Explore", "The first minute")
)
def test_axe_has_nothing_serious_to_say(new_page: Opener, name: str, theme: str) -> None:
    # `AXE` is the path of axe.min.js, of the package axe-core in package.json; .ci/run sets it.
    page = new_page(size=LAPTOP, color_scheme=theme)
    visit(page, PAGES.get(name, "/?step=5"))
    page.evaluate(Path(os.environ["AXE"]).read_text(encoding="utf-8"))
    assert page.evaluate(SERIOUS) == []
    for button in BEHIND.get(name, ()):
        click(page, "button", re.compile(button))
        dialog = page.get_by_role("dialog")
        expect(dialog).to_be_visible()
        wait_idle(page)
        page.evaluate(SHOWN)
        assert page.evaluate(SERIOUS) == [], button
        dialog.press("Escape")
        expect(dialog).to_have_count(0)


@exhaustive
def test_one_press_of_back_leaves_a_page_that_is_visited_again(
    new_page: Opener,
) -> None:
    page = new_page()
    bar = page.locator(".st-key-prviz-bar")

    def go(name: str) -> None:
        click(bar, "link", name, exact=True)
        at_page(page, name)
        wait_idle(page)

    visit(page, "/?source=bundled&problem=mixture-converged")
    go("Bias lab")
    click(page, "radio", "Errata")
    expect(page).to_have_url(re.compile("section=Errata"))
    wait_idle(page)
    go("Explore")
    expect(page).to_have_url(re.compile("problem=mixture-converged"))
    go("Bias lab")
    expect(page.get_by_role("radio", name="Errata")).to_be_checked()
    for name in ("Explore", "Bias lab"):
        page.go_back()
        at_page(page, name)
        wait_idle(page)
    expect(page.get_by_role("radio", name="Errata")).to_be_checked()
    page.go_back()  # in the Bias lab, Back leads to the section before
    expect(page.get_by_role("radio", name="Experiments")).to_be_checked()
    assert "section" not in page.url


# The number of media rules that depend on a width or height, which the paper's would be.
ON_PAPER = """() => {
    const texts = [];
    const read = (rules) => {
        for (const rule of rules) {
            if (rule instanceof CSSMediaRule) texts.push(rule.media.mediaText);
            if (rule.cssRules) read(rule.cssRules);
        }
    };
    for (const sheet of document.styleSheets) read(sheet.cssRules);
    return texts.filter((text) => /width|height/.test(text)).length;
}"""


@exhaustive
def test_the_window_is_printed_as_it_is(new_page: Opener) -> None:
    page = new_page(size=LAPTOP)
    visit(page, "/learn")
    before = page.evaluate(ON_PAPER)
    assert before > 20
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(ON_PAPER) == 0
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(ON_PAPER) == before
    printed = page.pdf(prefer_css_page_size=True)
    found = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", printed)
    assert found is not None
    assert [float(each) for each in found.groups()] == pytest.approx([1024.5, 576], abs=1)
    assert printed.count(b"/Type /Page\n") == 1
