"""The colour of each curve in all figures: families have fixed colours, other curves get colours
that are left over.
"""

from __future__ import annotations

import colorsys
from collections.abc import Iterable, Sequence

from prviz.estimators import ESTIMATORS

# Okabe and Ito's colour-blind-safe hues. Orange, vermillion and sky blue are darkened so that every
# colour has a contrast of at least 3:1 on white and on the dark page, rgb(14, 17, 23). Vermillion
# is darkened further, to stay apart from orange under simulated protanopia and deuteranopia.
FAMILY_COLORS = {
    "knn": "#0072B2",
    "kde": "#C48A00",
    "ipr": "#B84A00",
    "coverage": "#009E73",
    "hub": "#CC79A7",
    "cluster": "#8C6D31",
    "classifier": "#E0457B",
    "classifier-boosting": "#0F8F9C",
    "classifier-mlp": "#5B7FFF",
    "tightest": "#6642F5",
    "eas": "#9B4B4B",
    "prc": "#A72AA2",
    "ppr": "#E42FF4",
}
# Colours for curves that are not families. They are used first, then the colours of families that
# are not drawn.
SPARE_COLORS = ("#3A9AD6",)


def colors(names: Iterable[str]) -> dict[str, str]:
    """Colour of each named curve; no two are the same.

    A family always has its own colour. Other names get the palette's unused colours and, when these
    are used up, further hues of equal brightness.
    """
    known = list(dict.fromkeys(names))
    # A family with changed parameters has the family's colour, unless the family itself is drawn
    # too.
    drawn = {_family(name): name for name in reversed(known)} | dict(zip(known, known, strict=True))
    own = {drawn[family]: color for family, color in FAMILY_COLORS.items() if family in drawn}
    others = [name for name in known if name not in own]
    left = [color for family, color in FAMILY_COLORS.items() if family not in drawn]
    # The spare blue is close to the colour of kNN, so it comes last if no family is drawn.
    unused = [*SPARE_COLORS, *left] if own else [*left, *SPARE_COLORS]
    more = map(_further_color, range(len(others) - len(unused)))
    given = own | dict(zip(others, [*unused, *more], strict=False))
    return {name: given[name] for name in known}


def _family(name: str) -> str:
    """The name of a family without parameters; any other name is returned unchanged."""
    if name in ESTIMATORS:
        return name.partition(":")[0]
    return name


# Relative luminance that has about the same contrast to a white page and to the dark one.
_FURTHER_LUMINANCE = 0.19
_GOLDEN = 0.6180339887498949


def _further_color(index: int) -> str:
    """A further colour: its hue is far from those of smaller indices, and its contrast is at least
    3:1 on the white and on the dark page.
    """
    low = 0.0
    high = 1.0
    for _ in range(20):
        lightness = (low + high) / 2
        levels = colorsys.hls_to_rgb((0.05 + index * _GOLDEN) % 1.0, lightness, 0.6)
        low, high = (
            (lightness, high) if luminance(levels) < _FURTHER_LUMINANCE else (low, lightness)
        )
    return "#" + "".join(f"{round(255 * level):02X}" for level in levels)


def luminance(levels: Sequence[float]) -> float:
    """Relative luminance of red, green and blue in [0, 1], from which WCAG 2.2 defines contrast."""
    linear = [
        level / 12.92 if level <= 0.04045 else ((level + 0.055) / 1.055) ** 2.4 for level in levels
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
