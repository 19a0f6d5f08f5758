"""Checkpoints on disk: their files, names and training steps, and a metadata table with other
numbers.
"""

from __future__ import annotations

import csv
import io
import math
import os
import re
import shlex
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from prviz.array_input import EMBED_PICTURES
from prviz.readers import (
    ACCEPTED,
    ACCEPTED_TEXT,
    PICTURES,
    AmbiguousKeyError,
    Limits,
    SuspectColumnsError,
    read_chosen,
    table_beside,
)
from prviz.readers.columns import EVERY
from prviz.readers.errors import ReadError, error_text, listed, quoted
from prviz.readers.paths import PathLike, leads_nowhere
from prviz.readers.safe_folder import Below
from prviz.readers.shards import PARTS
from prviz.readers.source import as_source
from prviz.readers.text_dialect import delimiter_of

_FILE = "file"
_STEP = "step"
_RUN = "run"
_MOST_BYTES = 16 * 1024**2
_MOST_COLUMNS = 200
_MOST_ROWS = 100_000
_Key = TypeVar("_Key", bound=Hashable)


class Details(NamedTuple):
    """One row of the metadata table: a checkpoint's step, its other numbers by column, and its run;
    empty cells are left out.
    """

    step: float | None
    extra: Mapping[str, float]
    run: str = ""


def details_of(
    metadata: Path, checkpoints: Mapping[Path, str], *, below: Path | None = None
) -> dict[Path, Details]:
    """The details of each checkpoint in a CSV file with a header line.

    The column "file" holds the files' names (with folders, where names alone don't tell them apart)
    or the checkpoints' names, "run" a text, "step" a number as in a name (200k) or nothing, every
    other column finite numbers or nothing. A column that holds no number at all is left out.
    Checkpoints may be missing. Cells may also end at semicolons, tabs, bars or spaces.

    checkpoints : names by path. below : a folder that the CSV file must be in, links followed;
    None: any folder.
    """
    where = quoted(metadata.name)
    rows = _rows(metadata, where, below)
    names = _columns(next(rows, []), where)
    find = _finder(checkpoints)
    known: dict[Path, tuple[str, dict[str, str]]] = {}
    numeric = {_STEP}
    for number, cells in enumerate(rows, start=2):
        if number > _MOST_ROWS:
            raise ValueError(
                f"{where}: more than {_MOST_ROWS} rows; one row a checkpoint is needed"
            )
        if not any(cell.strip() for cell in cells):
            continue
        here = f"{where}, row {number}"
        if len(cells) != len(names):
            raise ValueError(
                f"{here}: {len(cells)} cells; {len(names)} are needed, as in the header"
            )
        row = dict(zip(names, cells, strict=True))
        path = find(row.pop(_FILE).strip(), here)
        if path in known:
            raise ValueError(
                f"{here}, column 'file': {quoted(path.name)} has a row already; one each is needed"
            )
        known[path] = here, row
        for name, cell in row.items():
            if _is_number(cell):
                numeric.add(name)
    found: dict[Path, Details] = {}
    for path, (here, row) in known.items():
        run = " ".join(row.pop(_RUN, "").split())
        numbers = {
            name: _number(cell.strip(), f"{here}, column {quoted(name)}", steps=name == _STEP)
            for name, cell in row.items()
            if cell.strip() and name in numeric
        }
        found[path] = Details(numbers.pop(_STEP, None), numbers, run)
    return found


def _columns(head: list[str], where: str) -> list[str]:
    """The column names in the header line; raises ValueError for a missing or doubled one."""
    names = [cell.strip() for cell in head]
    if not names:
        raise ValueError(f"{where}: empty; a header line with a column 'file' is needed")
    if len(names) > _MOST_COLUMNS:
        raise ValueError(f"{where}: {len(names)} columns; at most {_MOST_COLUMNS} are read")
    if _FILE not in names:
        raise ValueError(f"{where}: its columns are {listed(names)}; a column 'file' is needed")
    if twice := [name for name, times in Counter(names).items() if times > 1 or not name]:
        raise ValueError(
            f"{where}: the column {quoted(twice[0])} is there twice or has no name; each needs"
            " its own"
        )
    return names


