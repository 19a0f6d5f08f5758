"""Every section of the Bias lab on its first screen: a picture, few words, in both themes, on a
phone and by keys.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from pages._lab import SECTIONS
from tests.browser import LAPTOP, Opener, box_of, resize, visit, wait_idle

MOST_WORDS = 150
# Words in sight, outside of figures and of cells of tables.
WORDS = """() => {
    const texts = document.createTreeWalker(document.querySelector('[data-testid=stMain]'), NodeFilter.SHOW_TEXT);
    const found = [];
    while (texts.nextNode()) {
        const { textContent, parentElement: owner } = texts.currentNode;
        const box = owner.getBoundingClientRect();
        const out = box.top >= innerHeight || box.bottom <= 0 || box.width < 2 || !owner.checkVisibility();
        if (out || owner.closest('script, style, .plot, td, th, [data-testid=stIconMaterial]')) continue;
        found.push(...textContent.split(/\\s+/).filter((word) => /[\\p{L}\\p{N}]/u.test(word)));
    }
    return found;
}"""
NUMBERS = """() => [...document.querySelectorAll('.live .plot .textpoint text')]
    .map((text) => [text.textContent, getComputedStyle(text).fill])"""
PICTURE = ".live .pane .main-svg, .battery table, [data-testid=stAlert]"  # or why there is none


def opened(page: Page, name: str) -> None:
    visit(page, f"/bias_lab?section={name.replace(' ', '+')}")
    page.locator(PICTURE).first.wait_for()
    wait_idle(page)


@pytest.mark.thorough
def test_a_section_opens_with_a_picture_and_few_words(new_page: Opener) -> None:
    page = new_page(size=LAPTOP)
    for name in SECTIONS:
        opened(page, name)
        for width, height in ((1366, 768), (390, 844)):
            resize(page, width, height)
            words = page.evaluate(WORDS)
            assert 5 < len(words) < MOST_WORDS, (name, width, len(words), " ".join(words))
            box = box_of(page.locator(PICTURE).first)
            assert box["y"] < 700, (name, width)
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), (
                name,
                width,
            )
        if name == "Sweep":  # the first was alone, as wide as the page, until the second came
            expect(page.locator(".live .pane:visible")).to_have_count(2)
            expect(page.locator(".live .pane.half:visible")).to_have_count(2)


def test_the_numbers_of_a_heat_map_are_as_legible_on_dark(new_page: Opener) -> None:
    """Black or white by the colour of their cell, see tests/figures/test_papers.py; both themes
    draw the same cells.
    """
    inks = []
    for theme in ("light", "dark"):
        page = new_page(size=LAPTOP, color_scheme=theme)
        opened(page, "Experiments")
        inks.append(page.evaluate(NUMBERS))
    assert inks[0] == inks[1]
    assert len(inks[0]) == 3 * 64
    assert {ink for _, ink in inks[0]} == {"rgb(0, 0, 0)", "rgb(255, 255, 255)"}


def test_sections_are_chosen_by_keys(page: Page) -> None:
    opened(page, "Experiments")
    page.get_by_role("radio", name="Experiments").focus()
    for _ in range(len(SECTIONS) - 1):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_text("2024, appendix B: λ")).to_be_visible()
    assert "section=Errata" in page.url
