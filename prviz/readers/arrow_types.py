"""Arrow columns of other types as the plain ones of `prviz.readers.columns`: numbers, and lists of numbers.

Tensors and other extension types are their storage, decimals become float64, views of lists become
lists, lists of one list become lists, and a struct that holds lists or numbers becomes its fields,
such as ``emb.values``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from prviz.readers.columns import is_label, is_number
from prviz.readers.errors import ReadError, beside, literal, quoted
from prviz.readers.pieces import quantised, refuse_sparse, sparse
from prviz.readers.source import FileSource, Limits, check_claim


@dataclass(frozen=True)
class _Column:
    """A plain column: its name, the column that holds it, and its field there (None: the column itself)."""

    name: str
    holder: str
    field: int | None
    kind: Any


class PlainColumns:
    """The plain columns of a table.

    Parameters
    ----------
    schema : as stored.
    key : the list column that is asked for.
    """

    def __init__(self, schema: Any, source: FileSource, key: str | None, limits: Limits) -> None:
        import pyarrow as pa

        self._stored = schema
        self._source = source
        self._limits = limits
        columns = [
            _Column(name, name, None, kind)
            for name, kind in zip(schema.names, schema.types, strict=True)
        ]
        if not any(_is_list(column.kind) for column in columns) or key not in (None, *schema.names):
            columns = [inner for column in columns for inner in _fields(column)]
        self._columns = columns
        kinds = [_plain(column.kind) for column in columns]
        self.schema = pa.schema(
            list(zip([column.name for column in columns], kinds, strict=True)),
            metadata=schema.metadata,
        )
        self._refuse_others(kinds)
        if key is None:
            self.refuse_pieces()

    def places(self, names: Iterable[str]) -> list[int]:
        """Places in the stored schema of the columns that hold these plain ones."""
        wanted = set(names)
        holders = {column.holder for column in self._columns if column.name in wanted}
        return [place for place, name in enumerate(self._stored.names) if name in holders]

    def batch(self, batch: Any) -> Any:
        """A batch with some of the stored columns, as one of plain columns."""
        import pyarrow as pa

        held = set(batch.schema.names)
        self._refuse_spark(batch)
        arrays = []
        names = []
        for column in self._columns:
            if column.holder not in held:
                continue
            array = batch.column(column.holder)
            if column.field is not None:
                place = array.type.get_field_index(column.name.removeprefix(f"{column.holder}."))
                if place < 0:
                    continue  # a field of the struct that was not read
                array.validate(full=True)
                array = array.flatten()[place]
            arrays.append(self._converted(array, column))
            names.append(column.name)
        return pa.RecordBatch.from_arrays(arrays, names=names) if names else batch

    def _converted(self, array: Any, column: _Column) -> Any:
        kind = _plain(array.type)
        if kind.equals(array.type):
            return array
        # Arrow's kernels trust offsets, so that a corrupt file would crash them.
        array.validate(full=True)
        array = self._unpacked(array, column)
        return (
            array.cast(kind)
            if not _is_list(kind)
            else array.cast(_list_like(array.type, kind.value_type))
        )

    def _unpacked(self, array: Any, column: _Column) -> Any:
        """An array without extension types and views, its lists of lists squeezed."""
        import pyarrow as pa
        import pyarrow.compute as pc
        import pyarrow.types as types

        if isinstance(array.type, pa.BaseExtensionType):
            shape = getattr(array.type, "shape", None)
            if shape is not None and sum(length != 1 for length in shape) > 1:
                raise self._refuse_nested(column, " x ".join(map(str, shape)) + " numbers")
            return self._unpacked(array.storage, column)
        if not _is_list(array.type):
            return array
        if types.is_list_view(array.type) or types.is_large_list_view(array.type):
            # Many views may show the same values.
            total = pc.sum(pc.list_value_length(array)).as_py() or 0
            check_claim(self._source.where, total * 8, self._limits)
            array = (
                _empty_or_null(array)
                if array.null_count
                else _lists(pc.list_value_length(array), array.flatten())
            )
        if not _is_list(array.type.value_type):
            return array
        return self._squeezed(array, column)

    def _squeezed(self, array: Any, column: _Column) -> Any:
        """Lists of lists with one list each, or with lists of one value, as lists of values."""
        import pyarrow.compute as pc

        if array.null_count:  # refused with its row, as in a column of plain lists
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
            f"{self._source.where}, column {quoted(column.name)}: {found} a sample; one list is needed. Pool them, "
            "or flatten each sample to one row:\n"
            "import numpy as np, pandas as pd, pyarrow as pa\n"
            f"rows = {read}[{literal(column.holder)}]\n"
            f"np.save({beside(self._source.typed, '.npy')}, np.stack([np.ravel(np.stack(row)) for row in rows]))"
        )

    def _in_pieces(self) -> str:
        """The lines that load all columns, also those inside others, as ``arrays``."""
        read = f"pa.Table.from_pandas({_reading(self._source)})"
        return f"import numpy as np, pandas as pd, pyarrow as pa\narrays = {read}.flatten().to_pandas()"

    def refuse_pieces(self, also: Collection[str] = ()) -> None:
        """Raise for lists of whole numbers that say little alone: places of values, or values divided by others.

        also : lists of whole numbers beside those that the schema calls so.
        """
        where = self._source.where
        typed = self._source.typed
        loading = self._in_pieces()
        plain = {column.name: column.kind for column in self._columns if _is_plain(column.kind)}
        lists = {name: kind.value_type for name, kind in plain.items() if _is_list(kind)}
        whole = [name for name, inner in lists.items() if name in also or _is_whole(inner)]
        # see `_refuse_spark`
        spark = any(column.name.endswith(".type") for column in self._columns)
        features = [name for name in lists if not is_label(name)]
        error = None if spark else sparse(where, list(lists), whole, loading, typed)
        if error is None and len(features) == 1 and features[0] in whole:
            others = [name for name in plain if name != features[0]]
            error = quantised(where, features[0], others, loading, typed)
        if error is not None:
            raise error

    def _refuse_spark(self, batch: Any) -> None:
        """Raise for vectors of Spark of which some are sparse: their type is 0."""
        import pyarrow as pa
        import pyarrow.compute as pc
        import pyarrow.types as types

        for name, kind in zip(batch.schema.names, batch.schema.types, strict=True):
            fields = {field.name: field.type for field in kind} if types.is_struct(kind) else {}
            if "values" not in fields or not _is_whole(fields.get("type", pa.null())):
                continue
            batch.column(name).validate(full=True)
            if pc.any(pc.equal(batch.column(name).field("type"), 0)).as_py():
                held = {which: f"{name}.{field}" for which, field in _SPARK.items()}
                raise refuse_sparse(self._source.where, held, self._in_pieces(), self._source.typed)

    def _refuse_others(self, kinds: Sequence[Any]) -> None:
        """Raise for a table without numbers whose features hold them in another way."""
        names = [column.name for column in self._columns]
        pairs = [
            (name, kind) for name, kind in zip(names, kinds, strict=True) if not is_label(name)
        ]
        if any(is_number(kind) or _is_list(kind) for _, kind in pairs):
            return
        for fits, what, lines in _OTHERS:
            found = [name for name, kind in pairs if fits(kind)]
            if found:
                typed = self._source.typed
                saved = {"npy": beside(typed, ".npy"), "csv": beside(typed, ".csv")}
                recipe = lines.format(
                    table=_reading(self._source), column=literal(found[0]), **saved
                )
                raise ReadError(
                    f"{self._source.where}, column {quoted(found[0])}: holds {what}:\n"
                    f"import numpy as np, pandas as pd, pyarrow as pa\n{recipe}"
                )


# Fields of a sparse vector of Spark, by their pieces.
_SPARK = {"places": "indices", "values": "values", "size": "size"}


def _is_plain(kind: Any) -> bool:
    """True for numbers and lists of numbers."""
    return bool(
        is_number(kind.value_type if _is_list(kind) and hasattr(kind, "value_type") else kind)
    )


def _is_whole(kind: Any) -> bool:
    import pyarrow.types as types

    return bool(types.is_integer(kind))


def _is_text(kind: Any) -> bool:
    import pyarrow.types as types

    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _reading(source: FileSource) -> str:
    """The call that reads the file as a data frame."""
    name = literal(source.typed)
    if source.kind == ".jsonl":
        return f"pd.read_json({name}, lines=True)"
    if source.kind == ".parquet":
        return f"pd.read_parquet({name})"
    opened = "open_file" if source.head(6) == b"ARROW1" else "open_stream"
    return f"pa.ipc.{opened}({name}).read_pandas()"


def frame_lines(source: FileSource) -> str:
    """The lines that load the file as a data frame, ``table``, with its index among the columns."""
    modules = "pandas as pd" if source.kind in (".parquet", ".jsonl") else "pyarrow as pa"
    index = "" if source.kind == ".jsonl" else ".reset_index()"
    return f"import {modules}\ntable = {_reading(source)}{index}"


def _lists(lengths: Any, values: Any) -> Any:
    """Lists of these lengths, one after the other."""
    import pyarrow as pa

    ends = np.concatenate(([0], np.cumsum(lengths.to_numpy(zero_copy_only=False), dtype=np.int64)))
    return pa.LargeListArray.from_arrays(ends, values)


def _empty_or_null(array: Any) -> Any:
    """Lists without values where an array has any, so that the reader names the row that has none."""
    import pyarrow as pa

    return pa.array(
        [[] if valid else None for valid in array.is_valid().to_pylist()], pa.list_(pa.float64())
    )


def _fields(column: _Column) -> list[_Column]:
    """The fields of a struct of numbers or lists; else the column itself."""
    import pyarrow.types as types

    if not types.is_struct(column.kind) or is_label(column.name):
        return [column]
    inner = [column.kind.field(index) for index in range(column.kind.num_fields)]
    kinds = [_plain(field.type) for field in inner]
    if not any(map(_is_list, kinds)) and not all(map(is_number, kinds)):
        return [column]
    return [
        _Column(f"{column.name}.{field.name}", column.name, index, field.type)
        for index, field in enumerate(inner)
    ]


def _is_list(kind: Any) -> bool:
    import pyarrow as pa
    import pyarrow.types as types

    if isinstance(kind, pa.BaseExtensionType):
        return _is_list(kind.storage_type)
    checks = (
        types.is_list,
        types.is_large_list,
        types.is_fixed_size_list,
        types.is_list_view,
        types.is_large_list_view,
    )
    return any(check(kind) for check in checks)


def _is_bytes(kind: Any) -> bool:
    import pyarrow.types as types

    return bool(
        types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind)
    )


def _is_map(kind: Any) -> bool:
    import pyarrow.types as types

    return bool(types.is_map(kind))


# Kinds of columns that may hold numbers, what is said of them, and the lines that make a file of
# these.
_OTHERS = (
    (
        _is_bytes,
        "bytes, not numbers. If they are numbers of float32",
        "rows = {table}[{column}]\nnp.save({npy}, np.stack([np.frombuffer(row, 'float32') for row in rows]))",
    ),
    (
        _is_map,
        "maps, from names to values. Save these as columns",
        "pd.DataFrame([dict(row) for row in {table}[{column}]]).to_csv({csv}, index=False)",
    ),
    (
        _is_text,
        "texts, not numbers. If they are numbers, or lists of numbers, a table of text is read",
        "{table}.to_csv({csv}, index=False)",
    ),
)


def _list_like(kind: Any, inner: Any) -> Any:
    """The kind of list of ``kind``, of other values."""
    import pyarrow as pa
    import pyarrow.types as types

    if types.is_fixed_size_list(kind):
        return pa.list_(inner, kind.list_size)
    return pa.large_list(inner) if types.is_large_list(kind) else pa.list_(inner)


def _plain(kind: Any) -> Any:
    """The type that a column of this type is given; its own where nothing has to be changed."""
    import pyarrow as pa
    import pyarrow.types as types

    if isinstance(kind, pa.BaseExtensionType):
        return _plain(kind.storage_type)
    if types.is_decimal(kind):
        return pa.float64()
    if not _is_list(kind):
        return kind
    inner = kind.value_type
    while _is_list(inner):
        inner = (
            inner.storage_type if isinstance(inner, pa.BaseExtensionType) else inner
        ).value_type
    inner = _plain(inner)
    if inner.equals(kind.value_type):
        view = types.is_list_view(kind) or types.is_large_list_view(kind)
        return pa.large_list(inner) if view else kind
    return pa.large_list(inner)
