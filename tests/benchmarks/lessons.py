# ruff: noqa: T201 - a script that prints its table
"""How long a lesson takes to its first paint, and how long after a step of a drag its picture has
moved.

Run from the checkout on a quiet machine: python -m tests.benchmarks.lessons

First paint: of several visits, from the request of a lesson's link in a fresh browser context, on a
server that has served it before, to the frame with its curve; beside a plain page with one
st.plotly_chart, the time that the browser needs for Streamlit itself. A step: from the pointer's
own event to the task after the frame in which the picture has changed, of every handle of every
step. Exit status 1 over a limit.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from pages._learn.steps import LESSONS, payload
from tests.benchmarks.live_drag import DRAG_MS, delay, line_of, plain_app
from tests.benchmarks.results import record
from tests.browser import AppServer, launch_chromium, open_tab, running_app, wait_idle

PAINT_MS = 1500
DRAWN = ".course[data-drawn] path.curve"

# The time of the task after the first frame that has what is drawn: the page's own clock, not the
# test's.
_WATCH = """(drawn) => {
    const watch = () => {
        if (!document.querySelector(drawn)) requestAnimationFrame(watch);
        else scheduler.postTask(() => { window.__shown = performance.now(); }, { priority: 'user-blocking' });
    };
    requestAnimationFrame(watch);
}"""
# For each move of the pointer that changes a picture, its time stamp and the time of the task after
# its frame.
_CLOCK = """() => {
    let event = 0;
    window.__steps = [];
    addEventListener('pointermove', (e) => { event = e.timeStamp; }, { capture: true });
    new MutationObserver(() => {
        if (!event) return;
        const from = event;
        event = 0;
        scheduler.postTask(() => window.__steps.push([from, performance.now()]), { priority: 'user-blocking' });
    }).observe(document.querySelector('.course'), { subtree: true, childList: true });
}"""


def visited(browser: Browser, server: AppServer, path: str, drawn: str) -> tuple[Page, float]:
    """The page in a fresh context, and the milliseconds to what is drawn."""
    page = open_tab(browser, server.url, viewport={"width": 1366, "height": 768}).page
    page.add_init_script(f"({_WATCH})({drawn!r})")
    page.goto(path, wait_until="commit")
    page.wait_for_function("() => window.__shown", polling=50)
    shown = float(page.evaluate("window.__shown"))
    wait_idle(page)
    return page, shown


def painted(
    browser: Browser, server: AppServer, name: str, path: str, drawn: str, visits: int
) -> bool:
    """Print and keep one row of first paints; whether the median keeps the limit."""
    found = []
    for _ in range(visits):
        page, shown = visited(browser, server, path, drawn)
        page.context.close()
        found.append(shown)
    p50 = float(np.median(found))
    slowest = max(found)
    print(f"| {name} | {p50:.0f} | {slowest:.0f} | {PAINT_MS} |", flush=True)
    record("lessons", f"{name}, first paint", figures={"p50 (ms)": p50, "slowest (ms)": slowest})
    return p50 <= PAINT_MS


def dragged(page: Page, handle: str, steps: int) -> list[float]:
    """Milliseconds of each step of a drag of this handle, some pixels there and back."""
    box = page.locator(handle).bounding_box()
    assert box is not None
    x = box["x"] + box["width"] / 2
    y = box["y"] + box["height"] / 2
    middle = page.evaluate("() => [innerWidth / 2, innerHeight / 2]")
    # not out of the picture
    along = [4 * (1 if to > at else -1) for at, to in zip((x, y), middle, strict=True)]
    page.mouse.move(x, y)
    page.mouse.down()
    times = []
    for step in range(steps):
        far = 1 + (step % 20 if step % 40 < 20 else 20 - step % 20)
        times.append(
            delay(page, lambda far=far: page.mouse.move(x + far * along[0], y + far * along[1]))
        )
        page.wait_for_timeout(random.uniform(0, 40))
    page.mouse.up()
    return times


def main() -> None:
    """Print the two tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--visits", type=int, default=5)
    parser.add_argument("--only", default="", help="steps whose id contains this")
    given = parser.parse_args()
    random.seed(0)
    steps = [step for step in payload() if given.only in step["id"]]
    late = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = launch_chromium(playwright)
        with running_app(Path(folder) / "log") as server:
            page, _ = visited(browser, server, f"/learn?step={steps[0]['id']}", DRAWN)
            page.wait_for_timeout(1000)
            print("| page | first paint ms, median | slowest | limit ms |\n|---|---|---|---|")
            for lesson in {step["lesson"]: None for step in steps}:
                kept = painted(
                    browser, server, LESSONS[lesson], f"/learn?step={lesson}", DRAWN, given.visits
                )
                late += [] if kept else [f"{lesson}, first paint"]
            with plain_app(Path(folder) / "plain") as plain:
                painted(browser, plain, "plain page", "/", ".js-line", given.visits)
            page.evaluate(f"({_CLOCK})()")
            page.bring_to_front()
            print("\n| handle | drawn | p50 ms | p95 ms | limit ms | |\n|---|---|---|---|---|---|")
            for step in steps:
                while page.locator(".course").get_attribute("data-step") != step["id"]:
                    page.keyboard.press("ArrowRight")
                page.locator(".chip:not(:disabled)").first.wait_for(timeout=120_000)
                page.wait_for_timeout(300)
                ids = page.locator(".hand").evaluate_all(
                    "all => all.map((each) => each.dataset.hand)"
                )
                slowest = list[float]()
                for name in ids[:1] if step["figure"] == "modes" else ids:  # its bars are alike
                    times = dragged(page, f".hand[data-hand={name}]", given.steps)
                    slowest = max(
                        slowest, times, key=lambda each: float(np.nanpercentile(each or [0], 95))
                    )
                    row = f"{step['id']}, {name}"
                    late += [] if line_of(row, times, DRAG_MS, benchmark=None) else [f"{row}, drag"]
                    page.get_by_role("button", name="As it was").click()
                p50, p95 = np.nanpercentile(slowest, [50, 95])
                record(
                    "lessons",
                    f"{step['id']}, slowest handle",
                    figures={"p50 (ms)": p50, "p95 (ms)": p95},
                )
        browser.close()
    if late:
        raise SystemExit(f"over the limit: {', '.join(late)}")


if __name__ == "__main__":
    main()
