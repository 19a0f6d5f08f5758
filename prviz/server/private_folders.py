"""Folders for files that nobody but this process may see, and their end: with the process, or after it was killed.

All of them are inside one folder of the process, among the temporary files of its user, whose lock it holds as long as
it lives. A folder whose lock nobody holds belonged to a process that is gone.
"""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import sys
import tempfile
import threading
import weakref
from contextlib import suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl

__all__ = ["PrivateFolder", "private_bytes", "remove_abandoned", "remove_own"]

_PREFIX, _LOCK = "prviz-private-", "lock"
_making = threading.Lock()
_own: tuple[Path, int] | None = None  # of this process: the folder, and the descriptor that holds its lock


class PrivateFolder:
    """An empty folder at ``path``; it goes when nobody holds this object any more.

    Raises
    ------
    OSError : it can't be made.
    """

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(dir=_root()))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def private_bytes() -> int:
    """Bytes of all files in the private folders of this process."""
    total = 0
    for folder, _, names in os.walk(_own[0] if _own else ""):
        for name in names:
            with suppress(OSError):  # gone meanwhile
                total += os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH118 - thousands of them
    return total


@atexit.register
def remove_own() -> None:
    """Remove the folder of this process with all in it; the next `PrivateFolder` begins another."""
    global _own
    with _making:
        if _own is not None:
            folder, lock = _own
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)
            _own = None


def remove_abandoned() -> None:
    """Remove this user's folders of processes that are gone. Where files can't be locked (Windows) all stay."""
    if sys.platform == "win32":
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            lock = _lock_of(folder)
            try:
                shutil.rmtree(folder)  # it follows no link
            finally:
                os.close(lock)


def _root() -> Path:
    """The folder of this process, made and locked with its first use."""
    global _own
    with _making:
        if _own is None or not _own[0].is_dir():
            folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
            # Locked before it has its name, so that whoever finds the lock finds it held.
            lock = os.open(folder / f"new-{_LOCK}", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            if sys.platform != "win32":
                with suppress(OSError):  # a file system without locks: nobody removes the folder but this process
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    (folder / f"new-{_LOCK}").rename(folder / _LOCK)
            _own = folder, lock
        return _own[0]


if sys.platform != "win32":

    def _lock_of(folder: Path) -> int:
        """A descriptor that holds the lock of a folder of this user. Raises OSError where another process has it."""
        about = folder.lstat()
        if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid() or stat.S_IMODE(about.st_mode) != 0o700:
            raise OSError("no folder that this user's processes make")
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not os.path.samestat(os.fstat(lock), (folder / _LOCK).lstat()):
                raise OSError("another folder by now")
        except OSError:
            os.close(lock)
            raise
        return lock
