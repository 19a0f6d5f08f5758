# ruff: noqa: T201 - a script that prints its figures
"""How the app bears 20 visitors at once who change settings, upload, triage and leave, and one who
does 1,000 things.

Run from the checkout on a quiet machine: python -m tests.benchmarks.flood

Most visitors speak the app's protocol without a browser (tests/raw_client.py); a few have one, so
that what the pages' JavaScript asks for is there too. A run of a page is timed from the message to
its end, curves from the question to the exact ones; what is measured beyond them goes on while the
visitor does something else. One visitor more opens its page again and again, which asks for nothing
new: what it waits is others' work. Between two rounds of the browsers one more arrives, for its
first paint; all over a window that begins when all are connected. Before it the browsers do the
same alone: drags in the crowd are held against these. Memory is the server's resident
memory; a session is closed here 5 s after its visitor has left, in use after two minutes. One
visitor's interactions (k, bandwidth, seed, split, families, toys; a triage begun and stopped) must
leave the memory flat: exit status 1 where it has grown by more than LIMIT_MB from the 250th to the
last, or where anything went wrong.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Error, Page, sync_playwright

from tests.benchmarks.first_paint import new_visitor, visit as first_visit
from tests.benchmarks.live_drag import CLOCK, CURVE, dragged
from tests.benchmarks.memory import memory_of
from tests.benchmarks.results import record
from tests.browser import WAIT_MS, AppServer, launch_chromium, open_tab, running_app, unfold
from tests.raw_client import Visitor

LIMIT_MB = 50
ACTS = 12  # of one visitor, who then leaves for another one
LEFT_SECONDS = 5
DRAGGED = 12  # steps of k in a browser, in each round
ALONE = 4  # rounds of the browsers before the others come
PATIENCE_MS = 120_000  # of a new visitor: a slow first paint is a figure, not an error
TOYS = ("Gaussian mixtures", "Shifted generator", "Perfect generator", "One outlier")
FAMILIES = ("kNN", "KDE", "iPR", "Coverage")
SPLITS = (0, 30, 50, 70)  # percent
BOX = "methods.Neighbour families · Sykes et al. 2026"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument(
        "--browsers", type=int, default=2, help="so many of the sessions have a real browser"
    )
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument(
        "--pause", type=float, default=1, help="seconds between two acts of a visitor, on average"
    )
    parser.add_argument("--interactions", type=int, default=1000)
    parser.add_argument("--only", choices=("flood", "interactions"))
    arguments = parser.parse_args()
    fine = True
    if arguments.only != "interactions":
        fine &= flood(arguments.sessions, arguments.browsers, arguments.seconds, arguments.pause)
    if arguments.only != "flood":
        fine &= interactions(arguments.interactions)
    return 0 if fine else 1


@contextmanager
def served() -> Iterator[AppServer]:
    """The app for everybody, with a cache and temporary files of its own."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"PRVIZ_CACHE": f"{folder}/cache", "TMPDIR": folder}
        os.environ["STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL"] = str(LEFT_SECONDS)
        with running_app(Path(folder) / "log", options=["--public"]) as server:
            yield server
            print(*Path(server.log).read_text().splitlines()[1:], sep="\n")


