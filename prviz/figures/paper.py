"""Draws curves for papers by Matplotlib at the width of a column, each with its name or with
markers.

Matplotlib writes PDF, SVG and PNG without a browser and embeds the font; Plotly needs a browser to
write any of them.
"""

from __future__ import annotations

import io
import math
import reprlib
import textwrap
from collections.abc import Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from prviz.arguments import checked_path
from prviz.arrays import Points
from prviz.curves import PRCurve
from prviz.curves.refuted import is_refuted
from prviz.figures import theme
from prviz.figures.labels import LETTER, Line, Place, place_labels
from prviz.figures.shown_curves import Curves, Others, check_bands, named_curves, named_others

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from prviz.figures.theme import Bands


# Widths in inches of a column and of the full page, in ICML and most journals. For the single
# column of NeurIPS, give 5.5 in place of a name.
WIDTHS = {"one column": 3.25, "two columns": 6.75}
NARROWEST = 2
WIDEST = 40
FORMATS = (".pdf", ".svg", ".png")
MISSING = "it needs Matplotlib, which is not installed: pip install matplotlib"
# Font size in points (1/72 inch), the unit of all sizes below unless inches are stated.
LETTERS = 8.0
# Width of a legend entry without its text: the line in front of it, and the space to the next
# column.
HANDLE = 38.0
# A plot narrower than this has three ticks, not five.
NARROW = 110.0
# Line width of curves.
CURVE = 1.8
# Line width of dashed and dotted lines.
DASHED = 1.2
# Line width of bounds.
THIN = 0.8
INK = "#1f2430"
SOFT = "#5b6472"
RULE = "#e4e7ec"
DASHES = (0, (3.5, 2.0))
DOTS = (0, (0.1, 2.0))
END = 1.02
DPI = 300
_LINES: Mapping[str, dict[str, Any]] = {
    "curve": {"linewidth": CURVE},
    "truth": {"linewidth": DASHED, "linestyle": DASHES},
    "limit": {"linewidth": DASHED, "linestyle": DOTS, "dash_capstyle": "round"},
    "bound": {"linewidth": THIN},
}
_LEGEND: dict[str, Any] = {
    "fontsize": LETTERS,
    "labelcolor": INK,
    "frameon": False,
    "handlelength": 2.2,
    "borderaxespad": 0.4,
    "labelspacing": 0.35,
}
_WORDS = {
    "curve": "estimate",
    "truth": "truth",
    "limit": "with ever more samples",
    "bound": "truth is below, 95 %",
}
# Markers of curves whose names are in a legend, so that they differ without colour.
MARKS = "osD^vPX*<>"
# Distance between markers of one curve, as a share of the plot's diagonal.
APART = 0.3
# Shift of the markers from one curve to the next, as a share of the plot's diagonal.
SHIFT = 0.07
# Side in inches of the plot if the legend is beside it; the margins that follow are in inches too.
SIDE = 3.1
LEFT = 0.45
RIGHT = 0.07
TOP = 0.07
BOTTOM = 0.42


