"""Private temporary folders of this process, removed with the process, or by a later one after it
was killed.

All of them are in one temporary folder, whose lock the process holds as long as it lives. A folder
whose lock no process holds belonged to a process that is gone.
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

_PREFIX = "prviz-private-"
_LOCK = "lock"
_making = threading.Lock()
_own: tuple[Path, int] | None = (
    None  # of this process: the folder, and the descriptor that holds its lock
)


class PrivateFolder:
    """Empty folder at ``path``, removed together with this object.

    Raises
    ------
    OSError : the folder can't be created.
    """

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(dir=_root()))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def private_bytes() -> int:
    """Bytes of all files in the private folders of this process."""
    total = 0
    # thousands of files: no Path of each
    for folder, _, names in os.walk(_own[0] if _own else ""):
        for name in names:
            with suppress(OSError):  # gone meanwhile
                total += os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH118
    return total


@atexit.register
def remove_own() -> None:
    """Remove the folder of this process with its contents; the next `PrivateFolder` creates
    another.
    """
    global _own
    with _making:
        if _own is not None:
            folder, lock = _own
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)
            _own = None


def remove_abandoned() -> None:
    """Remove folders of this user's processes that are gone; on Windows, without locks, all
    stay.
    """
    if sys.platform == "win32":
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            about = folder.lstat()
            if (
                not stat.S_ISDIR(about.st_mode)
                or about.st_uid != os.getuid()
                or stat.S_IMODE(about.st_mode) != 0o700
            ):
                continue  # no folder that this user's processes make
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                # an OSError if another process has it
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # else another folder by now
                if os.path.samestat(os.fstat(lock), (folder / _LOCK).lstat()):
                    shutil.rmtree(folder)  # follows no link
            finally:
                os.close(lock)


def _root() -> Path:
    """Folder of this process, created and locked at its first use."""
    global _own
    with _making:
        if _own is None or not _own[0].is_dir():
            folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
            # Locked before it is renamed, so that other processes always find the lock held.
            lock = os.open(folder / f"new-{_LOCK}", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            if sys.platform != "win32":
                # a file system without locks: only this process removes the folder
                with suppress(OSError):
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    (folder / f"new-{_LOCK}").rename(folder / _LOCK)
            _own = folder, lock
        return _own[0]
