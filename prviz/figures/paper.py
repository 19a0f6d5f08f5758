"""Curves for papers, drawn by Matplotlib: names beside curves, lines that differ without colour, a column's size.

Matplotlib writes PDF, SVG and PNG alike, without a browser, and embeds its font: there is no other
way here.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from prviz.curves import PRCurve
from prviz.curves.refuted import is_refuted
from prviz.figures import theme
from prviz.figures.labels import LETTER, Line, place_labels
from prviz.figures.shown_curves import Curves, Others, named_curves, named_others, titles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from prviz.curves.band import Band
    from prviz.uncertainty.bootstrap import IntervalBand

Points = NDArray[np.float64]

# Inches: one column and the page of ICML, and of most journals; the one column of NeurIPS, 5.5 in,
# is a number.
WIDTHS = {"one column": 3.25, "two columns": 6.75}
FORMATS = (".pdf", ".svg", ".png")
MISSING = "it needs Matplotlib, which is not installed: pip install matplotlib"
# Points: letters, and the lines of curves, of what is dashed and of bounds.
LETTERS = 8.0
CURVE = 1.8
DASHED = 1.2
THIN = 0.8
INK = "#1f2430"
SOFT = "#5b6472"
RULE = "#e4e7ec"
DASHES = (0, (3.5, 2.0))
DOTS = (0, (0.1, 2.0))
END = 1.02
DPI = 300
_WORDS = {
    "curve": "estimate",
    "truth": "truth",
    "limit": "with ever more samples",
    "bound": "truth is below, 95 %",
}
# Widest letters of the font beside Helvetica's bold ones, whose width places of names are computed
# from.
_WIDER = 1.08


def plot_matplotlib(
    curves: Curves,
    *,
    truth: Others = None,
    bound: Others = None,
    limits: Others = None,
    bands: Mapping[str, Band] | Mapping[str, IntervalBand] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw curves in axes of Matplotlib, each with its name beside it.

    Parameters
    ----------
    curves : PRCurve, Estimate, GeneratorComparison, SeveralGenerators, or mapping of str to these
        What is drawn, solid, in this order.
    truth : PRCurve, or mapping of str to PRCurve, optional
        Dashed; of a mapping each in the colour of the curve of its name.
    bound : PRCurve, or mapping of str to PRCurve, optional
        Upper bounds of the truth, such as `prviz.upper_bound`; thin, in the same colours. Beyond
        one for all curves the plot is grey, and curves are thin.
    limits : mapping of str to PRCurve, optional
        What the curve of each name comes to with ever more samples; dotted, in its colour.
    bands : mapping of str to Band, optional
        Around the curve of each name, in its colour.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None: axes of a new figure as wide as one column, which pyplot does not know.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, for whatever else is to be drawn or written.

    Raises
    ------
    ModuleNotFoundError
        Matplotlib is not installed.
    """
    _need_matplotlib("prviz.plot_matplotlib()")
    shown = named_curves(curves)
    truths = named_others(truth, shown, "truth")
    bounds = named_others(bound, shown, "bound")
    axes = _new_axes(WIDTHS["one column"]) if ax is None else ax
    _frame(axes)
    color = theme.colors(shown)
    names = titles(shown)
    drawn: list[tuple[str, PRCurve, dict[str, Any]]] = []
    common = bound if isinstance(bound, PRCurve) else None
    if common is not None:
        _, precision, recall = common.sample(200)
        beyond = ([*recall, 0, 2, 2], [*precision, 2, 2, 0])
        axes.fill(*beyond, color=theme.TRUTH_COLOR, alpha=0.1, linewidth=0)
    for name, band in (bands or {}).items():
        recall = np.clip(theme.there_and_back(band.beta_low, band.beta_high), 0, 1)
        precision = np.clip(theme.there_and_back(band.alpha_low, band.alpha_high), 0, 1)
        axes.fill(recall, precision, color=color[name], alpha=0.25, linewidth=0)
    for name, curve in bounds.items():
        drawn.append(("bound", curve, {"color": color.get(name, SOFT), "linewidth": THIN}))
    for name, curve in named_others(limits, shown, "limit").items():
        dotted = {"linewidth": DASHED, "linestyle": DOTS, "dash_capstyle": "round"}
        drawn.append(("limit", curve, {"color": color[name], **dotted}))
    for name, curve in truths.items():
        drawn.append(
            (
                "truth",
                curve,
                {"color": color.get(name, INK), "linewidth": DASHED, "linestyle": DASHES},
            )
        )
    for name, curve in shown.items():
        drawn.append((name, curve, {"color": color[name], "linewidth": CURVE}))
    styles: dict[str, Any] = {}
    for name, curve, look in drawn:
        lam, precision, recall = curve.sample(200)
        if look["linewidth"] == CURVE and common is not None:
            refuted = is_refuted(lam, precision, recall, common)
            axes.plot(recall, precision, **{**look, "linewidth": THIN})
            precision = np.where(refuted, np.nan, precision)
        (line,) = axes.plot(recall, precision, solid_joinstyle="round", **look)
        styles["curve" if look["linewidth"] == CURVE else name] = line
    corner = _key(axes, styles, [curve for _, curve, _ in drawn])
    _names(axes, names, drawn, color, corner)
    return axes


