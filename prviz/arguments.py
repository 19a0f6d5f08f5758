"""Checks of arguments of Python's calls; every message says what was given and what is needed."""

from __future__ import annotations

import math
import os
import reprlib
from collections.abc import Callable
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
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
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


def checked_whole(name: str, value: object, low: int) -> int:
    """``value`` as an integer of at least ``low``; raises as `checked_number`."""
    text = f"{name} = {reprlib.repr(value)}; an integer from {low} is needed"
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(text)
    if value < low:
        raise ValueError(text)
    return int(value)


def checked_floats(name: str, values: ArrayLike, needed: str) -> Floats:
    """A new array of ``values``; ValueError for anything but real numbers."""
    try:
        if not np.iscomplexobj(values):
            return np.array(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError(f"{name} = {reprlib.repr(values)}; {needed} are needed")


def checked_path(name: str, value: Any) -> Path:
    """``value`` as a path; TypeError for anything but a text, bytes or an `os.PathLike`."""
    try:
        return Path(os.fsdecode(value))
    except TypeError:
        raise TypeError(f"{name} = {reprlib.repr(value)}; a path is needed") from None
