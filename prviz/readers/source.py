"""Sources of bytes: files of this computer and uploads."""

from __future__ import annotations

import io
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from prviz.readers.errors import ReadError, quoted
from prviz.readers.safe_folder import Below, open_regular

__all__ = ["Buffer", "FileSource", "SourceLike", "as_source", "unreadable"]

Buffer = bytes | bytearray | memoryview
SourceLike = str | os.PathLike[str] | tuple[str, Buffer]


@dataclass(frozen=True)
class FileSource:
    """A named, sized file: on disk (``path``) or in memory (``data``).

    below : folder through which the path is opened; None: the path is opened directly.
    version : device, inode, size and time of change, by which a changed file is noticed.
    """

    name: str
    size: int
    path: Path | None = field(default=None, repr=False)
    data: Buffer = field(default=b"", repr=False)
    below: Below | None = field(default=None, repr=False)
    version: tuple[int, ...] = field(default=(), repr=False)

    @property
    def where(self) -> str:
        """Name of the file, quoted for messages."""
        return quoted(self.name)

    @property
    def extension(self) -> str:
        """Lower-case extension with its dot, or an empty text."""
        _, dot, extension = self.name.rpartition(".")
        return dot + extension.lower() if dot else ""

    def open(self) -> BinaryIO:
        """Open a seekable binary stream at byte 0. Raises `ReadError` if the file has changed."""
        if self.path is None:
            return io.BytesIO(self.data)
        try:
            stream = open_regular(self.path) if self.below is None else self.below.open(self.path)
        except OSError as error:
            raise unreadable(self.where, error) from error
        if _version(os.fstat(stream.fileno())) == self.version:
            return stream
        stream.close()
        raise self._changed()

    def check_unchanged(self) -> None:
        """Refuse a file that was replaced or changed: values read from it may be a mixture."""
        if self.path is None:
            return
        try:
            same = _version(self.path.stat()) == self.version
        except OSError:
            same = False
        if not same:
            raise self._changed()

    def _changed(self) -> ReadError:
        return ReadError(f"{self.where}: it changed while it was read. Read it again when it is written whole.")

    def head(self, count: int) -> bytes:
        """The first ``count`` bytes, or fewer if there are no more."""
        with self.open() as stream:
            return stream.read(count)


def _version(found: os.stat_result) -> tuple[int, ...]:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def unreadable(where: str, error: OSError) -> ReadError:
    """Error for a file that the system can't open or read."""
    return ReadError(f"{where}: can't be opened: {error.strerror or error}. Check path and permissions.")


def as_source(source: SourceLike, below: str | os.PathLike[str] | None = None) -> FileSource:
    """Source for a path or a ``(file name, bytes)`` pair; its name has no folder.

    below : folder that the path must be in, see `prviz.readers.safe_folder.Below`; None: anywhere.

    Raises
    ------
    ReadError : no such file, no permission, a folder or a device, or not below that folder.
    """
    if isinstance(source, tuple):
        name, data = source
        base = name.replace("\\", "/").rpartition("/")[2]
        return FileSource(base, memoryview(data).nbytes, data=data)
    path = Path(source)
    where = quoted(path.name)
    if below is not None:
        return _held_below(path, Path(below), where)
    try:
        found = path.stat()
    except OSError as error:
        raise unreadable(where, error) from error
    except ValueError as error:
        raise ReadError(f"{where}: not a possible path. Check it for stray characters.") from error
    if not stat.S_ISREG(found.st_mode):
        raise ReadError(f"{where}: a folder or device, not a file. Name one file with embeddings in it.")
    return FileSource(path.name, found.st_size, path=path, version=_version(found))


def _held_below(path: Path, folder: Path, where: str) -> FileSource:
    """Source for a path in a folder, or relative to it; nothing outside is opened."""
    try:
        holder = Below(folder)
        name = path.relative_to(folder) if path.is_relative_to(folder) else path
        found = holder.find(name.as_posix())
        with holder.open(found) as stream:
            here = os.fstat(stream.fileno())
        return FileSource(path.name, here.st_size, path=found, below=holder, version=_version(here))
    except (OSError, RuntimeError, ValueError) as error:
        fallback = str(error) if isinstance(error, OSError) else "not a possible path"
        reason = getattr(error, "strerror", None) or fallback
        raise ReadError(f"{where}: can't be opened: {reason}. Check path and permissions.") from error
