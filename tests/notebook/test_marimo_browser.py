"""The widget in marimo: two in one app, each with its own sliders and panels, and Python hears of
both.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import ROOT
from tests.waiting import until

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive, pytest.mark.thorough]
pytest.importorskip("marimo", reason="pip install marimo, as .ci/run --all does")

WAIT_MS = 180_000
APP = """
import marimo

app = marimo.App()


@app.cell
def _():
    from pathlib import Path

    import prviz

    pair = prviz.toy("mixtures", d=8).sample(400, seed=0)
    truth = prviz.toy("mixtures", d=8).truth()
    w = prviz.widget(pair, truth=truth)
    w.observe(lambda change: Path("k.txt").write_text(str(w.k)), "k")
    w
    return pair, prviz, truth


@app.cell
def _(pair, prviz, truth):
    v = prviz.widget(pair, truth=truth)
    v
    return
"""


def answers(address: str) -> bool:
    try:
        return bool(urllib.request.urlopen(address, timeout=5).status == 200)
    except OSError:
        return False


@pytest.fixture(scope="module")
def marimo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """An app that runs in this Python, with its address and its folder."""
    folder = tmp_path_factory.mktemp("marimo")
    (folder / "app.py").write_text(APP, "utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "marimo", "-y", "run", "app.py", "--headless", "--no-token"]
    server = subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--port", str(port)],
        cwd=folder,
        env={**os.environ, "HOME": str(folder), "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        address = f"http://127.0.0.1:{port}/"
        until(lambda: answers(address), 120)
        yield address, folder
    finally:
        server.terminate()
        server.wait()


@pytest.fixture
def page(chromium: Browser, marimo: tuple[str, Path]) -> Iterator[Page]:
    made = chromium.new_page(viewport={"width": 1280, "height": 1600})
    made.goto(marimo[0])
    measured = made.locator(".prviz-widget .live[data-more='false']")
    expect(measured).to_have_count(2, timeout=WAIT_MS)
    yield made
    made.close()


def test_sliders_and_panels_are_each_widgets_own(page: Page, marimo: tuple[str, Path]) -> None:
    first, second = (page.locator(".prviz-widget").nth(place) for place in (0, 1))
    for widget in (first, second):
        widget.locator("[data-panel=numbers] summary").click()
        cell = widget.locator("[data-panel=numbers] tbody td").first
        expect(cell).not_to_be_empty(timeout=WAIT_MS)
    tables = [widget.locator("[data-panel=numbers] tbody") for widget in (first, second)]
    before = [table.inner_text() for table in tables]
    slider = first.locator("[data-prviz=k] input[type=range]")
    slider.focus()
    for _ in range(3):
        slider.press("ArrowLeft")
    until(lambda: tables[0].inner_text() != before[0])
    assert tables[1].inner_text() == before[1]
    said = marimo[1] / "k.txt"
    until(said.exists)
    shown = first.locator("[data-prviz=k] input[type=number]").input_value()
    until(lambda: said.read_text("utf-8") == shown)
