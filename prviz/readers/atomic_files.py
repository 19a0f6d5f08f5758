"""Files written all at once: whoever reads, or a crash, meets each as it was before or as it is after."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Mapping
from pathlib import Path

__all__ = ["write_all", "write_whole"]


def write_whole(path: Path, data: bytes) -> None:
    """Put ``data`` at ``path``. Raises OSError where that fails; what was there before still is then."""
    write_all({path: data})


def write_all(files: Mapping[Path, bytes]) -> None:
    """Put each of several data at its path, and none of them where there is no room for all.

    Raises
    ------
    OSError : one can't be written; all files are as they were, or, where only taking the place of one of them fails (a
        folder stands there, or a system that protects it), those before it are new.
    """
    beside = {path: path.with_name(f".{path.stem[:64]}.{secrets.token_hex(8)}.tmp") for path in files}
    try:
        for path, data in files.items():
            _put(beside[path], data)
        for path in files:
            beside[path].replace(path)
    except BaseException:
        for each in beside.values():
            with contextlib.suppress(OSError):
                each.unlink()
        raise


def _put(path: Path, data: bytes) -> None:
    with path.open("xb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
