# ruff: noqa: T201
"""What each plan of the engine and its loops in C buy: each switched off in turn, as ratios of times.

    python -m tests.benchmarks.plans

Times are the best of alternating runs in one process, with everything on and with one thing off. The table stands in
the docstring of `prviz.neighbors`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import NamedTuple
from unittest import mock

from prviz.measure.estimates import estimate
from prviz.measure.profiles import profile_pair
from prviz.neighbors import engine, native
from prviz.samples import SamplePair
from tests.benchmarks.engine import METHODS, arrays, seconds

REPEATS = 3
# What can be switched off, and how.
OFF: dict[str, Callable[[], AbstractContextManager[object]]] = {
    "symmetric plan": lambda: mock.patch.object(engine.SymmetricPlan, "_memory_left", return_value=-1),
    "sweep plan": lambda: mock.patch.object(engine, "_FEW_REQUESTS", sys.maxsize),
    "loops in C": lambda: mock.patch.object(native, "library", return_value=None),
}


def four(split: float | None) -> Callable[[SamplePair], object]:
    return lambda pair: estimate(pair, METHODS, k="sqrt", split=split)


def profile(pair: SamplePair) -> object:
    """Every k to 50 and 65 bandwidths."""
    return profile_pair(pair, METHODS, ks=range(1, 51))


# Title, features, work, and what it uses.
CASES: list[tuple[str, int, Callable[[SamplePair], object], tuple[str, ...]]] = [
    ("four families, no split", 64, four(None), ("symmetric plan", "loops in C")),
    ("four families, split", 64, four(0.5), ("loops in C",)),
    ("profile, split", 64, profile, ("sweep plan", "loops in C")),
    ("four families, no split", 1024, four(None), ("symmetric plan", "loops in C")),
    ("four families, split", 1024, four(0.5), ("loops in C",)),
]


class Row(NamedTuple):
    """Time of one piece of work, and how many times as long it takes with one thing off."""

    title: str
    d: int
    seconds: float
    without: dict[str, float]


def rows(n: int = 4000, repeats: int = REPEATS) -> Iterator[Row]:
    for title, d, work, uses in CASES:
        pair = SamplePair(*arrays(n, d))
        work(pair)
        times: dict[str, list[float]] = {name: [] for name in ("everything on", *uses)}
        for _ in range(repeats):
            times["everything on"].append(seconds(lambda work=work, pair=pair: work(pair)))
            for name in uses:
                with OFF[name]():
                    times[name].append(seconds(lambda work=work, pair=pair: work(pair)))
        best = {name: min(some) for name, some in times.items()}
        yield Row(title, d, best["everything on"], {name: best[name] / best["everything on"] for name in uses})


def main() -> None:
    print("| work | d | time | " + " | ".join(f"without {name}" for name in OFF) + " |")
    print("|---|---|---|" + "---|" * len(OFF), flush=True)
    for row in rows():
        cells = [f"{row.without[name]:.2f}" if name in row.without else "" for name in OFF]
        print(f"| {row.title} | {row.d} | {row.seconds:.2f} s | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
