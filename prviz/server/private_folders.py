"""Private temporary folders of this process. They are removed when it ends; if it was killed, a
later process removes them.

All of them are inside one temporary folder, with a file that the process keeps locked. If no
process holds that lock, the process that created the folder has ended.
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
    None  # Folder of this process, and the file descriptor that holds its lock.
)


class PrivateFolder:
    """An empty folder at ``path``, removed together with this object.

    Raises
    ------
    OSError : the folder can't be created.
    """

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(dir=_root()))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def private_bytes() -> int:
    """Total bytes of all files in the private folders of this process."""
    total = 0
    # os.walk is used because thousands of Path objects would be slow.
    for folder, _, names in os.walk(_own[0] if _own else ""):
        for name in names:
            with suppress(OSError):  # The file may have been removed since it was listed.
                total += os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH118
    return total


@atexit.register
def remove_own() -> None:
    """Remove the folder of this process and its contents; the next `PrivateFolder` creates a new
    one.
    """
    global _own
    with _making:
        if _own is not None:
            folder, lock = _own
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)
            _own = None


def remove_abandoned() -> None:
    """Remove the folders of this user's processes that have ended. On Windows nothing is removed,
    because it has no such locks.
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
                continue  # Not a folder that prviz has created.
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                # Raises OSError if another process holds the lock, because it still runs.
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # The two differ if another process has replaced the folder in the meantime.
                if os.path.samestat(os.fstat(lock), (folder / _LOCK).lstat()):
                    shutil.rmtree(folder)  # rmtree follows no symbolic links
            finally:
                os.close(lock)


def _root() -> Path:
    """The folder of this process, created and locked at the first call."""
    global _own
    with _making:
        if _own is None or not _own[0].is_dir():
            folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
            # Lock the file before it gets its name, so that other processes never see it unlocked.
            lock = os.open(folder / f"new-{_LOCK}", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            if sys.platform != "win32":
                # If the file system has no locks, only this process can remove the folder.
                with suppress(OSError):
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    (folder / f"new-{_LOCK}").rename(folder / _LOCK)
            _own = folder, lock
        return _own[0]
