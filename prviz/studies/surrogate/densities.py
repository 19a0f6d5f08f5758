"""Principal components of a set, and mixtures of Gaussians in R^d that compute log-densities and
draw samples in bounded memory.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import linalg, special
from scipy.special import expit

from prviz.arguments import checked_whole
from prviz.arrays import Array, Floats, Rng
from prviz.estimators import cross_fitting
from prviz.estimators.learners import one_thread
from prviz.measure.estimates import Progress
from prviz.measure.workload import subsample
from prviz.neighbors import nearest_rows
from prviz.samples import SamplePair, Samples, SamplesLike, as_samples

# Number of values in a block of rows (or of kernels x points): 1 MB, which fits into a processor's
# cache.
_BLOCK_VALUES = 1 << 17
# Fewest rows of a block; matrix products of fewer rows are slow.
_LEAST_ROWS = 256


def blocks(n: int, d: int) -> Iterator[slice]:
    """Consecutive slices of n rows with d values each, small enough to be processed at once."""
    step = max(_LEAST_ROWS, _BLOCK_VALUES // d)
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


@dataclass(frozen=True, eq=False)
class Density:
    """A mixture of m Gaussians in R^d: the sum over j of weights[j] N(means[j], covariances[j]).

    Parameters
    ----------
    weights : (m,) positive, of sum 1.
    means : (m, d).
    covariances : (m, d, d).

    Raises
    ------
    ValueError : shapes that do not fit, weights that are not positive, a covariance that is not
    positive definite.
    """

    weights: Floats
    means: Floats
    covariances: Floats

    def __post_init__(self) -> None:
        for name in ("weights", "means", "covariances"):
            object.__setattr__(self, name, _kept(getattr(self, name), float))
        m, d = self.means.shape
        if self.weights.shape != (m,) or self.covariances.shape != (m, d, d):
            raise ValueError(
                f"weights, means and covariances have shapes {self.weights.shape},"
                f" {self.means.shape} and {self.covariances.shape}; (m,), (m, d) and (m, d, d) are"
                " needed"
            )
        if not (self.weights > 0).all() or abs(self.weights.sum() - 1) > 1e-9:
            raise ValueError(
                f"weights = {self.weights.tolist()}; positive numbers of sum 1 are needed"
            )

    def __reduce__(self) -> tuple[Any, ...]:
        return Density, (self.weights, self.means, self.covariances)

    @property
    def components(self) -> int:
        """Number of Gaussians."""
        return len(self.weights)

    @property
    def d(self) -> int:
        """Number of features."""
        return int(self.means.shape[1])

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the distribution: equal digests mean equal densities."""
        hasher = hashlib.sha256()
        for values in (self.weights, self.means, self.covariances):
            hasher.update(str(values.shape).encode() + values.tobytes())
        return hasher.hexdigest()

    @cached_property
    def roots(self) -> Floats:
        """Lower triangles L with L L' = covariance, (m, d, d)."""
        try:
            return np.stack([linalg.cholesky(each, lower=True) for each in self.covariances])
        except linalg.LinAlgError:
            raise ValueError("covariances has a matrix that is not positive definite") from None

    @cached_property
    def _inverse_roots(self) -> Floats:
        """Inverses of `roots`."""
        identity = np.eye(self.d)
        return np.stack(
            [linalg.solve_triangular(each, identity, lower=True) for each in self.roots]
        )

    @cached_property
    def _constants(self) -> Floats:
        """(m,) log weight plus log normalising constant of each Gaussian."""
        halves = np.log(np.diagonal(self.roots, axis1=1, axis2=2)).sum(axis=1)
        result: Floats = np.log(self.weights) - halves - 0.5 * self.d * np.log(2 * np.pi)
        return result

    def log_density(self, z: SamplesLike) -> Floats:
        """Log-density at the points z (n, d), as an array (n,).

        Raises ValueError for points of another dimension.
        """
        values = as_samples(z, name="z").values
        if values.shape[1] != self.d:
            raise ValueError(f"z has {values.shape[1]} features; the density has d = {self.d}")
        return np.concatenate(
            [self._log_density(values[rows]) for rows in blocks(len(values), self.d)]
        )

    def _log_density(self, z: Array) -> Floats:
        terms = np.empty((len(z), self.components))
        for j, inverse in enumerate(self._inverse_roots):
            white = (z - self.means[j]) @ inverse.T
            terms[:, j] = self._constants[j] - 0.5 * np.einsum("ij,ij->i", white, white)
        result: Floats = special.logsumexp(terms, axis=1)
        return result

    def sample(self, n: int, rng: Rng) -> Floats:
        """Draw n independent points, (n, d)."""
        drawn = rng.choice(self.components, n, p=self.weights)
        z = rng.standard_normal((n, self.d))
        for j, root in enumerate(self.roots):
            rows = np.flatnonzero(drawn == j)
            for some in blocks(len(rows), self.d):
                z[rows[some]] = self.means[j] + z[rows[some]] @ root.T
        return z


