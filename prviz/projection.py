"""Two coordinates for showing samples of any dimension."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from prviz.samples import SamplePair

__all__ = ["shown_coordinates"]

MOST_ROWS = 4000


def shown_coordinates(pair: SamplePair) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """(n, 1) or (n, 2) coordinates of all samples, real ones first, and what each axis is.

    The data themselves in one and two dimensions; otherwise the two leading principal components of both sets
    together, with the share of the variance that each explains; beyond 4,000 rows the components come from a seeded
    draw of so many.
    """
    values = np.concatenate([samples.values for samples in pair])
    if pair.d <= 2:
        return values.astype(np.float64), tuple(f"feature {i + 1}" for i in range(pair.d))
    from sklearn.decomposition import PCA

    scale = float(np.abs(values).max()) or 1.0  # squares of huge values must not overflow
    some = np.random.default_rng(0).permutation(len(values))[:MOST_ROWS]
    components = PCA(n_components=min(2, *values[:MOST_ROWS].shape), svd_solver="randomized", random_state=0)
    with np.errstate(invalid="ignore"):  # a single point has no variance to share
        components.fit(values[some].astype(np.float64) / scale)
    points = components.transform(values / scale).astype(np.float64) * scale
    shares = np.nan_to_num(components.explained_variance_ratio_)
    titles = tuple(f"principal component {i + 1} ({share:.0%} of the variance)" for i, share in enumerate(shares))
    return points, titles
