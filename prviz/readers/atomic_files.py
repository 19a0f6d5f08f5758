"""Atomic writes: after a crash, and for other processes, each file is the old one or the new one,
never a part.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

# Seconds between two attempts to get a lock that another process holds.
_LOCK_PAUSE = 0.02


def write_whole(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path``. Raises OSError on failure; an older file is then unchanged."""
    write_all({path: data})


def write_all(files: Mapping[Path, bytes]) -> None:
    """Write several files, or none of them if there is no room for all.

    Raises
    ------
    OSError : the file that it names can't be written; all files are unchanged. If only replacing an
    old file fails (it
        is a folder, or protected), the files before it are new.
    """
    drafts = {path: beside(path) for path in files}
    try:
        for path, data in files.items():
            with named(path), drafts[path].open("xb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
        for path in files:
            with named(path):
                drafts[path].replace(path)
    except BaseException:
        for each in drafts.values():
            with contextlib.suppress(OSError):
                each.unlink()
        raise


def beside(path: Path) -> Path:
    """A new path for a temporary file in the folder of ``path``, to be renamed to ``path`` once it
    is written.
    """
    return path.with_name(f".{path.stem[:64]}.{secrets.token_hex(8)}.tmp")


@contextlib.contextmanager
def named(path: Path) -> Iterator[None]:
    """Make a system error name ``path`` instead of the temporary file, or instead of no file on a
    full disk.
    """
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        error.filename2 = None
        raise


@contextlib.contextmanager
def locked(path: Path, seconds: float = 30.0) -> Iterator[None]:
    """Hold the lock of the file at ``path``, to read and rewrite it without losing what other
    processes write.

    The lock is a file beside it, removed with the lock. The operating system frees the lock of any
    process that ends. On a file system without locks nothing is locked.

    seconds : how long to wait for another process.

    Raises
    ------
    OSError : another process holds the lock all that time, or the lock file can't be created.
    """
    lock = path.with_name(f".{path.name}.lock")
    until = time.monotonic() + seconds
    while (descriptor := _locked_descriptor(lock)) is None:
        if time.monotonic() > until:
            raise OSError(f"another process has held {lock} for {seconds:g} s")
        time.sleep(_LOCK_PAUSE)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # Windows can't delete a file that is open elsewhere
            lock.unlink()
        os.close(descriptor)


def _locked_descriptor(path: Path) -> int | None:
    """Descriptor of the lock file, which holds the lock; None if another process has it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(descriptor), path.stat()):
            return descriptor
    except (
        BlockingIOError,
        PermissionError,
        FileNotFoundError,
    ):  # another process holds the lock, or has just deleted its file
        pass
    except OSError:
        return descriptor  # a file system without locks
    os.close(descriptor)
    return None
