# ruff: noqa: T201
"""The engine against PyPI's prdc and against bare matrix products: ratios of times within one run,
peak memory beside.

    python -m tests.benchmarks.engine                      the rows at n = 10,000 and the growth
    from 5,000 to 40,000 python -m tests.benchmarks.engine --only large         50,000 x 2,048, a
    quarter of an hour

Times are the best of alternating runs in one process; memory is the peak of a fresh process per
side above what it holds once the samples are there. Fails if a ratio exceeds its limit.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import math
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from prviz.neighbors._c.build import LIBRARY
from tests.benchmarks.memory import peak_megabytes
from tests.benchmarks.results import record

METHODS = ("knn", "kde", "ipr", "coverage")
GROWTH = (5_000, 10_000, 20_000, 40_000)
GROWN = "four curves, k = sqrt(n), no split"
BLOCK = 5_000

Arrays = tuple[np.ndarray, np.ndarray]
Work = Callable[[], object]


class Case(NamedTuple):
    """Two sides of a comparison on the same arrays, and what their ratio must not exceed."""

    title: str
    n: int
    d: int
    ours: str
    theirs: str
    limit: float
    repeats: int


CASES = {
    "four": Case(
        "four curves, k = 5, no split, against prdc 0.2's four scalars",
        10_000,
        64,
        "k5",
        "prdc",
        1 / 6,
        3,
    ),
    "profile": Case(
        "all k to 200 and 65 bandwidths, split 0.5, every curve read, against prdc 0.2's one k",
        10_000,
        64,
        "profile",
        "prdc",
        1 / 3,
        3,
    ),
    "wide": Case(
        f"{GROWN}, against three float32 products", 10_000, 2048, "root", "products", 1.15, 6
    ),
    "large": Case(
        f"{GROWN}, against three float32 products", 50_000, 2048, "root", "products", 1.2, 1
    ),
}


def arrays(n: int, d: int) -> Arrays:
    rng = np.random.default_rng(0)
    real = rng.standard_normal((n, d), dtype=np.float32)
    return real, rng.standard_normal((n, d), dtype=np.float32) + np.float32(1 / 8)


def prepared(side: str, real: np.ndarray, generated: np.ndarray) -> Work:
    """The work of one side, ready to run."""
    if side == "prdc":
        from prdc import compute_prdc

        def quiet() -> object:
            with contextlib.redirect_stdout(io.StringIO()):
                return compute_prdc(real, generated, 5)

        return quiet
    if side == "products":
        # Of different arrays, as any of the three would be: numpy halves the work of a @ a.T.
        return lambda: [
            products(*pair) for pair in ((real, generated), (generated, real), (real[::-1], real))
        ]
    from prviz.measure.estimates import estimate
    from prviz.measure.profiles import profile_pair
    from prviz.samples import SamplePair

    pair = SamplePair(real, generated)
    if side == "profile":
        return lambda: all_curves(
            profile_pair(pair, METHODS, ks=range(1, min(200, len(real) // 2 - 1) + 1))
        )
    k = 5 if side == "k5" else "sqrt"
    return lambda: [each.curve for each in estimate(pair, METHODS, k=k, split=None).values()]


def all_curves(profile: object) -> list[object]:
    """The curves of each family at every value of what it tunes."""
    from prviz.estimators import ESTIMATORS

    found = {key: each for key, each in profile.by_k.items() if ESTIMATORS[key[0]].tunes == "k"}
    return [each.curve for each in [*found.values(), *profile.by_bandwidth.values()]]


def products(a: np.ndarray, b: np.ndarray) -> None:
    """a @ b.T in blocks, each thrown away."""
    out = np.empty((min(BLOCK, len(a)), min(BLOCK, len(b))), dtype=np.float32)
    for row in range(0, len(a), BLOCK):
        left = a[row : row + BLOCK]
        for column in range(0, len(b), BLOCK):
            right = b[column : column + BLOCK]
            np.matmul(left, right.T, out=out[: len(left), : len(right)])


def seconds(work: Work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def peak_of(side: str, n: int, d: int) -> float:
    """Peak resident memory of a fresh process during the work, above what it holds before."""
    command = [sys.executable, "-m", __spec__.name if __spec__ else __file__]
    command += ["--memory-of", side, "--n", str(n), "--d", str(d)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def own_peak_megabytes(side: str, n: int, d: int) -> float:
    prepared(side, *arrays(300, d))()  # imports, threads and buffers of the libraries
    return peak_megabytes(prepared(side, *arrays(n, d)))


def compare(case: Case) -> bool:
    """Print one row; whether the ratio is within the limit."""
    sides = (case.ours, case.theirs)
    memory = [peak_of(side, case.n, case.d) for side in sides]
    both = arrays(case.n, case.d)
    work = [prepared(side, *both) for side in sides]
    best = [math.inf, math.inf]
    for _ in range(case.repeats):
        best = [min(before, seconds(each)) for before, each in zip(best, work, strict=True)]
    ratio = best[0] / best[1]
    record(
        "engine",
        f"{case.n:,} x {case.d:,}: {case.title}"
        + ("" if LIBRARY.exists() else ", without the compiled loops"),
        seconds=best[0],
        other_seconds=best[1],
        peak_mb=memory[0],
        other_peak_mb=memory[1],
    )
    print(
        f"| {case.n:,} x {case.d:,}: {case.title} | {best[0]:.2f} s, {memory[0]:,.0f} MB | "
        f"{best[1]:.2f} s, {memory[1]:,.0f} MB | {ratio:.3f} | {case.limit:.3f} |",
        flush=True,
    )
    return ratio <= case.limit


def slope(sizes: Sequence[int], values: Sequence[float]) -> float:
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def growth() -> bool:
    """Print how time and memory of four curves grow with n; whether slower than the limits."""
    times = []
    memory = []
    for n in GROWTH:
        memory.append(peak_of("root", n, 64))
        work = prepared("root", *arrays(n, 64))
        times.append(min(seconds(work) for _ in range(2)))
        record("engine", f"{n:,} x 64: {GROWN}", seconds=times[-1], peak_mb=memory[-1])
    steps = ", ".join(
        f"{n:,}: {t:.2f} s, {m:,.0f} MB" for n, t, m in zip(GROWTH, times, memory, strict=True)
    )
    slopes = slope(GROWTH, times), slope(GROWTH, memory)
    figures = {"log-log slope of time": slopes[0], "of memory": slopes[1]}
    record("engine", f"growth from {GROWTH[0]:,} to {GROWTH[-1]:,} rows", figures=figures)
    print(f"\nGrowth at d = 64, k = sqrt(n), no split: {steps}")
    print(
        f"log-log slopes: time {slopes[0]:.2f} (limit 2.1), memory {slopes[1]:.2f} (limit 1.1)",
        flush=True,
    )
    return slopes[0] <= 2.1 and slopes[1] <= 1.1


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only",
        choices=[*CASES, "growth"],
        action="append",
        help="one row (default: all but large)",
    )
    parser.add_argument("--memory-of", help=argparse.SUPPRESS)
    parser.add_argument("--n", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--d", type=int, help=argparse.SUPPRESS)
    choice = parser.parse_args()
    if choice.memory_of:
        print(own_peak_megabytes(choice.memory_of, choice.n, choice.d))
        return 0
    asked = choice.only or [name for name in [*CASES, "growth"] if name != "large"]
    print("| case | prviz | against | ratio | limit |\n|---|---|---|---|---|", flush=True)
    within = [growth() if name == "growth" else compare(CASES[name]) for name in asked]
    return int(not all(within))


if __name__ == "__main__":
    sys.exit(main())
