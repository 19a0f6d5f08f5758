"""Surrogates without a fixed shape.

Kernels on the samples of both sets, weighed by the best classifier.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit

from prviz.arrays import Floats
from prviz.estimators import cross_fitting
from prviz.measure.estimates import Progress
from prviz.measure.workload import subsample
from prviz.neighbors import nearest_rows
from prviz.samples import SamplePair, SamplesLike, as_samples

# Most samples of a set that get a kernel: the truth takes time for each.
MOST_KERNELS = 10_000
# Width of a kernel as a share of the one whose draws are as far apart as its sample and the nearest
# other one; and least width as a share of the median.
_NARROWED = 0.7
_LEAST_OF_MEDIAN = 1e-3
# Values of a block of kernels at points: 1 MB, which fits into the processor's cache.
_BLOCK_VALUES = 1 << 17


@dataclass(frozen=True, eq=False)
class Kernels:
    """The density sum over i of weights[i] N(centres[i], widths[i]^2 I) in R^d.

    weights : (m,) positive, of sum 1. centres : (m, d). widths : (m,) standard deviations.
    """

    weights: Floats
    centres: Floats
    widths: Floats

    def __post_init__(self) -> None:
        for values in (self.weights, self.centres, self.widths):
            values.setflags(write=False)

    @property
    def d(self) -> int:
        """Number of features."""
        return int(self.centres.shape[1])

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the distribution: equal digests mean equal densities."""
        hasher = hashlib.sha256()
        for values in (self.weights, self.centres, self.widths):
            hasher.update(str(values.shape).encode() + np.ascontiguousarray(values).tobytes())
        return hasher.hexdigest()

    def log_density(self, z: SamplesLike) -> Floats:
        """The logarithm of the density at points z (n, d): (n,)."""
        found = [largest + np.log(near @ self.weights) for near, largest in self._near(z)]
        return np.concatenate(found)

    def log_ratio(self, other: Kernels, z: SamplesLike) -> Floats:
        """The log of the other density over this one at points z (n, d), (n,).

        Both have these kernels.
        """
        weights = np.stack([other.weights, self.weights], axis=1)
        found = [np.log(near @ weights) @ [1.0, -1.0] for near, _ in self._near(z)]
        return np.concatenate(found)

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        """Draw n independent points, (n, d)."""
        drawn = rng.choice(len(self.weights), n, p=self.weights)
        z = rng.standard_normal((n, self.d))
        return self.centres[drawn] + self.widths[drawn, None] * z

    def _near(self, z: SamplesLike) -> Iterator[tuple[Floats, Floats]]:
        """Block by block of points.

        Every kernel there as a share of the largest, and the log of that one.
        """
        values = as_samples(z, name="z").values
        if values.shape[1] != self.d:
            raise ValueError(f"z has {values.shape[1]} features; the density has d = {self.d}")
        constants = -self.d * (np.log(self.widths) + 0.5 * np.log(2 * np.pi))
        lengths = np.einsum("ij,ij->i", self.centres, self.centres)
        step = max(1, _BLOCK_VALUES // len(self.weights))
        for start in range(0, len(values), step):
            points = values[start : start + step]
            near = points @ self.centres.T
            near *= -2.0
            near += lengths
            near += np.einsum("ij,ij->i", points, points)[:, None]
            np.maximum(near, 0.0, out=near)
            near *= -0.5 / self.widths**2
            near += constants
            largest = near.max(axis=1)
            near -= largest[:, None]
            np.exp(near, out=near)
            yield near, largest


@dataclass(frozen=True, eq=False)
class WeighedSamples:
    """The samples of two sets with log odds that each is generated, by a classifier that has not
    seen it.

    The mean of P and Q has a kernel on every sample, such that both sets weigh the same. At a
    sample with log odds l, P has the share expit(-s l) of it and Q the share expit(s l); s is the
    sharpness.

    centres : (m, d) real samples first. base : (m,) their weights. odds : (m,). widths : (m,).
    """

    centres: Floats
    base: Floats
    odds: Floats
    widths: Floats

    @classmethod
    def of(
        cls, pair: SamplePair, least: float, seed: int = 0, progress: Progress | None = None
    ) -> WeighedSamples:
        """Odds are those of the family ``tightest``, by folds. least : the least squared width."""
        few = subsample(pair, MOST_KERNELS, seed)
        scores = cross_fitting.of_all(few, seed, progress)
        centres = np.concatenate([each.values for each in few]).astype(float)
        sizes = np.array([each.n for each in few])
        return cls(
            centres,
            np.repeat(0.5 / sizes, sizes),
            np.concatenate([scores.real, scores.generated]),
            _widths(centres, least),
        )

    def densities(self, sharpness: float = 1.0) -> tuple[Kernels, Kernels]:
        """P and Q."""
        first, second = (
            self.base * expit(sign * sharpness * self.odds) + np.finfo(np.float64).tiny
            for sign in (-1.0, 1.0)
        )
        return (
            Kernels(first / first.sum(), self.centres, self.widths),
            Kernels(second / second.sum(), self.centres, self.widths),
        )


def _widths(centres: Floats, least: float) -> Floats:
    """Widths with which two draws of a kernel are 0.7 times as far apart as its sample and the
    nearest other.
    """
    _, distances = nearest_rows(centres, np.arange(len(centres)), 2, centres)
    widths = _NARROWED * distances[:, 1] / np.sqrt(2 * centres.shape[1])
    floor = max(np.sqrt(least), _LEAST_OF_MEDIAN * float(np.median(widths)))
    result: Floats = np.maximum(widths, floor)
    return result
