"""Limits on pictures, checked before they are read, on their paths, and the errors."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

__all__ = ["MediaError", "MissingPictureError", "PictureLimits", "end_alike", "plain_path"]


class MediaError(ValueError):
    """Raised for a picture or source that can't be used; the message says what is wrong, where, and what to do."""


class MissingPictureError(MediaError):
    """Raised if a source has no picture of this name; another source may have it."""


# Most characters of a part of a path on file systems. Longer parts are not normalised, which takes quadratic time.
_LONGEST_PART = 255


def plain_path(name: str) -> str:
    """`name` as a path inside an archive: without a root, empty parts, and the parts before the last ``..``.

    Backslashes become slashes and accented letters their composed form (NFC); case is kept.
    """
    parts = name.replace("\\", "/").split("/")
    above = max((i + 1 for i, part in enumerate(parts) if part == ".."), default=0)
    kept = (part for part in parts[above:] if part not in ("", "."))
    return "/".join(unicodedata.normalize("NFC", part) if len(part) <= _LONGEST_PART else part for part in kept)


def end_alike(path: str, other: str) -> bool:
    """True if one of two plain paths is the end of the other."""
    return f"/{path}".endswith(f"/{other}") or f"/{other}".endswith(f"/{path}")


@dataclass(frozen=True)
class PictureLimits:
    """Limits on a source of pictures.

    Parameters
    ----------
    entries : most files in a zip archive.
    file_bytes : most bytes of one picture file, uncompressed.
    ratio : largest expansion of a file of more than `small_bytes` in an archive. Pictures are compressed already: a
        file that shrinks far more is no picture, or a flat one.
    small_bytes : bytes up to which the ratio is not checked.

    Raises
    ------
    ValueError : a limit below 1.
    """

    entries: int = 100_000
    file_bytes: int = 32 * 1024**2
    ratio: int = 100
    small_bytes: int = 1024**2

    def __post_init__(self) -> None:
        for name in ("entries", "file_bytes", "ratio", "small_bytes"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} = {getattr(self, name)}; at least 1 is needed")
