"""Names of pictures as they stand in tables, and paths in archives: when the two mean the same."""

from __future__ import annotations

import unicodedata

__all__ = ["end_alike", "plain_path"]


# Characters of the longest part of a path that file systems take. Longer ones are left as they are: putting letters
# together takes time with the square of their length.
_LONGEST_PART = 255


def plain_path(name: str) -> str:
    """`name` as a path inside an archive: without a root, empty parts, and what stands before the last ``..``.

    Backslashes are slashes, and letters with accents are the same however they are put together; case is kept.
    """
    parts = name.replace("\\", "/").split("/")
    above = max((i + 1 for i, part in enumerate(parts) if part == ".."), default=0)
    kept = (part for part in parts[above:] if part not in ("", "."))
    return "/".join(unicodedata.normalize("NFC", part) if len(part) <= _LONGEST_PART else part for part in kept)


def end_alike(path: str, other: str) -> bool:
    """Whether one of two plain paths is the end of the other."""
    return f"/{path}".endswith(f"/{other}") or f"/{other}".endswith(f"/{path}")
