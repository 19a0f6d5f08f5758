# ruff: noqa: T201 - a script that prints its table
"""How long after a step of a drag, or a key press, the new curve is on screen; beside a plain
st.slider's app.

Run from the checkout on a quiet machine: python -m tests.benchmarks.live_drag

Clock: from the time stamp of the browser's own input event to the task after the animation frame in
which the drawn path has really changed (its attribute `d`; for lam, which moves no curve: the
marks). Steps follow one another after a pause of 0 to 60 ms, isolated key presses after 0.1 to 1.5
s, so that what the page does when the hand rests, Python's answer above all, is in the way of some.
Curves per second are counted while the mouse moves as fast as it can. Exit status 1 over a limit.
"""

from __future__ import annotations

import argparse
import itertools
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from playwright.sync_api import Error, Locator, Page, sync_playwright

from tests.benchmarks.results import record
from tests.browser import (
    AppServer,
    free_port,
    launch_chromium,
    open_tab,
    running_app,
    wait_healthy,
    wait_idle,
)

DRAG_MS = 33
KEY_MS = 40
CURVES_PER_SECOND = 30
# In 8 dimensions nearly every stop of the bandwidth changes its curve; in 64 balls are empty or
# full at most of them.
PATH = "/?problem=shifted-gaussians&p.d=8&n=2000&split=0.5&k=20"
# ids of the controls, as the page marks them
SLIDERS = {
    "k": "k",
    "bandwidth": "bandwidth",
    "lam": "angle",
}
PLAIN = Path(__file__).with_name("plain_slider.py")

# In every page: for each input event that changes what is watched, its time stamp and the time of
# the task after the frame that shows it. A change made inside an animation frame is shown by that
# frame, any other by the next.
CLOCK = """() => {
    let inFrame = false, event = 0, before = '', selector = 'none', attribute = 'd';
    // The task after the frame, before all that other scripts have waiting: the frame is on its way by then.
    const later = (task) => scheduler.postTask(task, { priority: 'user-blocking' });
    const tick = () => { inFrame = true; later(() => { inFrame = false; }); requestAnimationFrame(tick); };
    requestAnimationFrame(tick);
    const seen = () => [...document.querySelectorAll(selector)].map((node) => node.getAttribute(attribute)).join();
    for (const kind of ['mousemove', 'keydown']) {
        addEventListener(kind, (e) => { event = e.timeStamp; before = seen(); }, { capture: true });
    }
    const watcher = new MutationObserver(() => {
        if (!event || seen() === before) return;
        const from = event, done = () => window.__steps.push([from, performance.now()]);
        event = 0;
        if (inFrame) later(done); else requestAnimationFrame(() => later(done));
    });
    watcher.observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ['d', 'cx'] });
    window.__watch = (...what) => { [selector, attribute] = what; window.__steps = []; event = 0; };
}"""
CURVE = (".scatterlayer .js-line", "d")
MARKS = (".lam-marks circle", "cx")


def arm(page: Page, watched: tuple[str, str]) -> None:
    """Watch what the next steps are to change: an attribute of the elements that a selector
    finds.
    """
    page.evaluate("(watched) => window.__watch(...watched)", list(watched))


def delay(page: Page, step: Callable[[], None]) -> float:
    """Milliseconds from the event of this step to the frame with its drawing; nan where a second
    brought no change.
    """
    page.evaluate("() => { window.__steps = []; }")
    step()
    try:
        page.wait_for_function("() => window.__steps.length > 0", polling=5, timeout=1000)
    except Error:  # a time-out
        return float("nan")
    (began, shown), *_ = page.evaluate("window.__steps")
    return float(shown - began)


def stops_of(slider: Locator, stride: int) -> Iterator[tuple[float, float]]:
    """Where to move the mouse, so many stops at a time, there and back for ever."""
    box = slider.bounding_box()
    assert box is not None
    last = int(slider.get_attribute("max") or 0)
    thumb = 16.0
    first = last // 4
    order = [*range(first, last - first, stride), *range(last - first, first, -stride)]
    middle = box["y"] + box["height"] / 2
    return (
        (box["x"] + thumb / 2 + (box["width"] - thumb) * i / last, middle)
        for i in itertools.cycle(order)
    )


def dragged(
    page: Page, slider: Locator, watched: tuple[str, str], steps: int, stride: int
) -> tuple[list[float], float]:
    """Milliseconds of each step, and curves per second when the mouse does not wait."""
    slider.scroll_into_view_if_needed()
    places = stops_of(slider, stride)
    page.mouse.move(*next(places))
    page.mouse.down()
    page.mouse.move(*next(places))
    page.wait_for_timeout(400)
    arm(page, watched)
    times = []
    for _ in range(steps):
        times.append(delay(page, lambda: page.mouse.move(*next(places))))
        page.wait_for_timeout(random.uniform(0, 60))
    page.evaluate("() => { window.__steps = []; }")
    began = time.perf_counter()
    for _ in range(2 * steps):
        page.mouse.move(*next(places))
    seconds = time.perf_counter() - began
    page.wait_for_timeout(100)
    frames = {round(shown) for _, shown in page.evaluate("window.__steps")}
    page.mouse.up()
    wait_idle(page)
    return times, len(frames) / seconds


