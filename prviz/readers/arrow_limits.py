"""Sizes that the batches of an Arrow IPC file claim, read from their metadata without decompression.

pyarrow offers no such look-ahead, and a compressed buffer may claim any size. Each message carries a flatbuffer
(layout: Arrow's format/Message.fbs), from which the few fields needed are read by hand.
"""

from __future__ import annotations

import struct
from typing import Any

from prviz.readers.errors import ReadError, corrupt_unless_read

__all__ = ["claimed_by_batches"]

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
