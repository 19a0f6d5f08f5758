"""The sanity battery in a browser: a small choice, a run that fills the table, a cell and what it
says of the truth.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from prviz.studies.battery import MODES
from tests.browser import click, resize, visit, wait_idle


@pytest.mark.thorough
def test_from_the_truths_verdicts_to_a_cell_of_a_run(page: Page) -> None:
    resize(page, 1280, 620)  # the detail lies below what is in view
    visit(page, "/bias_lab?section=Sanity+battery")
    table = page.locator(".battery")
    expect(table.locator("tbody tr")).to_have_count(15)
    click(page, "radio", "Run it yourself")
    click(page, "button", "Settings")
    click(page, "radio", "My choice")
    click(page, "combobox", "Which checks")
    click(page, "option", "Modes dropped, then modes invented")
    page.keyboard.press("Escape")
    click(
        page,
        "button",
        re.compile("A shifted Gaussian, close by backspace|Remove A shifted Gaussian"),
    )
    page.keyboard.press("Escape")
    expect(table.locator("tbody tr")).to_have_count(1)
    expect(table).to_have_attribute("data-rows", "0")
    cells = table.get_by_role("button")
    expect(cells).to_have_count(12)
    expect(cells.first).to_have_attribute(
        "aria-label", re.compile("not measured yet; the truth passes$")
    )
    wait_idle(page)
    click(page, "button", "Start")
    # points, repeats, methods
    expect(table).to_have_attribute("data-rows", str(10 * MODES["quick"][1] * 3))
    page.get_by_text("Done:").wait_for()
    wait_idle(page)
    wrong = cells.nth(10)  # bounds of coverage: 300 samples leave gaps
    expect(wrong).to_have_class("cell wrong")
    wrong.focus()
    page.keyboard.press("Enter")
    expect(wrong).to_have_attribute("aria-pressed", "true")
    detail = page.get_by_role(
        "heading", level=3, name=re.compile("Modes dropped.*bounds of Coverage")
    )
    expect(detail).to_be_visible()
    expect(page.get_by_text("Fails, although the truth passes")).to_be_visible()
    wait_idle(page)
    expect(wrong).to_be_focused()
    expect(detail).to_be_in_viewport()
    drawn = page.locator(".live .js-plotly-plot")
    names = "node => node._fullData.map(trace => trace.name)"
    page.wait_for_function(
        f"node => ({names})(node).includes('Coverage')", arg=drawn.element_handle()
    )
    assert {"asked for, missed", "the truth, read alike"} <= set(drawn.evaluate(names))
