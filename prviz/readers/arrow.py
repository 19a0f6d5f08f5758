"""Readers of .parquet and .feather files by pyarrow, after a check of the sizes that their metadata claim.

The sizes of a Parquet file are read from its footer and from the headers of its pages without pyarrow: pyarrow's
accessors for single columns end the whole process on some corrupt files (a C++ exception that its Python layer does not
catch), and one bad upload must not end every session. pyarrow takes the sizes of pages from the headers of the pages,
whatever the footer says, so these are added up here. Footer and headers are Thrift structs in the compact protocol
(layout: parquet.thrift).
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO

from prviz.readers.arrays import Array, check_counts
from prviz.readers.columns import EVERY, ColumnChoice, plan_columns, read_batches
from prviz.readers.errors import ReadError, corrupt_unless_read, quoted
from prviz.readers.source import FileSource, Limits, check_claim, human_size

_Wanted = Mapping[int, Any]
# Field numbers of FileMetaData, RowGroup, ColumnChunk and ColumnMetaData.
_NUM_ROWS, _ROW_GROUPS, _COLUMNS, _META_DATA = 3, 4, 1, 3
_PATH, _NUM_VALUES, _DATA_OFFSET, _DICTIONARY_OFFSET = 3, 5, 9, 11
_COLUMN: _Wanted = dict.fromkeys((_PATH, _NUM_VALUES, _DATA_OFFSET, _DICTIONARY_OFFSET))
_FILE: _Wanted = {_NUM_ROWS: None, _ROW_GROUPS: {_COLUMNS: {_META_DATA: _COLUMN}}}
# Field numbers of PageHeader; the header of either kind of data page begins with its number of values.
_TYPE, _UNCOMPRESSED, _COMPRESSED, _DATA_PAGE, _DATA_PAGE_2 = 1, 2, 3, 5, 8
_PAGE: _Wanted = {_TYPE: None, _UNCOMPRESSED: None, _COMPRESSED: None, _DATA_PAGE: {1: None}, _DATA_PAGE_2: {1: None}}
_KINDS = {0: _DATA_PAGE, 3: _DATA_PAGE_2}
# Bytes read for a page header: enough for nearly all, but not for long texts as statistics.
_PAGE_HEADER = 4096
_DEEPEST = 30
# Most structs and list entries: several times those of the longest footer, unless they are empty.
_MOST_PARTS = 1_000_000


class _Compact:
    """A decoder of Thrift's compact protocol; reading past the end is an IndexError."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = 0
        self._parts = 0

    def _varint(self) -> int:
        result = shift = 0
        while (byte := self._data[self.at]) & 0x80:
            result |= (byte & 0x7F) << shift
            shift += 7
            self.at += 1
            if shift > 63:
                raise ValueError("an integer of more than 64 bits")
        self.at += 1
        return result | byte << shift

    def _integer(self) -> int:
        number = self._varint()
        return number >> 1 ^ -(number & 1)

    def _count_parts(self, count: int, depth: int) -> None:
        self._parts += count
        if self._parts > _MOST_PARTS or depth > _DEEPEST:
            raise ValueError("too many parts, or nested too deeply")

    def struct(self, wanted: _Wanted, depth: int = 0) -> dict[int, Any]:
        """Selected fields of a struct by number, and of the structs in them; others are skipped."""
        self._count_parts(1, depth)
        fields: dict[int, Any] = {}
        number = 0
        while head := self._data[self.at]:
            self.at += 1
            number = number + (head >> 4) if head >> 4 else self._integer()
            kind = head & 15
            if number in wanted:
                fields[number] = self._value(kind, wanted[number] or {}, depth)
            elif kind > 2:  # a truth value is in `kind` itself
                self._pass(kind, depth)
        self.at += 1
        if wanted and not fields:  # refused, as a list may hold millions of them
            raise ValueError("an empty struct")
        return fields

    def _list(self, depth: int) -> tuple[int, int]:
        """Type and number of the entries of a list."""
        head = self._data[self.at]
        self.at += 1
        size = self._varint() if head >> 4 == 15 else head >> 4
        self._count_parts(size, depth)
        return head & 15, size

    def _value(self, kind: int, wanted: _Wanted, depth: int) -> Any:
        if kind in (4, 5, 6):
            return self._integer()
        if kind == 8:
            size = self._varint()
            self.at += size
            return self._data[self.at - size : self.at]
        if kind == 9:
            kind, size = self._list(depth)
            return [self._value(kind, wanted, depth + 1) for _ in range(size)]
        if kind == 12:
            return self.struct(wanted, depth + 1)
        raise ValueError(f"an unexpected type ({kind})")

    def _pass(self, kind: int, depth: int) -> None:
        """Skip a value; a value beyond the end of the data fails at the end of its struct."""
        if kind in (4, 5, 6):
            while self._data[self.at] & 0x80:
                self.at += 1
            self.at += 1
        elif kind == 8:
            size = self._varint()
            self.at += size
        elif kind == 12:
            self.struct({}, depth + 1)
        elif kind in (9, 10):
            kind, size = self._list(depth)
            for _ in range(size):
                self._pass(kind, depth + 1)
        elif kind in (1, 2, 3, 7):
            self.at += 8 if kind == 7 else 1
        else:
            raise ValueError(f"an unknown type ({kind})")


