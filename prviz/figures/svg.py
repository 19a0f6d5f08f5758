"""The precision-recall figure as SVG for slides and papers.

The drawing has a title, the settings, and beside each curve its name and IoU.
"""

from __future__ import annotations

import base64
import itertools
import textwrap
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple, Unpack

import numpy as np
from numpy.typing import ArrayLike

from prviz.arrays import Flags, Points
from prviz.curves import Comparison, NamedCurves, PRCurve
from prviz.curves.refuted import is_refuted
from prviz.curves.summaries import NO_AREA
from prviz.figures import theme
from prviz.figures.labels import LETTER, Line, place_labels
from prviz.figures.pr import BOUND_LABEL, Beside, limit_label

# The embedded font, then similar fonts for programs that ignore embedded ones (Inkscape, office
# programs).
FONT = "'prviz Sans', Helvetica, Arial, 'Liberation Sans', Arimo, sans-serif"
INK = "#1f2430"
SOFT = "#5b6472"
RULE = "#d5d9e0"
# Pixels: height of the drawing; its width as a square and at 16:9; side of the plot; distance of
# the plot from the left and the top edge.
HEIGHT = 900
SQUARE = 900
WIDE = 1600
SIDE = 690
LEFT = 110
TOP = 126
END = 1.02  # upper end of both axes
LABEL = 20  # height of a curve name's letters in pixels
_BOLD = 'font-weight="bold"'
_MIDDLE = 'text-anchor="middle"'


class _DrawnLine(NamedTuple):
    """A line, the text beside it, its colour (ink), and its further SVG attributes (look)."""

    text: str
    points: Points
    ink: str
    look: str = ""


def pr_svg(
    curves: NamedCurves,
    *,
    title: str,
    subtitle: str = "",
    wide: bool = False,
    **beside: Unpack[Beside],
) -> str:
    """An SVG drawing 900 pixels high that embeds its font and needs no script and no network.

    Parameters
    ----------
    curves : estimates by name, in drawing order. Beside each is its IoU with the truth, or its area
        if there is no truth.
    title, subtitle : plain text above the plot; the subtitle has up to three lines.
    wide : True for 16:9, with a column of IoUs and bars of excess and deficit; False for a square.
    **beside : see `prviz.figures.pr.Beside`.
    """
    width = WIDE if wide else SQUARE
    color = theme.colors(curves)
    symbol = theme.symbols(curves)
    compared = _compared(curves, beside.get("truth"))
    lines = dict[str, _DrawnLine]()
    for name, curve in curves.items():
        number = f"IoU {compared[name].iou:.2f}" if compared else f"AuC {curve.auc:.2f}"
        words = (theme.title(name), number, (beside.get("notes") or {}).get(name))
        lines[name] = _DrawnLine(", ".join(filter(None, words)), _points(curve), color[name])
    lines |= _others(beside, color)
    parts = [*_heading(title, subtitle, width), *_axes(), *_areas(beside, color)]
    for place, (name, line) in enumerate(lines.items()):
        hover = line.text
        if name in compared:
            of = compared[name]
            hover += f"; excess {of.excess:.2f}, deficit {of.deficit:.2f}"
        look = f'fill="none" stroke-linejoin="round" stroke="{line.ink}"{line.look}'
        drawn = _path(line.points, look)
        if name in curves:
            refuted = _is_beyond(curves[name], beside.get("bound"))
            stroke = theme.curve_line(name, line.ink)["width"] + 0.5
            drawn = _with_thin(line.points, refuted, look, stroke)
            drawn += _marks(line.points, refuted, symbol[name], line.ink, place)
        parts.append(f"<g><title>{theme.plain(hover, 200)}</title>{drawn}</g>")
    corner = np.array([LEFT, TOP])
    named = {name: Line(line.points - corner, line.text) for name, line in lines.items()}
    for name, (box, anchor) in place_labels(named, (SIDE, SIDE), LABEL, leaders=True).items():
        text, _, ink, _ = lines[name]
        parts += _label(text, box + np.tile(corner, 2), anchor + corner, ink)
    if wide:
        parts += _column(curves, compared, color)
    texts = "; ".join(theme.plain(line.text) for line in lines.values())
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT}" viewBox="0 0'
        f' {width} {HEIGHT}" font-family="{FONT}" role="img"><title>{theme.plain(title)}:'
        f' {texts}</title>{_font_face()}<rect width="{width}" height="{HEIGHT}" fill="#ffffff"/>'
    )
    return "\n".join([head, *parts, "</svg>\n"])


def _compared(curves: NamedCurves, truth: PRCurve | None) -> dict[str, Comparison]:
    """The comparison of each curve with the truth; empty if there is no truth, or if its area is
    almost 0.
    """
    if truth is None or truth.auc < NO_AREA:
        return {}
    return {name: curve.compare(truth) for name, curve in curves.items()}


