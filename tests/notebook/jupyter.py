"""A JupyterLab of this Python, and notebooks in it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page

from tests.browser import ROOT
from tests.waiting import until

WAIT_MS = 180_000


def notebook(*cells: str) -> str:
    made = [
        {"cell_type": "code", "id": f"c{i}", "source": text, "metadata": {}, "outputs": []}
        | {"execution_count": None}
        for i, text in enumerate(cells)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    whole = {"cells": made, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole)


def answers(address: str) -> bool:
    try:
        return urllib.request.urlopen(f"{address}/api", timeout=5).status == 200
    except OSError:
        return False


@contextmanager
def running_lab(folder: Path) -> Iterator[str]:
    """The address of a JupyterLab that shows this folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "jupyterlab", "--allow-root", "--no-browser"]
    command += ["--ip=127.0.0.1", f"--port={port}", f"--ServerApp.root_dir={folder}"]
    command += ["--IdentityProvider.token=", "--expose-app-in-browser"]
    with tempfile.TemporaryDirectory() as own:
        places = {f"JUPYTER_{name}_DIR": f"{own}/{name}" for name in ("CONFIG", "DATA", "RUNTIME")}
        server = subprocess.Popen(
            command,
            env={**os.environ, **places, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            until(lambda: answers(address), 120)
            yield address
        finally:
            server.terminate()
            server.wait()


def opened(page: Page, address: str, name: str) -> Page:
    page.goto(f"{address}/lab/tree/{name}")
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=WAIT_MS)
    return page


def run_all(page: Page) -> None:
    """Run all cells, once the kernel answers."""
    idle = "jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
    page.wait_for_function(idle, timeout=WAIT_MS)
    page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")
