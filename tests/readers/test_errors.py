"""Messages of errors, none of which is empty, ends in a colon or leaves out the file."""

from __future__ import annotations

import pytest

from prviz.readers import ReadError
from prviz.readers.errors import corrupt_unless_read, described, error_text, one_line
from tests.readers.answers import refusal


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("k = 0\nsecond line"), "k = 0"),
        (ValueError(""), "ValueError"),
        (MemoryError(), "not enough memory"),
        (
            OSError(2, "No space left on device", "/data/out.csv"),
            "/data/out.csv: No space left on device",
        ),
        (OSError(2, "No space left on device"), "No space left on device"),
        (OSError("port 80 can't be used\nx"), "port 80 can't be used"),
    ],
)
def test_the_first_line_with_the_file(error: Exception, text: str) -> None:
    assert error_text(error) == text


def test_a_type_without_a_message_has_no_colon() -> None:
    assert described(ZeroDivisionError()) == "ZeroDivisionError"
    assert described(KeyError("x")) == "KeyError: 'x'"


def test_what_a_broken_file_raises_is_told_in_one_sentence() -> None:
    def reading(error: Exception) -> None:
        with corrupt_unless_read("t", ValueError):
            raise error

    for error, words in ((ValueError("x"), "x"), (ValueError(), "ValueError")):
        refusal(error, rf"t: truncated or corrupt \('{words}'\)", by=reading)
    refusal(ReadError("own"), r"^own$", by=reading)
    assert one_line("a\n b\x1b[31m\u202e") == "a b\\x1b[31m\\x202e"
