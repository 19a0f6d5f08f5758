"""Bounds on radii and on what balls hold, estimated from a few points drawn at random.

The bounds only choose search radii; callers verify them and search again where a radius was too small.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from prviz.neighbors.balls import MeanNearest, Role, Within, squared_threshold
from prviz.neighbors.kernels import Scratch, round_down, round_up, tally
from prviz.neighbors.passes import Runner
from prviz.neighbors.point_sets import PointSet
from prviz.neighbors.prepare import Prepared
from prviz.neighbors.tile_schedule import ScheduledTile
from prviz.neighbors.tiles import Array, Ball, Floats, Pairs, make_tile

__all__ = ["BYTES_PER_ENTRY", "BoundedRadiusCounts", "Key", "RandomSubset", "likely_radius", "take_samples"]

# Bytes of one kept pair: a row, a column and a value, and temporary copies.
BYTES_PER_ENTRY = 16
# Points of the sample: one in this number, at least, at most.
_SHARE, _LEAST, _MOST = 64, 32, 1024
# Distances kept per sampled point: this multiple of the order needed, and at least this number.
_FARTHER, _FARTHEST = 4, 64
# Standard deviations from the sample's estimate: the mean over all points is hardly ever farther, one point seldom.
_ERRORS, _DEVIATIONS = 4.5, 3
# Share of points whose balls may hold more than estimated.
_BEYOND = 0.02

Counts = NDArray[np.int64]
Key: TypeAlias = tuple[Role, Role]


class RandomSubset:
    """First points of a set whose rows come in random order, and their distances to another set.

    In many dimensions distances depend on little but the norms, so the known norms of all points are used.
    """

    def __init__(self, point_set: PointSet, others: PointSet, order: int, at_once: int, scratch: Scratch) -> None:
        """``order``: the largest order needed. ``at_once``: number of distances that fit into memory."""
        self._cloud, n = point_set, len(point_set)
        self._rows = slice(0, min(n, max(_LEAST, min(_MOST, n // _SHARE))))
        self._squares = np.square(point_set.norms)
        self.length = min(len(others), max(_FARTHER * order, _FARTHEST))
        self._values = np.empty((self._rows.stop, self.length), point_set.arithmetic.dtype)
        step = max(at_once // len(others), 1)  # many: the others' factors, if they are not stored, are made each time
        for start in range(0, self._rows.stop, step):
            rows = slice(start, min(start + step, self._rows.stop))
            tile = make_tile(point_set, rows, others, slice(0, len(others)), "sample", scratch).values
            self._values[rows] = np.sort(np.partition(tile, self.length - 1, axis=1)[:, : self.length], axis=1)

    def radii(self, order: int) -> Floats:
        """(m,) approximate distances to the order-th nearest, in the root of the tiles' units."""
        nearest = self._values[:, order - 1]
        radii: Floats = np.sqrt(np.maximum(nearest.astype(np.float64), 0.0))
        return radii

    def _line(self, values: Floats) -> tuple[float, float, float]:
        """Slope and offset of values over the squared norms, and the deviation from that line."""
        squares = self._squares[self._rows]
        off = squares - squares.mean()
        slope = float(off @ values) / max(float(off @ off), float(np.finfo(np.float64).tiny))
        offset = float(values.mean()) - slope * float(squares.mean())
        return slope, offset, float((values - offset - slope * squares).std())

    def mean_radius(self, order: int) -> tuple[float, float]:
        """Bounds between which the mean distance of all points to their order-th nearest very likely lies."""
        radii = self.radii(order)
        slope, offset, rest = self._line(radii)
        mean = slope * float(self._squares.mean()) + offset
        slack = _ERRORS * rest * math.sqrt(max(1 / len(radii) - 1 / len(self._squares), 0.0))
        return max(mean - slack, 0.0), max(mean + slack, 0.0)

    def reach(self, order: int) -> Floats:
        """(n,) squared distances, in the tiles' units, within which nearly all points have their order-th nearest."""
        slope, offset, rest = self._line(self.radii(order))
        reach: Floats = np.square(np.maximum(slope * self._squares + offset + _DEVIATIONS * rest, 0.0))
        return reach

    def held(self, radii: Floats) -> int:
        """Largest number of others in balls of these radii around nearly all points; ``length``: or more."""
        inside = self._values <= np.square(radii)[:, None]
        return int(np.quantile(np.count_nonzero(inside, axis=1), 1 - _BEYOND, method="higher"))


