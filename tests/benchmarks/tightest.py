# ruff: noqa: T201 - a script that prints its figures
"""IoU with the truth of the family tightest, and the upper bound, on every toy and on the pairs of
`prviz benchmark`.

    python -m tests.benchmarks.tightest [--draws 20] [--sizes 500 2000 4000] [--processes 2]
    python -m tests.benchmarks.tightest --bound --first 70000 --draws 100 --problems identical modes

The second is of the bound alone, for many draws. A draw of the bound holds if it lies above the
true curve at 298 lam from 1/190 to 190. Beside both: kNN at k = sqrt(n) with a split of one half,
and the bound by four families.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from multiprocessing import Pool
from typing import NamedTuple

import numpy as np

import prviz
from prviz.benchmark.score import PAIRS
from prviz.estimators import DEFAULT_METHODS
from prviz.neighbors.threads import one_blas_thread, threads_at_most
from prviz.toys import TOYS, ToyProblem, toy
from tests.benchmarks.results import record

LAMS = np.tan(np.linspace(0, np.pi / 2, 300)[1:-1])


class Draw(NamedTuple):
    """One draw of a problem: name in TOYS or PAIRS, samples of each set, seed."""

    name: str
    n: int
    seed: int
    bound_alone: bool


def problem_of(name: str) -> ToyProblem:
    if name in PAIRS:
        return toy(PAIRS[name].toy, **PAIRS[name].parameters)
    return toy(name, **({"d": 16} if "d" in TOYS[name] else {}))


def measured(draw: Draw) -> dict[str, float]:
    """IoU of both families, and how far both bounds lie above the true area; 1 where the bound
    holds.
    """
    problem = problem_of(draw.name)
    truth = problem.truth()
    pair = problem.sample(draw.n, draw.seed)
    with threads_at_most(1), one_blas_thread():
        bound = prviz.upper_bound(*pair, seed=draw.seed)
        of_bound = {
            "holds": float(np.all(bound.alpha(LAMS) >= truth.alpha(LAMS) - 1e-9)),
            "bound above by": bound.auc - truth.auc,
        }
        if draw.bound_alone:
            return of_bound
        found = prviz.estimate(pair, ("tightest", "knn"), seed=draw.seed)
        of_families = prviz.upper_bound(*pair, DEFAULT_METHODS, seed=draw.seed)
    return {
        "IoU": found["tightest"].curve.iou(truth),
        "IoU of kNN": found["knn"].curve.iou(truth),
        **of_bound,
        "that of families above by": of_families.auc - truth.auc,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--sizes", type=int, nargs="+", default=[500, 2000, 4000])
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--bound", action="store_true", help="the bound alone")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--problems", nargs="+", default=[*TOYS, *PAIRS])
    choice = parser.parse_args()
    draws = [
        Draw(name, n, choice.first + place, choice.bound)
        for n in choice.sizes
        for name in choice.problems
        for place in range(choice.draws)
    ]
    found = defaultdict[tuple[str, int], list[dict[str, float]]](list)
    with Pool(choice.processes) as pool:
        for draw, figures in zip(draws, pool.imap(measured, draws), strict=True):
            rows = found[draw.name, draw.n]
            rows.append(figures)
            if len(rows) < choice.draws:
                continue
            means: dict[str, float | str] = {
                key: float(np.mean([row[key] for row in rows])) for key in rows[0]
            }
            means["holds"] = f"{sum(row['holds'] for row in rows):.0f} of {len(rows)}"
            line = record("tightest", case_of(draw), figures=means)
            print(line["case"], *line["figures"].values(), sep="  ", flush=True)


def case_of(draw: Draw) -> str:
    """The name of a row of results."""
    return f"{draw.name}, n = {draw.n:,}{', bound alone' if draw.bound_alone else ''}"


if __name__ == "__main__":
    main()
