"""Plan for small pairs that are split many times: all distances of the pair are computed once, and
the counts of every split from these.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from prviz.arrays import Counts, Floats
from prviz.neighbors.balls import ROLES, Balls, CountRequest, Role, squared_threshold
from prviz.neighbors.engine import BallCounts
from prviz.neighbors.point_sets import RowView, pair_distances, slices
from prviz.neighbors.threads import on_all_cores
from prviz.samples import SamplePair, Split

# Most samples of the two sets together, for which all distances are stored: 18 MB.
MOST_WHOLE = 1_500
# Number of rows whose distances are computed at a time, so that they fit the processor's cache.
_BLOCK = 128
# Largest squared distance. If there are larger ones, `Distances` is used instead; it refuses values
# that are too large and says why.
_LARGEST = 1e307


class WholeDistances:
    """The reference squared distances between all samples of a pair, from which any split's counts
    follow.

    Parameters
    ----------
    pair : at most MOST_WHOLE samples in both sets together.
    """

    def __init__(self, pair: SamplePair) -> None:
        values = np.concatenate([each.values for each in pair]).astype(np.float64)
        rows = RowView(values)
        n = len(values)
        self._squared = np.empty((n, n))

        def work(block: slice) -> None:
            sizes = n - block.start, block.stop - block.start
            others, own = np.indices(sizes).reshape(2, -1) + block.start
            found = pair_distances(rows, own, rows, others).reshape(sizes)
            self._squared[block.start :, block] = found
            self._squared[block, block.start :] = found.T

        on_all_cores(work, slices(n, _BLOCK))

    @classmethod
    def of(cls, pair: SamplePair) -> WholeDistances | None:
        """The distances of a small pair; None if it has too many samples or squares may
        overflow.
        """
        if sum(each.n for each in pair) > MOST_WHOLE:
            return None
        found = cls(pair)
        if found._squared.max() < _LARGEST:
            return found
        return None

    def count(self, split: Split, balls: Sequence[Balls]) -> list[BallCounts]:
        """Counts in balls for every evaluation sample, as from `Distances.count`, but without
        radii.

        split : a held-out split of the pair.
        """
        n = split.pair.real.n
        real, generated = split.fit_rows
        fit = dict(zip(ROLES, (real, generated + n), strict=True))
        points = np.concatenate([split.evaluate_rows[0], split.evaluate_rows[1] + n])
        apart = {role: self._squared[np.ix_(points, rows)] for role, rows in fit.items()}
        near: dict[tuple[Role, ...], Floats] = {
            (role,): np.sort(each, axis=1) for role, each in apart.items()
        }
        near[ROLES] = np.sort(np.concatenate(list(apart.values()), axis=1), axis=1)
        # Column 0 is each sample itself, column k its k-th nearest other sample.
        inside = {
            role: np.sort(self._squared[np.ix_(rows, rows)], axis=1) for role, rows in fit.items()
        }

        def mean_radius(role: Role, k: int) -> float:
            radii = np.sqrt(inside[role][:, k])
            return math.fsum(radii.tolist()) / len(radii)

        def counted(request: CountRequest) -> Counts:
            rule = request.rule
            radius = rule.single_radius(mean_radius)
            if radius is not None:
                within = apart[request.role] <= squared_threshold(radius)
            elif request.around == "fit":
                within = apart[request.role] <= inside[request.role][:, rule.k]
            else:
                within = apart[request.role] <= near[rule.roles][:, rule.k - 1, None]
            counts: Counts = np.count_nonzero(within, axis=1)
            return counts

        return [
            BallCounts(counted(real), counted(generated), None)
            for real, generated in (each.requests() for each in balls)
        ]
