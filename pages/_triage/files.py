"""Where Triage's samples come from: one source in the end, the folder that the app serves, and
uploaded files.
"""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from prviz.live.problems import Uploaded
from prviz.readers.safe_folder import Below
from prviz.readers.source import human_size
from prviz.samples import Samples
from prviz.server.limits import limits
from prviz.server.private_folders import PrivateFolder, private_bytes
from prviz.triage.inputs import Checkpoint, FileState, named
from prviz.triage.result_cache import ResultCache

# Bytes: most for the files of one session and of all sessions, and least left free on the disk.
MOST_BYTES = 8 * 1024**3
ALL_BYTES = 32 * 1024**3
LEAST_FREE = 256 * 1024**2
# Bytes of a name and of its extension (most file systems allow 255 together).
LONGEST_NAME = 200
LONGEST_EXTENSION = 20


@dataclass(frozen=True, eq=False, kw_only=True)
class CheckpointSource:
    """One reference and its checkpoints.

    which : key of the choice of files. base : key of that choice, the array and the contents of the
    reference.
    load : reads all samples of a checkpoint, with labels and pictures.
    store : makes the cache of results. signatures : states of the checkpoints' files.
    holdout : other real samples, for the ceiling and for copies.
    link : the source's parts of the link.
    title : the checkpoints in a word. watch : True if the files have changed, for a folder that may
    grow; look : their
        state, in any thread.
    """

    which: Hashable
    base: Hashable
    reference: Samples
    checkpoints: tuple[Checkpoint, ...]
    load: Callable[[Checkpoint], Samples]
    store: Callable[[], ResultCache]
    signatures: Mapping[Path, FileState | None] = field(default_factory=dict)
    holdout: Samples | None = None
    uploaded: Uploaded | None = None
    link: Mapping[str, str] = field(default_factory=dict)
    title: str = ""
    watch: Callable[[], bool] | None = None
    look: Callable[[], Hashable] | None = None

    @property
    def key(self) -> Hashable:
        """Equal for equal files, judged by their signatures."""
        return (
            self.base,
            tuple(each.path for each in self.checkpoints),
            frozenset(self.signatures.items()),
        )


@dataclass(frozen=True, kw_only=True)
class FolderListing:
    """Contents of the folder that the app serves, when it was last read.

    files : by folder, files that may hold samples. tables : by folder, files that may hold
    metadata. out : by folder, the number of links that lead out. skipped : by folder, the number of
    files in no format of samples. signatures : by path, the state of every file. pictures : folders
    with pictures in them or in their own folders.
    """

    served: Path
    below: Below
    files: dict[str, list[str]]
    tables: dict[str, list[str]]
    out: dict[str, int]
    signatures: dict[Path, FileState | None]
    pictures: list[str]
    skipped: dict[str, int] = field(default_factory=dict)


@dataclass(kw_only=True)
class UploadedFiles:
    """Uploaded files: the reference, the checkpoints by path with their names, a table, other real
    samples.

    removed : removed checkpoints, which the table may still name.
    """

    folder: PrivateFolder = field(default_factory=PrivateFolder)
    count: int = 0
    reference: Path | None = None
    checkpoints: dict[Path, str] = field(default_factory=dict)
    removed: dict[Path, str] = field(default_factory=dict)
    table: Path | None = None
    holdout: Path | None = None

    @property
    def paths(self) -> list[Path]:
        return [
            each
            for each in (self.reference, self.table, self.holdout, *self.checkpoints)
            if each is not None
        ]

    def put(self, name: str, data: memoryview) -> Path:
        """Write a file into a folder of its own. Raises OSError if it can't be written."""
        self._check_room(data.nbytes)
        self.count += 1
        path = self.folder.path / "files" / str(self.count) / _safe(name)
        path.parent.mkdir(parents=True)
        try:
            path.write_bytes(data)
        except OSError:
            shutil.rmtree(path.parent, ignore_errors=True)
            raise
        return path

    def _check_room(self, size: int) -> None:
        """Raise OSError, with the bytes in use, if there is no room for `size` more."""
        held = sum(path.stat().st_size for path in self.paths)
        most = limits.part(MOST_BYTES)
        everybodys = limits.part(ALL_BYTES)
        if held + size > most:
            use = (
                f"the files of this session may take {human_size(most)} and"
                f" {human_size(held)} are in use"
            )
            if not limits.public:
                use = f"{use}; start the app on their folder: prviz app --data DIR"
            raise OSError(f"{use}; remove some first")
        others = private_bytes()
        if others + size > everybodys:
            use = (
                f"the files of all visitors may take {human_size(everybodys)} and"
                f" {human_size(others)} are in use"
            )
            raise OSError(
                f"{use}, {human_size(held)} of that by this session; remove some, or wait for"
                " others to leave"
            )
        free = shutil.disk_usage(self.folder.path).free
        if free - size < LEAST_FREE:
            raise OSError(
                f"its disk has {human_size(free)} left, and the last {human_size(LEAST_FREE)} stay"
                " free"
            )

    def take(self, kind: str, path: Path, upload_name: str) -> None:
        """Give a file that is written its part: "real", "table-of", "held-out", or "many", a
        checkpoint.
        """
        if kind == "real":
            self.drop(self.reference)
            self.reference = path
        elif kind == "table-of":
            self.table = path
        elif kind == "held-out":
            self.drop(self.holdout)
            self.holdout = path
        else:
            self.add(path, upload_name)

    def add(self, path: Path, upload_name: str) -> None:
        shown = self.checkpoints[path] = _unique_name(upload_name, self.checkpoints.values())
        kept = [
            (gone, name)
            for gone, name in self.removed.items()
            if gone.name != path.name and name != shown
        ]
        self.removed = dict(kept)  # the table's line of that name is about this file now

    def remove(self, path: Path) -> None:
        if path in self.checkpoints:
            self.removed[path] = self.checkpoints.pop(path)
            self.drop(path)

    def named(self, table: Path | None) -> list[Checkpoint]:
        """The checkpoints, with the table's metadata."""
        return [
            each
            for each in named(self.checkpoints | self.removed, table)
            if each.path in self.checkpoints
        ]

    def drop(self, path: Path | None) -> None:
        if path is not None:
            shutil.rmtree(path.parent, ignore_errors=True)


def _safe(name: str) -> str:
    """A safe file name: no folders, no special or control characters, and not too long."""

    def cut(text: str, most: int) -> str:
        return text.encode()[:most].decode(errors="ignore")

    base = name.replace("\\", "/").rpartition("/")[2]
    harmful = {
        letter for letter in base if letter in '<>:"|?*' or unicodedata.category(letter)[0] == "C"
    }
    kept = "".join("_" if letter in harmful else letter for letter in base).strip(". ")
    stem, dot, extension = kept.rpartition(".")
    if not dot:
        return cut(kept, LONGEST_NAME) or "file"
    return f"{cut(stem, LONGEST_NAME) or 'file'}.{cut(extension, LONGEST_EXTENSION)}"


def _unique_name(name: str, others: Iterable[str]) -> str:
    """Unique name of a checkpoint: its file's name, with a number if that is taken."""
    stem = " ".join(_safe(name).rpartition(".")[0].split()) or _safe(name)
    taken = set(others)
    number = 1
    unique = stem
    while unique in taken:
        number += 1
        unique = f"{stem} ({number})"
    return unique
