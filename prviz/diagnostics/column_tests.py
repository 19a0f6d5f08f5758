"""Tests every column by itself for a difference between its real and its generated distribution.

There are five tests per column. Two Kolmogorov-Smirnov tests compare the values, and the distances
of the values from the pooled median; the second one finds differences in spread and tails. Fisher's
exact test compares the shares of the commonest value, which matters in columns that are mostly 0,
and the shares of the smallest and of the largest value, which may be a code for missing values or
the end of a clipped range. The tests treat pooled values as if they were in random order, so that
ties only make them weaker.

The level is divided among the five tests: a share of 0.3 for each of the first three, 0.05 for the
smallest and for the largest value. The smallest p-value, corrected by these shares, is the p-value
of the column. Holm's procedure corrects for the number of columns. A sixth test, at half of the
level, finds columns that are constant in one set alone, such as dead pixels. It corrects only for
columns that could be constant by chance (Tarone 1990).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from prviz.arrays import AnyFloats, Flags, Floats, Ints
from prviz.neighbors.kernels import sort_numbered
from prviz.neighbors.point_sets import slices
from prviz.recent import LeastRecentlyUsed
from prviz.samples import SamplePair

# Probability that any column is named although the two sets have the same distribution.
LEVEL = 0.01
# Factor that corrects the p-value of each of the three main tests for all five tests of a column.
TESTS = 10 / 3
# Factor that corrects the p-values of the tests of the smallest and of the largest value for all
# five tests of a column.
ENDS = 20.0
# The share of a value is tested if the value occurs at least this often in both sets together.
COMMON = 8
# Number of values sorted at a time. The operating system takes back larger arrays after each use,
# and must clear new memory for the next one.
_VALUES = 1 << 13

# Cached results of `known_tests` by the pair's digest; each has two numbers per column.
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
        """`ColumnCounts` of half the distance of each value from the pooled median."""
        # halved, because the difference of the extreme float64 values would overflow
        distances = np.abs(self.values / 2 - self.median / 2)
        order = np.argsort(distances, kind="stable")
        return ColumnCounts(distances[order], self.real[order], self.generated[order])

    def largest_step(self) -> float:
        """The largest difference between the empirical distribution functions of real and generated
        values: the Kolmogorov-Smirnov statistic.
        """
        real = np.cumsum(self.real)
        generated = np.cumsum(self.generated)
        apart = np.abs(generated / generated[-1] - real / real[-1])
        ends = np.append(self.values[1:] != self.values[:-1], True)
        return float(apart[ends].max())


class ColumnTests(NamedTuple):
    """Results of the tests of all columns.

    p : (d,) p-value of each column by itself.
    differ : indices of the columns that differ: first those that Holm's procedure finds, by
    increasing p-value, then those that are constant in one set alone.
    steps : (d,) Kolmogorov-Smirnov statistic of each column.
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
    """Test statistics of pooled columns.

    The first array, (2, d), has two Kolmogorov-Smirnov statistics: of the values, and of their
    distances from the median. The second array, (3, 2, d), has the real and the generated count of
    the commonest, the smallest and the largest value.

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
    # for each position, the number of values smaller than the value there
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
    # halved against overflow, as in `ColumnCounts.folded`
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
    """In each sorted row, True at the last position of every run of equal values."""
    found = np.ones(ordered.shape, dtype=bool)
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=found[:, :-1])
    return found


def _largest_step(made: Ints, ends: Flags, n: int) -> Floats:
    """In each row, the largest difference between the distribution functions of n real values and
    of the generated ones, evaluated at the positions ``ends``.

    made : number of generated values up to each position.
    """
    total = made.shape[1]
    real = np.arange(1, total + 1) - made
    apart = np.abs(made / (total - n) - real / n)
    return np.asarray(np.max(apart, axis=1, where=ends, initial=0.0))


def known_tests(pair: SamplePair) -> ColumnTests:
    """`column_tests` of a pair of independent rows; recent results are cached by the pair's digest.

    The witness and the findings of a checkpoint both need these tests, but each reads the samples
    again.
    """
    return _KNOWN.remembered(
        pair.digest, lambda: column_tests(pair.real.values, pair.generated.values)
    )


def holm(p: Floats) -> Ints:
    """Indices of the hypotheses that Holm's procedure rejects at LEVEL, by increasing p-value."""
    order = np.argsort(p, kind="stable")
    kept = p[order] > LEVEL / np.arange(len(p), 0, -1)
    count = int(np.argmax(kept)) if kept.any() else len(p)
    return order[:count]


def fisher(real: Ints, generated: Ints, n: int, m: int) -> Floats:
    """Two-sided p-values of Fisher's exact test: twice the smaller tail; 1 if a value occurs fewer
    than COMMON times in both sets together.

    Parameters
    ----------
    real, generated : (number,) counts of the tested value in each set, one entry per test.
    n, m : numbers of real and of generated samples.
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
    """Indices of columns that are constant in one set and vary in the other more often than chance
    explains.

    Let r be the number of samples that do not have the column's commonest value. If both sets have
    the same distribution, the probability that all r lie in one given set has a closed form. A
    column is returned if these probabilities, added up over both sets and over all columns with at
    least as many such samples, are at most half of LEVEL.

    Parameters
    ----------
    real, generated : (d,) how often the commonest value of each column occurs.
    n, m : numbers of samples.
    """
    from scipy.special import gammaln

    rare = n + m - real - generated
    found = list[Ints]()
    for count, most, size in ((real, n, m), (generated, m, n)):
        # the probability that all `rare` samples lie in the other set, which has `size` samples
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
