"""Facts about the values of samples: which rows are equal, how far each feature spreads, how long
the rows are. `DataFacts` holds those of a pair, shared by all findings on it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from prviz.arrays import AnyFloats, Flags, Floats, Ints
from prviz.samples import SamplePair, Samples

# Values per block of rows: 8 MB of float64.
BLOCK = 2**20
# Number of features that are hashed first; rows that differ in one of them are not equal.
_PROBES = 16


class Duplicates(NamedTuple):
    """Exactly equal rows (0.0 and -0.0 are equal).

    real, generated : number of rows of the set that repeat an earlier row of the set.
    most_real, most_generated : number of times the commonest row of the set occurs, 1 without
    repeats.
    shared_real, shared_generated : number of rows of the set that also occur in the other set.
    """

    real: int
    generated: int
    most_real: int
    most_generated: int
    shared_real: int
    shared_generated: int


class EqualRows(NamedTuple):
    """Result of `compare_rows`.

    counts : numbers of equal rows.
    shared : number of distinct rows that occur in both sets.
    same : True if every row occurs as often in one set as in the other.
    """

    counts: Duplicates
    shared: int
    same: bool


class Moments(NamedTuple):
    """Spread of the features and length of the rows of a set.

    sd : (d,) population standard deviations. constant : (d,) True for features with one value.
    norm, least_norm, greatest_norm : median, smallest and largest norm of the rows; the smallest is
        that of the rows that are not all 0.
    """

    sd: Floats
    constant: Flags
    norm: float
    least_norm: float
    greatest_norm: float

    @property
    def normalised(self) -> bool:
        """True if every row that is not 0 has the euclidean norm 1, up to float16 rounding."""
        return self.least_norm > 0.998 and self.greatest_norm < 1.002

    def times(self, scale: float) -> Moments:
        """Moments of the values multiplied by ``scale``."""
        with np.errstate(over="ignore"):
            lengths = (self.norm * scale, self.least_norm * scale, self.greatest_norm * scale)
            return Moments(self.sd * scale, self.constant, *lengths)


def row_blocks(n: int, d: int) -> Iterator[slice]:
    """Slices of the rows of (n, d) values in order, of about 8 MB of float64 each."""
    step = max(1, BLOCK // d)
    return (slice(start, start + step) for start in range(0, n, step))


def _hashes(values: Floats) -> NDArray[np.uint64]:
    """A 64-bit hash of each row: equal rows have equal hashes, and 0.0 counts as equal to -0.0."""
    odd = np.random.default_rng(0).integers(0, 2**63, values.shape[1], dtype=np.uint64) * np.uint64(
        2
    ) + np.uint64(1)
    # Adding 0.0 turns -0.0 into 0.0.
    words = (values + 0.0).view(np.uint64)
    # Multiplying carries bits upwards only, and the low 32 bits of small whole numbers are 0 in
    # float64: without this line the low half of the hash would always be 0.
    words ^= words >> np.uint64(32)
    words *= odd
    found: NDArray[np.uint64] = words.sum(axis=1, dtype=np.uint64)
    return found


def _by_hash(hashes: NDArray[np.uint64]) -> tuple[Ints, Ints]:
    """Index of the first row with each distinct hash, and the index of each row's hash among
    these.
    """
    _, first, classes = np.unique(hashes, return_index=True, return_inverse=True)
    return first, classes.reshape(-1).astype(np.intp)


def _rows(sets: Sequence[Samples], index: Ints) -> Floats:
    """Rows of several sets, indexed as if the sets were stacked one below the other."""
    result = np.empty((len(index), sets[0].d))
    start = 0
    for samples in sets:
        here = (index >= start) & (index < start + samples.n)
        result[here] = samples.values[index[here] - start]
        start += samples.n
    return result + 0.0


def row_classes(sets: Iterable[Samples]) -> Ints:
    """Class of each row of all sets, in order: two rows have the same class exactly if they are
    equal.

    A few features of each row are hashed first. Rows that agree there are hashed whole, and
    compared where their hashes are equal.
    """
    sets = list(sets)
    d = sets[0].d
    probes = np.unique(np.linspace(0, d - 1, min(d, _PROBES)).astype(np.intp))
    hashes = np.concatenate([_hashes(each.values[:, probes].astype(float)) for each in sets])
    ordered = np.sort(hashes)  # np.unique takes over ten times as long
    if (ordered[1:] != ordered[:-1]).all():
        return np.arange(len(hashes))
    first, classes = _by_hash(hashes)
    if len(probes) < d:
        alike = np.flatnonzero(np.bincount(classes)[classes] > 1)
        for block in row_blocks(len(alike), d):
            hashes[alike[block]] = _hashes(_rows(sets, alike[block]))
        first, classes = _by_hash(hashes)
    candidates = np.flatnonzero(first[classes] != np.arange(len(hashes)))
    collided: dict[bytes, int] = {}
    for block in row_blocks(len(candidates), d):
        index = candidates[block]
        rows = _rows(sets, index)
        other = (rows != _rows(sets, first[classes[index]])).any(axis=1)
        for row, position in zip(rows[other], index[other], strict=True):
            classes[position] = len(first) + collided.setdefault(row.tobytes(), len(collided))
    return classes


def compare_rows(pair: SamplePair) -> EqualRows:
    """Count equal rows inside each set and across the two, exactly, in O(n d)."""
    classes = row_classes(pair)
    count = int(classes.max()) + 1
    real = np.bincount(classes[: pair.real.n], minlength=count)
    generated = np.bincount(classes[pair.real.n :], minlength=count)
    counts = Duplicates(
        pair.real.n - int(np.count_nonzero(real)),
        pair.generated.n - int(np.count_nonzero(generated)),
        int(real.max()),
        int(generated.max()),
        int(real[generated > 0].sum()),
        int(generated[real > 0].sum()),
    )
    both = int(np.count_nonzero((real > 0) & (generated > 0)))
    return EqualRows(counts, both, bool((real == generated).all()))


def moments(samples: Samples) -> Moments:
    """Spread of each feature and length of each row, in float64."""
    least, greatest = samples.extremes
    return moments_of(samples.values, max(greatest, -least) or 1.0)


def largest_of(values: AnyFloats) -> float:
    """The largest absolute value, or 1 if all values are 0."""
    return float(max(values.max(), -values.min())) or 1.0


def moments_of(values: AnyFloats, scale: float) -> Moments:
    """Moments of (n, d) values. They are computed in units of ``scale``, the largest absolute
    value, so that no square overflows or underflows.
    """
    n, d = values.shape
    mean = np.zeros(d)
    squares = np.zeros(d)
    block = np.empty((0, d))
    for rows in row_blocks(n, d):
        block = _scaled(values[rows], scale)
        mean += block.sum(axis=0) / n
    norms = np.empty(n)
    for rows in row_blocks(n, d):
        if len(block) < n:  # one block of all rows is still in memory from the loop above
            block = _scaled(values[rows], scale)
        norms[rows] = np.sqrt(np.einsum("ij,ij->i", block, block))
        centred = block - mean
        squares += np.einsum("ij,ij->j", centred, centred)
    constant = _constant(values)
    # The mean is rounded, so that features of one value would seem to have a small spread.
    sd = np.where(constant, 0.0, np.sqrt(squares / n))
    norms.sort()
    middle = float(norms[(n - 1) // 2] + norms[n // 2]) / 2
    least = float(norms[min(np.searchsorted(norms, 0.0, side="right"), n - 1)])
    return Moments(sd, constant, middle, least, float(norms[-1])).times(scale)


def _scaled(values: AnyFloats, scale: float) -> Floats:
    """Values divided by ``scale``, without a copy where the scale is 1."""
    block = values.astype(float, copy=False)
    if scale == 1:
        return block
    return block / scale


def _constant(values: AnyFloats) -> Flags:
    """True for features with a single value.

    At most 16 rows are compared first: they rule out most features without reading the others.
    """
    n, d = values.shape
    found: Flags = (values[:: -(-n // 16)] == values[0]).all(axis=0)
    for rows in row_blocks(n, d):
        columns = np.flatnonzero(found)
        if not len(columns):
            break
        found[columns] = (values[rows].take(columns, axis=1) == values[0, columns]).all(axis=0)
    return found


# ---- facts of a pair, from drawn rows ----

# Most rows of a set that are drawn to judge its spreads.
ROWS = 512
# Most values in the drawn rows, unless _LEAST_ROWS rows have more.
VALUES = 2**21
# Fewest rows that are drawn, however many features they have.
_LEAST_ROWS = 32
# Of n rows with many features, as many are drawn as hold _QUICK values (about a millisecond), or
# n^2 / _CURVE rows if these are more (a hundredth of the time of a curve).
_QUICK = 2**18
_CURVE = 2**15
# Number of standard errors above which a difference is not put down to chance.
SURE = 3.5


@dataclass(frozen=True, eq=False, kw_only=True)
class SetFacts:
    """Facts about one set, from some rows drawn at random.

    rows : (m, d) drawn rows, divided by ``unit``, their largest absolute value.
    moments : moments of the drawn rows in the units of the data; only `constant` is judged on all
        rows.
    shares : (d,) share of the squared distance between two samples that comes from each feature, on
        average over random pairs of samples; 0 if all rows are equal.
    top : share of the squared distance from the feature with the largest share, and from the two
        largest together; medians over random pairs.
    """

    rows: Floats
    unit: float
    moments: Moments
    shares: Floats
    top: tuple[float, float]

    def ranges(self, features: Ints) -> Floats:
        """Interquartile range, and range from the first to the last decile, of the chosen features:
        (2, number of features).
        """
        ends = np.quantile(self.rows[:, features], (0.1, 0.25, 0.75, 0.9), axis=0)
        return np.stack([ends[2] - ends[1], ends[3] - ends[0]]) * self.unit


@dataclass(frozen=True, eq=False, kw_only=True)
class DataFacts:
    """Facts about a pair, computed once and shared by all findings on it.

    k : number of neighbours. held_out : True if a split is used.
    rows : equal rows. real, generated : moments of each set. drawn : facts from the drawn rows of
        each set.
    """

    pair: SamplePair
    k: int
    held_out: bool
    rows: EqualRows
    real: Moments
    generated: Moments
    drawn: tuple[SetFacts, SetFacts]


_facts_of_sets: WeakKeyDictionary[Samples, SetFacts] = WeakKeyDictionary()


def set_facts(samples: Samples) -> SetFacts:
    """The facts about a set, cached for later calls."""
    if samples not in _facts_of_sets:
        _facts_of_sets[samples] = _set_facts(samples)
    return _facts_of_sets[samples]


def _set_facts(samples: Samples) -> SetFacts:
    n, d = samples.values.shape
    rng = np.random.default_rng(0)
    most = max(_LEAST_ROWS, min(ROWS, VALUES // d, max(_QUICK // d, n * n // _CURVE)))
    values = samples.values
    if n > most:
        values = values[np.sort(rng.choice(n, most, replace=False))]
    drawn = values.astype(float)
    unit = largest_of(drawn)
    drawn /= unit
    found = moments_of(drawn, 1.0).times(unit)
    if n > most:
        found = _with_all_rows(found, samples)
    squares = drawn[rng.permutation(len(drawn))]
    squares -= drawn
    squares *= squares
    totals = squares.sum(axis=1)
    apart = np.flatnonzero(totals > np.finfo(np.float64).tiny)
    shares = np.zeros(d)
    top = (0.0, 0.0)
    if len(apart):
        weights = np.zeros(len(totals))
        weights[apart] = 1 / totals[apart]
        shares = np.einsum("i,ij->j", weights, squares) / len(apart)
        largest = np.argsort(-shares, kind="stable")[:2]
        held = np.cumsum(squares[np.ix_(apart, largest)], axis=1) / totals[apart, None]
        held = np.median(held, axis=0)  # a mean would follow the few pairs with an outlier
        top = (float(held[0]), float(held[-1]))
    return SetFacts(rows=drawn, unit=unit, moments=found, shares=shares, top=top)


def _with_all_rows(found: Moments, samples: Samples) -> Moments:
    """The moments of drawn rows, with the spread of features that are constant in the drawn rows
    taken from all rows.
    """
    columns = np.flatnonzero(found.constant)
    sd = found.sd.copy()
    constant = found.constant.copy()
    step = max(1, VALUES // samples.n)
    # a block of columns at a time, to bound the memory of the copy
    for at in range(0, len(columns), step):
        some = columns[at : at + step]
        block = samples.values[:, some]
        whole = moments_of(block, largest_of(block))
        sd[some] = whole.sd
        constant[some] = whole.constant
    return found._replace(sd=sd, constant=constant)


def data_facts(pair: SamplePair) -> DataFacts:
    """The facts about a pair, at the default number of neighbours and split."""
    drawn = set_facts(pair.real), set_facts(pair.generated)
    return DataFacts(
        pair=pair,
        k=math.isqrt(pair.smaller),
        held_out=True,
        rows=compare_rows(pair),
        real=drawn[0].moments,
        generated=drawn[1].moments,
        drawn=drawn,
    )


def variances(moments: Moments) -> Floats:
    """Variances divided by the largest one, so that none overflows."""
    largest = float(moments.sd.max())
    if largest:
        return np.square(moments.sd / largest)
    return moments.sd