class Explorer(Visitor):
    """A visitor of Explore who tries all sorts of things.

    seconds : that each run of a page took. curves : seconds from each question to its curves.
    wrong : what the pages said that they should not.
    """

    def __init__(self, server: AppServer, seed: int) -> None:
        super().__init__(server.url)
        self.random = random.Random(seed)
        self.seconds: list[float] = []
        self.curves: list[float] = []
        self.wrong: Counter[str] = Counter()
        self._answers = ExitStack()
        self.timed(self.run)

    def __exit__(self, *error: Any) -> None:
        self._answers.close()
        super().__exit__(*error)

    def timed(self, act: Callable[[], object]) -> None:
        began = time.perf_counter()
        act()
        self.seconds.append(time.perf_counter() - began)
        self.wrong.update(self.texts("Exception"))

    def move(self, **values: Any) -> None:
        """The user moves sliders of the main figure, and sees the curves."""
        self._answers.close()
        began = time.perf_counter()
        answer = self._answers.enter_context(closing(self.begin(values)))
        kinds = (json.loads(line)["kind"] for line in answer)
        if "curves" in kinds:
            self.curves.append(time.perf_counter() - began)
        else:
            self.wrong["no curves"] += 1
        self.timed(self.run)

    def choose(self, key: str, **value: Any) -> None:
        self.timed(lambda: self.put(key, **value))

    def act(self) -> None:
        """One interaction with Explore."""
        pick = self.random.choice
        acts: dict[str, Callable[[], None]] = {
            "k": lambda: self.move(k=self.random.randint(1, 60)),
            "bandwidth": lambda: self.move(bandwidth=round(self.random.uniform(0.5, 2), 2)),
            "seed": lambda: self.move(seed=self.random.randint(0, 99)),
            "n": lambda: self.move(n=pick([200, 500, 1000])),
            "split": lambda: self.move(split=pick(SPLITS)),
            "families": lambda: self.choose(
                BOX, string_array_value=self.random.sample(FAMILIES, 2)
            ),
            "toy": lambda: self.choose("problem", string_value=self._toy(pick(TOYS))),
        }
        acts[pick(list(acts))]()

    def _toy(self, begin: str) -> str:
        return next(str(each) for each in self.widget("problem").options if each.startswith(begin))

    def bring(self) -> None:
        """Upload a pair, look at it, and go back to the toys."""
        self.choose("source", string_array_value=["Your files"])
        for key in ("upload-real", "upload-generated"):
            self.timed(
                lambda key=key: self._upload(key, {f"{key}.npy": npy(self.random.randrange(1000))})
            )
        self.choose("source", string_array_value=["Toy"])

    def triage(self) -> None:
        """Begin a triage of bundled checkpoints, stop it, and go back to Explore."""
        self.path = "triage"
        self.page = ""
        self.timed(self.run)
        if any(
            str(getattr(each, "id", "")).endswith("-triage-start")
            for each, _ in self.elements.values()
        ):
            self.timed(lambda: self.press("triage-start"))
            self.timed(self.run)
        self.path = ""
        self.page = ""
        self.timed(self.run)

    def _upload(self, key: str, files: dict[str, bytes]) -> None:
        statuses = self.upload(key, files)
        self.wrong.update(f"upload: {each}" for each in statuses if each != 204)


def npy(seed: int, n: int = 2000, d: int = 64) -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32))
    return stream.getvalue()


# ---- 20 at once ----


class Flood:
    """Visitors who come, do some things and leave, each place taken by another one, for so many
    seconds.
    """

    def __init__(self, server: AppServer, places: int, seconds: float, pause: float) -> None:
        self.server = server
        self.seconds = seconds
        self.pause = pause
        self.visitors, self.failed = list[Explorer](), list[str]()
        self._ready = threading.Barrier(places + 1)
        self._end = 0.0
        self.held = list[float]()  # seconds that a page took which asks for nothing new
        self._threads = [
            threading.Thread(target=self._place, args=(seed,)) for seed in range(places)
        ]
        self._bystander = threading.Thread(target=self._stand_by)

    def begin(self) -> None:
        """Let the first visitors come; the time begins when all are there."""
        for thread in self._threads:
            thread.start()
        self._ready.wait(200)
        self._end = time.monotonic() + self.seconds
        self._bystander.start()

    def end(self) -> None:
        """Wait until all have left."""
        for thread in (*self._threads, self._bystander):
            thread.join(300)

    @property
    def over(self) -> bool:
        return bool(self._end) and time.monotonic() > self._end

    def _place(self, seed: int) -> None:
        try:
            self._visit(seed, first=True)
            while not self.over:
                self._visit(seed := seed + len(self._threads))
        except Exception as error:  # noqa: BLE001 - counted
            self.failed.append(f"{type(error).__name__}: {error}")
            self._ready.abort()

    def _stand_by(self) -> None:
        with Visitor(self.server.url) as visitor:
            visitor.run()
            while not self.over:
                time.sleep(self.pause / 2)
                began = time.perf_counter()
                visitor.run()
                self.held.append(time.perf_counter() - began)

    def _visit(self, seed: int, *, first: bool = False) -> None:
        with Explorer(self.server, seed) as visitor:
            self.visitors.append(visitor)
            if first:
                self._ready.wait(200)
                visitor.seconds.clear()
                visitor.curves.clear()
            for _ in range(ACTS):
                if self.over:
                    return
                visitor.random.choices([visitor.act, visitor.bring, visitor.triage], [8, 1, 1])[0]()
                time.sleep(visitor.random.uniform(0, 2 * self.pause))


