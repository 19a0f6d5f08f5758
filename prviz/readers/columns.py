"""Feature and label columns of .parquet and .feather tables, and their values."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prviz.readers.arrays import Array, check_counts, check_exact, check_values
from prviz.readers.errors import AmbiguousKeyError, ReadError, listed, quoted
from prviz.readers.source import Limits, check_claim, check_columns

# Least bytes that one label of one sample counts towards the memory limit.
LABEL_BYTES = 64
# Names that pandas gives to an index without a name.
_INDEX = ("", "Unnamed: 0", "__index_level_0__")
_LABEL = re.compile(
    "ids?|idx|index|uid|uuid|labels?|class|classes|targets?|category|split|fold|subset|partition|paths?|files?"
    "|roles?|sources?|origins?|data_?sets?|is_?(real|generated|fake|synthetic)"
    "|file_?name|file_?path|images?|img|text|caption|prompt|url|names?"
    "|.*_(id|idx|index|label|class|name|path|file|split)",
    re.DOTALL,
)


def is_label(name: str) -> bool:
    """True if a column of this name is an id, a label or a split rather than a feature."""
    if name.strip() in _INDEX:
        return True
    return _LABEL.fullmatch(name.strip().lower().replace(" ", "_").replace("-", "_")) is not None


def label_names(names: Sequence[str]) -> list[str]:
    """Names of the labels: ``index`` for pandas' unnamed index, repeated ones numbered (``label (2)``)."""
    result: dict[str, None] = {}
    numbers: Counter[str] = Counter()
    for name in names:
        base = candidate = "index" if name.strip() in _INDEX else name.strip()
        while candidate in result:
            numbers[base] += 1
            candidate = f"{base} ({numbers[base] + 1})"
        result[candidate] = None
    return list(result)


def parsed(texts: Sequence[str]) -> Sequence[str | int]:
    """Texts as integers if all are plainly written integers (``"007"`` is a text), else unchanged."""
    if not all(text.removeprefix("-").isdecimal() and len(text) < 18 for text in texts):
        return texts
    numbers = [int(text) for text in texts]
    return numbers if all(str(number) == text for number, text in zip(numbers, texts, strict=True)) else texts


def label_bytes(text: str) -> int:
    """Bytes that one text counts towards the memory limit."""
    return max(LABEL_BYTES, sys.getsizeof(text))


def label_array(values: Sequence[Any]) -> NDArray[Any]:
    """One label per sample: integers, floats, or texts, whole however long (missing: "")."""
    kinds = {type(value) for value in values}
    if kinds <= {int, bool} and all(-(2**63) <= value < 2**63 for value in values):
        return np.array(values, dtype=np.int64)
    if kinds <= {float}:
        return np.array(values, dtype=np.float64)
    texts = ["" if value is None else str(value) for value in values]
    # Fixed-width text (four bytes a character) only where that takes about as much memory: one long label would widen
    # all others.
    padded = 4 * len(texts) * max(map(len, texts), default=0)
    return np.array(texts, dtype=str if padded <= 2 * sum(map(label_bytes, texts)) else object)


@dataclass(frozen=True)
class Plan:
    """Columns to read: one column of lists or several columns of numbers, and the label columns."""

    where: str
    features: tuple[str, ...]
    labels: tuple[str, ...]
    as_list: bool
    dtype: np.dtype[Any]

    @property
    def columns(self) -> list[str]:
        """Every column to read."""
        return [*self.features, *self.labels]

    def check_claim(self, rows: int, values: int, limits: Limits) -> None:
        """Refuse more values and labels than the limit."""
        check_claim(self.where, values * self.dtype.itemsize + rows * len(self.labels) * LABEL_BYTES, limits)

    def position(self, row: int, column: int) -> str:
        """Text for the place of a value, counted from 1."""
        if self.as_list:
            return f"{self.where}, row {row + 1}, column {quoted(self.features[0])}, entry {column + 1}"
        return f"{self.where}, row {row + 1}, column {quoted(self.features[column])}"


def _is_number(kind: Any) -> bool:
    import pyarrow.types as types

    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind))


