"""Both ends of the curves, alpha_inf and beta_0: over k, and on data without duplicates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from prviz.curves import PRCurve
from prviz.diagnostics.facts import Duplicates, duplicates, row_classes
from prviz.estimators import ESTIMATORS
from prviz.estimators.base import resolve_k
from prviz.measure.estimates import K, Progress, measure, part_of
from prviz.measure.profiles import profile_pair
from prviz.neighbors import MEMORY_LIMIT
from prviz.samples import SamplePair, Split

__all__ = ["Distinct", "Duplicates", "Extremes", "distinct", "duplicates", "extremes_over_k", "rows_taken"]

Places = NDArray[np.intp]


class Extremes(NamedTuple):
    """Both ends of a curve: alpha_inf and beta_0."""

    precision: float
    recall: float

    @classmethod
    def of(cls, curve: PRCurve) -> Extremes:
        """Both ends of this curve."""
        return cls(curve.extreme_precision, curve.extreme_recall)


class Distinct(NamedTuple):
    """Both ends of the curves on a part of the rows.

    dropped : numbers of real and of generated rows left out.
    extremes : both ends by method; None: the other rows are too few for this k.
    """

    dropped: tuple[int, int]
    extremes: Mapping[str, Extremes] | None


def extremes_over_k(
    pair: SamplePair,
    methods: Sequence[str],
    ks: Sequence[int],
    *,
    split: float | None = 0.5,
    seed: int = 0,
    memory_limit: int = MEMORY_LIMIT,
    progress: Progress | None = None,
) -> dict[str, list[Extremes]]:
    """Both ends of every family's curve at every k, as by `prviz.profile`; for KDE with the automatic bandwidth.

    progress : called with the fraction done; may raise to stop.
    """
    shared = [name for name in methods if ESTIMATORS[name].shares_pass]
    calls: list[tuple[list[str], list[int]]] = [(shared, list(ks))] if shared else []
    calls += [([name], [k]) for name in methods if name not in shared for k in ks]
    ends: dict[str, list[Extremes]] = {name: [] for name in methods}
    for index, (names, numbers) in enumerate(calls):
        tick = part_of(progress, index, len(calls))
        profile = profile_pair(
            pair, names, ks=numbers, bandwidths=(), split=split, seed=seed, memory_limit=memory_limit, progress=tick
        )
        for name in names:
            ends[name] += [Extremes.of(profile.curve(name, k)) for k in numbers]
    return ends


def distinct(
    pair: SamplePair,
    methods: Sequence[str],
    *,
    k: K = "sqrt",
    bandwidth: float | None = None,
    split: float | None = 0.5,
    seed: int = 0,
    memory_limit: int = MEMORY_LIMIT,
    progress: Progress | None = None,
) -> tuple[Distinct, Distinct, Distinct]:
    """Both ends of the curves on all rows; on the first of equal rows of each set; and without copies across the sets.

    The last result also leaves out every generated row that is equal to a real one. Every row stays in the part of the
    split that it was drawn for, and k does not change. Where no more rows are left out, the result is used again.

    Parameters
    ----------
    pair, methods, k, bandwidth, split, seed, memory_limit : as in `prviz.estimate`.
    progress : called with the fraction done; may raise to stop.

    Raises
    ------
    ValueError, TypeError : as `prviz.estimate`.
    """
    drawn, number = pair.split(split, seed), resolve_k(k, pair)
    requests = [(method, number, bandwidth) for method in methods]
    kept, result = _kept(pair), list[Distinct]()
    for index, rows in enumerate(kept):
        dropped = (pair.real.n - len(rows[0]), pair.generated.n - len(rows[1]))
        if result and dropped == result[-1].dropped:
            result.append(result[-1])
            continue
        part, ends = _only(drawn, rows), None
        # For all rows, the first of the three, `measure` checks that there are enough for k.
        if part is not None and (not result or min(map(len, part.fit_rows)) > number):
            estimates = measure(part, requests, seed, memory_limit, part_of(progress, index, len(kept)))
            ends = {estimate.method: Extremes.of(estimate.curve) for estimate in estimates}
        result.append(Distinct(dropped, ends))
    return result[0], result[1], result[2]


def _kept(pair: SamplePair) -> tuple[tuple[Places, Places], ...]:
    """Rows of both sets for each of the three measurements of `distinct`."""
    classes = row_classes(pair)
    real, generated = classes[: pair.real.n], classes[pair.real.n :]
    firsts = [np.sort(np.unique(side, return_index=True)[1]) for side in (real, generated)]
    fresh = firsts[1][~np.isin(generated[firsts[1]], real)]
    return (np.arange(pair.real.n), np.arange(pair.generated.n)), (firsts[0], firsts[1]), (firsts[0], fresh)


def _only(split: Split, rows: tuple[Places, Places]) -> Split | None:
    """Split with these rows alone; None where a part would be empty."""
    if not split.held_out:
        return rows_taken(split.pair, rows).split(None) if all(map(len, rows)) else None
    fit, evaluate = (
        tuple(part[np.isin(part, kept)] for part, kept in zip(both, rows, strict=True))
        for both in (split.fit_rows, split.evaluate_rows)
    )
    if not all(map(len, (*fit, *evaluate))):
        return None
    return Split(split.pair, (fit[0], fit[1]), (evaluate[0], evaluate[1]), held_out=True)


def rows_taken(pair: SamplePair, rows: Sequence[Places]) -> SamplePair:
    """Pair of the given rows of both sets, in increasing order; a set that stays whole is not copied."""
    real, generated = (side if len(part) == side.n else side.take(part) for side, part in zip(pair, rows, strict=True))
    return SamplePair(real, generated)
