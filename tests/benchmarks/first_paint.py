# ruff: noqa: T201 - a script that prints its table
"""From navigation to the first painted curve of Explore and of Learn: seconds, megabytes, and how the layout shifts.

Run from the checkout on a quiet machine: python -m tests.benchmarks.first_paint

Seconds and megabytes end with the first animation frame that has a curve of Plotly's; megabytes are those of the
wire, WebSocket messages included. The shift is the browser's own score (cumulative layout shift, without any input)
until the page has settled. "cold": the first visit to a server that has just started; "new visitor": nothing in the
browser's cache; "again": the same browser once more. Medians of the visits; exit status 1 if Explore is over a limit.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from tests.benchmarks.live_drag import CURVE
from tests.benchmarks.results import record
from tests.browser import launch_chromium, open_tab, running_app, wait_idle

PAGES = {"Explore": "/", "Learn": "/learn"}
MOST_SECONDS = {"cold": 4.0, "new visitor": 2.5, "again": 2.5}
MOST_MB, MOST_SHIFT = 2.5, 0.05

_WATCH = """(curve) => {
    window.__shift = 0;
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.__shift += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
    const watch = () => {
        const drawn = [...document.querySelectorAll(curve)].some((line) => line.getAttribute('d'));
        if (drawn) window.__first = performance.now(); else requestAnimationFrame(watch);
    };
    requestAnimationFrame(watch);
}"""


@dataclass(frozen=True)
class Visit:
    """What one visit took until the first curve, and its layout shift."""

    seconds: float
    megabytes: float
    shift: float


class Wire:
    """Bytes that a page has received, by its answers and WebSocket messages."""

    def __init__(self, page: Page) -> None:
        self.bytes, self._session = 0.0, page.context.new_cdp_session(page)
        self._session.send("Network.enable")
        self._session.on("Network.loadingFinished", lambda event: self._add(event["encodedDataLength"]))
        self._session.on("Network.webSocketFrameReceived", self._message)

    def _add(self, size: float) -> None:
        self.bytes += size

    def _message(self, event: dict[str, Any]) -> None:
        frame = event["response"]  # binary data come in base64
        self._add(len(frame["payloadData"]) * (0.75 if frame["opcode"] == 2 else 1))


def visit(page: Page, path: str) -> Visit:
    """Open a page once and wait until it has settled."""
    wire = Wire(page)
    page.add_init_script(f"({_WATCH})({CURVE[0]!r})")
    page.goto(path, wait_until="commit")
    page.wait_for_function("() => window.__first", polling=20)
    received = wire.bytes
    wait_idle(page)
    return Visit(page.evaluate("window.__first") / 1000, received / 1e6, page.evaluate("window.__shift"))


@contextmanager
def new_visitor(browser: Browser, url: str) -> Iterator[Page]:
    """A page of a browser that has nothing cached."""
    tab = open_tab(browser, url)
    yield tab.page
    tab.context.close()
    tab.check()


def show(page: str, which: str, visits: list[Visit]) -> bool:
    """Record and print one row; True if it keeps Explore's limits."""
    seconds, megabytes, shift = map(float, np.median([astuple(each) for each in visits], axis=0))
    slowest = max(each.seconds for each in visits)
    figures = {"slowest (s)": slowest, "MB before it": megabytes, "layout shift": shift, "visits": len(visits)}
    record("first_paint", f"{page}, {which}", seconds=seconds, figures=figures)
    print(
        f"| {page}, {which} | {len(visits)} | {seconds:.2f} | {slowest:.2f} | {megabytes:.2f} | {shift:.3f} |",
        flush=True,
    )
    return page != "Explore" or (seconds <= MOST_SECONDS[which] and megabytes <= MOST_MB and shift <= MOST_SHIFT)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visits", type=int, default=5)
    visits = parser.parse_args().visits
    good = []
    print("| page | visits | s to the first curve | slowest | MB before it | layout shift |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = launch_chromium(playwright)
        for name, path in PAGES.items():
            with running_app(Path(folder) / "log") as server:
                rows: dict[str, list[Visit]] = {"cold": [], "new visitor": [], "again": []}
                with new_visitor(browser, server.url) as page:
                    rows["cold"].append(visit(page, path))
                for _ in range(visits):
                    with new_visitor(browser, server.url) as page:
                        rows["new visitor"].append(visit(page, path))
                    with new_visitor(browser, server.url) as page:
                        visit(page, path)
                        again = page.context.new_page()
                        rows["again"].append(visit(again, path))
                good += [show(name, which, all_visits) for which, all_visits in rows.items()]
        browser.close()
    if not all(good):
        raise SystemExit("Explore is over a limit")


if __name__ == "__main__":
    main()
