"""Checks of arguments of Python's calls; every message says what was given and what is needed."""

from __future__ import annotations

import math
import os
import reprlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from prviz.arrays import Floats


def checked_number(
    name: str, value: object, needed: str, accepted: Callable[[float], bool]
) -> float:
    """``value`` as a float.

    Raises TypeError for anything but a number, and ValueError for one that is not accepted.
    """
    text = f"{name} = {reprlib.repr(value)}; {needed} is needed"
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(text)
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
        if value < 0:
            found = -math.inf
    if not accepted(found):
        raise ValueError(text)
    return found


def checked_positive(name: str, value: object) -> float:
    """``value`` as a positive float, which may be infinite; raises as `checked_number`."""
    return checked_number(name, value, "a positive number", lambda found: found > 0)


def checked_share(name: str, value: object, why: str = "") -> float:
    """``value`` as a float between 0 and 1; ``why`` and errors as in `checked_whole`."""
    needed = f"a share between 0 and 1 (both excluded){why}"
    return checked_number(name, value, needed, lambda found: 0 < found < 1)


def checked_whole(name: str, value: object, low: int, high: float = math.inf, why: str = "") -> int:
    """``value`` as an integer from ``low`` to ``high``; raises as `checked_number`.

    why : what the message says behind these limits: their reason, or what else is accepted.
    """
    most = f" to {high:,}" if high < math.inf else ""
    text = f"{name} = {reprlib.repr(value)}; an integer from {low}{most}{why} is needed"
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(text)
    found = int(value)
    if not low <= found <= high:
        raise ValueError(text)
    return found


def checked_choice(name: str, value: object, known: Iterable[str]) -> str:
    """``value`` if it is one of the ``known`` texts; ValueError for anything else."""
    names = list(known)
    if isinstance(value, str) and value in names:
        return value
    raise ValueError(f"{name} = {reprlib.repr(value)}; one of {', '.join(names)} is needed")


def checked_list(
    name: str, values: object, needed: str, accepted: Callable[[object], bool] = lambda _: True
) -> list[Any]:
    """``values``, which may come one by one, as a list; TypeError for a single value or text, for a
    mapping, whose values would be lost, and for an entry that is not accepted.
    """
    if isinstance(values, Iterable) and not isinstance(values, str | bytes | Mapping):
        found = list(values)
        if all(map(accepted, found)):
            return found
    raise TypeError(f"{name} = {reprlib.repr(values)}; a list of {needed} is needed")


def checked_floats(name: str, values: ArrayLike, needed: str) -> Floats:
    """A new array of ``values``; TypeError for anything but real numbers."""
    with suppress(TypeError, ValueError):
        found = np.asarray(values)
        if found.dtype.kind in "fiub":
            return np.array(found, dtype=float)
    raise TypeError(f"{name} = {reprlib.repr(values)}; {needed} are needed")


def checked_path(name: str, value: Any) -> Path:
    """``value`` as a path; TypeError for anything but a text, bytes or an `os.PathLike`."""
    try:
        return Path(os.fsdecode(value))
    except TypeError:
        raise TypeError(f"{name} = {reprlib.repr(value)}; a path is needed") from None
