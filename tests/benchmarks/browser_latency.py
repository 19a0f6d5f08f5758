# ruff: noqa: T201 - a script that prints its table
"""How long after a key press the new curves are on screen, in headless Chromium; and how long the app takes to start.

Run from the checkout on a quiet machine: python -m tests.benchmarks.browser_latency

Clock: the page's own, from the keydown event to the task after the first animation frame that shows the new
revision of the main figure (for lam, which is drawn without Python: the new mark).
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
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
PATH = "/?problem=shifted-gaussians&p.d=64&p.mu=0.125&n=2000&split=0.5"
Press = Callable[[Page, int], None]


def _slider(name: str) -> Press:
    def press(page: Page, step: int) -> None:
        place = page.get_by_role("slider", name=name)
        place.focus()
        page.keyboard.press("ArrowRight" if step % 2 else "ArrowLeft")

    return press


def _number(name: str, values: tuple[str, str]) -> Press:
    def press(page: Page, step: int) -> None:
        field: Locator = page.get_by_label(name, exact=True)
        field.evaluate("field => field.select()")
        page.keyboard.insert_text(values[step % 2])  # no keydown: the clock starts with Enter
        page.keyboard.press("Enter")

    return press


CONTROLS: dict[str, tuple[Press, str, int]] = {
    "k": (_slider("Neighbours k"), "data-revision", 250),
    "bandwidth": (_slider("Bandwidth"), "data-revision", 250),
    "lam": (_slider("Trade-off"), "data-lam", 250),
    "n": (_slider("Samples per set"), "data-revision", 500),
    "split": (_slider("Split"), "data-revision", 500),
    "d": (_number("dimension d", ("63", "64")), "data-revision", 500),
    "shift": (_number("shift per coordinate mu", ("0.13", "0.125")), "data-revision", 500),
}


def measure(page: Page, name: str, steps: int) -> list[float]:
    """Milliseconds of each step, every value new to the page's own memory of results where it can be."""
    press, attribute, _ = CONTROLS[name]
    if isinstance(press, type(None)):
        return []
    times = []
    for step in range(steps):
        if name in ("d", "shift"):
            page.get_by_label({"d": "dimension d", "shift": "shift per coordinate mu"}[name], exact=True).focus()
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
            print("| change | p50 ms | p95 ms | limit ms |\n|---|---|---|---|")
            for name, (_, _, limit) in CONTROLS.items():
                times = measure(page, name, steps)
                print(f"| {name} | {np.percentile(times, 50):.0f} | {np.percentile(times, 95):.0f} | {limit} |")
        browser.close()


if __name__ == "__main__":
    main()
