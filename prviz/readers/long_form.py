"""Tables in long form, with one value a row: which columns hold the sample, the feature, and the
value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np

from prviz.arrays import Array, Ints
from prviz.readers.columns import MOST_COLUMNS, is_label, plain_name

# Names of the column of values in a table in long form.
VALUE = re.compile(r"values?|val|v|y|data|measurement|conc(entration)?|reading|result")
# Names of the column that says which feature a value belongs to.
VARIABLE = re.compile(
    r"variables?|features?|columns?|col|j|metric|gene|probe|param(eter)?|marker|analyte|item|word"
    r"|term|time|t|day|visit|"
    r"channel|band|wavelength|dim(ension)?"
)
# Names of the column that says which sample a value belongs to.
_SAMPLE = re.compile(r"samples?|rows?|i|unit|subject|patient|cell|doc(ument)?|user|series|record")
# Names of columns that hold the row or the column of an entry of a sparse matrix. A column without
# a name is called by its number.
_PLACE = re.compile(
    r"\d+|i|j|rows?|col(umn)?s?|doc(ument)?|word|term|user|item|cell|gene", re.IGNORECASE
)
# Fewest rows by which the long form can be recognised.
_ROWS = 24
# Least share of all (sample, feature) pairs that have a row in a dense table.
_FILLED = 0.5
# Least share of a sparse matrix's row numbers, and of its column numbers, that occur in the table.
_NAMED = 0.5
# Largest (number of pairs)^2 / (number of possible pairs) at which random pairs may all be
# different. Above it they are all different only once in 20,000 times.
_BY_CHANCE = 20


class LongForm(NamedTuple):
    """Indices of the columns of a table in long form: those that name the sample, the one that
    names the feature, and the value.

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

    columns : index of a column -> its numbers or texts. names : index -> name.
    """
    n = len(next(iter(columns.values()), ()))
    if n < _ROWS or not 2 < len(columns) <= MOST_COLUMNS:
        return None
    codes, values = _codes(columns, names)
    numeric = [place for place in columns if columns[place].dtype.kind in "fiu"]
    named = [place for place in numeric if VALUE.fullmatch(plain_name(names[place]))]
    # The values may be few different numbers, such as counts.
    if not values:
        values = named[-1:] or [place for place in numeric if place in codes][-1:]
    if len(values) != 1 or values[0] not in numeric:
        return None
    value = values[0]
    sizes = {place: int(code.max()) for place, code in codes.items() if place != value}
    for chosen in chain(combinations(sizes, 2), combinations(sizes, 3)):
        most = max(map(sizes.__getitem__, chosen))
        measured = [place for place in sizes if place in numeric and sizes[place] > most]
        # Several columns of more numbers than there are samples are measured in each row, as the
        # colours of a pixel.
        if len(measured) < 2 and (found := _as_grid(chosen, value, codes, columns, names)):
            return found
    return None


def _codes(
    columns: Mapping[int, Array], names: Mapping[int, str]
) -> tuple[dict[int, Ints], list[int]]:
    """The codes of the columns whose values repeat, by index; and the indices of those whose values
    hardly do, other than labels.
    """
    codes: dict[int, Ints] = {}
    values = []
    for place, column in columns.items():
        n = len(column)
        different, code = np.unique(column, return_inverse=True)
        if 1 < len(different) <= n / 2:
            codes[place] = code
        if len(different) > n / 2 and not (len(different) == n and is_label(names[place])):
            values.append(place)
    return codes, values


def _as_grid(
    chosen: Sequence[int],
    value: int,
    codes: Mapping[int, Ints],
    columns: Mapping[int, Array],
    names: Mapping[int, str],
) -> LongForm | None:
    """The long form, if all rows differ in the chosen columns and these fill a grid or number the
    rows and columns of a matrix; else None.
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
    # Random pairs would repeat, so that many pairs without a repeat are the entries of a matrix. If
    # the names do not say row or column, order must prove it: repeats may have been dropped.
    if not of_matrix or n * n <= _BY_CHANCE * grid:
        rows = codes[chosen[0]].astype(np.int64)
        cols = codes[chosen[1]].astype(np.int64)
        orders = (rows * sizes[1] + cols, cols * sizes[0] + rows)
        if not any((np.diff(each) > 0).all() for each in orders):
            return None
    return LongForm((chosen[0],), chosen[1], value, sparse=True, first=first)


def _counted_from(column: Array, size: int) -> int | None:
    """0 or 1, where the numbers of rows or columns in ``column`` begin; None if they are not whole
    or leave many out.
    """
    if column.dtype.kind not in "fiu" or (column != np.rint(column)).any():
        return None
    first = int(column.min())
    last = int(column.max())
    if first >= 0 and size >= _NAMED * (last + 1 - first):
        return min(first, 1)
    return None


def _feature(chosen: Sequence[int], sizes: Sequence[int], names: Mapping[int, str]) -> int:
    """The chosen column that names the feature: by its own name, else because the others name the
    sample, else the one with fewest values.
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
