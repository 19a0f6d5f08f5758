"""Results on disk, each under what it was measured from and how: what was measured once is never measured again."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import lzma
import math
import os
import re
import stat
import struct
import sys
import time
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from prviz.estimators import Supports
from prviz.readers.atomic_files import write_whole
from prviz.studies.tasks import COMPUTATION

__all__ = ["CACHE_BYTES", "CACHE_VARIABLE", "CachedResult", "ResultCache", "cache_folder"]

# Names another folder for what has no --out.
CACHE_VARIABLE = "PRVIZ_CACHE"
CACHE_BYTES = 1_000_000_000

# Nanoseconds that the time of a file's last use may be ahead of the clock, as on another machine: a day. Beyond, it was
# set by a clock that was wrong.
_AHEAD = 86_400 * 10**9
# A result, or what is left of one whose writing was cut off.
_NAME = re.compile(r"[0-9a-f]{64}\.npz|\.[0-9a-f]{64}\.[0-9a-f]+\.tmp")
_BROKEN = (
    *(OSError, ValueError, KeyError, TypeError, AttributeError, EOFError, NotImplementedError, IndexError, SyntaxError),
    *(RuntimeError, MemoryError, OverflowError, struct.error, zipfile.BadZipFile, zlib.error, lzma.LZMAError),
)
# Follow no link, and don't wait for a pipe to be written; Windows has neither flag, and needs its own for bytes.
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
# What one result may take in memory, and its description; a file that unpacks to more counts as broken.
_MOST_BYTES = 1 << 30
_MOST_TOLD = 1 << 20


@dataclass(frozen=True, eq=False)
class CachedResult:
    """One family measured on one pair.

    k : the number of neighbours, None where the family has none; runs : as in `prviz.measure.estimates.Estimate`; seconds : that
    the measurement took, shared by all families that were measured with it.
    """

    k: int | None
    runs: tuple[Supports, ...]
    seconds: float


class ResultCache:
    """A folder of results, one .npz file each, named by the digest of its key.

    A result is there whole or not at all, whoever else writes or stops meanwhile. A file that can't be read counts as
    absent, and so does a link. The archive's own checksums tell a damaged file.

    folder : made if it is missing, with the first result.
    most_bytes : beyond, the results that were used longest ago go; None: all stay. No other file is touched.
    needed : whether a result that can't be kept is an error; else ``trouble`` tells of the last one.
    private : True if the folder and its files must belong to this user, and the folder must let nobody else write;
        otherwise nothing is read from it or kept there, and ``trouble`` says so. (Not checked on Windows.)
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        most_bytes: int | None = None,
        *,
        needed: bool = True,
        private: bool = False,
    ) -> None:
        self.folder = Path(folder)
        self.most_bytes = most_bytes
        self.needed = needed
        self._owner = os.geteuid() if sys.platform != "win32" and private else None
        self.trouble: str | None = None
        if self.folder.exists() and not self.folder.is_dir():
            raise ValueError(f"out = {str(folder)!r} is a file; a folder is needed")

    @classmethod
    def cache(cls) -> ResultCache:
        """The user's own cache folder, of limited size; without it everything works, only not as fast."""
        return cls(cache_folder(), CACHE_BYTES, needed=False, private=True)

    def get(self, key: Mapping[str, Any]) -> CachedResult | None:
        """The result of a key; None: there is none."""
        path = self._path(key)
        if not self._trusted():
            return None
        try:
            with self._opened(path) as stream, np.load(stream, allow_pickle=False) as arrays:
                _check_sizes(arrays.zip)
                kept = _read(arrays, _text(key))
        except _BROKEN:
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return kept

    def put(self, key: Mapping[str, Any], kept: CachedResult) -> None:
        """Keep a result.

        Raises
        ------
        OSError : it can't be written and is needed; what was there before still is.
        """
        path = self._path(key)
        if not self._trusted():
            return
        try:
            self.folder.mkdir(0o777 if self._owner is None else 0o700, parents=True, exist_ok=True)
            write_whole(path, _bytes(_text(key), kept))
        except OSError as error:
            reason = error.strerror or type(error).__name__
            self.trouble = f"{self.folder}: a result can't be kept there ({reason})"
            if self.needed:
                raise OSError(f"{self.trouble}; those before it are") from error
            return
        with contextlib.suppress(OSError):  # another process may be doing the same
            self._trim(path)

    def _trusted(self) -> bool:
        """Whether nobody else can put results there, where that matters; else ``trouble`` says so."""
        if self._owner is None:
            return True
        try:
            status = self.folder.stat()
        except OSError:  # there is nothing yet, or putting a result there tells what is wrong
            return True
        if status.st_uid == self._owner and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return True
        self.trouble = (
            f"{self.folder}: it belongs to another user, or others can write to it, so results are neither taken from "
            f"it nor kept there (`chmod go-w` ends the latter; {CACHE_VARIABLE} names another folder)"
        )
        return False

    def _opened(self, path: Path) -> BinaryIO:
        """The file of a result; OSError for anything else, such as a link, a pipe, or another user's file."""
        descriptor = os.open(path, os.O_RDONLY | _NO_LINK)
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode) and self._owner in (None, status.st_uid):
            return os.fdopen(descriptor, "rb")
        os.close(descriptor)
        raise OSError("no regular file of this user")

    def _path(self, key: Mapping[str, Any]) -> Path:
        return self.folder / f"{hashlib.sha256(_text(key).encode()).hexdigest()}.npz"

    def _trim(self, newest: Path) -> None:
        """Delete the results used longest ago until the rest fits; the newest stays."""
        if self.most_bytes is None:
            return
        found, latest = [], time.time_ns() + _AHEAD
        for path in self.folder.iterdir():
            with contextlib.suppress(OSError):
                if _NAME.fullmatch(path.name) and path != newest:
                    status = path.lstat()
                    used = status.st_mtime_ns
                    found.append((used if used <= latest else 0, status.st_size, path))
        held = sum(size for _, size, _ in found) + newest.stat().st_size
        for _, size, path in sorted(found):
            if held <= self.most_bytes:
                return
            with contextlib.suppress(OSError):
                path.unlink()
            held -= size


