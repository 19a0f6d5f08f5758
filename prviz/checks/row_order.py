"""Finds rows that depend on each other, such as frames of a video: a row and its nearest neighbour
stand close together in the file.

Within stretches of consecutive rows, the nearest neighbours a few rows apart are counted, and
compared with their number for a random order of that stretch. A file sorted by class is not
reported, if its classes have more than about 30 rows: within a class, rows close together in the
file are no nearer than others.
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

# Most rows between two that count as close together in the file.
NEXT = 3
# Number of consecutive rows in a stretch.
STRETCH = 100
# Most stretches that are compared, spread evenly over the file.
_STRETCHES = 5
# One stretch is compared for every _ROWS_EACH rows of the file: comparing a tenth of all rows takes
# a hundredth of the time of a curve.
_ROWS_EACH = 1_000
# Most features that distances are computed from, spread evenly over all. With fewer features a
# dependence may go unnoticed, but none is found where there is none.
_FEATURES = 512
# Fewest rows for which a set is checked.
_LEAST = 40
# Number of first rows that show for most features that the file is not sorted by them.
_FIRST = 10
# Least share of the steps from row to row at which a feature changes for the file to count as
# sorted by it; one that changes less often is a class.
_MOVES = 0.25
# Least number of nearest neighbours close together in the file, as a multiple of that for a random
# order of the stretch. A file sorted by an unknown class reaches it too, if classes have fewer than
# about 30 rows.
_TIMES = 3.0
# Least share of all nearest neighbours that are close together in the file.
_SHARE = 0.1
# Greatest probability of that many close nearest neighbours by chance.
_CHANCE = 1e-4


class RowOrder(NamedTuple):
    """Nearest neighbours that are close together in the file.

    share : share of nearest neighbours at most NEXT rows apart. chance : that share for rows in
        random order. rows : number of rows that were compared.
    """

    share: float
    chance: float
    rows: int


# Title and effect of the flag on dependent rows.
TOGETHER = "Rows that belong together"
CONSEQUENCE = (
    "Rows such as the frames of a video are not independent, so that split, intervals and upper"
    " bound do not hold: name the column that says which belong together (--group COLUMN,"
    " Samples(..., groups=...)). Independent rows, written class by class or mode by mode, look the"
    " same where each has few rows: shuffle them."
)
_found_of_sets: WeakKeyDictionary[Samples, RowOrder | None] = WeakKeyDictionary()


def dependent_rows(samples: Samples) -> RowOrder | None:
    """How often nearest neighbours are close together in the file, if far more often than by
    chance.

    The result for a set is cached.

    Parameters
    ----------
    samples : Samples
        Sets of fewer than 40 are not checked. At most five stretches of 100 rows are compared.

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
    values = samples.values[rows]  # a copy, because _nearest overwrites it
    if _is_sorted(values):
        return None
    other = _nearest(values)
    # Two rows that are each other's nearest neighbours count as one pair.
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
        if len(kinds) <= np.sqrt(n):  # a label with more values names videos, not classes
            within = max(within, _by_chance(stretch * len(kinds) + kind[rows], first[together]))
    share = found / len(pairs)
    often = found >= _TIMES * within * tried and share >= _SHARE
    if not often or _at_least(found, tried, within) > _CHANCE:
        return None
    return RowOrder(share, 2 * NEXT / (len(rows) - 1), len(rows))


def _by_chance(kinds: Ints, chosen: Ints) -> float:
    """Probability that two random rows of one kind are at most NEXT places apart; the mean over the
    kinds of the chosen rows.
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
    # Subtracting a row keeps the products precise; the mean would be pulled away by outliers.
    values -= values[0].copy()
    with one_blas_thread():  # so few rows gain nothing from more threads
        products = values @ values.T
    squares = np.diag(products).copy()
    # Squared distances without the square of the row itself, which does not change which row is
    # nearest.
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
    """`dependent_rows` of the sets that have any, by role: "real", "generated"."""
    return {
        role: found
        for role, samples in by_role(pair)
        if (found := dependent_rows(samples)) is not None
    }


def dependence_text(found: Mapping[str, RowOrder]) -> str:
    """The result of `dependent_sets` as text, without a full stop; "" if no set has dependent
    rows.
    """
    named = {f"{role} " if role else "": each for role, each in found.items()}
    said = [
        f"of {100 * each.share:.0f} % of {each.rows} {role}samples the nearest one of them stands"
        f" at most {NEXT} rows away, of {100 * each.chance:.1f} % by chance"
        for role, each in named.items()
    ]
    return " and ".join(said)
