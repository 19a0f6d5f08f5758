"""Projects samples to one or two coordinates for figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from prviz.arrays import Flags, Floats
from prviz.missing import needed_for
from prviz.neighbors.point_sets import slices
from prviz.neighbors.threads import one_blas_thread
from prviz.samples import SamplePair

# Largest number of samples from which directions are computed.
MOST_ROWS = 4000
# Above this number of features, the discriminant is computed from as many leading principal
# components.
MOST_FEATURES = 200
# Randomised SVD: number of extra directions, as in scikit-learn.
_OVERSAMPLES = 10
# Randomised SVD: number of power iterations, as in scikit-learn for few components.
_ITERATIONS = 7
# Number of values projected at a time.
_BLOCK_VALUES = 1 << 22


@dataclass(frozen=True, eq=False)
class Projection:
    """Coordinates of samples along orthogonal directions.

    points : (n, c) coordinates of all samples, real ones first.
    titles : title of each axis.
    """

    points: Floats
    titles: tuple[str, ...]


def shown_coordinates(pair: SamplePair) -> tuple[Floats, tuple[str, ...]]:
    """Coordinates of all samples for a figure, (n, 1) or (n, 2), real ones first, and the title of
    each axis.

    In one and two dimensions the coordinates are the features. Otherwise they are the two leading
    principal components of both sets together; the titles state the share of the variance that each
    explains.
    """
    values = np.concatenate([samples.values for samples in pair])
    if pair.d <= 2:
        return values.astype(float), tuple(f"feature {i + 1}" for i in range(pair.d))
    projection = principal_projection(pair, 2)
    return projection.points, tuple(f"principal {title}" for title in projection.titles)


def principal_projection(pair: SamplePair, count: int = 4) -> Projection:
    """Samples along the leading principal components of both sets together; there are at most
    ``count``.

    The components are computed from a seeded draw of at most 4,000 samples. The largest entry of
    each component is positive, so that equal samples give equal figures.
    """
    drawn = _drawn(pair)
    axes, shares = _components(drawn.values, count)
    titles = tuple(
        f"component {i + 1} ({100 * share:.0f} % of the variance)" for i, share in enumerate(shares)
    )
    return Projection(drawn.along(pair, axes), titles)


def discriminant_projection(fit: SamplePair, shown: SamplePair) -> Projection:
    """Samples ``shown`` along the direction that best separates real from generated, and a second
    direction.

    The first axis is Fisher's linear discriminant of the samples ``fit``, with the Ledoit-Wolf
    estimate of the covariance and generated samples on the right; the second is the leading
    principal component orthogonal to it. Both are computed from a seeded draw of at most 2,000
    samples of either set; with more than 200 features, from their 200 leading principal components.
    If the means are equal, the first axis is the first principal component.
    """
    with needed_for("a map of samples"):
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    drawn = _drawn(fit)
    basis = _components(drawn.values, MOST_FEATURES)[0] if fit.d > MOST_FEATURES else np.eye(fit.d)
    inside = drawn.values @ basis.T
    if np.ptp(inside, axis=0).any():
        model: Any = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto", priors=[0.5, 0.5])
        model.fit(inside, drawn.is_generated)
        direction = model.coef_[0] @ basis
    else:
        direction = np.zeros(fit.d)
    length = float(np.linalg.norm(direction))
    first = direction / length if length > 0 else _components(drawn.values, 1)[0][0]
    rest = drawn.values - drawn.values.mean(axis=0)
    rest -= np.outer(rest @ first, first)
    second = _components(rest, 1)[0]
    axes = np.concatenate([first[None], second])
    titles = ("linear discriminant (real left, generated right)", "leading component beside it")
    return Projection(drawn.along(shown, axes), titles)


@dataclass(frozen=True, eq=False)
class _Drawn:
    """A subset of both sets, divided by ``scale`` so that no square overflows, with a flag for
    generated samples.
    """

    values: Floats
    is_generated: Flags
    scale: float

    def along(self, pair: SamplePair, axes: Floats) -> Floats:
        """Coordinates, (n, c), of all samples of a pair relative to the mean of the drawn samples,
        computed in blocks.
        """
        centre = self.values.mean(axis=0)
        parts = []
        for side in pair:
            blocks = (side.values[rows] for rows in slices(side.n, max(1, _BLOCK_VALUES // side.d)))
            parts += [
                (block.astype(float) / self.scale - centre) @ axes.T * self.scale
                for block in blocks
            ]
        return np.concatenate(parts)


def _drawn(pair: SamplePair) -> _Drawn:
    most = MOST_ROWS // 2
    parts = []
    for side in pair:
        rows = np.sort(np.random.default_rng(0).permutation(side.n)[:most])
        parts.append(side.values[rows].astype(float))
    values = np.concatenate(parts)
    scale = float(np.abs(values).max()) or 1.0
    return _Drawn(values / scale, np.arange(len(values)) >= len(parts[0]), scale)


def _components(values: Floats, count: int) -> tuple[Floats, Floats]:
    """Leading principal components, (c, d), and the share of the variance that each explains."""
    centred = values - values.mean(axis=0)
    # Halko, Martinsson and Tropp 2011, algorithm 4.4: power iterations on a random subspace with a
    # fixed seed.
    width = min(count + _OVERSAMPLES, *values.shape)
    drawn = np.random.default_rng(0).normal(size=(values.shape[1], width))
    # with matrices this narrow, further BLAS threads only wait for each other
    with one_blas_thread():
        basis = np.linalg.qr(centred @ drawn)[0]
        for _ in range(_ITERATIONS):
            basis = np.linalg.qr(centred @ np.linalg.qr(centred.T @ basis)[0])[0]
        _, lengths, axes = np.linalg.svd(basis.T @ centred, full_matrices=False)
    axes = axes[:count]
    total = float((centred**2).sum())
    largest = axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)]
    axes = axes * np.where(largest < 0, -1.0, 1.0)[:, None]
    # avoids division by 0 for a single point
    return axes, lengths[:count] ** 2 / (total or 1.0)
