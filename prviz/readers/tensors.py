"""Reader of .safetensors files: a JSON header with dtype, shape and offsets of every tensor, then their bytes.

The safetensors library reads whole files or needs a path, and has no numpy type for bfloat16; the header is simple and
must be checked before anything is read, so it is parsed here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np

from prviz.readers.arrays import Array, Header
from prviz.readers.errors import ReadError, corrupt_unless_read, quoted
from prviz.readers.limits import Limits, check_keys, human_size
from prviz.readers.npy import values_at
from prviz.readers.source import FileSource

__all__ = ["TensorFile", "open_tensors"]

_DTYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "BF16": "<u2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "|i1",
    "U64": "<u8",
    "U32": "<u4",
    "U16": "<u2",
    "U8": "|u1",
    "BOOL": "|b1",
}


class TensorFile:
    """An open .safetensors file."""

    def __init__(self, source: FileSource, stream: BinaryIO, entries: dict[str, Any], start: int) -> None:
        self.where = source.where
        self._source = source
        self._stream = stream
        self._entries = {key: entry for key, entry in entries.items() if key != "__metadata__"}
        self._start = start
        self.keys: Sequence[str] = tuple(self._entries)

    def header(self, key: str) -> Header:
        """Header of one tensor from the JSON, checked against the size of the file."""
        where = f"{self.where}, key {quoted(key)}"
        entry = self._entries[key]
        with corrupt_unless_read(where, KeyError, TypeError, ValueError):
            name, shape, (begin, end) = entry["dtype"], entry["shape"], entry["data_offsets"]
            if not isinstance(name, str) or not all(_is_count(number) for number in (*shape, begin, end)):
                raise ReadError(f"{where}: corrupt (dtype, shape or data_offsets make no sense). Write it again.")
        if begin > end or self._start + end > self._source.size:
            raise ReadError(
                f"{where}: truncated or corrupt (it claims bytes {begin} to {end} of "
                f"{human_size(self._source.size - self._start)}). Write it again, or copy it again."
            )
        stored = _DTYPES.get(name)
        return Header(
            file=self._source.name,
            key=key,
            where=where,
            shape=tuple(shape),
            dtype=None if stored is None else np.dtype(stored),
            dtype_name="bfloat16" if name == "BF16" else np.dtype(stored).name if stored else quoted(name),
            offset=self._start + begin,
            stored=end - begin,
            bfloat16=name == "BF16",
        )

    def values(self, key: str, limits: Limits) -> Array:
        """The checked (n, d) values of one tensor."""
        return values_at(self._stream, self.header(key), limits)


def _is_count(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 2**63


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON object without repeated keys, as the format requires: one of two equal keys would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found


@contextmanager
def open_tensors(source: FileSource, limits: Limits) -> Iterator[TensorFile]:
    """File of ``source``; only its header is read.

    Raises
    ------
    ReadError : a header that is corrupt, truncated, or longer than ``limits.max_header_bytes``; too many tensors.
    """
    with source.open() as stream:
        length = int.from_bytes(stream.read(8), "little")
        if length > limits.max_header_bytes or length > source.size - 8:
            raise ReadError(
                f"{source.where}: truncated or corrupt: its header claims {human_size(length)}, the file has "
                f"{human_size(source.size)} and the limit is {human_size(limits.max_header_bytes)}. Write "
                "it again."
            )
        with corrupt_unless_read(source.where, ValueError, RecursionError):
            entries = json.loads(stream.read(length).decode(), object_pairs_hook=_distinct)
        if not isinstance(entries, dict):
            raise ReadError(f"{source.where}: corrupt (its header is no JSON object). Write it again.")
        check_keys(source.where, len(entries), limits)
        yield TensorFile(source, stream, entries, 8 + length)
