"""hub: improved precision and recall from hub samples alone, those that are often among others' nearest neighbours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prviz.estimators.base import About, Supports
from prviz.neighbors import count_in_balls, nearest_radii
from prviz.neighbors.faiss_lists import ListIndex, Units, projected
from prviz.samples import Split

__all__ = ["HUB", "HubScalars", "hub_rows", "hub_scalars"]

Array = NDArray[Any]
Rows = NDArray[np.intp]

# A hub is among the k nearest of more than so many others (the poster's t).
THRESHOLD = 3
# Features of the random subspace, in units of log2(n); room for the index in it is not worth bounding.
FEATURES = 4
_CELLS_SEARCHED = 16


class HubScalars(NamedTuple):
    """Improved precision and recall, estimated from hub samples alone."""

    precision: float
    recall: float


class _Hub:
    """Hub fit samples of each class whose ball to their own k-th nearest classmate holds the hub evaluation sample."""

    name: ClassVar[str] = "hub"
    title: ClassVar[str] = "Hub iPR"
    idea: ClassVar[str] = "What does iPR find when only samples that are often others' neighbours are looked at?"
    source: ClassVar[str] = "Liang, Wu, Lai, Qin 2024, precision and recall by hubness-aware sampling"
    about: ClassVar[About] = About(
        paper="Hubs · Liang et al. 2024",
        formula=r"c_X(z) = |\{x \in \text{hubs of } X : \|x - z\| \le r_k^X(x)\}| \quad \text{for hubs } z",
        cost="An approximate neighbour search, then distances between hubs alone, anew for every k.",
        biases=(
            "iPR's faults, seen at hubs alone, which lie where samples are dense. Near iPR for Gaussians in few "
            "dimensions, far from it on other data at small k."
        ),
        published="no split, k = 3: its ends stand for improved precision and recall.",
    )
    tunes: ClassVar[Literal["k", "bandwidth"]] = "k"

    def supports(self, split: Split, *, k: int, bandwidth: float | None, seed: int) -> Supports:  # noqa: ARG002
        """Counts of hub fit samples whose ball holds each hub evaluation sample; ``rows`` says which these are.

        Without split a sample is a hub or none in both parts. A ball reaches to the k-th nearest of all fit samples of
        its class, exactly; only which samples are hubs is approximate.
        """
        values = [side.values for side in split.pair]
        fit = [hub_rows(side, k, seed, rows) for side, rows in zip(values, split.fit_rows, strict=True)]
        evaluate = fit
        if split.held_out:
            evaluate = [hub_rows(side, k, seed, rows) for side, rows in zip(values, split.evaluate_rows, strict=True)]
        asked = [rows[hubs] for rows, hubs in zip(split.evaluate_rows, evaluate, strict=True)]
        counts = [
            _counts(list(zip(values, asked, strict=True)), side, rows, hubs, k)
            for side, rows, hubs in zip(values, split.fit_rows, fit, strict=True)
        ]
        places = np.concatenate([evaluate[0], len(split.evaluate_rows[0]) + evaluate[1]])
        return Supports(counts[0], counts[1], len(evaluate[0]), rows=places)


HUB = _Hub()


def hub_rows(values: Array, k: int, seed: int, among: Rows | None = None) -> Rows:
    """Which samples are hubs: among the k nearest of more than THRESHOLD others, in a random subspace, approximately.

    Of the rows ``among`` of the values, None: of all; places in them.
    Where nobody is, those that come closest to it. The subspace has FEATURES log2(n) features and is the same for all
    sets of one size and seed.
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
        others &= np.cumsum(others, axis=1) <= k  # a sample with more than k copies may not be among those found
        occurrences += np.bincount(places[others], minlength=len(points))
    hubs: Rows = np.flatnonzero(occurrences > min(THRESHOLD, int(occurrences.max()) - 1))
    return hubs


def _counts(asked: Sequence[tuple[Array, Rows]], values: Array, fit: Rows, hubs: Rows, k: int) -> NDArray[np.int64]:
    """How many balls of the hubs of one class hold each of the samples asked about, given as (values, rows of it)."""
    centres = fit[hubs]
    radii = nearest_radii(values, centres, k, fit)
    return np.concatenate([count_in_balls(side, values, radii, rows=rows, centre_rows=centres) for side, rows in asked])


def hub_scalars(supports: Supports) -> HubScalars:
    """Share of the generated hub samples that are in some real hub's ball, and of the real ones in some generated's."""
    precision = np.mean(supports.c_real[supports.n_real :] > 0)
    recall = np.mean(supports.c_generated[: supports.n_real] > 0)
    return HubScalars(float(precision), float(recall))
