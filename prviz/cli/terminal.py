"""Argument types, shared options, and printing of tables, notes and progress, for all commands."""

from __future__ import annotations

import argparse
import csv
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TextIO

from prviz.checks.finding import Finding
from prviz.measure.workload import duration
from prviz.quoting import every_name
from prviz.readers.atomic_files import named, write_whole
from prviz.readers.columns import ColumnChoice
from prviz.readers.errors import one_line
from prviz.samples import SamplePair, Samples, by_role, notes_of
from prviz.studies.tasks import Columns, Task, dask_executor, run_tasks

if TYPE_CHECKING:
    import pandas as pd


# Seconds of work after which progress is shown.
WORTH_SAYING = 1.0
# Seconds between two updates of the progress.
_PAUSE = 0.1

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}
_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,15})?) ?([A-Za-z]*)")


def memory_size(text: str) -> int:
    """Bytes from text such as "500MB", "1.5GB" or "2000000": GB is 10^9 bytes, GiB 2^30.

    Raises
    ------
    argparse.ArgumentTypeError : any other text, or less than one megabyte.
    """
    match = _SIZE.fullmatch(text.strip())
    unit = match and _UNITS.get(match[2].upper())
    if not match or not unit:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no size of memory; 500MB, 1.5GB or a number of bytes is needed"
        )
    size = int(float(match[1]) * unit)
    if size < 10**6:
        raise argparse.ArgumentTypeError(f"{text!r} is {size} bytes; at least 1MB is needed")
    return size


def neighbours(text: str) -> int | Literal["sqrt"]:
    """A number of neighbours, or "sqrt". Raises argparse.ArgumentTypeError for any other text."""
    if text == "sqrt":
        return "sqrt"
    if text.isascii() and text.isdigit() and int(text) >= 1:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is neither a positive integer nor sqrt")


def split_share(text: str) -> float | None:
    """A share between 0 and 1, or None for "none".

    Raises argparse.ArgumentTypeError for any other text.
    """
    if text == "none":
        return None
    if 0 < (ratio := number(text)) < 1:
        return ratio
    raise argparse.ArgumentTypeError(f"{text!r} is neither a share between 0 and 1 nor none")


def number(text: str) -> float:
    """The number that a text holds, or nan, which fails every check of a range."""
    try:
        return float(text)
    except ValueError:
        return float("nan")


def seed_number(text: str) -> int:
    """A seed below 2^63, since tables store it as a 64-bit integer.

    Raises argparse.ArgumentTypeError for any other text.
    """
    if text.isascii() and text.isdigit() and len(text) < 20 and int(text) < 2**63:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 to 2^63 - 1")


@contextmanager
def watched(seconds: float | None) -> Iterator[ProgressLine | None]:
    """Show a progress line on stderr while the block runs; remove it at the end.

    seconds : expected time, shown at the start; None if unknown.

    Yields a function that takes the fraction done, or None if stderr is no terminal. Use
    `print_above` to print other lines meanwhile.
    """
    if not sys.stderr.isatty():
        yield None
        return
    line = ProgressLine()
    if seconds is not None and seconds > WORTH_SAYING:
        line.show(f"this should take {duration(seconds)}")
    try:
        yield line
    finally:
        line.show("")


def add_device(parser: argparse.ArgumentParser) -> None:
    """Give ``parser`` the option ``--device``, on which `main` computes distances."""
    parser.add_argument(
        "--device",
        dest="distances_on",  # not "device": prviz embed has its own --device, for the network
        metavar="NAME",
        help="compute distances with PyTorch on this device, such as cuda: the same numbers "
        "(extra prviz[torch])",
    )


def check_output(option: str, target: str | Path, taken: Iterable[str | Path]) -> None:
    """Raise ValueError for a file without a folder, and for one of the samples or other outputs.

    taken : the samples and the other outputs.
    """
    path = Path(target).resolve()
    if path in map(Path.resolve, map(Path, taken)):
        raise ValueError(
            f"--{option} {target} would overwrite the samples or another output; name another file"
        )
    if not path.parent.is_dir():
        raise ValueError(f"--{option} {target}: there is no folder {path.parent}")


def add_run(parser: argparse.ArgumentParser) -> None:
    """Give ``parser`` the options of every study: ``--paper``, ``--out``, ``--repeats``,
    ``--seed``.
    """
    parser.add_argument(
        "--paper",
        action="store_true",
        help="run at the size of the paper (default: a smaller, quick run)",
    )
    parser.add_argument(
        "--out", type=Path, metavar="PATH", help="Parquet file for the rows (default: none)"
    )
    parser.add_argument(
        "--repeats",
        type=int,
        metavar="N",
        help="number of repeats (default: that of the paper, or of the quick run)",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        metavar="S",
        help="seed of all samples and splits (default: 0)",
    )


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Give ``parser`` the options that run tasks on Dask workers."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="run on the workers of this Dask scheduler, tcp://host:8786",
    )
    where.add_argument("--dask", action="store_true", help="run on a local Dask cluster")