@dataclass(frozen=True)
class _Chunk:
    """One column of one row group: path, number of values, and position of its first page."""

    path: tuple[str, ...]
    values: int
    start: int


@dataclass(frozen=True)
class Claims:
    """Number of values (of all lists together) that columns claim, and their uncompressed bytes."""

    values: int
    size: int


@dataclass(frozen=True)
class Footer:
    """Number of rows, and all column chunks."""

    source: FileSource
    rows: int
    chunks: tuple[_Chunk, ...]

    def claims(self, columns: Collection[str]) -> Claims:
        """Claims of the pages of these columns. Raises `ReadError` for a corrupt page header."""
        columns = frozenset(columns)
        values = size = 0
        with (
            self.source.open() as stream,
            corrupt_unless_read(self.source.where, IndexError, KeyError, TypeError, ValueError, AttributeError),
        ):
            for chunk in self.chunks:
                path = chunk.path
                if not any(".".join(path[:depth]) in columns for depth in range(1, len(path) + 1)):
                    continue  # pyarrow does not read this chunk for these columns
                for page in _pages(stream, chunk, self.source.size):
                    values += page.values
                    size += page.size
        return Claims(values, size)


def _pages(stream: BinaryIO, chunk: _Chunk, end: int) -> Iterator[Claims]:
    """Claims of a chunk's pages, up to the number of values of the chunk."""
    at, seen, longest = chunk.start, 0, _PAGE_HEADER
    while seen < chunk.values:
        stream.seek(at)
        header = _Compact(stream.read(longest))
        try:
            fields = header.struct(_PAGE)
        except IndexError:
            if at + longest >= end:
                raise
            longest *= 16
            continue
        at += header.at + _count(fields[_COMPRESSED])
        kind = _KINDS.get(fields[_TYPE])
        values = 0 if kind is None else _count(fields[kind][1])
        seen, longest = seen + values, _PAGE_HEADER
        yield Claims(values, _count(fields[_UNCOMPRESSED]))


