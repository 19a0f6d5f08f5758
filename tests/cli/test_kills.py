"""Killed commands: no process that they started goes on without them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.browser import ROOT
from tests.waiting import until

# Seconds after which a test has failed, on any machine.
LONG = 60.0
GRID = 'problems = ["mixtures"]\nmethods = ["knn", "kde"]\nns = [3000]\nrepeats = 400\n'
LINES = {
    "sweep": ("sweep", "grid.toml"),
    "battery": ("battery", "--out", "rows.parquet"),
    "experiment": ("experiment", "same", "--paper", "--out", "rows.parquet"),
}


@contextmanager
def started(name: str, folder: Path) -> Iterator[psutil.Popen]:
    """The command with one worker; all its processes are ended with the test."""
    (folder / "grid.toml").write_text(GRID)
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})  # what is started here has it, too
    try:
        process = psutil.Popen(
            [sys.executable, "-m", "prviz", *LINES[name]],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
    finally:
        os.sched_setaffinity(0, cores)
    children = []
    try:
        children = process.children()
        yield process
    finally:
        for each in (*children, process):
            if each.is_running():
                each.kill()
        process.wait()
        process.stderr.close()


def worker_of(process: psutil.Popen, seconds: float) -> psutil.Process:
    """Worker of the command, once it has computed for some seconds, as its start takes a second or
    two.
    """
    found: list[psutil.Process] = []

    def computes() -> bool:
        assert process.poll() is None, process.communicate()[1]
        found.extend(
            child
            for child in process.children()
            if any("spawn_main" in word for word in child.cmdline())
            and child.cpu_times().user >= seconds
        )
        return bool(found)

    until(computes, LONG)
    return found[0]


@pytest.mark.parametrize(
    ("name", "sent", "seconds"),
    [
        ("sweep", signal.SIGKILL, 0.0),
        ("battery", signal.SIGTERM, 0.4),
        ("experiment", signal.SIGHUP, 2.0),
    ],
)
def test_no_worker_is_left_behind(
    tmp_path: Path, name: str, sent: signal.Signals, seconds: float
) -> None:
    with started(name, tmp_path) as process:
        worker_of(process, seconds)
        process.suspend()  # so that it starts no other one meanwhile
        children = process.children(recursive=True)
        process.send_signal(sent)
        process.resume()
        process.wait(LONG)
        _, alive = psutil.wait_procs(children, LONG)
        for each in alive:
            each.kill()
    assert alive == []


def test_a_worker_that_the_system_ends_is_one_clear_line(tmp_path: Path) -> None:
    with started("sweep", tmp_path) as process:
        worker_of(process, 0.4).kill()
        _, error = process.communicate(timeout=LONG)
    assert process.returncode == 2
    assert (
        error.decode()
        .splitlines()[-1]
        .startswith("prviz: error: a worker process was ended from outside")
    )
    assert b"Traceback" not in error
