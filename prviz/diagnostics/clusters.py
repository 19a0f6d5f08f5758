"""What the clusters of two sets hold: their shares of real and generated samples (Sajjadi et al.
2018, Figure 9).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from prviz.arrays import Ints
from prviz.estimators.cluster import CLUSTERS, clusters_of
from prviz.samples import SamplePair


class ClusterMembers(NamedTuple):
    """One cluster.

    real, generated : rows of its samples in their own set, the nearest to its mean first.
    real_share, generated_share : the share of each set that it holds.
    """

    real: Ints
    generated: Ints
    real_share: float
    generated_share: float

    @property
    def lopsided(self) -> float:
        """0 where it holds equal shares of both sets, 1 where it holds samples of one set alone."""
        return abs(self.real_share - self.generated_share) / (
            self.real_share + self.generated_share
        )


def cluster_members(
    pair: SamplePair, clusters: int = CLUSTERS, seed: int = 0
) -> tuple[ClusterMembers, ...]:
    """The clusters of the family "cluster", first run, the most lopsided first, of equally lopsided
    ones the largest.

    Parameters
    ----------
    pair : SamplePair
        The two sets.
    clusters : int
        Number of clusters, of k-means on both sets together; fewer where there are fewer different
        samples.
    seed : int
        Seed of k-means.

    Returns
    -------
    tuple of ClusterMembers
        Every cluster that holds a sample.
    """
    labels = clusters_of(pair, clusters, seed)
    found = []
    for label in np.unique(np.concatenate(labels)):
        rows = [np.flatnonzero(own == label) for own in labels]
        values = [side.values[own].astype(float) for side, own in zip(pair, rows, strict=True)]
        mean = np.concatenate(values).mean(axis=0)
        near = [np.argsort(((own - mean) ** 2).sum(axis=1), kind="stable") for own in values]
        real, generated = (own[order] for own, order in zip(rows, near, strict=True))
        found.append(
            ClusterMembers(
                real, generated, len(real) / pair.real.n, len(generated) / pair.generated.n
            )
        )
    return tuple(
        sorted(found, key=lambda each: (-each.lopsided, -each.real_share - each.generated_share))
    )
