"""Pictures below one folder of this computer, outside which nothing can be opened, and pictures in
a zip archive.
"""

from __future__ import annotations

import zipfile
from bisect import bisect_left
from pathlib import Path
from posixpath import commonpath

from prviz.readers.errors import quoted
from prviz.readers.media.looks import MediaError, MissingPictureError, PictureLimits, plain_path
from prviz.readers.npy import ENTRY, METHODS, ZIP_ERRORS
from prviz.readers.paths import PathLike
from prviz.readers.safe_folder import Below, BelowError, LinkOutError, OutsideError
from prviz.readers.source import Buffer, as_source, human_size


class FolderPictures:
    """Pictures below a folder, by their paths in it, opened through
    `prviz.readers.safe_folder.Below`.

    Parameters
    ----------
    folder : path of the folder.
    title : name of the folder in messages; by default its own name.

    Raises
    ------
    MediaError : it is no folder, or can't be read.
    """

    def __init__(
        self,
        folder: PathLike,
        *,
        title: str = "",
        limits: PictureLimits | None = None,
    ) -> None:
        try:
            self._below = Below(folder)
        except NotADirectoryError as error:
            raise MediaError(f"{quoted(str(folder))}: not a folder.") from error
        except (OSError, RuntimeError, ValueError) as error:
            raise MediaError(
                f"{quoted(str(folder))}: no such folder, or one that can't be read."
            ) from error
        self.title = title or self._below.root.name
        self._limits = limits or PictureLimits()

    def locate(self, name: str) -> str:
        """Path below the folder of the existing picture called `name`.

        Raises
        ------
        MissingPictureError : there is none.
        MediaError : an absolute path, one with "..", a link out of the folder, or something that is
        no regular file.
        """
        self._found(name)
        return plain_path(name)

    def _found(self, name: str) -> Path:
        try:
            return self._below.find(name)
        except LinkOutError:
            raise MediaError(
                f"{quoted(name)}: leads out of {self.title}. Put the pictures themselves there."
            ) from None
        except OutsideError as error:
            only = f"only paths below {self.title} are opened, without '..' or a root"
            raise MediaError(f"{quoted(name)}: {only}.") from error
        except BelowError as error:
            raise MediaError(f"{quoted(name)}: no regular file.") from error
        except OSError as error:
            raise MissingPictureError(f"{quoted(name)}: not in {self.title}") from error

    def get(self, name: str) -> bytes:
        """The contents of the picture called `name`.

        Raises
        ------
        MediaError : as `locate`; or the file can't be opened or is too large.
        """
        found = self._found(name)
        most = self._limits.file_bytes
        try:
            with self._below.open(found) as stream:
                data = stream.read(most + 1)
        except BelowError as error:
            raise MediaError(f"{quoted(name)}: no regular file.") from error
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise MediaError(f"{quoted(name)}: can't be opened: {reason}.") from error
        if len(data) > most:
            raise MediaError(f"{quoted(name)}: more than {human_size(most)}.")
        return data


_ENCRYPTED = 1
_AFTER_SLASH = chr(ord("/") + 1)
# Most folders in front of a name in a table that are stripped to find the picture in the archive.
_DEEPEST = 100


