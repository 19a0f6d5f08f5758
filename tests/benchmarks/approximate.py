# ruff: noqa: T201
"""Approximate curves at sizes out of reach: time, peak memory, recall of the lists and error of
each curve.

Each run is a process of its own; memory is its peak above what it holds before. Beside it the exact
engine at a size that it does in the time, where the approximate curves are also held against the
exact ones of all samples. "gaussians": two shifted isotropic ones, the hardest case for any
neighbour lists. "embeddings": features of few intrinsic dimensions, as those of an encoder are.

    python -m tests.benchmarks.approximate --rows 200000 1000000
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from typing import Any

import numpy as np

from prviz.approximation.approximate import approximate
from prviz.estimators import DEFAULT_METHODS
from prviz.measure.estimates import estimate
from prviz.samples import SamplePair
from tests.benchmarks.memory import peak_megabytes
from tests.benchmarks.results import record

INTRINSIC = 10
HIDDEN = 128


def pair_of(kind: str, n: int, d: int) -> SamplePair:
    rng = np.random.default_rng(0)
    if kind == "gaussians":
        real = rng.standard_normal((n, d), dtype=np.float32)
        return SamplePair(real, rng.standard_normal((n, d), dtype=np.float32) + np.float32(1 / 8))
    up = rng.standard_normal((INTRINSIC, HIDDEN), dtype=np.float32)
    down = rng.standard_normal((HIDDEN, d), dtype=np.float32)
    sides = []
    for shift in (0.0, 0.3):
        latent = rng.standard_normal((n, INTRINSIC), dtype=np.float32) + np.float32(shift)
        sides.append(
            np.concatenate(
                [np.maximum(part @ up, 0) @ down for part in np.array_split(latent, n // 5000 + 1)]
            )
        )
    return SamplePair(*sides)


def measured(work: str, kind: str, n: int, d: int, k: Any) -> dict[str, Any]:
    """One run in this process."""
    approximate(*pair_of(kind, 200, d), k=5)  # imports and first allocations belong to no run
    pair = pair_of(kind, n, d)
    run = {"exact": lambda: estimate(pair, k=k), "approximate": lambda: approximate(*pair, k=k)}[
        work
    ]
    results: list[Any] = []
    start = time.perf_counter()
    peak = peak_megabytes(lambda: results.append(run()))
    result: dict[str, Any] = {"seconds": time.perf_counter() - start, "peak": peak}
    if work == "exact":
        curves = {name: each.curve for name, each in approximate(*pair, k=k).estimates.items()}
        return result | {
            "iou": {name: curves[name].iou(each.curve) for name, each in results[0].items()}
        }
    errors = {name: each.iou for name, each in results[0].errors.items()}
    return result | {"recall": results[0].list_recall, "iou": errors}


def in_a_process(*choice: object) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.benchmarks.approximate", "--one", *map(str, choice)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--rows", type=int, nargs="*", default=[200_000], help="samples per set (default: 200000)"
    )
    parser.add_argument(
        "--exact-rows",
        type=int,
        default=20_000,
        help="... of the exact engine (default: %(default)s)",
    )
    parser.add_argument("--d", type=int, default=64, help="features (default: %(default)s)")
    parser.add_argument("--k", default="sqrt", help="neighbours (default: %(default)s)")
    parser.add_argument(
        "--kinds", nargs="*", default=["gaussians", "embeddings"], help="(default: both)"
    )
    parser.add_argument("--one", nargs=5, help=argparse.SUPPRESS)
    choice = parser.parse_args()
    if choice.one:
        work, kind, n, d, k = choice.one
        print(json.dumps(measured(work, kind, int(n), int(d), k if k == "sqrt" else int(k))))
        return 0
    print(
        f"d = {choice.d}, k = {choice.k}, split 0.5; IoU with the exact curves: on 1,000 samples"
        " per set, exact: on all"
    )
    print(
        "| samples | rows per set | mode | time (s) | peak memory (MB) | recall |"
        f" {' | '.join(DEFAULT_METHODS)} |"
    )
    print("|---|---|---|---|---|---|" + "---|" * len(DEFAULT_METHODS))
    for kind in choice.kinds:
        for n, work in [(choice.exact_rows, "exact"), *((n, "approximate") for n in choice.rows)]:
            run = in_a_process(work, kind, n, choice.d, choice.k)
            share = f"{run['recall']:.3f}" if "recall" in run else ""
            figures = {"recall": run["recall"]} if "recall" in run else {}
            figures |= {f"IoU, {name}": run["iou"][name] for name in DEFAULT_METHODS}
            case = f"{kind}, {n:,} x {choice.d}, k = {choice.k}, {work}"
            record(
                "approximate", case, seconds=run["seconds"], peak_mb=run["peak"], figures=figures
            )
            row = [kind, f"{n:,}", work, f"{run['seconds']:.1f}", f"{run['peak']:.0f}", share]
            row += [f"{run['iou'][name]:.4f}" for name in DEFAULT_METHODS]
            print(f"| {' | '.join(row)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