def flood(sessions: int, browsers: int, seconds: float, pause: float) -> bool:
    """Print the figures of the flood; whether nothing went wrong."""
    with served() as server:
        start = memory_of(server.process.pid)[0]
        crowd = Flood(server, sessions - browsers, seconds, pause)
        steps = list[float]()
        paints = list[float]()
        drags = list[float]()
        alone = list[float]()
        with sync_playwright() as playwright:
            chromium = launch_chromium(playwright)
            tabs = [open_tab(chromium, server.url) for _ in range(browsers)]
            for tab in tabs:
                tab.page.goto("/")
                tab.page.locator(".live[data-revision]").first.wait_for()
                tab.page.evaluate(CLOCK)
            for number, tab in product(range(-ALONE, 0), tabs):
                alone += drag(tab.page)
                step(tab.page, number)
            crowd.begin()
            while tabs and not crowd.over:
                for tab in tabs:
                    try:
                        drags += drag(tab.page)
                        steps.append(step(tab.page, len(steps)))
                    except Error:
                        crowd.failed.append(
                            f"a browser saw no new curves in {WAIT_MS / 1000:.0f} s"
                        )
                with new_visitor(chromium, server.url, "wide") as page:
                    page.set_default_timeout(PATIENCE_MS)
                    paints.append(first_visit(page, "/", sources=False).seconds)
            crowd.end()
            crowd.failed += [error for tab in tabs for error in tab.errors]
            now, peak = memory_of(server.process.pid)
            chromium.close()
        answers = [each for visitor in crowd.visitors for each in visitor.seconds]
        curves = [each for visitor in crowd.visitors for each in visitor.curves]
        wrong = sum((visitor.wrong for visitor in crowd.visitors), Counter(crowd.failed))
        print(
            f"{sessions} sessions at once, {browsers} in a browser, {seconds:.0f} s, {pause:g} s"
            " between two acts"
        )
        print(
            f"{len(crowd.visitors)} visitors without a browser, {len(answers)} runs of pages:"
            f" {quantiles(answers)}"
        )
        print(f"curves {len(curves)} times: {quantiles(curves)}")
        print(f"a page that asks for nothing new, {len(crowd.held)} times: {worst(crowd.held)}")
        for when, taken in (("alone", alone), ("in the crowd", drags)):
            if taken:
                seen = [each / 1000 for each in taken if np.isfinite(each)]
                print(f"a drag of k, {when}, {len(seen)} of {len(taken)} steps: {worst(seen)}")
        if paints:
            print(f"first paint of {len(paints)} new visitors: {quantiles(paints)}")
        if steps:
            print(
                f"in a browser, from a new seed to its curves, {len(steps)} times:"
                f" {quantiles(steps)}"
            )
        print(
            f"server's memory: {start:.0f} MB at the start, {now:.0f} MB at the end, {peak:.0f} MB"
            " at the peak"
        )
        left = after_all_left(server)
        print(f"after all have left: {left:.0f} MB")
        print(f"errors: {sum(wrong.values())} {dict(wrong) if wrong else ''}")
    p50, p95 = np.quantile(answers, (0.5, 0.95)) * 1000
    record(
        "flood",
        f"{sessions} sessions at once, {browsers} in a browser, {seconds:.0f} s, {pause:g} s "
        f"between two acts",
        peak_mb=peak,
        figures={
            "p50 (ms)": p50,
            "p95 (ms)": p95,
            "first paint p95 (s)": float(np.quantile(paints, 0.95)) if paints else "",
            "nothing new, slowest (ms)": max(crowd.held) * 1000,
            **drag_figures("alone", alone),
            **drag_figures("in the crowd", drags),
            "at the start (MB)": start,
            "at the end (MB)": now,
            "all gone (MB)": left,
            "errors": sum(wrong.values()),
        },
    )
    return not wrong


