"""Two densities that the user paints: any masses on the cells of a line or of a grid, uniform
inside each cell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from prviz.arrays import Array, Floats, Ints, Rng
from prviz.toys.base import CellMasses, Parameter, dimension

Amounts = tuple[float, ...]

LINE = 25
SIDE = 12

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
    """Round amounts to multiples of 1/20, so that a link to the painting needs few characters."""
    return tuple(
        round(float(value), 2)
        for value in np.round(np.asarray(values, dtype=float).ravel() * 20) / 20
    )


def _line(first: float, second: float) -> Amounts:
    """Amounts in the cells of a line that show two bumps of these heights."""
    x = (np.arange(LINE) + 0.5) / LINE
    return _amounts(
        first * np.exp(-0.5 * ((x - 0.28) / 0.09) ** 2)
        + second * np.exp(-0.5 * ((x - 0.72) / 0.09) ** 2)
    )


def _every(selects: Callable[[Ints], ArrayLike]) -> Amounts:
    """Amount 1 in those cells of a line whose index ``selects`` accepts, 0 in the others."""
    return _amounts(np.asarray(selects(np.arange(LINE)), dtype=float))


def _letter(drawn: str) -> Amounts:
    return _amounts([float(cell == "#") for cell in drawn if cell in ".#"])


def _disc(inner: float, outer: float) -> Amounts:
    """Amount 1 in the cells of a grid whose centre is ``inner`` to ``outer`` cells away from the
    middle of the grid, 0 in the others.
    """
    steps = np.arange(SIDE) - (SIDE - 1) / 2
    distance = np.hypot(steps[:, None], steps)
    return _amounts((distance >= inner) & (distance <= outer))


def _board(colour: int) -> Amounts:
    """Amount 1 in the fields of one colour (0 or 1) of a 4 x 4 checkerboard, 0 in the others."""
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


MOST_CELLS = 256
# Least distance of samples from the borders of their cell, as a share of its side. It is far above
# the rounding of a coordinate, so that no sample falls into a neighbouring cell without mass.
_MARGIN = 1e-12
_WEIGHTS = (
    f"One amount per cell, at least 0, up to {MOST_CELLS} cells; they are scaled to sum 1. For d ="
    " 1 from left to right; else row by row from the top of a square grid, so that their number is"
    " a square, such as 144."
)
_FIRST = next(iter(PAINTINGS.values()))


def cell_names(d: int, side: int) -> list[str]:
    """Text for the position of every cell, for `side` cells along each painted axis."""
    if d == 1:
        return [f"{cell / side:g} to {(cell + 1) / side:g}" for cell in range(side)]
    return [f"row {cell // side + 1}, column {cell % side + 1}" for cell in range(side * side)]


class Painted(CellMasses):
    """P and Q with masses p_c and q_c on cells c of the unit cube, uniform inside each cell.

    With d = 1 there are m cells of width 1 / m on [0, 1]. With d >= 2 the cells are a square grid,
    sqrt(m) x sqrt(m), on the first two features. Its rows are numbered from the top, where the
    second feature is near 1. Further features are uniform on [0, 1] in both sets. A cell includes
    its lower borders; the last cells also include the upper ones.
    """

    name = "painted"
    title = "A painting: any two densities, cell by cell"
    source = (
        "this package's own paintings; the curve of masses on cells: Sajjadi, Bachem, Lucic,"
        " Bousquet, Gelly 2018, section 3, Theorem 2"
    )
    summary = (
        "Real and generated data have any share you like in each cell of a line or of a square"
        " grid, and are even inside each cell. The curve follows from the shares alone, however"
        " hard the pattern is for an estimator."
    )
    specs = (
        dimension(1),
        Parameter("real_weights", "real amounts p", _FIRST[1], 0.0, 1.0, 0.05, _WEIGHTS, "weights"),
        Parameter(
            "generated_weights",
            "generated amounts q",
            _FIRST[2],
            0.0,
            1.0,
            0.05,
            _WEIGHTS,
            "weights",
        ),
    )
    presets = {
        name: {"d": d, "real_weights": p, "generated_weights": q}
        for name, (d, p, q) in PAINTINGS.items()
    }
    paper_n = 2_000

    def _check(self) -> None:
        real = len(self._weights("real_weights"))
        generated = len(self._weights("generated_weights"))
        if not 1 <= real <= MOST_CELLS or real != generated:
            raise ValueError(
                f"real_weights has {real} entries, generated_weights has {generated}; "
                f"one of each per cell is needed, for 1 to {MOST_CELLS} cells"
            )
        if self.d > 1 and math.isqrt(real) ** 2 != real:
            raise ValueError(
                f"real_weights has {real} entries; in d = {self.d} the cells make a square grid: a"
                " square number of them is needed, such as 25 or 144"
            )
        for name in ("real_weights", "generated_weights"):
            if not self._weights(name).sum() > 0:
                raise ValueError(f"{name} = all 0; at least one amount must be above 0")

    @property
    def side(self) -> int:
        """Number of cells along each painted axis."""
        cells = len(self._weights("real_weights"))
        if self.d == 1:
            return cells
        return math.isqrt(cells)

    def _draw(self, n: int, masses: Floats, rng: Rng) -> Array:
        side = self.side
        cells = rng.choice(len(masses), size=n, p=masses)
        z = rng.random((n, self.d))
        inside = np.clip(z[:, :2], _MARGIN, 1.0 - _MARGIN)
        z[:, 0] = (cells % side + inside[:, 0]) / side
        if self.d > 1:
            z[:, 1] = (side - 1 - cells // side + inside[:, 1]) / side
        return z

    def cell_of(self, z: Array) -> Ints:
        """Index of the cell of each row of z (m, d), -1 outside the unit cube."""
        side = self.side
        positions = np.searchsorted(np.arange(side + 1) / side, z[:, :2], side="right") - 1
        # Points on the upper border belong to the last cell.
        positions = np.minimum(positions, side - 1)
        if self.d == 1:
            cells = positions[:, 0]
        else:
            cells = positions[:, 0] + side * (side - 1 - positions[:, 1])
        return np.where(((z >= 0.0) & (z <= 1.0)).all(axis=1), cells, -1)

    def shares(self, z: Array) -> Floats:
        """Share of the rows of z (m, d) in each cell."""
        cells = self.cell_of(z)
        return np.bincount(cells[cells >= 0], minlength=len(self.masses[0])) / len(z)
