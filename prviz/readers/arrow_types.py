"""Converts Arrow columns of other types to the plain types of `prviz.readers.arrow_rows`: numbers,
and lists of numbers.

Extension types, such as tensors, become their storage; decimals become float64; list views become
lists; a list of one list becomes that list; a struct of lists or numbers becomes one column per
field, such as ``emb.values``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from prviz.readers.columns import is_label
from prviz.readers.errors import ReadError, beside, literal, quoted
from prviz.readers.pieces import Stored, quantised, refuse_sparse, sparse
from prviz.readers.source import FileSource, Limits, check_claim


@dataclass(frozen=True)
class _Column:
    """A plain column: its name, the stored column that holds it, the index of its field there (None
    if it is the whole column), and its type.
    """

    name: str
    holder: str
    field: int | None
    kind: Any


class PlainColumns:
    """The plain columns of a table.

    Parameters
    ----------
    schema : the Arrow schema as stored.
    key : name of the list column to read, or None.
    """

    def __init__(self, schema: Any, source: FileSource, key: str | None, limits: Limits) -> None:
        self._stored = schema
        self._source = source
        self._limits = limits
        columns = [
            _Column(name, name, None, kind)
            for name, kind in zip(schema.names, schema.types, strict=True)
        ]
        if not any(map(is_list, schema.types)) or key not in (None, *schema.names):
            columns = [inner for column in columns for inner in _fields(column)]
        self._columns = columns
        kinds = [(column.name, _plain(column.kind)) for column in columns]
        self.schema = pa.schema(kinds, metadata=schema.metadata)
        self._refuse_others(kinds)
        if key is None:
            self.refuse_pieces()

    def places(self, names: Iterable[str]) -> list[int]:
        """Indices of the stored columns that hold the plain columns of these names."""
        wanted = set(names)
        holders = {column.holder for column in self._columns if column.name in wanted}
        return [place for place, name in enumerate(self._stored.names) if name in holders]

    def batch(self, batch: Any) -> Any:
        """A batch with its stored columns converted to plain columns."""
        held = set(batch.schema.names)
        self._refuse_spark(batch)
        arrays = {}
        for column in self._columns:
            if column.holder not in held:
                continue
            array = batch.column(column.holder)
            if column.field is not None:
                place = array.type.get_field_index(column.name.removeprefix(f"{column.holder}."))
                if place < 0:
                    continue  # only the needed fields of a struct are read
                array.validate(full=True)
                array = array.flatten()[place]
            arrays[column.name] = self._converted(array, column)
        return pa.RecordBatch.from_pydict(arrays)

    def _converted(self, array: Any, column: _Column) -> Any:
        kind = _plain(array.type)
        if kind.equals(array.type):
            return array
        # Arrow's kernels trust offsets and would crash on a corrupt file.
        array.validate(full=True)
        array = self._unpacked(array, column)
        if is_list(kind):
            kind = _list_like(array.type, kind.value_type)
        return array.cast(kind)

    def _unpacked(self, array: Any, column: _Column) -> Any:
        """The array without extension types and views; lists of lists become lists."""
        if isinstance(array.type, pa.BaseExtensionType):
            shape = getattr(array.type, "shape", None)
            if shape is not None and sum(length != 1 for length in shape) > 1:
                raise self._refuse_nested(column, " x ".join(map(str, shape)) + " numbers")
            return self._unpacked(array.storage, column)
        if not is_list(array.type):
            return array
        if _is_view(array.type):
            # The lengths are checked before copying, since many views may show the same values.
            lengths = pc.list_value_length(array)
            check_claim(self._source.where, 8 * (pc.sum(lengths).as_py() or 0), self._limits)
            if array.null_count:
                array = _empty_or_null(array)
            else:
                array = _lists(lengths, array.flatten())
        if not is_list(array.type.value_type):
            return array
        # The reader later refuses a missing list, naming its row.
        if array.null_count:
            return _empty_or_null(array)
        inner = self._unpacked(array.flatten(), column)
        lengths = pc.list_value_length(array)
        if pc.all(pc.equal(lengths, 1)).as_py():
            return inner
        if inner.null_count or not pc.all(pc.equal(pc.list_value_length(inner), 1)).as_py():
            raise self._refuse_nested(column, f"{lengths[0]} lists of numbers")
        return _lists(lengths, inner.flatten())

    def _refuse_nested(self, column: _Column, found: str) -> ReadError:
        read = _reading(self._source)
        return ReadError(
            f"{self._source.where}, column {quoted(column.name)}: {found} a sample; one list is "
            "needed. Pool them, or flatten each sample to one row:\n"
            "import numpy as np, pandas as pd, pyarrow as pa\n"
            f"rows = {read}[{literal(column.holder)}]\n"
            f"np.save({beside(self._source.typed, '.npy')}, np.stack([np.ravel(np.stack(row)) for "
            f"row in rows]))"
        )

    def _in_pieces(self) -> Stored:
        """The file with the lines that load all columns, also those nested in other columns."""
        source = self._source
        loading = (
            "import numpy as np, pandas as pd, pyarrow as pa\narrays = "
            f"pa.Table.from_pandas({_reading(source)}).flatten().to_pandas()"
        )
        return Stored(source.where, loading, source.typed)

    def refuse_pieces(self, also: Collection[str] = ()) -> None:
        """Raise ReadError if lists of whole numbers are only a part of the data: the positions of
        sparse values, or quantised values.

        also : names of further lists of whole numbers, beyond those in the schema.
        """
        file = self._in_pieces()
        plain = []
        lists = []
        whole = []
        for column in self._columns:
            kind = _stored(column.kind)
            listing = is_list(kind)
            inner = kind.value_type if listing else kind
            if is_number(inner):
                plain.append(column.name)
                if listing:
                    lists.append(column.name)
                    if types.is_integer(inner) or column.name in also:
                        whole.append(column.name)
        # Spark's vectors may be sparse in some rows only, see `_refuse_spark`.
        spark = any(column.name.endswith(".type") for column in self._columns)
        features = [name for name in lists if not is_label(name)]
        error = None
        if not spark:
            error = sparse(file, lists, whole)
        if error is None and len(features) == 1 and features[0] in whole:
            others = [name for name in plain if name != features[0]]
            error = quantised(file, features[0], others)
        if error is not None:
            raise error

    def _refuse_spark(self, batch: Any) -> None:
        """Raise ReadError for a column of Spark's vectors if a row of it is sparse (type 0)."""
        for name, kind in zip(batch.schema.names, batch.schema.types, strict=True):
            fields = {}
            if types.is_struct(kind):
                fields = {field.name: field.type for field in kind}
            if "values" not in fields or not types.is_integer(fields.get("type", pa.null())):
                continue
            batch.column(name).validate(full=True)
            if pc.any(pc.equal(batch.column(name).field("type"), 0)).as_py():
                held = (f"{name}.{field}" for field in ("indices", "values", "size"))
                raise refuse_sparse(self._in_pieces(), *held)

    def _refuse_others(self, kinds: Sequence[tuple[str, Any]]) -> None:
        """Raise ReadError for a table without columns of numbers, whose features are stored in
        another form.
        """
        pairs = [(name, kind) for name, kind in kinds if not is_label(name)]
        if any(is_number(kind) or is_list(kind) for _, kind in pairs):
            return
        for name, kind in kinds:
            if types.is_struct(kind) and kind.get_field_index("bytes") >= 0:
                read = _reading(self._source)
                raise refuse_pictures(self._source.where, name, read, self._source.typed)
        for checks, what, lines in _OTHERS:
            for name, kind in pairs:
                if not _is_any(checks, kind):
                    continue
                typed = self._source.typed
                recipe = lines.format(
                    table=_reading(self._source),
                    column=literal(name),
                    npy=beside(typed, ".npy"),
                    csv=beside(typed, ".csv"),
                )
                raise ReadError(
                    f"{self._source.where}, column {quoted(name)}: holds {what}:\n"
                    f"import numpy as np, pandas as pd, pyarrow as pa\n{recipe}"
                )