def _rows(metadata: Path, where: str, below: Path | None) -> Iterator[list[str]]:
    """The cells of a CSV file, row by row; ValueError if it is anything else."""
    try:
        source = as_source(metadata, below)
        with source.open() as stream:
            data = stream.read(_MOST_BYTES + 1)
        source.check_unchanged()
    except (ReadError, OSError) as error:
        raise ValueError(str(error)) from None
    if len(data) > _MOST_BYTES:
        raise ValueError(
            f"{where}: more than {_MOST_BYTES // 1024**2} MiB; a table of one row a checkpoint is"
            " needed"
        )
    try:
        text = data.decode("utf-8-sig")
        mark = delimiter_of(io.BytesIO(data), source.extension)
        yield from csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=mark)
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{where}: not a CSV file in UTF-8 ({error})") from None


def _finder(checkpoints: Mapping[Path, str]) -> Callable[[str, str], Path]:
    """Function that finds the one checkpoint that a cell of the metadata names, in constant time: a
    table may have 100,000 rows.
    """
    names = _grouped((name, path) for path, name in checkpoints.items())
    whole = _grouped((path.absolute().parts, path) for path in checkpoints)

    @cache
    def ending(parts: int) -> Mapping[tuple[str, ...], list[Path]]:
        """Maps the last ``parts`` components of a path to the checkpoints whose paths end with
        them.
        """
        return _grouped(
            (path.parts[-parts:], path) for path in checkpoints if parts <= len(path.parts)
        )

    def find(text: str, here: str) -> Path:
        wanted = Path(text).parts
        fitting = names.get(text) or ending(len(wanted)).get(wanted) or whole.get(wanted, [])
        if len(fitting) != 1:
            count = "none"
            if fitting:
                count = f"{len(fitting)}"
            raise ValueError(
                f"{here}, column 'file': {quoted(text)} names {count} of the checkpoints; one is"
                " needed"
            )
        return fitting[0]

    return find


def _grouped(pairs: Iterable[tuple[_Key, Path]]) -> dict[_Key, list[Path]]:
    groups: dict[_Key, list[Path]] = {}
    for key, path in pairs:
        groups.setdefault(key, []).append(path)
    return groups


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _number(cell: str, here: str, *, steps: bool) -> float:
    """The number in a cell.

    steps : True if a k or M may stand behind the number, as in the names of files.
    """
    unit = cell[-1].lower()
    digits = cell
    times = 1.0
    if steps and unit in _TIMES:
        digits = cell[:-1]
        times = _TIMES[unit]
    value = math.nan
    if _is_number(digits):
        value = float(digits) * times
    if not math.isfinite(value):
        raise ValueError(f"{here}: {quoted(cell)} is not a finite number")
    return value


# Words in front of a step in a file name, the finest unit first. If a name has several, the first
# of this list counts.
_WORDS = ("global[-_ ]?step|steps?", "iterations?|iters?|it", "epochs?|ep", "checkpoint|ckpt")
# A number, with an exponent of one digit as in 1e5 or 1e+05: a longer one belongs to a digest.
_NUMBER = r"(\d+(?:\.\d+)?(?:e\+?0?\d)?)(?:(k|m)(?:imgs?)?)?(?![a-z0-9])"
_NAMED = [re.compile(rf"(?<![a-z])(?:{word})[-_= ]*{_NUMBER}", re.IGNORECASE) for word in _WORDS]
_BEHIND = "ema|swa|avg|best|last|final|gen(?:erated)?|samples?|feat(?:ure)?s|emb(?:edding)?s?"
# The step at the end of a name. In lr1e-4, the 4 is no step.
_LAST = re.compile(rf"(?:^|(?<![0-9]e)[-_= .]){_NUMBER}((?:[-_= .](?:{_BEHIND}))*)$", re.IGNORECASE)
_TIMES = {"": 1.0, "k": 1e3, "m": 1e6}
_DIGITS = re.compile(r"(\d+)")


@dataclass(frozen=True)
class Checkpoint:
    """One generated set on disk.

    path : its file.
    name : different from those of all others in a list.
    step : training step, epoch, or another number that orders the list; None: not known.
    extra : other numbers by name, such as a guidance scale.
    below : the folder that its file must be in, links followed; None: any path is opened.
    run : the training run, or another group, that it is of; "": not known.
    """

    path: Path
    name: str
    step: float | None = None
    extra: Mapping[str, float] = field(default_factory=dict)
    below: Path | None = None
    run: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "extra", MappingProxyType(dict(self.extra)))

    def __hash__(self) -> int:
        return hash((self.path, self.name, self.step))

    def __reduce__(self) -> tuple[Any, ...]:
        return Checkpoint, (self.path, self.name, self.step, dict(self.extra), self.below, self.run)


