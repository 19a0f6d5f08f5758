"""What prviz says about samples beside a number, to whoever calls it from Python."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

_PACKAGE = str(Path(__file__).parent)
# The app's own folder, which lies beside the package in a checkout and inside it where it is
# installed.
_APP = str(Path(__file__).parent.parent / "pages" / "_")
# Frames of decorators stand between a public function and its caller.
_DECORATORS = str(Path(__file__).parent / "measure" / "spelling.py")
# Digests of pairs and what was said of them, so that each is said once; oldest first.
_said: dict[tuple[str, str], None] = {}
_MOST_SAID = 10_000


class PrvizWarning(UserWarning):
    """Something about the samples that changes what a number means.

    Each is said once for a pair of sample sets. ``warnings.simplefilter("ignore",
    prviz.PrvizWarning)`` silences all.
    """


def from_outside() -> bool:
    """True if the public function that called the caller of this one was itself called from outside
    prviz.
    """
    frame = sys._getframe(2).f_back
    while frame is not None and frame.f_code.co_filename == _DECORATORS:
        frame = frame.f_back
    return frame is None or not frame.f_code.co_filename.startswith((_PACKAGE, _APP))


def warn(digest: str, text: str) -> None:
    """Issue a `PrvizWarning` at the first line outside prviz that led here, once for each digest
    and text.
    """
    if (digest, text) in _said:
        return
    if len(_said) >= _MOST_SAID:
        del _said[next(iter(_said))]
    _said[digest, text] = None
    level = 1
    frame = sys._getframe(1)
    # a dataclass's constructor is in "<string>"
    while frame.f_back is not None and frame.f_code.co_filename.startswith((_PACKAGE, "<string>")):
        level += 1
        frame = frame.f_back
    warnings.warn(text, PrvizWarning, stacklevel=level + 1)
