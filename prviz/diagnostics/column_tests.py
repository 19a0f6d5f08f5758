"""Tests of single columns: which of them are distributed otherwise in two sets, each by itself.

Five tests a column: Kolmogorov-Smirnov of the values, the same of their distances from the pooled
median, which sees spreads and tails, and Fisher's exact test of the share of the commonest value,
which sees columns that are mostly 0, and of those of the least and the greatest one, which see
codes of missing values and cut ends. All are of pooled values in random order, so that ties only
make them weaker. The least p, in shares of 0.3 for each of the first three and 0.05 for the ends,
is the column's, and Holm's procedure makes up for the number of columns. A sixth test, at half of
that level, is of the columns that are constant in one set alone, such as dead pixels: most columns
could not be so by chance, and these cost nothing (Tarone 1990).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from prviz.arrays import AnyFloats, Flags, Floats, Ints
from prviz.neighbors.kernels import slices, sort_numbered
from prviz.recent import LeastRecentlyUsed
from prviz.samples import SamplePair

# Probability that any column is named of two sets that are alike.
LEVEL = 0.01
# What a p-value is multiplied by, as several are found: of the main tests, and of the end values.
TESTS = 10 / 3
ENDS = 20.0
# Fewest times that a value occurs where its share is tested.
COMMON = 8
# Values that are sorted at a time: larger arrays are returned to the system, and cleared by it,
# each time.
_VALUES = 1 << 13

# Pairs whose tests are kept, by their digests: two numbers a column each.
_KNOWN = LeastRecentlyUsed(256)


class ColumnCounts(NamedTuple):
    """The values of one column in both sets, counted.

    values : (u,) different ones, rising. real, generated : (u,) how often each occurs.
    """

    values: Floats
    real: Ints
    generated: Ints

    @classmethod
    def of(cls, real: AnyFloats, generated: AnyFloats) -> ColumnCounts:
        """The values of a column in either set, counted."""
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
        """Place of the commonest value."""
        return int(np.argmax(self.real + self.generated))

    @property
    def median(self) -> float:
        """The lower one of the middle values of both sets together."""
        counts = np.cumsum(self.real + self.generated)
        return float(self.values[np.searchsorted(counts, (counts[-1] + 1) // 2)])

    def folded(self) -> ColumnCounts:
        """The distances from the pooled median."""
        # halves, as the distance of the ends of float64's range is not in it
        distances = np.abs(self.values / 2 - self.median / 2)
        order = np.argsort(distances, kind="stable")
        return ColumnCounts(distances[order], self.real[order], self.generated[order])

    def largest_step(self) -> float:
        """The largest distance between the two distribution functions."""
        real = np.cumsum(self.real)
        generated = np.cumsum(self.generated)
        apart = np.abs(generated / generated[-1] - real / real[-1])
        ends = np.append(self.values[1:] != self.values[:-1], True)
        return float(apart[ends].max())


class ColumnTests(NamedTuple):
    """What the tests of all columns give.

    p : (d,) of each column, by itself. differ : the columns that differ, at LEVEL for all together,
    the surest first, and those that are constant in one set alone. steps : (d,) the largest
    distance between the two distribution functions of each.
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
    """The largest steps of columns and of their folded values, (2, d), and the counts of their
    commonest, least and greatest value in either set, (3, 2, d).

    columns : (d, n + m), real values first. The results are those of `ColumnCounts`, but for the
    count of the commonest value of a constant column, which is 0.
    """
    total = columns.shape[1]
    keys = np.array(columns, dtype=float, order="C")
    values, order = sort_numbered(keys, columns.dtype)
    generated = np.asarray(order >= n)
    last = _is_last(values)
    made = np.cumsum(generated, axis=1, dtype=np.intp)
    place = np.arange(1, total + 1)
    # the number of values up to the one before each
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
    # halves, as in `ColumnCounts.folded`
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
    """True for the last one of equal values, by row."""
    found = np.ones(ordered.shape, dtype=bool)
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=found[:, :-1])
    return found


def _largest_step(made: Ints, ends: Flags, n: int) -> Floats:
    """The largest distance of the distribution functions of n real values and the others, by row,
    at the ends.

    made : how many of the values up to each are generated.
    """
    total = made.shape[1]
    real = np.arange(1, total + 1) - made
    apart = np.abs(made / (total - n) - real / n)
    return np.asarray(np.max(apart, axis=1, where=ends, initial=0.0))


def known_tests(pair: SamplePair) -> ColumnTests:
    """`column_tests` of a pair of independent rows; of one that was tested lately they are known.

    The witness of a checkpoint and its findings ask for the same, each of samples that it has read
    itself.
    """
    return _KNOWN.remembered(
        pair.digest, lambda: column_tests(pair.real.values, pair.generated.values)
    )


def holm(p: Floats) -> Ints:
    """Places of the hypotheses that fall at LEVEL for all together, the surest first."""
    order = np.argsort(p, kind="stable")
    kept = p[order] > LEVEL / np.arange(len(p), 0, -1)
    count = int(np.argmax(kept)) if kept.any() else len(p)
    return order[:count]


def fisher(real: Ints, generated: Ints, n: int, m: int) -> Floats:
    """Twice the smaller tail of Fisher's exact test of some among n and some among m; 1 where both
    are few.

    Parameters
    ----------
    real, generated : (number,) counts of each test.
    n, m : numbers that these are among.
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
    """Columns that have one value in all samples of one set, and by more than chance not in the
    other, rising.

    If r samples of a column have another value, the chance that all of them are in one given set is
    known. A column counts where these chances of all columns with at least its r, for both sets,
    add up to half of LEVEL at most.

    Parameters
    ----------
    real, generated : (d,) how often the commonest value of each column occurs.
    n, m : numbers of samples.
    """
    from scipy.special import gammaln

    rare = n + m - real - generated
    found = list[Ints]()
    for count, most, size in ((real, n, m), (generated, m, n)):
        # the other set, of this size, has all of the rare values
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
