""".npz files: a zip archive of .npy members, of which only the wanted one is decompressed."""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, BinaryIO, cast

from prviz.readers.arrays import Array, Header
from prviz.readers.errors import ReadError, corrupt_unless_read, quoted
from prviz.readers.limits import Limits, human_size
from prviz.readers.npy import read_npy_header, values_at
from prviz.readers.pickles import refuse_pickle
from prviz.readers.source import Source

__all__ = ["ZIP_ERRORS", "NpzFile", "holds_pickle", "open_npz"]

ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    IndexError,
    KeyError,
    OverflowError,
)
_END = b"PK\x05\x06"
_END_64 = b"PK\x06\x06"


class NpzFile:
    """An open .npz archive."""

    def __init__(self, source: Source, archive: zipfile.ZipFile) -> None:
        self.where = source.where
        self._source = source
        self._archive = archive
        self._members = {
            info.filename.removesuffix(".npy"): info for info in archive.infolist() if info.filename.endswith(".npy")
        }
        self.keys: Sequence[str] = tuple(self._members)

    def header(self, key: str) -> Header:
        """The inner .npy header of one member."""
        with self._member(key) as stream:
            return self._header(stream, key)

    def values(self, key: str, limits: Limits) -> Array:
        """The checked (n, d) values of one member."""
        with self._member(key) as stream:
            return values_at(stream, self._header(stream, key), limits)

    def _header(self, stream: BinaryIO, key: str) -> Header:
        # file_size is the zip directory's claim: zipfile never hands out more than that.
        where = self._where(key)
        return read_npy_header(stream, self._members[key].file_size, file=self._source.name, key=key, where=where)

    def _where(self, key: str) -> str:
        return f"{self.where}, key {quoted(key)}"

    @contextmanager
    def _member(self, key: str) -> Iterator[BinaryIO]:
        with (
            corrupt_unless_read(self._where(key), *ZIP_ERRORS),
            self._archive.open(self._members[key]) as stream,
        ):
            yield cast(BinaryIO, stream)


def _directory_bytes(stream: IO[bytes], size: int) -> int:
    """How long the zip directory claims to be; 0 if the end of the archive is not found."""
    stream.seek(max(0, size - 70_000))
    tail = stream.read()
    stream.seek(0)
    end = tail.rfind(_END)
    claimed = int.from_bytes(tail[end + 12 : end + 16], "little") if end >= 0 else 0
    end_64 = tail.rfind(_END_64)
    return max(claimed, int.from_bytes(tail[end_64 + 40 : end_64 + 48], "little")) if end_64 >= 0 else claimed


@contextmanager
def _open_zip(source: Source, limits: Limits) -> Iterator[zipfile.ZipFile]:
    with source.open() as stream:
        claimed = _directory_bytes(stream, source.size)
        # 0xFFFFFFFF only says that the 64-bit record has the number.
        if claimed > limits.max_header_bytes and claimed != 0xFFFFFFFF:
            raise ReadError(
                f"{source.where}: its zip directory claims {human_size(claimed)}, more than any real archive of arrays."
            )
        with corrupt_unless_read(source.where, *ZIP_ERRORS):
            archive = zipfile.ZipFile(stream)
        with archive:
            yield archive


def holds_pickle(source: Source, limits: Limits) -> bool:
    """Whether the file is a readable zip archive with a pickle inside, as torch.save writes it."""
    try:
        with _open_zip(source, limits) as archive:
            return any(name.endswith((".pkl", ".pickle")) for name in archive.namelist())
    except ReadError:
        return False


@contextmanager
def open_npz(source: Source, limits: Limits) -> Iterator[NpzFile]:
    """The archive behind ``source``; its directory is read, no member is.

    Raises
    ------
    ReadError : no zip archive, a corrupt or oversized directory, or an archive around a pickle.
    """
    with _open_zip(source, limits) as archive:
        if any(name.endswith((".pkl", ".pickle")) for name in archive.namelist()):
            raise refuse_pickle(source, torch_archive=True)
        yield NpzFile(source, archive)
