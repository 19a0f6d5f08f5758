# ruff: noqa: T201 - a script that prints its table
"""A CSV file of 20,000 x 64, against the reader of single lines, which decides where pyarrow's
parser refuses.

Run from the checkout on a quiet machine: python -m tests.benchmarks.delimited

float64 as `repr` writes it (25 MB) and float32 (14 MB), with a header line, in memory; both sides
turn by turn in the same run, the best of each; then the peak memory of the first call of a process.
Exit status 1 above a quarter of the other's time.
"""

from __future__ import annotations

import io
import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor
from unittest import mock

import numpy as np
import pandas as pd

from prviz.readers import delimited, read
from tests.benchmarks.memory import peak_megabytes
from tests.benchmarks.results import record

N = 20_000
D = 64
TURNS = 5
MOST = 0.25
# Bytes from which pyarrow parses: all files, and none.
SIDES = (0, 1 << 40)


def table(dtype: str) -> bytes:
    stream = io.BytesIO()
    values = np.random.default_rng(0).normal(size=(N, D)).astype(dtype)
    pd.DataFrame(values, columns=[f"f{place}" for place in range(D)]).to_csv(stream, index=False)
    return stream.getvalue()


def seconds(data: bytes, worth: int) -> float:
    start = time.perf_counter()
    with mock.patch.object(delimited, "_WORTH_ARROW", worth):
        read(("x.csv", data))
    return time.perf_counter() - start


def megabytes(data: bytes, worth: int) -> float:
    """Peak memory of a call, with pyarrow loaded and the file in memory."""
    seconds(data[: data.index(b"\n", 10_000) + 1], worth)
    return peak_megabytes(lambda: seconds(data, worth))


def main() -> int:
    ratios = []
    for dtype in ("float64", "float32"):
        data = table(dtype)
        turns = [[seconds(data, side) for side in SIDES] for _ in range(TURNS)]
        own, other = map(min, zip(*turns, strict=True))
        with ProcessPoolExecutor(
            1, multiprocessing.get_context("spawn"), max_tasks_per_child=1
        ) as processes:
            peak, other_peak = processes.map(megabytes, [data] * 2, SIDES)
        case = f"CSV of {N:,} x {D}, {dtype}, against the reader of single lines"
        record(
            "delimited",
            case,
            seconds=own,
            other_seconds=other,
            peak_mb=peak,
            other_peak_mb=other_peak,
        )
        print(f"{case}: {own:.3f} s, {peak:.0f} MB against {other:.3f} s, {other_peak:.0f} MB")
        ratios.append(own / other)
    return int(max(ratios) > MOST)


if __name__ == "__main__":
    raise SystemExit(main())
