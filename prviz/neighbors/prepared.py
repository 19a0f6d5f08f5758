"""The sets of one split, prepared for matrix products: duplicates are merged, and the cheapest
arithmetic is chosen that is exact or has a proven error bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from prviz.arrays import Array, Floats
from prviz.neighbors.balls import ROLES, Role, Rule
from prviz.neighbors.point_sets import (
    ROWS_AT_ONCE,
    SEQUENTIAL,
    AtOnce,
    DistinctRows,
    PointSet,
    RowView,
    Scratch,
    distances,
    merge_duplicates,
    place,
)
from prviz.neighbors.products import PART, Arithmetic, adds_once, banded
from prviz.neighbors.threads import on_all_cores, one_blas_thread
from prviz.samples import Split

# A recheck costs as much as about a hundred products. float64 is used for all points if more than
# _UNCLEAR_POINTS of them would need rechecks, in float32, of more than _UNCLEAR_COMPARISONS of
# their comparisons.
_UNCLEAR_COMPARISONS = 1 / 100
_UNCLEAR_POINTS = 1 / 8

# The centre is the median of _CENTRE_ROWS rows of each set, fewer (at least _CENTRE_LEAST) where
# these are more than _CENTRE_VALUES values. It need not be exact: a poorer centre only enlarges
# norms.
_CENTRE_ROWS = 128
_CENTRE_LEAST = 16
_CENTRE_VALUES = 1 << 18


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
        sets = (*self.fit.values(), *self.evaluate.values())
        return min([each.rows_at_once(ROWS_AT_ONCE) for each in sets])

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
    samples = [split.pair.real.values, split.pair.generated.values]
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
    rows = [part.rows for part in merged]
    itemsize = np.dtype(arithmetic.dtype).itemsize
    needed = sum(map(len, rows)) * (len(arithmetic.centre) + 2) * itemsize
    at_once = None
    if needed > factors_limit:
        at_once = AtOnce.within(factors_limit * 3 // 2, rows, arithmetic)
    point_set = partial(PointSet, arithmetic=arithmetic, at_once=at_once)
    point_sets = on_all_cores(point_set, merged)
    fit, evaluate = (
        dict(zip(ROLES, part, strict=True)) for part in (point_sets[:2], point_sets[-2:])
    )
    return Prepared(arithmetic, fit, evaluate, held_out, 0 if at_once else needed)


@one_blas_thread()  # A second BLAS thread would only wait for the first.
def _hopeless(prepared: Prepared) -> bool:
    """True if float32 would leave too many comparisons to be rechecked; judged by a few of the
    points.
    """
    arithmetic = prepared.arithmetic
    scratch = Scratch()
    hopeless: list[np.bool_] = []
    for point_set in prepared.evaluate.values():
        few = slice(0, len(point_set), max(1, len(point_set) // 8))
        norms = point_set.norms[few, None]
        for right in prepared.fit.values():
            n = len(right)
            tile = distances(point_set, few, right, slice(0, n), "probe", scratch)
            orders = [min(2, n) - 1, math.isqrt(n) - 1]
            nearest = np.partition(tile, orders, axis=1)[:, orders].astype(np.float64)
            bands = 2 * arithmetic.error(norms, nearest)
            for middle, band in zip(nearest.T, bands.T, strict=True):
                apart = np.abs(tile - middle[:, None])
                unclear = np.count_nonzero(apart <= band[:, None], axis=1) - 1
                hopeless.extend(unclear > _UNCLEAR_COMPARISONS * n)
    return float(np.mean(hopeless)) > _UNCLEAR_POINTS


def choose_arithmetic(sets: Sequence[RowView], *, wide: bool = False) -> Arithmetic:
    """The cheapest arithmetic for all these sets together that is exact or has a proven error
    bound.

    ``wide``: products in float64, for data that float32 would leave too many comparisons to
    recheck.
    """
    count = min(_CENTRE_ROWS, max(_CENTRE_LEAST, _CENTRE_VALUES // sets[0].d))
    few = [
        rows.take(np.arange(0, len(rows), max(1, len(rows) // count))[: count + 1]) for rows in sets
    ]
    sample = np.concatenate(few).astype(np.float64)
    # The median, because a single far row can't move it. The number of rows is odd, so that the
    # median of a feature is one of its values, and an integer multiple of their common power of
    # two.
    odd = sample[: len(sample) - 1 + len(sample) % 2]
    centre = np.sort(odd.T, axis=1)[:, len(odd) // 2].copy()
    largest = math.sqrt(max([rows.largest_squared_norm(centre) for rows in sets]))
    if not math.isfinite(4 * largest * largest):
        raise ValueError(
            f"values {min(largest, 1e154):.3g} or more from their centre; at most 1e153 is needed"
            " for squares to be finite: divide both sets by one number"
        )
    if len(centre) < SEQUENTIAL:
        return Arithmetic(np.float64, centre, 0, direct=True)
    dtype, significand = (np.float64, 52) if wide else (np.float32, 24)
    if len(centre) > PART:
        # Load BLAS while no other threads run: it must not start threads of its own beside them.
        adds_once(np.dtype(dtype), PART)

    def small(quantum: int) -> bool:
        return 2 * largest * (1 + 1e-9) < math.ldexp(1.0, quantum + significand // 2)

    quantum = _quantum(sample, small)
    # Below 2^-500 squares begin to underflow, and the largest norm then says nothing about the
    # values.
    sound = largest > 2.0**-500 or all(
        bool(np.all(part == centre)) for rows in sets for _, part in rows.chunks()
    )
    if (
        small(quantum)
        and sound
        and _on_grid(centre, quantum)
        and all(_on_grid(part, quantum) for rows in sets for _, part in rows.chunks())
    ):
        return Arithmetic(dtype, centre, -quantum)
    return banded(dtype, centre, largest)


def _quantum(sample: Floats, of_use: Callable[[int], bool] = lambda _: True) -> int:
    """The exponent, from -500 to 0, of the largest power of two of which all values of a sample are
    integer multiples.

    of_use : returns False for an exponent so small that the search can stop; with most samples it
    stops after the first row.
    """
    lowest = 0
    step = max(1, _CENTRE_VALUES // sample.shape[1])
    for part in np.split(sample, [1, *range(step, len(sample), step)]):
        significands, exponents = np.frexp(part[part != 0])
        integers = np.ldexp(significands, 53).astype(np.int64)
        lowest_bits = np.frexp((integers & -integers).astype(np.float64))[1] - 1
        lowest = max(min(lowest, int((exponents - 53 + lowest_bits).min(initial=0))), -500)
        if not of_use(lowest):
            break
    return lowest


def _on_grid(values: Array, quantum: int) -> bool:
    multiples = np.ldexp(values.astype(np.float64), -quantum)
    return bool(np.array_equal(multiples, np.rint(multiples)))
