"""Rows of two sets, divided by one unit of length. Rows with many features are replaced by fewer
coordinates that have the same distances.

n rows lie in a subspace of at most n dimensions, whatever the number of their features. The pivoted
Cholesky factor of their products gives coordinates there. The rounding error of each row is
relative to its own length, so a set whose values are a million times as large costs the other one
no digits; eigenvectors of the products would.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from prviz.arrays import Array, Floats, Ints
from prviz.neighbors.point_sets import slices
from prviz.recent import LeastRecentlyUsed

# Values in a block of features, 16 MB as float64; wide sets are read in such blocks.
BLOCK_VALUES = 1 << 21
# Largest value in units of the real set; larger ones are clipped, so that no square overflows.
_MOST = 1e60
# Most values cached for one draw of real rows.
_KNOWN = 16


class RowSet:
    """Some rows of a set, divided by a unit. ``len`` is the number of rows, ``d`` that of features.

    Parameters
    ----------
    values : (n, d) all rows, of which only blocks are copied.
    rows : the chosen rows, in order.
    unit : a length, or one for each feature; None: the values stay as they are.
    block : most values of a block of features.

    known : cache of values that follow from these rows and from the cache key alone.
    """

    def __init__(
        self,
        values: Array,
        rows: Ints,
        unit: float | Floats | None = None,
        block: int = BLOCK_VALUES,
    ) -> None:
        self._values = values
        self._rows = rows
        self.unit = unit
        self.block = block
        self.d = int(values.shape[1])
        self._last: tuple[slice, Floats] | None = None
        self.known = LeastRecentlyUsed(_KNOWN)

    def __len__(self) -> int:
        return len(self._rows)

    def features(self, columns: slice = slice(None)) -> Floats:
        """Some features of all rows, in float64. The last block is cached: most sets consist of a
        single block.
        """
        if self._last is None or self._last[0] != columns:
            block = self._values[:, columns][self._rows].astype(float)
            if self.unit is not None:
                block /= np.broadcast_to(self.unit, self.d)[columns]
                np.clip(block, -_MOST, _MOST, out=block)
            block.flags.writeable = False
            self._last = columns, block
        return self._last[1]

    def in_one_unit(self) -> Floats:
        """All features of all rows in one common unit, so that features can be compared with each
        other.
        """
        if isinstance(self.unit, np.ndarray):
            return np.asarray(self.features() * (self.unit / self.unit.max()))
        return self.features()

    def columns(self, *, whole: bool) -> list[slice]:
        """The features in blocks, or in one block if ``whole``."""
        if whole:
            return [slice(None)]
        return slices(self.d, max(1, self.block // len(self)))


def unit_of(rows: RowSet, *, whole: bool, of_each: bool = False) -> float | Floats:
    """The unit of the rows: the root of the mean variance of the features, so that no square
    overflows; the largest value if the variance is 0.

    of_each : True for one unit per feature, its spread.
    """
    columns = rows.columns(whole=whole)
    largest = max(float(np.abs(rows.features(block)).max()) for block in columns) or 1.0
    variances = np.concatenate([(rows.features(block) / largest).var(axis=0) for block in columns])
    common = float(np.sqrt(variances.mean())) or 1.0
    if of_each:
        return largest * np.where(variances > 0, np.sqrt(variances), common)
    return largest * common


def coordinates(sets: Sequence[RowSet], classes: Sequence[Ints]) -> list[Floats]:
    """(n, r) coordinates of the rows of each set that keep their distances; r is at most the total
    number of rows.

    classes : a class for each row of each set, the same for equal rows only, which get equal
        coordinates.
    """
    from scipy.linalg.lapack import dpstrf

    _, first, place = np.unique(np.concatenate(classes), return_index=True, return_inverse=True)
    products = np.zeros((len(first), len(first)))
    for columns in slices(sets[0].d, max(1, sets[0].block // len(place))):
        blocks = [each.features(columns) for each in sets]
        centred = np.concatenate(blocks)[first] - blocks[0].mean(axis=0)
        products += centred @ centred.T
    lengths = np.sqrt(np.diag(products))
    safe = np.where(lengths > 0, lengths, 1.0)
    products /= safe[:, None]
    products /= safe
    factor, order, rank, _ = dpstrf(products, lower=1)
    del products
    points = np.zeros((len(first), int(rank)))
    # np.tril would need two more matrices of this size.
    for step, row in enumerate(order - 1):
        known = min(step + 1, int(rank))
        points[row, :known] = factor[step, :known]
    del factor
    points *= lengths[:, None]
    ends = np.cumsum([len(each) for each in sets])[:-1]
    return np.split(points[place.reshape(-1)], ends)


def mixing_weights(points: Floats, centres: Floats) -> Floats:
    """(c, n) weights by which sums of the rows give the centres, both relative to the mean of the
    rows. They hold in any coordinates.
    """
    from scipy.linalg import lstsq

    mean = points.mean(axis=0)
    found = lstsq((points - mean).T, (centres - mean).T, lapack_driver="gelsy", check_finite=False)[
        0
    ]
    return np.asarray(found.T)
