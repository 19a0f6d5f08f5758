"""Both ends of the curves, alpha_inf and beta_0: over k, and on data without their duplicates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from prviz.curves import PRCurve
from prviz.diagnostics.facts import Duplicates, duplicates, row_classes
from prviz.estimators import ESTIMATORS
from prviz.estimators.base import resolve_k, shares_pass
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
        """Those of a curve."""
        return cls(curve.extreme_precision, curve.extreme_recall)


class Distinct(NamedTuple):
    """What is measured on some of the rows.

    dropped : how many real and how many generated rows were left out.
    extremes : both ends by method; None: the rest are too few for this k.
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
    """Both ends of every family's curve at every k, as `prviz.profile` gives them; KDE's with the automatic bandwidth.

    progress : called with the fraction done; may raise to stop.
    """
    shared = [name for name in methods if shares_pass(ESTIMATORS[name])]
    calls: list[tuple[list[str], list[int]]] = [(shared, list(ks))] if shared else []
    calls += [([name], [k]) for name in methods if name not in shared for k in ks]
    found: dict[str, list[Extremes]] = {name: [] for name in methods}
    for index, (names, some) in enumerate(calls):
        tick = part_of(progress, index, len(calls))
        made = profile_pair(
            pair, names, ks=some, bandwidths=(), split=split, seed=seed, memory_limit=memory_limit, progress=tick
        )
        for name in names:
            found[name] += [Extremes.of(made.curve(name, k)) for k in some]
    return found


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

    The last one leaves out every generated row besides that is equal to a real one. Every row stays in the part of
    the split that it was drawn for, and k, the number, stays. What leaves out nothing more is not measured again.

    Parameters
    ----------
    pair, methods, k, bandwidth, split, seed, memory_limit : as in `prviz.estimate`.
    progress : called with the fraction done; may raise to stop.

    Raises
    ------
    ValueError, TypeError : as `prviz.estimate`.
    """
    drawn, number = pair.split(split, seed), resolve_k(k, pair)
    wanted = [(method, number, bandwidth) for method in methods]
    kept, result = _kept(pair), list[Distinct]()
    for index, rows in enumerate(kept):
        dropped = (pair.real.n - len(rows[0]), pair.generated.n - len(rows[1]))
        if result and dropped == result[-1].dropped:
            result.append(result[-1])
            continue
        some, found = _only(drawn, rows), None
        # All rows must suffice for k, which is checked where they are measured.
        if some is not None and (not result or min(map(len, some.fit_rows)) > number):
            estimates = measure(some, wanted, seed, memory_limit, part_of(progress, index, len(kept)))
            found = {each.method: Extremes.of(each.curve) for each in estimates}
        result.append(Distinct(dropped, found))
    return result[0], result[1], result[2]


def _kept(pair: SamplePair) -> tuple[tuple[Places, Places], ...]:
    """The rows of both sets that each of the three measurements of `distinct` is made on."""
    classes = row_classes(pair)
    real, generated = classes[: pair.real.n], classes[pair.real.n :]
    firsts = [np.sort(np.unique(side, return_index=True)[1]) for side in (real, generated)]
    fresh = firsts[1][~np.isin(generated[firsts[1]], real)]
    return (np.arange(pair.real.n), np.arange(pair.generated.n)), (firsts[0], firsts[1]), (firsts[0], fresh)


def _only(split: Split, rows: tuple[Places, Places]) -> Split | None:
    """The split with these rows alone; None where a part of it has none left."""
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
    """Some rows of both sets, in increasing order; a set that stays whole is not copied."""
    real, generated = (side if len(some) == side.n else side.take(some) for side, some in zip(pair, rows, strict=True))
    return SamplePair(real, generated)
