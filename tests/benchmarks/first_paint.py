# ruff: noqa: T201 - a script that prints its table
"""From navigation to the first painted curve of Explore and of Learn: seconds, megabytes, and how
the layout shifts.

Run from the checkout on a quiet machine: python -m tests.benchmarks.first_paint

Seconds, megabytes, requests and long tasks (milliseconds of script beyond 50 at a time) end with
the first animation frame that has a curve; "Plotly's" seconds with the first that Plotly has drawn.
Megabytes are those of the wire, WebSocket messages included. The shift is the browser's own score
(cumulative layout shift, without any input) until the page has settled; --sources says what moved.
"cold": the first visit to a server that has just started; "new visitor": nothing in the browser's
cache; "again": the same browser once more; "phone": a new visitor's. Medians of the visits, those
of another checkout (--against its folder) between them; exit status 1 if Explore is over a limit.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from tests.benchmarks.live_drag import CURVE
from tests.benchmarks.results import record
from tests.browser import ROOT, launch_chromium, open_tab, running_app, wait_idle

PAGES = {"Explore": "/", "Learn": "/learn"}
MOST_SECONDS = {"cold": 4.0, "new visitor": 2.5, "again": 2.5, "phone": 2.5}
MOST_MB = 2.5
MOST_SHIFT = 0.05
WIDE = {"width": 1366, "height": 768}
PHONE = {"width": 390, "height": 844}
# Of Explore, from plotly.js and before it, and of the course, which has none.
CURVES = f"{CURVE[0]}, .course path.curve"
ANY_CURVE = f"{CURVES}, .first-line"

_WATCH = """([any, plotlys]) => {
    Object.assign(window, { __shift: 0, __sources: [], __long: 0 });
    const watchAll = (type, call) =>
        new PerformanceObserver((list) => list.getEntries().forEach(call)).observe({ type, buffered: true });
    const box = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join();
    const nameOf = (node) => node?.closest?.('[data-testid]')?.dataset.testid ?? node?.nodeName;
    watchAll('layout-shift', ({ value, hadRecentInput, sources }) => {
        if (hadRecentInput) return;
        window.__shift += value;
        for (const { node, previousRect, currentRect } of sources)
            window.__sources.push(`${value.toFixed(4)} ${nameOf(node)} ${box(previousRect)} -> ${box(currentRect)}`);
    });
    watchAll('longtask', ({ duration }) => { if (!window.__first) window.__long += duration - 50; });
    const drawn = (lines) => [...document.querySelectorAll(lines)].some((line) => line.getAttribute('d'));
    const watch = () => {
        if (drawn(any)) window.__first ??= performance.now();
        if (drawn(plotlys)) window.__plotlys = performance.now(); else requestAnimationFrame(watch);
    };
    requestAnimationFrame(watch);
}"""


@dataclass(frozen=True)
class Visit:
    """What one visit took until the first curve, and its layout shift."""

    seconds: float
    plotlys: float
    megabytes: float
    requests: float
    long_tasks: float
    shift: float


class Wire:
    """Bytes that a page has received, by its answers and WebSocket messages."""

    def __init__(self, page: Page) -> None:
        self.bytes, self.answers, self._session = 0.0, 0, page.context.new_cdp_session(page)
        self._session.send("Network.enable")
        self._session.on(
            "Network.loadingFinished", lambda event: self._add(event["encodedDataLength"])
        )
        self._session.on("Network.webSocketFrameReceived", self._message)

    def _add(self, size: float) -> None:
        self.bytes += size
        self.answers += 1

    def _message(self, event: dict[str, Any]) -> None:
        frame = event["response"]  # binary data come in base64
        self.bytes += len(frame["payloadData"]) * (0.75 if frame["opcode"] == 2 else 1)


def visit(page: Page, path: str, sources: bool) -> Visit:
    """Open a page once and wait until it has settled."""
    wire = Wire(page)
    page.add_init_script(f"({_WATCH})({[ANY_CURVE, CURVES]!r})")
    page.goto(path, wait_until="commit")
    page.wait_for_function("() => window.__first", polling=20)
    received = wire.bytes / 1e6, float(wire.answers)
    page.wait_for_function("() => window.__plotlys")
    wait_idle(page)
    first, plotlys, long_tasks, shift = page.evaluate("[__first, __plotlys, __long, __shift]")
    if sources:
        print(*page.evaluate("window.__sources"), sep="\n")
    return Visit(first / 1000, plotlys / 1000, *received, long_tasks, shift)


@contextmanager
def new_visitor(browser: Browser, url: str, which: str) -> Iterator[Page]:
    """A page of a browser that has nothing cached."""
    tab = open_tab(browser, url, viewport=PHONE if which == "phone" else WIDE)
    yield tab.page
    tab.context.close()
    tab.check()


def row_of(browser: Browser, url: str, path: str, which: str, sources: bool) -> Visit:
    """One visit of this kind."""
    with new_visitor(browser, url, which) as page:
        if which == "again":
            visit(page, path, sources=False)
            page = page.context.new_page()
        return visit(page, path, sources)


def show(name: str, which: str, visits: list[Visit], *, keep: bool) -> bool:
    """Print one row, and record it if `keep`; True if it keeps Explore's limits."""
    at = Visit(*map(float, np.median([astuple(each) for each in visits], axis=0)))
    slowest = max(each.seconds for each in visits)
    figures = {
        "slowest (s)": slowest,
        "Plotly's curve (s)": at.plotlys,
        "MB before it": at.megabytes,
    }
    figures |= {"requests": at.requests, "long tasks (ms)": at.long_tasks, "layout shift": at.shift}
    if keep:
        record(
            "first_paint",
            f"{name}, {which}",
            seconds=at.seconds,
            figures=figures | {"visits": len(visits)},
        )
    numbers = (
        f"{at.seconds:.2f} | {slowest:.2f} | {at.plotlys:.2f} | {at.megabytes:.2f} |"
        f" {at.requests:.0f} "
    )
    print(
        f"| {name}, {which} | {len(visits)} | {numbers}| {at.long_tasks:.0f} | {at.shift:.3f} |",
        flush=True,
    )
    fast = at.seconds <= MOST_SECONDS[which] and at.megabytes <= MOST_MB and at.shift <= MOST_SHIFT
    return not name.startswith("Explore") or fast


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visits", type=int, default=3)
    parser.add_argument("--pages", nargs="+", choices=PAGES, default=list(PAGES))
    parser.add_argument("--against", type=Path, help="folder of another checkout")
    parser.add_argument(
        "--sources", action="store_true", help="what moved, where from and where to"
    )
    given = parser.parse_args()
    checkouts = {"": ROOT} | ({} if given.against is None else {" before": given.against})
    good = []
    print(
        "| page | visits | s to the first curve | slowest | Plotly's | MB | requests | long tasks"
        " ms | layout shift |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    with sync_playwright() as playwright, launch_chromium(playwright) as browser:
        for name in given.pages:
            with ExitStack() as stack:
                rows: dict[tuple[str, str], list[Visit]] = {}
                urls = {}
                for checkout, cwd in checkouts.items():
                    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
                    urls[checkout] = stack.enter_context(running_app(folder / "log", cwd=cwd)).url
                    rows["cold", checkout] = [
                        row_of(browser, urls[checkout], PAGES[name], "cold", given.sources)
                    ]
                for _ in range(given.visits):
                    for which in ("new visitor", "again", "phone"):
                        for checkout, url in urls.items():
                            row = row_of(browser, url, PAGES[name], which, given.sources)
                            rows.setdefault((which, checkout), []).append(row)
                for (which, checkout), visits in rows.items():
                    kept = show(name + checkout, which, visits, keep=not checkout)
                    good.append(kept or bool(checkout))
    if not all(good):
        raise SystemExit("Explore is over a limit")


if __name__ == "__main__":
    main()
