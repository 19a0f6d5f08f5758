"""Sizes that a Parquet file claims, read from its footer and from the headers of its pages without pyarrow.

pyarrow's accessors for single columns end the whole process on some corrupt files (a C++ exception that its Python
layer does not catch), and one bad upload must not end every session. pyarrow takes the sizes of pages from the headers
of the pages, whatever the footer says, so these are added up here. Footer and headers are Thrift structs in the compact
protocol (layout: parquet.thrift).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from prviz.readers.errors import ReadError, corrupt_unless_read, quoted
from prviz.readers.limits import Limits, human_size
from prviz.readers.source import FileSource

__all__ = ["Claims", "Footer", "read_footer"]

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

    def is_of(self, columns: Collection[str]) -> bool:
        """True if pyarrow reads this chunk for these columns."""
        return any(".".join(self.path[:depth]) in columns for depth in range(1, len(self.path) + 1))


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
                for page in _pages(stream, chunk, self.source.size) if chunk.is_of(columns) else ():
                    values += page.values
                    size += page.size
        return Claims(values, size)


def _pages(stream: BinaryIO, chunk: _Chunk, end: int) -> Iterator[Claims]:
    """Claims of a chunk's pages, up to the number of values of the chunk."""
    at, seen = chunk.start, 0
    while seen < chunk.values:
        length, fields = _page_header(stream, at, end)
        at += length + _count(fields[_COMPRESSED])
        kind = _KINDS.get(fields[_TYPE])
        values = 0 if kind is None else _count(fields[kind][1])
        seen += values
        yield Claims(values, _count(fields[_UNCOMPRESSED]))


def _page_header(stream: BinaryIO, at: int, end: int) -> tuple[int, dict[int, Any]]:
    """Length and fields of the page header at a place in the file."""
    longest = _PAGE_HEADER
    while True:
        stream.seek(at)
        header = _Compact(stream.read(longest))
        try:
            fields = header.struct(_PAGE)
        except IndexError:
            if at + longest >= end:
                raise
            longest *= 16
        else:
            return header.at, fields


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
        return Footer(source, _count(fields[_NUM_ROWS]), tuple(map(_chunk, columns)))


def _chunk(fields: dict[int, Any]) -> _Chunk:
    path = tuple(part.decode() for part in fields[_PATH])
    # As in pyarrow, a dictionary at 0 or behind the data is none.
    data, dictionary = _count(fields[_DATA_OFFSET]), _count(fields.get(_DICTIONARY_OFFSET, 0))
    return _Chunk(path, _count(fields[_NUM_VALUES]), min(data, dictionary or data))


def _count(number: object) -> int:
    if not isinstance(number, int) or number < 0:
        raise ValueError(f"an impossible size ({quoted(repr(number))})")
    return number
