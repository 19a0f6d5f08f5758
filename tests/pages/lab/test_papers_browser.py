"""The section of experiments in a real Chromium: one experiment, from its link to the last of its
measurements.
"""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from prviz.studies.papers import EXPERIMENTS
from tests.browser import (
    LAPTOP,
    PHONE,
    TABLET,
    Opener,
    box_of,
    click,
    overlaps,
    resize,
    visit,
    wait_idle,
)

SAME = EXPERIMENTS["same"]


def test_an_experiment_runs_to_its_end_on_a_phone(new_page: Opener) -> None:
    """Rows as they come are drawn in place; at the end every panel, the table and the sentence are
    there.
    """
    page = new_page(size=PHONE, color_scheme="dark")
    visit(page, f"/bias_lab?section=Experiments&experiment={SAME.name}&result=Run+it+yourself")
    expect(page.get_by_role("combobox", name="Experiment")).to_have_value(SAME.title)
    click(page, "button", "Start")
    figure = page.locator(".live").last
    expect(figure.locator(".pane").first).to_be_visible()
    expect(page.get_by_text(re.compile(r"Done: \d+ of \d+ measurements"))).to_be_visible()
    wait_idle(page)
    panes = figure.locator(".pane")
    expect(panes).to_have_count(6)
    for pane in panes.all():
        # four curves with areas, and the truth
        expect(pane.locator(".scatterlayer .js-line")).to_have_count(9)
        assert len(pane.locator(".plot").get_attribute("aria-label") or "") > 60
    expect(page.get_by_role("heading", level=3).first).to_have_text(
        re.compile("without split the curves fill", re.I)
    )
    page.get_by_text("All numbers", exact=True).click()
    expect(page.get_by_test_id("stDataFrame")).to_be_visible()
    page.get_by_text("What is measured", exact=True).click()
    expect(page.get_by_text(f"prviz experiment {SAME.name}", exact=True)).to_be_visible()
    explore = page.get_by_role("link", name="Open this setting in Explore")
    assert "problem=identical" in (explore.get_attribute("href") or "")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_rows_of_heat_maps_are_named_where_a_panel_begins_a_row_of_its_own(page: Page) -> None:
    """On a tablet "ours - published" stands below the two others; side by side one name is
    enough.
    """
    resize(page, *TABLET)
    visit(page, "/bias_lab?section=Experiments&experiment=table1")
    names = [pane.locator(".ytick text").first for pane in page.locator(".live .pane").all()]
    assert len(names) == 3
    for name in names:
        expect(name).to_be_visible()
    resize(page, 1280, 900)
    expect(names[1]).to_be_hidden()
    expect(names[2]).to_be_hidden()
    expect(names[0]).to_be_visible()


def test_a_small_panel_is_as_large_as_its_place_whatever_its_legend_takes(page: Page) -> None:
    """Five panels in a row, each with five rows of a legend below it."""
    resize(page, *LAPTOP)
    visit(page, "/bias_lab?section=Experiments&experiment=features")
    expect(page.locator(".live .pane .ytitle")).to_have_text(["precision"] * 5)
    plot = box_of(page.locator(".live .pane .nsewdrag").first)
    assert min(plot["width"], plot["height"]) > 150
    first = ".live .pane:first-child"
    parts = (".xtitle", ".ytitle", ".xtick text", ".ytick text", ".legendtext")
    assert not overlaps(page, [f"{first} {part}" for part in parts])