def measured(
    tasks: Sequence[Task],
    columns: Columns,
    out: Path | None,
    seconds: float | None,
    *,
    scheduler: str | None = None,
    dask: bool = False,
    line_of: Callable[[pd.DataFrame], str] | None = None,
) -> pd.DataFrame:
    """Rows of the tasks, measured here or on Dask workers, with progress on stderr.

    out : file that keeps the rows. seconds : expected time on this machine. line_of : the line to
    print when a task is done, from its rows.
    """
    elsewhere = scheduler is not None or dask
    with (
        dask_executor(scheduler) if elsewhere else nullcontext() as executor,
        watched(None if elsewhere else seconds) as line,
    ):
        on_rows = None if line_of is None else lambda rows: print_above(line, line_of(rows))
        try:
            return run_tasks(tasks, columns, executor, out=out, progress=line, on_rows=on_rows)
        except KeyboardInterrupt:
            if out is not None:
                sys.stderr.write(
                    f"\nprviz: stopped; results so far are in {out}; the same command continues"
                    " from there\n"
                )
            raise


def say_flags(flags: Iterable[Finding]) -> None:
    """Print a line on stderr for each flag of level "warning"."""
    for flag in flags:
        if flag.level == "warning":
            sys.stderr.write(f"prviz: warning: {one_line(flag.line)}\n")
    sys.stderr.flush()


def print_above(line: ProgressLine | None, text: str, stream: TextIO | None = None) -> None:
    """Print a line above the progress line, to stderr by default; it stays when the progress line
    goes.
    """
    if line is not None:
        line.show("")
    stream = stream or sys.stderr
    stream.write(text + "\n")
    stream.flush()


class ProgressLine:
    """Progress shown in the last line of the terminal. Call it with the fraction done."""

    def __init__(self) -> None:
        self._start = self._last = time.monotonic()
        self._width = 0
        self._first: tuple[float, float] | None = None

    def __call__(self, fraction: float) -> None:
        """Show the share done and the time left.

        Nothing is shown before `WORTH_SAYING` seconds, nor twice within `_PAUSE` seconds.
        """
        now = time.monotonic()
        if self._first is None:  # a resumed run starts above 0: its pace is measured from there
            self._first = now, fraction
        if now - self._start < WORTH_SAYING or now - self._last < _PAUSE:
            return
        self._last = now
        began, before = self._first
        left = None
        if fraction > before:
            left = (now - began) * (1 - fraction) / (fraction - before)
        self.show(f"{fraction:4.0%}" + ("" if left is None else f", {duration(left)} left"))

    def show(self, text: str) -> None:
        """Replace the current text of the line."""
        if text or self._width:
            sys.stderr.write("\r" + text.ljust(self._width) + ("" if text else "\r"))
            sys.stderr.flush()
        self._width = len(text)


# ---- options and tables that commands share ----


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
    """Write a text to a file, all or nothing, or to standard output for "-".

    A missing final newline is added.
    """
    if not text.endswith("\n"):
        text = text + "\n"
    path = Path(target)
    if target == "-":
        sys.stdout.write(text)
    # A pipe or a device: `write_whole` would replace it by a file.
    elif path.exists() and not path.is_file():
        with named(path):
            path.write_bytes(text.encode())
    else:
        write_whole(Path(os.path.realpath(path)), text.encode())


def size_lines(pair: SamplePair) -> list[str]:
    """A line for each set, with role, name, number of samples and features, and labels; and one
    with the names of the features, where they have names.
    """
    lines = [
        f"{role:9}  {one_line(each.name)}  {one_line(each.size_text)}"
        for role, each in by_role(pair)
    ]
    if pair.features:
        lines.append(f"features   {every_name(pair.features)}")
    return lines


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as lines: first column aligned left, the others right."""
    first, *widths = (max(map(len, column)) for column in zip(*rows, strict=True))
    lines = []
    for name, *cells in rows:
        numbers = map(str.rjust, cells, widths)
        lines.append("  ".join([name.ljust(first), *numbers]))
    return lines


def column_choice(arguments: argparse.Namespace) -> ColumnChoice:
    """The columns chosen by --features, --drop and --group for all files of a command."""
    return ColumnChoice.of(arguments.features, arguments.drop, arguments.group, shared=True)


def check_choice(choice: ColumnChoice, sets: Iterable[Samples]) -> None:
    """Raise ValueError for a chosen column that none of the sets has."""
    columns: dict[str, None] = {}
    for samples in sets:
        columns |= dict.fromkeys((*samples.features, *samples.labels))
    columns |= dict.fromkeys(sorted(choice.met))
    if unknown := choice.unknown(columns):
        option = "--drop"
        if unknown[0] in choice.features:
            option = "--features"
        if unknown[0] not in (*choice.features, *choice.drop):
            option = "--group"
        raise ValueError(
            f"{option} {unknown[0]}: no file has such a column; they have"
            f" {', '.join(columns) or 'none'}"
        )


def say_notes(sets: Iterable[Samples]) -> None:
    """Print the notes from reading these sets on stderr; a note that several sets share is printed
    once.
    """
    for note, names in notes_of(sets).items():
        sys.stderr.write(f"prviz: note: {' and '.join(map(one_line, names))}: {note}\n")


def _names(text: str) -> list[str]:
    """The names in a text, separated by commas; quote a name that contains a comma."""
    return next(csv.reader([text], skipinitialspace=True), [])
