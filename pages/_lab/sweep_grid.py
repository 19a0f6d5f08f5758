"""The typed grid of a sweep: lists of numbers and words, refused with the values that are allowed."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from prviz.measure.workload import duration
from prviz.studies.sweeps import Cell, Files, sweep_cells, sweep_seconds
from prviz.toys import TOYS, ToyProblem, toy

# Most rows, values per set and seconds per measurement that a page may request; the shell has no such limits.
MOST_ROWS = 5_000
MOST_VALUES = 10_000 * 2_048
MOST_SECONDS = 60.0
_ALLOWED = (
    f"at most {MOST_ROWS:,} are measured for a page: take fewer values or repeats, or the shell, which has no limit"
)


class Field(NamedTuple):
    """One list of the grid.

    key : its name in the configuration. label, help : for the page. first : the default text.
    whole : True if the numbers are whole. word : allowed besides numbers, and stands for `value`.
    """

    key: str
    label: str
    first: str
    whole: bool
    word: str
    value: Any
    help: str


FIELDS = (
    Field(
        "dims",
        "Dimensions d",
        "own",
        True,
        "own",
        None,
        "Number of features of every sample; own: that of the problem as it is published.",
    ),
    Field(
        "ns",
        "Samples n per set",
        "500, 2000",
        True,
        "own",
        None,
        "As many real and as many generated samples; own: as many as the publication has.",
    ),
    Field(
        "splits",
        "Splits",
        "0.5, none",
        False,
        "none",
        None,
        "Share of each set that defines the classifiers, the rest measures their errors; none: the same samples do "
        "both. Trained classifiers have no rows without a split.",
    ),
    Field(
        "ks",
        "Neighbours k",
        "4, sqrt",
        True,
        "sqrt",
        "sqrt",
        "How many nearest neighbours a ball holds; sqrt: the root of n. Families without neighbours have one row.",
    ),
    Field(
        "bandwidths",
        "Bandwidths of KDE",
        "auto",
        False,
        "auto",
        None,
        "Radius of KDE's balls in units of the data; auto: in each set its mean distance to the k-th neighbour.",
    ),
)


def entries(field: Field, text: str) -> list[Any]:
    """The values of a typed list, each once. Raises ValueError for what is neither a number nor the field's word."""
    kind = "whole numbers" if field.whole else "numbers"
    legal = f'{kind} or "{field.word}" are needed, separated by commas, such as {field.first}'
    found = []
    parts = [part for part in re.split(r"[,;\s]+", text) if part]
    if not parts:
        raise ValueError(f"{field.label} ({field.key}): nothing was given; {legal}")
    for part in parts:
        try:
            found.append(field.value if part.lower() == field.word else (int if field.whole else float)(part))
        except ValueError:
            raise ValueError(f"{field.label} ({field.key}): {part!r} was given; {legal}") from None
    return list(dict.fromkeys(found))


def problems() -> dict[str, ToyProblem]:
    """Every toy with each of its published settings, by a short title."""
    found: dict[str, ToyProblem] = {}
    for name in TOYS:
        usual = toy(name)
        title = usual.title.split(":")[0]
        found[title] = usual
        others = {f"{title}, {label}": toy(name, **parameters) for label, parameters in usual.presets.items()}
        found |= {label: other for label, other in others.items() if other != usual}
    return found


def checked_cells(arguments: Mapping[str, Any]) -> list[Cell]:
    """The cells of `prviz.sweep` with these arguments, within the limits of a page.

    Raises ValueError or TypeError, with the values that are allowed, for arguments that can't be used.
    """
    pairs = math.prod(len(arguments[key]) for key in ("problems", "dims", "ns", "splits")) * arguments["repeats"]
    if pairs > MOST_ROWS:
        raise ValueError(f"{pairs:,} pairs of samples are asked for; {_ALLOWED}")
    cells = sweep_cells(**arguments)
    if (rows := sum(len(cell.wanted) for cell in cells)) > MOST_ROWS:
        raise ValueError(f"{rows:,} rows are asked for; {_ALLOWED}")
    for cell in cells[:: arguments["repeats"]]:
        _check_size(cell)
    return cells


def _check_size(cell: Cell) -> None:
    n = cell.n or (2 if isinstance(cell.problem, Files) else cell.problem.default_n)
    d = 1 if isinstance(cell.problem, Files) else cell.problem.parameters["d"]
    if n * d > MOST_VALUES:
        raise ValueError(
            f"n = {n:,} and d = {d:,} are {n * d:,} numbers per set; at most {MOST_VALUES:,} are drawn for a page, the "
            "shell takes more"
        )
    seconds = sweep_seconds([cell]) or 0.0
    if seconds > MOST_SECONDS:
        raise ValueError(
            f"n = {n:,} and d = {d:,} take {duration(seconds)} at a time, which nobody can stop; at most "
            f"{duration(MOST_SECONDS)} are measured for a page: take smaller n or d, or the shell"
        )
