"""The README's pictures: a page of each kind as a visitor sees it, and a figure that a test
computes.

python -m tests.screenshot
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.browser import ROOT, AppServer, launch_chromium, open_tab, running_app, wait_idle
from tests.estimators import test_digits_classes

FOLDER = ROOT / ".readme"


def main() -> None:
    """Save all of them."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = launch_chromium(playwright)
        pages(browser, Path(folder))
        source = Path(folder) / "digits.html"
        figure = test_digits_classes.drawn().update_layout(title="Digits 0 to 4 against 0 to q - 1")
        test_digits_classes.standalone(figure).write_html(source)
        picture(browser, source, FOLDER / "digits.png")
        browser.close()


def pages(browser: Browser, folder: Path) -> None:
    """Start the app, open it, and save what is on screen."""
    with running_app(folder / "log") as server:
        for path, name in (
            ("/", "explore"),
            ("/learn?step=samples-2&k=8", "learn"),
            ("/bias_lab", "lab"),
        ):
            page = open_tab(
                browser, server.url, viewport={"width": 1366, "height": 768}, color_scheme="light"
            ).page
            page.goto(path)
            page.locator(".live[data-revision], .course[data-drawn]").first.wait_for()
            wait_idle(page)
            page.wait_for_function(
                "() => [...document.querySelectorAll('.live .progress')].every((box) => box.hidden)"
            )
            page.screenshot(path=FOLDER / f"{name}.png")
        triage(browser, server)


def triage(browser: Browser, server: AppServer) -> None:
    """Bundled checkpoints, once all is measured that the first screen holds."""
    page = open_tab(
        browser, server.url, viewport={"width": 1366, "height": 768}, color_scheme="light"
    ).page
    page.set_default_timeout(300_000)  # every checkpoint's faults
    page.goto("/triage?set=mixture")
    page.locator(".ranking tbody tr:nth-child(6)").wait_for()
    page.locator(".st-key-triage-aside").wait_for(state="detached")
    wait_idle(page)
    page.screenshot(path=FOLDER / "triage.png")


def picture(browser: Browser, source: Path, target: Path) -> None:
    """Save the figure of a page that stands alone."""
    page = browser.new_page(viewport={"width": 1200, "height": 700}, color_scheme="light")
    page.goto(source.as_uri())
    figure = page.locator(".js-plotly-plot")
    figure.locator(".main-svg").first.wait_for()
    figure.screenshot(path=target)
    page.close()


if __name__ == "__main__":
    main()