def refuse_pictures(where: str, name: str, read: str, typed: str) -> ReadError:
    """Error for a column of the bytes of picture files, as Hugging Face stores them.

    read : Python code that reads the file as a data frame.
    """
    folder = beside(typed, "_pictures")
    return ReadError(
        f"{where}, column {quoted(name)}: holds pictures. Save them as files, and embed these: "
        f"prviz embed {folder} -o FILE.safetensors --encoder ENCODER\n"
        "import pathlib, pandas as pd, pyarrow as pa\nfolder = "
        f"pathlib.Path({folder})\nfolder.mkdir(exist_ok=True)\n"
        f"for place, held in enumerate({read}[{literal(name)}]):\n"
        "    (folder / f'{place:08}.png').write_bytes(held['bytes'])"
    )


_NUMBERS = (types.is_integer, types.is_floating, types.is_boolean)
_TEXTS = (types.is_string, types.is_large_string, types.is_string_view)
_VIEWS = (types.is_list_view, types.is_large_list_view)
_LISTS = (types.is_list, types.is_large_list, types.is_fixed_size_list, *_VIEWS)
_BYTES = (types.is_binary, types.is_large_binary, types.is_fixed_size_binary)


def _is_any(checks: Iterable[Any], kind: Any) -> bool:
    return any(check(kind) for check in checks)


