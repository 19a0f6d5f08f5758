"""The tab of extremes in a real Chromium: from the worked example to who carries what."""

from __future__ import annotations

import re
from urllib.parse import urlencode

from playwright.sync_api import Page, expect

from pages._explore.extremes import EXAMPLE
from tests.browser import click, wait_idle
from tests.pages.explore.test_explore_browser import open_explore, slider


def test_from_the_worked_example_to_the_row_it_hangs_on(page: Page) -> None:
    open_explore(page, f"/?{urlencode({**EXAMPLE.to_query(), 'n': '400'})}")
    click(page, "tab", "Extremes", exact=True)
    click(page, "button", "Find influential samples")
    story = page.locator(".st-key-autopsy .live")
    expect(story.locator(".pane h3").first).to_have_text("The real samples that carry most")
    over_k = page.locator("[class*=st-key-extremes-over-k] .live")
    both = ["with split", "without split", "truth"]
    for pane in (0, 1):
        expect(over_k.locator(".pane").nth(pane).locator(".legendtext")).to_have_text(both)
    # The mark over k follows the hand in the browser, and who carries whom is measured at the k
    # that it leaves.
    slider(page, "Neighbours k").press("ArrowRight")
    expect(over_k.locator(".pane").first.locator(".now text")).to_have_text("now k = 5")
    wait_idle(page)  # what is measured takes its place, and moves the choice of the end
    expect(page.get_by_text(re.compile("Row 400 of the real samples"))).to_be_visible()
    click(page, "radio", "Recall end, β0")
    expect(story.locator(".pane h3").first).to_have_text("The generated samples that carry most")
    plot = story.locator(".plot").nth(1)
    expect(plot).to_have_attribute(
        "aria-label", re.compile("^Without the top 1, 2 and 5. Where a sample is left out")
    )
    expect(plot.locator(".legendtext").first).to_have_text("β0, measured again")
    wait_idle(page)