class PicturesError(ValueError):
    """Raised for pictures where files of features are needed."""


def checkpoints_of(
    sources: PathLike | Iterable[PathLike],
    metadata: PathLike | None = None,
    *,
    leave_out: Iterable[PathLike] = (),
) -> list[Checkpoint]:
    """The checkpoints in a folder, or in a list of files and folders; nothing of a file is read.

    sources : folders, of which the files directly inside in a format of `prviz.read` are taken, and
        files, which are taken whatever they hold. A file that occurs twice is taken once.
    metadata : a CSV file about the checkpoints, see `prviz.triage.inputs.details_of`; itself never
        a checkpoint.
    leave_out : files that are no checkpoints, such as the reference.

    Returns the list in natural order: by the name in front of the step, then by step, then by name,
    9 before 10. Names are the files' names without extension, with as much of extension and folders
    as tells them apart; the step is read from there (see `step_of`), unless the metadata give it.
    """
    given = [sources] if isinstance(sources, str | os.PathLike) else list(sources)
    skipped = {
        _resolved(Path(each)) for each in [*leave_out, *([] if metadata is None else [metadata])]
    }
    paths = list(dict.fromkeys(path for each in given for path in _files(Path(each), skipped)))
    if not paths:
        raise _nothing_there(given, skipped)
    return named(
        dict(zip(paths, _names(paths), strict=True)), None if metadata is None else Path(metadata)
    )


def _nothing_there(given: Sequence[PathLike], skipped: set[Path]) -> ValueError:
    """The error for sources without any checkpoint."""
    listed = ", ".join(map(str, given)) or "nothing"
    for each in given:
        if not Path(each).is_dir() and _resolved(Path(each)) in skipped:
            return ValueError(
                f"checkpoints = {listed}: {each} is the reference, the holdout or another file of"
                " this command already, and compared with itself every score would be perfect;"
                " name files of generated samples"
            )
    inside = [file for each in given for file in islice(Path(each).rglob("*"), _MOST_ROWS)]
    reason = f"checkpoints = {listed}: no files there that end in {ACCEPTED_TEXT}"
    if deeper := [file for file in inside if file.name.lower().endswith(ACCEPTED)]:
        above = next(Path(each) for each in given if Path(each) in deeper[0].parents)
        folders = "*/" * (len(deeper[0].parts) - len(above.parts) - 1)
        pattern = f"{shlex.quote(str(above))}/{folders}"
        if len({file.name for file in deeper}) == 1:
            pattern += shlex.quote(deeper[0].name)
        return ValueError(f"{reason}; they are in folders of it: name them, as in {pattern}")
    picture = next((file for file in inside if file.name.lower().endswith(PICTURES)), None)
    if picture is None:
        others = skipped_files(given, leave_out=skipped)
        if others:
            reason += (
                f"; name one, as in {shlex.quote(str(others[0]))}, to see whether it can be"
                " converted, and how"
            )
        return ValueError(reason)
    command = EMBED_PICTURES
    # Pictures in sub-folders: each sub-folder is a set.
    if picture.parent not in map(Path, given):
        folder = shlex.quote(str(given[0]))
        command = (
            f"prviz embed {folder} -o DIR --each --encoder ENCODER (prviz embed --list shows them)"
        )
    return PicturesError(f"{reason}; embed the pictures first: {command}")


def checkpoints_below(
    below: Below,
    files: Iterable[str],
    metadata: str | None = None,
    *,
    leave_out: Iterable[str] = (),
) -> list[Checkpoint]:
    """`checkpoints_of` for files below a folder: nothing outside the folder is opened, now or
    later.

    files, metadata, leave_out : paths relative to the folder.

    Raises as `checkpoints_of`.
    """
    given = list(files)
    skipped = {
        _there(below, name) for name in [*leave_out, *([] if metadata is None else [metadata])]
    } - {None}
    paths = [below.root / name for name in given if _there(below, name) not in skipped]
    if not paths:
        raise ValueError(
            f"checkpoints = {len(given)} files: all are left out or hold the metadata; name a file"
            " of generated samples"
        )
    about = None
    if metadata is not None:
        about = below.root / metadata
    return named(dict(zip(paths, _names(paths), strict=True)), about, below=below.root)


