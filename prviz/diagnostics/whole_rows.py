"""Whole rows that tell two sets apart: rows that repeat, and what nearly all rows of one set alone
are.
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

# Fewest repeated rows that are looked at, and how many times as often rows must repeat within a set
# as across the two, or as in the other one.
_FEW_REPEATS = 5
_TIMES = 3.0
# Distinct values of a column over different rows, from which rows don't repeat by chance.
_CONTINUOUS = 0.5
# Least difference of the shares of rows that a rule holds for, the share of one set that none or
# all is taken for, and how far a length may be from 1.
_ROWS_DIFFER = 0.1
_ALMOST = 0.001
_ONE = 2e-3
# What rows of a set may have in common.
NOT_WHOLE = "values that are no whole numbers"
OF_LENGTH_ONE = "rows of length 1"
NEGATIVE = "values below 0"


class Repeats(NamedTuple):
    """Rows that repeat more often than by chance.

    text : what is said of it; "" where both sets repeat rows alike. first : by role, the first of
    each set of equal rows, or None where all rows count. by_value : True if values are few, so that
    different rows would be no fair draw.
    """

    text: str
    first: tuple[Ints | None, Ints | None]
    by_value: bool


def repeats(pair: SamplePair) -> Repeats:
    """Rows that repeat in one set more often than in the other, or than chance would have it."""
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
    """How rows of one set repeat: values, the first of each class of equal rows, rows by class."""

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
        """Rows that repeat an earlier one."""
        return self.n - len(self.first)

    @property
    def within(self) -> float:
        """Share of the pairs of rows that are equal."""
        return float(self.counts @ (self.counts - 1)) / (self.n * max(self.n - 1, 1))

    def takes_many_values(self) -> bool:
        """True if a column takes so many values that these rows would not repeat by chance."""
        needed = _CONTINUOUS * len(self.first)
        columns = (self.values[self.first, place] for place in range(self.values.shape[1]))
        return any(len(np.unique(column)) > needed for column in columns)


def rows_text(pair: SamplePair) -> str:
    """What nearly all rows of one set are, and far fewer of the other; "" where there is no such
    thing.
    """
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
            return (
                f"{words}: {share_text(shares[1])} of the generated rows, {share_text(shares[0])}"
                " of the real ones"
            )
    return ""


def _of_length_one(block: Array) -> Flags:
    with np.errstate(over="ignore"):
        lengths = np.sqrt(np.einsum("ij,ij->i", block, block, dtype=float))
    return np.asarray(np.abs(lengths - 1) < _ONE)


# What rows of a set may have in common, in words, and which of them do.
_RULES: dict[str, Callable[[Array], Flags]] = {
    NOT_WHOLE: lambda block: np.any(block != np.rint(block), axis=1),
    OF_LENGTH_ONE: _of_length_one,
    NEGATIVE: lambda block: np.any(block < 0, axis=1),
}