def _others(beside: Beside, color: Mapping[str, str]) -> dict[str, _DrawnLine]:
    """Lines of the bound, of the truth, and of the limits; a limit is dotted in its family's
    colour.
    """
    others = [
        (BOUND_LABEL, beside.get("bound"), SOFT, ' stroke-width="1"'),
        (theme.TRUTH_LABEL, beside.get("truth"), INK, ' stroke-width="3" stroke-dasharray="9 6"'),
    ]
    for name, limit in (beside.get("limits") or {}).items():
        dotted = ' stroke-width="2" stroke-dasharray="2 4"'
        others.append((limit_label(name), limit, color[name], dotted))
    return {
        name: _DrawnLine(name, _points(curve), ink, look)
        for name, curve, ink, look in others
        if curve is not None
    }


def _areas(beside: Beside, color: Mapping[str, str]) -> list[str]:
    """The SVG of filled areas: beyond the bound in grey, and bands around curves; all are cut to
    the plot.
    """
    areas = []
    bound = beside.get("bound")
    if bound is not None:
        beyond = np.vstack([_points(bound), _pixels([0, 2, 2], [2, 2, 0])])
        areas.append(_path(beyond, f'fill="{theme.TRUTH_COLOR}" fill-opacity="0.1"'))
    for name, band in (beside.get("bands") or {}).items():
        around = _pixels(*theme.outline(band))
        areas.append(_path(around, f'fill="{color[name]}" fill-opacity="0.25"'))
    window = f'x="{LEFT}" y="{TOP}" width="{SIDE}" height="{SIDE}"'
    return [f'<svg {window} viewBox="{LEFT} {TOP} {SIDE} {SIDE}">', *areas, "</svg>"]


@cache
def _font_face() -> str:
    """The SVG style element that embeds the font; the font's licence lies beside its file."""
    font = base64.b64encode(
        files("prviz.figures").joinpath("font/prviz-sans.woff2").read_bytes()
    ).decode("ascii")
    source = f"url(data:font/woff2;base64,{font}) format('woff2')"
    return (
        f"<style>@font-face {{ font-family: 'prviz Sans'; font-weight: 400 700; src: {source};"
        " }</style>"
    )


def _dense(line: Points, step: float = 8.0) -> Points:
    """Points along a polyline, at most about `step` pixels apart. Further columns than x and y are
    interpolated.
    """
    length = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(line[:, :2], axis=0).T))])
    at = np.linspace(0, length[-1], max(2, int(length[-1] / step)))
    return np.column_stack([np.interp(at, length, side) for side in line.T])


def _pixels(recall: ArrayLike, precision: ArrayLike) -> Points:
    shares = np.column_stack([recall, precision]) / END
    return np.array([LEFT, TOP + SIDE]) + SIDE * shares * (1, -1)


def _points(curve: PRCurve) -> Points:
    _, precision, recall = curve.sample(200)
    return _pixels(recall, precision)


def _is_beyond(curve: PRCurve, bound: PRCurve | None) -> Flags:
    """True for each point of the curve that lies beyond the bound."""
    lam, precision, recall = curve.sample(200)
    if bound is None:
        return np.zeros(len(lam), dtype=bool)
    return is_refuted(lam, precision, recall, bound)


def _with_thin(line: Points, beyond: Flags, look: str, width: float) -> str:
    """The SVG path of a curve, thin where it lies beyond the bound."""
    starts = [0, *(np.flatnonzero(np.diff(beyond)) + 1).tolist(), len(line)]
    parts = []
    for first, end in itertools.pairwise(starts):
        if beyond[first]:
            parts.append(_path(line[first:end], f'{look} stroke-width="1"'))
        # with a neighbouring point at each end, so that thick and thin parts meet, as on screen
        else:
            inside = line[max(first - 1, 0) : end + 1]
            parts.append(_path(inside, f'{look} stroke-width="{width:g}"'))
    return "".join(parts)


def _path(points: Points, look: str) -> str:
    pairs = " ".join(f"{x:.1f} {y:.1f}" for x, y in points.tolist())
    return f'<path d="M{pairs}" {look}/>'


def _mark(symbol: str, ink: str, x: float, y: float) -> str:
    return (
        f'<path d="{theme.SYMBOLS[symbol]}" fill="{ink}" transform="translate({x:.1f} {y:.1f})'
        ' scale(6)"/>'
    )


def _marks(line: Points, beyond: Flags, symbol: str, ink: str, place: int) -> str:
    """A curve's marker at a few points along it, but not beyond the bound, where the curve is thin.

    place : the curve's index; curves with different indices have markers at different points.
    """
    along = _dense(np.column_stack([line, beyond]))
    at = (
        np.arange(theme.MOST_SYMBOLS) + 0.2 + 0.15 * (place % theme.MOST_SYMBOLS)
    ) / theme.MOST_SYMBOLS
    places = along[(at * len(along)).astype(int)].tolist()
    return "".join(_mark(symbol, ink, x, y) for x, y, share in places if share == 0)


