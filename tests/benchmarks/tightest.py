# ruff: noqa: T201 - a script that prints its figures
"""IoU of the family tightest with the truth, beside the best and the worst of its settings and the default.

    python -m tests.benchmarks.tightest [--draws 20] [--sizes 2000 4000]

Best and worst are chosen with the truth: the candidate of the highest and of the lowest mean IoU over the draws. The
default is kNN at k = sqrt(n). Split 0.5. A single setting is judged by its scores alone, as tightest sees it: without
the end classifiers of samples in no ball. "to best": the mean difference from the best and its standard error over the
draws, which are those that chose the best; "to best of other draws": from what the even draws choose for the odd ones,
and the odd ones for the even.
"""

from __future__ import annotations

import argparse
import math

import numpy as np

from prviz.curves import PRCurve
from prviz.estimators import Supports
from prviz.estimators.tightest import Floats, cross_fitted
from prviz.toys import TOYS, toy
from tests.benchmarks.results import record


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--sizes", type=int, nargs="+", default=[2000, 4000])
    choice = parser.parse_args()
    for name in TOYS:
        problem = toy(name, **({"d": 16} if "d" in TOYS[name] else {}))
        truth = problem.truth()
        for n in choice.sizes:
            rows = []
            for seed in range(choice.draws):
                split = problem.sample(n, seed).split(0.5, seed)
                found, n_real = cross_fitted(split, seed), len(split.evaluate_rows[0])
                rows.append([_curve(theta, n_real).iou(truth) for theta in (found.theta, *found.scores)])
            tightest, singles = np.array(rows)[:, 0], np.array(rows)[:, 1:]
            means, even = singles.mean(axis=0), np.arange(choice.draws) % 2 == 0
            fair = np.where(even, *(singles[:, singles[half].mean(axis=0).argmax()] for half in (~even, even)))
            figures: dict[str, float | str] = {"tightest": float(tightest.mean()), "kNN at k = √n": float(means[0])}
            for side, place in (("best", means.argmax()), ("worst", means.argmin())):
                method, k = found.settings[place]
                figures[side] = f"{means[place]:.3f} ({method}, k = {k})"
            figures["to best"] = _difference(tightest - singles[:, means.argmax()])
            figures["to best of other draws"] = _difference(tightest - fair)
            line = record("tightest", f"{name}, d = {split.pair.d}, n = {n:,}", figures=figures)
            print(line["case"], *line["figures"].values(), sep="  ", flush=True)


def _curve(theta: Floats, n_real: int) -> PRCurve:
    return Supports(np.where(theta < np.pi / 2, np.cos(theta), 0.0), np.sin(theta), n_real).rates().curve()


def _difference(apart: Floats) -> str:
    return f"{apart.mean():+.4f} ± {apart.std(ddof=1) / math.sqrt(len(apart)):.4f}"


if __name__ == "__main__":
    main()
