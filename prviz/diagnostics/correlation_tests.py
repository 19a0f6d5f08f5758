"""A test of pairs of columns: which of them belong together otherwise in two sets, though each by
itself is alike.

The largest difference of two correlations of ranks is compared with those of the same rows in two
other halves, drawn anew: no law of the columns is assumed, as rows of two sets that are alike may
be exchanged (Westfall, Young 1993). Most sets that are alike are recognised by the first few
halves.
"""

from __future__ import annotations

import numpy as np

from prviz.arrays import AnyFloats, Floats, Ints
from prviz.samples import SamplePair

# Halves that are drawn: none may have as large a difference, so the level is 1 / (_DRAWS + 1),
# .002.
_DRAWS = 499
# Difference of two correlations, in standard errors of Fisher's z, that is no chance among all
# columns.
SURE = 5.0
# Most rows of a set, and most columns, that are tested: 2 s at most.
MOST_ROWS = 1_000
MOST_COLUMNS = 128
# Largest share of the commonest value of a column: of rarer ones the correlation is a matter of
# single rows.
_COMMONEST = 0.9
# Correlations nearer to 1 are as good as 1.
_MOST = 0.999


def correlated_otherwise(pair: SamplePair, columns: Ints, seed: int) -> list[Ints]:
    """Pairs of these columns whose correlation of ranks differs, (2,) each, the surest first.

    Parameters
    ----------
    pair : SamplePair
        Independent rows.
    columns : ndarray
        Those that are tested; none of more than MOST_COLUMNS.
    seed : int
        Of the rows, where there are more, and of the halves.

    Returns
    -------
    list of ndarray
        At the level .002 for all pairs together, if they differ by SURE standard errors of normal
        columns too.
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
    """(rows, kept) ranks of pooled values from -1 to 1, ties alike, and the columns that have
    enough different ones.
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
    """(d, d) how far the correlations of these rows lie from those of all others, by Fisher's z."""
    part = ranks[rows]
    products = part.T @ part
    sums = part.sum(axis=0)
    others = _correlations(total - products, ranks.sum(axis=0) - sums, len(ranks) - len(rows))
    found: Floats = np.abs(
        np.arctanh(_correlations(products, sums, len(rows))) - np.arctanh(others)
    )
    return found


def _correlations(products: Floats, sums: Floats, n: int) -> Floats:
    """Correlations from sums of products; 0 where a column is constant, and of a column with
    itself.
    """
    covariances = products / n - np.outer(sums, sums) / n**2
    spreads = np.sqrt(np.maximum(np.diag(covariances), 0.0))
    constant = spreads <= 1e-9
    found = covariances / np.outer(
        np.where(constant, np.inf, spreads), np.where(constant, np.inf, spreads)
    )
    np.fill_diagonal(found, 0.0)
    return np.asarray(np.clip(found, -_MOST, _MOST))
