"""Order statistics of candidates, of one role or pooled: approximate and exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prviz.neighbors.kernels import Candidates, true_places
from prviz.neighbors.tiles import Pairs, Rows

__all__ = ["ExactOrder", "Ranking"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ExactOrder:
    """An exact order statistic of some rows.

    squared : (s,) reference squared distance.
    counts : per role given, (s,) number of its samples at or below it.
    """

    squared: Floats
    counts: tuple[NDArray[np.int64], ...]


class Ranking:
    """The candidates of one or both tiles of a block, in order of distance."""

    def __init__(self, tiles: Sequence[Pairs], candidates: Sequence[Candidates]) -> None:
        self.tiles = tiles
        self.candidates = candidates
        values = np.concatenate([part.values for part in candidates], axis=1)
        self._cumulative: NDArray[np.float64] | None = None
        if all(part.weights is None for part in candidates):
            self._values = np.sort(values, axis=1)
            return
        weights = np.concatenate([part.weights_or_ones() for part in candidates], axis=1)
        order = np.argsort(values, axis=1)
        self._values = np.take_along_axis(values, order, axis=1)
        self._cumulative = np.cumsum(np.take_along_axis(weights, order, axis=1), axis=1)

    def approximate(self, order: int) -> NDArray[Any]:
        """The order-th smallest entry of each row, duplicates counted: (m,) in the tiles' units."""
        if self._cumulative is None:
            places = np.full(len(self._values), order - 1)
        else:
            places = (self._cumulative < order).sum(axis=1)
        smallest: NDArray[Any] = self._values[np.arange(len(places)), places]
        return smallest

    def counts(self, order: int) -> list[NDArray[np.int64]]:
        """Per tile, the number of its samples at or below the exact order-th smallest distance: (m,) each."""
        arithmetic = self.tiles[0].arithmetic
        approximate = self.approximate(order)[:, None]
        counts = [part.weight_within(approximate) for part in self.candidates]
        if arithmetic.exact:
            return counts
        # Certain where exactly ``order`` samples can be within the limit; else the exact order statistic decides.
        wide = approximate.astype(np.float64)
        reach = wide + 2 * arithmetic.error(self.tiles[0].norms[:, None], wide)
        possible = [part.weight_within(reach) for part in self.candidates]
        unsure = np.flatnonzero(sum(possible) != order)
        exact = self.exact(order, unsure).counts
        for count, certain, decided in zip(counts, possible, exact, strict=True):
            count[:] = certain
            count[unsure] = decided
        return counts

    def exact(self, order: int, rows: Rows) -> ExactOrder:
        """The exact order-th smallest distance of ``rows``, duplicates counted."""
        arithmetic = self.tiles[0].arithmetic
        wide = self.approximate(order)[rows].astype(np.float64)
        if arithmetic.exact:
            limits = wide[:, None]
            return ExactOrder(
                arithmetic.unscaled(wide), tuple(p.take(rows).weight_within(limits) for p in self.candidates)
            )
        slack = 2 * arithmetic.error(self.tiles[0].norms[rows], wide)
        found = [
            _within_band(*each, rows, wide - slack, wide + slack)
            for each in zip(self.tiles, self.candidates, strict=True)
        ]
        below = np.sum([part.below for part in found], axis=0)
        squared = _pick(found, order - below)
        counts = tuple(
            part.below
            + np.bincount(part.owner, weights=part.weights * (part.squared <= squared[part.owner]), minlength=len(rows))
            for part in found
        )
        return ExactOrder(squared, tuple(count.astype(np.int64) for count in counts))


@dataclass(frozen=True, eq=False)
class _Band:
    """Candidates too close to tell, with reference distances; ``below``: number of certain ones, (s,)."""

    below: NDArray[np.int64]
    owner: Rows
    squared: Floats
    weights: Floats


def _within_band(tile: Pairs, candidates: Candidates, rows: Rows, low: Floats, high: Floats) -> _Band:
    part = candidates.take(rows)
    below = part.values < low[:, None]
    owner, slot = true_places((part.values <= high[:, None]) & ~below)
    weights = part.weights_or_ones()
    squared = tile.reference(rows[owner], part.columns[owner, slot])
    certain = np.where(below, weights, 0.0).sum(axis=1).astype(np.int64)
    return _Band(certain, owner, squared, weights[owner, slot])


def _pick(found: Sequence[_Band], needed: NDArray[np.int64]) -> Floats:
    """Per owner, the smallest squared distance at which the weights add up to ``needed``."""
    owner = np.concatenate([part.owner for part in found])
    squared = np.concatenate([part.squared for part in found])
    order = np.lexsort((squared, owner))
    owner, squared = owner[order], squared[order]
    total = np.cumsum(np.concatenate([part.weights for part in found])[order])
    starts = np.searchsorted(owner, np.arange(len(needed)))
    before = np.concatenate([[0.0], total])[starts]
    short = np.bincount(owner, weights=total - before[owner] < needed[owner], minlength=len(needed))
    return squared[starts + short.astype(np.intp)]
