"""hub: improved precision and recall from hub samples, which are often among the nearest neighbours of others."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prviz.estimators.base import About, Estimator, Supports
from prviz.neighbors import count_in_balls, nearest_radii
from prviz.neighbors.faiss_lists import ListIndex, Units, projected
from prviz.samples import Split
from prviz.toys.base import Parameter

Array = NDArray[Any]
Rows = NDArray[np.intp]

# A hub is among the k nearest neighbours of more than this number of others (the poster's t).
THRESHOLD = 3
# Share of hubs from which they take more processor time than iPR on all samples (tests/benchmarks/hub.py --costs).
COSTLY = 0.5
# Features of the random subspace, in units of log2(n).
FEATURES = 4
# Cells of the index that a search visits.
_CELLS_SEARCHED = 16


class Hub(Estimator):
    """Number of hub fit samples of each class whose k-NN ball in their class holds a hub evaluation sample."""

    name = "hub"
    title = "Hub iPR"
    idea = "What does iPR find on hubs alone, the samples that are often neighbours of others?"
    source = "Liang, Wu, Lai, Qin 2024, precision and recall by hubness-aware sampling"
    about = About(
        paper="Hubs · Liang et al. 2024",
        formula=r"c_X(z) = |\{x \in \text{hubs of } X : \|x - z\| \le r_k^X(x)\}| \quad \text{for hubs } z",
        cost="An approximate neighbour search, then distances between hubs alone, anew for every k.",
        biases=(
            "iPR's faults, seen at hubs alone. At k = 3 near iPR on shifted Gaussians in d = 64, far from it in "
            "d = 2,048 and on the bundled digits."
        ),
        published="no split, k = 3: its end classifiers stand for those of improved precision and recall.",
    )
    tunes = "k"
    chosen_by_evaluation = True
    parameters = (
        Parameter(
            "t",
            "Hub threshold t",
            THRESHOLD,
            0,
            100_000,
            1,
            "A hub is among the k nearest neighbours of more than t others; 3 as published (2024).",
            "int",
        ),
    )

    def runs(
        self, split: Split, *, k: int, bandwidth: float | None, seed: int, progress: Callable[[float], None]
    ) -> tuple[Supports, ...]:
        """Counts of hub fit samples whose ball holds each hub evaluation sample; ``rows`` numbers the latter.

        Without split the hubs of both parts are the same. A ball reaches exactly to the k-th nearest of all fit samples
        of its class; only the choice of hubs is approximate.
        """
        values, t = [side.values for side in split.pair], self.value("t")
        fit = [hub_rows(side, k, seed, rows, t) for side, rows in zip(values, split.fit_rows, strict=True)]
        evaluate = fit
        if split.held_out:
            parts = zip(values, split.evaluate_rows, strict=True)
            evaluate = [hub_rows(side, k, seed, rows, t) for side, rows in parts]
        points = [rows[hubs] for rows, hubs in zip(split.evaluate_rows, evaluate, strict=True)]
        counts = []
        for centres, rows, hubs in zip(values, split.fit_rows, fit, strict=True):
            radii = nearest_radii(centres, rows[hubs], k, rows)
            held = [
                count_in_balls(side, centres, radii, rows=some, centre_rows=rows[hubs])
                for side, some in zip(values, points, strict=True)
            ]
            counts.append(np.concatenate(held))
        measured = np.concatenate([evaluate[0], len(split.evaluate_rows[0]) + evaluate[1]])
        return (Supports(counts[0], counts[1], len(evaluate[0]), rows=measured),)


HUB = Hub()


def hub_rows(values: Array, k: int, seed: int, among: Rows | None = None, threshold: int = THRESHOLD) -> Rows:
    """Positions of hubs: samples among the k nearest of more than ``threshold`` others, found approximately.

    The positions are in ``among``, the rows of the values to search; None: all rows. Without any hub the samples that
    are neighbours most often are taken. Neighbours are searched in a random subspace of FEATURES log2(n) features, the
    same for all sets of one size and seed.
    """
    n = len(values) if among is None else len(among)
    points = projected(values, max(1, math.ceil(FEATURES * math.log2(n))), seed, among)
    index = ListIndex(points, np.arange(len(points)), Units(np.zeros(points.shape[1]), 1.0), room=math.inf, seed=seed)
    index.search_cells(_CELLS_SEARCHED)
    occurrences = np.zeros(len(points), dtype=np.int64)
    step = max(1, (1 << 22) // (k + 1))
    for start in range(0, len(points), step):
        rows = np.arange(start, min(start + step, len(points)))
        _, places = index.search(points[rows], k + 1)
        others = (places != rows[:, None]) & (places >= 0)
        others &= np.cumsum(others, axis=1) <= k  # a sample with more than k copies may be missing from its own list
        occurrences += np.bincount(places[others], minlength=len(points))
    hubs: Rows = np.flatnonzero(occurrences > min(threshold, int(occurrences.max()) - 1))
    return hubs
