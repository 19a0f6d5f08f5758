# ruff: noqa: T201
"""How often the 95 % intervals of the bootstrap hold what they are taken to hold, where the truth
is known.

Two shifted Gaussians, drawn anew for every repeat; one interval per family and summary from each.
Two shares:

    truth   of repeats whose interval holds the value of the true curve: bias makes it miss, and
    more samples to
            evaluate with make it worse, since the interval shrinks and the bias stays
    own     of repeats whose interval holds the mean of the estimates over all repeats, which is
    what an interval from
            one sample can hope to hold; below the level where the choice of fit samples, which stay
            as they are in a bootstrap, moves the estimate, or where it hangs on single samples, as
            extremes do

Beside them bias (mean estimate - truth), the standard deviation of the estimates and the mean width
of the intervals (about 3.9 deviations if they were right). A second generator, shifted twice as
far, gives the differences of `prviz.compare`.

    python -m tests.benchmarks.coverage_of_intervals
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

import prviz
from prviz.curves.summaries import numbers, table_columns
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from tests.benchmarks.results import record


class Found(NamedTuple):
    """What one repeat says of one summary."""

    value: float
    low: float
    high: float


Runs = dict[tuple[str, str], list[Found]]
Ends = Callable[[float, np.ndarray, float], tuple[float, float]]


def percentile(value: float, replicates: np.ndarray, level: float) -> tuple[float, float]:
    """The library's own."""
    low, high = np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def basic(value: float, replicates: np.ndarray, level: float) -> tuple[float, float]:
    """The percentiles mirrored at the estimate: a bias of the resampling moves them the other
    way.
    """
    low, high = percentile(value, replicates, level)
    return 2 * value - high, 2 * value - low


ENDS: dict[str, Ends] = {"percentile": percentile, "basic": basic}


def measured(
    choice: argparse.Namespace, truths: list[prviz.PRCurve]
) -> dict[str, tuple[Runs, Runs]]:
    """By kind of interval: of one generator, and of the differences of two; an entry per repeat."""
    runs: dict[str, tuple[Runs, Runs]] = {kind: ({}, {}) for kind in choice.intervals}
    near, far = (problem(choice, scale) for scale in (1, 2))
    options = {
        "split": None if choice.split == 0 else choice.split,
        "replicates": choice.replicates,
    }
    for seed in range(choice.repeats):
        real, generated = near.sample(choice.n, seed)
        _, other = far.sample(choice.n, choice.repeats + seed)
        for method in choice.methods:
            found = prviz.compare(real, generated, other, method, seed=seed, **options)
            for kind, (single, paired) in runs.items():
                _add(single, method, ENDS[kind], one_generator(found, truths[0]))
                _add(paired, method, ENDS[kind], both_generators(found))
    return runs


def one_generator(
    found: prviz.GeneratorComparison, truth: prviz.PRCurve
) -> dict[str, tuple[float, np.ndarray]]:
    """(value, replicates) of every summary, also of those that need a truth."""
    known = replace(found.a, truth=truth)
    return {key: (value, known.replicates[key]) for key, value in known.values.items()}


def both_generators(found: prviz.GeneratorComparison) -> dict[str, tuple[float, np.ndarray]]:
    return {
        key: (each.difference, found.a.replicates[key] - found.b.replicates[key])
        for key, each in found.differences.items()
    }


def _add(runs: Runs, method: str, ends: Ends, found: dict[str, tuple[float, np.ndarray]]) -> None:
    for key, (value, replicates) in found.items():
        runs.setdefault((method, key), []).append(Found(value, *ends(value, replicates, 0.95)))


def problem(choice: argparse.Namespace, scale: int) -> prviz.toys.ToyProblem:
    return prviz.toy("shifted-gaussians", d=choice.d, mu=scale * choice.mu)


def table(runs: Runs, true: dict[str, float], kind: str) -> str:
    """Markdown: a row per summary; per family both shares, then bias, deviation and mean width.
    Kept, too.
    """
    methods = list(dict.fromkeys(method for method, _ in runs))
    labels = {c.key: c.label for c in table_columns(True)}
    head = " | ".join(
        f"{ESTIMATORS[m].title}: truth, own | bias, deviation, width" for m in methods
    )
    lines = [f"| | {head} |", "|---|" + "---|---|" * len(methods)]
    for key in true:
        cells = [cell for method in methods for cell in _cells(runs[method, key], true[key])]
        lines.append(f"| {labels[key]} | {' | '.join(cells)} |")
        figures = {
            ESTIMATORS[name].title: shares for name, shares in zip(methods, cells[::2], strict=True)
        }
        record("coverage_of_intervals", f"{labels[key]}, {kind}", figures=figures)
    return "\n".join(lines)


def _cells(found: list[Found], true: float) -> tuple[str, str]:
    value, low, high = np.array(found).T
    # At the ends of [0, 1] values come with rounding of some 1e-16.
    held = [
        float(np.mean((low - 1e-12 <= at) & (at <= high + 1e-12))) for at in (true, value.mean())
    ]
    spread = f"{value.mean() - true:+.3f}, {value.std():.3f}, {np.mean(high - low):.3f}"
    return f"{held[0]:.0%} / {held[1]:.0%}", spread


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--n", type=int, default=2000, help="samples per set (default: %(default)s)")
    add("--d", type=int, default=64, help="features (default: %(default)s)")
    add("--mu", type=float, default=1 / 8, help="shift per coordinate (default: %(default)s)")
    add(
        "--split",
        type=float,
        default=0.5,
        help="share that defines the classifiers, 0 for none (default: 0.5)",
    )
    add("--repeats", type=int, default=200, help="independent draws (default: %(default)s)")
    add("--replicates", type=int, default=400, help="of each bootstrap (default: %(default)s)")
    add("--methods", nargs="*", default=list(DEFAULT_METHODS), choices=list(ESTIMATORS))
    add(
        "--intervals",
        nargs="*",
        choices=list(ENDS),
        default=["percentile"],
        help="the library's own, or also others",
    )
    choice = parser.parse_args()
    truths = [problem(choice, scale).truth() for scale in (1, 2)]
    near, far = (numbers(truth) for truth in truths)
    for kind, (single, paired) in measured(choice, truths).items():
        print(
            f"n = {choice.n}, d = {choice.d}, split {choice.split or 'none'}, {kind} intervals of",
            end=" ",
        )
        print(
            f"{choice.replicates} replicates, {choice.repeats} repeats.\n\nOne generator, mu ="
            f" {choice.mu:.3f}:\n"
        )
        print(table(single, numbers(truths[0], truths[0]), f"one generator, {kind}"))
        print(f"\nDifference to another, mu = {2 * choice.mu:.3f}:\n")
        print(
            table(paired, {key: near[key] - far[key] for key in near}, f"difference of two, {kind}")
            + "\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
