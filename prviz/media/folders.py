"""Pictures below one folder of this computer; nothing outside it can be opened, whatever a name says."""

from __future__ import annotations

import os
import stat
from pathlib import Path, PureWindowsPath

from prviz.media.errors import MediaError, MissingPictureError
from prviz.media.limits import PictureLimits
from prviz.media.names import plain_path
from prviz.readers.errors import quoted
from prviz.readers.limits import human_size

__all__ = ["FolderPictures"]


class FolderPictures:
    """The pictures below a folder, by their path in it.

    Parameters
    ----------
    folder : its path.
    title : what messages call it; by default its own name.

    Symbolic links may lead about below the folder, not out of it. What is opened is found step by step from the
    folder, following no link, so that a link put there meanwhile leads nowhere; only regular files are read. On a
    system without that (Windows) the opened file is compared with the one that was looked up.

    Raises
    ------
    MediaError : it is no folder, or can't be read.
    """

    def __init__(self, folder: str | os.PathLike[str], *, title: str = "", limits: PictureLimits | None = None) -> None:
        try:
            self._root = Path(folder).resolve(strict=True)
        except (OSError, RuntimeError, ValueError) as error:
            raise MediaError(f"{quoted(str(folder))}: no such folder, or one that can't be read.") from error
        if not self._root.is_dir():
            raise MediaError(f"{quoted(str(folder))}: not a folder.")
        self.title = title or self._root.name
        self._limits = limits or PictureLimits()

    def locate(self, name: str) -> str:
        """The path below the folder of the picture called `name`, which is there.

        Raises
        ------
        MissingPictureError : there is none.
        MediaError : an absolute path, one with "..", a link out of the folder, or something that is no regular file.
        """
        self._found(name)
        return plain_path(name)

    def _found(self, name: str) -> Path:
        parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
        if name.startswith(("/", "\\")) or PureWindowsPath(name).drive or ".." in parts or not parts:
            raise MediaError(f"{quoted(name)}: only paths below {self.title} are opened, without '..' or a root.")
        try:
            found = self._root.joinpath(*parts).resolve(strict=True)
            mode = found.lstat().st_mode if found.is_relative_to(self._root) else None
        except (OSError, RuntimeError, ValueError) as error:  # also a circle of links, or a zero byte
            raise MissingPictureError(f"{quoted(name)}: not in {self.title}") from error
        if mode is None:
            raise MediaError(f"{quoted(name)}: leads out of {self.title}. Put the pictures themselves there.")
        if not stat.S_ISREG(mode):
            raise MediaError(f"{quoted(name)}: no regular file.")
        return found

    def get(self, name: str) -> bytes:
        """The contents of the picture called `name`.

        Raises
        ------
        MediaError : as `locate`; or the file can't be opened or is too large.
        """
        found, most = self._found(name), self._limits.file_bytes
        try:
            with os.fdopen(_open_below(self._root, found), "rb") as stream:
                regular = stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
                data = stream.read(most + 1) if regular else b""
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise MediaError(f"{quoted(name)}: can't be opened: {reason}.") from error
        if not regular:
            raise MediaError(f"{quoted(name)}: no regular file.")
        if len(data) > most:
            raise MediaError(f"{quoted(name)}: more than {human_size(most)}.")
        return data


def _open_below(root: Path, path: Path) -> int:
    """A descriptor of the file at `path`, a resolved path below `root`; OSError if it is not there any more."""
    if os.open not in os.supports_dir_fd:
        return _open_same(path)
    *folders, last = path.relative_to(root).parts
    at = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for folder in folders:
            below = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
            os.close(at)
            at = below
        # A pipe put there meanwhile must not be waited for.
        return os.open(last, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at)
    finally:
        os.close(at)


def _open_same(path: Path) -> int:
    """As `_open_below`, where folders have no descriptors: opened, and then compared with what stands there."""
    opened = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        same = path.resolve(strict=True) == path and os.path.samestat(os.fstat(opened), path.lstat())
        if not same:
            raise OSError("changed while it was opened")
    except OSError:
        os.close(opened)
        raise
    return opened
