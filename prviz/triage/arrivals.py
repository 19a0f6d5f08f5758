"""Files of a folder that grows while training runs: which are complete, and which are still being
written.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from prviz.readers import AmbiguousKeyError, Limits, SuspectColumnsError, read_chosen
from prviz.readers.columns import EVERY
from prviz.readers.errors import error_text

# Size, time and identity of a file.
FileState = tuple[int, int, int]

# Seconds for which a file has to stay the same.
PAUSE = 1.0

_CHANGING = "still being written"


class Arrivals(NamedTuple):
    """What a look has found.

    complete : files that can be measured, in the order given, each with its state. waiting : the
    others with a reason; they are looked at again.
    """

    complete: Mapping[Path, FileState]
    waiting: Mapping[Path, str]


def file_state(path: Path) -> FileState:
    """The state of a file. Raises OSError or ValueError where there is none."""
    status = path.stat()
    return status.st_size, status.st_mtime_ns, status.st_ino


def is_still(path: Path, state: FileState) -> bool:
    """True if the file is in this state."""
    try:
        return file_state(path) == state
    except (OSError, ValueError):
        return False


class ArrivalWatch:
    """Says at every look which files are complete: the same at two looks, ``pause`` apart, and
    readable.

    A file that can't be read waits and is tried again when it has changed; a complete one is not
    read again as long as it stays the same. Not thread-safe.

    Parameters
    ----------
    pause : seconds for which size, time and identity of a file have to stay the same.
    below : a folder that all files must be in, links followed; None: any folder.
    problem : function of a path that gives the reason why it can't be read, "" if it can; None:
    `prviz.read` tries.
    """

    def __init__(
        self,
        pause: float = PAUSE,
        *,
        below: Path | None = None,
        problem: Callable[[Path], str] | None = None,
    ) -> None:
        self._pause = pause
        self._problem = problem or partial(_problem, below=below)
        self._seen: dict[Path, tuple[FileState, float]] = {}
        self._judged: dict[Path, tuple[FileState, str]] = {}

    def look(self, paths: Iterable[Path]) -> Arrivals:
        """Look at these files now; those that are not among them any more are forgotten."""
        given = dict.fromkeys(paths)
        self._seen = {path: known for path, known in self._seen.items() if path in given}
        self._judged = {path: known for path, known in self._judged.items() if path in given}
        reasons = {path: self._waits_for(path) for path in given}
        complete = {path: self._judged[path][0] for path, reason in reasons.items() if not reason}
        return Arrivals(complete, {path: reason for path, reason in reasons.items() if reason})

    def _waits_for(self, path: Path) -> str:
        """The reason why a file is not complete; "" if it is."""
        try:
            now = time.monotonic()
            state = file_state(path)
        except (OSError, ValueError) as error:
            return error_text(error)
        judged = self._judged.get(path)
        if judged is not None and judged[0] == state:
            return judged[1]
        seen = self._seen.get(path)
        if seen is None or seen[0] != state:
            self._seen[path] = state, now
            return _CHANGING
        if now - seen[1] < self._pause:
            return _CHANGING
        reason = self._problem(path)
        self._judged[path] = state, reason
        return reason


def _problem(path: Path, below: Path | None) -> str:
    try:
        # a run may truncate what is only mapped
        read_chosen(path, EVERY, limits=Limits(copied=True), below=below)
    except (
        AmbiguousKeyError,
        SuspectColumnsError,
    ):  # whole: it holds several arrays, or columns to choose from
        return ""
    except (ValueError, TypeError, OSError, MemoryError) as error:
        return error_text(error)
    return ""
