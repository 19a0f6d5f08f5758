"""The sets of a split made ready: duplicates merged, arithmetic chosen, factors computed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from prviz.neighbors.balls import ROLES, Role
from prviz.neighbors.clouds import Cloud, Merged, merge_duplicates
from prviz.neighbors.kernels import Scratch
from prviz.neighbors.products import Arithmetic, choose_arithmetic
from prviz.neighbors.tiles import make_tile
from prviz.samples import Split

__all__ = ["Prepared", "prepare"]

# Float32 is hopeless for a point that leaves more than the first share of its comparisons to re-do (each
# costs about a hundred products), and for the data if more than the second share of the points are such.
_UNCLEAR_COMPARISONS, _UNCLEAR_POINTS = 1 / 100, 1 / 8


@dataclass(frozen=True, eq=False)
class Prepared:
    """Fit and evaluation sets by role; without split (``held_out`` False) they are the same objects."""

    arithmetic: Arithmetic
    fit: Mapping[Role, Cloud]
    evaluate: Mapping[Role, Cloud]
    held_out: bool

    def order(self, k: int, role: Role, among: str) -> int:
        """Which order statistic of all distances is the k-th nearest to an evaluation point of ``role``.

        Without split the point is among its own role's fit samples, at distance zero: nobody is nearer, so k
        others are the k + 1 nearest, whatever duplicates there are. It is left out by index, not by its
        distance.
        """
        return k if self.held_out or among not in (role, "both") else k + 1


def prepare(split: Split) -> Prepared:
    """Merge, choose the arithmetic and compute what its products need."""
    merged = [merge_duplicates(samples.values) for samples in split.fit]
    if split.held_out:
        merged += [merge_duplicates(samples.values) for samples in split.evaluate]
    values = [part.values for part in merged]
    prepared = _prepared(merged, choose_arithmetic(values), split.held_out)
    if not prepared.arithmetic.exact and _hopeless(prepared):
        return _prepared(merged, choose_arithmetic(values, wide=True), split.held_out)
    return prepared


def _prepared(merged: list[Merged], arithmetic: Arithmetic, held_out: bool) -> Prepared:
    clouds = [Cloud(part, arithmetic) for part in merged]
    fit, evaluate = (dict(zip(ROLES, part, strict=True)) for part in (clouds[:2], clouds[-2:]))
    return Prepared(arithmetic, fit, evaluate, held_out)


def _hopeless(prepared: Prepared) -> bool:
    """Whether float32 would leave too many comparisons to re-do, judged by a few points."""
    arithmetic, scratch = prepared.arithmetic, Scratch()
    hopeless: list[np.bool_] = []
    for cloud in prepared.evaluate.values():
        few = Cloud(Merged(cloud.values[:: max(1, len(cloud) // 8)]), arithmetic)
        for right in prepared.fit.values():
            tile = make_tile(arithmetic, few, slice(0, len(few)), right, "probe", scratch).values
            for order in (min(2, len(right)), math.isqrt(len(right))):
                nearest = np.partition(tile, order - 1, axis=1)[:, order - 1 : order].astype(np.float64)
                band = 2 * arithmetic.error(few.norms[:, None], nearest)
                unclear = np.count_nonzero(np.abs(tile - nearest) <= band, axis=1) - 1
                hopeless.extend(unclear > _UNCLEAR_COMPARISONS * len(right))
    return float(np.mean(hopeless)) > _UNCLEAR_POINTS