def cache_folder() -> Path:
    """Where results go that were given no folder: PRVIZ_CACHE, else below the user's cache folder."""
    if named := os.environ.get(CACHE_VARIABLE):
        return Path(named)
    usual = "~/Library/Caches" if sys.platform == "darwin" else "~/.cache"
    base = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
    return Path(base or usual).expanduser() / "prviz" / "triage"


def _text(key: Mapping[str, Any]) -> str:
    return json.dumps({"version": COMPUTATION, **key}, sort_keys=True, allow_nan=False)


def _bytes(key: str, kept: CachedResult) -> bytes:
    """A result as the contents of an .npz file."""
    told = {
        "key": key,
        "k": kept.k,
        "seconds": kept.seconds,
        "runs": [{"n_real": run.n_real, "bandwidth": run.bandwidth, "rows": run.rows is not None} for run in kept.runs],
    }
    arrays: dict[str, Any] = {"about": np.frombuffer(json.dumps(told).encode(), dtype=np.uint8)}
    for place, run in enumerate(kept.runs):
        arrays |= {f"c_real_{place}": run.c_real, f"c_generated_{place}": run.c_generated}
        arrays |= {} if run.rows is None else {f"rows_{place}": run.rows}
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def _check_sizes(archive: zipfile.ZipFile) -> None:
    """Raise ValueError for an archive that unpacks to more than any result, or whose arrays claim more than it has."""
    members = archive.infolist()
    told = sum(member.file_size for member in members if member.filename == "about.npy")
    if told > _MOST_TOLD or sum(member.file_size for member in members) > _MOST_BYTES:
        raise ValueError("it unpacks to more than any result")
    for member in members:
        with archive.open(member) as stream:
            if np.lib.format.read_magic(stream) != (1, 0):
                raise ValueError("no array as results have them")
            shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
            if stream.tell() + math.prod(shape) * dtype.itemsize != member.file_size:
                raise ValueError("an array that claims more than there is")


def _read(arrays: Mapping[str, NDArray[Any]], key: str) -> CachedResult:
    """The result in such a file; an error where it is another one."""
    told = json.loads(arrays["about"].tobytes())
    if told["key"] != key:
        raise ValueError("the file holds another result")
    runs = []
    for place, run in enumerate(told["runs"]):
        supports = arrays[f"c_real_{place}"], arrays[f"c_generated_{place}"]
        bandwidth = None if run["bandwidth"] is None else (run["bandwidth"][0], run["bandwidth"][1])
        rows = arrays[f"rows_{place}"] if run["rows"] else None
        _check_run(*supports, rows, run["n_real"])
        runs.append(Supports(*supports, run["n_real"], bandwidth, rows))
    if not runs:
        raise ValueError("no run")
    return CachedResult(told["k"], tuple(runs), float(told["seconds"]))


def _check_run(c_real: NDArray[Any], c_generated: NDArray[Any], rows: NDArray[Any] | None, n_real: int) -> None:
    """Raise ValueError for what no family gives."""
    shapes = {each.shape for each in (c_real, c_generated, rows) if each is not None}
    if len(shapes) > 1 or c_real.ndim != 1 or not 0 <= n_real <= len(c_real):
        raise ValueError("other numbers of samples")
    if not all(np.all(each >= 0) for each in (c_real, c_generated)):
        raise ValueError("no supports")