def take_samples(
    prepared: Prepared, orders: Mapping[Key, int], at_once: int, runner: Runner
) -> dict[Key, RandomSubset]:
    """Random subsets for the roles of points and samples, up to the largest order needed.

    at_once : distances that a thread has memory for.
    """
    samples: dict[Key, RandomSubset] = {}

    def work(place: ScheduledTile) -> int:
        points, others = prepared.fit[place.left], prepared.fit[place.right]
        order = min(orders[place.left, place.right], len(others))
        samples[place.left, place.right] = RandomSubset(points, others, order, at_once, runner.scratch())
        return 0

    runner.run(work, [ScheduledTile(left, slice(0, 0), right, slice(0, 0)) for left, right in orders])
    return samples


def likely_radius(
    rule: MeanNearest | Within, prepared: Prepared, samples: Mapping[Key, RandomSubset]
) -> tuple[float, float]:
    """Squared radii, in the tiles' units, between which the radius of a rule very likely lies."""
    if isinstance(rule, Within):
        squared = float(prepared.arithmetic.scaled(squared_threshold(rule.radius)))
        return squared, squared
    role = rule.among
    low, high = samples[role, role].mean_radius(prepared.order(rule.k, role, role))
    return low * low, high * high


class BoundedRadiusCounts:
    """Counts of pairs of points, each met once, within one radius that is not known yet, but nearly.

    Pairs at or below the lower limit are counted at once, pairs above the upper one are not; pairs between them are
    kept, ``room`` at most, and decided when the radius is known.

    low, high : squared radii, in the tiles' units, between which that of the ball lies very likely.
    """

    def __init__(self, left: PointSet, right: PointSet, low: float, high: float, room: int) -> None:
        arithmetic = left.arithmetic
        self._left, self._right, self._room = left, right, room
        # The products' errors around a usual point; where they are larger, `counts` gives up.
        usual = np.quantile(np.concatenate([left.norms, right.norms]), [0.99])
        error = 0.0 if arithmetic.exact else 3 * float(arithmetic.error(usual, high)[0])
        self._low = round_down(np.array([low - error]), arithmetic.dtype)[0]
        self.high = round_up(np.array([high + error]), arithmetic.dtype)[0]
        self._counts = np.zeros(len(left), np.int64), np.zeros(len(right), np.int64)
        self._between: list[tuple[NDArray[np.int32], NDArray[np.int32], Array]] = []
        self._kept = 0
        self._lock = threading.Lock()

    @property
    def given_up(self) -> bool:
        """True if there were too many pairs to keep."""
        return self._kept > self._room

    def give_up(self) -> None:
        """Drop all pairs; the counts are made by other means."""
        with self._lock:
            self._kept = self._room + 1
            self._between.clear()

    def add(self, first: NDArray[np.intp], second: NDArray[np.intp], values: Array) -> None:
        """Add pairs of points of the two sets and their approximate squared distances; thread-safe."""
        with self._lock:
            kept = tally(first, second, values, (self._low, self.high), self._counts)
            self._kept += len(kept[0])
            self._between.append(kept)
        if self.given_up:
            self.give_up()

    def counts(self, squared: float) -> tuple[Counts, Counts, int] | None:
        """Number of pairs within the exact squared radius, per point of either set, and comparisons rechecked.

        The radius must be the same at every call. None: the bounds were wrong, or there were too many pairs to keep.
        """
        left, right = self._left, self._right
        balls = [Ball.of(each.arithmetic, np.full(len(each), squared), each.norms) for each in (left, right)]
        sure, possible = min(ball.sure.min() for ball in balls), max(ball.possible.max() for ball in balls)
        if self.given_up or self._low > sure or self.high < possible:
            return None
        pairs = Pairs(left=left, rows=slice(0, len(left)), right=right)
        with self._lock:  # once, by the first caller
            for first, second, values in self._between:
                inside = values <= balls[0].sure[first]
                unsure = np.flatnonzero((values <= balls[0].possible[first]) ^ inside)
                places = first[unsure].astype(np.intp), second[unsure].astype(np.intp)
                inside[unsure] = pairs.reference(*places) <= squared
                for points, count in zip((first, second), self._counts, strict=True):
                    count += np.bincount(points[inside], minlength=len(count))
            self._between.clear()
        return *self._counts, pairs.rechecked
