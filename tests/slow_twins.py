"""The families as their definitions read, in float64 double loops: slow and obvious."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from prviz.arrays import Array, Ints
from prviz.estimators.hub import THRESHOLD
from prviz.neighbors import count_in_balls, nearest_radii
from prviz.samples import Split


def squared_distance(a, b) -> float:
    return float(np.sum((np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)) ** 2))


def kth_smallest(values: Sequence[float], k: int) -> float:
    return sorted(values)[k - 1]


def own_radii(samples, k: int) -> list[float]:
    """Squared distance of each sample to its k-th nearest other sample, left out by index."""
    return _radii(_squares(samples, samples), k)


def mean_own_radius(samples, k: int) -> float:
    return _mean_radius(_squares(samples, samples), k)


def supports(
    split: Split, method: str, k: int, bandwidth: float | None
) -> tuple[list[int], list[int]]:
    """(c_real, c_generated) of all evaluation samples, real ones first."""
    points, among = _distances(split)
    count = {"knn": _knn, "kde": _kde, "ipr": _ipr, "coverage": _coverage}[method]
    pairs = count(points, among, k, bandwidth)
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


@lru_cache(maxsize=1)  # a split is itself alone; one after another is asked for every family
def _distances(split: Split):
    """Squares per point to the fit samples of each role, with its own place among them; and among
    those of a role.
    """
    fit = {"real": list(split.fit.real.values), "generated": list(split.fit.generated.values)}
    points = []
    for own, values in (
        ("real", split.evaluate.real.values),
        ("generated", split.evaluate.generated.values),
    ):
        near = {role: _squares(values, fit[role]) for role in fit}
        for i in range(len(values)):
            # Without split a point is its own role's fit sample of the same index.
            places = {role: None if split.held_out or role != own else i for role in fit}
            points.append(({role: near[role][i] for role in fit}, places))
    return points, {role: _squares(fit[role], fit[role]) for role in fit}


def _squares(points, samples) -> list[list[float]]:
    """`squared_distance` of every point to every sample, a row at a time."""
    samples = np.asarray(samples, dtype=np.float64)
    return [
        np.sum((samples - np.asarray(z, dtype=np.float64)) ** 2, axis=1).tolist() for z in points
    ]


def _others(squares: Sequence[float], leave_out: int | None) -> list[float]:
    return [squared for i, squared in enumerate(squares) if i != leave_out]


def _radii(among: Sequence[Sequence[float]], k: int) -> list[float]:
    return [kth_smallest(_others(row, i), k) for i, row in enumerate(among)]


def _mean_radius(among: Sequence[Sequence[float]], k: int) -> float:
    radii = [math.sqrt(squared) for squared in _radii(among, k)]
    return math.fsum(radii) / len(radii)


def _within(squares: Sequence[float], radius: float) -> int:
    return sum(squared <= radius for squared in squares)


def _knn(points, among, k, bandwidth):
    counts = []
    for near, own in points:
        pooled = [squared for role in near for squared in _others(near[role], own[role])]
        radius = kth_smallest(pooled, k)
        counts.append((_within(near["real"], radius), _within(near["generated"], radius)))
    return counts


def _kde(points, among, k, bandwidth):
    sigma = {
        role: _mean_radius(among[role], k) if bandwidth is None else bandwidth for role in among
    }
    return [
        tuple(sum(math.sqrt(squared) <= sigma[role] for squared in near[role]) for role in among)
        for near, _ in points
    ]


def _ipr(points, among, k, bandwidth):
    radii = {role: _radii(among[role], k) for role in among}
    return [
        tuple(
            sum(squared <= radius for squared, radius in zip(near[role], radii[role], strict=True))
            for role in among
        )
        for near, _ in points
    ]


def _coverage(points, among, k, bandwidth):
    counts = []
    for near, own in points:
        radius = {role: kth_smallest(_others(near[role], own[role]), k) for role in near}
        counts.append(
            (_within(near["real"], radius["generated"]), _within(near["generated"], radius["real"]))
        )
    return counts


def exact_hub_rows(values: Array, k: int, threshold: int = THRESHOLD) -> Ints:
    """Rows of the samples that are among the k nearest of more than ``threshold`` others, by exact
    distances.
    """
    rows = np.arange(len(values))
    balls = nearest_radii(values, rows, k)
    others = count_in_balls(values, values, balls) - 1  # every sample is in its own ball
    return np.flatnonzero(others > threshold)
