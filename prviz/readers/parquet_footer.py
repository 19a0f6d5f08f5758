"""What a Parquet file claims, read from its footer without pyarrow.

pyarrow knows these numbers, too, but its accessors for single columns end the whole process on some corrupt
files (a C++ exception that its Python layer does not catch), and one bad upload must not take every session
down. The
footer is a Thrift struct in the compact protocol (layout: parquet.thrift); it is decoded generically.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from prviz.readers.errors import ReadError, corrupt_unless_read, quoted
from prviz.readers.limits import Limits, human_size
from prviz.readers.source import Source

__all__ = ["Footer", "read_footer"]

# Field numbers in FileMetaData, RowGroup, ColumnChunk and ColumnMetaData.
_NUM_ROWS, _ROW_GROUPS, _COLUMNS, _META_DATA = 3, 4, 1, 3
_PATH, _NUM_VALUES, _UNCOMPRESSED = 3, 5, 6
_DEEPEST = 30


class _Compact:
    """A decoder of Thrift's compact protocol; reading past the end is an IndexError."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _bytes(self, count: int) -> bytes:
        self._at += count
        if self._at > len(self._data):
            raise IndexError("a value beyond the end")
        return self._data[self._at - count : self._at]

    def _varint(self) -> int:
        result = shift = 0
        while (byte := self._byte()) & 0x80:
            result |= (byte & 0x7F) << shift
            shift += 7
            if shift > 63:
                raise ValueError("an integer of more than 64 bits")
        return result | byte << shift

    def _integer(self) -> int:
        number = self._varint()
        return number >> 1 ^ -(number & 1)

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """A struct as a mapping from field number to value."""
        if depth > _DEEPEST:
            raise ValueError("nested too deeply")
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._integer()
            kind = head & 15
            fields[number] = kind == 1 if kind in (1, 2) else self._value(kind, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (1, 2, 3):
            return self._byte()
        if kind in (4, 5, 6):
            return self._integer()
        if kind == 7:
            return self._bytes(8)
        if kind == 8:
            return self._bytes(self._varint())
        if kind in (9, 10):
            return self._list(depth + 1)
        if kind == 12:
            return self.struct(depth + 1)
        raise ValueError(f"an unknown type ({kind})")

    def _list(self, depth: int) -> list[Any]:
        if depth > _DEEPEST:
            raise ValueError("nested too deeply")
        head = self._byte()
        size = self._varint() if head >> 4 == 15 else head >> 4
        return [self._value(head & 15, depth) for _ in range(size)]


@dataclass(frozen=True)
class Footer:
    """Number of rows, and per column chunk its top-level column, number of values and uncompressed bytes."""

    rows: int
    chunks: tuple[tuple[str, int, int], ...]

    def values(self, column: str) -> int:
        """How many values (of all lists together) a column claims."""
        return sum(values for name, values, _ in self.chunks if name == column)

    def size(self, columns: Collection[str]) -> int:
        """How many bytes the pages of these columns claim when uncompressed."""
        return sum(size for name, _, size in self.chunks if name in columns)


def read_footer(source: Source, limits: Limits) -> Footer:
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
        return _footer(_Compact(data).struct())


def _footer(fields: dict[int, Any]) -> Footer:
    chunks = []
    for group in fields[_ROW_GROUPS]:
        for chunk in group[_COLUMNS]:
            column = chunk[_META_DATA]
            name = column[_PATH][0].decode()
            chunks.append((name, _count(column[_NUM_VALUES]), _count(column[_UNCOMPRESSED])))
    return Footer(_count(fields[_NUM_ROWS]), tuple(chunks))


def _count(number: object) -> int:
    if not isinstance(number, int) or number < 0:
        raise ValueError(f"an impossible size ({quoted(repr(number))})")
    return number
