# ruff: noqa: T201 - a script that prints its table
"""How long a lesson takes to its first paint, and how long after a step of each of its sliders its figure has moved.

Run from the checkout on a quiet machine: python -m tests.benchmarks.lessons

First paint: from the request of the lesson's link, in a fresh browser context, to the frame with its figure; of
several visits. The steps are clocked as in `tests.benchmarks.live_drag`, over all lines, dots, points, bars and marks
of the figure. Exit status 1 over a limit.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from pages._lessons import LESSONS
from tests.benchmarks.live_drag import CLOCK, DRAG_MS, KEY_MS, dragged, line_of, pressed
from tests.browser import AppServer, launch_chromium, open_tab, running_app, wait_idle

PAINT_MS = 2000
FIGURE = ".live[data-revision]:has(.control)"
SHOWN = (".live .js-line, .live .js-fill, .live .point, .live .live-dots, .live .lam-marks *", "d")


def opened(browser: Browser, server: AppServer, name: str) -> tuple[Page, float]:
    """The lesson's page, and the milliseconds to its figure."""
    page = open_tab(browser, server.url).page
    page.goto(f"/learn?lesson={name.replace(' ', '+')}", wait_until="commit")
    page.wait_for_selector(FIGURE)
    shown = float(page.evaluate("() => new Promise((done) => requestAnimationFrame(() => done(performance.now())))"))
    wait_idle(page)
    return page, shown


def moved(page: Page, name: str, steps: int) -> list[str]:
    """The rows of a lesson's sliders; the names of those over a limit."""
    page.evaluate(f"({CLOCK})()")
    late = []
    sliders = page.locator(f"{FIGURE} .control input[type=range]")
    for index in range(sliders.count()):
        slider = sliders.nth(index)
        row = f"{name}, {slider.get_attribute('aria-label')}"
        watched = (".live .lam-marks *", "cx") if "λ" in row and page.locator(".lam-marks circle").count() else SHOWN
        few = int(slider.get_attribute("max") or 0) < 20
        times, rate = dragged(page, slider, watched, steps, 1)
        late += [] if line_of(f"{row}, drag", times, DRAG_MS, None if few else rate) else [f"{row}, drag"]
        times = pressed(page, slider, watched, steps, (0, 60))
        late += [] if line_of(f"{row}, keys", times, KEY_MS) else [f"{row}, keys"]
    return late


def main() -> None:
    """Print the two tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--visits", type=int, default=5)
    parser.add_argument("--only", default="", help="lessons whose name contains this")
    given = parser.parse_args()
    random.seed(0)
    names, late = [name for name in LESSONS if given.only in name], []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = launch_chromium(playwright)
        with running_app(Path(folder) / "log") as server:
            print("| lesson | first visit ms | median of the next | limit ms |\n|---|---|---|---|")
            for name in names:
                first, *rest = [opened(browser, server, name)[1] for _ in range(given.visits)]
                print(f"| {name} | {first:.0f} | {np.median(rest):.0f} | {PAINT_MS} |", flush=True)
                late += [f"{name}, first paint"] if max(first, *rest) > PAINT_MS else []
            print("\n| step | drawn | p50 ms | p95 ms | limit ms | curves/s in a drag |\n|---|---|---|---|---|---|")
            for name in names:
                late += moved(opened(browser, server, name)[0], name, given.steps)
        browser.close()
    if late:
        raise SystemExit(f"over the limit: {', '.join(late)}")


if __name__ == "__main__":
    main()
