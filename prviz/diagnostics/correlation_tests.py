"""Tests pairs of columns for rank correlations that differ between two sets, among columns whose
own distributions do not differ.

The largest difference of two rank correlations is compared with the largest differences between
random divisions of the pooled rows into two sets. No distribution of the columns is assumed,
because rows of two sets with the same distribution may be exchanged (Westfall, Young 1993). The
test stops at the first division with a difference as large: without a true difference, usually
after a few.
"""

from __future__ import annotations

import numpy as np

from prviz.arrays import AnyFloats, Floats, Ints
from prviz.samples import SamplePair

# Number of random divisions of the pooled rows into two sets. The correlations of two columns
# differ significantly if their difference exceeds the largest difference in every division: a test
# at level 1 / (_DRAWS + 1) = .002.
_DRAWS = 499
# Largest difference of two correlations that is ignored, in standard errors of Fisher's z. By
# chance a larger one hardly occurs among any number of pairs of columns.
SURE = 5.0
# Largest number of rows of a set that are tested.
MOST_ROWS = 1_000
# Largest number of columns that are tested, which takes at most 2 s.
MOST_COLUMNS = 128
# A column is tested only if its commonest value has at most this share of the rows. Otherwise the
# few rows with other values would decide the correlation.
_COMMONEST = 0.9
# Correlations are cut off at this absolute value, because Fisher's z is infinite at 1.
_MOST = 0.999


def correlated_otherwise(pair: SamplePair, columns: Ints, seed: int) -> list[Ints]:
    """Every two columns whose rank correlation in the real set differs from that in the generated
    set.

    Parameters
    ----------
    pair : SamplePair
        The two sets, of independent rows.
    columns : ndarray
        Indices of the columns to test; with more than MOST_COLUMNS, none is tested.
    seed : int
        Seed of the random divisions of the pooled rows into two sets, and of the choice of rows in
        sets of more than MOST_ROWS.

    Returns
    -------
    list of ndarray
        Indices of two columns each, (2,), the largest difference first. The difference is
        significant at level .002, corrected for the number of column pairs, and larger than SURE
        standard errors of Fisher's z for normal data.
    """
    if len(columns) > MOST_COLUMNS:
        return []
    rng = np.random.default_rng(seed)
    sides = [each.values[rng.permutation(each.n)[:MOST_ROWS]][:, columns] for each in pair]
    ranks, kept = _ranks(np.concatenate(sides))
    if len(kept) < 2:
        return []
    n = len(sides[0])
    total = ranks.T @ ranks
    order = np.arange(len(ranks))
    apart = _apart(ranks, total, order[:n])
    most = SURE * np.sqrt(sum(1 / max(len(each) - 3, 1) for each in sides))
    if apart.max() <= most:
        return []
    for _ in range(_DRAWS):
        drawn = float(_apart(ranks, total, rng.permutation(order)[:n]).max())
        if drawn >= apart.max():
            return []
        most = max(most, drawn)
    one, other = np.nonzero(np.triu(apart, 1) > most)
    surest = np.argsort(-apart[one, other], kind="stable")
    return [columns[kept[[one[place], other[place]]]] for place in surest]


def _ranks(values: AnyFloats) -> tuple[Floats, Ints]:
    """Pooled ranks (n + m, kept columns), scaled to [-1, 1] with ties averaged; and the indices of
    the kept columns.

    Columns with too common a value (see _COMMONEST) are left out.
    """
    from scipy.stats import rankdata

    kept = list[int]()
    for place, column in enumerate(values.T):
        ordered = np.sort(column)
        first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
        if np.diff(np.append(first, len(ordered))).max() <= _COMMONEST * len(ordered):
            kept.append(place)
    ranks = np.asarray(rankdata(values[:, kept], axis=0), dtype=float)
    return 2 * ranks / (len(values) + 1) - 1, np.array(kept, dtype=np.intp)


def _apart(ranks: Floats, total: Floats, rows: Ints) -> Floats:
    """(d, d) absolute differences, after Fisher's z transform, between the correlations of ``rows``
    and those of all other rows.
    """
    part = ranks[rows]
    products = part.T @ part
    sums = part.sum(axis=0)
    others = _correlations(total - products, ranks.sum(axis=0) - sums, len(ranks) - len(rows))
    found: Floats = np.abs(
        np.arctanh(_correlations(products, sums, len(rows))) - np.arctanh(others)
    )
    return found


def _correlations(products: Floats, sums: Floats, n: int) -> Floats:
    """Correlations of columns, from their sums and the sums of products over n rows; 0 on the
    diagonal and for constant columns.
    """
    covariances = products / n - np.outer(sums, sums) / n**2
    spreads = np.sqrt(np.maximum(np.diag(covariances), 0.0))
    constant = spreads <= 1e-9
    found = covariances / np.outer(
        np.where(constant, np.inf, spreads), np.where(constant, np.inf, spreads)
    )
    np.fill_diagonal(found, 0.0)
    return np.asarray(np.clip(found, -_MOST, _MOST))
