"""Errors of readers, and quoting of the (possibly hostile) names and texts of a file in messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

_LONGEST, _LONGEST_LITERAL = 80, 200


class ReadError(ValueError):
    """Raised if a file can't be read as samples; the message says what it is, where, and what to do instead."""


class AmbiguousKeyError(ReadError):
    """Raised if several arrays of one file could be the samples; pass one of ``choices`` as ``key``."""

    choices: tuple[str, ...]

    def __init__(self, message: str, choices: Iterable[str]) -> None:
        super().__init__(message)
        self.choices = tuple(choices)

    def __reduce__(self) -> tuple[Any, ...]:
        return AmbiguousKeyError, (str(self), self.choices)


class SuspectColumnsError(ReadError):
    """Raised if ``columns`` of a table look like no features; pass them as ``drop``, or the features as ``columns``."""

    columns: tuple[str, ...]

    def __init__(self, message: str, columns: Iterable[str]) -> None:
        super().__init__(message)
        self.columns = tuple(columns)

    def __reduce__(self) -> tuple[Any, ...]:
        return SuspectColumnsError, (str(self), self.columns)


class EmptyCellError(ReadError):
    """Raised for an empty cell; ``column`` is the place of its column."""

    column: int

    def __init__(self, message: str, column: int) -> None:
        super().__init__(message)
        self.column = column

    def __reduce__(self) -> tuple[Any, ...]:
        return EmptyCellError, (str(self), self.column)


def quoted(text: str) -> str:
    """``text`` as a quoted one-line literal of at most 80 characters, control characters escaped."""
    # Cut before `repr`, because the text may be a whole file.
    literal = repr(text[: _LONGEST + 1])
    return literal if len(literal) <= _LONGEST else f"{literal[: _LONGEST - 2]}…{literal[0]}"


def literal(text: str) -> str:
    """``text`` as a literal for a line of Python that the user runs: whole, unless it is absurdly long."""
    return repr(text) if len(repr(text)) <= _LONGEST_LITERAL else quoted(text)


def listed(names: Iterable[str], *, most: int = 10) -> str:
    """Names, quoted and joined by commas; beyond ``most`` only the number of the others."""
    names = list(names)
    shown = ", ".join(quoted(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


@contextmanager
def corrupt_unless_read(where: str, *errors: type[Exception]) -> Iterator[None]:
    """Turn ``errors`` of a parser into a `ReadError` that calls the file truncated or corrupt."""
    try:
        yield
    except ReadError:
        raise
    except errors as error:
        detail = quoted(str(error) or type(error).__name__)
        raise ReadError(
            f"{where}: truncated or corrupt ({detail}). Write it again, or copy it again if it was copied."
        ) from error


def error_text(error: BaseException) -> str:
    """First line of an error's message, never empty: a system's error names its file, one without words its type."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"
    words = "not enough memory" if isinstance(error, MemoryError) else type(error).__name__
    return str(error).strip().partition("\n")[0] or words


def described(error: BaseException) -> str:
    """An error's type and message, as in "ZeroDivisionError: division by zero"; without a message the type alone."""
    return f"{type(error).__name__}: {error}".rstrip(": ")


def one_line(text: object) -> str:
    """Foreign text on one line, without control characters: a file name must not drive the terminal."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in " ".join(str(text).split()))
