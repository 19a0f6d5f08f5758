# ruff: noqa: T201 - a script that prints its figures
"""What one more checkpoint costs in `prviz triage`, by size, what a second Dask worker saves, and
what large sets cost in `prviz curve`, exactly and approximately.

    python -m tests.benchmarks.scale
    python -m tests.benchmarks.scale --only sets        an hour of one core, most for 10^6 samples

A checkpoint's cost is the difference of whole commands with three checkpoints and with one: start,
reading the reference and its own distances are paid once. Workers have one thread each and results
that no other run knows; the share of the ideal is the time of one worker over that of two, halved.
Processor time is that of all threads: it says how many cores are needed, on a busy machine too.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import distributed
import numpy as np
import psutil

from tests.benchmarks.results import record
from tests.benchmarks.triage import written

FAMILIES = ("--method", "knn,kde,ipr,coverage")
SIZES = ((2_000, 384, 3), (10_000, 384, 1))  # and runs, of which the best count
SHARED = (24, 100)  # checkpoints of 2,000 x 384 that workers share: start-up weighs less in many
REPEATS = 2
EXACT = (20_000, 40_000, 100_000)
APPROXIMATE = (100_000, 1_000_000)
SET_FEATURES = 64
_CHUNK = 100_000  # rows of a large file that are drawn at a time


class Used(NamedTuple):
    """What a whole command took and printed: seconds, processor seconds of all threads, peak memory
    in MB.
    """

    seconds: float
    processor: float
    peak: float
    text: str


def used_by(*command: object) -> Used:
    """Run a command of prviz."""
    began = time.perf_counter()
    line = [sys.executable, "-m", "prviz", *map(str, command)]
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(line, stdout=out, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        took = time.perf_counter() - began
        out.seek(0)
        text = out.read()
    code = os.waitstatus_to_exitcode(status)
    if code:
        raise RuntimeError(f"prviz {command[0]} ended with {code}")
    return Used(took, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, text)


def triage(folder: Path, count: int, *options: str) -> Used:
    """Triage of the first checkpoints of a folder."""
    files = [folder / "run" / f"step-{step}.npy" for step in range(count)]
    with tempfile.TemporaryDirectory() as kept:
        return used_by("triage", folder / "real.npy", *files, "--out", kept, *options)


def one_more(n: int, d: int, repeats: int, what: str, *options: str) -> None:
    """Measure and keep what one more checkpoint costs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        written(folder, 3, n, d)
        runs = [[triage(folder, count, *options) for count in (1, 3)] for _ in range(repeats)]
    first, third = (min(used) for used in zip(*runs, strict=True))
    more = (third.seconds - first.seconds) / 2
    processor = (third.processor - first.processor) / 2
    case = f"{n:,} x {d}, {what}"
    print(f"{case}: {more:.2f} s, {processor:.2f} s of processor time, {third.peak:.0f} MB")
    record(
        "scale",
        case,
        seconds=more,
        peak_mb=third.peak,
        figures={"processor time (s)": processor, "the first (s)": first.seconds},
    )


def of_workers(count: int) -> None:
    """Measure and keep what a second worker saves: the best of runs with one and two in turns."""
    n, d = 2_000, 384
    runs: dict[int, list[Used]] = {1: [], 2: []}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        written(folder, count, n, d)
        for _ in range(REPEATS):
            for workers, used in runs.items():
                used.append(by_workers(folder, count, workers))
    one, two = (min(used) for used in runs.values())
    share = one.seconds / two.seconds / 2
    case = f"{count} checkpoints of {n:,} x {d}, four families, one worker and two"
    print(f"{case}: {one.seconds:.1f} s and {two.seconds:.1f} s, {share:.2f} of the ideal")
    record(
        "scale",
        case,
        seconds=two.seconds,
        other_seconds=one.seconds,
        peak_mb=two.peak,
        figures={
            "processor time (s)": two.processor,
            "of one worker (s)": one.processor,
            "share of the ideal": share,
        },
    )


def by_workers(folder: Path, count: int, workers: int) -> Used:
    """Triage by a fresh local cluster: processor time and memory are those of its workers."""
    client: Any = distributed
    local = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None}
    with client.LocalCluster(**local) as cluster:
        before = worker_seconds()
        used = triage(folder, count, *FAMILIES, "--scheduler", cluster.scheduler_address)
        processor = worker_seconds() - before
        with client.Client(cluster) as asked:
            peak = max(asked.run(worker_peak).values())
    return used._replace(processor=processor, peak=peak)


def worker_seconds() -> float:
    """Processor time of the processes that this one has started."""
    times = [each.cpu_times() for each in psutil.Process().children(recursive=True)]
    return sum(each.user + each.system for each in times)


def worker_peak() -> float:
    """Peak memory of this process in MB."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def of_sets(n: int, *options: str) -> None:
    """Measure and keep what two large sets cost."""
    with tempfile.TemporaryDirectory() as name:
        rng = np.random.default_rng(0)
        files = [Path(name) / "real.npy", Path(name) / "generated.npy"]
        for path, shift in zip(files, (0, 1 / 8), strict=True):
            values = np.lib.format.open_memmap(path, "w+", np.float32, (n, SET_FEATURES))
            for row in range(0, n, _CHUNK):
                part = values[row : row + _CHUNK]
                part[:] = rng.standard_normal(part.shape, dtype=np.float32) + np.float32(shift)
            values.flush()
        used = used_by("curve", *files, *FAMILIES, *options)
    how = "approximate" if options else "exact"
    labels = [line for line in used.text.splitlines() if line.startswith("approximate: ")]
    case = f"two sets of {n:,} x {SET_FEATURES}, four curves, split 0.5, {how}"
    print(f"{case}: {used.seconds:.1f} s, {used.processor:.1f} s of processor time")
    record(
        "scale",
        case,
        seconds=used.seconds,
        peak_mb=used.peak,
        figures={"processor time (s)": used.processor, "printed": "".join(labels)},
    )


def checkpoints() -> None:
    for n, d, repeats in SIZES:
        one_more(n, d, repeats, "four families", *FAMILIES)
        one_more(n, d, repeats, "the best classifier too")


def sets() -> None:
    for n in EXACT:
        of_sets(n)
    for n in APPROXIMATE:
        of_sets(n, "--approximate")


PARTS = {"checkpoints": checkpoints, "workers": lambda: list(map(of_workers, SHARED)), "sets": sets}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=PARTS, help="one part (default: all but sets)")
    only = parser.parse_args().only
    for name, part in PARTS.items():
        if name == only or (only is None and name != "sets"):
            part()


if __name__ == "__main__":
    main()
