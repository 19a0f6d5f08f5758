# ruff: noqa: T201
"""What each plan of the engine and its loops in C buy: each switched off in turn, as ratios of
processor time.

    python -m tests.benchmarks.plans

Processor time of all threads, the least of alternating runs in one process with everything on and
with one thing off: a busy machine changes it little. The table stands in the docstring of
`prviz.neighbors`. Below it, how far a reader walks: the modules, functions and calls of one
`prviz.pr_curve`, and the hops from a call to one of another module.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Literal, NamedTuple
from unittest import mock

from prviz.measure.estimates import estimate, pr_curve
from prviz.measure.profiles import profile_pair
from prviz.neighbors import engine, native, symmetric
from prviz.neighbors.threads import threads_at_most
from prviz.samples import SamplePair
from tests.benchmarks.engine import METHODS, arrays
from tests.benchmarks.results import record
from tests.counting import Route, route

REPEATS = 3
# What can be switched off, and how.
OFF: dict[str, Callable[[], AbstractContextManager[object]]] = {
    "symmetric plan": lambda: mock.patch.object(symmetric, "bytes_needed", return_value=math.inf),
    "sweep plan": lambda: mock.patch.object(engine, "_FEW_REQUESTS", sys.maxsize),
    "loops in C": lambda: mock.patch.object(native, "library", return_value=None),
}


def four(split: float | None, k: int | Literal["sqrt"] = "sqrt") -> Callable[[SamplePair], object]:
    return lambda pair: estimate(pair, METHODS, k=k, split=split)


def profile(pair: SamplePair) -> object:
    """Every k to 50 and 65 bandwidths."""
    return profile_pair(pair, METHODS, ks=range(1, 51))


# Title, features, work, and what it uses.
CASES: list[tuple[str, int, Callable[[SamplePair], object], tuple[str, ...]]] = [
    ("four families, no split, k = 5", 64, four(None, 5), ("symmetric plan", "loops in C")),
    ("four families, no split, k = 63", 64, four(None), ("symmetric plan", "loops in C")),
    ("four families, split, k = 63", 64, four(0.5), ("loops in C",)),
    ("profile, split", 64, profile, ("sweep plan", "loops in C")),
    ("four families, no split, k = 63", 1024, four(None), ("symmetric plan", "loops in C")),
    ("four families, split, k = 63", 1024, four(0.5), ("loops in C",)),
]


class Row(NamedTuple):
    """Processor time of one piece of work in seconds, and how many times as much it takes with one
    thing off.
    """

    title: str
    d: int
    seconds: float
    without: dict[str, float]


def processor_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def rows(n: int = 4000, repeats: int = REPEATS) -> Iterator[Row]:
    for title, d, work, uses in CASES:
        pair = SamplePair(*arrays(n, d))
        work(pair)
        best = dict.fromkeys(("everything on", *uses), float("inf"))
        for _ in range(repeats):
            for name in best:
                with OFF[name]() if name in OFF else nullcontext():
                    best[name] = min(
                        best[name], processor_seconds(lambda work=work, pair=pair: work(pair))
                    )
        least = best.pop("everything on")
        yield Row(title, d, least, {name: value / least for name, value in best.items()})


def walk(split: float | None) -> Route:
    """The route of a curve that was measured before, by one thread."""
    real, generated = arrays(400, 16)

    def curve() -> object:
        return pr_curve(real, generated, split=split)

    with threads_at_most(1):
        curve()
        return route(curve)


def main() -> None:
    print("| work | d | processor time | " + " | ".join(f"without {name}" for name in OFF) + " |")
    print("|---|---|---|" + "---|" * len(OFF), flush=True)
    for row in rows():
        cells = [f"{row.without[name]:.2f}" if name in row.without else "" for name in OFF]
        without = {f"without {name}": ratio for name, ratio in row.without.items()}
        record("plans", f"{row.title}, d = {row.d}", seconds=row.seconds, figures=without)
        print(
            f"| {row.title} | {row.d} | {row.seconds:.2f} s | " + " | ".join(cells) + " |",
            flush=True,
        )
    for title, split in (("split 0.5", 0.5), ("no split", None)):
        print(title, walk(split))


if __name__ == "__main__":
    main()