def _is_label_type(kind: Any) -> bool:
    import pyarrow.types as types

    if types.is_dictionary(kind):
        return not types.is_dictionary(kind.value_type) and _is_label_type(kind.value_type)
    return _is_number(kind) or types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)


def _dtype(kinds: Iterable[Any]) -> np.dtype[Any]:
    """float32 if nothing wider is among the columns."""
    import pyarrow.types as types

    narrow = all(types.is_float16(kind) or types.is_float32(kind) for kind in kinds)
    return np.dtype(np.float32 if narrow else np.float64)


def plan_columns(schema: Any, where: str, key: str | None, limits: Limits) -> Plan:
    """Sort the columns of an Arrow schema into features, labels and others, which are not read.

    Raises
    ------
    AmbiguousKeyError : several list columns.
    ReadError : no features, a feature that is no number, repeated names, too many columns, or a ``key`` that is no list
        column.
    """
    import pyarrow.types as types

    check_columns(where, len(schema), limits)
    kinds = dict(zip(schema.names, schema.types, strict=True))
    if len(kinds) < len(schema.names):
        raise ReadError(f"{where}: two columns have the same name. Rename one of them.")
    lists = [
        name
        for name, kind in kinds.items()
        if (types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))
        and (name == key or not is_label(name))
    ]
    if key is not None and key not in lists:
        raise ReadError(f"{where}: has no list column {quoted(key)}. Its columns: {listed(kinds)}.")
    if key is None and len(lists) > 1:
        raise AmbiguousKeyError(
            f"{where}: several list columns could be the samples: {listed(lists)}. Choose one with key=...",
            lists,
        )
    if not lists:
        return _plan_numbers(kinds, where)
    name = lists[0] if key is None else key
    inner = kinds[name].value_type
    if not _is_number(inner):
        raise ReadError(
            f"{where}, column {quoted(name)}: lists of {quoted(str(inner))}, not of numbers. Save flat lists of floats."
        )
    labels = tuple(label for label, kind in kinds.items() if _is_label_type(kind))
    return Plan(where, (name,), labels, True, _dtype([inner]))


def _plan_numbers(kinds: dict[str, Any], where: str) -> Plan:
    labels = tuple(name for name, kind in kinds.items() if is_label(name) and _is_label_type(kind))
    features = tuple(name for name in kinds if not is_label(name))
    for name in features:
        if not _is_number(kinds[name]):
            raise ReadError(
                f"{where}, column {quoted(name)}: holds {quoted(str(kinds[name]))}, not numbers. Remove the column, or "
                "name it id, label, split, path or text to keep it."
            )
    if not features:
        raise ReadError(f"{where}: has no feature columns. Its columns: {listed(kinds)}. Add the embeddings.")
    return Plan(where, features, labels, False, _dtype(kinds[name] for name in features))


