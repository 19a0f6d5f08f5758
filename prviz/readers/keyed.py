"""Choice of the array that holds the samples in .npz and .safetensors files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from prviz.readers.arrays import Array, Header, check_header, fits, looks_like_images
from prviz.readers.errors import AmbiguousKeyError, ReadError, listed, quoted
from prviz.readers.limits import Limits

__all__ = ["KNOWN_KEYS", "KeyedFile", "choose_key", "find_roles", "required_roles"]

KNOWN_KEYS = ("feats", "reps", "real_feats", "features", "embeddings", "pool_3", "x", "X")
_REAL = re.compile(r"(real|ref|reference)(_(feats|features|reps|embeddings))?", re.IGNORECASE)
_GENERATED = re.compile(r"(fake|gen|generated|sample)(_(feats|features|reps|embeddings))?", re.IGNORECASE)
_STATISTICS = re.compile(r"(mu|sigma)(_s)?")


class KeyedFile(Protocol):
    """A file of named arrays, whose headers can be read without their values."""

    where: str
    keys: Sequence[str]

    def header(self, key: str) -> Header:
        """Header of one array. Raises `ReadError` if it is corrupt or no array."""
        ...

    def values(self, key: str, limits: Limits) -> Array:
        """The checked (n, d) values of one array; nothing else is read."""
        ...


def _fits(file: KeyedFile, key: str) -> bool:
    try:
        return fits(file.header(key))
    except ReadError:
        return False


def _refuse_statistics(file: KeyedFile) -> ReadError:
    return ReadError(
        f"{file.where}: FID statistics (mu and sigma), no samples in it. A mean and a covariance do not "
        "determine "
        "a precision-recall curve: save the embeddings that they were computed from."
    )


def _has_statistics(file: KeyedFile) -> bool:
    return "mu" in file.keys and "sigma" in file.keys


def find_roles(file: KeyedFile) -> tuple[str, str] | None:
    """Keys of the real and of the generated samples if the file has exactly one of each, else None."""
    real = [key for key in file.keys if _REAL.fullmatch(key) and _fits(file, key)]
    generated = [key for key in file.keys if _GENERATED.fullmatch(key) and _fits(file, key)]
    return (real[0], generated[0]) if len(real) == len(generated) == 1 else None


def required_roles(file: KeyedFile) -> tuple[str, str]:
    """`find_roles`, with an error that lists the needed and the existing keys instead of None."""
    found = find_roles(file)
    if found is None:
        raise ReadError(
            f"{file.where}: not one array of real and one of generated samples. Name them 'real' (or ref, "
            "reference) "
            f"and 'generated' (or fake, gen, sample), or say which keys they are. It has: {_contents(file)}."
        )
    return found


def choose_key(file: KeyedFile, key: str | None) -> str:
    """Key to read: the given one, else the only array that can be the samples.

    Raises
    ------
    AmbiguousKeyError : several fit.
    ReadError : the given one is missing, both roles are there, or none fits.
    """
    if not file.keys:
        raise ReadError(f"{file.where}: holds no arrays. Save the embeddings as a 2-D array, one row per sample.")
    if key is not None:
        return _given_key(file, key)
    pair = find_roles(file)
    if pair is not None:
        raise AmbiguousKeyError(
            f"{file.where}: holds both real ({quoted(pair[0])}) and generated ({quoted(pair[1])}) "
            "samples. Read both "
            f"with prviz.readers.read_pair(...), or one of them with key={quoted(pair[0])}.",
            pair,
        )
    statistics = _has_statistics(file)
    keys = [name for name in file.keys if not (statistics and _STATISTICS.fullmatch(name))]
    known = [name for name in KNOWN_KEYS if name in keys]
    for group in (known, [name for name in keys if name not in known]):
        fitting = [name for name in group if _fits(file, name)]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise AmbiguousKeyError(
                f"{file.where}: several arrays could be the samples: {listed(fitting)}. Choose one with key=...",
                fitting,
            )
    raise _refuse_contents(file, keys, known)


def _given_key(file: KeyedFile, key: str) -> str:
    if key not in file.keys:
        raise ReadError(f"{file.where}: has no key {quoted(key)}. It has: {listed(file.keys)}.")
    if _has_statistics(file) and _STATISTICS.fullmatch(key):
        raise _refuse_statistics(file)
    return key


def _refuse_contents(file: KeyedFile, keys: Sequence[str], known: Sequence[str]) -> ReadError:
    """Error for a file without a table of samples, by the most telling reason."""
    images = [key for key in keys if _is_images(file, key)]
    if not images and _has_statistics(file):
        return _refuse_statistics(file)
    likely = [*images, *known, *(keys if len(keys) == 1 else ())]
    if likely:
        try:
            check_header(file.header(likely[0]), Limits())
        except ReadError as error:
            return error
    return ReadError(
        f"{file.where}: none of its arrays is a 2-D table of real numbers. It has: {_contents(file)}. "
        "Save the embeddings as (n, d), one row per sample."
    )


def _is_images(file: KeyedFile, key: str) -> bool:
    try:
        return looks_like_images(file.header(key))
    except ReadError:
        return False


def _contents(file: KeyedFile) -> str:
    parts = []
    for key in file.keys[:10]:
        try:
            header = file.header(key)
            parts.append(f"{quoted(key)} ({header.dtype_name}, {len(header.shape)}-D)")
        except ReadError:
            parts.append(f"{quoted(key)} (unreadable)")
    more = len(file.keys) - len(parts)
    return ", ".join(parts) + (f" and {more} more" if more else "")
