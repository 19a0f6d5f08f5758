"""Finds differences in whole rows: rows that repeat, and properties that nearly all rows of only
one set have.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from prviz.arrays import Array, Flags, Floats, Ints
from prviz.checks.facts import row_blocks, row_classes
from prviz.checks.flags import MANY_ROWS
from prviz.diagnostics.column_tests import LEVEL, fisher
from prviz.diagnostics.named_columns import share_text
from prviz.samples import SamplePair

# Repeats are tested if at least this many rows repeat an earlier one.
_FEW_REPEATS = 5
# Repeats are unusual if equal pairs are at least this many times as frequent within the set as
# across the sets, and as within the other set.
_TIMES = 3.0
# If the share of distinct values in some column is above this, rows do not repeat by chance.
_CONTINUOUS = 0.5
# Least difference between the two sets' shares of rows with a property.
_ROWS_DIFFER = 0.1
# A share this close to 0 or 1 counts as none or all.
_ALMOST = 0.001
# Tolerance for a row's length to count as 1.
_ONE = 2e-3
# Properties of rows; the texts are part of the witness's sentences.
NOT_WHOLE = "values that are no whole numbers"
OF_LENGTH_ONE = "rows of length 1"
NEGATIVE = "values below 0"


class Repeats(NamedTuple):
    """Result of the test whether rows repeat more often than by chance.

    text : a sentence about repeated rows; "" if both sets repeat rows to the same extent.
    first : for each role, the rows to test further: the first of each group of equal rows; None for
    all rows.
    by_value : True if rows repeat because columns take few values; tests on distinct rows would be
    biased.
    """

    text: str
    first: tuple[Ints | None, Ints | None]
    by_value: bool


def repeats(pair: SamplePair) -> Repeats:
    """Test whether rows repeat in one set more often than in the other, or than by chance."""
    classes = row_classes(pair)
    n = pair.real.n
    sides = [
        _Side.of(samples.values, own, int(classes.max()) + 1)
        for samples, own in zip(pair, (classes[:n], classes[n:]), strict=True)
    ]
    real, generated = sides
    across = float(real.counts @ generated.counts) / (real.n * generated.n)
    first: list[Ints | None] = []
    unusual = []
    for own, other in ((real, generated), (generated, real)):
        looked_at = own.extra >= max(_FEW_REPEATS, MANY_ROWS * own.n)
        unusual.append(looked_at and own.within > _TIMES * max(across, other.within))
        rare = unusual[-1] and other.extra < MANY_ROWS * other.n
        first.append(own.first if looked_at and (own.takes_many_values() or rare) else None)
    shares = [side.extra / side.n for side in sides]
    more = int(shares[1] > shares[0])
    apart = shares[more] - shares[1 - more] > max(MANY_ROWS, shares[more] / _TIMES)
    fine = first[more] is not None
    if not apart or not (fine or unusual[more]):
        return Repeats("", (first[0], first[1]), by_value=False)
    repeating, other_role = ("generated", "real") if more else ("real", "generated")
    often = share_text(shares[more])
    rarely = share_text(shares[1 - more])
    text = (
        f"{often} of the {repeating} rows repeat an earlier one, {rarely} of the {other_role} ones"
    )
    return Repeats(text, (first[0], first[1]), by_value=not fine)


class _Side(NamedTuple):
    """One set's rows by class of equal rows: all values, the first row of each class, and the size
    of each class.
    """

    values: Array
    first: Ints
    counts: Floats

    @classmethod
    def of(cls, values: Array, classes: Ints, count: int) -> _Side:
        first = np.sort(np.unique(classes, return_index=True)[1])
        return cls(values, first, np.bincount(classes, minlength=count).astype(float))

    @property
    def n(self) -> int:
        return len(self.values)

    @property
    def extra(self) -> int:
        """Number of rows that equal an earlier one."""
        return self.n - len(self.first)

    @property
    def within(self) -> float:
        """Share of equal pairs among all pairs of different rows."""
        return float(self.counts @ (self.counts - 1)) / (self.n * max(self.n - 1, 1))

    def takes_many_values(self) -> bool:
        """True if some column takes so many values that equal rows would not occur by chance."""
        needed = _CONTINUOUS * len(self.first)
        columns = (self.values[self.first, place] for place in range(self.values.shape[1]))
        return any(len(np.unique(column)) > needed for column in columns)


class RowProperty(NamedTuple):
    """A property that nearly all or nearly no rows of one set have and the other set differs in.

    words : the property. real, generated : share of the rows that have it.
    """

    words: str
    real: float
    generated: float

    @property
    def text(self) -> str:
        """The property with both shares."""
        return (
            f"{self.words}: {share_text(self.generated)} of the generated rows,"
            f" {share_text(self.real)} of the real ones"
        )


def row_property(pair: SamplePair) -> RowProperty | None:
    """The property in which whole rows differ; None if there is none."""
    for words, held in _RULES.items():
        counts = []
        for samples in pair:
            blocks = row_blocks(*samples.values.shape)
            counts.append(sum(int(held(samples.values[rows]).sum()) for rows in blocks))
        shares = [count / samples.n for count, samples in zip(counts, pair, strict=True)]
        few, many = sorted(shares)
        if many - few < _ROWS_DIFFER or min(few, 1 - many) > _ALMOST:
            continue
        real, generated = (np.array([count]) for count in counts)
        if fisher(real, generated, pair.real.n, pair.generated.n)[0] < LEVEL / len(_RULES):
            return RowProperty(words, *shares)
    return None


def _of_length_one(block: Array) -> Flags:
    with np.errstate(over="ignore"):
        lengths = np.sqrt(np.einsum("ij,ij->i", block, block, dtype=float))
    return np.asarray(np.abs(lengths - 1) < _ONE)


# Property in words -> function that flags the rows of a block that have it.
_RULES: dict[str, Callable[[Array], Flags]] = {
    NOT_WHOLE: lambda block: np.any(block != np.rint(block), axis=1),
    OF_LENGTH_ONE: _of_length_one,
    NEGATIVE: lambda block: np.any(block < 0, axis=1),
}
