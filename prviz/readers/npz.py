"""Reader of .npz files: zip archives of .npy members, of which only the selected one is decompressed."""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

from prviz.readers.arrays import Array, Header
from prviz.readers.errors import ReadError, corrupt_unless_read, quoted
from prviz.readers.limits import Limits, check_keys, human_size
from prviz.readers.npy import read_npy_header, values_at
from prviz.readers.pickles import refuse_pickle
from prviz.readers.source import FileSource

__all__ = ["ENTRY", "METHODS", "ZIP_ERRORS", "NpzFile", "holds_pickle", "open_npz"]

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
# First bytes of every entry of an archive's directory.
ENTRY = b"PK\x01\x02"
# Methods of np.savez and np.savez_compressed; others unpack slowly or allocate gigabytes first.
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class NpzFile:
    """An open .npz archive."""

    def __init__(self, source: FileSource, archive: zipfile.ZipFile) -> None:
        self.where = source.where
        self._source = source
        self._archive = archive
        arrays = [info for info in archive.infolist() if info.filename.endswith(".npy")]
        self._members = {info.filename.removesuffix(".npy"): info for info in arrays}
        if len(self._members) < len(arrays):
            raise ReadError(f"{self.where}: two arrays have the same name. Write it again.")
        self.keys: Sequence[str] = tuple(self._members)

    def header(self, key: str) -> Header:
        """Inner .npy header of one member."""
        with self._member(key) as stream:
            return self._header(stream, key)

    def values(self, key: str, limits: Limits) -> Array:
        """The checked (n, d) values of one member."""
        with self._member(key) as stream:
            return values_at(stream, self._header(stream, key), limits)

    def _header(self, stream: BinaryIO, key: str) -> Header:
        # file_size is the claim of the zip directory; zipfile never returns more bytes than that.
        where = self._where(key)
        return read_npy_header(stream, self._members[key].file_size, file=self._source.name, key=key, where=where)

    def _where(self, key: str) -> str:
        return f"{self.where}, key {quoted(key)}"

    @contextmanager
    def _member(self, key: str) -> Iterator[BinaryIO]:
        if self._members[key].compress_type not in METHODS:
            raise ReadError(f"{self._where(key)}: packed by an unusual method. Save it with np.savez_compressed.")
        with (
            corrupt_unless_read(self._where(key), *ZIP_ERRORS),
            self._archive.open(self._members[key]) as stream,
        ):
            yield cast(BinaryIO, stream)


class _Guarded:
    """Stream of an archive that refuses a directory of more bytes or entries than the limits allow."""

    def __init__(self, stream: BinaryIO, where: str, limits: Limits) -> None:
        self._stream = stream
        self._where = where
        self._limits = limits
        self.opening = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def read(self, size: int = -1) -> bytes:
        if self.opening and size > self._limits.max_header_bytes:
            raise ReadError(
                f"{self._where}: its zip directory claims {human_size(size)}, more than any real archive of arrays."
            )
        data = self._stream.read(size)
        if self.opening:
            check_keys(self._where, data.count(ENTRY), self._limits)
        return data


@contextmanager
def _open_zip(source: FileSource, limits: Limits) -> Iterator[zipfile.ZipFile]:
    with source.open() as stream:
        guarded = _Guarded(stream, source.where, limits)
        with corrupt_unless_read(source.where, *ZIP_ERRORS):
            archive = zipfile.ZipFile(cast(BinaryIO, guarded))
        guarded.opening = False
        with archive:
            yield archive


def holds_pickle(source: FileSource, limits: Limits) -> bool:
    """True if the file is a readable zip archive with a pickle inside, as torch.save writes it."""
    try:
        with _open_zip(source, limits) as archive:
            return any(name.endswith((".pkl", ".pickle")) for name in archive.namelist())
    except ReadError:
        return False


@contextmanager
def open_npz(source: FileSource, limits: Limits) -> Iterator[NpzFile]:
    """Archive of ``source``; only its directory is read.

    Raises
    ------
    ReadError : no zip archive, a corrupt or oversized directory, or an archive around a pickle.
    """
    with _open_zip(source, limits) as archive:
        if any(name.endswith((".pkl", ".pickle")) for name in archive.namelist()):
            raise refuse_pickle(source, torch_archive=True)
        yield NpzFile(source, archive)
