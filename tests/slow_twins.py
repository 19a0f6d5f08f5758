"""The families as their definitions read, in float64 double loops: slow and obvious."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from prviz.samples import Split


def squared_distance(a, b) -> float:
    return float(np.sum((np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)) ** 2))


def kth_smallest(values: Sequence[float], k: int) -> float:
    return sorted(values)[k - 1]


def own_radii(samples, k: int) -> list[float]:
    """Squared distance of each sample to its k-th nearest other sample, left out by index."""
    return [kth_smallest(_others(samples, x, i), k) for i, x in enumerate(samples)]


def mean_own_radius(samples, k: int) -> float:
    radii = [math.sqrt(squared) for squared in own_radii(samples, k)]
    return math.fsum(radii) / len(radii)


def supports(split: Split, method: str, k: int, bandwidth: float | None) -> tuple[list[int], list[int]]:
    """(c_real, c_generated) of all evaluation samples, real ones first."""
    fit = {"real": list(split.fit.real.values), "generated": list(split.fit.generated.values)}
    points = [("real", i, z) for i, z in enumerate(split.evaluate.real.values)]
    points += [("generated", i, z) for i, z in enumerate(split.evaluate.generated.values)]
    # Without split a point is its own role's fit sample of the same index.
    points = [(z, {role: None if split.held_out or role != own else i for role in fit}) for own, i, z in points]
    count = {"knn": _knn, "kde": _kde, "ipr": _ipr, "coverage": _coverage}[method]
    pairs = count(fit, points, k, bandwidth)
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def _others(samples, z, leave_out: int | None) -> list[float]:
    return [squared_distance(z, x) for i, x in enumerate(samples) if i != leave_out]


def _within(samples, z, squared: float) -> int:
    return sum(squared_distance(z, x) <= squared for x in samples)


def _knn(fit, points, k, bandwidth):
    counts = []
    for z, own in points:
        pooled = [distance for role in fit for distance in _others(fit[role], z, own[role])]
        radius = kth_smallest(pooled, k)
        counts.append((_within(fit["real"], z, radius), _within(fit["generated"], z, radius)))
    return counts


def _kde(fit, points, k, bandwidth):
    sigma = {role: mean_own_radius(fit[role], k) if bandwidth is None else bandwidth for role in fit}
    return [
        tuple(sum(math.sqrt(squared_distance(z, x)) <= sigma[role] for x in fit[role]) for role in fit)
        for z, _ in points
    ]


def _ipr(fit, points, k, bandwidth):
    radii = {role: own_radii(fit[role], k) for role in fit}
    return [
        tuple(
            sum(squared_distance(z, x) <= radius for x, radius in zip(fit[role], radii[role], strict=True))
            for role in fit
        )
        for z, _ in points
    ]


def _coverage(fit, points, k, bandwidth):
    counts = []
    for z, own in points:
        radius = {role: kth_smallest(_others(fit[role], z, own[role]), k) for role in fit}
        counts.append((_within(fit["real"], z, radius["generated"]), _within(fit["generated"], z, radius["real"])))
    return counts
