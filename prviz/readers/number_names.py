"""Tells column names that are numbers, such as years or wavelengths, from a first sample, by
comparing them with the rows below.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from prviz.arrays import Array
from prviz.readers.columns import is_label
from prviz.readers.text_dialect import Numbers, TextRows

# Most rows that a line of possible names is compared with.
COMPARED = 64
# Most cells in the rows that a line of possible names is compared with.
_CELLS = 1_000_000
# Points (see `points`) from which a line surely holds names.
SURE = 4
# Points from which a line may hold names.
DOUBTFUL = 3
# Points from which a line may hold names if a line of names stands above it.
BELOW_NAMES = 6
# Fewest numbers in equal steps that are evidence of names.
_FEW = 4
# Fewest numbers in order that are evidence of names even in unequal steps, if they are also unlike
# the rows below.
_MANY = 8
# Fewest numbers in equal steps that may be names without other evidence.
_ALONE = 6
# Relative difference up to which two steps count as equal.
_EQUAL = 0.05
# Largest share of the rows below that may be in order too, for order to be evidence of names.
_SOME = 0.1
# Least share of the cells below that must have more decimals than the possible names, in every
# column.
_MOST = 0.75
# Most decimals of a name.
_SHORT = 4


def rows_to_compare(fields: Sequence[str]) -> int:
    """Number of rows that are compared with a line of possible names, by its number of fields."""
    return max(8, min(COMPARED, _CELLS // max(1, len(fields))))


@np.errstate(all="ignore")  # inf - inf is nan
def may_be_names(fields: Sequence[str], numbers: Numbers) -> bool:
    """True for a line that may hold names, before it is compared with the rows below: its numbers
    differ, and are in order or have few decimals.
    """
    texts = [text for text in fields if numbers.holds(text)]
    if len(texts) < 2 or len(set(texts)) < len(texts):
        return False
    return _in_order(numbers.values(texts)) or max(map(_decimals, texts)) <= _SHORT


class _NumbersInLine(NamedTuple):
    """The cells with numbers in a line: their indices, their texts, and the cells below them in
    rows of as many fields, also as numbers.
    """

    places: list[int]
    texts: list[str]
    cells: list[list[str]]
    below: Array


def _compared(line: Sequence[str], rows: TextRows, numbers: Numbers) -> _NumbersInLine:
    places = [place for place, text in enumerate(line) if numbers.holds(text)]
    cells = [[row[place] for place in places] for row in rows if len(row) == len(line)]
    below = np.array(list(map(numbers.values, cells)))
    return _NumbersInLine(places, [line[place] for place in places], cells, below)


@np.errstate(all="ignore")  # inf - inf is nan
def points(first: Sequence[str], rows: TextRows, numbers: Numbers) -> int:
    """Points for a line of names: for the order of its numbers, and for their difference from the
    cells below.
    """
    places, texts, cells, below = _compared(first, rows, numbers)
    values = numbers.values(texts)
    if len(below) < 2 or len(set(values.tolist())) < len(values):
        return 0
    named = 0
    for place in set(range(len(first))).difference(places):
        if _is_name(first[place], [row[place] for row in rows if len(row) == len(first)]):
            named = 2
    order = _order(values, below)
    unlike = _unlike(values, below) + 2 * _has_fewer_decimals(texts, cells)
    if order == 1 and unlike >= 2 and len(values) >= _MANY:
        order = 2
    if not order and not named:
        return min(unlike, DOUBTFUL)
    alone = order == 2 and len(values) >= _ALONE and not any(map(_in_equal_steps, below))
    return max(order + unlike + named, DOUBTFUL if alone else 0)


@np.errstate(all="ignore")  # inf - inf is nan
def in_two_levels(
    first: Sequence[str], second: Sequence[str], rows: TextRows, numbers: Numbers
) -> bool:
    """True for two lines of numbers that name the columns together, such as years and the months of
    each.
    """
    places, texts, cells, below = _compared(first, rows, numbers)
    if len(second) != len(first) or len(places) < 2:
        return False
    outer = [text.strip() for text in texts]
    inner = [second[place].strip() for place in places]
    groups: dict[str, list[str]] = {}
    for group, own in zip(outer, inner, strict=True):
        groups.setdefault(group, []).append(own)
    if len(groups) == len(outer) or any(len(set(each)) < len(each) for each in groups.values()):
        return False
    changes = sum(one != other for one, other in pairwise(outer))
    if changes != len(groups) - 1 or len(cells) < 2 or None in map(numbers.number, inner):
        return False
    if _has_fewer_decimals([*outer, *inner], [[*row, *row] for row in cells]):
        return True
    return _unlike(numbers.values(outer), below) == 2 and len({*map(tuple, groups.values())}) == 1


@np.errstate(all="ignore")  # inf - inf is nan
def is_unlike(line: Sequence[str], rows: TextRows, numbers: Numbers) -> bool:
    """True for numbers that are far from those below, or have fewer decimals than every column
    below.
    """
    _, texts, cells, below = _compared(line, rows, numbers)
    if len(cells) < _MANY or not texts:
        return False
    return _unlike(numbers.values(texts), below) == 2 or _has_fewer_decimals(texts, cells)


def _is_name(text: str, below: Sequence[str]) -> bool:
    """True for the name of a label above texts, or for an empty name above numbers that count the
    rows, as pandas writes its index.
    """
    if not is_label(text) or any(map(is_label, below)):
        return False
    if text.strip():
        return True
    return count_up(below) or not any(
        each.replace(".", "").strip("+-").isdecimal() for each in below
    )


def count_up(texts: Sequence[str]) -> bool:
    """True for consecutive whole numbers, such as 3, 4 and 5."""
    first = texts[0]
    if not first.isdecimal():
        return False
    return list(texts) == [str(int(first) + place) for place in range(len(texts))]


def _in_order(values: Array) -> bool:
    steps = np.diff(values)
    return bool((steps > 0).all() or (steps < 0).all())


def _in_equal_steps(values: Array) -> bool:
    """True for numbers in steps that are equal, grow evenly, or multiply by one factor."""
    if not _in_order(values):
        return False
    steps = np.abs(np.diff(values))
    if steps.max() <= (1 + _EQUAL) * steps.min():
        return True
    if len(values) < _FEW:
        return False
    even = len(steps) > _FEW and np.abs(np.diff(steps)).max() <= _EQUAL * steps.mean()
    factors = values[1:] / values[:-1] if (values > 0).all() else np.array([1.0, 2.0])
    return bool(even or factors.max() <= (1 + _EQUAL) * factors.min())


def _order(values: Array, below: Array) -> int:
    """Points for the order of the numbers in a line, 0 to 2; 0 if many of the rows below are in
    order too.
    """
    if len(values) < 3 or not _in_order(values):
        return 0
    if _in_equal_steps(values) and np.mean([_in_equal_steps(row) for row in below]) <= _SOME:
        if len(values) >= _FEW:
            return 2
        return 1
    return int(len(values) >= _FEW and np.mean([_in_order(row) for row in below]) <= _SOME)


def _unlike(values: Array, below: Array) -> int:
    """Points for the difference of numbers from those below: 2 if most lie further away from a
    column's numbers than these spread, 1 if most lie outside their range, else 0.
    """
    known = ~np.isnan(below).any(axis=0)
    if not known.any():
        return 0
    low = below[:, known].min(axis=0)
    high = below[:, known].max(axis=0)
    away = np.maximum(low - values[known], values[known] - high)
    if np.mean(away > high - low) > 0.5:
        return 2
    return int(np.mean(away > 0) > 0.5)


def _decimals(text: str) -> int:
    """Number of decimals of a number; of a number with a power of ten, all digits before the e."""
    digits, _, power = text.strip().lower().partition("e")
    whole, _, behind = digits.replace(",", ".").partition(".")
    if power:
        return len(whole + behind)
    return len(behind.rstrip("0"))


def _has_fewer_decimals(texts: Sequence[str], rows: TextRows) -> bool:
    """True if in every column below most cells have more decimals than any of the numbers."""
    most = max(map(_decimals, texts))
    if most > _SHORT:
        return False
    more = np.array([[_decimals(cell) > most for cell in row] for row in rows])
    return bool((more.mean(axis=0) >= _MOST).all())
