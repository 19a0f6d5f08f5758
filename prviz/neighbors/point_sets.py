"""Sets of samples prepared for matrix products (the sets of one split), and approximate distances
between two sets.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from prviz.arrays import Array
from prviz.neighbors.balls import ROLES, Role, Rule
from prviz.neighbors.kernels import Scratch
from prviz.neighbors.products import PART, Arithmetic, add_products, choose_arithmetic
from prviz.neighbors.rows import DistinctRows, RowView, merge_duplicates, sequential_tile
from prviz.neighbors.threads import available_threads, on_all_cores, one_blas_thread
from prviz.samples import Split

# Factors are the rows that a matrix product takes, see `PointSet.factors`. If they are not stored,
# they are computed for at most _ROWS_AT_ONCE samples at a time, and the last _RECENT_KEPT blocks
# stay in memory.
_ROWS_AT_ONCE = 2048
_RECENT_KEPT = 2
# Factors are computed for at least this many samples at a time, however many features there are.
_LEAST_AT_ONCE = 16

# A recheck costs as much as about a hundred products. float64 is used for all points if more than
# _UNCLEAR_POINTS of them would need rechecks, in float32, of more than _UNCLEAR_COMPARISONS of
# their comparisons.
_UNCLEAR_COMPARISONS = 1 / 100
_UNCLEAR_POINTS = 1 / 8

# Device on which this thread's tiles are made, a `TorchDevice`; None: the processor, by NumPy and
# C.
device: ContextVar[Any] = ContextVar("device", default=None)


class AtOnce(NamedTuple):
    """For sets whose factors are not stored: for how many samples factors are computed at a time.

    rows : for each thread's block of points.
    columns : for the other side of the product, whose factors are computed again for every block.
    """

    rows: int = _ROWS_AT_ONCE
    columns: int = _ROWS_AT_ONCE

    @classmethod
    def within(cls, memory: int, sets: Sequence[RowView], arithmetic: Arithmetic) -> AtOnce:
        """The largest numbers with which factors, and the values that they are computed from, take
        at most ``memory`` bytes on all threads together.
        """
        values = max(each.source.dtype.itemsize for each in sets)
        factor = np.dtype(arithmetic.dtype).itemsize
        # A quarter of the memory is for factors of columns (the blocks stored for both sets, and
        # the next ones), as they are cheap to compute again. The rest is for the threads' rows.
        columns = memory // 4 // (2 * sets[0].d * (values + _RECENT_KEPT * factor))
        rows = memory * 3 // 4 // (available_threads() * sets[0].d * (values + factor))
        return cls(*(min(max(each, _LEAST_AT_ONCE), _ROWS_AT_ONCE) for each in (rows, columns)))


class PointSet:
    """A set of distinct samples with its norms and its factors for matrix products; factors are
    stored, or computed on demand.

    ``placed``: the set on a device, a `PlacedSet` (see `place`); None: its tiles are made on the
    processor.
    """

    placed: Any = None

    def __init__(
        self,
        merged: DistinctRows,
        arithmetic: Arithmetic,
        *,
        stored: bool = True,
        at_once: AtOnce | None = None,
    ) -> None:
        self._at_once = at_once or AtOnce()
        self.merged = merged
        self.rows = merged.rows
        self.weights = merged.weights
        self.arithmetic = arithmetic
        n = len(self.rows)
        d = self.rows.d
        self.norms = np.zeros(n)
        self.squares = np.zeros(n, dtype=arithmetic.dtype)
        self._factors: Array | None = None
        self._recent: OrderedDict[tuple[int, int], Array] = OrderedDict()
        self._lock = threading.Lock()
        if arithmetic.direct:
            self.coordinates = np.ascontiguousarray(self.rows.take(slice(None)).T, dtype=np.float64)
            return
        self._factors = np.empty((n, d + 2), dtype=arithmetic.dtype) if stored else None
        scratch = Scratch()
        for part, values in self.rows.chunks():
            rounded = scratch.take("rounded", len(values), d, arithmetic.dtype)
            if self._factors is not None:
                rounded = self._factors[part, :d]
            arithmetic.round(values, rounded)
            wide = rounded.astype(np.float64, copy=False)
            squares = np.einsum("ij,ij->i", wide, wide)
            self.squares[part], self.norms[part] = squares, arithmetic.padded_norms(squares)
        if self._factors is not None:
            self._factors[:, d], self._factors[:, d + 1] = 1, self.squares

    def __len__(self) -> int:
        return len(self.norms)

    def factors(self, part: slice) -> Array:
        """(m, d + 2) rows b', 1, |b'|^2 of these samples, in the notation of `products`; the last
        blocks computed are kept.
        """
        if self._factors is not None:
            return self._factors[part]
        key = (part.start, part.stop)
        with self._lock:
            if key not in self._recent:
                factors = np.empty(
                    (part.stop - part.start, self.rows.d + 2), dtype=self.arithmetic.dtype
                )
                self.arithmetic.round(self.rows.take(part), factors[:, :-2])
                factors[:, -2], factors[:, -1] = 1, self.squares[part]
                self._recent[key] = factors
                while len(self._recent) > _RECENT_KEPT:
                    self._recent.popitem(last=False)
            return self._recent[key]

    def rows_at_once(self, n: int) -> int:
        """Largest number of points, at most ``n``, whose distances to other sets are computed at a
        time.
        """
        if self.placed is not None:
            n = min(n, self.placed.at_once)
        if self._factors is not None or self.arithmetic.direct:
            return n
        return min(n, self._at_once.rows)

    def columns_at_once(self, n: int) -> int:
        """Largest number of samples, at most ``n``, for which `factors` may be called at a time."""
        if self._factors is not None:
            return n
        return min(n, self._at_once.columns)

    def rounded(self, part: slice, scratch: Scratch) -> Array:
        """(m, d) rows a' of `products`: centred, scaled and rounded values."""
        if self._factors is not None:
            return self._factors[part, :-2]
        rounded = scratch.take(
            "rounded", part.stop - part.start, self.rows.d, self.arithmetic.dtype
        )
        self.arithmetic.round(self.rows.take(part), rounded)
        return rounded

    def left_factors(self, part: slice, scratch: Scratch) -> Array:
        """(m, d + 2) rows -2a', |a'|^2, 1: times `factors` of another set they give squared
        distances.
        """
        left = scratch.take(
            "left factors", part.stop - part.start, self.rows.d + 2, self.arithmetic.dtype
        )
        np.multiply(self.rounded(part, scratch), -2, out=left[:, :-2])
        left[:, -2], left[:, -1] = self.squares[part], 1
        return left


