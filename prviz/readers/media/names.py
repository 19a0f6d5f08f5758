"""Names of pictures in tables, and their comparison with paths in archives."""

from __future__ import annotations

import unicodedata

__all__ = ["end_alike", "plain_path"]


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
