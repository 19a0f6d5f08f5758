"""The sets of a split made ready: duplicates merged, arithmetic chosen, factors computed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from prviz.neighbors.balls import ROLES, Role
from prviz.neighbors.kernels import Scratch
from prviz.neighbors.point_sets import DistinctRows, PointSet, RowView, merge_duplicates
from prviz.neighbors.products import Arithmetic, choose_arithmetic
from prviz.neighbors.threads import available_threads, run_blocks
from prviz.neighbors.tiles import make_tile
from prviz.samples import Split

__all__ = ["Prepared", "prepare"]

# Share of a point's comparisons to recheck above which float32 does not pay for it (each recheck costs about a hundred
# products), and share of such points above which float64 is used for all.
_UNCLEAR_COMPARISONS, _UNCLEAR_POINTS = 1 / 100, 1 / 8


Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class Prepared:
    """Fit and evaluation sets by role; without split (``held_out`` False) they are the same objects.

    ``factors_bytes``: memory of the factors that are stored.
    """

    arithmetic: Arithmetic
    fit: Mapping[Role, PointSet]
    evaluate: Mapping[Role, PointSet]
    held_out: bool
    factors_bytes: int

    @property
    def itemsize(self) -> int:
        """Bytes of one distance."""
        return int(np.dtype(self.arithmetic.dtype).itemsize)

    @property
    def weighted(self) -> bool:
        """True if duplicates were merged, so that samples have weights, which only the plan by rows can count."""
        return any(point_set.weights is not None for point_set in self.fit.values())

    def order(self, k: int, role: Role, among: str) -> int:
        """Order of the distance to the k-th nearest of an evaluation point of ``role`` among all distances.

        Without split the point is among its own role's fit samples, at distance zero: no sample is nearer, so the k
        nearest others are the k + 1 nearest, whatever duplicates there are. The point is left out by index, not by
        distance.
        """
        return k if self.held_out or among not in (role, "both") else k + 1


def prepare(split: Split, factors_limit: int) -> Prepared:
    """Merge duplicates, choose the arithmetic, compute norms, and store factors up to ``factors_limit`` bytes."""
    samples = [each.values for each in split.pair]
    chosen = [split.fit_rows, split.evaluate_rows] if split.held_out else [(None, None)]
    rows = [RowView(np.asarray(values), index) for part in chosen for values, index in zip(samples, part, strict=True)]
    merged = _each(merge_duplicates, rows)
    if not split.held_out:
        merged = [_shuffled(each) for each in merged]
    distinct = [part.rows for part in merged]
    prepared = _prepared(merged, choose_arithmetic(distinct), split.held_out, factors_limit)
    if not prepared.arithmetic.exact and _hopeless(prepared):
        return _prepared(merged, choose_arithmetic(distinct, wide=True), split.held_out, factors_limit)
    return prepared


def _each(make: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """Results of ``make`` for a few items, on all cores."""
    made: list[Result] = []
    run_blocks(make, items, available_threads(), lambda _, result: made.append(result))
    return made


def _shuffled(merged: DistinctRows) -> DistinctRows:
    """Rows in a random order, so that the first ones are a random sample whatever the order of the file."""
    if merged.weights is not None:
        return merged
    order = np.random.default_rng(0).permutation(len(merged.rows))
    return DistinctRows(merged.rows.subset(order), None, np.argsort(order))


def _prepared(merged: Sequence[DistinctRows], arithmetic: Arithmetic, held_out: bool, factors_limit: int) -> Prepared:
    itemsize = np.dtype(arithmetic.dtype).itemsize
    needed = sum(len(part.rows) * (part.rows.d + 2) * itemsize for part in merged)
    stored = needed <= factors_limit
    point_sets = _each(lambda part: PointSet(part, arithmetic, stored=stored), merged)
    fit, evaluate = (dict(zip(ROLES, part, strict=True)) for part in (point_sets[:2], point_sets[-2:]))
    return Prepared(arithmetic, fit, evaluate, held_out, needed if stored else 0)


def _hopeless(prepared: Prepared) -> bool:
    """True if float32 would leave too many comparisons to recheck, judged by a few points."""
    arithmetic, scratch = prepared.arithmetic, Scratch()
    hopeless: list[np.bool_] = []
    for point_set in prepared.evaluate.values():
        few = PointSet(
            DistinctRows(point_set.rows.subset(np.arange(0, len(point_set), max(1, len(point_set) // 8)))), arithmetic
        )
        for right in prepared.fit.values():
            tile = make_tile(few, slice(0, len(few)), right, slice(0, len(right)), "probe", scratch).values
            for order in (min(2, len(right)), math.isqrt(len(right))):
                nearest = np.partition(tile, order - 1, axis=1)[:, order - 1 : order].astype(np.float64)
                band = 2 * arithmetic.error(few.norms[:, None], nearest)
                unclear = np.count_nonzero(np.abs(tile - nearest) <= band, axis=1) - 1
                hopeless.extend(unclear > _UNCLEAR_COMPARISONS * len(right))
    return float(np.mean(hopeless)) > _UNCLEAR_POINTS
