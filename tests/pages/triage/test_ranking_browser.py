"""Ranking and Compare two in a browser: a row that is clicked stays the checkpoint's, and is the one compared."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from prviz.triage.ranking import rank
from tests.browser import visit, wait_idle
from tests.triage_found import bundled_found, compare_two

NAMES = tuple(f"mixture-em-{iteration}" for iteration in (1, 2, 5, 10, 20))


def test_a_click_on_a_row_chooses_the_checkpoint_that_is_compared(new_page: Callable[..., Page]) -> None:
    found = bundled_found(NAMES)
    page = new_page(viewport={"width": 1280, "height": 1600})
    visit(page, "/triage")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("Done: 6 of 6 checkpoints.")).to_be_visible()
    page.get_by_role("tab", name="Ranking").click()
    expect(page.get_by_text("n is the number of evaluation samples")).to_be_visible()
    wait_idle(page)
    grid = page.get_by_test_id("stDataFrame").last
    grid.click(position={"x": 17, "y": 32.8 * 6 + 16})  # the last row
    shaded = page.locator(".live .layer-below .shapelayer path")
    expect(shaded).to_have_count(1)
    wait_idle(page)
    page.get_by_text("Recall first", exact=True).click()
    wait_idle(page)
    page.get_by_role("tab", name="Compare two").click()
    best = rank(found.measured, 1.0, 2)["checkpoint"].tolist()
    assert (best[0], best[-1]) == ("mixture-em-20", "mixture-em-1")
    expect(page.get_by_role("combobox", name="A ▲")).to_have_value("EM iteration 1")
    expect(page.get_by_role("heading", name="Both curves")).to_be_visible()
    wait_idle(page)
    one, other = found.one("mixture-em-1"), found.one("mixture-em-20")
    expect(page.get_by_role("combobox", name="B ▼")).to_have_value("EM iteration 20")
    along = compare_two(one, other, 2)
    expect(page.get_by_text(f"Only B covers {len(along.only_b)}")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="All as CSV").last.click()
    table = list(csv.DictReader(Path(download.value.path()).read_text(encoding="utf-8").splitlines()))
    split = found.pair(one).split(found.settings.split, found.settings.seed)
    assert [int(line["row"]) - 1 for line in table] == split.evaluate_rows[0][along.rows[along.only_b]].tolist()
