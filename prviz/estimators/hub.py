"""hub: improved precision and recall from hub samples, which are often among the nearest neighbours of others."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prviz.estimators.base import About, Estimator, Supports
from prviz.neighbors import count_in_balls, nearest_radii
from prviz.neighbors.faiss_lists import ListIndex, Units, projected
from prviz.samples import Split

__all__ = ["HUB", "HubScalars", "hub_rows", "hub_scalars"]

Array = NDArray[Any]
Rows = NDArray[np.intp]

# A hub is among the k nearest neighbours of more than this number of others (the poster's t).
THRESHOLD = 3
# Features of the random subspace, in units of log2(n).
FEATURES = 4
# Cells of the index that a search visits.
_CELLS_SEARCHED = 16


class HubScalars(NamedTuple):
    """Improved precision and recall, estimated from hub samples alone."""

    precision: float
    recall: float


class _Hub(Estimator):
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
            "iPR's faults, seen at hubs alone, which lie where samples are dense. Near iPR for Gaussians in few "
            "dimensions, far from it on other data at small k."
        ),
        published="no split, k = 3: its end classifiers stand for those of improved precision and recall.",
    )
    tunes = "k"
    chosen_by_evaluation = True

    def runs(
        self, split: Split, *, k: int, bandwidth: float | None, seed: int, progress: Callable[[float], None]
    ) -> tuple[Supports, ...]:
        """Counts of hub fit samples whose ball holds each hub evaluation sample; ``rows`` numbers the latter.

        Without split the hubs of both parts are the same. A ball reaches exactly to the k-th nearest of all fit samples
        of its class; only the choice of hubs is approximate.
        """
        values = [side.values for side in split.pair]
        fit = [hub_rows(side, k, seed, rows) for side, rows in zip(values, split.fit_rows, strict=True)]
        evaluate = fit
        if split.held_out:
            evaluate = [hub_rows(side, k, seed, rows) for side, rows in zip(values, split.evaluate_rows, strict=True)]
        points = [rows[hubs] for rows, hubs in zip(split.evaluate_rows, evaluate, strict=True)]
        counts = [
            _counts(list(zip(values, points, strict=True)), side, rows, hubs, k)
            for side, rows, hubs in zip(values, split.fit_rows, fit, strict=True)
        ]
        measured = np.concatenate([evaluate[0], len(split.evaluate_rows[0]) + evaluate[1]])
        return (Supports(counts[0], counts[1], len(evaluate[0]), rows=measured),)


HUB = _Hub()


def hub_rows(values: Array, k: int, seed: int, among: Rows | None = None) -> Rows:
    """Positions of hubs: samples among the k nearest of more than THRESHOLD others, found approximately.

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
    hubs: Rows = np.flatnonzero(occurrences > min(THRESHOLD, int(occurrences.max()) - 1))
    return hubs


def _counts(points: Sequence[tuple[Array, Rows]], values: Array, fit: Rows, hubs: Rows, k: int) -> NDArray[np.int64]:
    """Numbers of balls around the hubs of one class that hold each point; points are pairs (values, rows of them)."""
    centres = fit[hubs]
    radii = nearest_radii(values, centres, k, fit)
    return np.concatenate(
        [count_in_balls(side, values, radii, rows=rows, centre_rows=centres) for side, rows in points]
    )


def hub_scalars(supports: Supports) -> HubScalars:
    """Share of the generated hubs in the ball of a real hub, and of the real hubs in the ball of a generated one."""
    precision = np.mean(supports.c_real[supports.n_real :] > 0)
    recall = np.mean(supports.c_generated[: supports.n_real] > 0)
    return HubScalars(float(precision), float(recall))
