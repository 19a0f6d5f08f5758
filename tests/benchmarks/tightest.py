# ruff: noqa: T201 - a script that prints its figures
"""IoU of the family tightest with the truth, beside the best and the worst of its settings and the default.

    python -m tests.benchmarks.tightest [--draws 20] [--sizes 2000 4000]

Best and worst are chosen with the truth: the setting, of four families and ten k or k = sqrt(n), of the highest and of
the lowest mean IoU over the draws. The default is kNN at k = sqrt(n). Split 0.5. "to best": the mean difference from
the best and its standard error over the draws, which are those that chose the best.
"""

from __future__ import annotations

import argparse
import math

import numpy as np

from prviz.estimators.tightest import FAMILIES, KS
from prviz.measure.estimates import measure
from prviz.toys import TOYS, toy
from tests.benchmarks.results import record


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--sizes", type=int, nargs="+", default=[2000, 4000])
    choice = parser.parse_args()
    print("toy                  d      n  tightest  default  best               worst              to best")
    for name in TOYS:
        problem = toy(name, **({"d": 16} if "d" in TOYS[name] else {}))
        truth = problem.truth()
        for n in choice.sizes:
            root = math.isqrt(n)
            ks = sorted({*(k for k in KS if k < n // 2), root})
            wanted = [("tightest", 1, None), *((family.name, k, None) for family in FAMILIES for k in ks)]
            ious = []
            for seed in range(choice.draws):
                pair = problem.sample(n, seed)
                ious.append([one.curve.iou(truth) for one in measure(pair.split(0.5, seed), wanted, seed)])
            means = dict(zip((each[:2] for each in wanted), np.mean(ious, axis=0).tolist(), strict=True))
            found, default = means.pop(("tightest", 1)), means["knn", root]
            best, worst = max(means, key=means.__getitem__), min(means, key=means.__getitem__)
            sides = {"best": best, "worst": worst}
            table = np.array(ious)
            apart = table[:, 0] - table[:, 1 + list(means).index(best)]
            to_best = f"{apart.mean():+.4f} ± {apart.std(ddof=1) / math.sqrt(choice.draws):.4f}"
            record(
                "tightest",
                f"{name}, d = {pair.d}, n = {n:,}",
                figures={
                    "tightest": found,
                    "kNN at k = √n": default,
                    **{side: f"{means[each]:.3f} ({each[0]}, k = {each[1]})" for side, each in sides.items()},
                    "to best": to_best,
                },
            )
            ends = "  ".join(f"{means[each]:.3f} {each[0]:8} {each[1]:3}" for each in sides.values())
            print(f"{name:18} {pair.d:3} {n:6}  {found:8.4f}  {default:7.4f}  {ends}  {to_best}", flush=True)


if __name__ == "__main__":
    main()