def place(point_sets: Sequence[PointSet], memory_limit: int) -> None:
    """Place sets on this thread's device, if it has one. Sets of few features, whose distances are
    computed without products, stay on the processor.
    """
    if (there := device.get()) is not None and not point_sets[0].arithmetic.direct:
        there.place(point_sets, memory_limit)


def distances(
    left: PointSet, rows: slice, right: PointSet, columns: slice, buffer: str, scratch: Scratch
) -> Array:
    """(m, n) approximate squared distances of rows of ``left`` from rows of ``right``, in a buffer
    of the thread.
    """
    shape = (rows.stop - rows.start, columns.stop - columns.start)
    values = scratch.take(buffer, *shape, left.arithmetic.dtype)
    if left.arithmetic.direct:
        squares = scratch.take("squares", *shape, np.float64)
        sequential_tile(left.coordinates[:, rows], right.coordinates[:, columns], values, squares)
        return values
    d = left.rows.d
    step = right.columns_at_once(shape[1])
    near = left.left_factors(rows, scratch) if d <= PART else left.rounded(rows, scratch)
    for start in range(columns.start, columns.stop, step):
        part = slice(start, min(start + step, columns.stop))
        out = values[:, start - columns.start : part.stop - columns.start]
        far = right.factors(part)
        if d <= PART:
            np.matmul(near, far.T, out=out)
            continue
        np.add(left.squares[rows, None], right.squares[part], out=out)
        # -2 a' . b' is added in parts of the features, as the error bound assumes.
        for first in range(0, d, PART):
            features = slice(first, min(first + PART, d))
            add_products(near[:, features], far[:, features], out, -2.0)
    return values


