"""What commands on two sets share: the options of files and their columns, and how sizes and
numbers are printed.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from prviz.readers.atomic_files import named, write_whole
from prviz.readers.columns import ColumnChoice
from prviz.readers.errors import one_line
from prviz.samples import SamplePair, Samples, notes_of


def add_columns(parser: argparse.ArgumentParser) -> None:
    """Give ``parser`` the options ``--features``, ``--drop`` and ``--group``."""
    group = parser.add_argument_group("columns of tables")
    group.add_argument(
        "--features",
        type=_names,
        action="extend",
        default=[],
        metavar="PATTERN",
        help=(
            "the features: names of columns or patterns such as 'f*', separated by commas "
            "(default: all that are not named like ids, labels or paths)"
        ),
    )
    group.add_argument(
        "--drop",
        type=_names,
        action="extend",
        default=[],
        metavar="COLUMNS",
        help="names or patterns of columns that are no features, separated by commas",
    )
    group.add_argument(
        "--group",
        metavar="COLUMN",
        help=(
            "column that says what each row belongs to, such as its video or patient: rows of one"
            " group are never taken as independent"
        ),
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """Give ``parser`` the option ``--json``."""
    parser.add_argument(
        "--json",
        nargs="?",
        const="-",
        metavar="PATH",
        help="write everything as JSON, to a file or to stdout",
    )


def put_text(target: str, text: str) -> None:
    """Write a text whole to a file, or to standard output for "-"; it ends in a line feed."""
    text = text if text.endswith("\n") else text + "\n"
    path = Path(target)
    if target == "-":
        sys.stdout.write(text)
    # a pipe or a device, which no file may take the place of
    elif path.exists() and not path.is_file():
        with named(path):
            path.write_bytes(text.encode())
    else:
        write_whole(Path(os.path.realpath(path)), text.encode())


def size_lines(pair: SamplePair) -> list[str]:
    """A line on each set: its role, name, number of samples and of features."""
    return [
        f"{role:9}  {one_line(each.name)}  {each.n} x {each.d}"
        for role, each in zip(("real", "generated"), pair, strict=True)
    ]


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of cells in columns, the first to the left, numbers to the right."""
    first, *widths = (max(map(len, column)) for column in zip(*rows, strict=True))
    lines = []
    for name, *cells in rows:
        numbers = map(str.rjust, cells, widths)
        lines.append("  ".join([name.ljust(first), *numbers]))
    return lines


def column_choice(arguments: argparse.Namespace) -> ColumnChoice:
    """The choice of these options, for all files of a command."""
    return ColumnChoice.of(arguments.features, arguments.drop, arguments.group, shared=True)


def check_choice(choice: ColumnChoice, sets: Iterable[Samples]) -> None:
    """Raise ValueError for a column of the choice that none of the sets has."""
    columns: dict[str, None] = {}
    for samples in sets:
        columns |= dict.fromkeys((*samples.features, *samples.labels))
    columns |= dict.fromkeys(sorted(choice.met))
    if unknown := choice.unknown(columns):
        option = "--features" if unknown[0] in choice.features else "--drop"
        if unknown[0] not in (*choice.features, *choice.drop):
            option = "--group"
        raise ValueError(
            f"{option} {unknown[0]}: no file has such a column; they have"
            f" {', '.join(columns) or 'none'}"
        )


def say_notes(sets: Iterable[Samples]) -> None:
    """Say on standard error what was decided when the sets were read, once for both."""
    for note, names in notes_of(sets).items():
        sys.stderr.write(f"prviz: note: {' and '.join(map(one_line, names))}: {note}\n")


def _names(text: str) -> list[str]:
    """Names between commas; one with a comma in it stands in double quotes."""
    return next(csv.reader([text], skipinitialspace=True), [])
