# ruff: noqa: T201 - a script that prints its table
"""Triage's page with many kept checkpoints: from a visit to its verdict, and from clicks to what
they ask for.

Run from the checkout on a quiet machine: python -m tests.benchmarks.triage_page

The checkpoints, 200 of 2,000 x 384, are measured by the command first, which takes minutes;
--folder keeps them for the next run. Arrival: from a complete file's last byte to its row in the
ranking of the open page. Exit status 1 over a limit.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, sync_playwright

from prviz.cli.main import main as prviz
from tests.benchmarks.results import record
from tests.benchmarks.triage import written
from tests.browser import launch_chromium, open_tab, running_app, wait_idle

PAGE_SECONDS = 3.0
CLICK_SECONDS = 0.3
ARRIVAL_SECONDS = 5.0
PATH = "/triage?data=folder&folder=run&reference=real.npy"
SHOWN = "name => document.querySelector('.evidence h4')?.innerText.includes(name)"


def clicked(page: Page, place: int) -> float:
    """Seconds from a click on a row to the evidence of its checkpoint."""
    row = page.locator(".ranking tbody tr").nth(place)
    name = row.locator(".name").inner_text()
    began = time.perf_counter()
    row.click()
    page.wait_for_function(SHOWN, arg=name)
    took = time.perf_counter() - began
    wait_idle(page)
    return took


def moved(page: Page) -> float:
    """Seconds from a step of the goal to another verdict."""
    goal = page.get_by_role("slider").first
    verdict = page.locator("[data-prviz=verdict]")
    goal.focus()
    before = verdict.inner_text()
    began = time.perf_counter()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(
        "before => document.querySelector('.verdict-box').innerText !== before", arg=before
    )
    took = time.perf_counter() - began
    wait_idle(page)
    return took


def visited(page: Page) -> float:
    """Seconds from the request of the page to the verdict, with the intervals of the ranking."""
    began = time.perf_counter()
    page.goto(PATH)
    page.locator("[data-prviz=verdict]").wait_for()
    page.locator(".ranking td.interval i").first.wait_for(state="attached")
    took = time.perf_counter() - began
    wait_idle(page)
    return took


def arrived(page: Page, folder: Path, number: int) -> float:
    """Seconds from a new file to its row."""
    new = folder / "run" / f"step-{number}.npy"
    values = np.load(folder / "run" / "step-0.npy")
    np.save(new, values + np.float32(0.001 * number))
    began = time.perf_counter()
    page.get_by_placeholder("filter by name").fill(new.stem)
    page.locator(".ranking tbody tr").first.wait_for()
    took = time.perf_counter() - began
    page.get_by_placeholder("filter by name").fill("")
    wait_idle(page)
    new.unlink()
    return took


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--checkpoints", type=int, default=200)
    parser.add_argument("--n", type=int, default=2_000)
    parser.add_argument("--d", type=int, default=384)
    parser.add_argument("--repeats", type=int, default=8)
    parser.add_argument("--folder", type=Path)
    choice = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = choice.folder or Path(temporary)
        folder.mkdir(exist_ok=True)
        os.environ["PRVIZ_CACHE"] = str(folder / "kept")
        if not (folder / "real.npy").exists():
            shutil.rmtree(folder / "run", ignore_errors=True)
            written(folder, choice.checkpoints, choice.n, choice.d)
        methods = "knn,kde,ipr,coverage"  # the page's
        if prviz(["triage", str(folder / "real.npy"), str(folder / "run"), "--method", methods]):
            return 1
        with (
            running_app(folder / "app.log", options=["--data", str(folder)]) as server,
            sync_playwright() as playwright,
        ):
            browser = launch_chromium(playwright)
            page = open_tab(browser, server.url, viewport={"width": 1366, "height": 768}).page
            page.set_default_timeout(120_000)
            visited(page)  # a first visitor of the server
            measures: dict[str, tuple[Callable[[int], float], float]] = {
                "page": (lambda _: visited(page), PAGE_SECONDS),
                "click on a row": (lambda turn: clicked(page, 1 + turn % 9), CLICK_SECONDS),
                "step of the goal": (lambda _: moved(page), CLICK_SECONDS),
                "arrival": (lambda turn: arrived(page, folder, 10_000 + turn), ARRIVAL_SECONDS),
            }
            held = True
            for name, (one, limit) in measures.items():
                times = [one(turn) for turn in range(choice.repeats)]
                p50 = float(np.median(times))
                slowest = max(times)
                print(
                    f"{name}: median {p50:.3f} s, slowest {slowest:.3f} s, limit {limit:g} s",
                    flush=True,
                )
                case = f"{choice.checkpoints} checkpoints of {choice.n:,} x {choice.d:,}: {name}"
                record(
                    "triage_page",
                    case,
                    figures={"p50 (s)": p50, "slowest (s)": slowest, "limit (s)": limit},
                )
                held &= p50 <= limit
            browser.close()
    return 0 if held else 1


if __name__ == "__main__":
    raise SystemExit(main())
