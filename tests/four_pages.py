"""The pages, opened in Chromium with the app of another Python environment, such as one with
an older Streamlit.

python -m tests.four_pages PYTHON: what runs the app. Each page has to draw what it is about, and to
answer one click.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from tests.browser import (
    WAIT_MS,
    address,
    app_pages,
    launch_chromium,
    open_tab,
    running_app,
    visit,
    wait_idle,
)

# A page is not idle while it measures, beside whatever else this machine does.
PATIENCE_MS = 4 * WAIT_MS


def _explore(page: Page) -> None:
    """A step of k draws other curves, and the page follows."""
    readout = page.locator(".row").first
    k = page.locator("[data-prviz=k] input[type=range]")
    expect(page.locator(".live.screen .js-plotly-plot").first).to_be_visible()
    before = readout.inner_text()
    k.focus()
    page.keyboard.press("ArrowRight")
    expect(readout).not_to_have_text(before)


def _triage(page: Page) -> None:
    """Bundled checkpoints are measured by themselves, and a part opens."""
    expect(page.locator(".ranking tbody tr, .ranking .row").first).to_be_visible()
    page.get_by_text("All numbers", exact=True).click()
    expect(page.locator(".js-plotly-plot").first).to_be_visible()


def _learn(page: Page) -> None:
    """The first step is drawn, and the next one comes."""
    expect(page.locator(".course svg").first).to_be_visible()


def _bias_lab(page: Page) -> None:
    """The first experiment's charts are there; a sweep is measured, which a slow machine does not
    begin by itself.
    """
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    page.get_by_role("radio", name="Sweep").click()
    start = page.get_by_role("button", name="Start")
    rows = page.get_by_role("button", name="Rows as CSV")
    expect(start.or_(rows).first).to_be_visible()
    if start.is_visible():
        start.click()
    expect(rows).to_be_visible()


# By page, what it is about; the others have to open.
OPENED: Mapping[str, Callable[[Page], None]] = {
    "explore": _explore,
    "triage": _triage,
    "learn": _learn,
    "bias_lab": _bias_lab,
}


def main() -> None:
    """Open the pages one after the other in one tab; the first that fails ends the script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("python", nargs="?", default=sys.executable)
    python = parser.parse_args().python
    expect.set_options(timeout=PATIENCE_MS)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = launch_chromium(playwright)
        with running_app(
            Path(folder) / "app.log", command=[python, "-m", "prviz"], cwd=Path(folder)
        ) as server:
            tab = open_tab(browser, server.url)
            for name, *_ in app_pages():
                begun = time.monotonic()
                visit(tab.page, address(name), PATIENCE_MS)
                if name in OPENED:
                    OPENED[name](tab.page)
                wait_idle(tab.page, PATIENCE_MS)
                sys.stdout.write(f"{name} opened after {time.monotonic() - begun:.0f} s\n")
                assert not tab.page.get_by_text("Traceback").count(), (
                    f"{name}: {tab.page.inner_text('body')}"
                )
            tab.check()
            log = server.log.read_text(errors="replace")
            assert "Traceback" not in log, log
        browser.close()


if __name__ == "__main__":
    main()
