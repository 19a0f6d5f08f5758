"""All distances of a small split, stored at once for families that compute each k of a profile
separately.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from prviz.arrays import Floats
from prviz.neighbors.point_sets import RowView, pair_distances, slices
from prviz.neighbors.threads import on_all_cores
from prviz.samples import Split

# Most distances that a table keeps, of 8 bytes each.
MOST_DISTANCES = 1 << 24
# With at least this number of values of k, a table costs less than computing the distances for each
# k.
WORTH_A_TABLE = 5
# Number of distances computed at a time.
_BLOCK = 1 << 18


class DistanceTable:
    """Reference distances of all fit samples to all evaluation samples, and inside each fit set.
    Sets are numbered: 0 is real, 1 generated.
    """

    def __init__(self, split: Split) -> None:
        self.held_out = split.held_out
        values = [side.values for side in split.pair]
        self.fit = [RowView(*side) for side in zip(values, split.fit_rows, strict=True)]
        self.evaluate = [RowView(*side) for side in zip(values, split.evaluate_rows, strict=True)]

    @staticmethod
    def fits(split: Split) -> bool:
        """True if the table of this split is small enough to be kept."""
        fit, evaluate = (sum(map(len, rows)) for rows in (split.fit_rows, split.evaluate_rows))
        return fit * evaluate + sum(len(rows) ** 2 for rows in split.fit_rows) <= MOST_DISTANCES

    @cached_property
    def distances(self) -> list[list[Floats]]:
        """The arrays distances[fit set][evaluation set], each of shape (fit samples, evaluation
        samples).
        """
        return [[_all_pairs(fit, points) for points in self.evaluate] for fit in self.fit]

    @cached_property
    def _nearest(self) -> list[Floats]:
        """For each set, the distances from each fit sample to all samples of its set, increasing,
        itself first: (samples, samples).
        """
        own = [
            _all_pairs(fit, fit) if self.held_out else self.distances[i][i]
            for i, fit in enumerate(self.fit)
        ]
        return [np.sort(each, axis=1) for each in own]

    def radii(self, role: int, k: int) -> Floats:
        """Distance from each sample of the fit set ``role`` (0 or 1) to its k-th nearest other
        sample in that set.
        """
        return self._nearest[role][:, k]


def _all_pairs(first: RowView, second: RowView) -> Floats:
    """Distances of all pairs of samples from two sets: (first, second)."""
    found = np.empty((len(first), len(second)))
    columns = np.arange(len(second))

    def fill(part: slice) -> None:
        rows = np.arange(part.start, part.stop)
        pairs = np.repeat(rows, len(columns)), np.tile(columns, len(rows))
        found[part] = np.sqrt(pair_distances(first, pairs[0], second, pairs[1])).reshape(
            len(rows), -1
        )

    on_all_cores(fill, slices(len(first), max(1, _BLOCK // len(second))))
    return found
