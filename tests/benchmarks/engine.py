# ruff: noqa: T201
"""The engine against PyPI's prdc and against bare matrix products: ratios of times within one run,
peak memory beside.

    python -m tests.benchmarks.engine                 n = 10,000, and the growth from 5,000 to 40,000
    python -m tests.benchmarks.engine --only large    50,000 x 2,048, a quarter of an hour
    python -m tests.benchmarks.engine --only limit    beside what any engine needs, ten minutes

Times are the best of alternating runs in one process; memory is the peak of a fresh process per
side above what it holds once the samples are there. Fails if a ratio exceeds its limit.

The part ``limit`` has no limits, and the spread of each ratio over the runs. An engine that meets
each pair of samples once, tile by tile, and does nothing with it takes "all pairs once". BLAS picks
its kernel by the processor, or by OPENBLAS_CORETYPE: the case says which one ran.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import io
import math
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from prviz.neighbors._c.build import LIBRARY
from prviz.neighbors.threads import available_threads, run_blocks
from prviz.samples import SamplePair
from tests.benchmarks.memory import peak_megabytes
from tests.benchmarks.results import numpy_kernel, record

METHODS = ("knn", "kde", "ipr", "coverage")
GROWTH = (5_000, 10_000, 20_000, 40_000)
GROWN = "four curves, k = sqrt(n), no split"
BLOCK = 5_000
TILE = 1_250  # rows of a tile that stays in the caches

# The part ``limit``: its sizes, what prviz does, and what that is held against.
LIMIT_SIZES = ((10_000, 16), (10_000, 64), (10_000, 512))
LIMIT_REPEATS = 5
WORK = {
    "k5": "four curves, k = 5, no split",
    "root": GROWN,
    "profile": "all k to 200 and 65 bandwidths, split 0.5, every curve read",
}
AGAINST = {
    "products": "three products, blocks of 5,000",
    "tiles": "three products, tiles of 1,250",
    "once": "all pairs once",
    "prdc": "prdc's four scalars, k = 5",
    "faiss": "FAISS, the same k nearest",
}

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
    if side == "tiles":
        three = tiles((real, generated), (generated, real), (real[::-1], real))
        return lambda: multiplied(three)
    if side == "once":
        two = tiles((real, generated), (real, real), (generated, generated))
        return lambda: multiplied(two)
    from prviz.measure.estimates import estimate
    from prviz.measure.profiles import profile_pair

    pair = SamplePair(real, generated)
    if side.startswith("faiss "):
        return faiss_searches(pair, side.removeprefix("faiss "))
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


def tiles(*sets: Arrays) -> list[Arrays]:
    """Rows of each two sets that make a tile of a @ b.T; of a set and itself each two once."""
    return [
        (a[row : row + TILE], b[column : column + TILE])
        for a, b in sets
        for row in range(0, len(a), TILE)
        for column in range(row if a is b else 0, len(b), TILE)
    ]


def multiplied(blocks: Sequence[Arrays]) -> None:
    """The product of each tile, thrown away, by one thread of BLAS on every core."""
    local = threading.local()

    def multiply(block: Arrays) -> None:
        left, right = block
        if not hasattr(local, "out"):
            local.out = np.empty((TILE, TILE), dtype=np.float32)
        np.matmul(left, right.T, out=local.out[: len(left), : len(right)])

    run_blocks(multiply, blocks, available_threads(), lambda *_: None)


def faiss_searches(pair: SamplePair, work: str) -> Work:
    """Exact searches by FAISS for the k nearest that this work is made of: of each fit sample in its
    own set, of each evaluation sample in both.
    """
    import faiss

    split = pair.split(0.5 if work == "profile" else None, 0)
    ks = {"k5": 5, "root": math.isqrt(pair.real.n), "profile": min(200, pair.real.n // 2 - 1)}
    k = ks[work]
    fit = (split.fit.real.values, split.fit.generated.values)
    evaluated = (split.evaluate.real.values, split.evaluate.generated.values)

    def search() -> None:
        for role in (0, 1):
            index = faiss.IndexFlatL2(fit[role].shape[1])
            index.add(fit[role])
            index.search(fit[role], k + 1)  # the sample itself is among them
            index.search(evaluated[1 - role], k)
            if split.held_out:
                index.search(evaluated[role], k)

    return search


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


def limit(sizes: Sequence[tuple[int, int]] = LIMIT_SIZES, repeats: int = LIMIT_REPEATS) -> None:
    """Print and record, by size, what prviz takes beside all of AGAINST, in turns in one process."""
    others = dict(AGAINST)
    if importlib.util.find_spec("faiss") is None:
        del others["faiss"]
    print("| case | prviz | ns per pair | " + " | ".join(others.values()) + " |")
    print("|---|---|---|" + "---|" * len(others), flush=True)
    for n, d in sizes:
        both = arrays(n, d)
        sides = [*WORK, *(side for side in others if side != "faiss")]
        if "faiss" in others:
            sides += [f"faiss {name}" for name in WORK]
        work = {side: prepared(side, *both) for side in sides}
        for side in sides:
            prepared(side, *arrays(300, d))()  # imports, threads and buffers of the libraries
        runs = [{side: seconds(each) for side, each in work.items()} for _ in range(repeats)]
        for name in WORK:
            limit_row(name, n, d, others, runs)


def limit_row(
    name: str, n: int, d: int, others: Mapping[str, str], runs: Sequence[Mapping[str, float]]
) -> None:
    """Print and record one row of ``limit``, from the seconds of each side in each run."""
    best = min(run[name] for run in runs)
    nanoseconds = 1e9 * best / (2 * n * n)
    cells = {}
    for side, title in others.items():
        key = f"faiss {name}" if side == "faiss" else side
        theirs = min(run[key] for run in runs)
        ratios = [run[name] / run[key] for run in runs]
        spread = (min(ratios), statistics.median(ratios), max(ratios))
        text = ", ".join(f"{ratio:.2f}" for ratio in spread)
        cells[title] = f"{best / theirs:.2f} ({text}) of {theirs:.3g} s"
    case = f"{n:,} x {d:,}: {WORK[name]}, {numpy_kernel()} kernel"
    record(
        "engine",
        case,
        seconds=best,
        figures={"ns per pair": nanoseconds, **cells},
        part="limit",
    )
    texts = " | ".join(cells.values())
    print(f"| {case} | {best:.3f} s | {nanoseconds:.3g} | {texts} |", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only",
        choices=[*CASES, "growth", "limit"],
        action="append",
        help="one row, or the rows beside the limit (default: all but large and limit)",
    )
    parser.add_argument("--memory-of", help=argparse.SUPPRESS)
    parser.add_argument("--n", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--d", type=int, help=argparse.SUPPRESS)
    choice = parser.parse_args()
    if choice.memory_of:
        print(own_peak_megabytes(choice.memory_of, choice.n, choice.d))
        return 0
    asked = choice.only or [name for name in [*CASES, "growth"] if name != "large"]
    if "limit" in asked:
        asked.remove("limit")
        limit()
    if not asked:
        return 0
    print("| case | prviz | against | ratio | limit |\n|---|---|---|---|---|", flush=True)
    within = [growth() if name == "growth" else compare(CASES[name]) for name in asked]
    return int(not all(within))


if __name__ == "__main__":
    sys.exit(main())
