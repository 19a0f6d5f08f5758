# ruff: noqa: T201
"""Four curves of prviz against the four scalars of PyPI's prdc on the same arrays: time and peak memory.

n = 10,000, d = 64, one k, no split. Times are the best of alternating runs in one process; memory is the peak
of a fresh process per side, above what it holds before. Fails if the ratio of times exceeds the limit.

    python -m tests.benchmarks.against_prdc
"""

from __future__ import annotations

import argparse
import contextlib
import io
import resource
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

SIDES = ("prviz", "prdc")


def arrays(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    real = rng.standard_normal((n, d), dtype=np.float32)
    return real, rng.standard_normal((n, d), dtype=np.float32) + np.float32(1 / 8)


def call(side: str, n: int, d: int, k: int) -> Callable[[], object]:
    """The measurement of one side, ready to run: imports and samples are made before."""
    real, generated = arrays(n, d)
    if side == "prviz":
        from prviz.evaluate import estimate
        from prviz.samples import SamplePair

        pair = SamplePair(real, generated)
        return lambda: [each.curve for each in estimate(pair, k=k, split=None).values()]
    from prdc import compute_prdc

    def quiet() -> object:
        with contextlib.redirect_stdout(io.StringIO()):
            return compute_prdc(real, generated, k)

    return quiet


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def peak_megabytes(side: str, n: int, d: int, k: int) -> float:
    """Peak resident memory of a fresh process during the call, above that before it."""
    command = [sys.executable, "-m", __spec__.name if __spec__ else __file__, "--memory-of", side]
    command += ["--n", str(n), "--d", str(d), "--k", str(k)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def own_peak_megabytes(side: str, n: int, d: int, k: int) -> float:
    call(side, 64, d, 3)()
    work = call(side, n, d, k)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    work()
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=10_000, help="samples per distribution (default: %(default)s)")
    parser.add_argument("--d", type=int, default=64, help="features (default: %(default)s)")
    parser.add_argument("--k", type=int, default=5, help="neighbours (default: %(default)s)")
    parser.add_argument("--repeats", type=int, default=3, help="runs per side, the best counts (default: %(default)s)")
    parser.add_argument("--limit", type=float, default=0.25, help="largest ratio of times (default: %(default)s)")
    parser.add_argument("--memory-of", choices=SIDES, help=argparse.SUPPRESS)
    choice = parser.parse_args()
    size = choice.n, choice.d, choice.k
    if choice.memory_of:
        print(own_peak_megabytes(choice.memory_of, *size))
        return 0
    # Before anything large lives here: a child process starts with its parent's peak.
    memory = {side: peak_megabytes(side, *size) for side in SIDES}
    work = {side: call(side, *size) for side in SIDES}
    times: dict[str, list[float]] = {side: [] for side in SIDES}
    for _ in range(choice.repeats):
        for side in SIDES:
            times[side].append(seconds(work[side]))
    best = {side: min(values) for side, values in times.items()}
    ratio = best["prviz"] / best["prdc"]
    print("| | time (s) | peak memory above the inputs (MB) |\n|---|---|---|")
    for side, what in (("prviz", "prviz, four curves"), ("prdc", "prdc 0.2, four scalars")):
        print(f"| {what} | {best[side]:.2f} | {memory[side]:.0f} |")
    print(f"\nn = {choice.n}, d = {choice.d}, k = {choice.k}, no split: {ratio:.3f} of the time (1/{1 / ratio:.1f})")
    return int(ratio > choice.limit)


if __name__ == "__main__":
    sys.exit(main())
