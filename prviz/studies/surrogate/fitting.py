"""Fits a Gaussian to a set, with a shrunk covariance if there are few samples."""

from __future__ import annotations

import numpy as np

from prviz.arrays import Floats
from prviz.estimators.learners import one_thread
from prviz.studies.surrogate.densities import Density, blocks

# With fewer samples per dimension than this, the covariance is shrunk.
FEW_PER_DIRECTION = 10


def oas(covariance: Floats, n: float) -> tuple[Floats, float]:
    """The shrunk covariance (1 - s) S + s (trace S / d) I, and s.

    S is the covariance (d, d) of n samples; it is shrunk towards a sphere with the same trace.

    s is the oracle approximating shrinkage without terms in 1 / d, as in scikit-learn. Source:
    Chen, Wiesel, Eldar, Hero 2010, equation 23.
    """
    d = len(covariance)
    spread = float((covariance**2).mean())
    mean = float(np.trace(covariance)) / d
    gap = (n + 1.0) * (spread - mean**2 / d)
    share = 1.0 if gap <= 0 else min((spread + mean**2) / gap, 1.0)
    return (1 - share) * covariance + share * mean * np.eye(d), share


def fit_gaussian(values: Floats, least: float) -> Density:
    """The Gaussian with the mean and covariance of values (n, d); if n < 10 d, the covariance is
    shrunk by `oas`.

    least : least variance of the Gaussian in any direction; smaller variances are raised to it.
    """
    n, d = values.shape
    with one_thread():
        mean = values.sum(axis=0) / n
        covariance = np.zeros((d, d))
        for rows in blocks(n, d):
            gap = values[rows] - mean
            covariance += gap.T @ gap
        covariance /= n
        if n < FEW_PER_DIRECTION * d:
            covariance, _ = oas(covariance, n)
        covariance = (covariance + covariance.T) / 2
        variances, vectors = np.linalg.eigh(covariance)
        if (variances < least).any():
            covariance = (vectors * np.maximum(variances, least)) @ vectors.T
        covariance = (covariance + covariance.T) / 2
    return Density(np.ones(1), mean[None], covariance[None])