def read_footer(source: FileSource, limits: Limits) -> Footer:
    """The claims of a Parquet file.

    Raises
    ------
    ReadError : no footer, one that is corrupt, encrypted, or longer than ``limits.max_header_bytes``.
    """
    with source.open() as stream:
        stream.seek(max(0, source.size - 8))
        tail = stream.read(8)
        if tail[4:] == b"PARE":
            raise ReadError(f"{source.where}: an encrypted Parquet file. Save it without encryption.")
        length = int.from_bytes(tail[:4], "little")
        if tail[4:] != b"PAR1" or length > source.size - 12:
            raise ReadError(f"{source.where}: truncated or corrupt (no footer). Write it again, or copy it again.")
        if length > limits.max_header_bytes:
            raise ReadError(
                f"{source.where}: its footer is {human_size(length)} long, more than the limit of "
                f"{human_size(limits.max_header_bytes)}. Save fewer columns, e.g. one column of lists."
            )
        stream.seek(source.size - 8 - length)
        data = stream.read(length)
    with corrupt_unless_read(source.where, IndexError, KeyError, TypeError, ValueError, AttributeError):
        fields = _Compact(data).struct(_FILE)
        columns = [chunk[_META_DATA] for group in fields[_ROW_GROUPS] for chunk in group[_COLUMNS]]
        chunks = []
        for column in columns:
            # As in pyarrow, a dictionary at 0 or behind the data is none.
            first, dictionary = _count(column[_DATA_OFFSET]), _count(column.get(_DICTIONARY_OFFSET, 0))
            path = tuple(part.decode() for part in column[_PATH])
            chunks.append(_Chunk(path, _count(column[_NUM_VALUES]), min(first, dictionary or first)))
        return Footer(source, _count(fields[_NUM_ROWS]), tuple(chunks))


def _count(number: object) -> int:
    if not isinstance(number, int) or number < 0:
        raise ValueError(f"an impossible size ({quoted(repr(number))})")
    return number


_MESSAGE_HEADER = 2  # field numbers in Message, DictionaryBatch and RecordBatch
_DICTIONARY_DATA = 1
_LENGTH, _BUFFERS, _COMPRESSION = 0, 2, 3


def _field(data: bytes, table: int, number: int) -> int | None:
    """Position of a field of a flatbuffer table; None if the field is left out (its default)."""
    vtable = table - _int(data, table, "<i")
    if 4 + 2 * number >= _int(data, vtable, "<H"):
        return None
    offset = _int(data, vtable + 4 + 2 * number, "<H")
    return table + offset if offset else None


def _int(data: bytes, position: int, layout: str) -> int:
    # A negative position would count from the end.
    if position < 0:
        raise IndexError("an offset before the beginning")
    (value,) = struct.unpack_from(layout, data, position)
    return int(value)


def _follow(data: bytes, position: int | None) -> int:
    if position is None:
        raise KeyError("a required field is missing")
    return position + _int(data, position, "<I")


def _claim(data: bytes, body: Any, *, dictionary: bool) -> tuple[int, int]:
    """Rows and uncompressed bytes of one batch."""
    batch = _follow(data, _field(data, _follow(data, 0), _MESSAGE_HEADER))
    if dictionary:
        batch = _follow(data, _field(data, batch, _DICTIONARY_DATA))
    length = _field(data, batch, _LENGTH)
    rows = 0 if length is None else _int(data, length, "<q")
    buffers = _follow(data, _field(data, batch, _BUFFERS))
    compressed = _field(data, batch, _COMPRESSION) is not None
    claimed = 0
    for index in range(_int(data, buffers, "<I")):
        start, size = struct.unpack_from("<qq", data, buffers + 4 + 16 * index)
        if not 0 <= start <= start + size <= len(body):
            raise IndexError("a buffer outside its batch")
        # A compressed buffer begins with its uncompressed length, -1 if it was left as it is.
        original = _int(body, start, "<q") if compressed and size >= 8 else -1
        if original < -1:
            raise IndexError("a negative length")
        claimed += original if original >= 0 else size
    if rows < 0:
        raise IndexError("a negative number of rows")
    return rows, claimed


def claimed_by_batches(stream: Any, where: str) -> tuple[int, int]:
    """Number of rows and uncompressed bytes that all batches of an Arrow IPC file claim.

    Raises
    ------
    ReadError : corrupt metadata, or a Feather file of version 1.
    """
    import pyarrow as pa

    if stream.read(4) == b"FEA1":
        raise ReadError(f"{where}: a Feather file of version 1. Save it again as version 2 (the default by now).")
    stream.seek(8)
    rows = claimed = 0
    with corrupt_unless_read(where, struct.error, IndexError, KeyError, ValueError, OSError):
        for message in pa.ipc.MessageReader.open_stream(stream):
            if message.type not in ("record batch", "dictionary"):
                continue
            dictionary = message.type == "dictionary"
            body = memoryview(message.body) if message.body is not None else memoryview(b"")
            more = _claim(message.metadata.to_pybytes(), body, dictionary=dictionary)
            rows += 0 if dictionary else more[0]
            claimed += more[1]
    return rows, claimed


