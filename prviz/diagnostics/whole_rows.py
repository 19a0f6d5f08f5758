"""Whole rows that tell two sets apart: rows that repeat, and what nearly all rows of one set alone are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prviz.checks.facts import row_blocks, row_classes
from prviz.checks.flags import MANY_ROWS
from prviz.diagnostics.column_tests import LEVEL, fisher
from prviz.diagnostics.named_columns import share_text
from prviz.samples import SamplePair

Ints = NDArray[np.intp]

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
    sizes = pair.real.n, pair.generated.n
    classes = row_classes(pair)
    sides = classes[: sizes[0]], classes[sizes[0] :]
    count = int(classes.max()) + 1
    counts = [np.bincount(side, minlength=count).astype(float) for side in sides]
    extra = [size - int(np.count_nonzero(each)) for size, each in zip(sizes, counts, strict=True)]
    across = float(counts[0] @ counts[1]) / (sizes[0] * sizes[1])
    within = [
        float(each @ (each - 1)) / (size * max(size - 1, 1))
        for size, each in zip(sizes, counts, strict=True)
    ]
    first: list[Ints | None] = [None, None]
    unusual = [False, False]
    fine = [False, False]
    for role, samples in enumerate(pair):
        if extra[role] < max(_FEW_REPEATS, MANY_ROWS * sizes[role]):
            continue
        places = np.sort(np.unique(sides[role], return_index=True)[1])
        fine[role] = _takes_many_values(samples.values, places)
        unusual[role] = within[role] > _TIMES * max(across, within[1 - role])
        rare = extra[1 - role] < MANY_ROWS * sizes[1 - role]
        fine[role] = fine[role] or (unusual[role] and rare)
        if fine[role]:
            first[role] = places
    shares = [some / size for some, size in zip(extra, sizes, strict=True)]
    more = int(shares[1] > shares[0])
    told = shares[more] - shares[1 - more] > max(MANY_ROWS, shares[more] / _TIMES) and (
        fine[more] or unusual[more]
    )
    if not told:
        return Repeats("", (first[0], first[1]), by_value=False)
    repeating, other = ("generated", "real") if more else ("real", "generated")
    often = share_text(shares[more])
    rarely = share_text(shares[1 - more])
    text = f"{often} of the {repeating} rows repeat an earlier one, {rarely} of the {other} ones"
    return Repeats(text, (first[0], first[1]), by_value=not fine[more])


def _takes_many_values(values: NDArray[Any], rows: Ints) -> bool:
    """True if a column takes so many values in some rows that these would not repeat by chance."""
    needed = _CONTINUOUS * len(rows)
    columns = (values[rows, place] for place in range(values.shape[1]))
    return any(len(np.unique(column)) > needed for column in columns)


def rows_text(pair: SamplePair) -> str:
    """What nearly all rows of one set are, and far fewer of the other; "" where there is no such thing."""
    for words, held in _RULES:
        shares = [float(held(each.values).mean()) for each in pair]
        real, generated = (
            np.array([round(share * each.n)]) for share, each in zip(shares, pair, strict=True)
        )
        few, many = sorted(shares)
        if many - few < _ROWS_DIFFER or min(few, 1 - many) > _ALMOST:
            continue
        if fisher(real, generated, pair.real.n, pair.generated.n)[0] < LEVEL / len(_RULES):
            return (
                f"{words}: {share_text(shares[1])} of the generated rows, {share_text(shares[0])}"
                " of the real ones"
            )
    return ""


def _not_whole(values: NDArray[Any]) -> NDArray[np.bool_]:
    return _by_blocks(values, lambda block: np.any(block != np.rint(block), axis=1))


def _negative(values: NDArray[Any]) -> NDArray[np.bool_]:
    return _by_blocks(values, lambda block: np.any(block < 0, axis=1))


def _of_length_one(values: NDArray[Any]) -> NDArray[np.bool_]:
    def held(block: NDArray[Any]) -> NDArray[np.bool_]:
        with np.errstate(over="ignore"):
            lengths = np.sqrt(np.einsum("ij,ij->i", block, block, dtype=np.float64))
        return np.asarray(np.abs(lengths - 1) < _ONE)

    return _by_blocks(values, held)


def _by_blocks(
    values: NDArray[Any], held: Callable[[NDArray[Any]], NDArray[np.bool_]]
) -> NDArray[np.bool_]:
    return np.concatenate([held(values[rows]) for rows in row_blocks(*values.shape)])


# What rows of a set may have in common, in words, and which of them do.
_RULES: tuple[tuple[str, Callable[[NDArray[Any]], NDArray[np.bool_]]], ...] = (
    (NOT_WHOLE, _not_whole),
    (OF_LENGTH_ONE, _of_length_one),
    (NEGATIVE, _negative),
)
