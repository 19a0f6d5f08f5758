"""The family "cluster": k-means of real and generated samples pooled; the supports of a point are
the shares of real and of generated samples in its cluster.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prviz.arrays import Array, Counts, Floats
from prviz.estimators.base import About, Estimator, Runs, Supports
from prviz.estimators.learners import Rescaled, one_thread
from prviz.missing import needed_for
from prviz.neighbors.threads import Progress, available_threads, run_blocks
from prviz.samples import SamplePair, Split
from prviz.toys.base import Parameter

# Number of clusters in the paper, and number of runs (k-means with other seeds) in the published
# code.
CLUSTERS = 20
RUNS = 10
# Samples are rounded to a grid with this step, as a share of the largest distance from the mean. A
# finer grid is beyond the resolution of k-means, whose squared distances are differences of squares
# rounded to 1e-16.
FINEST = 2.0**-23


class _Cluster(Estimator):
    """c_X(z) = share of the real fit samples in z's cluster, c_Y(z) = share of the generated ones.

    All fit samples together are clustered by k-means, `RUNS` times with different seeds; an
    evaluation sample belongs to the cluster with the nearest centre. Without split each run's curve
    is that of the two histograms over the clusters, alpha(lam) = sum over clusters of min(lam p,
    q), which is the published PRD. There are `CLUSTERS` clusters unless another number is given,
    and no more than there are distinct fit samples on the grid `FINEST`.

    scikit-learn's k-means is used, because FAISS's is not faster for equal results. Seconds per run
    on one thread, for 10,000 samples of 64 and of 384 features: with 30 Gaussian modes scikit-learn
    (k-means++ centres) takes 0.04 and 0.14. FAISS (random centres) takes 0.05 and 0.06 but ends
    with 5 % and 4 % more inertia; it takes 0.46 and 0.58 to reach the same inertia. With one
    Gaussian scikit-learn takes 0.22 and 0.43, FAISS 0.20 and 0.62 to reach the same inertia.

    A run depends only on the multiset of pooled samples and on its seed, not on the order of the
    samples, the roles or the number of threads. A float64 copy of the samples is held in memory.
    """

    name = "cluster"
    title = "Clusters"
    idea = "Does the point's cluster hold a larger share of the real or of the generated samples?"
    source = "Sajjadi, Bachem, Lucic, Bousquet, Gelly 2018, section 3.3 (PRD)"
    about = About(
        paper="PRD · Sajjadi et al. 2018",
        formula=(
            r"c_X(z) = |X \cap C(z)| \,/\, |X|, \quad C(z)\ z\text{'s cluster,} \quad \text{k-means"
            r" of } X \cup Y "
            r"\text{ into } 20"
        ),
        cost="Ten runs of k-means; no neighbours. Neither k nor the bandwidth matters.",
        biases=(
            "Near the truth on well separated modes. Too high where sets differ inside a cluster,"
            " as shifted Gaussians do, or more classes than clusters (2019, Fig. 3). Seeds alone"
            " move it: the band is the spread of ten runs."
        ),
        published="no split: the published PRD, 20 clusters, 10 runs.",
    )
    parameters = (
        Parameter(
            "clusters",
            "Number of clusters",
            CLUSTERS,
            1,
            500,
            1,
            "Of k-means; 20 as published (2018).",
            "int",
        ),
    )

    def runs(
        self,
        split: Split,
        *,
        k: int,
        seed: int,
        progress: Progress,
    ) -> Runs:
        """Supports of the evaluation samples of ``split``, one for each of `RUNS` clusterings."""
        pooled = _Pooled.of(split)
        seeds = np.random.SeedSequence(seed).generate_state(RUNS).tolist()
        runs: list[Supports] = []

        def done(_: int, supports: Supports) -> None:
            runs.append(supports)
            progress(len(runs) / RUNS)

        run_blocks(
            partial(pooled.supports, most=self.value("clusters")), seeds, available_threads(), done
        )
        return tuple(runs)


CLUSTER = _Cluster()


def clusters_of(pair: SamplePair, clusters: int = CLUSTERS, seed: int = 0) -> tuple[Array, Array]:
    """The index, from 0, of the cluster of every real and every generated sample, as in the first
    run of the family "cluster".

    pair : all of its samples define the clusters.
    clusters : largest number of clusters.
    seed : the seed given to the family.
    """
    first = int(np.random.SeedSequence(seed).generate_state(RUNS)[0])
    nearest = _Pooled.of(pair.split(None)).clustered(first, clusters)[0]
    return nearest[: pair.real.n], nearest[pair.real.n :]


@dataclass(frozen=True, eq=False)
class _Pooled:
    """Distinct fit samples of both sets in an order that depends only on their values, and the
    evaluation samples, all rescaled alike.

    points : (m, d) distinct fit samples.
    real, generated : (m,) number of fit samples of each role at each point.
    evaluate : (l, d) evaluation samples, the first n_real of them real.
    """

    points: Floats
    real: Counts
    generated: Counts
    evaluate: Floats
    n_real: int

    @classmethod
    def of(cls, split: Split) -> _Pooled:
        values = [side.values for side in split.fit]
        # Adding 0.0 turns -0.0 into 0.0: rows are compared by their bytes, which differ.
        everything = np.concatenate(values, dtype=float) + 0.0
        is_real = np.arange(len(everything)) < len(values[0])
        order = np.argsort(_as_bytes(everything), kind="stable")
        unit = Rescaled.of(everything[order])
        points = np.rint(unit.apply(everything) / FINEST) * FINEST + 0.0
        _, first, which = np.unique(_as_bytes(points), return_index=True, return_inverse=True)
        real, generated = (
            np.bincount(which[role], minlength=len(first)) for role in (is_real, ~is_real)
        )
        evaluate = np.concatenate([unit.apply(side.values) for side in split.evaluate])
        return cls(points[first], real, generated, evaluate, split.evaluate.real.n)

    def supports(self, seed: int, most: int) -> Supports:
        """Supports from one clustering into at most ``most`` clusters."""
        nearest, labels, clusters = self.clustered(seed, most)
        real, generated = (
            np.bincount(labels, counts, clusters) / counts.sum()
            for counts in (self.real, self.generated)
        )
        return Supports(real[nearest], generated[nearest], self.n_real)

    def clustered(self, seed: int, most: int) -> tuple[Array, Array, int]:
        """The cluster of every evaluation sample, the cluster of every distinct fit sample, and the
        number of clusters.
        """
        with needed_for("the family cluster"):
            from sklearn.cluster import KMeans

        clusters = min(most, len(self.points))
        with one_thread():
            model: Any = KMeans(clusters, n_init=1, random_state=seed)
            model.fit(self.points, sample_weight=(self.real + self.generated).astype(float))
            nearest = model.predict(self.evaluate)
        return nearest, model.labels_, clusters


def _as_bytes(points: Floats) -> NDArray[np.void]:
    """The bytes of each row as a single value (m,), with which rows are sorted and compared."""
    rows = np.ascontiguousarray(points)
    return rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1])))[:, 0]
