# ruff: noqa: T201 - a script that prints its figures
"""How often prviz.upper_bound lies above the truth, and how far, on every toy.

    python -m tests.benchmarks.upper_bound [--draws 400] [--sizes 2000 4000]

A draw holds if the bound lies above the true curve at 298 lam from 1/190 to 190. "band alone" is the same bound without
the quantiles near no errors: the plain band of Dvoretzky, Kiefer and Wolfowitz.
"""

from __future__ import annotations

import argparse
import math
from unittest import mock

import numpy as np

import prviz
from prviz.curves import PRCurve
from prviz.toys import TOYS, toy
from prviz.uncertainty import upper_bound as module
from tests.benchmarks.results import record

LAMS = np.tan(np.linspace(0, np.pi / 2, 300)[1:-1])


def band_alone(n: int, level: float) -> tuple[np.ndarray, float]:
    band = math.sqrt(math.log(4 / level) / (2 * n))  # a level of its own for the two end classifiers
    return np.minimum(np.arange(n + 1) / n + band, 1.0), level / 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--sizes", type=int, nargs="+", default=[2000, 4000])
    choice = parser.parse_args()
    print("toy                  d      n   holds        area: true  bound above by  band alone by")
    for name in TOYS:
        problem = toy(name, **({"d": 8} if "d" in TOYS[name] else {}))
        truth: PRCurve = problem.truth()
        for n in choice.sizes:
            held, above, plain = 0, [], []
            for seed in range(choice.draws):
                pair = problem.sample(n, seed)
                bound = prviz.upper_bound(*pair, seed=seed)
                held += bool(np.all(bound.alpha(LAMS) >= truth.alpha(LAMS) - 1e-9))
                above.append(bound.auc - truth.auc)
                if seed < 10:
                    with mock.patch.object(module, "_nested_bounds", band_alone):
                        plain.append(prviz.upper_bound(*pair, seed=seed).auc - truth.auc)
            record(
                "upper_bound",
                f"{name}, d = {pair.d}, n = {n:,}",
                figures={
                    "draws that hold": f"{held} of {choice.draws}",
                    "true area": truth.auc,
                    "bound above by": float(np.mean(above)),
                    "band alone above by": float(np.mean(plain)),
                },
            )
            row = f"{name:18} {pair.d:3} {n:6}  {held:4} of {choice.draws:4}  {truth.auc:10.3f}"
            print(f"{row}  {np.mean(above):14.3f}  {np.mean(plain):13.3f}", flush=True)


if __name__ == "__main__":
    main()
