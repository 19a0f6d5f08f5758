"""Pairs of small sets that break fast distances, and the counts of every family on them."""

from __future__ import annotations

import numpy as np

from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.neighbors import Balls, Distances
from prviz.samples import SamplePair
from tests import slow_twins
from tests.marks import exhaustive_but

N_REAL = 15
N_GENERATED = 11


def _duplicates(rng, n, d):
    return np.repeat(rng.normal(size=((n + 2) // 3, d)), 3, axis=0)[:n]


def _near_ties(rng, n, d):
    """Points whose distances from each other differ in the last few bits of float64, or not at
    all.
    """
    points = np.zeros((n, d))
    points[np.arange(n), np.arange(n) % d] = np.where(np.arange(n) % 2, 1.0, -1.0)
    return points * (1 + 2.0**-52 * rng.integers(0, 6, size=(n, 1))) * 0.7


def _with_outlier(rng, n, d, size):
    values = rng.normal(size=(n, d))
    values[n // 2] *= size
    return values


def _far_clusters(rng, n, d):
    values = rng.normal(size=(n, d))
    values[: n // 2] += 1e7
    return values


KINDS = {
    "continuous": lambda rng, n, d: rng.normal(size=(n, d)) + n / 50,
    "float32": lambda rng, n, d: rng.normal(size=(n, d)).astype(np.float32),
    "float16": lambda rng, n, d: rng.normal(size=(n, d)).astype(np.float16),
    "ternary": lambda rng, n, d: rng.integers(0, 3, size=(n, d)),
    "large integers": lambda rng, n, d: rng.integers(-2000, 3000, size=(n, d)),
    "tenths": lambda rng, n, d: rng.integers(0, 2, size=(n, d)) * 0.1,
    "near ties": _near_ties,
    "duplicates": _duplicates,
    "both collapsed": lambda rng, n, d: np.repeat(rng.normal(size=(1, d)), n, axis=0),
    "one collapsed": lambda rng, n, d: (
        np.repeat(rng.normal(size=(1, d)), n, 0) if n == N_REAL else rng.normal(size=(n, d))
    ),
    "signed zeros": lambda rng, n, d: np.where(rng.random((n, d)) < 0.5, 0.0, -0.0),
    "offset": lambda rng, n, d: rng.normal(size=(n, d)) + 1e4,
    "offset float32": lambda rng, n, d: (rng.normal(size=(n, d)) + 1e4).astype(np.float32),
    "tiny": lambda rng, n, d: rng.normal(size=(n, d)) * 1e-6,
    "huge": lambda rng, n, d: rng.normal(size=(n, d)) * 1e6,
    "squares underflow": lambda rng, n, d: rng.normal(size=(n, d)) * 1e-160,
    "squares nearly overflow": lambda rng, n, d: rng.normal(size=(n, d)) * 1e140,
    "outlier": lambda rng, n, d: _with_outlier(rng, n, d, 1e9),
    "extreme outlier": lambda rng, n, d: _with_outlier(rng, n, d, 1e140),
    "far clusters": _far_clusters,
}


# For what rests on the engine's counts, which the double loops check on every kind.
SOME_KINDS = exhaustive_but(
    KINDS,
    *("continuous", "ternary", "near ties", "duplicates", "one collapsed", "offset float32"),
    *("squares nearly overflow", "far clusters"),
)


def make_pair(
    kind: str, d: int, n_real: int = N_REAL, n_generated: int = N_GENERATED
) -> SamplePair:
    rng = np.random.default_rng(d)
    return SamplePair(KINDS[kind](rng, n_real, d), KINDS[kind](rng, n_generated, d))


def typical_radius(pair: SamplePair) -> float:
    return slow_twins.mean_own_radius(list(pair.real.values), 5) * 1.25 or 1.0


def all_balls(k: int, bandwidth: float | None) -> list[Balls]:
    families = [ESTIMATORS[name] for name in DEFAULT_METHODS]
    return [
        ball for family in families for ball in family.balls(k=k, bandwidth=bandwidth, sizes=(2, 2))
    ]


def counts(
    distances: Distances, k: int, bandwidth: float | None
) -> dict[str, tuple[list[int], list[int]]]:
    found = distances.count(all_balls(k, bandwidth))
    return {
        name: (each.real.tolist(), each.generated.tolist())
        for name, each in zip(DEFAULT_METHODS, found, strict=True)
    }
