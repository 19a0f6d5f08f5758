"""Limits on what a file may claim, checked before its data are read."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace

from prviz.readers.errors import ReadError, quoted

__all__ = ["EXPANSION_VARIABLE", "Limits", "check_claim", "check_columns", "check_keys", "human_size"]

# Environment variable with the default of `Limits.max_expansion`, for use from a shell.
EXPANSION_VARIABLE = "PRVIZ_MAX_EXPANSION"

# Bytes that the samples of any file may take, however small the file: 20,000 samples of 768 features in float32.
_ALWAYS = 64 * 1024**2


def _max_expansion() -> int:
    text = os.environ.get(EXPANSION_VARIABLE, "100")
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise ValueError(f"{EXPANSION_VARIABLE} = {quoted(text)}; a whole number such as 100 is needed")
    return int(text)


@dataclass(frozen=True)
class Limits:
    """Limits on what a file may claim.

    Parameters
    ----------
    max_bytes : most bytes that the samples may take in memory once read (float32 or float64).
    min_rows : fewest samples worth reading; whether they suffice for a given k is decided where k is known.
    max_header_bytes : longest directory or header, and the longest record of a text file.
    max_keys : most arrays of an .npz or .safetensors file.
    max_columns : most columns of a table (.csv, .tsv, .parquet, .feather).
    max_expansion : how many times larger than their file the samples may be, where they take more than 64 MiB:
        compression and repeated values let a few kilobytes claim gigabytes. The default is 100, or the number in the
        environment variable ``PRVIZ_MAX_EXPANSION``.
    copied : True if values are always copied into memory, up to ``max_bytes``, so that later changes of the file have
        no effect; else large .npy files are mapped, see `prviz.readers.npy.read_npy`.

    Raises
    ------
    ValueError : a limit below 1.
    """

    max_bytes: int = 2 * 1024**3
    min_rows: int = 3
    max_header_bytes: int = 16 * 1024**2
    max_keys: int = 10_000
    max_columns: int = 100_000
    max_expansion: int = field(default_factory=_max_expansion)
    copied: bool = False
    # Size of the file in bytes, set by the readers; 0: unknown, and `max_expansion` has no effect.
    file_bytes: int = field(default=0, repr=False)

    def __post_init__(self) -> None:
        for name in ("max_bytes", "min_rows", "max_header_bytes", "max_keys", "max_columns", "max_expansion"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} = {getattr(self, name)}; at least 1 is needed")

    @property
    def most_bytes(self) -> int:
        """Most bytes that the samples may take, by `max_bytes` and `max_expansion`."""
        expanded = max(_ALWAYS, self.max_expansion * self.file_bytes)
        return min(self.max_bytes, expanded) if self.file_bytes else self.max_bytes

    def of_file(self, size: int) -> Limits:
        """Limits for a file of ``size`` bytes, to which `max_expansion` refers."""
        return replace(self, file_bytes=size)


def human_size(count: int) -> str:
    """``count`` bytes as text, e.g. ``"256.0 MiB"``."""
    size = float(count)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{count} bytes" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:,.1f} TiB" if size < 1e6 else "more than a million TiB"


def check_claim(where: str, claimed: int, limits: Limits) -> None:
    """Refuse a claim of more memory than allowed.

    Raises
    ------
    ReadError : ``claimed`` bytes are more than ``limits.max_bytes``, or far more than the file itself has.
    """
    if claimed > limits.max_bytes:
        raise ReadError(
            f"{where}: claims {human_size(claimed)} of values, more than the limit of "
            f"{human_size(limits.max_bytes)}. Save a random subset of the rows, or float32 instead of "
            "float64."
        )
    if claimed > limits.most_bytes:
        needed = -(-claimed // limits.file_bytes)
        raise ReadError(
            f"{where}: claims {human_size(claimed)} of values, {needed} times the file itself; without being asked, "
            f"{human_size(limits.most_bytes)} of a file of this size are read. If it is meant, read it with "
            f"limits=prviz.readers.Limits(max_expansion={needed}), set {EXPANSION_VARIABLE}={needed} before prviz is "
            "started, or save the values as .npy."
        )


def check_keys(where: str, keys: int, limits: Limits) -> None:
    """Refuse a file of more than ``limits.max_keys`` arrays."""
    if keys > limits.max_keys:
        raise ReadError(
            f"{where}: more than {limits.max_keys:,} arrays. Are these the weights of a model? Save the embeddings "
            "as one array in a file of their own."
        )


def check_columns(where: str, columns: int, limits: Limits) -> None:
    """Refuse a table of more than ``limits.max_columns`` columns."""
    if columns > limits.max_columns:
        raise ReadError(
            f"{where}: more than {limits.max_columns:,} columns. Is this one line or row per sample? Save embeddings "
            "as wide as that as one .npy array."
        )