def drag(page: Page) -> list[float]:
    """Milliseconds from each step of k to its painted curves; nan for those not seen."""
    unfold(page)
    slider = page.locator('[data-prviz="k"] input[type=range]')
    return dragged(page, slider, CURVE, DRAGGED, 2)[0]


def drag_figures(when: str, taken: Sequence[float]) -> dict[str, float]:
    if not taken:
        return {}
    p50, p95 = np.nanquantile(taken, (0.5, 0.95))
    return {f"drag {when}, p50 (ms)": float(p50), f"drag {when}, p95 (ms)": float(p95)}


def step(page: Page, number: int) -> float:
    """Seconds from a typed seed to other curves on screen."""
    lines = "[...document.querySelectorAll('.live .scatterlayer .js-line')]"  # the truth stays
    curve = f"() => {lines}.map((line) => line.getAttribute('d')).join()"
    before = page.evaluate(curve)
    began = time.perf_counter()
    unfold(page)
    field = page.get_by_label("Seed, exact value", exact=True)
    field.fill(str(1000 + number))
    field.press("Enter")
    page.wait_for_function(f"(before) => ({curve})() !== before", arg=before)
    return time.perf_counter() - began


def quantiles(seconds: list[float]) -> str:
    p50, p95 = np.quantile(seconds, (0.5, 0.95)) * 1000
    return f"p50 {p50:.0f} ms, p95 {p95:.0f} ms"


def worst(seconds: list[float]) -> str:
    return f"{quantiles(seconds)}, slowest {max(seconds) * 1000:.0f} ms"


def after_all_left(server: AppServer) -> float:
    """Megabytes, once they have not fallen for as long as it takes to notice who has left."""
    least = memory_of(server.process.pid)[0]
    since = time.monotonic()
    while time.monotonic() < since + LEFT_SECONDS + 25:
        now = memory_of(server.process.pid)[0]
        if now < least - 1:
            least = now
            since = time.monotonic()
        time.sleep(0.5)
    return least


# ---- one who does 1,000 things ----


def interactions(count: int) -> bool:
    """Print the memory over so many interactions of one session; whether it is flat and nothing
    went wrong.
    """
    with served() as server, Explorer(server, 0) as visitor:
        held = {0: memory_of(server.process.pid)[0]}
        began = time.monotonic()
        for place in range(1, count + 1):
            if place % 50 == 0:
                visitor.triage()
            else:
                visitor.act()
            if place in (10, count // 4, count // 2, count):
                held[place] = memory_of(server.process.pid)[0]
                print(
                    f"after {place} interactions, {time.monotonic() - began:.0f} s:"
                    f" {held[place]:.0f} MB",
                    flush=True,
                )
        print(
            f"{count} interactions of one session: {quantiles(visitor.seconds)}; at the start"
            f" {held[0]:.0f} MB"
        )
        print(
            f"errors: {sum(visitor.wrong.values())} {dict(visitor.wrong) if visitor.wrong else ''}"
        )
    p50, p95 = np.quantile(visitor.seconds, (0.5, 0.95)) * 1000
    record(
        "flood",
        f"{count} interactions of one session",
        figures={
            "p50 (ms)": p50,
            "p95 (ms)": p95,
            "at the start (MB)": held[0],
            "after a quarter (MB)": held[count // 4],
            "at the end (MB)": held[count],
            "errors": sum(visitor.wrong.values()),
        },
    )
    return not visitor.wrong and held[count] - held[count // 4] <= LIMIT_MB


if __name__ == "__main__":
    sys.exit(main())
