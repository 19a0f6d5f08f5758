"""Files below one folder of this computer; nothing outside it can be listed or opened."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PureWindowsPath
from typing import BinaryIO

from prviz.readers.paths import PathLike, leads_nowhere

# O_NONBLOCK: do not wait if a pipe has replaced the file. O_BINARY: keep Windows from translating
# line ends.
_READING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)

# Deepest level of folders that are listed, counted from the root.
_DEEPEST = 12


class BelowError(OSError):
    """Raised for a path that is no regular file or not below the folder; the message says which,
    without the name.
    """


class OutsideError(BelowError):
    """Raised for a name that could lead out of the folder: an absolute path, or one with ".."."""


class LinkOutError(OutsideError):
    """Raised for a link that leads out of the folder."""


class Below:
    """Files below a folder, by their paths in it, with / between the parts.

    Symbolic links may point below the folder, not out of it. Resolved paths are opened step by step
    from the folder without following links, so that a link created meanwhile is not followed. On a
    system without that (Windows) the opened file is compared with the resolved one.

    Raises
    ------
    OSError, RuntimeError, ValueError : no such folder, or one that can't be read.
    NotADirectoryError : it is no folder.
    """

    def __init__(self, folder: PathLike) -> None:
        self.root = Path(folder).resolve(strict=True)
        if not self.root.is_dir():
            raise NotADirectoryError("not a folder")

    def find(self, name: str) -> Path:
        """The resolved path of the regular file called `name`.

        Raises
        ------
        OutsideError : an absolute path, one with "..", or a link out of the folder.
        BelowError : no regular file. OSError : no such file.
        """
        path = self._resolved(name)
        if not stat.S_ISREG(path.lstat().st_mode):
            raise BelowError("no regular file")
        return path

    def open(self, path: Path) -> BinaryIO:
        """Open the regular file at a path from `find`. Raises OSError if it is gone."""
        return _regular(io.FileIO(_open_below(self.root, path)))

    def files(self, folder: str = "") -> tuple[list[str], int]:
        """Names of the regular files in a folder, and number of links in it that lead out. Raises
        as `find`.
        """
        files, _, out = self._listed(folder)
        return files, out

    def folders(self, most: int = 500) -> list[str]:
        """Folders below the root, at most ``most`` and 12 levels deep, each after its parent; links
        are not followed.
        """
        found: list[str] = []
        waiting = [""]
        while waiting and len(found) < most:
            folder = waiting.pop()
            found += [folder] if folder else []
            if folder.count("/") < _DEEPEST:
                with suppress(OSError):  # skip a folder that is gone or not readable
                    inside = [_joined(folder, name) for name in self._listed(folder)[1]]
                    waiting += sorted(inside, reverse=True)
        return found

    def _listed(self, folder: str) -> tuple[list[str], list[str], int]:
        """Names of the regular files and of the folders in a folder, and number of links that lead
        out of it.
        """
        path = self._resolved(folder) if folder else self.root
        files = []
        folders = []
        out = 0
        with _entries(self.root, path) as entries:
            for entry in entries:
                if entry.is_symlink():
                    try:
                        self.find(_joined(folder, entry.name))
                    except OutsideError:
                        out += 1
                        continue
                    except OSError:
                        # A dangling link is listed; opening it reports the error.
                        if not leads_nowhere(path / entry.name):
                            continue
                    files.append(entry.name)
                elif entry.is_file(follow_symlinks=False):
                    files.append(entry.name)
                elif entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name)
        return sorted(files), sorted(name for name in folders if not name.startswith(".")), out

    def _resolved(self, name: str) -> Path:
        parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
        if (
            name.startswith(("/", "\\"))
            or PureWindowsPath(name).drive
            or ".." in parts
            or not parts
        ):
            raise OutsideError("only paths below the folder are opened, without '..' or a root")
        try:
            found = self.root.joinpath(*parts).resolve(strict=True)
        except (
            OSError,
            RuntimeError,
            ValueError,
        ) as error:  # a circle of links raises RuntimeError, a zero byte ValueError
            raise FileNotFoundError("not there") from error
        if not found.is_relative_to(self.root):
            raise LinkOutError("a link that leads out of the folder")
        return found


def open_regular(path: Path) -> BinaryIO:
    """Open the regular file at a path, following links. Raises BelowError if it is none, OSError on
    failure.
    """
    return _regular(io.FileIO(str(path), opener=lambda name, _: os.open(name, _READING)))


def _regular(file: io.FileIO) -> BinaryIO:
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return io.BufferedReader(file)
    file.close()
    raise BelowError("no regular file")


def _joined(folder: str, name: str) -> str:
    if folder:
        return f"{folder}/{name}"
    return name


@contextmanager
def _entries(root: Path, folder: Path) -> Iterator[Iterator[os.DirEntry[str]]]:
    """Entries of a folder, which is a resolved path below the root or the root itself."""
    if os.scandir not in os.supports_fd or os.open not in os.supports_dir_fd:
        with os.scandir(folder) as entries:
            yield entries
        return
    at = _folder_below(root, folder.relative_to(root).parts)
    try:
        with os.scandir(at) as entries:
            yield entries
    finally:
        os.close(at)


def _open_below(root: Path, path: Path) -> int:
    """Descriptor of the file at `path`, a resolved path below `root`. Raises OSError if it is
    gone.
    """
    # Windows can't open a file relative to a folder: compare the opened file with the path instead.
    if os.open not in os.supports_dir_fd:
        opened = os.open(path, _READING)
        try:
            if path.resolve(strict=True) != path or not os.path.samestat(
                os.fstat(opened), path.lstat()
            ):
                raise OSError("changed while it was opened")
        except OSError:
            os.close(opened)
            raise
        return opened
    *folders, last = path.relative_to(root).parts
    at = _folder_below(root, folders)
    try:
        return os.open(last, _READING | os.O_NOFOLLOW, dir_fd=at)
    finally:
        os.close(at)


def _folder_below(root: Path, folders: tuple[str, ...] | list[str]) -> int:
    """Descriptor of the folder reached from the root by these names, following no link."""
    at = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    for folder in folders:
        try:
            below = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
        finally:
            os.close(at)
        at = below
    return at
