"""Tests of single columns: which of them have different distributions in two sets, each column by
itself.

There are five tests per column. Kolmogorov-Smirnov is applied to the values, and to their distances
from the pooled median, which shows spreads and tails. Fisher's exact test is applied to the share
of the commonest value, for columns that are mostly 0, and to the shares of the least and of the
greatest value, for codes of missing values and clipped ends. The tests treat pooled values as if
they were in random order, so that ties only make them weaker.

Each of the first three tests gets a share of 0.3 of the level, each of the two ends 0.05; the least
p, corrected in this way, is the column's. Holm's procedure corrects for the number of columns. A
sixth test, at half of that level, finds columns that are constant in one set alone, such as dead
pixels. Most columns could not be so by chance; these need no correction (Tarone 1990).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from prviz.arrays import AnyFloats, Flags, Floats, Ints
from prviz.neighbors.kernels import slices, sort_numbered
from prviz.recent import LeastRecentlyUsed
from prviz.samples import SamplePair

# Probability that any column is named although the two sets have the same distribution.
LEVEL = 0.01
# Factors that correct a p-value for the number of tests: for each of the main tests, and for each
# of the two ends.
TESTS = 10 / 3
ENDS = 20.0
# The share of a value is tested if the value occurs at least this often.
COMMON = 8
# Number of values sorted at a time. Larger arrays would be returned to the system, and cleared by
# it, each time.
_VALUES = 1 << 13

# Recent results of `known_tests`, by the pair's digest: two numbers per column.
_KNOWN = LeastRecentlyUsed(256)


class ColumnCounts(NamedTuple):
    """The distinct values of one column, with their counts in both sets.

    values : (u,) distinct values, increasing.
    real, generated : (u,) how often each value occurs.
    """

    values: Floats
    real: Ints
    generated: Ints

    @classmethod
    def of(cls, real: AnyFloats, generated: AnyFloats) -> ColumnCounts:
        """Count the values of a column in both sets."""
        pooled = np.concatenate([real, generated]).astype(float, copy=False)
        order = np.argsort(pooled)
        ordered = pooled[order]
        last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
        below = np.cumsum(order >= len(real))[last]
        counts = np.diff(last, prepend=-1)
        made = np.diff(below, prepend=0)
        return cls(ordered[last], counts - made, made)

    @property
    def commonest(self) -> int:
        """Position of the commonest value in ``values``."""
        return int(np.argmax(self.real + self.generated))

    @property
    def median(self) -> float:
        """The median of both sets together, the lower one of two middle values."""
        counts = np.cumsum(self.real + self.generated)
        return float(self.values[np.searchsorted(counts, (counts[-1] + 1) // 2)])

    def folded(self) -> ColumnCounts:
        """The counts of the distances from the pooled median, divided by 2."""
        # halved, because the difference of the extreme float64 values would overflow
        distances = np.abs(self.values / 2 - self.median / 2)
        order = np.argsort(distances, kind="stable")
        return ColumnCounts(distances[order], self.real[order], self.generated[order])

    def largest_step(self) -> float:
        """The largest difference between the two distribution functions."""
        real = np.cumsum(self.real)
        generated = np.cumsum(self.generated)
        apart = np.abs(generated / generated[-1] - real / real[-1])
        ends = np.append(self.values[1:] != self.values[:-1], True)
        return float(apart[ends].max())


class ColumnTests(NamedTuple):
    """Results of the tests of all columns.

    p : (d,) p-value of each column by itself.
    differ : the columns that differ: first those at LEVEL for all columns together, the surest
    first, then those that are constant in one set alone.
    steps : (d,) by column, the largest difference between the two distribution functions.
    """

    p: Floats
    differ: Ints
    steps: Floats


def column_tests(real: AnyFloats, generated: AnyFloats) -> ColumnTests:
    """Test every column of two sets of independent rows.

    Parameters
    ----------
    real, generated : (n, d) and (m, d) values.
    """
    from scipy.special import kolmogorov

    n = len(real)
    m = len(generated)
    d = real.shape[1]
    steps = np.empty((2, d))
    shares = np.empty((3, 2, d), dtype=np.intp)
    for columns in slices(d, max(1, _VALUES // (n + m))):
        pooled = np.concatenate([real[:, columns], generated[:, columns]])
        steps[:, columns], shares[..., columns] = _steps_and_shares(pooled.T, n)
    by_step = kolmogorov(np.sqrt(n * m / (n + m)) * steps).min(axis=0)
    commonest, least, greatest = (fisher(one, other, n, m) for one, other in shares)
    main = TESTS * np.minimum(by_step, commonest)
    p = np.minimum(np.minimum(main, ENDS * np.minimum(least, greatest)), 1.0)
    sure = holm(p)
    constant = np.setdiff1d(constant_in_one(shares[0, 0], shares[0, 1], n, m), sure)
    return ColumnTests(p, np.concatenate([sure, constant]), steps[0])


def _steps_and_shares(columns: AnyFloats, n: int) -> tuple[Floats, Ints]:
    """For columns of both sets pooled: the largest differences between distribution functions, of
    values and of distances from the median, (2, d), and the counts of the commonest, the least and
    the greatest value in either set, (3, 2, d).

    columns : (d, n + m), real values first.

    The results are those of `ColumnCounts`, except that the count of the commonest value of a
    constant column is 0.
    """
    total = columns.shape[1]
    keys = np.array(columns, dtype=float, order="C")
    values, order = sort_numbered(keys, columns.dtype)
    generated = np.asarray(order >= n)
    last = _is_last(values)
    made = np.cumsum(generated, axis=1, dtype=np.intp)
    place = np.arange(1, total + 1)
    # for each value, the number of values before its run of equal values
    before = np.where(last, place, 0)[:, :-1]
    before = np.pad(np.maximum.accumulate(before, axis=1), ((0, 0), (1, 0)))
    commonest = np.argmax(np.where(last, place - before, 0), axis=1)
    rows = np.arange(len(values))
    begin = [before[rows, commonest], np.zeros_like(rows), before[:, -1]]
    end = [commonest + 1, np.argmax(last, axis=1) + 1, np.full_like(rows, total)]
    ends = np.stack([begin, end])
    sums = np.where(ends > 0, made[rows, ends - 1], 0)
    counts = np.diff(ends, axis=0)[0]
    of_generated = np.diff(sums, axis=0)[0]
    median = values[:, (total + 1) // 2 - 1, None]
    # halved, as in `ColumnCounts.folded`
    distances = np.abs(values / 2 - median / 2)
    folded = np.argsort(distances, axis=1, kind="stable")
    distances = np.take_along_axis(distances, folded, axis=1)
    made_folded = np.cumsum(np.take_along_axis(generated, folded, axis=1), axis=1, dtype=np.intp)
    steps = np.stack(
        [
            _largest_step(made, last, n),
            _largest_step(made_folded, _is_last(distances), n),
        ]
    )
    shares = np.stack([counts - of_generated, of_generated], axis=1)
    shares[0][:, counts[0] == total] = 0
    return steps, shares


def _is_last(ordered: Floats) -> Flags:
    """True for the last of several equal values, in each sorted row."""
    found = np.ones(ordered.shape, dtype=bool)
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=found[:, :-1])
    return found


def _largest_step(made: Ints, ends: Flags, n: int) -> Floats:
    """By row, the largest difference between the distribution functions of the n real values and of
    the others, at the positions ``ends``.

    made : for each position, how many of the values up to it are generated.
    """
    total = made.shape[1]
    real = np.arange(1, total + 1) - made
    apart = np.abs(made / (total - n) - real / n)
    return np.asarray(np.max(apart, axis=1, where=ends, initial=0.0))


def known_tests(pair: SamplePair) -> ColumnTests:
    """`column_tests` of a pair of independent rows; recent results are cached by the pair's digest.

    A checkpoint's witness and its findings need the same tests, but each reads the samples anew.
    """
    return _KNOWN.remembered(
        pair.digest, lambda: column_tests(pair.real.values, pair.generated.values)
    )


def holm(p: Floats) -> Ints:
    """Positions of the hypotheses that Holm's procedure rejects at LEVEL, the surest first."""
    order = np.argsort(p, kind="stable")
    kept = p[order] > LEVEL / np.arange(len(p), 0, -1)
    count = int(np.argmax(kept)) if kept.any() else len(p)
    return order[:count]


