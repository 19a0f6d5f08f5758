"""Radii of k-nearest-neighbour balls and the check of k, for all scalars that come from such
balls.
"""

from __future__ import annotations

import numpy as np

from prviz.arrays import Array, Floats
from prviz.neighbors import nearest_radii


def own_radii(values: Array, k: int) -> Floats:
    """Distance from each sample to its k-th nearest other sample of the same set: (n,)."""
    return nearest_radii(values, np.arange(len(values)), k)


def open_radii(radii: Floats) -> Floats:
    """Radii with which closed balls contain the same points as open balls with ``radii``: the next
    smaller floats, which are negative for 0.
    """
    return np.nextafter(radii, -np.inf)


def check_integer(name: str, value: int, largest: int | None = None, why: str = "") -> None:
    """Raise TypeError or ValueError unless ``value`` is an integer from 1 to ``largest``. The
    message gives ``why``, the reason for this limit.
    """
    span = "from 1"
    if largest is not None:
        span = f"from 1 to {largest}, {why},"
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} = {value!r}; an integer {span} is needed")
    if largest is not None and largest < 1:
        raise ValueError(f"{name} = {value} with a single sample; at least 2 are needed")
    if value < 1 or (largest is not None and value > largest):
        raise ValueError(f"{name} = {value}; an integer {span} is needed")
