"""Where the bytes come from: a file of this computer or an upload."""

from __future__ import annotations

import io
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from prviz.readers.errors import ReadError, quoted
from prviz.readers.safe_folder import Below

__all__ = ["Buffer", "Source", "SourceLike", "as_source"]

Buffer = bytes | bytearray | memoryview
SourceLike = str | os.PathLike[str] | tuple[str, Buffer]


@dataclass(frozen=True)
class Source:
    """A named, sized file: on disk (``path``) or in memory (``data``).

    below : opens the path, which it has found; None: nothing holds it.
    """

    name: str
    size: int
    path: Path | None = field(default=None, repr=False)
    data: Buffer = field(default=b"", repr=False)
    below: Below | None = field(default=None, repr=False)

    @property
    def where(self) -> str:
        """The file's name as messages show it."""
        return quoted(self.name)

    @property
    def extension(self) -> str:
        """Lower-case extension with its dot, or an empty text."""
        _, dot, extension = self.name.rpartition(".")
        return dot + extension.lower() if dot else ""

    def open(self) -> BinaryIO:
        """A fresh, seekable binary stream at byte 0."""
        if self.path is None:
            return io.BytesIO(self.data)
        try:
            return self.path.open("rb") if self.below is None else self.below.open(self.path)
        except OSError as error:
            raise _unreadable(self.where, error) from error

    def head(self, count: int) -> bytes:
        """The first ``count`` bytes, or fewer if there are no more."""
        with self.open() as stream:
            return stream.read(count)


def _unreadable(where: str, error: OSError) -> ReadError:
    return ReadError(f"{where}: can't be opened: {error.strerror or type(error).__name__}. Check path and permissions.")


def as_source(source: SourceLike, below: str | os.PathLike[str] | None = None) -> Source:
    """The file behind a path or a ``(file name, bytes)`` pair; its name never keeps a folder.

    below : a folder that the path must be in, see `prviz.readers.safe_folder.Below`; None: anywhere.

    Raises
    ------
    ReadError : no such file, no permission, a folder or a device, or not below that folder.
    """
    if isinstance(source, tuple):
        name, data = source
        base = name.replace("\\", "/").rpartition("/")[2]
        return Source(base, memoryview(data).nbytes, data=data)
    path = Path(source)
    where = quoted(path.name)
    if below is not None:
        return _held_below(path, Path(below), where)
    try:
        if path.exists() and not path.is_file():
            raise ReadError(f"{where}: a folder or device, not a file. Name one file with embeddings in it.")
        return Source(path.name, path.stat().st_size, path=path)
    except (OSError, ValueError) as error:
        if isinstance(error, OSError):
            raise _unreadable(where, error) from error
        if isinstance(error, ReadError):
            raise
        raise ReadError(f"{where}: not a possible path. Check it for stray characters.") from error


def _held_below(path: Path, folder: Path, where: str) -> Source:
    """The file at a path in a folder, or relative to it, and nothing outside it."""
    try:
        holder = Below(folder)
        name = path.relative_to(folder) if path.is_relative_to(folder) else path
        found = holder.find(name.as_posix())
        with holder.open(found) as stream:
            return Source(path.name, os.fstat(stream.fileno()).st_size, path=found, below=holder)
    except (OSError, RuntimeError, ValueError) as error:
        told = str(error) if isinstance(error, OSError) else "not a possible path"
        reason = getattr(error, "strerror", None) or told
        raise ReadError(f"{where}: can't be opened: {reason}. Check path and permissions.") from error