class ZipPictures:
    """Pictures of a zip archive, by name.

    Parameters
    ----------
    name : name of the archive, for messages.
    data : bytes of the archive, not copied if they are ``bytes``.

    A name is looked up as a path in the archive, or below the common folder of all its files; in an
    archive with a single folder also by the file name alone; then as the only path of which one
    ends with the other. "fake/1.png" is never found as "real/1.png" of an archive with several
    folders. Names are compared as `plain_path`.

    Raises
    ------
    MediaError : no zip archive, a corrupt, encrypted or empty one, or one of more entries than the
    limit.
    """

    def __init__(self, name: str, data: Buffer, *, limits: PictureLimits | None = None) -> None:
        source = as_source((name, data))
        self.title = source.name
        self._limits = limits or PictureLimits()
        self._where = source.where
        held = data if isinstance(data, bytes) else bytes(data)
        # Count the entries by their signature before zipfile parses the directory.
        claimed = held.count(ENTRY)
        if claimed > self._limits.entries:
            raise MediaError(
                f"{self._where}: has {claimed:,} files, more than the limit of"
                f" {self._limits.entries:,}. Zip only the pictures of the samples."
            )
        try:
            self._archive = zipfile.ZipFile(source.open())
        except ZIP_ERRORS as error:
            raise MediaError(
                f"{self._where}: no zip archive, or a corrupt one. Zip the folder of pictures"
                " again."
            ) from error
        files = {
            path: info
            for info in self._archive.infolist()
            if (path := inner_path(info)) is not None
        }
        if not files:
            raise MediaError(f"{self._where}: holds no files. Zip the folder of pictures.")
        locked = next((path for path, info in files.items() if info.flag_bits & _ENCRYPTED), None)
        if locked is not None:
            raise MediaError(
                f"{self._where}, {quoted(locked)}: encrypted. Zip the pictures without a password."
            )
        self._files = files
        folder = commonpath([path.rpartition("/")[0] for path in files])
        self._top = f"{folder}/" if folder else ""
        self._flat = all(path.rpartition("/")[0] == folder for path in files)
        self._longer = sorted((_backwards(path), path) for path in files)

    @property
    def example(self) -> str:
        """Path of the first file."""
        return next(iter(self._files))

    def locate(self, name: str) -> str:
        """Path in the archive of the picture called `name`.

        Raises
        ------
        MissingPictureError : there is none.
        MediaError : several files are called so, in different folders.
        """
        wanted = plain_path(name)
        in_folder = self._top + (wanted.rpartition("/")[2] if self._flat else wanted)
        for path in (wanted, in_folder):
            if path in self._files:
                return path
        shorter = [wanted]
        while shorter[-1] and len(shorter) <= _DEEPEST:
            shorter.append(shorter[-1].partition("/")[2])
        found = [path for path in shorter if path in self._files]
        key = _backwards(wanted)
        first, behind = (
            bisect_left(self._longer, (end,)) for end in (key, key[:-1] + _AFTER_SLASH)
        )
        count = len(found) + behind - first
        if not count:
            raise MissingPictureError(f"{quoted(name)}: not in {self._where}")
        found += [path for _, path in self._longer[first : min(behind, first + 2)]]
        if count > 1:
            raise MediaError(
                f"{quoted(name)}: {self._where} has {count} files of this name, as"
                f" {quoted(found[0])} and {quoted(found[1])}. Name the picture with its folders."
            )
        return found[0]

    def get(self, name: str) -> bytes:
        """The contents of the picture called `name`.

        Raises
        ------
        MediaError : as `locate`; or the file is too large, unpacks to far more than it takes, or is
        corrupt.
        """
        path = self.locate(name)
        return read_member(
            self._archive, self._files[path], f"{self._where}, {quoted(path)}", self._limits
        )


def read_member(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, where: str, limits: PictureLimits
) -> bytes:
    """Contents of one file of an archive. Raises MediaError: too large, unpacks to far more than it
    takes, corrupt.
    """
    if info.file_size > limits.file_bytes:
        raise MediaError(
            f"{where}: {human_size(info.file_size)}, more than {human_size(limits.file_bytes)}."
        )
    if info.file_size > max(limits.small_bytes, limits.ratio * info.compress_size):
        raise MediaError(
            f"{where}: unpacks to {human_size(info.file_size)} from "
            f"{human_size(info.compress_size)}, more than {limits.ratio} times; no picture does."
        )
    if info.compress_type not in METHODS:
        raise MediaError(
            f"{where}: packed by an unusual method. Make an ordinary zip archive (deflate or"
            " stored)."
        )
    try:
        with archive.open(info) as stream:
            # `ZipFile.read` would unpack all data before it cuts them to the claimed size. Reading
            # one byte more than claimed reaches the end, where zipfile compares the checksum.
            return stream.read(info.file_size + 1)
    except ZIP_ERRORS as error:
        raise MediaError(
            f"{where}: corrupt ({quoted(str(error))}). Zip the pictures again."
        ) from error


def _backwards(path: str) -> str:
    """Parts of a plain path in reverse order, so that paths with equal ends are neighbours when
    sorted.
    """
    return "".join(f"{part}/" for part in reversed(path.split("/")))


def inner_path(info: zipfile.ZipInfo) -> str | None:
    """Path of a file in the archive as `plain_path`; None for a folder, a file that macOS adds, or
    a path that leads out.
    """
    path = plain_path(info.filename)
    beside = path.startswith("__MACOSX/") or path.rpartition("/")[2].startswith("._")
    leads_out = ".." in info.filename.replace("\\", "/").split("/")
    if info.filename.endswith("/") or beside or leads_out or not path:
        return None
    return path
