"""A real app server and a real Chromium for the tests.

Wait for what a change brings about (a text, an attribute, a download), never for time to pass;
`wait_idle` is for the rest: the app is connected, and no script has been running for a quarter of a
second.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    FloatRect,
    Locator,
    Page,
    Playwright,
    Request,
    ViewportSize,
    expect,
)

from tests.waiting import until

# What the fixture `new_page` is.
Opener = Callable[..., Page]
ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 60  # generous: a busy CI machine, cold caches
WAIT_MS = 30_000
POLL_MS = 100  # by itself Playwright asks with every frame, which makes the browser draw each one
COOKIE = "prviz-guide"  # of visitors who have seen the first five steps
VIEWPORT: ViewportSize = {"width": 1280, "height": 900}
LAPTOP = (1366, 768)
PHONE = (390, 844)
TABLET = (820, 1180)

CHROMIUM_FLAGS = (
    "--headless=new",
    "--process-per-site",  # the next page of a site finds its scripts compiled
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)

_IDLE = """() => {
    const app = document.querySelector('[data-testid="stApp"]');
    const idle = app && app.dataset.testScriptState === "notRunning"
        && app.dataset.testConnectionState === "CONNECTED" && !document.querySelector('[data-stale="true"]');
    if (!idle) { window.__idleSince = undefined; return false; }
    window.__idleSince ??= performance.now();
    return performance.now() - window.__idleSince > 250;
}"""


def app_pages() -> tuple[tuple[str, str, str], ...]:
    """`PAGES` of app.py, which is a script: file, title and folder of each page, in the bar's
    order.
    """
    (pages,) = (
        ast.literal_eval(node.value)
        for node in ast.parse((ROOT / "app.py").read_text("utf-8")).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PAGES"
    )
    return pages


def address(page: str) -> str:
    """The address of the page of this file."""
    if page == "explore":
        return "/"
    return f"/{page}"


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


# Boxes of the lines of text in an element.
_LINES = """(node, shown) => {
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    const found = [];
    for (let text = walker.nextNode(); text; text = walker.nextNode()) {
        if (!text.data.trim() || !shown(text.parentElement)) continue;
        const range = document.createRange();
        range.selectNodeContents(text);
        found.push(...range.getClientRects());
    }
    return found;
}"""
_OVERLAPS = """(selectors) => {
    const lines = LINES;
    const shown = (node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    const boxes = (node) => {
        const text = node instanceof HTMLElement ? lines(node, shown) : [];
        return text.length ? text : [node.getBoundingClientRect()];
    };
    const all = [];
    for (const name of selectors) {
        for (const node of document.querySelectorAll(name)) {
            if (shown(node)) all.push({ name, node, boxes: boxes(node) });
        }
    }
    const shared = (a, b, from, to) => Math.min(a[to], b[to]) - Math.max(a[from], b[from]);
    const meet = (a, b) => shared(a, b, "left", "right") > 1 && shared(a, b, "top", "bottom") > 1;
    const found = [];
    all.forEach((one, i) => {
        for (const other of all.slice(0, i)) {
            if (one.node.contains(other.node) || other.node.contains(one.node)) continue;
            const over = one.boxes.some((a) => other.boxes.some((b) => meet(a, b)));
            if (over) found.push(`${other.name} and ${one.name}`);
        }
    });
    return found;
}""".replace("LINES", _LINES)
_CUT = """(selector) => {
    const lines = LINES;
    const shown = (node) => node.checkVisibility();
    const found = [];
    for (const box of document.querySelectorAll(selector)) {
        const { left, right, top, bottom } = box.getBoundingClientRect();
        const outside = (line) => line.left < Math.max(left, 0) - 1 || line.top < top - 1
            || line.right > Math.min(right, innerWidth) + 1 || line.bottom > bottom + 1;
        for (const p of box.querySelectorAll("p")) {
            if (shown(p) && lines(p, shown).some(outside)) found.push(p.textContent);
        }
    }
    return found;
}""".replace("LINES", _LINES)


def overlaps(page: Page, selectors: Sequence[str]) -> list[str]:
    """Pairs of these selectors whose visible text, or box where they hold none, shares more than a
    pixel.
    """
    found: list[str] = page.evaluate(_OVERLAPS, list(selectors))
    return found


def cut_parts(parts: Sequence[Locator], height: int) -> list[Locator]:
    """Those of these parts that are not whole in a window of this height."""
    boxes = [part.bounding_box() for part in parts]
    return [
        part
        for part, box in zip(parts, boxes, strict=True)
        if box is None or box["y"] < 0 or box["y"] + box["height"] > height
    ]


def cut_texts(page: Page, selector: str) -> list[str]:
    """Texts of paragraphs that are not whole inside the elements of this selector and the window's
    width.
    """
    found: list[str] = page.evaluate(_CUT, selector)
    return found


@dataclass(frozen=True)
class AppServer:
    """A running app: its address, its process and the file with what it printed."""

    url: str
    process: subprocess.Popen[bytes]
    log: Path


@contextmanager
def running_app(
    log: Path,
    *,
    command: Sequence[str] | None = None,
    options: Sequence[str] = (),
    cwd: Path = ROOT,
    base_path: str = "",
) -> Iterator[AppServer]:
    """Start ``prviz app`` on a free port, wait until it is healthy, and stop it with SIGTERM at the
    end.

    ``command`` is what stands before ``app``: by default this Python with this checkout's package.
    """
    port = free_port()
    line = [
        *(command or [sys.executable, "-m", "prviz"]),
        "app",
        "--no-browser",
        "--port",
        str(port),
        *options,
    ]
    with (
        log.open("wb") as out,
        subprocess.Popen(
            line, cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=out
        ) as process,
    ):
        server = AppServer(f"http://127.0.0.1:{port}{base_path}", process, log)
        try:
            wait_healthy(server)
            yield server
        finally:
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                raise


def wait_healthy(server: AppServer) -> None:
    """Return once the server answers its health check; fail with its log if it ends or takes too
    long.
    """

    def answers() -> bool:
        if server.process.poll() is not None:
            raise RuntimeError(
                f"the app at {server.url} ended:\n{server.log.read_text(errors='replace')}"
            )
        try:
            with urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=5) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    try:
        until(answers, START_SECONDS)
    except AssertionError:
        raise RuntimeError(
            f"no app at {server.url}:\n{server.log.read_text(errors='replace')}"
        ) from None


def chromium_path() -> str:
    """Chromium's executable: the variable CHROMIUM, or the first one on the path."""
    found = (
        os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    )
    if not found:
        raise RuntimeError(
            "the browser tests need Chromium: `apt-get install chromium`, or name an executable in"
            " the environment variable CHROMIUM"
        )
    return found


def launch_chromium(playwright: Playwright) -> Browser:
    """A headless Chromium, the system's own."""
    return playwright.chromium.launch(executable_path=chromium_path(), args=list(CHROMIUM_FLAGS))


@dataclass(frozen=True)
class Tab:
    """One page in a browser context, and what went wrong in it."""

    page: Page
    context: BrowserContext
    errors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    def close(self, *, context: bool = False) -> None:
        """Close the page, with its context or without, and fail on a Python error on screen, an
        uncaught JavaScript error, and a request to any other machine.
        """
        shown = self.page.locator('[data-testid="stException"]').all_inner_texts()
        if context:
            self.context.close()
        else:
            self.page.close()
        assert not shown, shown
        self.check()

    def check(self) -> None:
        """Fail on an uncaught JavaScript error, and on a request to any other machine."""
        foreign = self.foreign.copy()
        self.foreign.clear()  # another tab of this context is not to blame
        assert not self.errors, f"uncaught errors in the page: {self.errors}"
        assert not foreign, f"the page asked other machines: {foreign}"


def open_tab(browser: Browser, url: str, *, newcomer: bool = False, **options: object) -> Tab:
    """A new page in a fresh context whose relative addresses start at ``url``.

    newcomer : has not seen the first five steps, which then stand in place of Explore.
    """
    settings: dict[str, object] = {"base_url": url, "viewport": dict(VIEWPORT), **options}
    context = browser.new_context(**settings)  # type: ignore[arg-type]
    context.set_default_timeout(WAIT_MS)
    if not newcomer:
        context.add_cookies([{"name": COOKIE, "value": "seen", "url": url}])
    foreign: list[str] = []

    def note_foreign(request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme in {"http", "https", "ws", "wss"} and parts.hostname not in {
            "127.0.0.1",
            "localhost",
        }:
            foreign.append(request.url)

    context.on("request", note_foreign)
    return _tab(context, foreign)


def _tab(context: BrowserContext, foreign: list[str]) -> Tab:
    tab = Tab(context.new_page(), context, foreign=foreign)
    tab.page.on("pageerror", lambda error: tab.errors.append(error.stack or str(error)))
    return tab


def warm_tab(browser: Browser, url: str) -> Tab:
    """A tab that stays open so that `beside` has its context's cache and its process."""
    tab = open_tab(browser, url)
    tab.page.goto("/_stcore/health")
    return tab


def beside(
    warm: Tab,
    *,
    viewport: ViewportSize | None = None,
    color_scheme: Literal["dark", "light"] | None = None,
) -> Tab:
    """A new page in the context of an open tab: half of the work of a fresh context, with nothing
    stored before it.
    """
    warm.page.evaluate("() => localStorage.clear()")
    tab = _tab(warm.context, warm.foreign)
    if viewport is not None:
        tab.page.set_viewport_size(viewport)
    if color_scheme is not None:
        tab.page.emulate_media(color_scheme=color_scheme)
    return tab


def wait_idle(page: Page, timeout_ms: float = WAIT_MS) -> None:
    """Return once the app is connected, has nothing stale on screen and has stopped running."""
    page.evaluate("() => { window.__idleSince = undefined; }")
    page.wait_for_function(_IDLE, polling=POLL_MS, timeout=timeout_ms)


def unfold(page: Page) -> None:
    """Open the settings of Explore that fold: seed, repeats, and the modes of a toy."""
    page.locator(".fold").evaluate_all("folds => folds.forEach((fold) => { fold.open = true; })")


def wait_until(page: Page, holds: Callable[[], object]) -> None:
    """Return once this is so, of what Playwright has no `expect` for."""
    deadline = time.monotonic() + WAIT_MS / 1000
    while not holds():
        assert time.monotonic() < deadline, "it never came"
        # Playwright takes in what has come meanwhile
        page.evaluate("() => new Promise(requestAnimationFrame)")


def visit(page: Page, path: str = "/", timeout_ms: float = WAIT_MS) -> None:
    """Open an address of the app and wait until it has settled."""
    page.goto(path)
    page.locator("h1").first.wait_for()
    wait_idle(page, timeout_ms)


def resize(page: Page, width: int, height: int) -> None:
    """Give the window another size."""
    page.set_viewport_size({"width": width, "height": height})


def click(page: Page, role: str, name: str | re.Pattern[str], *, exact: bool = False) -> None:
    """Click on what has this role and name."""
    page.get_by_role(role, name=name, exact=exact).click()  # type: ignore[arg-type]


def enter(field: Locator, text: str) -> None:
    """Type this into a field in the place of what it held."""
    field.fill(text)
    field.press("Enter")


def box_of(part: Locator) -> FloatRect:
    """Where a part stands, which is in the page."""
    box = part.bounding_box()
    assert box is not None
    return box


def saved(page: Page, button: str, folder: Path) -> Path:
    """The file that a button downloads, kept in this folder by its own name."""
    with page.expect_download() as waiting:
        click(page, "button", button)
    target = folder / waiting.value.suggested_filename
    waiting.value.save_as(target)
    return target


def press_often(part: Locator, times: int, key: str = "ArrowRight") -> None:
    """Press a key so many times."""
    for _ in range(times):
        part.press(key)


def drag(
    page: Page, start: tuple[float, float], *places: tuple[float, float], steps: int = 6
) -> None:
    """Press the mouse at a place of the window, move it over others and let go at the last."""
    page.mouse.move(*start)
    page.mouse.down()
    for place in places:
        page.mouse.move(*place, steps=steps)
    page.mouse.up()


def middle(part: Locator) -> tuple[float, float]:
    """The middle of a part, in the window."""
    box = box_of(part)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def link_says(page: Page, name: str, value: object) -> None:
    """Return once the address has this value."""
    page.wait_for_url(re.compile(rf"[?&]{name}={re.escape(str(value))}(&|$)"))


def choose_files(page: Page, field: str, *files: tuple[str, bytes]) -> None:
    """Choose files, each by its name and contents, in the field that says this."""
    box = page.get_by_test_id("stFileUploader").filter(has_text=field)
    box.locator("input[type=file]").set_input_files(
        [{"name": name, "mimeType": "", "buffer": content} for name, content in files]
    )


def at_page(page: Page, title: str) -> None:
    """Return once the page of this title is there."""
    expect(page.get_by_role("heading", level=1)).to_have_text(title)


def path_of(page: Page) -> str:
    """Its address below the server's."""
    return page.url[page.url.index("/", 8) :]