def pressed(
    page: Page,
    slider: Locator,
    watched: tuple[str, str],
    steps: int,
    pause: tuple[float, float],
    key: str = "Arrow",
) -> list[float]:
    """Milliseconds of each key press."""
    slider.focus()
    page.wait_for_timeout(1000)
    wait_idle(page)
    arm(page, watched)
    times = []
    there, back, run = (
        ("ArrowRight", "ArrowLeft", 25) if key == "Arrow" else ("PageUp", "PageDown", 3)
    )
    run = min(run, (int(slider.get_attribute("max") or 0) + 1) // 2)
    for step in range(steps):
        press = there if step // run % 2 == 0 else back
        times.append(delay(page, lambda press=press: page.keyboard.press(press)))
        page.wait_for_timeout(random.uniform(*pause))
    wait_idle(page)
    return times


@contextmanager
def plain_app(log: Path) -> Iterator[AppServer]:
    """The yardstick's own server."""
    port = free_port()
    options = [f"--server.port={port}", "--server.address=127.0.0.1", "--server.headless=true"]
    line = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        str(PLAIN),
        *options,
        "--browser.gatherUsageStats=false",
    ]
    with log.open("wb") as out, subprocess.Popen(line, stdout=out, stderr=out) as process:
        server = AppServer(f"http://127.0.0.1:{port}", process, log)
        try:
            wait_healthy(server)
            yield server
        finally:
            process.terminate()


def line_of(
    name: str,
    times: list[float],
    limit: float | None,
    rate: float | None = None,
    *,
    benchmark: str | None = "live_drag",
) -> bool:
    """Print one row, and keep it; whether it keeps its limits, and nearly every step has shown
    something.
    """
    p50, p95 = np.nanpercentile(times, [50, 95])
    rates = {} if rate is None else {"curves a second": rate}
    if benchmark is not None:
        record(benchmark, name, figures={"p50 (ms)": p50, "p95 (ms)": p95} | rates)
    told = "" if rate is None else f"{rate:.0f}"
    seen = int(np.isfinite(times).sum())
    print(
        f"| {name} | {seen} of {len(times)} | {p50:.1f} | {p95:.1f} | {limit or ''} | {told} |",
        flush=True,
    )
    fast = (limit is None or p95 <= limit) and (rate is None or rate >= CURVES_PER_SECOND)
    return fast and seen >= 0.9 * len(times)


def of_live(page: Page, names: list[str], steps: int) -> list[str]:
    """The rows of these sliders of Explore; the names of those over a limit."""
    late = []
    for name in names:
        slider = page.locator(f'[data-prviz="{SLIDERS[name]}"] input[type=range]')
        watched = MARKS if name == "lam" else CURVE
        # Single stops of the bandwidth may leave its one curve as it was.
        stride, key = (3, "Page") if name == "bandwidth" else (1, "Arrow")
        times, rate = dragged(page, slider, watched, steps, stride)
        late += [] if line_of(f"{name}, drag", times, DRAG_MS, rate) else [f"{name}, drag"]
        for kind, pause in {"keys": (0, 60), "isolated keys": (100, 1500)}.items():
            times = pressed(page, slider, watched, steps, pause, key)
            late += [] if line_of(f"{name}, {kind}", times, KEY_MS) else [f"{name}, {kind}"]
    return late


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--sliders", nargs="+", choices=SLIDERS, default=list(SLIDERS))
    given = parser.parse_args()
    steps = given.steps
    random.seed(0)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = launch_chromium(playwright)
        print(
            "| step | drawn | p50 ms | p95 ms | limit ms | curves/s in a drag"
            " |\n|---|---|---|---|---|---|"
        )
        with running_app(Path(folder) / "log") as server:
            page = open_tab(browser, server.url).page
            page.goto(PATH)
            page.wait_for_function("() => window.__prviz?.frames.size")
            wait_idle(page)
            page.evaluate(f"({CLOCK})()")
            late = of_live(page, given.sliders, steps)
        with plain_app(Path(folder) / "plain") as server:
            page = open_tab(browser, server.url).page
            page.goto("/")
            page.locator(".js-line").first.wait_for(state="attached")
            wait_idle(page)
            page.evaluate(f"({CLOCK})()")
            times = pressed(page, page.get_by_role("slider"), CURVE, min(steps, 50), (0, 60))
            line_of("plain st.slider + st.plotly_chart, keys", times, None)
        browser.close()
    if late:
        raise SystemExit(f"over the limit: {', '.join(late)}")


if __name__ == "__main__":
    main()
