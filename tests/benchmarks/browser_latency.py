# ruff: noqa: T201 - a script that prints its table
"""How long after a key press the new curves are on screen, in headless Chromium; and how long the app takes to start.

Run from the checkout on a quiet machine: python -m tests.benchmarks.browser_latency

Clock: the page's own, from the keydown event to the task after the first animation frame that shows the new
revision of the main figure (for lam, which is drawn without Python: the new mark).
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

from tests.browser import launch_chromium, open_tab, running_app, wait_idle

_ARM = """(attribute) => {
    const live = [...document.querySelectorAll('.live')].find((node) => node.querySelector('.control'));
    window.__latency = new Promise((done) => {
        let began;
        window.addEventListener('keydown', () => { began = performance.now(); }, { once: true, capture: true });
        new MutationObserver((_, observer) => {
            if (began === undefined) return;
            observer.disconnect();
            requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
        }).observe(live, { attributes: true, attributeFilter: [attribute] });
    });
}"""
PATH = "/?problem=shifted-gaussians&n=2000&split=0.5&k=5"
Press = Callable[[Page, int], None]


def _slider(name: str, *, back: bool = False) -> Press:
    """One stop further; `back`: to and fro, for sliders with few stops."""

    def press(page: Page, step: int) -> None:
        page.get_by_role("slider", name=name).focus()
        page.keyboard.press("ArrowLeft" if back and step % 2 == 0 else "ArrowRight")

    return press


def _number(name: str, first: float, by: float) -> Press:
    def press(page: Page, step: int) -> None:
        field: Locator = page.get_by_label(name, exact=True)
        field.focus()
        field.evaluate("field => field.select()")
        page.keyboard.insert_text(f"{first + by * step:g}")  # no keydown: the clock starts with Enter
        page.keyboard.press("Enter")

    return press


SEED = _number("Seed", 1, 1)
SHIFT = "shift per coordinate mu"
CONTROLS: dict[str, tuple[Press, str, int]] = {
    "k": (_slider("Neighbours k"), "data-revision", 250),
    "bandwidth": (_slider("Bandwidth"), "data-revision", 250),
    "lam": (_slider("Trade-off"), "data-lam", 250),
    "n": (_slider("Samples per set", back=True), "data-revision", 500),
    "split": (_slider("Split", back=True), "data-revision", 500),
    "d": (_number("dimension d", 40, 1), "data-revision", 500),
    "shift": (_number(SHIFT, 0.1, 0.002), "data-revision", 500),
}


def measure(page: Page, name: str, steps: int, seeds: Iterator[int]) -> list[float]:
    """Milliseconds of each step; no step's result is in the page's memory."""
    press, attribute, _ = CONTROLS[name]
    times = []
    for step in range(steps):
        if name in ("n", "split"):
            SEED(page, next(seeds))  # a step to and fro would find its result again
            wait_idle(page)
        page.evaluate(_ARM, attribute)
        press(page, step)
        times.append(float(page.evaluate("window.__latency")))
        wait_idle(page)
    return times


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=30)
    steps = parser.parse_args().steps
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = launch_chromium(playwright)
        began = time.perf_counter()
        with running_app(Path(folder) / "log") as server:
            page = open_tab(browser, server.url).page
            page.goto("/")
            page.locator(".live[data-revision]").first.wait_for()
            print(f"`prviz app` to the first painted curve: {time.perf_counter() - began:.1f} s")
            page.goto(PATH)
            page.locator(".live[data-revision]").first.wait_for()
            wait_idle(page)
            seeds, late = itertools.count(), []
            print("| change | p50 ms | p95 ms | limit ms |\n|---|---|---|---|")
            for name, (_, _, limit) in CONTROLS.items():
                times = measure(page, name, steps, seeds)
                late += [name] if np.percentile(times, 95) > limit else []
                print(f"| {name} | {np.percentile(times, 50):.0f} | {np.percentile(times, 95):.0f} | {limit} |")
        browser.close()
    if late:
        raise SystemExit(f"over the limit: {', '.join(late)}")


if __name__ == "__main__":
    main()