def save(
    curves: Curves | Axes | Figure,
    path: str | Path,
    *,
    truth: Others = None,
    bound: Others = None,
    limits: Others = None,
    bands: Mapping[str, Band] | Mapping[str, IntervalBand] | None = None,
    width: str | float = "one column",
) -> None:
    """Write a figure for a paper: .pdf or .svg with their font, or .png, without a browser.

    Parameters
    ----------
    curves : as in `prviz.plot_matplotlib`, or axes or a figure of Matplotlib
        What is drawn; axes and figures as they are.
    path : str or Path
        A file that ends in .pdf, .svg or .png (300 dots per inch); one that exists is replaced.
    truth, bound, limits, bands : optional
        As in `prviz.plot_matplotlib`.
    width : {"one column", "two columns"} or float
        3.25 in, 6.75 in, or inches; letters have 8 pt in each. A figure that was drawn already
        keeps its own.

    Raises
    ------
    ValueError
        Another ending or width.
    ModuleNotFoundError
        Matplotlib is not installed.
    """
    target = Path(path)
    check_target(target, "prviz.save()")
    inches = WIDTHS.get(width) if isinstance(width, str) else float(width)
    if inches is None or not 1 <= inches <= 40:
        raise ValueError(
            f"width = {width!r}; {' or '.join(map(repr, WIDTHS))} or 1 to 40 inches are needed"
        )
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
        axes = _new_axes(inches)
        beside: Any = {"truth": truth, "bound": bound, "limits": limits, "bands": bands}
        figure = plot_matplotlib(curves, ax=axes, **beside).figure
    _write(figure, target, target.suffix.lower())


def pdf(curves: Curves, width: str, **beside: Any) -> bytes:
    """A file as `save` writes it; beside : truth, bound, limits and bands."""
    file = io.BytesIO()
    _write(plot_matplotlib(curves, ax=_new_axes(WIDTHS[width]), **beside).figure, file, ".pdf")
    return file.getvalue()


def is_installed() -> bool:
    """True if Matplotlib is there."""
    return find_spec("matplotlib") is not None


def _write(figure: Any, target: Path | IO[bytes], kind: str) -> None:
    import matplotlib as mpl

    # TrueType, which IEEE and ACM ask for; letters of an SVG as outlines, which look alike
    # everywhere; no date
    known: Any = {"pdf.fonttype": 42, "svg.fonttype": "path", "svg.hashsalt": "prviz"}
    dated = {".pdf": "CreationDate", ".svg": "Date"}
    undated = {dated[kind]: None} if kind in dated else {}
    with mpl.rc_context(known):
        figure.savefig(target, format=kind[1:], dpi=DPI, metadata=undated)


def check_target(path: Path, asked: str) -> None:
    """Refuse a file of another kind, and any where Matplotlib is missing. asked : by what, for the message."""
    if path.suffix.lower() not in FORMATS:
        raise ValueError(
            f"{asked} {str(path)!r}: a name that ends in {', '.join(FORMATS)} is needed"
        )
    _need_matplotlib(asked)


def _need_matplotlib(asked: str) -> None:
    if not is_installed():
        raise ModuleNotFoundError(f"{asked}: {MISSING}", name="matplotlib")


