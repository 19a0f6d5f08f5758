"""Docstrings of the public names: sections that numpydoc can read, for every parameter and
result.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from numpydoc.validate import validate

import prviz

# No docstring or summary, no full stop; a parameter that is missing, unknown, without type or
# description; no result.
CHECKS = {"GL08", "SS01", "SS03", "PR01", "PR02", "PR04", "PR07", "PR09", "RT01", "RT03"}


def public() -> Iterator[str]:
    """Paths of all public functions and classes, and of the public methods of the latter."""
    for name in prviz.__all__:
        value = getattr(prviz, name)
        if not callable(value):
            continue
        home = f"{value.__module__}.{value.__qualname__}"
        yield home
        if inspect.isclass(value):
            yield from (
                f"{home}.{key}"
                for key in vars(value)
                if not key.startswith("_") and callable(getattr(value, key))
            )


def test_the_docstrings_of_public_names_are_whole() -> None:
    wrong = [
        f"{path}: {text}"
        for path in public()
        for code, text in validate(path)["errors"]
        if code in CHECKS
    ]
    assert not wrong, "\n".join(wrong)
