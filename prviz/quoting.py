"""Quotes names and texts from files, which may be hostile, for messages."""

from __future__ import annotations

import csv
import io
import re
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

_LONGEST = 80
_LONGEST_LITERAL = 200
# Most characters of column names in the option that a message suggests.
_LONGEST_REMEDY = 200
# Pattern of a name that ends in a number.
_NUMBERED = re.compile(r"(.*?)([0-9]{1,9})")


def quoted(text: str) -> str:
    """``text`` as a quoted one-line literal of at most 80 characters, control characters
    escaped.
    """
    # Cut before `repr`, because the text may be a whole file.
    literal = repr(text[: _LONGEST + 1])
    if len(literal) <= _LONGEST:
        return literal
    return f"{literal[: _LONGEST - 2]}…{literal[0]}"


def literal(text: str) -> str:
    """``text`` as a string literal for code that the user will run: complete, unless extremely
    long.
    """
    if len(repr(text)) <= _LONGEST_LITERAL:
        return repr(text)
    return quoted(text)


def beside(path: str, ending: str) -> str:
    """String literal for the path with its extension replaced by ``ending``."""
    return literal(path.removesuffix(Path(path).suffix) + ending)


def listed(names: Iterable[str], *, most: int = 10) -> str:
    """The first ``most`` names, quoted and joined by commas, and the number of further names."""
    names = list(names)
    return first_names(list(map(quoted, names[:most])), most, len(names))


def short_name(name: str) -> str:
    """A name on one line, unquoted, without control characters, of at most 80 characters."""
    plain = "".join(character if character.isprintable() else "\ufffd" for character in name)
    if len(plain) <= _LONGEST:
        return plain
    return plain[: _LONGEST - 1] + "…"


def first_names(names: Sequence[str], most: int = 4, count: int = 0) -> str:
    """The first ``most`` names, joined by commas, and how many more there are.

    count : number of all names, if ``names`` are only some of them.
    """
    shown = ", ".join(names[:most])
    more = (count or len(names)) - most
    if more > 0:
        return f"{shown} and {more:,} more"
    return shown


def every_name(names: Iterable[str], *, most: int = 40) -> str:
    """The names, joined by commas; three or more whose numbers count on are one entry, such as "f0
    to f511". After ``most`` entries only the number of further ones is given.
    """
    runs: list[list[str]] = []
    expected: tuple[str, int] | None = None
    for name in names:
        numbered = _NUMBERED.fullmatch(name)
        counted = (numbered[1], int(numbered[2])) if numbered else None
        if counted is None or counted != expected:
            runs.append([])
        runs[-1].append(short_name(name))
        expected = (counted[0], counted[1] + 1) if counted else None
    entries: list[str] = []
    for run in runs:
        entries += run if len(run) < 3 else [f"{run[0]} to {run[-1]}"]
    return first_names(entries, most)


def columns_text(names: Sequence[str]) -> str:
    """Column names as a command-line option takes them: separated by commas, quoted where a name
    has a comma.
    """
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def drop_text(names: Sequence[str]) -> str:
    """The arguments that leave columns out, in Python and in the shell; if the names are long or
    unprintable, a description.
    """
    line = columns_text(names)
    if not line.isprintable() or len(line) > _LONGEST_REMEDY:
        return "drop=... (--drop COLUMNS)"
    given = repr(names[0]) if len(names) == 1 else f"[{', '.join(map(repr, names))}]"
    return f"drop={given} (--drop {shlex.quote(line)})"
