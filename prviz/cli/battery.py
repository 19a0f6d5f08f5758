"""``prviz battery``: runs the sanity battery on chosen readings, and prints each verdict beside the
truth's and the paper's.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING

from prviz.cli.terminal import add_run, measured
from prviz.estimators import ESTIMATORS
from prviz.neighbors.threads import available_threads
from prviz.studies.battery import (
    CHECKS,
    COLUMNS,
    DEFAULT_READINGS,
    PASSES,
    READINGS,
    SCALARS,
    SIDES,
    battery_seconds,
    battery_tasks,
    family_readings,
    judge,
    oracle_rows,
    passed,
    setting,
)
from prviz.studies.battery.tasks import Mode

if TYPE_CHECKING:
    import pandas as pd


_TEXT = """Run the sanity battery: 15 checks of what every score of fidelity and diversity should
do, on pairs of known truth. A stopped run continues when the same command with --out is given
again."""

_EPILOG = """A reading is a published pair, such as i-prec/i-rec, or FAMILY@POINT: a family of
curves read at a point, such as knn@10 (precision at lambda = 10, recall at 1/10), knn@ends, knn@f8
or knn@auc."""

_KEY = """Each reading has two verdicts, fidelity (is the generated set like the real one?) and
diversity (does it cover the real one?), of three letters: its own, the truth's under the same
reading, and the paper's (- where none was published). T passes, F fails, L and H pass as low and as
high, where the check allows either. FT: the estimator is wrong. FF: the check asks for something
else than this reading says."""

_WIDTH = 100


def add_battery(parser: argparse.ArgumentParser) -> None:
    """Give ``parser`` the arguments of ``prviz battery``, and the function that runs it."""
    parser.description = _TEXT
    parser.epilog = _EPILOG
    parser.add_argument("checks", nargs="*", metavar="CHECK", help="which checks (default: all)")
    parser.add_argument(
        "--reading",
        nargs="+",
        action="extend",
        metavar="NAME",
        help="which numbers (default: the published pairs, and the default families at 10)",
    )
    add_run(parser)
    parser.add_argument(
        "--oracle", action="store_true", help="judge the truth alone: nothing is drawn or measured"
    )
    parser.set_defaults(run=_battery)


def _battery(arguments: argparse.Namespace) -> int:
    for name in arguments.checks:
        if name not in CHECKS:
            raise ValueError(f"there is no check {name!r}; the checks are {', '.join(CHECKS)}")
    checks = [name for name in CHECKS if name in arguments.checks or not arguments.checks]
    readings = _readings(arguments.reading or DEFAULT_READINGS)
    mode: Mode = "paper" if arguments.paper else "quick"
    if arguments.oracle:
        head = "The truth, read as a perfect estimator would\n\n"
        rows = oracle_rows(checks, readings)
    else:
        if arguments.repeats is None:
            text = setting(mode)
        else:
            text = f"{setting(mode)}; {arguments.repeats} repeats here"
        sys.stdout.write(f"{fill(text, _WIDTH)}\n\n")
        sys.stdout.flush()
        tasks = battery_tasks(
            checks, readings, mode, repeats=arguments.repeats, seed=arguments.seed
        )
        resumed = arguments.out is not None and arguments.out.exists()
        seconds = None
        if not resumed:
            seconds = battery_seconds(tasks) / available_threads()
        head = ""
        rows = measured(tasks, COLUMNS, arguments.out, seconds)
    judged = judge(rows, readings)
    if arguments.oracle or arguments.out is None:
        kept = ""
    else:
        kept = f"{len(rows)} rows in {arguments.out}\n"
    sys.stdout.write(
        f"{head}{_table(judged, readings)}\n\n{_counts(judged)}\n\n{fill(_KEY, _WIDTH)}\n{kept}"
    )
    return 0


def _readings(names: Sequence[str]) -> list[str]:
    """The names without repeats. Raises ValueError for a name that is no reading."""
    for name in names:
        if name not in READINGS:
            points = (each.partition("@")[2] for each in family_readings(["knn"]))
            raise ValueError(
                f"there is no reading {name!r}; it may be {', '.join(SCALARS)}, or FAMILY@POINT"
                f" with a family of {', '.join(ESTIMATORS)} and a point of {', '.join(points)}"
            )
    return list(dict.fromkeys(names))


def _table(judged: pd.DataFrame, readings: Sequence[str]) -> str:
    """Table with a row for each check and what it asks for, and a column for each reading.

    A cell holds the verdicts on fidelity and on diversity, three letters each (see `_KEY`).
    """
    cells = {}
    places: dict[tuple[str, str], None] = {}
    for line in judged.to_dict("records"):
        place = (line["check"], line["tag"])
        places[place] = None
        verdicts = (line["verdict"], line["oracle"], line["published"])
        text = "".join(each if isinstance(each, str) else "-" for each in verdicts)
        cells[(*place, line["reading"], line["side"])] = text
    rows = [["check", "asks", *readings]]
    for place in places:
        row = [*place]
        for name in readings:
            row.append(" ".join(cells.get((*place, name, side), "   ") for side in SIDES))
        rows.append(row)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        padded = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def _counts(judged: pd.DataFrame) -> str:
    """Text that says for each reading how many checks of fidelity and of diversity it passes."""
    known = judged[judged["published"].isin(PASSES)].groupby(["reading", "side"]).size()
    published = set(judged["reading"][judged["published"].notna()])
    counts: dict[str, list[str]] = {}
    for line in passed(judged).to_dict("records"):
        reading = line["reading"]
        side = line["side"]
        paper = ""
        if reading in published:
            paper = f", paper {known.get((reading, side), 0)}"
        count = f"{side} {line['passed']} of {line['cells']} (truth {line['oracle']}{paper})"
        counts.setdefault(reading, []).append(count)
    return "\n".join(f"{reading} passes: {', '.join(sides)}" for reading, sides in counts.items())
