"""The README's picture: Explore's first view, as a visitor sees it.

python -m tests.screenshot
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser import ROOT, launch_chromium, open_tab, running_app, wait_idle

TARGET = ROOT / ".readme" / "explore.png"


def main() -> None:
    """Start the app, open it, and save what is on screen."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running_app(Path(folder) / "log") as server,
        sync_playwright() as playwright,
    ):
        browser = launch_chromium(playwright)
        page = open_tab(browser, server.url, viewport={"width": 1400, "height": 1060}, color_scheme="light").page
        page.goto("/")
        page.locator(".live[data-revision]").first.wait_for()
        wait_idle(page)
        page.screenshot(path=TARGET)
        browser.close()


if __name__ == "__main__":
    main()
