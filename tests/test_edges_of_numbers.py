"""Numbers that are refused and numbers that are accepted, at the edge between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import prviz
from prviz.curves.band import band
from prviz.curves.ground_truth import (
    finite_masses,
    sampled_truth,
    scaled_gaussians,
    shifted_gaussians,
)
from prviz.curves.pr_curve import PRCurve
from prviz.curves.summaries import first_difference
from prviz.estimators.base import check_bandwidth, check_k
from prviz.measure.estimates import estimate_repeated
from prviz.measure.risk import risk
from prviz.samples import SamplePair, split_share
from prviz.triage.ranking import score
from prviz.uncertainty.bootstrap import check_resampling, spread

CURVE = prviz.pr_curve(*np.random.default_rng(0).normal(size=(2, 30, 2)))
PAIR = SamplePair(*np.random.default_rng(1).normal(size=(2, 30, 2)))
SPREAD = spread([CURVE, CURVE])


def fresh(n: int, batches: int) -> object:
    """A truth of n drawn samples a side."""
    return sampled_truth(lambda size, seed: (np.zeros(size), np.ones(size)), n=n, batches=batches)


# 6 fit samples of each set
SPLIT = SamplePair(*np.random.default_rng(0).normal(size=(2, 12, 2))).split(0.5)
INSIDE = (1e-9, 0.5, 1 - 1e-9)
# Function of one number, numbers that it refuses, numbers that it takes.
EDGES: dict[str, tuple[Callable[[Any], object], tuple[float, ...], tuple[float, ...]]] = {
    "level": (lambda level: check_resampling(2, 0, level), (-0.5, 0, 1, 1.5), INSIDE),
    "goal": (lambda goal: score(CURVE, goal), (-1e-9, 1 + 1e-9), (0, 0.5, 1)),
    "margin": (lambda by: first_difference(CURVE, CURVE, by), (-0.5, 0, 1, 1.5), INSIDE),
    "split": (split_share, (-0.5, 0, 1, 1.5), INSIDE),
    "bound": (
        lambda share: prviz.upper_bound(*PAIR, "knn", confidence=share),
        (-0.5, 0, 1, 1.5),
        (0.5, 0.999),
    ),
    "k": (lambda k: check_k(k, SPLIT), (-1, 0, 6, 7), (1, 5)),
    "bandwidth": (check_bandwidth, (-1.0, 0, np.inf, np.nan), (1e-300, 1e300)),
    "lam": (lambda lam: risk(CURVE, lam), (-1, 0, np.inf), (1e-300, 1e300)),
    "b": (lambda b: CURVE.f_score(b, leaning="recall"), (0, 0.99e-100, 1.01e100), (1e-100, 1e100)),
    "recall": (CURVE.precision_at, (-1e-9, 1 + 1e-9), (0, 1)),
    "precision": (CURVE.recall_at, (-1e-9, 1 + 1e-9), (0, 1)),
    "ray": (CURVE.alpha, (-1e-9, np.nan), (0, 1, np.inf)),
    "rates": (
        lambda rate: PRCurve.from_error_rates([0, 1, rate], [1, 0, 1]),
        (-1e-9, 1 + 1e-9),
        (0, 1),
    ),
    "replicates": (lambda number: check_resampling(number, 0, 0.5), (-1, 0, 1), (2, 3)),
    "seed": (lambda seed: check_resampling(2, seed, 0.5), (-1,), (0, 1)),
    "mass": (lambda mass: finite_masses([mass, 1 - mass], [0.5, 0.5]), (-0.1, 1.1), (0, 0.5, 1)),
    "distance": (shifted_gaussians, (-1e-9, np.inf), (0, 1)),
    "distance of scaled": (
        lambda far: scaled_gaussians(2, 2, distance=far),
        (-1e-9, np.inf),
        (0, 1),
    ),
    "d": (lambda d: scaled_gaussians(2, d), (-1, 0), (1, 2)),
    "points of a band": (lambda number: band([CURVE], number), (-1, 0, 1), (2, 3)),
    "points of intervals": (SPREAD.band, (-1, 0, 1), (2, 3)),
    "points of a curve": (CURVE.sample, (-1, 0, 1), (2, 3)),
    "batches": (lambda number: fresh(12, number), (-1, 0, 1, 5, 24), (2, 3, 12)),
    "n": (lambda n: fresh(n, 4), (0, 3, 5), (4, 8)),
    "scale": (lambda scale: scaled_gaussians(scale, 2), (-1, 0, np.inf), (0.5, 1, 2)),
    "repeats": (
        lambda number: estimate_repeated(lambda _: PAIR, "knn", repeats=number),
        (-1, 0),
        (1,),
    ),
    "subsets": (lambda number: prviz.kid(*PAIR, subsets=number, subset_size=5), (-1, 0), (1, 2)),
    "subset_size": (
        lambda number: prviz.kid(*PAIR, subsets=2, subset_size=number),
        (-1, 0, 1),
        (2, 3),
    ),
}


@pytest.mark.parametrize("name", EDGES)
def test_numbers_are_refused_beyond_the_edge_and_taken_up_to_it(name: str) -> None:
    function, refused, taken = EDGES[name]
    for number in refused:
        with pytest.raises(ValueError, match=r"\d|inf|nan"):
            function(number)
    for number in taken:
        function(number)
