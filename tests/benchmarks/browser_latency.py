# ruff: noqa: T201 - a script that prints its table
"""How long after a step the curves of other samples are on screen, in headless Chromium; and how
long the app starts.

Run from the checkout on a quiet machine: python -m tests.benchmarks.browser_latency

Python draws and measures other samples for every step of n, d, shift, seed and split; k, the
bandwidth and lam are in tests/benchmarks/live_drag.py, which has the clock too. No step's result is
in the page's memory. In a drag each step waits for the curves of the one before; updates per second
are counted while the mouse moves 60 times a second. Where measuring takes long the first curves are
coarse ones; how many were is in the last column. Of single key presses also how long the figure was
dimmed, and when the slider of k moved it without Python again: the frames of the new samples had
come, also with every family. The first rows of the Bias lab's sweep are timed from Start to the
drawn heat map. Exit status 1 over a limit.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from playwright.sync_api import Locator, Page, sync_playwright

from prviz.estimators import ESTIMATORS
from tests.benchmarks.live_drag import CLOCK, CURVE, arm, delay
from tests.benchmarks.results import record
from tests.browser import launch_chromium, open_tab, running_app, unfold, visit, wait_idle

PATH = "/?problem=shifted-gaussians&n=2000&split=0.5&k=5"
# Ids of the controls, as the page marks them.
SLIDERS = {"n": "n", "d": "p.d", "shift": "p.mu", "seed": "seed", "split": "split"}
FIRST_MS = 250
DIMMED_MS = 1000
LIVE_MS = 2000
ALL_LIVE_MS = 10_000
ROWS_MS = 2000
LIVE_SECONDS = 60.0  # waited for the frames of other samples
SINGLE_STEPS = 6
THUMB = 16.0  # pixels
# Steps of a pass over a slider of few stops: above n = 5,000 the coarse curves are all of the same
# subsample.
FEWEST = 6
Renew = Callable[[Page], None]


def renewal(name: str) -> Renew:
    """Makes every result new: another seed, or another shift where the seed is what moves."""
    label, value = ("Shift per coordinate mu", 0.1001) if name == "seed" else ("Seed", 1000)
    values: Iterator[float] = itertools.count(value, 0.0001 if name == "seed" else 1)

    def renew(page: Page) -> None:
        unfold(page)
        field = page.get_by_label(f"{label}, exact value", exact=True)
        field.fill(f"{next(values):g}")
        field.press("Enter")
        settle(page)

    return renew


def settle(page: Page) -> None:
    """Return once the final curves are drawn; the page may be preparing what comes next."""
    page.wait_for_timeout(300)
    page.wait_for_function(
        "() => { const live = document.querySelector('.live'); return live.dataset.busy !== 'true' "
        "&& !live.querySelector('.coarse').textContent; }"
    )


def places(slider: Locator) -> list[tuple[float, float]]:
    """Where the mouse finds each stop."""
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box is not None
    last = int(slider.get_attribute("max") or 0)
    middle = box["y"] + box["height"] / 2
    return [
        (box["x"] + THUMB / 2 + (box["width"] - THUMB) * i / last, middle) for i in range(last + 1)
    ]


def is_coarse(page: Page) -> bool:
    return bool(page.locator(".live .coarse").first.text_content())


def dragged(page: Page, slider: Locator, steps: int, renew: Renew) -> tuple[list[float], int]:
    """Milliseconds of each step, one pass over the stops after another, and how many steps were
    coarse.
    """
    times: list[float] = []
    coarse = 0
    while len(times) < steps:
        first, *rest = places(slider)
        rest = rest[:FEWEST] if len(rest) < 2 * FEWEST else rest
        page.mouse.move(*first)
        page.mouse.down()
        settle(page)
        for place in rest[: steps - len(times)]:
            times.append(delay(page, lambda place=place: page.mouse.move(*place)))
            coarse += is_coarse(page)
        page.mouse.up()
        renew(page)
    return times, coarse


def rate(page: Page, slider: Locator, seconds: float = 3.0) -> float:
    """Updates per second while the mouse goes over all stops without waiting."""
    first, *rest = places(slider)
    page.mouse.move(*first)
    page.mouse.down()
    settle(page)
    page.evaluate("() => { window.__steps = []; }")
    began = time.perf_counter()
    while (gone := time.perf_counter() - began) < seconds:
        page.mouse.move(*rest[min(int(len(rest) * gone / seconds), len(rest) - 1)])
        page.wait_for_timeout(16)
    drawn = len({round(shown) for _, shown in page.evaluate("window.__steps")})
    page.mouse.up()
    settle(page)
    return drawn / seconds


WATCH_DIM = """() => {
    const root = document.querySelector('.live.screen');
    Object.assign(window, { __dimmed: 0, __dimSince: 0 });
    new MutationObserver(() => {
        const dimmed = root.dataset.busy === 'true', now = performance.now();
        if (dimmed) window.__dimSince ||= now;
        else if (window.__dimSince) { window.__dimmed += now - window.__dimSince; window.__dimSince = 0; }
    }).observe(root, { attributes: true, attributeFilter: ['data-busy'] });
}"""


def single_steps(
    page: Page, slider: Locator, renew: Renew, path: str = PATH
) -> tuple[list[float], list[float]]:
    """Of single key presses: milliseconds that the figure was dimmed, and until k was live again;
    around `path`.
    """
    dimmed = []
    live = []
    page.goto(path)
    ready(page)
    page.evaluate(f"({WATCH_DIM})()")
    for step in range(SINGLE_STEPS):
        renew(page)
        page.wait_for_timeout(500)
        page.evaluate(
            "() => { window.__dimmed = 0; window.__newest = "
            "[...window.__prviz.frames.keys()].at(-1); }"
        )
        began = time.perf_counter()
        slider.press("ArrowLeft" if step % 2 else "ArrowRight")
        page.wait_for_function(
            "() => [...window.__prviz.frames.keys()].at(-1) !== window.__newest",
            polling=20,
            timeout=1000 * LIVE_SECONDS,
        )
        live.append(1000 * (time.perf_counter() - began))
        dimmed.append(page.evaluate("window.__dimmed"))
    return dimmed, live


def pressed(page: Page, slider: Locator, steps: int, renew: Renew) -> tuple[list[float], int]:
    """Milliseconds of each key press, and how many were coarse."""
    times: list[float] = []
    coarse = 0
    few = int(slider.get_attribute("max") or 0) < 2 * FEWEST
    for step in range(steps):
        if step % FEWEST == 0:
            renew(page)
            if few:
                slider.press("Home")
                settle(page)
        slider.focus()
        key = "ArrowLeft" if step // FEWEST % 2 and not few else "ArrowRight"
        times.append(delay(page, lambda key=key: page.keyboard.press(key)))
        coarse += is_coarse(page)
        settle(page)
    return times, coarse


def line_of(name: str, times: list[float], coarse: int, rate: float | None = None) -> bool:
    """Print one row; whether it keeps its limit."""
    p50, p95 = np.nanpercentile(times, [50, 95])
    shown = "" if rate is None else f"{rate:.1f}"
    figures = {
        "p50 (ms)": p50,
        "p95 (ms)": p95,
        "steps": len(times),
        "of these coarse first": coarse,
    }
    record(
        "browser_latency",
        name,
        figures=figures | ({} if rate is None else {"updates a second": rate}),
    )
    print(
        f"| {name} | {len(times)} | {p50:.0f} | {p95:.0f} | {FIRST_MS} | {shown} | {coarse} |",
        flush=True,
    )
    return bool(p50 <= FIRST_MS)


def single_line(name: str, dimmed: list[float], live: list[float]) -> bool:
    """Print and record one row of single steps; whether it keeps its limits."""
    figures = {"dimmed at most (ms)": max(dimmed), "k live again, p50 (ms)": float(np.median(live))}
    record("browser_latency", f"{name}, single steps", figures=figures)
    shown = ", ".join(f"{title} {value:.0f}" for title, value in figures.items())
    print(f"{name}: {shown} (limits {DIMMED_MS}, {LIVE_MS})", flush=True)
    return max(dimmed) <= DIMMED_MS and np.median(live) <= LIVE_MS


def measured(page: Page, steps: int, names: list[str]) -> list[str]:
    """Print the rows; the names of those over the limit."""
    late = []
    for name in names:
        slider = page.locator(f'[data-prviz="{SLIDERS[name]}"] input[type=range]').first
        renew = renewal(name)
        renew(page)
        arm(page, CURVE)
        if slider.locator(
            "xpath=ancestor::*[contains(@class, 'control')]"
        ).count():  # Streamlit's own waits for the mouse
            times, coarse = dragged(page, slider, steps, renew)
            late += (
                []
                if line_of(f"{name}, drag", times, coarse, rate(page, slider))
                else [f"{name}, drag"]
            )
            page.goto(PATH)
            ready(page)
            arm(page, CURVE)
        late += (
            []
            if line_of(f"{name}, keys", *pressed(page, slider, steps, renew))
            else [f"{name}, keys"]
        )
        late += (
            []
            if single_line(name, *single_steps(page, slider, renew))
            else [f"{name}, single steps"]
        )
    return late


def all_families(page: Page) -> list[str]:
    """Print how long k needs to be live again with every family drawn or listed; its name if that
    is over the limit.
    """
    slider = page.locator(f'[data-prviz="{SLIDERS["seed"]}"] input[type=range]').first
    path = f"{PATH}&methods={','.join(ESTIMATORS)}"
    _, live = single_steps(page, slider, renewal("seed"), path)
    name = f"{len(ESTIMATORS)} families, seed"
    took = float(np.median(live))
    record("browser_latency", f"{name}, single steps", figures={"k live again, p50 (ms)": took})
    print(f"{name}: k live again, p50 {took:.0f} ms (limit {ALL_LIVE_MS})", flush=True)
    return [] if took <= ALL_LIVE_MS else [name]


def first_rows(page: Page, times: int = 5) -> list[str]:
    """Print how long after Start a sweep's first rows are drawn; its name if the slowest is over
    the limit.
    """
    visit(page, "/bias_lab?section=Sweep")
    took = []
    for seed in range(1, times + 1):  # other samples each time, more than start by themselves
        page.get_by_role("button", name="Settings").click()
        for label, value in (("Repeats", 60), ("Seed", seed)):
            field = page.get_by_label(label, exact=True)
            field.fill(str(value))
            field.press("Enter")
            wait_idle(page)
        page.keyboard.press("Escape")
        start = page.get_by_role("button", name="Start")
        page.locator(".live .heatmaplayer").first.wait_for(state="detached")
        began = time.perf_counter()
        start.click()
        page.wait_for_function(
            "() => document.querySelector('.live .heatmaplayer image')", polling=10
        )
        took.append(1000 * (time.perf_counter() - began))
        page.get_by_role("button", name="Stop").click()
        wait_idle(page)
    name = "a sweep's first rows"
    p50 = float(np.median(took))
    slowest = max(took)
    record("browser_latency", name, figures={"p50 (ms)": p50, "slowest (ms)": slowest})
    print(f"{name}: p50 {p50:.0f} ms, slowest {slowest:.0f} ms (limit {ROWS_MS})", flush=True)
    return [] if slowest <= ROWS_MS else [name]


def ready(page: Page) -> None:
    page.locator(".live[data-revision]").first.wait_for()
    settle(page)
    page.evaluate(f"({CLOCK})()")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--sliders", nargs="+", choices=SLIDERS, default=list(SLIDERS))
    parser.add_argument("--sweep", action="store_true", help="the sweep's first rows alone")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = launch_chromium(playwright)
        began = time.perf_counter()
        with running_app(Path(folder) / "log") as server:
            page = open_tab(browser, server.url).page
            page.goto("/")
            page.locator(".live[data-revision]").first.wait_for()
            start = time.perf_counter() - began
            record("browser_latency", "`prviz app` to the first painted curve", seconds=start)
            print(f"`prviz app` to the first painted curve: {start:.1f} s")
            late = first_rows(page)
            if given.sweep:
                raise SystemExit(f"over the limit: {late[0]}" if late else 0)
            page.goto(PATH)
            ready(page)
            print(
                "| change | n | p50 ms | p95 ms | limit ms | updates/s in a drag | coarse first |"
            )
            print("|---|---|---|---|---|---|---|")
            late += measured(page, given.steps, given.sliders) + all_families(page)
        browser.close()
    if late:
        raise SystemExit(f"over the limit: {', '.join(late)}")


if __name__ == "__main__":
    main()
