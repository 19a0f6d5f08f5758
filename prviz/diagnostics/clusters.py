"""k-means clusters of two sets, with the shares of real and of generated samples in each cluster
(Sajjadi et al. 2018, Figure 9).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from prviz.arrays import Ints
from prviz.estimators.cluster import CLUSTERS, clusters_of
from prviz.samples import SamplePair


class ClusterMembers(NamedTuple):
    """One cluster.

    real, generated : rows of its samples in their own set, those nearest to the cluster's mean
    first.
    real_share, generated_share : the share of each set's samples that are in the cluster.
    """

    real: Ints
    generated: Ints
    real_share: float
    generated_share: float

    @property
    def lopsided(self) -> float:
        """0 if the cluster holds equal shares of both sets, 1 if it holds samples of one set
        alone.
        """
        return abs(self.real_share - self.generated_share) / (
            self.real_share + self.generated_share
        )


def cluster_members(
    pair: SamplePair, clusters: int = CLUSTERS, seed: int = 0
) -> tuple[ClusterMembers, ...]:
    """Clusters of the first run of the family "cluster", ordered by how unequal their two shares
    are, then by size, both decreasing.

    Parameters
    ----------
    pair : SamplePair
        The two sets.
    clusters : int
        Number of clusters in k-means on both sets together; there are fewer if there are fewer
        distinct samples.
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
