"""The rows of an Arrow table: which columns are read, and their values and labels, batch by
batch.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow.compute as pc
from pyarrow import types

from prviz.arrays import Array
from prviz.quoting import drop_text
from prviz.readers.arrays import check_counts, check_exact, check_values
from prviz.readers.arrow_types import is_list, is_number, is_text
from prviz.readers.columns import (
    EVERY,
    LABEL_BYTES,
    MOST_COLUMNS,
    ColumnChoice,
    Contents,
    index_columns,
    label_array,
    label_names,
    one_list,
    sets_text,
    sort_columns,
)
from prviz.readers.errors import EmptyCellError, ReadError, TextColumnError, listed, quoted
from prviz.readers.source import Limits, check_claim, check_columns


@dataclass(frozen=True)
class Plan:
    """Columns to read: one column of lists or several columns of numbers, and the label columns.

    refusal : error for a column of texts among the features. It is raised after the rows are read,
        as a table with one value a row needs another error.
    """

    where: str
    features: tuple[str, ...]
    labels: tuple[str, ...]
    as_list: bool
    dtype: np.dtype[Any]
    refusal: ReadError | None = None

    @property
    def columns(self) -> list[str]:
        """Names of all columns to read."""
        return [*self.features, *self.labels]

    def check_claim(self, rows: int, values: int, limits: Limits) -> None:
        """Raise ReadError if this number of rows and values would take more memory than the
        limit.
        """
        labels = rows * len(self.labels) * LABEL_BYTES
        check_claim(self.where, values * self.dtype.itemsize + labels, limits)

    def position(self, row: int, column: int) -> str:
        """Text for the place of a value, counted from 1."""
        if self.as_list:
            return f"{self.cell(row, 0)}, entry {column + 1}"
        return self.cell(row, column)

    def cell(self, row: int, column: int) -> str:
        """Text for the place of a cell, counted from 1."""
        return f"{self.where}, row {row + 1}, column {quoted(self.features[column])}"


def _is_label_type(kind: Any) -> bool:
    if types.is_dictionary(kind):
        return not types.is_dictionary(kind.value_type) and _is_label_type(kind.value_type)
    return is_number(kind) or is_text(kind)


def _plain(kind: Any) -> Any:
    """The type of the numbers in a dictionary-encoded column of numbers; any other type
    unchanged.
    """
    if types.is_dictionary(kind) and is_number(kind.value_type):
        return kind.value_type
    return kind


def _dtype(kinds: Iterable[Any]) -> np.dtype[Any]:
    """float32 if none of the columns needs more, else float64."""
    narrow = all(types.is_float16(kind) or types.is_float32(kind) for kind in kinds)
    return np.dtype(np.float32 if narrow else np.float64)


Changed = Callable[[str], str]


def plan_columns(
    schema: Any,
    where: str,
    key: str | None,
    limits: Limits,
    choice: ColumnChoice = EVERY,
    changed: Changed = str,
) -> Plan:
    """Sort the columns of an Arrow schema into features and labels; others are not read.

    choice : the columns that the user has chosen; a list column by its name alone. changed : makes
        the lines that save a changed file from the line that changes its data frame ``table``.

    Raises
    ------
    AmbiguousKeyError : several list columns.
    ReadError : no features, a feature that is no number, repeated names, too many columns, a
    ``key`` that is no list
        column, or a choice that is missing.
    """
    check_columns(where, len(schema), limits)
    kinds = dict(zip(schema.names, map(_plain, schema.types), strict=True))
    if len(kinds) < len(schema.names):
        raise ReadError(f"{where}: two columns have the same name. Rename one of them.")
    lists = [
        name for name, kind in kinds.items() if is_list(kind) and choice.may_be_list(name, key)
    ]
    if key is None and len(lists) > 1:
        decimal = [name for name in lists if types.is_floating(kinds[name].value_type)]
        # Lists of decimals hold the samples; lists of whole numbers beside them may be tokens.
        if len(decimal) == 1:
            lists = decimal
    name = one_list(lists, key, kinds, where)
    if name is None:
        return _plan_numbers(kinds, where, choice, index_columns(schema.metadata), changed)
    choice.check(kinds, where)
    inner = kinds[name].value_type
    if not is_number(inner):
        raise ReadError(
            f"{where}, column {quoted(name)}: lists of {quoted(str(inner))}, not of numbers. Make "
            "flat lists of floats and save the table again; of texts that are numbers:\n"
            + changed(f"table[{name!r}] = [list(map(float, each)) for each in table[{name!r}]]")
        )
    labels = tuple(label for label, kind in kinds.items() if _is_label_type(kind))
    return Plan(where, (name,), labels, True, _dtype([inner]))


def _plan_numbers(
    kinds: dict[str, Any],
    where: str,
    choice: ColumnChoice,
    index: Collection[str],
    changed: Changed,
) -> Plan:
    names = list(kinds)
    numeric = list(map(is_number, kinds.values()))
    places, others = sort_columns(names, numeric, choice, where, index)
    features = [names[place] for place in places if numeric[place]]
    texts = [names[place] for place in places if not numeric[place]]
    labels = [names[place] for place in others if _is_label_type(kinds[names[place]])]
    refusal = None
    if texts:
        more = [name for name in texts[1:] if not _is_label_type(kinds[name])]
        refusal = _refuse_text([texts[0], *more], kinds[texts[0]], where, changed)
        may_be_long = len(kinds) <= MOST_COLUMNS and features and not choice.features
        if not may_be_long or not all(_is_label_type(kinds[text]) for text in texts):
            raise refusal
    if not features:
        raise ReadError(
            f"{where}: has no feature columns. Its columns: {listed(kinds)}. Add the embeddings."
        )
    dtype = _dtype(kinds[name] for name in features)
    return Plan(where, tuple(features), (*labels, *texts), False, dtype, refusal)


def _refuse_text(names: Sequence[str], kind: Any, where: str, changed: Changed) -> ReadError:
    """Error for the first of these columns, which holds bytes, texts or something else than
    numbers.
    """
    name = names[0]
    if str(kind).partition("[")[0].removeprefix("large_") in ("binary", "fixed_size_binary"):
        return ReadError(
            f"{where}, column {quoted(name)}: holds bytes, not numbers. If they are numbers of"
            " float32, make lists of them and save the table again:\nimport numpy as np\n"
            + changed(
                f"table[{name!r}] = [np.frombuffer(each, 'float32') for each in table[{name!r}]]"
            )
        )
    what = (
        f"{where}, column {quoted(name)}: holds {quoted(str(kind))}, not numbers. Leave it "
        f"out, in both tables, with"
    )
    if not is_text(kind) and not types.is_dictionary(kind):
        return ReadError(f"{what} {drop_text(names)}.")
    said = (
        f"{what} {drop_text([name])}, make numbers of its categories, for both tables"
        f" at once (pandas.get_dummies), or of its digits (table.astype({{{name!r}: float}})), or"
        " name it id, label, split, path or text to keep it; or,"
        f" {sets_text(name)}."
    )
    return TextColumnError(said, name)


@dataclass
class TableRows:
    """The values and labels of the batches read so far.

    text_bytes : bytes of the decoded texts; a dictionary counts once for consecutive batches that
    share it.
    """

    plan: Plan
    rows: int
    limits: Limits
    done: int = 0
    values: Array | None = None
    texts: dict[str, list[Any]] = field(default_factory=dict)
    long: dict[str, str] = field(default_factory=dict)
    text_bytes: int = 0
    dictionaries: dict[str, tuple[Any, Sequence[Any]]] = field(default_factory=dict)

    def append(self, batch: Any) -> None:
        """Add one Arrow record batch."""
        part = self._lists(batch) if self.plan.as_list else self._numbers(batch)
        if self.values is None:
            check_counts(self.plan.where, self.rows, part.shape[1], self.limits)
            # Check the memory before it is allocated, as the number of rows is only a claim of the
            # file.
            self.plan.check_claim(self.rows, self.rows * part.shape[1], self.limits)
            self.values = np.empty((self.rows, part.shape[1]), dtype=self.plan.dtype)
        if self.done + len(part) > self.rows:
            raise ReadError(
                f"{self.plan.where}: corrupt (more rows than it claims). Write it again."
            )
        self.values[self.done : self.done + len(part)] = part
        for name in self.plan.labels:
            self.texts.setdefault(name, []).extend(self._labels(name, batch.column(name)))
        self.done += len(part)

    def _labels(self, name: str, column: Any) -> Sequence[Any]:
        """Python values of a label column."""
        if not types.is_dictionary(column.type):
            column.validate(full=True)
            return self._decoded(column)
        # Every batch repeats the dictionary, which may be large.
        dictionary = column.dictionary
        held, entries = self.dictionaries.get(name, (None, ()))
        if held is None or _place(dictionary) != _place(held):
            dictionary.validate(full=True)
            if held is None or not dictionary.equals(held):
                entries = self._decoded(dictionary)
            self.dictionaries[name] = dictionary, entries
        return [
            None if index is None else entries[index]
            for index in _valid(column.indices, len(entries)).to_pylist()
        ]

    def _decoded(self, column: Any) -> Sequence[Any]:
        self.text_bytes += _text_bytes(column)
        held = 0
        if self.values is not None:
            held = self.values.nbytes
        check_claim(self.plan.where, held + self.text_bytes, self.limits)
        values: list[Any] = column.to_pylist()
        for place, value in enumerate(values):
            # Equal long texts share one object.
            if isinstance(value, str) and len(value) >= LABEL_BYTES:
                values[place] = self.long.setdefault(value, value)
        return values

    def _numbers(self, batch: Any) -> Array:
        part = np.empty((batch.num_rows, len(self.plan.features)), dtype=self.plan.dtype)
        for index, name in enumerate(self.plan.features):
            column = batch.column(name)
            if types.is_dictionary(column.type):
                column.dictionary.validate(full=True)
                _valid(column.indices, len(column.dictionary))
                column = column.dictionary_decode()
            column.validate(full=True)
            self._refuse_null(column, index)
            stored = column.to_numpy(zero_copy_only=False)
            self._check_exact(stored[:, None], index, [name])
            # A signalling NaN would warn here; every NaN is refused later.
            with np.errstate(invalid="ignore"):
                part[:, index] = stored
        return part

    def _lists(self, batch: Any) -> Array:
        column = batch.column(self.plan.features[0])
        column.validate(full=True)
        self._refuse_null(column, 0)
        lengths = pc.list_value_length(column).to_numpy(zero_copy_only=False)
        width = self.values.shape[1] if self.values is not None else int(lengths[0])
        ragged = np.flatnonzero(lengths != width)
        if len(ragged):
            row = int(ragged[0])
            raise ReadError(
                f"{self.plan.cell(self.done + row, 0)}: {lengths[row]} values, but"
                f" {width} before it. Every sample needs the same number of values."
            )
        flat = column.flatten()
        if flat.null_count:
            row, entry = divmod(_first_null(flat), width)
            raise ReadError(
                f"{self.plan.position(self.done + row, entry)}: empty. Fill it in, or leave that"
                " row out."
            )
        part: Array = flat.to_numpy(zero_copy_only=False).reshape(len(lengths), width)
        self._check_exact(part, 0)
        return part

    def _check_exact(self, values: Array, first: int, names: Sequence[str] = ()) -> None:
        def position(row: int, column: int) -> str:
            return self.plan.position(self.done + row, first + column)

        check_exact(values, position, names)

    def _refuse_null(self, column: Any, place: int) -> None:
        if not column.null_count:
            return
        if column.null_count == self.rows:
            name = self.plan.features[place]
            raise ReadError(
                f"{self.plan.where}, column {quoted(name)}: empty in every row. Leave it out, in"
                f" both tables, with {drop_text([name])}."
            )
        cell = self.plan.cell(self.done + _first_null(column), place)
        raise EmptyCellError(f"{cell}: empty. Fill it in, or leave that row out.", place)


def _first_null(array: Any) -> int:
    return int(np.argmax(array.is_null().to_numpy(zero_copy_only=False)))


def _place(array: Any) -> tuple[object, ...]:
    """Memory addresses of an Arrow array's buffers: equal addresses mean the same array."""
    buffers = [
        None if buffer is None else (buffer.address, buffer.size) for buffer in array.buffers()
    ]
    return (array.offset, len(array), *buffers)


