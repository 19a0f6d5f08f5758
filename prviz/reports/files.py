"""Writes a report to several files: either to all of them or to none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from os.path import realpath
from pathlib import Path
from typing import NamedTuple

from prviz.readers.atomic_files import write_all
from prviz.readers.errors import quoted
from prviz.reports.document import Document
from prviz.reports.page import to_html
from prviz.reports.report_json import to_json
from prviz.reports.tables import to_csv, to_parquet


class Format(NamedTuple):
    """One file format: its MIME type, and the function that converts a report."""

    mime: str
    make: Callable[[Document], bytes]


FORMATS = {
    ".html": Format("text/html", lambda report: to_html(report).encode("utf-8")),
    ".json": Format("application/json", lambda report: to_json(report).encode("ascii")),
    ".csv": Format("text/csv", lambda report: to_csv(report).encode("utf-8")),
    ".parquet": Format("application/vnd.apache.parquet", to_parquet),
}


def check_targets(paths: Sequence[Path], sources: Iterable[Path] = ()) -> None:
    """Raise an error if a report can't be written to these paths; called before anything is
    measured.

    sources : files that no report may replace.

    Raises
    ------
    ValueError : a name that ends in none of FORMATS, a folder that does not exist, or a path that
        is no regular file.
    """
    taken = {realpath(path) for path in sources}
    for path in paths:
        given = f"report = {quoted(str(path))}"
        if path.suffix.lower() not in FORMATS:
            raise ValueError(f"{given}: its name must end in {', '.join(FORMATS)}")
        if not (folder := Path(realpath(path)).parent).is_dir():
            raise ValueError(f"{given}: there is no folder {quoted(str(folder))}")
        if path.exists() and not path.is_file():
            raise ValueError(f"{given} is no file; name another one")
        if realpath(path) in taken:
            raise ValueError(
                f"{given} would take the place of samples or of another report or table; name"
                " another file"
            )
        taken.add(realpath(path))


def write_reports(report: Document, paths: Sequence[Path]) -> None:
    """Write the report to every path, in the format of its extension.

    Raises
    ------
    ValueError : as `check_targets`.
    OSError : a file can't be written; then all files are as they were before.
    """
    check_targets(paths)
    made = {Path(realpath(path)): FORMATS[path.suffix.lower()].make(report) for path in paths}
    try:
        write_all(made)
    except OSError as error:
        names = ", ".join(quoted(path.name) for path in paths)
        reason = error.strerror or type(error).__name__
        raise OSError(
            f"{names}: can't be written ({reason}); what was there before still is"
        ) from error
