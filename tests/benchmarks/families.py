# ruff: noqa: T201
"""What each family costs: one curve at 10,000 x 64, beside prdc's four scalars in the same run.

    python -m tests.benchmarks.families

Times of one run each in one process, prdc beside every cell; memory is the peak of a fresh process
above what it holds once the samples are there.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
from collections.abc import Callable

from prviz.estimators import ESTIMATORS
from prviz.measure.estimates import estimate
from prviz.samples import SamplePair
from tests.benchmarks.engine import arrays, prepared, seconds
from tests.benchmarks.memory import peak_megabytes
from tests.benchmarks.results import record

N = 10_000
D = 64
REPEATS = 1
SPLITS: dict[str, float | None] = {"split 0.5": 0.5, "no split": None}


def work(name: str, split: float | None, n: int = N) -> Callable[[], object]:
    """One curve of one family, or prdc's scalars, ready to run."""
    real, generated = arrays(n, D)
    if name == "prdc":
        return prepared("prdc", real, generated)
    pair = SamplePair(real, generated)
    return lambda: estimate(pair, (name,), split=split)[name].curve


def peak_of(name: str, split: float | None) -> float:
    """Peak resident memory of a fresh process during the work, above what it holds before."""
    command = [sys.executable, "-m", "tests.benchmarks.families", "--memory-of", name]
    command += [] if split is None else ["--split", str(split)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--memory-of", help=argparse.SUPPRESS)
    parser.add_argument("--split", type=float, help=argparse.SUPPRESS)
    choice = parser.parse_args()
    if choice.memory_of:
        work(choice.memory_of, choice.split, 300)()  # imports, threads and buffers of the libraries
        print(peak_megabytes(work(choice.memory_of, choice.split)))
        return 0
    print("| family | " + " | ".join(f"{title} | over prdc | peak" for title in SPLITS) + " |")
    print("|---|" + "---|" * 3 * len(SPLITS), flush=True)
    prdc = work("prdc", None)
    for name, family in ESTIMATORS.items():
        cells = []
        for split in SPLITS.values():
            if split is None and family.needs_split:
                cells += ["-", "-", "-"]
                continue
            ours = math.inf
            theirs = math.inf
            once = work(name, split)
            for _ in range(REPEATS):
                ours = min(ours, seconds(once))
                theirs = min(theirs, seconds(prdc))
            peak = peak_of(name, split)
            case = f"{family.title}, {'no split' if split is None else f'split {split}'}"
            record("families", case, seconds=ours, other_seconds=theirs, peak_mb=peak)
            cells += [f"{ours:.2f} s", f"{ours / theirs:.2f}", f"{peak:,.0f} MB"]
        print(f"| {family.title} | " + " | ".join(cells) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