def _there(below: Below, name: str) -> Path | None:
    """The existing file of this name, links followed; None if it is gone."""
    try:
        return below.find(name)
    except OSError:
        return None


def named(
    names: Mapping[Path, str], metadata: Path | None = None, *, below: Path | None = None
) -> list[Checkpoint]:
    """The checkpoints at these paths, with these names, in natural order; see `checkpoints_of`.

    below : the folder that all files must be in. Raises ValueError for malformed metadata.
    """
    known = {}
    if metadata is not None:
        known = details_of(metadata, names, below=below)
    found: list[tuple[Checkpoint, tuple[Any, ...]]] = []
    for path, name in names.items():
        details = known.get(path) or Details(None, {})
        match = None
        if details.step is None:
            match = _match(name)
        step = details.step if match is None else step_of(name)
        if details.step is not None:
            series = ""
        elif match is None:
            series = name
        else:
            series = name[: match.start()] + "".join(match.groups()[2:])
        order = (natural(series), step is None, step or 0.0, natural(name))
        found.append((Checkpoint(path, name, step, details.extra, below, details.run), order))
    return [each for each, _ in sorted(found, key=lambda pair: pair[1])]


def step_of(name: str) -> float | None:
    """The step in a name: the number after step, iter or epoch; else the number at its end, which
    words such as ema or samples may follow. A k or M behind it multiplies it.

    >>> step_of("sd-epoch-3_step-12k"), step_of("network-snapshot-000200"), step_of("resnet50")
    (12000.0, 200.0, None)
    """
    found = _match(name)
    step = math.nan if found is None else float(found[1]) * _TIMES[(found[2] or "").lower()]
    if math.isfinite(step):
        return step
    return None


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """A key that sorts numbers in texts by their value, however many digits they have: 9 before
    10.
    """
    parts = [
        part.lstrip("0") if place % 2 else part
        for place, part in enumerate(_DIGITS.split(text.casefold()))
    ]
    return tuple(
        (0, len(part), part) if place % 2 else (1, 0, part)
        for place, part in enumerate(parts)
        if place % 2 or part
    )


def _match(name: str) -> re.Match[str] | None:
    return next((found for pattern in [*_NAMED, _LAST] if (found := pattern.search(name))), None)


def _files(path: Path, skipped: set[Path]) -> list[Path]:
    """The checkpoint files of a source: the file itself, or those in a folder, without ``skipped``
    ones.
    """
    if not path.is_dir():
        if _resolved(path) in skipped:
            return []
        return [Path(os.path.normpath(path))]
    inside = (
        each
        for each in path.iterdir()
        if each.name.lower().endswith(ACCEPTED) and not each.name.startswith(".")
    )
    # A broken link counts as a checkpoint that can't be read.
    files = {
        Path(os.path.normpath(each)) for each in inside if each.is_file() or leads_nowhere(each)
    }
    # `prviz embed` writes the same samples twice, in a file and a table beside it: the table is no
    # checkpoint, nor is the file if the table is to be skipped.
    tables = {each: each.with_name(table_beside(each.name)) for each in files}
    files -= set(tables.values())
    return sorted(
        each for each in files if skipped.isdisjoint((_resolved(each), _resolved(tables[each])))
    )


def skipped_files(
    sources: PathLike | Iterable[PathLike], *, leave_out: Iterable[PathLike] = ()
) -> list[Path]:
    """The files in folders among ``sources`` that `checkpoints_of` skips, as their format holds
    no samples.

    leave_out : files that are not counted, such as the metadata. Nor are hidden files, folders, and
    the tables that `prviz embed` writes beside its files.
    """
    given = [sources] if isinstance(sources, str | os.PathLike) else list(sources)
    known = {_resolved(Path(each)) for each in leave_out}
    inside = (file for each in given if Path(each).is_dir() for file in Path(each).iterdir())
    return sorted(
        file
        for file in inside
        if not file.name.startswith(".")
        and not file.name.lower().endswith(ACCEPTED)
        and file.is_file()
        and _resolved(file) not in known
    )


# Name of a file that may be a part of one set; its group is the number of the part.
_PART = re.compile(rf"(?:.*[-_. ])?(?:emb(?:edding)?s?|{PARTS})[-_. ]?(\d+).*", re.I)