def _valid(indices: Any, entries: int) -> Any:
    """Indices of a dictionary column. Raises ValueError for an index outside the dictionary."""
    indices.validate(full=True)
    ends = pc.min_max(indices).as_py()
    if ends["min"] is not None and not 0 <= ends["min"] <= ends["max"] < entries:
        raise ValueError("an index outside its dictionary")
    return indices


def _text_bytes(column: Any) -> int:
    """Bytes of all texts of a valid column, each row counted: rows of a view may share one long
    text.
    """
    if types.is_string_view(column.type):
        lengths = np.frombuffer(column.buffers()[1], dtype=np.int32)[::4]
        return int(lengths[column.offset : column.offset + len(column)].sum(dtype=np.int64))
    if is_text(column.type):
        return int(column.nbytes)
    return 0


def read_batches(plan: Plan, rows: int, batches: Iterable[Any], limits: Limits) -> Contents:
    """Values (n, d), labels and feature names from Arrow record batches of ``rows`` rows in all.

    Names of columns are returned even if they are only numbers; a list column has no names.
    """
    table = TableRows(plan, rows, limits)
    for batch in batches:
        if batch.num_rows:
            # Arrow's kernels trust offsets and UTF-8, and crash on a corrupt file. So every column
            # is validated in full before its values are read; a dictionary only once.
            batch.validate()
            table.append(batch)
    check_counts(plan.where, table.done, len(plan.features), limits)
    if table.values is None or table.done < rows:
        raise ReadError(
            f"{plan.where}: truncated (it claims {rows} rows, {table.done} are there). Write it"
            " again."
        )
    check_values(table.values, plan.position)
    names = label_names(plan.labels)
    labels = {
        name: label_array(table.texts[old]) for name, old in zip(names, plan.labels, strict=True)
    }
    return Contents(table.values, labels, () if plan.as_list else plan.features)