def fisher(real: Ints, generated: Ints, n: int, m: int) -> Floats:
    """Two-sided p-values of Fisher's exact test: twice the smaller tail; 1 if both counts are
    small.

    Parameters
    ----------
    real, generated : (number,) counts of each test.
    n, m : number of real and of generated samples, from which the counts are.
    """
    from scipy.stats import hypergeom

    found = np.ones(len(real))
    tested = np.flatnonzero(real + generated >= COMMON)
    if len(tested):
        law = hypergeom(n + m, real[tested] + generated[tested], n)
        tails = np.minimum(law.cdf(real[tested]), law.sf(real[tested] - 1))
        found[tested] = np.minimum(2 * tails, 1.0)
    return found


def constant_in_one(real: Ints, generated: Ints, n: int, m: int) -> Ints:
    """Columns with a single value in one set that take other values in the other set more often
    than by chance, increasing.

    If r samples of a column have another value, the chance that all r are in one given set is
    known. A column is found if the sum of these chances, over all columns with at least its r and
    over both sets, is at most half of LEVEL.

    Parameters
    ----------
    real, generated : (d,) how often the commonest value of each column occurs.
    n, m : numbers of samples.
    """
    from scipy.special import gammaln

    rare = n + m - real - generated
    found = list[Ints]()
    for count, most, size in ((real, n, m), (generated, m, n)):
        # the chance that all other values lie in the other set, of `size` samples
        fewer = np.minimum(rare, size)
        ways = (
            gammaln(size + 1)
            - gammaln(size - fewer + 1)
            - gammaln(n + m + 1)
            + gammaln(n + m - fewer + 1)
        )
        chance = np.where((rare > 0) & (rare <= size), np.exp(ways), 0.0)
        order = np.argsort(-rare, kind="stable")
        ends = np.searchsorted(-rare[order], -rare[order], side="right") - 1
        together = np.empty(len(rare))
        together[order] = np.cumsum(chance[order])[ends]
        found.append(np.flatnonzero((count == most) & (rare > 0) & (together <= LEVEL / 4)))
    return np.union1d(*found)
