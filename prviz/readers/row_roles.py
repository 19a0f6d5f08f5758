"""Which rows of a table are real and which generated, by a column such as ``role`` or
``is_generated``.

A set of rows is written COLUMN=VALUE, as in ``source=stylegan``, and takes the place of an array's
key; for a table with several list columns it is LIST[COLUMN=VALUE], as in
``clip[source=stylegan]``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress

import numpy as np

from prviz.arrays import Array, Flags
from prviz.readers.columns import flag_of
from prviz.readers.errors import AmbiguousKeyError, ReadError, listed, quoted
from prviz.readers.keyed import GENERATED, REAL

Labels = Mapping[str, Array]
# Names of columns that may say which set a row belongs to.
_NAMES = re.compile(
    r"roles?|sources?|origins?|data_?sets?|split|fold|subset|partition", re.IGNORECASE
)
_SYNTHETIC = ("synthetic", "samples", "synth", "simulated", "artificial", "model")
_ORIGINAL = (
    "original",
    "authentic",
    "genuine",
    "train",
    "training",
    "test",
    "validation",
    "observed",
    "measured",
)
_IN_LIST = re.compile(r"([^=]+)\[(.+=.*)\]", re.DOTALL)
_TRUE = ("1", "1.0", "true", "yes", "t", "y")
_FALSE = ("0", "0.0", "-1", "-1.0", "false", "no", "f", "n")
# Most different values of a column that is offered for choosing rows.
_MOST = 20


def _values(column: Array) -> list[str]:
    """The different values of a label as texts, in order of first appearance; [] if they are more
    than _MOST.
    """
    found: dict[str, None] = {}
    for value in column.tolist():
        found[str(value)] = None
        if len(found) > _MOST:
            return []
    return list(found)


def _equal(column: Array, value: str) -> Flags:
    found = np.fromiter((str(each) == value for each in column.tolist()), bool, len(column))
    # The key COLUMN=1 also selects the value 1.0.
    if not found.any():
        with suppress(ValueError, TypeError):
            return np.asarray(column.astype(float) == float(value))
    return found


def _pair_in(name: str, column: Array) -> tuple[str, str] | None:
    """The value of real rows and the value of generated rows, if the column has only these two;
    else None.
    """
    values = _values(column)
    if len(values) != 2:
        return None
    texts = [(value, value.strip().lower()) for value in values]
    if role := flag_of(name):
        true = [value for value, text in texts if text in _TRUE]
        false = [value for value, text in texts if text in _FALSE]
        if len(true) == len(false) == 1:
            if role == "real":
                return (true[0], false[0])
            return (false[0], true[0])
    real = [value for value, text in texts if REAL.fullmatch(text) or text in _ORIGINAL]
    generated = [value for value, text in texts if GENERATED.fullmatch(text) or text in _SYNTHETIC]
    if len(real) == len(generated) == 1:
        return (real[0], generated[0])
    return None


def find_row_roles(labels: Labels) -> tuple[str, str] | None:
    """Keys of the real and of the generated rows, if some column gives them and all such columns
    agree; else None.
    """
    pairs = {name: pair for name, column in labels.items() if (pair := _pair_in(name, column))}
    reals = [_equal(labels[name], pair[0]) for name, pair in pairs.items()]
    if not pairs or any((real != reals[0]).any() for real in reals):
        return None
    name, (real, generated) = next(iter(pairs.items()))
    return f"{name}={real}", f"{name}={generated}"


def row_choices(labels: Labels) -> tuple[str, ...]:
    """Keys of all sets of rows that a column named like a role, a source or a split can select."""
    named = {
        name: column for name, column in labels.items() if _NAMES.fullmatch(name) or flag_of(name)
    }
    return tuple(
        f"{name}={value}"
        for name, column in named.items()
        if len(values := _values(column)) > 1
        for value in values
    )


def split_key(key: str) -> tuple[str | None, str | None]:
    """Splits a key such as clip[role=real] into the list column and the set of rows. None stands
    for the only list column, and for all rows.
    """
    if inside := _IN_LIST.fullmatch(key):
        return inside[1], inside[2]
    if "=" in key:
        return (None, key)
    return (key, None)


def refuse_lists(where: str, lists: Sequence[str], pair: tuple[str, str]) -> AmbiguousKeyError:
    """The error for a table with real and generated rows where one list column is needed; its
    choices are the sets of rows of each list column.
    """
    choices = [f"{name}[{rows}]" for name in lists for rows in pair]
    which = (
        f"column {quoted(lists[0])}"
        if len(lists) == 1
        else f"each of the list columns {listed(lists)}"
    )
    return AmbiguousKeyError(
        f"{where}: {which} holds both real ({quoted(pair[0])}) and generated ({quoted(pair[1])})"
        f" samples. Name a column and its rows, such as {quoted(choices[0])}.",
        choices,
    )


def rows_of(labels: Labels, key: str, where: str) -> Flags:
    """Mask that is True for the rows of a set. Raises ReadError for a column or a value that the
    table lacks.
    """
    columns = [name for name in labels if key.startswith(f"{name}=")]
    if not columns:
        held = "one of its columns"
        if labels:
            held = f"a column of the table: {listed(labels)}"
        raise ReadError(
            f"{where}: has no set of rows {quoted(key)}. Write COLUMN=VALUE with {held}."
        )
    name = max(columns, key=len)
    chosen = _equal(labels[name], key[len(name) + 1 :])
    if not chosen.any():
        values = _values(labels[name])
        held = f"Its values: {listed(values)}" if values else f"It has more than {_MOST} values"
        raise ReadError(
            f"{where}, column {quoted(name)}: no row has {quoted(key[len(name) + 1 :])}. {held}."
        )
    return chosen


def require_row_roles(labels: Labels, where: str) -> tuple[str, str]:
    """`find_row_roles`, but raises an error that names columns and values instead of returning
    None.
    """
    pair = find_row_roles(labels)
    if pair is not None:
        return pair
    held = {name: values for name, column in labels.items() if len(values := _values(column)) > 1}
    choices = [f"{name}={value}" for name, values in held.items() for value in values]
    needed = f"{where}: no column says which rows are real and which are generated"
    if not choices:
        raise ReadError(
            f"{needed}. Add a column 'role' with the values real and generated, name the rows of"
            " each set by a column of any name with keys=('COLUMN=VALUE', 'COLUMN=VALUE'), or read"
            " the two sets from two files."
        )
    columns = "; ".join(
        f"{quoted(name)} has {listed(values, most=4)}" for name, values in list(held.items())[:4]
    )
    raise AmbiguousKeyError(
        f"{needed}: {columns}. Name both sets with keys=(REAL, GENERATED), each written"
        " COLUMN=VALUE.",
        choices,
    )
