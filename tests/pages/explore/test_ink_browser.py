"""Explore at rest has half of the words (177) and lines (20) that it had, and all the others one
gesture away.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser import LAPTOP, Opener, wait_until
from tests.ink import at_rest, ink

MOST_WORDS = 88
MOST_CONTROLS = 49  # of 74
MOST_LINES = 10  # of 20
# What comes with the pointer on each part.
WITH_POINTER = {
    "[data-prviz=k] input[type=range]": ["3", "4", "5", "√n = 44", "overlap"],
    "[data-prviz=bandwidth] input[type=range]": ["auto: each class's own", "1", "overlap"],
    "[data-prviz=split] input[type=range]": ["none, as papers do", "50 %"],
    "[data-prviz=angle] input[type=range]": ["λ = 1"],
    ".live.screen .plot": ["▶ Play", "Pin", "Errors", "Show", "95 % bound", "limits for n → ∞"],
    ".row[data-curve=kde]": ["i"],
    ".st-key-space .plot": ["Paint"],
}
# What comes with a press of each button.
WITH_PRESS = {
    ".fold > summary": ["Seed", "Repeats", "Real shares p", "Generated shares q"],
    ".st-key-part-more button": [
        "Swap roles",
        "b of the F-scores",
        "Approximate neighbour lists",
        "The first five steps again",
    ],
}
# What is said of what a short name stands for.
TITLES = {
    "k": "Neighbours k",
    "bandwidth": "KDE bandwidth",
    "p\\.d": "Dimension d",
    "n": "Samples per set",
    "p\\.separation": "Separation of the boxes",
    "angle": "Trade-off λ = precision / recall",
}


def said(page: Page) -> list[str]:
    return [text for _, text, _ in ink(page).texts]


@pytest.fixture
def page(new_page: Opener) -> Page:
    page = new_page(size=LAPTOP, color_scheme="light")
    found = at_rest(page)
    assert 60 < found.words <= MOST_WORDS, found.said()
    assert 30 < found.controls <= MOST_CONTROLS
    assert 6 < found.lines <= MOST_LINES
    return page


HIT = """range => {
    const box = range.getBoundingClientRect(), share = range.value / range.max;
    const at = box.left + 8 + share * (box.width - 16);
    return document.elementFromPoint(at, box.top + box.height / 2) === range;
}"""


@pytest.mark.thorough
def test_a_knob_is_held_at_its_middle_and_errors_have_names(page: Page) -> None:
    for name in ("k", "bandwidth"):
        assert page.locator(f"[data-prviz={name}] input[type=range]").evaluate(HIT)
    page.locator(".live.screen .plot").first.hover()
    page.get_by_text("Errors", exact=True).click()
    expect(page.locator(".live.screen .plot").first).to_contain_text("false positive rate")
    names = page.locator(".curve-labels text")
    expect(names.filter(has_text="truth")).to_have_count(1)
    expect(names.filter(has_text="KDE")).to_have_count(1)


@pytest.mark.exhaustive
def test_what_is_not_in_sight_is_one_gesture_away(page: Page) -> None:
    before = said(page)
    page.locator("[data-prviz=k] input[type=range]").focus()
    page.keyboard.press("Tab")  # to the value, and with the keyboard to the names of values
    expect(page.locator("[data-prviz=k] .marks button").last).to_have_css("opacity", "1")
    page.evaluate("document.activeElement.blur()")
    for part, texts in WITH_POINTER.items():
        page.locator(part).first.hover()
        wait_until(page, lambda texts=texts: {*texts} <= {*said(page)})
        fresh = [text for text in texts if said(page).count(text) > before.count(text)]
        assert fresh == texts, part
        page.mouse.move(0, 0)
        wait_until(page, lambda: sorted(said(page)) == sorted(before))
    for button, texts in WITH_PRESS.items():
        page.locator(button).first.click()
        wait_until(page, lambda texts=texts: {*texts} <= {*said(page)})
    for name, label in TITLES.items():
        title = page.locator(f"[data-prviz={name}]").get_attribute("title")
        assert (title or "").startswith(label), name