def is_number(kind: Any) -> bool:
    """True for an Arrow type of numbers or truth values."""
    return _is_any(_NUMBERS, kind)


def is_text(kind: Any) -> bool:
    """True for an Arrow type of texts."""
    return _is_any(_TEXTS, kind)


def is_list(kind: Any) -> bool:
    """True for an Arrow type of lists, or of an extension that is stored as such."""
    return _is_any(_LISTS, _stored(kind))


def _is_view(kind: Any) -> bool:
    return _is_any(_VIEWS, kind)


def _stored(kind: Any) -> Any:
    """The storage type of an extension type; any other type unchanged."""
    while isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    return kind


def _reading(source: FileSource) -> str:
    """Python code that reads the file as a data frame."""
    name = literal(source.typed)
    if source.kind == ".jsonl":
        return f"pd.read_json({name}, lines=True)"
    if source.kind == ".parquet":
        return f"pd.read_parquet({name})"
    opened = "open_stream"
    if source.head(6) == b"ARROW1":
        opened = "open_file"
    return f"pa.ipc.{opened}({name}).read_pandas()"


def frame_lines(source: FileSource) -> str:
    """Python lines that load the file as the data frame ``table``, with its index as a column."""
    modules = "pyarrow as pa"
    if source.kind in (".parquet", ".jsonl"):
        modules = "pandas as pd"
    index = ".reset_index()"
    if source.kind == ".jsonl":
        index = ""
    return f"import {modules}\ntable = {_reading(source)}{index}"


def _lists(lengths: Any, values: Any) -> Any:
    """An array of lists with these lengths, from the concatenated ``values``."""
    ends = np.concatenate(([0], np.cumsum(lengths.to_numpy(zero_copy_only=False), dtype=np.int64)))
    return pa.LargeListArray.from_arrays(ends, values)


def _empty_or_null(array: Any) -> Any:
    """An array with None for each missing list and an empty list for every other, from which the
    reader names the first row that is missing.
    """
    empty: list[Any] = [[] if valid else None for valid in array.is_valid().to_pylist()]
    return pa.array(empty, pa.list_(pa.float64()))


def _fields(column: _Column) -> list[_Column]:
    """One column per field for a struct of numbers or lists; else the column itself."""
    if not types.is_struct(column.kind) or is_label(column.name):
        return [column]
    kinds = [_plain(field.type) for field in column.kind]
    if not any(map(is_list, kinds)) and not all(map(is_number, kinds)):
        return [column]
    return [
        _Column(f"{column.name}.{field.name}", column.name, index, field.type)
        for index, field in enumerate(column.kind)
    ]


# Types of columns that may hold numbers in another form: tests for the type, its name in messages,
# and the lines that make a file of numbers.
_OTHERS = (
    (
        _BYTES,
        "bytes, not numbers. If they are numbers of float32",
        "rows = {table}[{column}]\nnp.save({npy}, np.stack([np.frombuffer(row, 'float32') for row "
        "in rows]))",
    ),
    (
        (types.is_map,),
        "maps, from names to values. Save these as columns",
        "pd.DataFrame([dict(row) for row in {table}[{column}]]).to_csv({csv}, index=False)",
    ),
    (
        _TEXTS,
        "texts, not numbers. If they are numbers, or lists of numbers, a table of text is read",
        "{table}.to_csv({csv}, index=False)",
    ),
)


def _list_like(kind: Any, inner: Any) -> Any:
    """The type of lists that corresponds to ``kind``, with values of another type."""
    if types.is_fixed_size_list(kind):
        return pa.list_(inner, kind.list_size)
    if types.is_large_list(kind):
        return pa.large_list(inner)
    return pa.list_(inner)


def _plain(kind: Any) -> Any:
    """The plain type to which a column of type ``kind`` is converted; ``kind`` itself if it is
    plain.
    """
    kind = _stored(kind)
    if types.is_decimal(kind):
        return pa.float64()
    if not is_list(kind):
        return kind
    inner = kind.value_type
    while is_list(inner):
        inner = _stored(inner).value_type
    inner = _plain(inner)
    if inner.equals(kind.value_type) and not _is_view(kind):
        return kind
    return pa.large_list(inner)