def _words(text: str, x: float, y: float, size: float, *, ink: str = INK, look: str = "") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:.4g}" fill="{ink}"'
        f" {look}>{theme.plain(text, 200)}</text>"
    )


def _heading(title: str, subtitle: str, width: int) -> list[str]:
    room = width - 80
    short = textwrap.shorten(title, 100, placeholder=" …")
    size = min(30.0, room / (LETTER * max(1, len(short))))
    lines = textwrap.wrap(subtitle, int(room / 8.6), max_lines=3, placeholder=" …")
    rows = [_words(line, 40, 74 + 19 * row, 15, ink=SOFT) for row, line in enumerate(lines)]
    return [_words(short, 40, 48, size, look=_BOLD), *rows]


def _axes() -> list[str]:
    grid = []
    ticks = []
    for tick in (0, 0.2, 0.4, 0.6, 0.8, 1):
        ((x, y),) = _pixels([tick], [tick]).tolist()
        grid.append(f"M{x:.1f} {TOP} V{TOP + SIDE} M{LEFT} {y:.1f} H{LEFT + SIDE}")
        ticks.append(_words(f"{tick:g}", x, TOP + SIDE + 24, 16, ink=SOFT, look=_MIDDLE))
        ticks.append(_words(f"{tick:g}", LEFT - 10, y + 6, 16, ink=SOFT, look='text-anchor="end"'))
    middle = LEFT + SIDE / 2
    turned = TOP + SIDE / 2
    return [
        f'<path d="{" ".join(grid)}" fill="none" stroke="{RULE}" stroke-width="1"/>',
        *ticks,
        _words(theme.RECALL, middle, TOP + SIDE + 54, 18, look=_MIDDLE),
        f'<g transform="translate(50 {turned:g}) rotate(-90)">'
        f"{_words(theme.PRECISION, 0, 0, 18, look=_MIDDLE)}</g>",
    ]


def _label(text: str, box: Points, anchor: Points, ink: str) -> list[str]:
    """A curve's name, with a leader line to its anchor if the name is not beside the curve."""
    left, top, right, bottom = box.tolist()
    x, y = anchor.tolist()
    (near_x, near_y), side = ((left, bottom), "start") if left >= x else ((right, top), "end")
    leader = (
        f'<path d="M{x:.1f} {y:.1f} L{near_x:.1f} {near_y:.1f}" stroke="{ink}" stroke-width="1.5"/>'
    )
    return [
        *([leader] if abs(near_x - x) > 10 else []),
        _words(
            text,
            near_x,
            bottom - 0.3 * LABEL,
            LABEL,
            ink=ink,
            look=f'{"" if ink == SOFT else _BOLD} text-anchor="{side}"',
        ),
    ]


def _column(
    curves: NamedCurves, compared: Mapping[str, Comparison], color: Mapping[str, str]
) -> list[str]:
    """The number of every curve to the right of the plot, with a bar.

    The bar shows deficit to the left and excess to the right or, if there is no truth, the area.
    """
    symbol = theme.symbols(curves)
    left = 880
    right = WIDE - 50
    bars = 1130
    width = 320
    middle, unit = (bars + width / 2, width / 2) if compared else (bars, width)
    head = "Area under the curve"
    if compared:
        head = "IoU with the truth"
    parts = [_words(head, left, TOP + 16, 20, look=_BOLD)]
    if compared:
        parts.append(
            _words("← too low", middle - 8, TOP + 16, 15, ink=SOFT, look='text-anchor="end"')
        )
        parts.append(_words("too high →", middle + 8, TOP + 16, 15, ink=SOFT))
    step = min(96.0, (SIDE - 40) / max(1, len(curves)))
    for row, (name, curve) in enumerate(curves.items()):
        y = TOP + 40 + step * row
        number = curve.auc
        low = 0.0
        high = curve.auc
        if compared:
            number, high, low = compared[name]
        place = f'y="{y + 0.25 * step:.1f}" height="{0.5 * step:.1f}"'
        x = middle - low * unit
        length = (low + high) * unit
        parts += [
            _mark(symbol[name], color[name], left - 16, y + 0.5 * step),
            _words(
                textwrap.shorten(theme.title(name), 20, placeholder=" …"),
                left,
                y + 0.5 * step + 7,
                20,
            ),
            f'<rect x="{bars}" width="{width}" {place} fill="#f1f3f6"/>',
            f'<rect x="{x:.1f}" width="{length:.1f}" {place} fill="{color[name]}"/>',
            _words(
                f"{number:.2f}", right, y + 0.5 * step + 10, 28, look=f'{_BOLD} text-anchor="end"'
            ),
        ]
    bottom = TOP + 40 + step * len(curves)
    return [
        *parts,
        f'<path d="M{middle:g} {TOP + 40} V{bottom:.1f}" stroke="{INK}" stroke-width="1.5"/>',
    ]
