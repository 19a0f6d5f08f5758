"""Warnings about samples, for users who call prviz from Python."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

_PACKAGE = str(Path(__file__).parent)
# The app's folder: beside the package in a checkout, inside it once installed.
_APP = str(Path(__file__).parent.parent / "pages" / "_")
# Decorators in this file add frames between a public function and its caller.
_DECORATORS = str(Path(__file__).parent / "measure" / "spelling.py")
# (digest of a pair, text) of the warnings issued so far, the oldest first: none is issued twice.
_said: dict[tuple[str, str], None] = {}
_MOST_SAID = 10_000


class PrvizWarning(UserWarning):
    """Something about the samples that changes what a number means.

    Each warning is issued once per pair of sample sets. ``warnings.simplefilter("ignore",
    prviz.PrvizWarning)`` silences all.
    """


def from_outside() -> bool:
    """True if user code called the public function that is running. Call `from_outside` only from a
    function that a public function calls directly.
    """
    frame = sys._getframe(2).f_back
    while frame is not None and frame.f_code.co_filename == _DECORATORS:
        frame = frame.f_back
    return frame is None or not frame.f_code.co_filename.startswith((_PACKAGE, _APP))


def warn(digest: str, text: str) -> None:
    """Issue a `PrvizWarning` at the caller's line outside prviz, once for each digest and text."""
    if (digest, text) in _said:
        return
    if len(_said) >= _MOST_SAID:
        del _said[next(iter(_said))]
    _said[digest, text] = None
    level = 1
    frame = sys._getframe(1)
    # Code that `dataclass` generates, such as a constructor, has the file name "<string>".
    while frame.f_back is not None and frame.f_code.co_filename.startswith((_PACKAGE, "<string>")):
        level += 1
        frame = frame.f_back
    warnings.warn(text, PrvizWarning, stacklevel=level + 1)
