"""Principal components of one set, exact, in blocks: the coordinates of surrogates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from prviz.estimators._fitting import one_thread
from prviz.samples import Samples
from prviz.studies.surrogate.densities import blocks

__all__ = ["Components", "components_of"]

Floats = NDArray[np.float64]

# Side of the largest matrix that is decomposed: 0.5 GB.
MOST_FEATURES = 8192
# Least variance of a direction, as a share of the largest variance.
_LEAST_SHARE = 1e-10
# Largest and smallest values of which squares and their sums stay inside float64.
_LARGEST, _SMALLEST = 1e100, 1e-100


@dataclass(frozen=True, eq=False)
class Components:
    """Orthonormal directions of a set, the one of the largest variance first.

    centre : (D,) the mean. axes : (r, D) all directions in which the set varies. variances : (r,) along the axes,
    decreasing. total : the set's variance in all directions.
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
            raise ValueError(f"d = {d!r}; the real set varies in {self.most} directions, so 1 to {self.most} is needed")

    def explained(self, d: int) -> float:
        """Share of the variance along the first d directions."""
        return min(float(self.variances[:d].sum() / self.total), 1.0)

    def project(self, samples: Samples, d: int) -> Samples:
        """(n, d) coordinates of samples along the first d directions, from the centre."""
        points = np.empty((samples.n, d))
        for rows in blocks(samples.n, samples.d):
            points[rows] = (samples.values[rows].astype(np.float64) - self.centre) @ self.axes[:d].T
        points.setflags(write=False)
        return Samples(points, samples.name)


def components_of(samples: Samples) -> Components:
    """All principal components along which a set varies; the largest entry of each is positive.

    Raises
    ------
    ValueError : above 8,192 features, fewer than 2 samples, samples that are all equal, or values beyond 1e100.
    """
    name = samples.name or "the real set"
    if samples.d > MOST_FEATURES:
        raise ValueError(f"{name} has {samples.d} features; at most {MOST_FEATURES} are needed for a stand-in")
    largest = max(float(np.abs(samples.values[rows]).max()) for rows in blocks(samples.n, samples.d))
    if largest > _LARGEST:
        raise ValueError(
            f"{name} has values up to {largest:.3g}; at most {_LARGEST:g} is needed: divide all by one number"
        )
    with one_thread():
        centre, scatter = _scatter(samples)
        values, vectors = linalg.eigh(scatter, overwrite_a=True)
    values, axes = values[::-1], vectors.T[::-1]
    kept = min(int((values > _LEAST_SHARE * max(values[0], _SMALLEST)).sum()), samples.n - 1)
    if kept < 1:
        raise ValueError(f"{name}: its {samples.n} samples do not differ; at least 2 different ones are needed")
    axes = axes[:kept]
    signs = np.where(axes[np.arange(kept), np.abs(axes).argmax(axis=1)] < 0, -1.0, 1.0)
    total = float(np.maximum(values, 0.0).sum())
    return Components(centre, axes * signs[:, None], values[:kept].copy(), total)


def _scatter(samples: Samples) -> tuple[Floats, Floats]:
    """Mean (D,) and covariance (D, D), divided by n."""
    centre = np.zeros(samples.d)
    for rows in blocks(samples.n, samples.d):
        centre += samples.values[rows].sum(axis=0, dtype=np.float64) / samples.n
    scatter = np.zeros((samples.d, samples.d))
    for rows in blocks(samples.n, samples.d):
        gap = samples.values[rows].astype(np.float64) - centre
        scatter += gap.T @ gap
    return centre, scatter / samples.n
