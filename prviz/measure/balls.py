"""Radii of k-nearest-neighbour balls and the check of k, for all scalars that come from such
balls.
"""

from __future__ import annotations

import numpy as np

from prviz.arguments import checked_whole
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


def check_neighbours(name: str, value: int, n: int, whose: str = "smaller") -> None:
    """Raise TypeError or ValueError unless ``value`` is an integer from 1 to n - 1, the number of
    other samples in the ``whose`` set.
    """
    if n < 2:
        raise ValueError(f"{name} = {value} with a single sample; at least 2 are needed")
    checked_whole(name, value, 1, n - 1, f", one less than the {whose} set,")
