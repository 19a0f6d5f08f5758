"""Measurements that the course shows. They take long and never change, so a file beside this module
stores them.

`python -m pages._learn.measured` measures them again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from prviz.curves.pr_curve import PRCurve, even_rays
from prviz.estimators import DEFAULT_METHODS
from prviz.measure.estimates import estimate_repeated
from prviz.toys import toy
from prviz.uncertainty.upper_bound import upper_bound

KEPT = Path(__file__).parent / "measured.json"
# The distance between the centres of two round Gaussians. On these, all families are measured at
# several dimensions, and kNN at several numbers of samples in a few dimensions.
DISTANCE = 2.0
DIMENSIONS = tuple(2**power for power in range(1, 12))
N = 500
REPEATS = 10
SOME_DIMENSIONS = (2, 8, 64)
SIZES = (100, 200, 400, 800, 1600)
MORE_REPEATS = 40
# The family "best classifier". It is measured with kNN at several dimensions, and with its upper
# bound at several numbers of samples.
BELIEVED = "tightest"
FEW_DIMENSIONS = (2, 8, 32, 128, 512)
BOUND = "bound"
# The k for which kNN's curve for infinitely many samples is stored; the same as in `plane.js`.
KS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30)
LIMIT_PROBLEM: Mapping[str, Any] = {"d": 2, "mu": 1.0}
# Number of rays that choose the vertices of a curve to store.
RAYS = 60


def thinned(curve: PRCurve) -> list[float]:
    """The curve's vertices that are optimal along at least one of RAYS rays, as a flat list of
    coordinates. Both ends of the curve are included.
    """
    return curve.vertices[np.unique(curve.vertex_at(even_rays(RAYS)))].round(4).ravel().tolist()


def cell(d: int, n: int, methods: Sequence[str], repeats: int) -> dict[str, Any]:
    """Measure families in d dimensions on n samples per set: by family, the mean curve and its IoU
    with the truth.

    methods : names in ESTIMATORS, and BOUND for the upper bound by the best classifier.
    """
    problem = toy("high-dimension", d=d, shift=DISTANCE)
    families = [name for name in methods if name != BOUND]
    runs = estimate_repeated(
        lambda seed: problem.sample(n, seed), families, repeats=repeats, split=0.5
    )
    drawn = {name: [run.curve for run in each] for name, each in runs.items()}
    if BOUND in methods:
        drawn[BOUND] = [upper_bound(*problem.sample(n, seed), seed=seed) for seed in range(repeats)]
    truth = problem.truth()
    curves = {}
    ious = {}
    for name, each in drawn.items():
        curve = PRCurve.mean(each)
        curves[name] = thinned(curve)
        ious[name] = round(curve.iou(truth), 4)
    return {"d": d, "n": n, "curves": curves, "iou": ious}


def limits() -> dict[str, list[float]]:
    """By k, the curve of kNN for infinitely many samples."""
    problem = toy("shifted-gaussians", **LIMIT_PROBLEM)
    return {str(k): thinned(problem.limit("knn", k)) for k in KS}


# By part of the stored measurements, the arguments of `cell` for each of its cells: d, n, families,
# repeats.
CELLS: Mapping[str, Sequence[tuple[int, int, Sequence[str], int]]] = {
    "d": [(d, N, DEFAULT_METHODS, REPEATS) for d in DIMENSIONS],
    "n": [(d, n, ("knn",), MORE_REPEATS) for d in SOME_DIMENSIONS for n in SIZES],
    "believed": [(d, N, ("knn", BELIEVED), REPEATS) for d in FEW_DIMENSIONS],
    "bound": [(8, n, (BELIEVED, BOUND), REPEATS) for n in SIZES],
}


@cache
def kept() -> dict[str, Any]:
    """The stored measurements: `limits`, and a list of cells for each part."""
    found: dict[str, Any] = json.loads(KEPT.read_text("utf-8"))
    return found


def main() -> None:
    """Measure everything and store it."""
    parts = {name: [cell(*each) for each in cells] for name, cells in CELLS.items()}
    lines = [
        f'"{name}": {json.dumps(part)}' for name, part in {"limits": limits(), **parts}.items()
    ]
    KEPT.write_text("{" + ",\n".join(lines) + "}\n", "utf-8")


if __name__ == "__main__":
    main()
