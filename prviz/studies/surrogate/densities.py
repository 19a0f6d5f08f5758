"""Principal components of a set, and Gaussian mixtures in R^d.

log-density and fresh samples, in bounded memory.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import linalg, special

from prviz.arrays import Array, Floats
from prviz.estimators.learners import one_thread
from prviz.samples import Samples, SamplesLike, as_samples

# Values of a block of rows: 1 MB, which fits into the processor's cache.
_BLOCK_VALUES = 1 << 17
# Least rows of a block, for matrix products.
_LEAST_ROWS = 256


def blocks(n: int, d: int) -> Iterator[slice]:
    """Consecutive slices of n rows of d values, each small enough for one operation."""
    step = max(_LEAST_ROWS, _BLOCK_VALUES // d)
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


@dataclass(frozen=True, eq=False)
class Density:
    """A mixture of m Gaussians in R^d: the sum over j of weights[j] N(means[j], covariance of j).

    Parameters
    ----------
    weights : (m,) positive, of sum 1. means : (m, d).
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
        """The inverses of the roots."""
        identity = np.eye(self.d)
        return np.stack(
            [linalg.solve_triangular(each, identity, lower=True) for each in self.roots]
        )

    @cached_property
    def _constants(self) -> Floats:
        """(m,) log weight less the logarithm of the Gaussian's norm."""
        halves = np.log(np.diagonal(self.roots, axis1=1, axis2=2)).sum(axis=1)
        result: Floats = np.log(self.weights) - halves - 0.5 * self.d * np.log(2 * np.pi)
        return result

    def log_density(self, z: SamplesLike) -> Floats:
        """The logarithm of the density at points z (n, d).

        (n,). Raises ValueError for another dimension.
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

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        """Draw n independent points, (n, d)."""
        drawn = rng.choice(self.components, n, p=self.weights)
        z = rng.standard_normal((n, self.d))
        for j, root in enumerate(self.roots):
            rows = np.flatnonzero(drawn == j)
            for some in blocks(len(rows), self.d):
                z[rows[some]] = self.means[j] + z[rows[some]] @ root.T
        return z


def mixed(first: Density, second: Density, share: float) -> Density:
    """The mixture of ``share`` of the first density and 1 - share of the second."""
    return Density(
        np.concatenate((share * first.weights, (1 - share) * second.weights)),
        np.concatenate((first.means, second.means)),
        np.concatenate((first.covariances, second.covariances)),
    )


def _kept(values: Array, dtype: type[Any]) -> Array:
    """Read-only and contiguous; not copied where nobody can write to it."""
    array = np.ascontiguousarray(values, dtype=dtype)
    if array.flags.writeable:
        array = array.copy() if array is values else array
        array.setflags(write=False)
    return array


# ---- principal components ----


# Side of the largest matrix that is decomposed: 0.5 GB.
MOST_FEATURES = 8192
# Least variance of a direction, as a share of the largest variance.
_LEAST_SHARE = 1e-10
# Largest and smallest values of which squares and their sums stay inside float64.
_LARGEST = 1e100
_SMALLEST = 1e-100


@dataclass(frozen=True, eq=False)
class Components:
    """Orthonormal directions of a set, the one of the largest variance first.

    centre : (D,) the mean. axes : (r, D) all directions in which the set varies. variances : (r,)
    along the axes, decreasing. total : the set's variance in all directions.
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
        """The number of directions: the largest d."""
        return len(self.variances)

    def check(self, d: int) -> None:
        """Raise ValueError unless d is 1 to `most`."""
        if isinstance(d, bool) or not isinstance(d, int) or not 1 <= d <= self.most:
            raise ValueError(
                f"d = {d!r}; the real set varies in {self.most} directions, so 1 to {self.most} is"
                " needed"
            )

    def explained(self, d: int) -> float:
        """Share of the variance along the first d directions."""
        return min(float(self.variances[:d].sum() / self.total), 1.0)

    def project(self, samples: Samples, d: int) -> Samples:
        """(n, d) coordinates of samples along the first d directions, from the centre."""
        points = np.empty((samples.n, d))
        for rows in blocks(samples.n, samples.d):
            points[rows] = (samples.values[rows].astype(float) - self.centre) @ self.axes[:d].T
        points.setflags(write=False)
        return Samples(points, samples.name)


def components_of(samples: Samples) -> Components:
    """All principal components along which a set varies; the largest entry of each is positive.

    Raises
    ------
    ValueError : above 8,192 features, fewer than 2 samples, samples that are all equal, or values
    beyond 1e100.
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
    """Mean (D,) and covariance (D, D), divided by n."""
    centre = np.zeros(samples.d)
    for rows in blocks(samples.n, samples.d):
        centre += samples.values[rows].sum(axis=0, dtype=float) / samples.n
    scatter = np.zeros((samples.d, samples.d))
    for rows in blocks(samples.n, samples.d):
        gap = samples.values[rows].astype(float) - centre
        scatter += gap.T @ gap
    return centre, scatter / samples.n