def plot_matplotlib(
    curves: Curves,
    *,
    truth: Others = None,
    bound: Others = None,
    limits: Others = None,
    bands: Bands | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw curves in Matplotlib axes, each with its name beside it, or all with markers and a
    legend.

    The legend replaces the names if one of them would cover a line. It is below or beside the plot
    in a new figure, and inside the axes if ``ax`` is given.

    Parameters
    ----------
    curves : PRCurve, Estimate, GeneratorComparison, SeveralGenerators, or mapping of str to these
        What to draw, in this order, as solid lines.
    truth : PRCurve, or mapping of str to PRCurve, optional
        True curves, drawn dashed; in a mapping, each in the colour of the curve with the same name.
    bound : PRCurve, or mapping of str to PRCurve, optional
        Upper bounds of the truth, such as `prviz.upper_bound`, drawn as thin lines in the colours
        of their curves. A single bound is a bound for all curves: beyond it the plot is grey and
        curves are thin.
    limits : mapping of str to PRCurve, optional
        The limit of each curve for infinitely many samples, drawn dotted in the colour of the
        curve.
    bands : mapping of str to Band, optional
        Bands around curves, by the name of the curve, in its colour.
    ax : matplotlib.axes.Axes, optional
        Where to draw. None draws in a new figure, one column wide, that pyplot does not manage.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, in which you can draw more.

    Raises
    ------
    ModuleNotFoundError
        Matplotlib is not installed.
    """
    _need_matplotlib("prviz.plot_matplotlib()")
    from matplotlib.axes import Axes

    beside: Any = {"truth": truth, "bound": bound, "limits": limits, "bands": bands}
    if ax is None:
        return _drawn(curves, WIDTHS["one column"], **beside)
    if not isinstance(ax, Axes) or ax.name != "rectilinear":
        raise TypeError(f"ax = {reprlib.repr(ax)}; plain axes of Matplotlib are needed")
    _draw(ax, curves, None, **beside)
    return ax


def _drawn(curves: Curves, width: float, **beside: Any) -> Axes:
    """Axes of a new figure, `width` inches wide, in which the curves and all that stands beside
    them are drawn.
    """
    from matplotlib.figure import Figure

    side = min(width - LEFT - RIGHT, SIDE)
    axes: Axes = Figure(figsize=(width, TOP + side + BOTTOM)).add_axes((0, 0, 1, 1))
    _settle(axes, side)
    _draw(axes, curves, width, **beside)
    return axes


def _settle(axes: Axes, side: float) -> None:
    """Put a square plot with sides of ``side`` inches at the top left of its figure."""
    width, height = axes.figure.get_size_inches()  # type: ignore[union-attr]
    axes.set_position((LEFT / width, 1 - (TOP + side) / height, side / width, side / height))


def _draw(
    axes: Axes,
    curves: Curves,
    width: float | None,
    *,
    truth: Others,
    bound: Others,
    limits: Others,
    bands: Bands | None,
) -> None:
    """Draw curves with their bounds, limits, truths and bands, and with names or a legend.

    width : width of the new figure in inches; None if the caller gave the axes.
    """
    shown = named_curves(curves)
    if bands is None:
        bands = {}
    check_bands(bands, shown)
    common = None
    if isinstance(bound, PRCurve):
        common = bound
    color = theme.colors(shown)
    _frame(axes)
    _areas(axes, common, bands, color)
    drawn: list[tuple[str, PRCurve, dict[str, Any]]] = []
    for role, ink, others in (
        ("bound", SOFT, bound),
        ("limit", INK, limits),
        ("truth", INK, truth),
    ):
        for name, curve in named_others(others, shown, role).items():
            drawn.append((role, curve, {"color": color.get(name, ink), **_LINES[role]}))
    for name, curve in shown.items():
        drawn.append((name, curve, {"color": color[name], **_LINES["curve"]}))
    for _, curve, look in drawn:
        _line(axes, curve, look, common if look["linewidth"] == CURVE else None)
    kinds = [name for name, _, look in drawn if look["linewidth"] != CURVE]
    texts = {name: theme.title(name) for name in shown}
    names = {name: text for name, text in texts.items() if text.strip()}
    looks = _looks(kinds)
    corner = _corner(axes, list(looks), [curve for _, curve, _ in drawn])
    places = {}
    wide = width is not None and width > LEFT + SIDE + RIGHT
    if corner is not None and not wide:
        places = _places(axes, names, drawn, corner)
    if len(places) < len(names) or corner is None or wide:
        _legend(axes, {text: color[name] for name, text in texts.items()}, looks, width)
        return
    if corner:
        _key(axes, looks, next(iter(corner)))
    _name(axes, names, places, color)


def _areas(
    axes: Axes,
    bound: PRCurve | None,
    bands: Bands,
    color: Mapping[str, str],
) -> None:
    """Shade the part of the plot beyond the bound in grey, and draw the bands around curves."""
    if bound is not None:
        _, precision, recall = bound.sample(200)
        beyond = ([*recall, 0, 2, 2], [*precision, 2, 2, 0])
        axes.fill(*beyond, color=theme.TRUTH_COLOR, alpha=0.1, linewidth=0)
    for name, band in bands.items():
        axes.fill(*theme.outline(band), color=color[name], alpha=0.25, linewidth=0)


def _line(axes: Axes, curve: PRCurve, look: Mapping[str, Any], bound: PRCurve | None) -> None:
    """Draw one curve, thin where it lies beyond the bound."""
    lam, precision, recall = curve.sample(200)
    if bound is not None:
        axes.plot(recall, precision, **{**look, "linewidth": THIN})
        precision = np.where(is_refuted(lam, precision, recall, bound), np.nan, precision)
    axes.plot(recall, precision, solid_joinstyle="round", **look)


def save(
    curves: Curves | Axes | Figure,
    path: str | Path,
    *,
    truth: Others = None,
    bound: Others = None,
    limits: Others = None,
    bands: Bands | None = None,
    width: str | float = "one column",
) -> None:
    """Write a figure for a paper: .pdf or .svg with their font, or .png, without a browser.

    Parameters
    ----------
    curves : as in `prviz.plot_matplotlib`, or axes or a figure of Matplotlib
        What to draw. Axes and figures are saved as they are.
    path : str or Path
        A path that ends in .pdf, .svg or .png (300 dots per inch); an existing file is replaced.
    truth, bound, limits, bands : optional
        As in `prviz.plot_matplotlib`.
    width : {"one column", "two columns"} or float
        Width of a new figure: 3.25 inches, 6.75 inches, or a number of inches from 2 to 40. The
        font size is always 8 pt. The plot is at most 3.1 inches wide; wider figures have the legend
        beside it.

    Raises
    ------
    ValueError
        Another ending or width, or a folder that does not exist.
    ModuleNotFoundError
        Matplotlib is not installed.
    """
    target = checked_path("path", path)
    check_target(target, "prviz.save()")
    inches = width_in_inches(width)
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    figure: Any = curves
    if isinstance(curves, Axes):
        figure = curves.figure
    elif type(curves).__module__.startswith("plotly."):
        raise ValueError(
            "curves is a figure of Plotly, which writes no PDF without a browser; give the curves"
            " instead"
        )
    elif not isinstance(curves, Figure):
        figure = _drawn(curves, inches, truth=truth, bound=bound, limits=limits, bands=bands).figure
    _write(figure, target, target.suffix.lower())


def width_in_inches(width: str | float) -> float:
    """Width in inches, given as a name in WIDTHS or as a number.

    Raises ValueError for any other name or number.
    """
    with suppress(TypeError, ValueError):
        inches = WIDTHS.get(str(width)) or float(width)
        if NARROWEST <= inches <= WIDEST:
            return inches
    raise ValueError(
        f"width = {width!r}; {' or '.join(map(repr, WIDTHS))} or {NARROWEST} to {WIDEST} inches "
        f"are needed"
    )


def pdf(curves: Curves, width: str, **beside: Any) -> bytes:
    """The bytes of a PDF, drawn as by `save`.

    beside : truth, bound, limits and bands, as in `save`.
    """
    file = io.BytesIO()
    _need_matplotlib("a PDF")
    known = dict.fromkeys(("truth", "bound", "limits", "bands"))
    _write(_drawn(curves, WIDTHS[width], **{**known, **beside}).figure, file, ".pdf")
    return file.getvalue()


def is_installed() -> bool:
    """True if Matplotlib is installed."""
    return find_spec("matplotlib") is not None


def _write(figure: Any, target: Path | IO[bytes], kind: str) -> None:
    import matplotlib as mpl

    # TrueType fonts, as IEEE and ACM require. SVG letters as outlines, which look the same without
    # the font. No date and a fixed salt, so that equal figures give equal files.
    known: Any = {"pdf.fonttype": 42, "svg.fonttype": "path", "svg.hashsalt": "prviz"}
    dated = {".pdf": "CreationDate", ".svg": "Date"}
    undated = {}
    if kind in dated:
        undated = {dated[kind]: None}
    with mpl.rc_context(known):
        figure.savefig(target, format=kind[1:], dpi=DPI, metadata=undated)


def check_target(path: Path, asked: str) -> None:
    """Raise ValueError for a path that ends in none of FORMATS or lies in a missing folder, and
    ModuleNotFoundError without Matplotlib.

    asked : the call or option that names the path, for the message.
    """
    if path.suffix.lower() not in FORMATS:
        raise ValueError(
            f"{asked} {str(path)!r}: a name that ends in {', '.join(FORMATS)} is needed"
        )
    if not path.parent.is_dir():
        raise ValueError(f"{asked} {str(path)!r}: there is no folder {path.parent}")
    _need_matplotlib(asked)


def _need_matplotlib(asked: str) -> None:
    if not is_installed():
        raise ModuleNotFoundError(f"{asked}: {MISSING}", name="matplotlib")


def _frame(axes: Axes) -> None:
    """Set ticks, grid and axis titles."""
    ticks = [0, 0.5, 1] if _room(axes)[0] < NARROW else [0, 0.25, 0.5, 0.75, 1]
    axes.set(xlim=(0, END), ylim=(0, END), aspect="equal")
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.tick_params(labelsize=LETTERS, length=0, labelcolor=SOFT)
    axes.set_xlabel("recall", fontsize=LETTERS, color=INK, labelpad=2)
    axes.set_ylabel("precision", fontsize=LETTERS, color=INK, labelpad=2)
    axes.grid(color=RULE, linewidth=0.6)
    axes.set_axisbelow(True)
    for side in axes.spines.values():
        side.set_visible(False)


def _pixels(axes: Axes, curve: PRCurve) -> Points:
    """A curve in points (1/72 inch) from the top left corner of the plot, for `place_labels`."""
    _, precision, recall = curve.sample(200)
    width, height = _room(axes)
    return np.column_stack([recall / END * width, (1 - precision / END) * height])


def _room(axes: Axes) -> tuple[float, float]:
    """Width and height of the plot in points (1/72 inch), after Matplotlib made it square."""
    box = axes.get_window_extent()
    side = 72 / axes.figure.dpi * float(min(box.width, box.height))
    return side, side


def _looks(kinds: list[str]) -> dict[str, Any]:
    """Legend entries for line styles (solid, dashed, dotted, thin); none if all lines are
    curves.
    """
    from matplotlib.lines import Line2D

    if not kinds:
        return {}
    return {
        words: Line2D([], [], color=SOFT, **_LINES[name])
        for name, words in _WORDS.items()
        if name == "curve" or name in kinds
    }


def _corner(axes: Axes, texts: list[str], curves: list[PRCurve]) -> dict[str, Points] | None:
    """A corner of the plot without lines that has room for the legend texts, and the box that they
    cover.

    Empty if there are no texts; None if no corner is free.
    """
    if not texts:
        return {}
    width, height = _room(axes)
    wide = LETTERS * 3.4 + max(map(_width, texts))
    tall = LETTERS * (1.55 * len(texts) + 0.8)
    low = np.array([0.02 * width, 0.98 * height - tall])
    high = np.array([0.98 * width - wide, 0.02 * height])
    size = np.array([wide, tall])
    points = np.vstack([_pixels(axes, curve) for curve in curves])
    for name, at in (("lower left", low), ("upper right", high)):
        box = np.concatenate([at, at + size])
        covered = ((points >= box[:2] - 2) & (points <= box[2:] + 2)).all(axis=1).any()
        if not covered and (at > 0).all():
            return {name: box}
    return None


def _folded(text: str, room: float) -> str:
    """The text, wrapped into lines that are at most `room` points wide."""
    wide = _width(text)
    if wide <= room:
        return text
    return textwrap.fill(text, max(int(len(text) * room / wide), 4))


def _width(text: str, weight: str = "normal") -> float:
    """Width of a text in points (1/72 inch)."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    if not text.strip():
        return 0.0
    plain = text.replace("$", "S")  # Matplotlib would read text between dollar signs as a formula
    path = TextPath((0, 0), plain, size=LETTERS, prop=FontProperties(weight=weight))
    return float(path.get_extents().width)


def _places(
    axes: Axes,
    names: Mapping[str, str],
    drawn: list[tuple[str, PRCurve, dict[str, Any]]],
    corner: Mapping[str, Points],
) -> dict[str, Place]:
    """The place of each name, by `place_labels`; without names that would cover a line."""
    lines = {}
    for place, (name, curve, look) in enumerate(drawn):
        known = look["linewidth"] == CURVE
        key = name if known else f"{name} {place}"
        lines[key] = Line(_pixels(axes, curve), names.get(name, "") if known else "")
    widths = [_width(text, "bold") / (LETTER * len(text)) for text in names.values()]
    size = max(LETTERS, *widths, 0)
    return place_labels(lines, _room(axes), size, taken=list(corner.values()))


def _key(axes: Axes, looks: Mapping[str, Any], corner: str) -> None:
    """Draw the legend of line styles (dashed, thin) in a corner of the plot."""
    about: Any = {**_LEGEND, "handles": [*looks.values()], "labels": [*looks], "loc": corner}
    axes.legend(**about)


def _name(
    axes: Axes, names: Mapping[str, str], places: Mapping[str, Place], color: Mapping[str, str]
) -> None:
    """Write each curve's name beside it, in the curve's colour."""
    unit = END / np.array(_room(axes))
    for name, (box, anchor) in places.items():
        left, top, right, bottom = box.tolist()
        beside = left >= anchor[0]
        axes.text(
            (left if beside else right) * unit[0],
            END - (top + bottom) / 2 * unit[1],
            names[name],
            color=color[name],
            ha="left" if beside else "right",
            va="center",
            fontsize=LETTERS,
            fontweight="bold",
            parse_math=False,
        )


def _legend(
    axes: Axes, colors: Mapping[str, str], looks: Mapping[str, Any], width: float | None
) -> None:
    """Mark each curve and draw a legend: below or beside the plot of a new figure, or inside axes
    that the caller gave.
    """
    entries = _marked(axes, colors)
    known = _WORDS["curve"] if entries else ""
    entries |= {words: look for words, look in looks.items() if words != known}
    if not entries:  # a single curve without a name
        return
    side = SIDE if width is None else width - LEFT - RIGHT
    room = 72 * (side - SIDE - 0.3 if side > SIDE else side) - HANDLE
    labels = [_folded(name, room) for name in entries]
    about: Any = {**_LEGEND, "handles": [*entries.values()], "labels": labels}
    if width is None:
        legend = axes.legend(loc="best", **{**about, "frameon": True})
    elif side > SIDE:
        at = (LEFT + SIDE + 0.15) / width, 0.5
        legend = axes.figure.legend(loc="center left", bbox_to_anchor=at, **about)
    else:
        columns = max(int(72 * side / (HANDLE + max(map(_width, entries)))), 1)
        rows = math.ceil(sum(label.count("\n") + 1 for label in labels) / columns)
        height = TOP + side + BOTTOM + rows * 1.4 * LETTERS / 72 + 0.05
        axes.figure.set_size_inches(width, height)  # type: ignore[union-attr]
        _settle(axes, side)
        at = LEFT / width, 0.02 / height
        about |= {"ncols": columns, "columnspacing": 1.0}
        legend = axes.figure.legend(loc="lower left", bbox_to_anchor=at, **about)
    for text in legend.get_texts():
        text.set_parse_math(False)


def _marked(axes: Axes, colors: Mapping[str, str]) -> dict[str, Any]:
    """Put a marker on each curve that has a name, and return the legend's handle of each such curve
    by name.
    """
    from matplotlib.lines import Line2D

    lines = [each for each in axes.lines if each.get_linewidth() == CURVE][-len(colors) :]
    entries = {}
    for place, (line, (name, color)) in enumerate(zip(lines, colors.items(), strict=True)):
        if name.strip():
            mark: Any = {"marker": MARKS[place % len(MARKS)], "markersize": 4}
            line.set(**mark, markevery=(SHIFT * (place + 1), APART))
            entries[name] = Line2D([], [], color=color, linewidth=CURVE, **mark)
    return entries
