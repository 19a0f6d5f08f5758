"""Names beside points, where there is room for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from prviz.figures import theme

__all__ = ["placed_names", "short_name"]

# Pixels of a letter's width, a line's height, half a point, and the side of a small plot.
_LETTER, _LINE, _POINT, _SIDE = 6.5, 14.0, 6.0, 300.0
_LONGEST = 16


class _Box(NamedTuple):
    left: float
    bottom: float
    right: float
    top: float

    def meets(self, other: _Box) -> bool:
        across = self.left < other.right and other.left < self.right
        return across and self.bottom < other.top and other.bottom < self.top

    @property
    def inside(self) -> bool:
        return min(self.left, self.bottom) >= 0 and max(self.right, self.top) <= _SIDE


def short_name(name: str) -> str:
    """Foreign text as Plotly shows it, its end kept: names of a list differ there."""
    return theme.plain(name if len(name) <= _LONGEST else f"…{name[1 - _LONGEST :]}")


def placed_names(
    names: Sequence[str], points: NDArray[np.float64], ends: Sequence[float]
) -> tuple[list[str], list[str]]:
    """(text, position) for each point: nothing that would cover another point or text; "" where there is no room.

    The first and the last come first, then the others in their order.

    points : (n, 2) in a square plot whose axes both reach from ends[0] to ends[1].
    """
    places = _SIDE * (points - ends[0]) / (ends[1] - ends[0])
    taken = [_Box(x - _POINT, y - _POINT, x + _POINT, y + _POINT) for x, y in places]
    texts, sides = [""] * len(names), ["top center"] * len(names)
    for index in sorted(range(len(names)), key=lambda i: (i not in (0, len(names) - 1), i)):
        width = _LETTER * min(len(names[index]), _LONGEST)
        for side, box in _around(float(places[index, 0]), float(places[index, 1]), width):
            if box.inside and not any(box.meets(other) for other in taken):
                texts[index], sides[index] = short_name(names[index]), side
                taken.append(box)
                break
    return texts, sides


def _around(x: float, y: float, width: float) -> Iterator[tuple[str, _Box]]:
    """Possible positions of a text, with their boxes."""
    away = _POINT + 2
    yield "middle right", _Box(x + away, y - _LINE / 2, x + away + width, y + _LINE / 2)
    yield "middle left", _Box(x - away - width, y - _LINE / 2, x - away, y + _LINE / 2)
    yield "top center", _Box(x - width / 2, y + away, x + width / 2, y + away + _LINE)
    yield "bottom center", _Box(x - width / 2, y - away - _LINE, x + width / 2, y - away)