def folder_of_parts(sources: Iterable[PathLike]) -> Path | None:
    """The first folder among ``sources`` whose files are named like the parts of one set, such as
    emb_0, emb_1 and emb_2; None if none is. Each of the files counts as a checkpoint all the same.
    """
    for folder in map(Path, sources):
        if not folder.is_dir():
            continue
        files = _files(folder, set())
        numbers = {int(match[1]) for each in files if (match := _PART.fullmatch(each.stem))}
        if len(files) > 1 and numbers in ({*range(len(files))}, {*range(1, len(files) + 1)}):
            return folder
    return None


def holds_samples(folder: Path, most: int) -> bool:
    """True if one of the first ``most`` files in or below a folder has the extension of a file of
    samples.
    """
    return any(file.name.lower().endswith(ACCEPTED) for file in islice(folder.rglob("*"), most))


def skipped_folders(
    sources: Iterable[PathLike], *, leave_out: Iterable[PathLike] = ()
) -> list[Path]:
    """The folders inside the folders among ``sources`` that hold files of samples.

    leave_out : files whose folders are not counted; nor are the folders of ``sources``.
    """
    given = [_resolved(Path(each)) for each in sources]
    known = {*given, *(_resolved(Path(each)) for each in leave_out)}
    known |= {folder for each in known for folder in each.parents}
    skipped = list[Path]()
    for folder in filter(Path.is_dir, given):
        for each in folder.iterdir():
            if not each.is_dir() or each.name.startswith(".") or each in known:
                continue
            if holds_samples(each, _MOST_ROWS):
                skipped.append(each)
    return sorted(skipped)


def common_prefix(names: Sequence[str]) -> str:
    """The common beginning of all names, up to a sign between words; "" if a name would be empty
    without it.

    >>> common_prefix(["run/step-1000", "run/step-2000"])
    'run/step-'
    >>> common_prefix(["alone"]), common_prefix(["a-1", "a-12"])
    ('', 'a-')
    """
    low = min(names)
    high = max(names)
    end = 0
    for place, (one, other) in enumerate(zip(low, high, strict=False)):
        if one != other:
            break
        if not one.isalnum():
            end = place + 1
    if len(names) > 1 and all(name[end:].strip() for name in names):
        return low[:end]
    return ""


def _resolved(path: Path) -> Path:
    """The file that a path leads to, links followed; the path itself if it is impossible or leads
    in a circle.
    """
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return path


def _names(paths: Sequence[Path]) -> list[str]:
    """The shortest names that are all different: file names with as few folders as needed, and with
    extensions only if needed.
    """
    for parts in range(1, max(len(path.parts) for path in paths) + 1):
        for whole in (False, True):
            last = [path.name if whole else path.stem.removesuffix(".samples") for path in paths]
            names = [
                "/".join((*path.parts[-parts:-1], name))
                for path, name in zip(paths, last, strict=True)
            ]
            if max(Counter(names).values()) == 1:
                return names
    return [str(path) for path in paths]


# ---- files that are still being written ----

# Size in bytes, time of the last change in nanoseconds, and inode number of a file.
FileState = tuple[int, int, int]

# Seconds for which a file has to stay the same to count as complete.
PAUSE = 1.0

_CHANGING = "still being written"


class Arrivals(NamedTuple):
    """What one look at some files has found.

    complete : files that can be measured, in the order given, each with its state.
    waiting : the other files, each with a reason; they are looked at again.
    """

    complete: Mapping[Path, FileState]
    waiting: Mapping[Path, str]


def file_state(path: Path) -> FileState:
    """The state of a file. Raises OSError or ValueError if there is no file."""
    status = path.stat()
    return status.st_size, status.st_mtime_ns, status.st_ino


def is_still(path: Path, state: FileState) -> bool:
    """True if the file is in this state."""
    try:
        return file_state(path) == state
    except (OSError, ValueError):
        return False


class ArrivalWatch:
    """Says at every look which files are complete: unchanged for ``pause`` seconds, and readable.

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
        """The state of these files now. Files that are no longer among them are forgotten."""
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
        # copied=True: a training run may truncate a file while it is only mapped.
        read_chosen(path, EVERY, limits=Limits(copied=True), below=below)
    except (AmbiguousKeyError, SuspectColumnsError):
        # The file is complete, but holds several arrays, or columns to choose from.
        return ""
    except (ValueError, TypeError, OSError, MemoryError) as error:
        return error_text(error)
    return ""
