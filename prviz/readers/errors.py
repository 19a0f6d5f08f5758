"""Errors of the readers, and how any error is shown as text."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from prviz.quoting import beside, listed, literal, quoted

# Names in messages are quoted by `prviz.quoting`; readers import its functions from this module.
__all__ = [
    "AmbiguousKeyError",
    "EmptyCellError",
    "ReadError",
    "SuspectColumnsError",
    "TextColumnError",
    "beside",
    "beside_other_parsers",
    "corrupt_unless_read",
    "described",
    "error_text",
    "listed",
    "literal",
    "one_line",
    "printable",
    "quoted",
]

T = TypeVar("T")


class ReadError(ValueError):
    """Raised if a file can't be read as samples; the message says what it is, where, and what to do
    instead.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        # Attributes are set in the order of the constructor's arguments.
        return type(self), (str(self), *vars(self).values())


class AmbiguousKeyError(ReadError):
    """Raised if several arrays of one file could be the samples; pass one of ``choices`` as
    ``key``.
    """

    choices: tuple[str, ...]

    def __init__(self, message: str, choices: Iterable[str]) -> None:
        super().__init__(message)
        self.choices = tuple(choices)


class SuspectColumnsError(ReadError):
    """Raised if ``columns`` of a table look like no features; pass them as ``drop``, or the
    features as ``columns``.
    """

    columns: tuple[str, ...]

    def __init__(self, message: str, columns: Iterable[str]) -> None:
        super().__init__(message)
        self.columns = tuple(columns)


class EmptyCellError(ReadError):
    """Raised for an empty cell; ``column`` is the index of its column."""

    column: int

    def __init__(self, message: str, column: int) -> None:
        super().__init__(message)
        self.column = column


class TextColumnError(ReadError):
    """Raised for a column of texts among the features; ``column`` is its name."""

    column: str

    def __init__(self, message: str, column: str) -> None:
        super().__init__(message)
        self.column = column


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
            f"{where}: truncated or corrupt ({detail}). Write it again, or copy it again if it was"
            " copied."
        ) from error


def error_text(error: BaseException) -> str:
    """One line about an error, never empty: the first line of its message; the file and the reason
    of a system error; the type of an error without a message.
    """
    if isinstance(error, OSError) and error.strerror:
        if error.filename is None:
            return error.strerror
        return f"{error.filename}: {error.strerror}"
    words = "not enough memory"
    if not isinstance(error, MemoryError):
        words = type(error).__name__
    return str(error).strip().partition("\n")[0] or words


def described(error: BaseException) -> str:
    """An error's type and message, as in "ZeroDivisionError: division by zero"; the type alone if
    it has no message.
    """
    return f"{type(error).__name__}: {error}".rstrip(": ")


def one_line(text: object) -> str:
    """Foreign text on one line, without control characters: a file name must not drive the
    terminal.
    """
    return printable(" ".join(str(text).split()))


def printable(text: str) -> str:
    """Foreign text without control characters; spaces stay as they are."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def beside_other_parsers(read: Callable[[], T]) -> T:
    """The result of ``read``, which makes a syntax tree, as NumPy does for the header of an array.

    In Python 3.11, two threads that make one at once may get a SystemError, as pages of the app
    did: ``read`` is then called again after a pause.
    """
    for seconds in (0.0, 0.01, 0.1, 0.5):
        try:
            return read()
        except SystemError:
            time.sleep(seconds)
    return read()