def _new_axes(width: float) -> Axes:
    """Axes of a new figure, the plot a square beside its ticks and titles of constant size."""
    from matplotlib.figure import Figure

    left = 0.45
    right = 0.07
    top = 0.07
    bottom = 0.42  # inches
    side = width - left - right
    height = side + top + bottom
    figure = Figure(figsize=(width, height))
    place = (left / width, bottom / height, side / width, side / height)
    axes: Axes = figure.add_axes(place)
    return axes


def _frame(axes: Axes) -> None:
    """Ticks, grid and titles."""
    ticks = [0, 0.25, 0.5, 0.75, 1]
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
    """Points of a curve in points of 1/72 in from the plot's top left corner, as places of names are computed."""
    _, precision, recall = curve.sample(200)
    width, height = _room(axes)
    return np.column_stack([recall / END * width, (1 - precision / END) * height])


def _room(axes: Axes) -> tuple[float, float]:
    """Width and height of the plot in points of 1/72 in, as it will be drawn: both axes have one unit."""
    box = axes.get_window_extent()
    side = 72 / axes.figure.dpi * float(min(box.width, box.height))
    return side, side


def _key(axes: Axes, styles: Mapping[str, Any], curves: list[PRCurve]) -> list[Points]:
    """What dashes and thin lines mean, in the emptier of two corners; the box that it covers, if there is one."""
    from matplotlib.lines import Line2D

    if len(styles) < 2:
        return []
    dashes = {"truth": DASHES, "limit": DOTS}
    looks = [
        Line2D(
            [],
            [],
            color=SOFT,
            linewidth=styles[name].get_linewidth(),
            linestyle=dashes.get(name, "-"),
            dash_capstyle="round",
        )
        for name in _WORDS
        if name in styles
    ]
    texts = [text for name, text in _WORDS.items() if name in styles]
    width, height = _room(axes)
    wide = min(width, LETTERS * (3.4 + LETTER * _WIDER * max(map(len, texts))))
    tall = LETTERS * (1.55 * len(texts) + 0.8)
    low = np.array([0.02 * width, 0.98 * height - tall])
    high = np.array([0.98 * width - wide, 0.02 * height])
    size = np.array([wide, tall])
    boxes = {
        name: np.concatenate([at, at + size])
        for name, at in (("lower left", low), ("upper right", high))
    }
    points = np.vstack([_pixels(axes, curve) for curve in curves])
    covered = {
        name: int(((points >= box[:2]) & (points <= box[2:])).all(axis=1).sum())
        for name, box in boxes.items()
    }
    corner = min(covered, key=lambda name: covered[name])
    placed: dict[str, Any] = {
        "loc": corner,
        "fontsize": LETTERS,
        "labelcolor": INK,
        "frameon": False,
    }
    axes.legend(looks, texts, handlelength=2.2, borderaxespad=0.4, labelspacing=0.35, **placed)
    return [boxes[corner]]


def _names(
    axes: Axes,
    names: Mapping[str, str],
    drawn: list[tuple[str, PRCurve, dict[str, Any]]],
    color: Mapping[str, str],
    taken: list[Points],
) -> None:
    """Each name in its colour, where the rule of all figures puts it, with a leader where it stands off."""
    room = _room(axes)
    lines = {}
    for place, (name, curve, _) in enumerate(drawn):
        known = name in names
        lines[name if known else f"{name} {place}"] = Line(
            _pixels(axes, curve), names[name] if known else ""
        )
    width, height = room
    size = LETTERS * _WIDER
    for name, (box, anchor) in place_labels(lines, room, size, taken=taken, leaders=True).items():
        left, top, right, bottom = box.tolist()
        x, y = anchor.tolist()
        near, side = (left, "left") if left >= x else (right, "right")
        edge = bottom if left >= x else top
        unit = END / np.array([width, height])
        if np.hypot(near - x, edge - y) > 10:
            ends = np.array([[x, y], [near, edge]]) * unit
            axes.plot(ends[:, 0], END - ends[:, 1], color=color[name], linewidth=0.6)
        middle = END - (top + bottom) / 2 * unit[1]
        look: dict[str, Any] = {
            "ha": side,
            "va": "center",
            "fontsize": LETTERS,
            "fontweight": "bold",
        }
        axes.text(near * unit[0], middle, names[name], color=color[name], parse_math=False, **look)
