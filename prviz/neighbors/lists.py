"""Collections that the symmetric plan fills from tiles in any order: lists of nearest neighbours,
and pairs of samples within a radius.

Distances of a few randomly drawn points give bounds on radii and on the number of samples in balls.
These bounds only choose search radii; callers verify them and search again where a radius was too
small.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable

import numpy as np

from prviz.arrays import Array, Counts, Floats, Ints
from prviz.neighbors.kernels import append, ranges, tally
from prviz.neighbors.native import Small
from prviz.neighbors.point_sets import DistinctRows, PointSet, Scratch, slices
from prviz.neighbors.products import round_down, round_up
from prviz.neighbors.tiles import Ball, Candidates, Pairs, Tile, make_tile, padded

# Bytes of one stored pair: two indices and a value, and a copy of them with what is computed of it.
BYTES_PER_PAIR = 40
# Size of the random subset of a set: one point in _SHARE, but at least _LEAST and at most _MOST
# points.
_SHARE = 64
_LEAST = 32
_MOST = 1024
# For each point of the subset, the _FARTHER * order smallest distances are kept, at least
# _FARTHEST.
_FARTHER = 4
_FARTHEST = 64
# Widths of bounds, in standard deviations. _ERRORS: of the mean over all points, which hardly ever
# lies outside its bounds. _DEVIATIONS: of a single point, which seldom does.
_ERRORS = 4.5
_DEVIATIONS = 3
# _BEYOND: share of points whose balls may hold more samples than estimated. _OVERFULL: if the balls
# of more than this share hold far more than needed, limits come from the first tile instead.
_BEYOND = 0.02
_OVERFULL = 1 / 8
# Number of distances computed at a time to rebuild lists that were too short.
_AGAIN_AT_ONCE = 1 << 20


class RandomSubset:
    """A random subset of a set (its first points, as rows are in random order), and the smallest
    distances of these points to another set.

    In many dimensions a distance depends on little but the two norms. The norms of all points are
    known, so estimates for all points extrapolate by the norm.
    """

    def __init__(
        self, point_set: PointSet, others: PointSet, order: int, at_once: int, scratch: Scratch
    ) -> None:
        """``order``: the largest order needed. ``at_once``: number of distances that fit into
        memory.
        """
        n = len(point_set)
        self._rows = slice(0, min(n, max(_LEAST, min(_MOST, n // _SHARE))))
        self._squares = np.square(point_set.norms)
        self.length = min(len(others), max(_FARTHER * order, _FARTHEST))
        self._values = np.empty((self._rows.stop, self.length), point_set.arithmetic.dtype)
        # Many rows are taken at a time: each step computes the factors of the other set anew if
        # they are not stored (see `PointSet`).
        step = max(at_once // len(others), 1)
        for rows in slices(self._rows.stop, step):
            nearest = make_tile(point_set, rows, others, scratch).nearest(self.length).values
            self._values[rows] = np.sort(nearest, axis=1)[:, : self.length]

    def radii(self, order: int) -> Floats:
        """(m,) approximate distances from the points to their order-th nearest samples, in the
        tiles' units.
        """
        nearest = self._values[:, order - 1]
        return np.sqrt(np.maximum(nearest.astype(np.float64), 0.0))

    def _line(self, values: Floats) -> tuple[float, float, float]:
        """Slope and offset of a linear fit of ``values`` against squared norms, and the standard
        deviation of its residuals.
        """
        squares = self._squares[self._rows]
        off = squares - squares.mean()
        slope = float(off @ values) / max(float(off @ off), float(np.finfo(np.float64).tiny))
        offset = float(values.mean()) - slope * float(squares.mean())
        return slope, offset, float((values - offset - slope * squares).std())

    def mean_radius(self, order: int) -> tuple[float, float]:
        """Lower and upper bound on the mean, over all points, of the distance to the order-th
        nearest sample; they very likely hold.
        """
        radii = self.radii(order)
        slope, offset, rest = self._line(radii)
        mean = slope * float(self._squares.mean()) + offset
        slack = _ERRORS * rest * math.sqrt(max(1 / len(radii) - 1 / len(self._squares), 0.0))
        return max(mean - slack, 0.0), max(mean + slack, 0.0)

    def reach(self, order: int) -> Floats:
        """(n,) squared distances, in the tiles' units, within which nearly all points have their
        order-th nearest.
        """
        slope, offset, rest = self._line(self.radii(order))
        return np.square(np.maximum(slope * self._squares + offset + _DEVIATIONS * rest, 0.0))

    def is_tight(self, reach: Floats) -> bool:
        """True if, for nearly all points, the ball of squared radius ``reach`` holds few more
        samples than needed.
        """
        held = np.count_nonzero(self._values <= reach[self._rows, None], axis=1)
        return float(np.mean(held == self.length)) <= _OVERFULL

    def held(self, radii: Floats) -> int:
        """A number of samples that the balls of these radii hardly ever exceed; if it is
        ``length``, the balls may hold more.
        """
        inside = self._values <= np.square(radii)[:, None]
        return int(np.quantile(np.count_nonzero(inside, axis=1), 1 - _BEYOND, method="higher"))


class TooManyTiesError(Exception):
    """Raised if more samples are tied with the farthest one needed than a list can hold."""


def _capacity(order: int, roomy: bool) -> int:
    """Length of a list. A ``roomy`` list is longer and has to be pruned less often."""
    if roomy:
        return 3 * order + 48
    return order + order // 2 + 48


def bytes_needed(n: int, order: int, itemsize: int, *, roomy: bool) -> int:
    """Bytes of the lists of ``n`` points."""
    return n * _capacity(order, roomy) * (itemsize + 4) + 24 * n


class NeighbourLists:
    """For each point of ``left``, the ``order`` nearest samples of ``right``, and all other samples
    that may be as near within rounding.

    A list takes every sample within a limit. If ``tight``, the limit is the estimate ``reach``.
    Otherwise it comes from the first tile with a wide margin (rows are in random order), where that
    is smaller than ``reach``. `finish` finds the few points whose limit was too small, and
    `look_again` rebuilds their lists. A full list is pruned: its new limit is its order-th smallest
    value plus the bound on the products' error.
    """

    def __init__(
        self,
        left: PointSet,
        right: PointSet,
        order: int,
        reach: Floats,
        *,
        tight: bool,
        roomy: bool,
    ) -> None:
        n = len(left)
        dtype = left.arithmetic.dtype
        self.order = order
        self._left = left
        self._right = right
        self._length = _capacity(order, roomy)
        self._values = np.empty((n, self._length), dtype=dtype)
        self._columns = np.empty((n, self._length), dtype=np.int32)
        self._filled = np.zeros(n, dtype=np.intp)
        self._expected_reach = round_up(reach, dtype)
        self._limits = self._expected_reach.copy() if tight else np.full(n, np.inf, dtype=dtype)
        self._lock = threading.Lock()

    def limits(self, points: slice, tile: Callable[[], Tile]) -> Array:
        """(m,) distance limits of the lists of these points: samples beyond the limit are not
        added. ``tile`` computes the first tile; it is called only if limits must be taken from it.
        """
        if np.isinf(self._limits[points]).any():
            seen = tile()
            first = np.minimum(
                seen.bound(self._most_of(seen.values.shape[1]))[:, 0], self._expected_reach[points]
            )
            with self._lock:
                np.minimum(self._limits[points], first, out=self._limits[points])
        # Limits only shrink: another thread that still uses an older one takes too many samples,
        # never too few.
        return self._limits[points].copy()

    def add(self, points: slice, owners: Ints, samples: Ints, values: Array) -> None:
        """Add samples, in any order, to the lists of these points if they are within the limits;
        thread-safe.

        Raises TooManyTiesError: more samples are equally near than a list holds.
        """
        with self._lock:
            lists = self._values[points], self._columns[points]
            left = append(
                (owners, samples, values), self._limits[points], self._filled[points], lists
            )
            if len(left):
                self._clear(points.start, owners.take(left), samples.take(left), values.take(left))

    def _most_of(self, seen: int) -> int:
        """Upper estimate of how many of a point's ``order`` nearest samples are among the first
        ``seen`` samples; about one point in a million has more.
        """
        mean = self.order * seen / len(self._right)
        return min(self.order, math.ceil(mean + 5 * math.sqrt(mean) + 5))

    def _clear(self, first: int, owners: Ints, samples: Ints, values: Array) -> None:
        """Merge samples for which the lists had no room into these lists, and prune them.
        ``owners`` are indices of points relative to the point ``first``.
        """
        order = np.argsort(owners, kind="stable")
        which, starts, lengths = np.unique(
            owners.take(order), return_index=True, return_counts=True
        )
        fresh_values, fresh_columns = padded(
            values.take(order), samples.take(order), starts, lengths
        )
        points = first + which
        held = self._values[points]
        held[np.arange(self._length) >= self._filled[points][:, None]] = np.inf
        values = np.concatenate([held, fresh_values], axis=1)
        columns = np.concatenate([self._columns[points], fresh_columns], axis=1, dtype=np.int32)
        self._put(
            points, values, columns, np.minimum(self._reach(points, values), self._limits[points])
        )

    def _put(self, points: Ints, values: Array, columns: Array, limits: Array) -> None:
        """Replace the lists of some points by ``values`` and ``columns``, without entries beyond
        the limits.
        """
        inside = (values <= limits[:, None]) & np.isfinite(values)
        filled = inside.sum(axis=1)
        if filled.max() > self._length:
            raise TooManyTiesError
        owner, slot = np.nonzero(inside)
        place = points[owner], ranges(np.zeros_like(filled), filled)
        self._values[points] = np.inf
        self._values[place], self._columns[place] = values[owner, slot], columns[owner, slot]
        self._filled[points], self._limits[points] = filled, limits

    def _reach(self, points: Ints, values: Array) -> Array:
        """Limits that include every sample that may be as near, within rounding, as the
        ``order``-th nearest of the given values.
        """
        nearest = np.partition(values, self.order - 1, axis=1)[:, self.order - 1]
        return self._left.arithmetic.widened(nearest, self._left.norms[points])

    def candidates(self, rows: slice) -> Candidates:
        """The lists of these points, after `finish` has padded them."""
        width = int(self._filled[rows].max(initial=self.order))
        return Candidates(self._values[rows, :width], self._columns[rows, :width], None)

    def complete(self, rows: slice) -> Array:
        """(m,) approximate distances up to which the lists of these points are complete."""
        return self._limits[rows]

    def finish(self, rows: slice) -> Ints:
        """Pad the lists of these points, after all tiles were added; return those points whose
        limit was too small.
        """
        padding = np.arange(self._length) >= self._filled[rows][:, None]
        np.copyto(self._values[rows], np.inf, where=padding)
        points = np.arange(rows.start, rows.stop)
        return points[self._reach(points, self.candidates(rows).values) > self._limits[rows]]

    def look_again(self, points: Ints, scratch: Scratch) -> None:
        """Rebuild the lists of these points from all samples."""
        few = PointSet(DistinctRows(self._left.rows.subset(points)), self._left.arithmetic)
        step = max(1, _AGAIN_AT_ONCE // len(self._right))
        for some in slices(len(points), step):
            nearest = make_tile(few, some, self._right, scratch).nearest(self.order)
            self._put(
                points[some],
                nearest.values,
                nearest.columns,
                self._reach(points[some], nearest.values),
            )


class BoundedRadiusCounts:
    """For each point, the number of pairs within one radius, while only bounds on that radius are
    known. Pairs come in any order, none twice.

    Pairs at or below the lower bound are counted at once, pairs above the upper one are dropped.
    Pairs between the bounds are kept, ``room`` at most, and decided once the radius is known.

    low, high : squared radii, in the tiles' units, between which the squared radius very likely
    lies.
    """

    def __init__(self, left: PointSet, right: PointSet, low: float, high: float, room: int) -> None:
        arithmetic = left.arithmetic
        self._left = left
        self._right = right
        self._room = room
        # The bounds are widened by the products' error for usual norms (99 % of them); if the true
        # error is larger, `counts` returns None.
        usual = np.quantile(np.concatenate([left.norms, right.norms]), [0.99])
        error = 0.0
        if not arithmetic.exact:
            error = 3 * float(arithmetic.error(usual, high)[0])
        self._low = round_down(np.array([low - error]), arithmetic.dtype)[0]
        self.high = round_up(np.array([high + error]), arithmetic.dtype)[0]
        self._counts = np.zeros(len(left), np.int64), np.zeros(len(right), np.int64)
        self._between: list[tuple[Small, Small, Array]] = []
        self._kept = 0
        self._lock = threading.Lock()

    @property
    def given_up(self) -> bool:
        """True if there were too many pairs to store."""
        return self._kept > self._room

    def give_up(self) -> None:
        """Drop all pairs, because the caller counts in another way."""
        with self._lock:
            self._kept = self._room + 1
            self._between.clear()

    def add(self, first: Ints, second: Ints, values: Array) -> None:
        """Add pairs, a point of each set, and their approximate squared distances; thread-safe."""
        with self._lock:
            kept = tally(first, second, values, (self._low, self.high), self._counts)
            self._kept += len(kept[0])
            self._between.append(kept)
        if self.given_up:
            self.give_up()

    def counts(self, squared: float) -> tuple[Counts, Counts, int] | None:
        """The number of pairs within the exact squared radius, for each point of either set, and
        the number of comparisons rechecked.

        The radius must be the same at every call. None if the bounds were wrong or there were too
        many pairs to keep.
        """
        left = self._left
        right = self._right
        balls = [
            Ball.of(each.arithmetic, np.full(len(each), squared), each.norms)
            for each in (left, right)
        ]
        sure = min(ball.sure.min() for ball in balls)
        possible = max(ball.possible.max() for ball in balls)
        if self.given_up or self._low > sure or self.high < possible:
            return None
        pairs = Pairs(left=left, rows=slice(0, len(left)), right=right)
        with self._lock:  # The first call decides the stored pairs and drops them.
            if self._between:
                first, second, values = map(np.concatenate, zip(*self._between, strict=True))
                inside = values <= balls[0].sure[first]
                unsure = np.flatnonzero((values <= balls[0].possible[first]) ^ inside)
                places = first[unsure].astype(np.intp), second[unsure].astype(np.intp)
                inside[unsure] = pairs.reference(*places) <= squared
                for points, count in zip((first, second), self._counts, strict=True):
                    count += np.bincount(points[inside], minlength=len(count))
            self._between.clear()
        return *self._counts, pairs.rechecked
