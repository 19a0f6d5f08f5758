"""Rows that are not independent: nearest neighbours that stand next to each other in the file, as
frames of a video do.

Neighbours in consecutive rows are counted among those that stand in one stretch of rows, so that a
file that is sorted by class, where all neighbours are near by but none is nearer than the others,
is none of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import comb
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from prviz.arrays import AnyFloats, Flags, Ints
from prviz.neighbors.threads import one_blas_thread
from prviz.samples import SamplePair, Samples

# Rows between two that count as next to each other, and rows of a stretch in which that is compared
# with chance.
NEXT = 3
STRETCH = 100
# Stretches of a file that are compared, spread evenly over it, and rows of the file for each of
# them: a tenth of the rows takes a hundredth of the time of a curve.
_STRETCHES = 5
_ROWS_EACH = 1_000
# Features in which rows are compared at most, spread evenly over all: whatever shows which rows are
# neighbours shows them no more often than by chance where their order means nothing.
_FEATURES = 512
# Fewest rows that are compared.
_LEAST = 40
# Rows that show of most columns that they are not sorted; share of the steps in which a sorted one
# moves: one that hardly does sorts by class.
_FIRST = 10
_MOVES = 0.25
# Neighbours next to each other, over those of a stretch in random order, from which on the rows
# count as dependent: classes in sorted order come to this where they have fewer than about 30 rows
# each and are not known.
_TIMES = 3.0
# Least share of all nearest neighbours that stand next to each other, and probability of as many by
# chance.
_SHARE = 0.1
_CHANCE = 1e-4


class RowOrder(NamedTuple):
    """Nearest neighbours that stand next to each other.

    share : share of the nearest neighbours at most NEXT rows apart. chance : that of rows in random
    order. rows : number of rows that were compared.
    """

    share: float
    chance: float
    rows: int


# The flag, and what follows.
TOGETHER = "Rows that belong together"
CONSEQUENCE = (
    "Rows such as the frames of a video are not independent, so that split, intervals and upper"
    " bound do not hold: name the column that says which belong together (--group COLUMN,"
    " Samples(..., groups=...))."
)
_found_of_sets: WeakKeyDictionary[Samples, RowOrder | None] = WeakKeyDictionary()


def dependent_rows(samples: Samples) -> RowOrder | None:
    """How often nearest neighbours stand next to each other, where that is far more often than by
    chance.

    It is computed once for a set.

    Parameters
    ----------
    samples : Samples
        At least 40; of more than 100 only stretches of 100 rows are compared, five at most.

    Returns
    -------
    RowOrder or None
        None: the order of the rows shows no dependence, is that of a feature, or groups are known.
    """
    if samples not in _found_of_sets:
        _found_of_sets[samples] = _dependent_rows(samples)
    return _found_of_sets[samples]


def _dependent_rows(samples: Samples) -> RowOrder | None:
    n = samples.n
    if samples.groups is not None or n < _LEAST:
        return None
    length = min(STRETCH, n)
    count = min(_STRETCHES, max(1, n // _ROWS_EACH))
    starts = np.linspace(0, n - length, count).round().astype(np.intp)
    rows = (starts[:, None] + np.arange(length)).reshape(-1)
    values = samples.values[rows]  # a copy
    if _is_sorted(values):
        return None
    other = _nearest(values)
    # two rows that are nearest to each other are one pair
    own = np.arange(len(rows))
    first = np.minimum(own, other)
    last = np.maximum(own, other)
    pairs = np.unique(first * len(rows) + last)
    first = pairs // len(rows)
    last = pairs % len(rows)
    together = first // length == last // length
    tried = int(together.sum())
    found = int((rows[last[together]] - rows[first[together]] <= NEXT).sum())
    stretch = np.repeat(np.arange(count), length)
    within = _by_chance(stretch, first[together])
    for label in samples.labels.values():
        kinds, kind = np.unique(label, return_inverse=True)
        if len(kinds) <= np.sqrt(n):  # classes; more are videos, or patients
            within = max(within, _by_chance(stretch * len(kinds) + kind[rows], first[together]))
    share = found / len(pairs)
    often = found >= _TIMES * within * tried and share >= _SHARE
    if not often or _at_least(found, tried, within) > _CHANCE:
        return None
    return RowOrder(share, 2 * NEXT / (len(rows) - 1), len(rows))


def _by_chance(kinds: Ints, chosen: Ints) -> float:
    """Share of the chosen rows' companions of the same kind that stand next to them."""
    chance = np.zeros(len(kinds))
    for kind in np.unique(kinds):
        (places,) = np.nonzero(kinds == kind)
        if len(places) > 1:
            gaps = places[:, None] - places
            chance[places] = ((np.abs(gaps) <= NEXT).sum() - len(places)) / (
                gaps.size - len(places)
            )
    if len(chosen):
        return float(chance[chosen].mean())
    return 0.0


def _is_sorted(values: AnyFloats) -> bool:
    """True if the rows stand in the order of a feature or of their means, as those of a sorted
    table.
    """
    with np.errstate(over="ignore"):
        means = values.mean(axis=1, dtype=float, keepdims=True)
    short = _one_way(values[:_FIRST]) | (values[:_FIRST] == values[0]).all(axis=0)
    likely = np.concatenate([means, values[:, short]], axis=1)
    moves = (likely[1:] != likely[:-1]).mean(axis=0)
    return bool((_one_way(likely) & (moves > _MOVES)).any())


def _one_way(columns: AnyFloats) -> Flags:
    """True for columns that nowhere fall, or nowhere rise; but not for those of a single value."""
    up = (columns[1:] >= columns[:-1]).all(axis=0)
    down = (columns[1:] <= columns[:-1]).all(axis=0)
    return np.asarray(up ^ down)


def _nearest(values: AnyFloats) -> Ints:
    """The row that is nearest to each row but itself, up to rounding, for values of any size, which
    are changed.
    """
    values = np.ascontiguousarray(values[:, :: -(-values.shape[1] // _FEATURES)])
    values /= max(float(values.max()), -float(values.min())) or 1.0
    # a mean is drawn away by outliers, which would cost the others their digits
    values -= values[0].copy()
    with one_blas_thread():  # a second one would only wait
        products = values @ values.T
    squares = np.diag(products).copy()
    apart = squares - 2 * products  # the square of the row itself shifts all alike
    np.fill_diagonal(apart, np.inf)
    nearest: Ints = np.argmin(apart, axis=1)
    return nearest


def _at_least(count: int, n: int, p: float) -> float:
    """Probability of so many of n events of probability p or more; SciPy's statistics take half a
    second to load.
    """
    return sum(comb(n, each) * p**each * (1 - p) ** (n - each) for each in range(count, n + 1))


def dependent_sets(pair: SamplePair) -> dict[str, RowOrder]:
    """`dependent_rows` of the sets of a pair that have them, by "real" and "generated"."""
    found = {
        role: dependent_rows(samples)
        for role, samples in zip(("real", "generated"), pair, strict=True)
    }
    return {role: each for role, each in found.items() if each is not None}


def dependence_text(found: Mapping[str, RowOrder]) -> str:
    """What `dependent_sets` shows, without a full stop; "" where it shows nothing."""
    named = {f"{role} " if role else "": each for role, each in found.items()}
    said = [
        f"of {100 * each.share:.0f} % of {each.rows} {role}samples the nearest one of them stands"
        f" at most {NEXT} rows away, of {100 * each.chance:.1f} % by chance"
        for role, each in named.items()
    ]
    return " and ".join(said)
