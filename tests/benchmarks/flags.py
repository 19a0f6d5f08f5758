# ruff: noqa: T201 - it prints its rows
"""What is said of two sets beside a curve, against that curve by kNN: processor time and peak
memory.

    python -m tests.benchmarks.flags

Processor time of all threads, the least of alternating runs in one process; a fresh pair for each
run, as what is found is kept with the pair. Peak memory is that of a fresh process above the
samples.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable

from prviz.checks.flags import flags_of
from prviz.measure.estimates import estimate
from prviz.samples import SamplePair
from tests.benchmarks.engine import arrays
from tests.benchmarks.memory import peak_megabytes
from tests.benchmarks.plans import processor_seconds
from tests.benchmarks.results import record

SHAPES = ((500, 16), (2_000, 64), (10_000, 64), (10_000, 512), (50_000, 64), (2_000, 2_048))
REPEATS = 5
WORK: dict[str, Callable[[SamplePair], object]] = {
    "flags": flags_of,
    "curve": lambda pair: estimate(pair, "knn"),
}


def least_seconds(n: int, d: int) -> dict[str, float]:
    """Processor time of the flags, and of the curve once they are known."""
    best = dict.fromkeys(WORK, float("inf"))
    for _ in range(REPEATS):
        pair = SamplePair(*arrays(n, d))
        for name, work in WORK.items():
            best[name] = min(best[name], processor_seconds(lambda work=work, pair=pair: work(pair)))
    return best


def peak_of(name: str, n: int, d: int) -> float:
    """Megabytes that the work adds at its peak, in a fresh process."""
    command = [sys.executable, "-m", "tests.benchmarks.flags", "--memory-of", name, str(n), str(d)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--memory-of", nargs=3, help=argparse.SUPPRESS)
    choice = parser.parse_args()
    if choice.memory_of:
        name, n, d = choice.memory_of
        # imports, threads and buffers of the libraries
        WORK[name](SamplePair(*arrays(300, int(d))))
        pair = SamplePair(*arrays(int(n), int(d)))
        print(peak_megabytes(lambda: WORK[name](pair)))
        return
    for n, d in SHAPES:
        best = least_seconds(n, d)
        row = record(
            "flags",
            f"{n:,} x {d:,}",
            seconds=best["flags"],
            other_seconds=best["curve"],
            peak_mb=peak_of("flags", n, d),
            other_peak_mb=peak_of("curve", n, d),
        )
        print(row, flush=True)


if __name__ == "__main__":
    main()
