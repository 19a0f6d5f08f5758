"""Limits on pictures, checked before they are read."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PictureLimits"]


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