@dataclass
class TableRows:
    """The values and labels of the batches read so far.

    text_bytes : bytes of the decoded texts; a dictionary counts once for consecutive batches that share it.
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
            # The number of rows is only a claim so far, and decides how much is allocated.
            self.plan.check_claim(self.rows, self.rows * part.shape[1], self.limits)
            self.values = np.empty((self.rows, part.shape[1]), dtype=self.plan.dtype)
        if self.done + len(part) > self.rows:
            raise ReadError(f"{self.plan.where}: corrupt (more rows than it claims). Write it again.")
        self.values[self.done : self.done + len(part)] = part
        for name in self.plan.labels:
            self.texts.setdefault(name, []).extend(self._labels(name, batch.column(name)))
        self.done += len(part)

    def _labels(self, name: str, column: Any) -> Sequence[Any]:
        """Python values of a label column."""
        import pyarrow.types as types

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
        return [None if index is None else entries[index] for index in _valid(column.indices, len(entries)).to_pylist()]

    def _decoded(self, column: Any) -> Sequence[Any]:
        self.text_bytes += _text_bytes(column)
        held = 0 if self.values is None else self.values.nbytes
        check_claim(self.plan.where, held + self.text_bytes, self.limits)
        values: list[Any] = column.to_pylist()
        # A long text is kept once, however often a file repeats it.
        return [
            self.long.setdefault(value, value) if isinstance(value, str) and len(value) >= LABEL_BYTES else value
            for value in values
        ]

    def _numbers(self, batch: Any) -> Array:
        part = np.empty((batch.num_rows, len(self.plan.features)), dtype=self.plan.dtype)
        for index, name in enumerate(self.plan.features):
            column = batch.column(name)
            column.validate(full=True)
            self._refuse_null(column, f"column {quoted(name)}")
            stored = column.to_numpy(zero_copy_only=False)
            self._check_exact(stored[:, None], index)
            with np.errstate(invalid="ignore"):  # a signalling NaN is refused later, as every NaN is
                part[:, index] = stored
        return part

    def _lists(self, batch: Any) -> Array:
        import pyarrow.compute as pc

        column = batch.column(self.plan.features[0])
        column.validate(full=True)
        title = f"column {quoted(self.plan.features[0])}"
        self._refuse_null(column, title)
        lengths = pc.list_value_length(column).to_numpy(zero_copy_only=False)
        width = self.values.shape[1] if self.values is not None else int(lengths[0])
        ragged = np.flatnonzero(lengths != width)
        if len(ragged):
            row = int(ragged[0])
            raise ReadError(
                f"{self.plan.where}, row {self.done + row + 1}, {title}: {lengths[row]} values, but {width} before it. "
                "Every sample needs the same number of values."
            )
        flat = column.flatten()
        if flat.null_count:
            row, entry = divmod(int(np.flatnonzero(flat.is_null().to_numpy(zero_copy_only=False))[0]), width)
            raise ReadError(f"{self.plan.position(self.done + row, entry)}: empty. Fill it in, or leave that row out.")
        part: Array = flat.to_numpy(zero_copy_only=False).reshape(len(lengths), width)
        self._check_exact(part, 0)
        return part

    def _check_exact(self, values: Array, first: int) -> None:
        check_exact(values, lambda row, column: self.plan.position(self.done + row, first + column))

    def _refuse_null(self, column: Any, title: str) -> None:
        if column.null_count:
            row = int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
            raise ReadError(
                f"{self.plan.where}, row {self.done + row + 1}, {title}: empty. Fill it in, or leave that row out."
            )


def _place(array: Any) -> tuple[object, ...]:
    """Memory addresses of an Arrow array's values, to compare arrays by."""
    buffers = [None if buffer is None else (buffer.address, buffer.size) for buffer in array.buffers()]
    return (array.offset, len(array), *buffers)


def _valid(indices: Any, entries: int) -> Any:
    """Indices of a dictionary column. Raises ValueError for an index outside the dictionary."""
    import pyarrow.compute as pc

    indices.validate(full=True)
    ends = pc.min_max(indices).as_py()
    if ends["min"] is not None and not 0 <= ends["min"] <= ends["max"] < entries:
        raise ValueError("an index outside its dictionary")
    return indices


def _text_bytes(column: Any) -> int:
    """Bytes of all texts of a valid column; many rows of a view may share one long text."""
    import pyarrow.types as types

    if types.is_string_view(column.type):
        lengths = np.frombuffer(column.buffers()[1], dtype=np.int32)[::4]
        return int(lengths[column.offset : column.offset + len(column)].sum(dtype=np.int64))
    return int(column.nbytes) if types.is_string(column.type) or types.is_large_string(column.type) else 0


def read_batches(plan: Plan, rows: int, batches: Iterable[Any], limits: Limits) -> tuple[Array, dict[str, Array]]:
    """Values (n, d) and labels from Arrow record batches that together have ``rows`` rows."""
    table = TableRows(plan, rows, limits)
    for batch in batches:
        if batch.num_rows:
            # Arrow's kernels trust offsets and UTF-8 and crash on a corrupt file, so every column is validated in full
            # before its values are read, a dictionary once.
            batch.validate()
            table.append(batch)
    check_counts(plan.where, table.done, len(plan.features), limits)
    if table.values is None or table.done < rows:
        raise ReadError(f"{plan.where}: truncated (it claims {rows} rows, {table.done} are there). Write it again.")
    check_values(table.values, plan.position)
    names = label_names(plan.labels)
    return table.values, {name: label_array(table.texts[old]) for name, old in zip(names, plan.labels, strict=True)}
