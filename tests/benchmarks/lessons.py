# ruff: noqa: T201 - a script that prints its table
"""How long a lesson takes to its first paint, and how long after a step of each of its sliders its figure has moved.

Run from the checkout on a quiet machine: python -m tests.benchmarks.lessons

First paint: from the click on a lesson in the open app to the frame with its figure; and, of several visits, from the
request of the first lesson's link, in a fresh browser context, beside a plain page with one st.plotly_chart: the time
that the browser needs for Streamlit itself. The steps are clocked as in `tests.benchmarks.live_drag`, over all lines,
dots, points, bars and marks of the figure. Exit status 1 over a limit.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from pages._learn import LESSONS
from tests.benchmarks.live_drag import CLOCK, DRAG_MS, KEY_MS, dragged, line_of, plain_app, pressed
from tests.benchmarks.results import record
from tests.browser import AppServer, launch_chromium, open_tab, running_app, wait_idle

PAINT_MS = 2000
# What a lesson measures in the background is over by then.
BACKGROUND_MS = 25_000
FIGURE = ".live[data-revision]:has(.control)"
SHOWN = (".live .js-line, .live .js-fill, .live .point, .live .live-dots, .live .lam-marks *", "d")


# From the click to the frame after the one in which another figure is there and drawn.
_CLICKED = """(name) => new Promise((done) => {
    const figure = () => document.querySelector('.live[data-revision]:has(.control)'), old = figure();
    const from = performance.now();
    [...document.querySelectorAll('button')].find((button) => button.textContent.trim() === name).click();
    const look = () => requestAnimationFrame(() => {
        const now = figure();
        if (now && now !== old && now.querySelector('.js-line')) done(performance.now() - from);
        else look();
    });
    look();
})"""


def visited(browser: Browser, server: AppServer, path: str, drawn: str) -> tuple[Page, float]:
    """The page in a fresh context, and the milliseconds to what is drawn."""
    page = open_tab(browser, server.url).page
    page.goto(path, wait_until="commit")
    page.wait_for_selector(drawn, state="attached")
    shown = float(page.evaluate("() => new Promise((done) => requestAnimationFrame(() => done(performance.now())))"))
    wait_idle(page)
    return page, shown


def opened(browser: Browser, server: AppServer, name: str) -> Page:
    """The lesson's page."""
    return visited(browser, server, f"/learn?lesson={name.replace(' ', '+')}", FIGURE)[0]


def painted(browser: Browser, server: AppServer, names: list[str], visits: int) -> list[str]:
    """The table of first paints; the lessons over the limit."""
    late = []
    print("| lesson | clicked ms, median | slowest | limit ms |\n|---|---|---|---|")
    page, times = opened(browser, server, next(iter(LESSONS))), {name: list[float]() for name in names}
    for _ in range(visits):
        for name in names:
            other = next(each for each in reversed(LESSONS) if each != name)
            if page.locator("h2").inner_text() == LESSONS[name].TITLE:
                page.evaluate(_CLICKED, other)
            wait_idle(page)
            times[name].append(page.evaluate(_CLICKED, name))
            wait_idle(page)
    for name, found in times.items():
        print(f"| {name} | {np.median(found):.0f} | {max(found):.0f} | {PAINT_MS} |", flush=True)
        record("lessons", f"{name}, first paint", figures={"p50 (ms)": np.median(found), "slowest (ms)": max(found)})
        late += [f"{name}, first paint"] if max(found) > PAINT_MS else []
    return late


def fresh(browser: Browser, server: AppServer, path: str, drawn: str, visits: int) -> str:
    """Milliseconds of several visits in a fresh context."""
    found = [visited(browser, server, path, drawn)[1] for _ in range(visits)]
    case = "first lesson" if path != "/" else "plain page"
    record("lessons", f"fresh browser, {case}", figures={"p50 (ms)": np.median(found), "slowest (ms)": max(found)})
    return f"{np.median(found):.0f} (slowest {max(found):.0f})"


def moved(page: Page, name: str, steps: int) -> list[str]:
    """The rows of a lesson's sliders; the names of those over a limit."""
    page.wait_for_timeout(BACKGROUND_MS)
    page.evaluate(f"({CLOCK})()")
    late, drags = [], list[list[float]]()
    sliders = page.locator(f"{FIGURE} .control input[type=range]")
    for index in range(sliders.count()):
        slider = sliders.nth(index)
        row = f"{name}, {slider.get_attribute('aria-label')}"
        watched = (".live .lam-marks *", "cx") if "λ" in row and page.locator(".lam-marks circle").count() else SHOWN
        few = int(slider.get_attribute("max") or 0) < 20
        times, rate = dragged(page, slider, watched, steps, 1)
        drags.append(times)
        late += (
            [] if line_of(f"{row}, drag", times, DRAG_MS, None if few else rate, benchmark=None) else [f"{row}, drag"]
        )
        times = pressed(page, slider, watched, steps, (0, 60))
        late += [] if line_of(f"{row}, keys", times, KEY_MS, benchmark=None) else [f"{row}, keys"]
    if drags:
        p50, p95 = max((np.nanpercentile(times, [50, 95]) for times in drags), key=lambda found: float(found[1]))
        record("lessons", f"{name}, slowest slider, drag", figures={"p50 (ms)": p50, "p95 (ms)": p95})
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
            late += painted(browser, server, names, given.visits)
            first = f"/learn?lesson={next(iter(LESSONS)).replace(' ', '+')}"
            print(f"\nfresh browser, first lesson: {fresh(browser, server, first, FIGURE, given.visits)} ms")
            with plain_app(Path(folder) / "plain") as plain:
                print(f"fresh browser, plain page: {fresh(browser, plain, '/', '.js-line', given.visits)} ms")
            print("\n| step | drawn | p50 ms | p95 ms | limit ms | curves/s in a drag |\n|---|---|---|---|---|---|")
            for name in names:
                late += moved(opened(browser, server, name), name, given.steps)
        browser.close()
    if late:
        raise SystemExit(f"over the limit: {', '.join(late)}")


if __name__ == "__main__":
    main()
