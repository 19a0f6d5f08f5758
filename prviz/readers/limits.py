"""How much a file may claim, checked before its data are read."""

from __future__ import annotations

from dataclasses import dataclass

from prviz.readers.errors import ReadError

__all__ = ["Limits", "check_claim", "human_size"]


@dataclass(frozen=True)
class Limits:
    """What a file may ask for.

    Parameters
    ----------
    max_bytes : most bytes that the samples may take in memory once read (float32 or float64).
    min_rows : fewest samples worth reading; whether they suffice for a given k is decided where k is known.
    max_header_bytes : longest directory or header, and the longest line of a text file.
    copied : whether values are always copied into memory, up to ``max_bytes``, so that whatever happens to the file
        later changes nothing; else those of a large .npy file are mapped, see `prviz.readers.npy.read_npy`.

    Raises
    ------
    ValueError : a limit below 1.
    """

    max_bytes: int = 2 * 1024**3
    min_rows: int = 3
    max_header_bytes: int = 16 * 1024**2
    copied: bool = False

    def __post_init__(self) -> None:
        for name in ("max_bytes", "min_rows", "max_header_bytes"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} = {getattr(self, name)}; at least 1 is needed")


def human_size(count: int) -> str:
    """``count`` bytes as text, e.g. ``"256.0 MiB"``."""
    size = float(count)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{count} bytes" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:,.1f} TiB" if size < 1e6 else "more than a million TiB"


def check_claim(where: str, claimed: int, limits: Limits) -> None:
    """Refuse what would take more memory than allowed.

    Raises
    ------
    ReadError : ``claimed`` bytes are more than ``limits.max_bytes``.
    """
    if claimed > limits.max_bytes:
        raise ReadError(
            f"{where}: claims {human_size(claimed)} of values, more than the limit of "
            f"{human_size(limits.max_bytes)}. Save a random subset of the rows, or float32 instead of "
            "float64."
        )
