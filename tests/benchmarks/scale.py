# ruff: noqa: T201 - a script that prints its figures
"""What one more checkpoint costs in `prviz triage`, by size, and what a second Dask worker saves.

    python -m tests.benchmarks.scale

A checkpoint's cost is the difference of whole commands with three checkpoints and with one: start,
reading the reference and its own distances are paid once. Workers have one thread each and results
that no other run knows; the share of the ideal is the time of one worker over that of two, halved.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import distributed

from tests.benchmarks.results import record
from tests.benchmarks.triage import written

FAMILIES = ("--method", "knn,kde,ipr,coverage")
SIZES = ((2_000, 384), (10_000, 384))
SHARED = (2_000, 384, 8)  # n, d and checkpoints of the workers


def triage(folder: Path, count: int, *options: str) -> tuple[float, float]:
    """Seconds and peak memory (MB) of a whole command on the first checkpoints of a folder."""
    files = [str(folder / "run" / f"step-{step}.npy") for step in range(count)]
    with tempfile.TemporaryDirectory() as kept:
        began = time.perf_counter()
        command = [sys.executable, "-m", "prviz", "triage", str(folder / "real.npy")]
        process = subprocess.Popen(
            [*command, *files, "--out", kept, *options], stdout=subprocess.DEVNULL
        )
        _, status, used = os.wait4(process.pid, 0)
        if os.waitstatus_to_exitcode(status):
            raise RuntimeError(f"prviz triage ended with {os.waitstatus_to_exitcode(status)}")
        return time.perf_counter() - began, used.ru_maxrss / 1024


def one_more(n: int, d: int, what: str, *options: str) -> None:
    """Measure and keep what one more checkpoint costs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        written(folder, 3, n, d)
        first, _ = triage(folder, 1, *options)
        third, peak = triage(folder, 3, *options)
    more = (third - first) / 2
    case = f"{n:,} x {d}, {what}"
    print(f"{case}: {more:.2f} s, the first {first:.2f} s, {peak:.0f} MB")
    record("scale", case, seconds=more, peak_mb=peak, figures={"the first (s)": first})


def of_workers(n: int, d: int, count: int) -> None:
    """Measure and keep what a second worker saves."""
    took = []
    client: Any = distributed
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        written(folder, count, n, d)
        for workers in (1, 2):
            local = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None}
            with client.LocalCluster(**local) as cluster:
                address = cluster.scheduler_address
                took.append(triage(folder, count, *FAMILIES, "--scheduler", address)[0])
    share = took[0] / took[1] / 2
    case = f"{count} checkpoints of {n:,} x {d}, four families, one worker and two"
    print(f"{case}: {took[0]:.1f} s and {took[1]:.1f} s, {share:.2f} of the ideal")
    record(
        "scale",
        case,
        seconds=took[1],
        other_seconds=took[0],
        figures={"share of the ideal": share},
    )


def main() -> None:
    for n, d in SIZES:
        one_more(n, d, "four families", *FAMILIES)
        one_more(n, d, "the best classifier too")
    of_workers(*SHARED)


if __name__ == "__main__":
    main()
