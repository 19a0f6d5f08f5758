"""The metadata table of checkpoints: their steps, and any other numbers."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

from prviz.readers.errors import ReadError, listed, quoted
from prviz.readers.source import as_source

__all__ = ["Details", "details_of"]

_FILE, _STEP = "file", "step"
_MOST_BYTES = 16 * 1024**2
_MOST_COLUMNS = 200
_MOST_ROWS = 100_000
_Key = TypeVar("_Key", bound=Hashable)


class Details(NamedTuple):
    """One row of the table: the checkpoint's step, and other numbers by column; empty cells are left out."""

    step: float | None
    extra: Mapping[str, float]


def details_of(metadata: Path, checkpoints: Mapping[Path, str], *, below: Path | None = None) -> dict[Path, Details]:
    """The details of each checkpoint in a CSV file with a header line.

    The column "file" holds the files' names (with folders, where names alone don't tell them apart) or the
    checkpoints' names; "step" and every other column hold finite numbers or nothing. Checkpoints may be missing.

    checkpoints : names by path. below : a folder that the CSV file must be in, links followed; None: any folder.

    Raises
    ------
    ValueError : not a CSV file in UTF-8, no column "file", a column twice, a row of another length, a file that is no
        checkpoint or comes twice, a cell that is no number. The message names file, row (the header is row 1) and
        column.
    """
    where = quoted(metadata.name)
    rows = _rows(metadata, where, below)
    names = _columns(next(rows, []), where)
    named = _Named(checkpoints)
    found: dict[Path, Details] = {}
    for number, cells in enumerate(rows, start=2):
        if number > _MOST_ROWS:
            raise ValueError(f"{where}: more than {_MOST_ROWS} rows; one row a checkpoint is needed")
        if not any(cell.strip() for cell in cells):
            continue
        here = f"{where}, row {number}"
        if len(cells) != len(names):
            raise ValueError(f"{here}: {len(cells)} cells; {len(names)} are needed, as in the header")
        row = dict(zip(names, cells, strict=True))
        path = named.path(row.pop(_FILE).strip(), here)
        if path in found:
            raise ValueError(f"{here}, column 'file': {quoted(path.name)} has a row already; one each is needed")
        numbers = {name: _number(cell, f"{here}, column {quoted(name)}") for name, cell in row.items() if cell.strip()}
        found[path] = Details(numbers.pop(_STEP, None), numbers)
    return found


def _columns(head: list[str], where: str) -> list[str]:
    """The names in the header line."""
    names = [cell.strip() for cell in head]
    if not names:
        raise ValueError(f"{where}: empty; a header line with a column 'file' is needed")
    if len(names) > _MOST_COLUMNS:
        raise ValueError(f"{where}: {len(names)} columns; at most {_MOST_COLUMNS} are read")
    if _FILE not in names:
        raise ValueError(f"{where}: its columns are {listed(names)}; a column 'file' is needed")
    if twice := [name for name, times in Counter(names).items() if times > 1 or not name]:
        raise ValueError(f"{where}: the column {quoted(twice[0])} is there twice or has no name; each needs its own")
    return names


def _rows(metadata: Path, where: str, below: Path | None) -> Iterator[list[str]]:
    """The cells of a file that may be anything, row by row."""
    try:
        source = as_source(metadata, below)
        with source.open() as stream:
            data = stream.read(_MOST_BYTES + 1)
        source.check_unchanged()
    except (ReadError, OSError) as error:
        raise ValueError(str(error)) from None
    if len(data) > _MOST_BYTES:
        raise ValueError(f"{where}: more than {_MOST_BYTES // 1024**2} MiB; a table of one row a checkpoint is needed")
    try:
        yield from csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True)
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{where}: not a CSV file in UTF-8 ({error})") from None


class _Named:
    """Checkpoints indexed by every name that a cell may give them: a table may have 100,000 rows."""

    def __init__(self, checkpoints: Mapping[Path, str]) -> None:
        self._paths = list(checkpoints)
        self._names = _grouped((name, path) for path, name in checkpoints.items())
        self._ends: dict[int, dict[tuple[str, ...], list[Path]]] = {}

    def path(self, text: str, here: str) -> Path:
        """The one checkpoint that a cell names."""
        wanted = Path(text).parts
        fitting = self._names.get(text) or self._ending(len(wanted)).get(wanted, [])
        if len(fitting) != 1:
            count = "none" if not fitting else f"{len(fitting)}"
            raise ValueError(f"{here}, column 'file': {quoted(text)} names {count} of the checkpoints; one is needed")
        return fitting[0]

    def _ending(self, parts: int) -> Mapping[tuple[str, ...], list[Path]]:
        """The checkpoints by the last `parts` components of their paths."""
        if parts not in self._ends:
            long = (path for path in self._paths if 0 < parts <= len(path.parts))
            self._ends[parts] = _grouped((path.parts[-parts:], path) for path in long)
        return self._ends[parts]


def _grouped(pairs: Iterable[tuple[_Key, Path]]) -> dict[_Key, list[Path]]:
    groups: dict[_Key, list[Path]] = {}
    for key, path in pairs:
        groups.setdefault(key, []).append(path)
    return groups


def _number(cell: str, here: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{here}: {quoted(cell)} is not a finite number")
    return value
