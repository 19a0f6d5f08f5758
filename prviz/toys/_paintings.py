"""Example paintings: amounts per cell of P and Q, in steps of 1/20."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["PAINTINGS"]

Floats = NDArray[np.float64]
Amounts = tuple[float, ...]

LINE, SIDE = 25, 12

_LETTER_P = """
............
..######....
..#######...
..##...##...
..##...##...
..#######...
..######....
..##........
..##........
..##........
..##........
............
"""
_LETTER_Q = """
............
...#####....
..#######...
..##...##...
..##...##...
..##...##...
..##...##...
..##.#.##...
..##.####...
..#######...
...####.##..
............
"""


def _amounts(values: ArrayLike) -> Amounts:
    """Values rounded to steps of 1/20, so that a link holds them in few characters."""
    return tuple(round(float(value), 2) for value in np.round(np.asarray(values, dtype=np.float64).ravel() * 20) / 20)


def _line(first: float, second: float) -> Amounts:
    """Amounts of two bumps of these heights on the line."""
    x = (np.arange(LINE) + 0.5) / LINE
    return _amounts(first * np.exp(-0.5 * ((x - 0.28) / 0.09) ** 2) + second * np.exp(-0.5 * ((x - 0.72) / 0.09) ** 2))


def _every(selects: Callable[[NDArray[np.intp]], ArrayLike]) -> Amounts:
    """Equal amounts in the cells of the line whose number is selected."""
    return _amounts(np.asarray(selects(np.arange(LINE)), dtype=np.float64))


def _letter(drawn: str) -> Amounts:
    return _amounts([float(cell == "#") for cell in drawn if cell in ".#"])


def _disc(inner: float, outer: float) -> Amounts:
    """Equal amounts in the cells whose centre is ``inner`` to ``outer`` cells from the middle of the grid."""
    steps = np.arange(SIDE) - (SIDE - 1) / 2
    distance = np.hypot(steps[:, None], steps)
    return _amounts((distance >= inner) & (distance <= outer))


def _board(colour: int) -> Amounts:
    """Equal amounts in the fields of one colour of a 4 x 4 board."""
    field = np.arange(SIDE) // 3
    return _amounts((field[:, None] + field) % 2 == colour)


PAINTINGS: Mapping[str, tuple[int, Amounts, Amounts]] = MappingProxyType(
    {
        "Dropped mode": (1, _line(1.0, 1.0), _line(1.0, 0.0)),
        "Wrong weights": (1, _line(1.0, 0.5), _line(0.3, 1.0)),
        "Holes": (1, _every(lambda i: i >= 0), _every(lambda i: i % 6 < 4)),
        "Comb": (1, _every(lambda i: i >= 0), _every(lambda i: i % 2 == 0)),
        "Ring in a disc": (2, _disc(0.0, 5.0), _disc(3.0, 5.0)),
        "P and Q": (2, _letter(_LETTER_P), _letter(_LETTER_Q)),
        "Checkerboard": (2, _board(0), _board(1)),
    }
)
"""Dimension, amounts of P and amounts of Q by name, as `Painted` takes them."""
