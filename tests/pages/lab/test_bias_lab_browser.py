"""The bias lab in a real Chromium: a sweep's rows come, it stops and goes on to the end, and they
can be taken away.
"""

from __future__ import annotations

import math
import re

import pandas as pd
from playwright.sync_api import Page, expect

from prviz.neighbors.threads import available_threads
from prviz.studies.sweeps import SweepGrid, sweep_cells
from tests.browser import WAIT_MS, at_page, click, enter, saved, visit, wait_idle

REPEATS = 80
# Some seconds of work on any number of cores.
SIZE = int(2500 * math.sqrt(available_threads()))


def choose(page: Page, label: str, value: object) -> None:
    """Put this one value into a list, in the place of those that are chosen."""
    box = page.locator('[data-testid="stMultiSelect"]').filter(
        has=page.get_by_role("combobox", name=label)
    )
    chosen = box.get_by_role("button", name=re.compile("^Remove "))
    while chosen.count():
        chosen.first.click()
        wait_idle(page)
    box.get_by_role("combobox").fill(str(value))
    click(page, "option", re.compile(f"^(Add: )?{value}$"))
    expect(chosen).to_have_count(1)
    wait_idle(page)


def done(page: Page) -> int:
    """How many measurements the page says are done."""
    found = re.search(r"(\d+) of \d+ measurements", page.locator(".st-key-work-sweep").inner_text())
    assert found
    return int(found[1])


def test_a_sweep_starts_stops_goes_on_and_is_taken_away(page: Page, tmp_path) -> None:
    visit(page, "/bias_lab?section=Sweep")
    at_page(page, "Bias lab")
    click(page, "button", "Remove Gaussian mixtures")
    wait_idle(page)
    click(page, "button", "Settings")
    for label, value in {"Splits": 0.5, "Neighbours k": "sqrt"}.items():
        choose(page, label, value)
    field = page.get_by_label("Repeats", exact=True)
    enter(field, str(REPEATS))
    wait_idle(page)
    choose(page, "Samples n per set", SIZE)
    page.keyboard.press("Escape")
    click(page, "button", "Start")
    expect(page.get_by_text(re.compile("rows so far"))).to_be_visible()
    click(page, "button", "Stop")
    expect(page.locator(".live .pane")).to_contain_text("±")
    onward = page.get_by_role("button", name="Continue")
    expect(onward).to_be_visible()
    wait_idle(page)
    assert 0 < done(page) < REPEATS
    onward.click()
    expect(page.get_by_text(f"Done: {REPEATS} of {REPEATS} measurements.")).to_be_visible(
        timeout=4 * WAIT_MS
    )
    expect(page.get_by_text(f"{4 * REPEATS} rows.")).to_be_visible()
    wait_idle(page)
    rows = saved(page, "Rows as Parquet", tmp_path)
    cells = sweep_cells(SweepGrid("shifted-gaussians", ns=(SIZE,), repeats=REPEATS))
    assert list(pd.read_parquet(rows)["key"]) == [key for cell in cells for key in cell.keys]