@dataclass(frozen=True, eq=False)
class Prepared:
    """Fit and evaluation sets by role; without split (``held_out`` False) they are the same
    objects.

    ``factors_bytes``: bytes of the stored factors.
    """

    arithmetic: Arithmetic
    fit: Mapping[Role, PointSet]
    evaluate: Mapping[Role, PointSet]
    held_out: bool
    factors_bytes: int

    @property
    def itemsize(self) -> int:
        """Number of bytes of one approximate distance."""
        return int(np.dtype(self.arithmetic.dtype).itemsize)

    @property
    def rows_at_once(self) -> int:
        """Number of points whose distances are computed at a time; it suits all of the sets."""
        return min(
            each.rows_at_once(_ROWS_AT_ONCE)
            for each in (*self.fit.values(), *self.evaluate.values())
        )

    @property
    def placed(self) -> Any:
        """The real fit set on its device; None if no device is used. All sets are on a device, or
        none.
        """
        return self.fit["real"].placed

    @property
    def weighted(self) -> bool:
        """True if duplicates were merged: samples then have weights, which only the plan by rows
        can count.
        """
        return any(point_set.weights is not None for point_set in self.fit.values())

    def order(self, rule: Rule, role: Role) -> int:
        """The order of a rule's k-th nearest sample among all distances from an evaluation point of
        ``role``: k or k + 1.

        Without split the point is among its own role's fit samples, at distance zero. No sample is
        nearer, so the k nearest others are the k + 1 nearest, whatever duplicates there are. The
        point is left out by index, not by distance.
        """
        if self.held_out or role not in rule.roles:
            return rule.k
        return rule.k + 1


def prepare(split: Split, factors_limit: int) -> Prepared:
    """Merge duplicates, choose the arithmetic, compute norms, store factors if they take at most
    ``factors_limit`` bytes, and give the sets to the thread's device.
    """
    samples = [each.values for each in split.pair]
    chosen = [split.fit_rows, split.evaluate_rows] if split.held_out else [(None, None)]
    rows = [
        RowView(np.asarray(values), index)
        for part in chosen
        for values, index in zip(samples, part, strict=True)
    ]
    merged = on_all_cores(merge_duplicates, rows)
    if not split.held_out:
        merged = [_shuffled(each) for each in merged]
    distinct = [part.rows for part in merged]
    prepared = _prepared(merged, choose_arithmetic(distinct), split.held_out, factors_limit)
    if not prepared.arithmetic.exact and _hopeless(prepared):
        prepared = _prepared(
            merged, choose_arithmetic(distinct, wide=True), split.held_out, factors_limit
        )
    sets = dict.fromkeys([*prepared.fit.values(), *prepared.evaluate.values()])
    place(list(sets), 2 * factors_limit)
    return prepared


def _shuffled(merged: DistinctRows) -> DistinctRows:
    """The rows in random order, so that the first rows are a random sample, whatever the order of
    the file.
    """
    if merged.weights is not None:
        return merged
    order = np.random.default_rng(0).permutation(len(merged.rows))
    return DistinctRows(merged.rows.subset(order), None, np.argsort(order))


def _prepared(
    merged: Sequence[DistinctRows], arithmetic: Arithmetic, held_out: bool, factors_limit: int
) -> Prepared:
    itemsize = np.dtype(arithmetic.dtype).itemsize
    needed = sum(len(part.rows) * (part.rows.d + 2) * itemsize for part in merged)
    stored = needed <= factors_limit
    at_once = AtOnce.within(factors_limit * 3 // 2, [part.rows for part in merged], arithmetic)
    point_sets = on_all_cores(
        lambda part: PointSet(part, arithmetic, stored=stored, at_once=at_once), merged
    )
    fit, evaluate = (
        dict(zip(ROLES, part, strict=True)) for part in (point_sets[:2], point_sets[-2:])
    )
    return Prepared(arithmetic, fit, evaluate, held_out, needed if stored else 0)


@one_blas_thread()  # A second BLAS thread would only wait for the first.
def _hopeless(prepared: Prepared) -> bool:
    """True if float32 would leave too many comparisons to be rechecked; judged by a few of the
    points.
    """
    arithmetic = prepared.arithmetic
    scratch = Scratch()
    hopeless: list[np.bool_] = []
    for point_set in prepared.evaluate.values():
        few = PointSet(
            DistinctRows(
                point_set.rows.subset(np.arange(0, len(point_set), max(1, len(point_set) // 8)))
            ),
            arithmetic,
        )
        for right in prepared.fit.values():
            tile = distances(few, slice(0, len(few)), right, slice(0, len(right)), "probe", scratch)
            for order in (min(2, len(right)), math.isqrt(len(right))):
                nearest = np.partition(tile, order - 1, axis=1)[:, order - 1 : order].astype(
                    np.float64
                )
                band = 2 * arithmetic.error(few.norms[:, None], nearest)
                unclear = np.count_nonzero(np.abs(tile - nearest) <= band, axis=1) - 1
                hopeless.extend(unclear > _UNCLEAR_COMPARISONS * len(right))
    return float(np.mean(hopeless)) > _UNCLEAR_POINTS
