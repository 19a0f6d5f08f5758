"""Messages of errors, none of which is empty, ends in a colon or leaves out the file."""

from __future__ import annotations

import errno

import pytest

from prviz.readers.errors import described, error_text


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("k = 0\nsecond line"), "k = 0"),
        (ValueError(""), "ValueError"),
        (MemoryError(), "not enough memory"),
        (
            OSError(errno.ENOSPC, "No space left on device", "/data/out.csv"),
            "/data/out.csv: No space left on device",
        ),
        (OSError(errno.ENOSPC, "No space left on device"), "No space left on device"),
        (OSError("port 80 can't be used"), "port 80 can't be used"),
    ],
)
def test_the_first_line_with_the_file(error: Exception, text: str) -> None:
    assert error_text(error) == text


def test_a_type_without_a_message_has_no_colon() -> None:
    assert described(ZeroDivisionError()) == "ZeroDivisionError"
    assert described(KeyError("x")) == "KeyError: 'x'"
