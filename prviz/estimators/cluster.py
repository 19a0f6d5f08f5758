"""cluster: pooled k-means; the shares of real and of generated samples in an evaluation point's cluster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from prviz.estimators._fitting import Rescaled, one_thread
from prviz.estimators.base import About, Supports
from prviz.neighbors.threads import available_threads, run_blocks
from prviz.samples import Split

__all__ = ["CLUSTER", "CLUSTERS", "RUNS"]

Floats = NDArray[np.float64]

# The paper's number of clusters, and the published code's number of runs.
CLUSTERS = 20
RUNS = 10
# Samples are told apart to this share of the largest distance from the mean: what k-means can see, whose squared
# distances are differences of squares rounded to 1e-16.
FINEST = 2.0**-23


class _Cluster:
    """c_X(z) = share of the real fit samples that are in z's cluster, c_Y(z) = share of the generated ones.

    All fit samples together are clustered by k-means, `RUNS` times with seeds of their own, and every evaluation sample
    belongs to the cluster with the nearest centre. Without split each run's curve is that of the two histograms over
    the clusters, alpha(lam) = sum over clusters of min(lam p, q): the published PRD. There are `CLUSTERS` clusters, or
    as many as there are different fit samples (see `FINEST`) where these are fewer.

    scikit-learn's Lloyd iterations from k-means++ centres: on 10,000 x 64 and 10,000 x 384 (30 Gaussian modes), one
    thread, 0.04 s and 0.14 s a run; FAISS's, which begins at random samples, takes 0.05 s and 0.06 s but leaves 5 % and
    4 % more inertia, and 0.46 s and 0.58 s where it repeats itself until the inertia is the same. Without modes
    (one Gaussian) it is 0.22 s and 0.43 s against 0.20 s and 0.62 s, for equal inertia.

    A run is a function of the multiset of pooled samples and of its seed: neither the order of the samples, nor the
    roles, nor the number of threads changes it. The samples are held in memory once more, as float64.
    """

    name: ClassVar[str] = "cluster"
    title: ClassVar[str] = "Clusters"
    idea: ClassVar[str] = "Does the point's cluster hold a larger share of the real or of the generated samples?"
    source: ClassVar[str] = "Sajjadi, Bachem, Lucic, Bousquet, Gelly 2018, section 3.3 (PRD)"
    about: ClassVar[About] = About(
        paper="PRD · Sajjadi et al. 2018",
        formula=(
            r"c_X(z) = |X \cap C(z)| \,/\, |X|, \quad C(z)\ z\text{'s cluster,} \quad \text{k-means of } X \cup Y "
            r"\text{ into } 20"
        ),
        cost="Ten k-means; no neighbours. Neither k nor the bandwidth matters.",
        biases=(
            "Nearly right on well separated modes. Too high where sets differ inside a cluster, as shifted "
            "Gaussians do, or more classes than clusters (2019, Fig. 3). Seeds alone move it: the band is the "
            "spread of ten runs."
        ),
        published="no split: the published PRD, 20 clusters, 10 runs.",
    )
    tunes: ClassVar[Literal["k", "bandwidth"] | None] = None
    needs_split: ClassVar[bool] = False

    def runs(self, split: Split, *, seed: int, progress: Callable[[float], None]) -> tuple[Supports, ...]:
        """Its supports on the evaluation samples of ``split``, one for each of `RUNS` clusterings."""
        pooled = _Pooled.of(split)
        seeds = np.random.SeedSequence(seed).generate_state(RUNS).tolist()
        found: list[Supports] = []

        def done(_: int, supports: Supports) -> None:
            found.append(supports)
            progress(len(found) / RUNS)

        run_blocks(pooled.supports, seeds, available_threads(), done)
        return tuple(found)


CLUSTER = _Cluster()


@dataclass(frozen=True, eq=False)
class _Pooled:
    """The different fit samples of both sets in an order of their own, and the evaluation samples, in one unit.

    points : (m, d), each point once. real, generated : (m,) how many fit samples of each role it is.
    evaluate : (l, d), real ones first; the first n_real.
    """

    points: Floats
    real: NDArray[np.int64]
    generated: NDArray[np.int64]
    evaluate: Floats
    n_real: int

    @classmethod
    def of(cls, split: Split) -> _Pooled:
        values = [side.values for side in split.fit]
        everything = np.concatenate(values, dtype=np.float64) + 0.0  # -0.0 is 0.0
        is_real = np.arange(len(everything)) < len(values[0])
        order = np.argsort(_as_bytes(everything), kind="stable")
        unit = Rescaled.of(everything[order])
        points = np.rint(unit.apply(everything) / FINEST) * FINEST + 0.0
        _, first, which = np.unique(_as_bytes(points), return_index=True, return_inverse=True)
        real, generated = (np.bincount(which[role], minlength=len(first)) for role in (is_real, ~is_real))
        evaluate = np.concatenate([unit.apply(side.values) for side in split.evaluate])
        return cls(points[first], real, generated, evaluate, split.evaluate.real.n)

    def supports(self, seed: int) -> Supports:
        """Those of one clustering."""
        from sklearn.cluster import KMeans

        clusters = min(CLUSTERS, len(self.points))
        with one_thread():
            model: Any = KMeans(clusters, n_init=1, random_state=seed)
            model.fit(self.points, sample_weight=(self.real + self.generated).astype(np.float64))
            nearest = model.predict(self.evaluate)
        real, generated = (
            np.bincount(model.labels_, counts, clusters) / counts.sum() for counts in (self.real, self.generated)
        )
        return Supports(real[nearest], generated[nearest], self.n_real)


def _as_bytes(points: Floats) -> NDArray[np.void]:
    """Each row as one value, for sorting and comparing: (m,)."""
    rows = np.ascontiguousarray(points)
    return rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1])))[:, 0]