def mixed(first: Density, second: Density, share: float) -> Density:
    """The mixture of the first density with weight ``share`` and the second with weight 1 -
    share.
    """
    return Density(
        np.concatenate((share * first.weights, (1 - share) * second.weights)),
        np.concatenate((first.means, second.means)),
        np.concatenate((first.covariances, second.covariances)),
    )


def _kept(values: Array, dtype: type[Any]) -> Array:
    """The array, read-only and contiguous. It is copied only if the caller could still change
    it.
    """
    array = np.ascontiguousarray(values, dtype=dtype)
    if array.flags.writeable:
        if array is values:
            array = array.copy()
        array.setflags(write=False)
    return array


# ---- principal components ----


# Largest number of features: the side of the largest matrix that is decomposed, 0.5 GB.
MOST_FEATURES = 8192
# A direction counts if its variance is at least this share of the largest variance.
_LEAST_SHARE = 1e-10
# Squares of values in this range, and sums of squares, stay in the range of float64.
_LARGEST = 1e100
_SMALLEST = 1e-100


@dataclass(frozen=True, eq=False)
class Components:
    """The principal components of a set, by decreasing variance.

    centre : (D,) the mean.
    axes : (r, D) orthonormal axes, in all directions in which the set varies.
    variances : (r,) along the axes, decreasing.
    total : the set's variance in all directions.
    """

    centre: Floats
    axes: Floats
    variances: Floats
    total: float

    def __post_init__(self) -> None:
        for values in (self.centre, self.axes, self.variances):
            values.setflags(write=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return Components, (self.centre, self.axes, self.variances, self.total)

    @property
    def most(self) -> int:
        """The largest d: the number of directions in which the set varies."""
        return len(self.variances)

    def check(self, d: int) -> None:
        """Raise TypeError or ValueError unless d is an integer from 1 to `most`."""
        checked_whole("d", d, 1, self.most, ", the directions in which the real set varies,")

    def explained(self, d: int) -> float:
        """Share of the total variance that the first d directions have."""
        return min(float(self.variances[:d].sum() / self.total), 1.0)

    def project(self, samples: Samples, d: int) -> Samples:
        """Coordinates (n, d) of samples along the first d axes, relative to the centre."""
        points = np.empty((samples.n, d))
        for rows in blocks(samples.n, samples.d):
            points[rows] = (samples.values[rows].astype(float) - self.centre) @ self.axes[:d].T
        points.setflags(write=False)
        return Samples(points, samples.name)


def components_of(samples: Samples) -> Components:
    """All principal components along which a set varies; the largest entry of each is positive.

    Raises
    ------
    ValueError : more than 8,192 features, fewer than 2 samples, samples that are all equal, or
        values beyond 1e100.
    """
    name = samples.name or "the real set"
    if samples.d > MOST_FEATURES:
        raise ValueError(
            f"{name} has {samples.d} features; at most {MOST_FEATURES} are needed for a stand-in"
        )
    largest = max(
        float(np.abs(samples.values[rows]).max()) for rows in blocks(samples.n, samples.d)
    )
    if largest > _LARGEST:
        raise ValueError(
            f"{name} has values up to {largest:.3g}; at most {_LARGEST:g} is needed: divide all by"
            " one number"
        )
    with one_thread():
        centre, scatter = _scatter(samples)
        values, vectors = linalg.eigh(scatter, overwrite_a=True)
    values = values[::-1]
    axes = vectors.T[::-1]
    kept = min(int((values > _LEAST_SHARE * max(values[0], _SMALLEST)).sum()), samples.n - 1)
    if kept < 1:
        raise ValueError(
            f"{name}: its {samples.n} samples do not differ; at least 2 different ones are needed"
        )
    axes = axes[:kept]
    signs = np.where(axes[np.arange(kept), np.abs(axes).argmax(axis=1)] < 0, -1.0, 1.0)
    total = float(np.maximum(values, 0.0).sum())
    return Components(centre, axes * signs[:, None], values[:kept].copy(), total)


def _scatter(samples: Samples) -> tuple[Floats, Floats]:
    """Mean (D,) and covariance (D, D) of the samples; the covariance divides by n."""
    centre = np.zeros(samples.d)
    for rows in blocks(samples.n, samples.d):
        centre += samples.values[rows].sum(axis=0, dtype=float) / samples.n
    scatter = np.zeros((samples.d, samples.d))
    for rows in blocks(samples.n, samples.d):
        gap = samples.values[rows].astype(float) - centre
        scatter += gap.T @ gap
    return centre, scatter / samples.n


# ---- kernels around samples ----

# Largest number of samples of a set that get a kernel: each kernel makes the truth slower to
# compute.
MOST_KERNELS = 10_000
# Distance between two draws of a kernel, as a share of the distance from its centre to the nearest
# other sample.
_NARROWED = 0.7
# Smallest width of a kernel, as a share of the median width.
_LEAST_OF_MEDIAN = 1e-3


@dataclass(frozen=True, eq=False)
class Kernels:
    """The density sum over i of weights[i] N(centres[i], widths[i]^2 I) in R^d.

    weights : (m,) positive, of sum 1.
    centres : (m, d).
    widths : (m,) standard deviations.
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
        """Log-density at the points z (n, d), as an array (n,)."""
        found = [largest + np.log(near @ self.weights) for near, largest in self._near(z)]
        return np.concatenate(found)

    def log_ratio(self, other: Kernels, z: SamplesLike) -> Floats:
        """log(other density / this density) at the points z (n, d), as an array (n,).

        Both densities must have the same kernels, with different weights.
        """
        weights = np.stack([other.weights, self.weights], axis=1)
        found = [np.log(near @ weights) @ [1.0, -1.0] for near, _ in self._near(z)]
        return np.concatenate(found)

    def sample(self, n: int, rng: Rng) -> Floats:
        """Draw n independent points, (n, d)."""
        drawn = rng.choice(len(self.weights), n, p=self.weights)
        z = rng.standard_normal((n, self.d))
        return self.centres[drawn] + self.widths[drawn, None] * z

    def _near(self, z: SamplesLike) -> Iterator[tuple[Floats, Floats]]:
        """For each block of points: the value of every kernel at every point, divided by the
        largest one, and the log of the largest.
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
    """The samples of two sets, each with its log odds of being generated.

    The odds come from classifiers that were trained without the sample. P and Q are mixtures with
    one kernel per sample of either set. Both sets have the same total weight. A sample with log
    odds l gives the share expit(-s l) of its weight to P and expit(s l) to Q, where s is the
    sharpness.

    centres : (m, d) the samples, real ones first.
    base : (m,) weights of the samples.
    odds : (m,) log odds of being generated.
    widths : (m,) widths of the kernels.
    """

    centres: Floats
    base: Floats
    odds: Floats
    widths: Floats

    @classmethod
    def of(
        cls, pair: SamplePair, least: float, seed: int = 0, progress: Progress | None = None
    ) -> WeighedSamples:
        """The weighed samples of a pair; the log odds are those of the family ``tightest``, by
        cross-fitting.

        least : smallest squared width that a kernel may have.
        """
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
        """The densities P and Q for a sharpness."""
        first, second = (
            self.base * expit(sign * sharpness * self.odds) + np.finfo(np.float64).tiny
            for sign in (-1.0, 1.0)
        )
        return (
            Kernels(first / first.sum(), self.centres, self.widths),
            Kernels(second / second.sum(), self.centres, self.widths),
        )


def _widths(centres: Floats, least: float) -> Floats:
    """Widths at which two draws of a kernel are 0.7 times as far apart as its centre is from the
    nearest other sample.
    """
    _, distances = nearest_rows(centres, np.arange(len(centres)), 2, centres)
    widths = _NARROWED * distances[:, 1] / np.sqrt(2 * centres.shape[1])
    floor = max(np.sqrt(least), _LEAST_OF_MEDIAN * float(np.median(widths)))
    result: Floats = np.maximum(widths, floor)
    return result
