"""Rows that are not independent: nearest neighbours that stand next to each other in the file, as frames of a video do.

Neighbours in consecutive rows are counted among those that stand in one stretch of rows, so that a file that is sorted
by class, where all neighbours are near by but none is nearer than the others, is none of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from prviz.neighbors import nearest_rows
from prviz.samples import SamplePair, Samples

# Rows between two that count as next to each other, and rows of a stretch in which that is compared with chance.
NEXT, STRETCH = 3, 100
# Stretches of a file that are compared, spread evenly over it: 500 rows take a hundredth of a curve of 5,000.
_STRETCHES = 5
# Fewest rows that are compared.
_LEAST = 40
# Neighbours next to each other, over those of a stretch in random order, from which on the rows count as dependent:
# classes in sorted order come to this where they have fewer than about 30 rows each.
_TIMES = 3.0
# Least share of all nearest neighbours that stand next to each other, and probability of as many by chance.
_SHARE, _CHANCE = 0.1, 1e-4


class RowOrder(NamedTuple):
    """Nearest neighbours that stand next to each other.

    share : share of the nearest neighbours at most NEXT rows apart. chance : that of rows in random order.
    """

    share: float
    chance: float


def dependent_rows(samples: Samples) -> RowOrder | None:
    """How often nearest neighbours stand next to each other, where that is far more often than by chance.

    Parameters
    ----------
    samples : Samples
        At least 40; of more than 500 only five stretches of 100 rows are compared.

    Returns
    -------
    RowOrder or None
        None: the order of the rows shows no dependence, or groups are known.
    """
    from scipy.stats import binom

    n = samples.n
    if samples.groups is not None or n < _LEAST:
        return None
    length = min(STRETCH, n)
    count = min(_STRETCHES, n // length)
    starts = np.linspace(0, n - length, count).round().astype(np.intp)
    rows = (starts[:, None] + np.arange(length)).reshape(-1)
    values = np.asarray(samples.values[rows])
    near = nearest_rows(values, np.arange(len(rows)), 2, values)[0]
    own = np.arange(len(rows))
    other = np.where(near[:, 0] == own, near[:, 1], near[:, 0])
    # two rows that are nearest to each other are one pair
    pairs = np.unique(np.sort(np.stack([own, other], axis=1), axis=1), axis=0)
    together = pairs[pairs[:, 0] // length == pairs[:, 1] // length]
    apart = rows[together[:, 1]] - rows[together[:, 0]]
    found = int((apart <= NEXT).sum())
    gaps = np.arange(1, NEXT + 1)
    within = float(2 * (length - gaps).sum() / (length * (length - 1)))
    share = found / len(pairs)
    often = found >= _TIMES * within * len(together) and share >= _SHARE
    if not often or binom.sf(found - 1, len(together), within) > _CHANCE:
        return None
    return RowOrder(share, 2 * NEXT / (len(rows) - 1))


def dependent_sets(pair: SamplePair) -> dict[str, RowOrder]:
    """`dependent_rows` of the sets of a pair that have them, by "real" and "generated"."""
    found = {role: dependent_rows(samples) for role, samples in zip(("real", "generated"), pair, strict=True)}
    return {role: each for role, each in found.items() if each is not None}


def dependence_text(found: Mapping[str, RowOrder]) -> str:
    """What `dependent_sets` shows and what follows, without a full stop; "" where it shows nothing."""
    said = [
        f"of {each.share:.0%} of the {role} samples the nearest one stands at most {NEXT} rows away, of "
        f"{each.chance:.1%} by chance"
        for role, each in found.items()
    ]
    if not said:
        return ""
    return (
        f"{' and '.join(said)}: rows that belong together, such as frames of a video, are not independent, so that "
        "split, intervals and upper bound do not hold; name the column that says which do (--group COLUMN, "
        "Samples(..., groups=...))"
    )
