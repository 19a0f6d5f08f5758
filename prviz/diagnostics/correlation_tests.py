"""A test of pairs of columns: which correlations differ between two sets whose columns, each by
itself, are alike.

The largest difference of two rank correlations is compared with the differences that random
divisions of the pooled rows into two sets give. No distribution of the columns is assumed, because
rows of two sets with the same distribution may be exchanged (Westfall, Young 1993). If the sets do
not differ, the first few divisions usually show it.
"""

from __future__ import annotations

import numpy as np

from prviz.arrays import AnyFloats, Floats, Ints
from prviz.samples import SamplePair

# Number of random divisions: a difference counts if it exceeds all of theirs, so the level is 1 /
# (_DRAWS + 1) = .002.
_DRAWS = 499
# Least difference of two correlations that counts, in standard errors of Fisher's z: chance hardly
# gives it, with any number of columns.
SURE = 5.0
# Most rows of a set, and most columns, that are tested: this takes at most 2 s.
MOST_ROWS = 1_000
MOST_COLUMNS = 128
# Largest share of a column's commonest value: if the other values are rarer, single rows decide the
# correlation.
_COMMONEST = 0.9
# Correlations are cut off at this absolute value, because Fisher's z is infinite at 1.
_MOST = 0.999


def correlated_otherwise(pair: SamplePair, columns: Ints, seed: int) -> list[Ints]:
    """Pairs of these columns, (2,) each, whose rank correlation differs between the sets, the
    surest first.

    Parameters
    ----------
    pair : SamplePair
        Independent rows.
    columns : ndarray
        The columns to test; with more than MOST_COLUMNS, none is tested.
    seed : int
        Seed of the random divisions and, where a set has more rows than are used, of their choice.

    Returns
    -------
    list of ndarray
        Pairs that differ at level .002 for all pairs together, and by more than SURE standard
        errors of normal columns.
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
    """(rows, kept) ranks of the pooled values, scaled to [-1, 1], ties averaged; and which columns
    were kept because they have enough distinct values.
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
    """(d, d) absolute differences between the correlations of these rows and of all other rows,
    after Fisher's z transform.
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
    """Correlations from sums and sums of products; 0 for constant columns, and on the diagonal."""
    covariances = products / n - np.outer(sums, sums) / n**2
    spreads = np.sqrt(np.maximum(np.diag(covariances), 0.0))
    constant = spreads <= 1e-9
    found = covariances / np.outer(
        np.where(constant, np.inf, spreads), np.where(constant, np.inf, spreads)
    )
    np.fill_diagonal(found, 0.0)
    return np.asarray(np.clip(found, -_MOST, _MOST))
