"""Rows that depend on each other, such as frames of a video: the nearest neighbour of a row stands
next to it in the file.

Neighbours a few rows apart are counted among the neighbours within one stretch of rows, and
compared with a random order of that stretch. So a file sorted by class is not reported: within a
class, rows next to each other are no nearer than others.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import comb
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from prviz.arrays import AnyFloats, Flags, Ints
from prviz.neighbors.threads import one_blas_thread
from prviz.samples import SamplePair, Samples, by_role

# NEXT: most rows apart that count as next to each other. STRETCH: number of consecutive rows within
# which neighbours are compared with a random order.
NEXT = 3
STRETCH = 100
# Most stretches that are compared, spread evenly over the file, and rows of the file for each
# stretch: comparing a tenth of the rows takes a hundredth of the time of a curve.
_STRETCHES = 5
_ROWS_EACH = 1_000
# Most features that distances are computed from, spread evenly over all. Fewer features may hide
# which rows are neighbours, but find none where the order of the rows means nothing.
_FEATURES = 512
# Fewest rows of a set that is checked.
_LEAST = 40
# _FIRST: number of rows that show of most columns that they are not sorted. _MOVES: least share of
# the steps from row to row at which a sorted column changes; a column that changes less often is a
# class.
_FIRST = 10
_MOVES = 0.25
# Least ratio of the number of neighbours next to each other to that in a random order of their
# stretch, for the rows to count as dependent. A file sorted by a class that is not known reaches it
# too, where classes have fewer than about 30 rows.
_TIMES = 3.0
# Least share of all nearest neighbours that stand next to each other, and greatest probability of
# that many by chance.
_SHARE = 0.1
_CHANCE = 1e-4


class RowOrder(NamedTuple):
    """Nearest neighbours that stand next to each other.

    share : share of the nearest neighbours at most NEXT rows apart.
    chance : the same share for rows in random order.
    rows : number of rows that were compared.
    """

    share: float
    chance: float
    rows: int


# Title of the flag, and what follows from it.
TOGETHER = "Rows that belong together"
CONSEQUENCE = (
    "Rows such as the frames of a video are not independent, so that split, intervals and upper"
    " bound do not hold: name the column that says which belong together (--group COLUMN,"
    " Samples(..., groups=...))."
)
_found_of_sets: WeakKeyDictionary[Samples, RowOrder | None] = WeakKeyDictionary()


def dependent_rows(samples: Samples) -> RowOrder | None:
    """How often nearest neighbours stand next to each other, if that is far more often than by
    chance.

    It is computed once for each set.

    Parameters
    ----------
    samples : Samples
        Fewer than 40 are not checked. At most five stretches of 100 rows are compared.

    Returns
    -------
    RowOrder or None
        None: no dependence shows, the rows are sorted by a feature, or groups are known.
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
    values = samples.values[rows]  # a copy, as _nearest overwrites it
    if _is_sorted(values):
        return None
    other = _nearest(values)
    # two rows that are nearest to each other count as one pair
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
        if len(kinds) <= np.sqrt(n):  # classes; a label with more values names videos or patients
            within = max(within, _by_chance(stretch * len(kinds) + kind[rows], first[together]))
    share = found / len(pairs)
    often = found >= _TIMES * within * tried and share >= _SHARE
    if not often or _at_least(found, tried, within) > _CHANCE:
        return None
    return RowOrder(share, 2 * NEXT / (len(rows) - 1), len(rows))


def _by_chance(kinds: Ints, chosen: Ints) -> float:
    """Share of the other rows of its kind that stand next to a row, on average over the chosen
    rows.
    """
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
    """True if the rows are sorted by a feature or by their means."""
    with np.errstate(over="ignore"):
        means = values.mean(axis=1, dtype=float, keepdims=True)
    short = _one_way(values[:_FIRST]) | (values[:_FIRST] == values[0]).all(axis=0)
    likely = np.concatenate([means, values[:, short]], axis=1)
    moves = (likely[1:] != likely[:-1]).mean(axis=0)
    return bool((_one_way(likely) & (moves > _MOVES)).any())


def _one_way(columns: AnyFloats) -> Flags:
    """True for columns that never fall, or never rise, from row to row, but have more than one
    value.
    """
    up = (columns[1:] >= columns[:-1]).all(axis=0)
    down = (columns[1:] <= columns[:-1]).all(axis=0)
    return np.asarray(up ^ down)


def _nearest(values: AnyFloats) -> Ints:
    """Index of the nearest other row of each row, up to rounding, for values of any size.

    The values are overwritten.
    """
    values = np.ascontiguousarray(values[:, :: -(-values.shape[1] // _FEATURES)])
    values /= max(float(values.max()), -float(values.min())) or 1.0
    # less the first row, for precision: outliers would pull the mean away from the other rows
    values -= values[0].copy()
    with one_blas_thread():  # a second thread would only wait
        products = values @ values.T
    squares = np.diag(products).copy()
    # squared distances less the square of the row itself, which is the same for all others
    apart = squares - 2 * products
    np.fill_diagonal(apart, np.inf)
    nearest: Ints = np.argmin(apart, axis=1)
    return nearest


def _at_least(count: int, n: int, p: float) -> float:
    """Probability of at least ``count`` of n independent events of probability p each.

    Importing scipy.stats would take half a second.
    """
    return sum(comb(n, each) * p**each * (1 - p) ** (n - each) for each in range(count, n + 1))


def dependent_sets(pair: SamplePair) -> dict[str, RowOrder]:
    """`dependent_rows` of both sets, by "real" and "generated", without a set that has none."""
    return {
        role: found
        for role, samples in by_role(pair)
        if (found := dependent_rows(samples)) is not None
    }


def dependence_text(found: Mapping[str, RowOrder]) -> str:
    """Text on the result of `dependent_sets`, without a full stop; "" where that is empty."""
    named = {f"{role} " if role else "": each for role, each in found.items()}
    said = [
        f"of {100 * each.share:.0f} % of {each.rows} {role}samples the nearest one of them stands"
        f" at most {NEXT} rows away, of {100 * each.chance:.1f} % by chance"
        for role, each in named.items()
    ]
    return " and ".join(said)