# Bytes of values and texts decoded at a time.
_BATCH_BYTES = 64 * 1024**2


class _Clamped:
    """Stream that never reads past its end: Arrow requests as much as a corrupt header claims."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self._stream, self._size = stream, size
        self.closed = False

    def read(self, size: int = -1) -> bytes:
        left = max(0, self._size - self._stream.tell())
        return self._stream.read(left if size < 0 else min(size, left))

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def close(self) -> None:
        self.closed = True


@contextmanager
def _opened(source: FileSource) -> Iterator[Any]:
    """Source as an Arrow file; errors of pyarrow become a `ReadError`."""
    import pyarrow as pa

    errors = (pa.ArrowException, OSError, ValueError, LookupError, OverflowError, TypeError, RecursionError)
    with source.open() as stream, corrupt_unless_read(source.where, *errors):
        yield pa.PythonFile(_Clamped(stream, source.size), mode="r")


def read_parquet(
    source: FileSource, key: str | None, limits: Limits, choice: ColumnChoice = EVERY
) -> tuple[Array, dict[str, Array], tuple[str, ...], Any]:
    """Values (n, d), labels, names of features and metadata of a Parquet file; no other column is read.

    Raises
    ------
    ReadError : see `plan_columns`; ragged or missing values with their row; a corrupt file; a claim over the limit.
    """
    import pyarrow.parquet as pq

    footer = read_footer(source, limits)
    with _opened(source) as stream:
        schema = pq.ParquetFile(stream).schema_arrow
        plan = plan_columns(schema, source.where, key, limits, choice)
    features, labels = footer.claims(plan.features), footer.claims(plan.labels)
    values = features.values if plan.as_list else footer.rows * len(plan.features)
    check_claim(source.where, features.size + labels.size, limits)
    plan.check_claim(footer.rows, values, limits)
    check_counts(source.where, footer.rows, len(plan.features), limits)
    with _opened(source) as stream:
        # Dictionaries stay dictionaries: a file may repeat one long text a million times for nothing.
        file = pq.ParquetFile(stream, read_dictionary=list(plan.labels))
        # Large batches, because each batch repeats its dictionaries.
        size = max(1, _BATCH_BYTES * footer.rows // (8 * values + labels.size or 1))
        batches = file.iter_batches(batch_size=size, columns=plan.columns)
        return *read_batches(plan, footer.rows, batches, limits), schema.metadata


def read_feather(
    source: FileSource, key: str | None, limits: Limits, choice: ColumnChoice = EVERY
) -> tuple[Array, dict[str, Array], tuple[str, ...], Any]:
    """As `read_parquet`, of a Feather (version 2, Arrow IPC) file; only the columns read are decompressed.

    Raises
    ------
    ReadError : as `read_parquet`.
    """
    import pyarrow as pa

    with _opened(source) as stream:
        # After eight bytes of magic the file is an Arrow stream. Both check and read use that stream, as the footer
        # has a second table of contents that may differ.
        rows, size = claimed_by_batches(stream, source.where)
        check_claim(source.where, size, limits)
        stream.seek(8)
        schema = pa.ipc.open_stream(stream).schema
        plan = plan_columns(schema, source.where, key, limits, choice)
        plan.check_claim(rows, 0 if plan.as_list else rows * len(plan.features), limits)
        check_counts(source.where, rows, len(plan.features), limits)
        stream.seek(8)
        options = pa.ipc.IpcReadOptions(included_fields=[schema.get_field_index(name) for name in plan.columns])
        return *read_batches(plan, rows, pa.ipc.open_stream(stream, options=options), limits), schema.metadata
