"""Tables in long form, with one value a row: which columns hold the sample, the feature, and the
value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from prviz.arrays import Array, Ints
from prviz.readers.columns import MOST_COLUMNS, is_label, plain_name

# Names of the columns of a table in long form: the value, the feature, the sample.
VALUE = re.compile(r"values?|val|v|y|data|measurement|conc(entration)?|reading|result")
VARIABLE = re.compile(
    r"variables?|features?|columns?|col|j|metric|gene|probe|param(eter)?|marker|analyte|item|word"
    r"|term|time|t|day|visit|"
    r"channel|band|wavelength|dim(ension)?"
)
_SAMPLE = re.compile(r"samples?|rows?|i|unit|subject|patient|cell|doc(ument)?|user|series|record")
# Names of the columns with the row and the column of an entry in a sparse matrix; a column without
# a name is named by its number.
_PLACE = re.compile(
    r"\d+|i|j|rows?|col(umn)?s?|doc(ument)?|word|term|user|item|cell|gene", re.IGNORECASE
)
# Fewest rows by which the long form is recognised.
_ROWS = 24
# Least share of all (sample, feature) pairs that have a row in a dense table.
_FILLED = 0.5
# Least share of the row and column numbers of a sparse matrix that occur.
_NAMED = 0.5
# (number of pairs)^2 / (number of possible pairs) above which pairs drawn at random are all
# different only once in 20,000 times.
_BY_CHANCE = 20


class LongForm(NamedTuple):
    """Indices of the columns of a table in long form.

    sparse : True if the rows are entries of a matrix that is 0 elsewhere. first : number of the
        first row of that matrix, 0 or 1.
    """

    samples: tuple[int, ...]
    feature: int
    value: int
    sparse: bool = False
    first: int = 0


def long_form(columns: Mapping[int, Array], names: Mapping[int, str]) -> LongForm | None:
    """The columns of a table in long form; None if each row is a sample.

    columns : index of a column -> its numbers or texts.
    """
    n = len(next(iter(columns.values()), ()))
    if n < _ROWS or not 2 < len(columns) <= MOST_COLUMNS:
        return None
    codes: dict[int, Ints] = {}
    values = []
    for place, column in columns.items():
        different, code = np.unique(column, return_inverse=True)
        if 1 < len(different) <= n / 2:
            codes[place] = code
        if len(different) > n / 2 and not (len(different) == n and is_label(names[place])):
            values.append(place)
    numeric = [place for place in columns if columns[place].dtype.kind in "fiu"]
    named = [place for place in numeric if VALUE.fullmatch(plain_name(names[place]))]
    if not values:  # the value has few different numbers, such as counts
        values = named[-1:] or [place for place in numeric if place in codes][-1:]
    if len(values) != 1 or values[0] not in numeric:
        return None
    value = values[0]
    keys = [place for place in codes if place != value]
    for size in (2, 3):
        for chosen in combinations(keys, size):
            if found := _as_grid(chosen, value, codes, columns, names):
                return found
    return None


def _as_grid(
    chosen: Sequence[int],
    value: int,
    codes: Mapping[int, Ints],
    columns: Mapping[int, Array],
    names: Mapping[int, str],
) -> LongForm | None:
    """The long form if no two rows agree in the chosen columns, and these fill a grid or number the
    rows and columns of a matrix.
    """
    sizes = [int(codes[place].max()) + 1 for place in chosen]
    joint = np.ravel_multi_index([codes[place] for place in chosen], sizes)
    n = len(joint)
    if len(np.unique(joint)) < n:
        return None
    grid = float(np.prod(np.array(sizes, dtype=float)))
    counted = [
        _counted_from(columns[place], size) for place, size in zip(chosen, sizes, strict=True)
    ]
    first = min((each for each in counted if each is not None), default=0)
    two = len(chosen) == 2 and None not in counted
    of_matrix = two and all(_PLACE.fullmatch(names[place]) for place in chosen)
    if n / grid >= _FILLED:
        feature = _feature(chosen, sizes, names)
        samples = tuple(place for place in chosen if place != feature)
        return LongForm(samples, feature, value, n < grid and of_matrix, first)
    if not two:
        return None
    # Random pairs would repeat somewhere, so many pairs without a repeat are a matrix. Names that
    # do not say row or column prove less: duplicates may have been dropped from the table.
    if not of_matrix or n * n <= _BY_CHANCE * grid:
        rows = codes[chosen[0]].astype(np.int64)
        cols = codes[chosen[1]].astype(np.int64)
        orders = (rows * sizes[1] + cols, cols * sizes[0] + rows)
        if not any((np.diff(each) > 0).all() for each in orders):
            return None
    return LongForm((chosen[0],), chosen[1], value, sparse=True, first=first)


def _counted_from(column: Array, size: int) -> int | None:
    """0 or 1 if the whole numbers count from there with few left out; else None."""
    if column.dtype.kind not in "fiu" or (column != np.rint(column)).any():
        return None
    first = int(column.min())
    last = int(column.max())
    if first >= 0 and size >= _NAMED * (last + 1 - first):
        return min(first, 1)
    return None


def _feature(chosen: Sequence[int], sizes: Sequence[int], names: Mapping[int, str]) -> int:
    """The column of the feature: by its own name, else by the name of the sample's column, else the
    one with fewest different values.
    """
    plain = {place: plain_name(names[place]) for place in chosen}
    called = [place for place, name in plain.items() if VARIABLE.fullmatch(name)]
    others = [
        place for place, name in plain.items() if not (_SAMPLE.fullmatch(name) or is_label(name))
    ]
    for few in (called, others):
        if len(few) == 1:
            return few[0]
    if plain[chosen[0]].isdecimal():
        return chosen[-1]
    first = [place for place in called if not re.fullmatch("time|t|day|visit", plain[place])]
    return min(first or chosen, key=dict(zip(chosen, sizes, strict=True)).__getitem__)
