"""Shared by all figures.

One colour per family, the truth's style, layout, and foreign text made harmless.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import plotly.graph_objects as go
from plotly.colors import sample_colorscale

from prviz.arrays import Floats
from prviz.estimators import ESTIMATORS
from prviz.estimators.colors import (
    FAMILY_COLORS as FAMILY_COLORS,
    SPARE_COLORS as SPARE_COLORS,
    colors as colors,
    luminance as luminance,
)
from prviz.estimators.tightest import TIGHTEST

if TYPE_CHECKING:
    from prviz.curves.band import Band
    from prviz.uncertainty.bootstrap import IntervalBand

    # Spreads of curves by the names of these.
    Bands: TypeAlias = Mapping[str, Band] | Mapping[str, IntervalBand]

# Marker of each family, the second code beside its colour: Plotly's name, and an SVG path around
# (0, 0) of radius 1.
SYMBOLS = {
    "circle": "M-1,0A1,1 0 1 1 1,0A1,1 0 1 1 -1,0Z",
    "square": "M-.9,-.9H.9V.9H-.9Z",
    "diamond": "M0,-1.3L1.3,0L0,1.3L-1.3,0Z",
    "triangle-up": "M0,-1.3L1.2,.9H-1.2Z",
    "triangle-down": "M0,1.3L1.2,-.9H-1.2Z",
    "cross": "M-.4,-1.2H.4V-.4H1.2V.4H.4V1.2H-.4V.4H-1.2V-.4H-.4Z",
    "x": "M-1.1,-.6L-.6,-1.1L0,-.5L.6,-1.1L1.1,-.6L.5,0L1.1,.6L.6,1.1L0,.5L-.6,1.1L-1.1,.6L-.5,0Z",
    "star": (
        "M0,-1.4L.33,-.45L1.33,-.43L.53,.17L.82,1.13L0,.56L-.82,1.13L-.53,.17L-1.33,-.43L-.33,-.45Z"
    ),
    "triangle-left": "M-1.3,0L.9,1.2V-1.2Z",
    "triangle-right": "M1.3,0L-.9,1.2V-1.2Z",
    "hourglass": "M-1,-1.1H1L-1,1.1H1Z",
    "bowtie": "M-1.1,-1V1L1.1,-1V1Z",
    "pentagon": "M0,-1.2L1.14,-.37L.7,.97H-.7L-1.14,-.37Z",
}
FAMILY_SYMBOLS = dict(zip(ESTIMATORS, SYMBOLS, strict=False))
# Pixels: diameter of a marker on a curve. Markers on one curve: enough to tell it, few enough to
# see its course.
SYMBOL_SIZE = 9
MOST_SYMBOLS = 6
# Colours of two generators, different from those of the default families.
RIVAL_COLORS = (SPARE_COLORS[0], FAMILY_COLORS["classifier"])
TRUTH_COLOR = "#7f7f7f"
TRUTH_LABEL = "truth"
# Colours of ordered values, such as sizes or steps: from blue to orange, which every colour-vision
# deficiency can tell apart, with a contrast of 3:1 on white and on the dark page.
ORDER_COLORS = ("#0072B2", "#8561C5", "#E0457B", "#C48A00")
# Purple and olive stay apart under every colour-vision deficiency, and neither is a family's
# colour.
REAL_COLOR = "#8561C5"
EVEN_COLOR = "#8a8a8a"
GENERATED_COLOR = "#6B9A1F"
FAINT = "rgba(127,127,127,0.25)"
# Role, symbol and colour: told apart without colour as well.
ROLES = (("real", "circle", REAL_COLOR), ("generated", "triangle-up", GENERATED_COLOR))
# Rays that axes over the angle are marked at.
TICK_LAMS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, np.inf)
_TICK_LABELS = ("0", "¼", "½", "1", "2", "4", "∞")
# Colours of numbers from low to high, in even steps of brightness: told apart under every
# colour-vision deficiency.
HEAT = "Cividis"
SIGNED = "RdBu_r"  # of differences: blue below 0, white at 0, red above
# On a ground of this luminance black and white have the same contrast.
_EVEN_CONTRAST = 0.179
UIREVISION = "prviz"

_CLEAR = "rgba(0,0,0,0)"
# Streamlit merges its theme into the template's layout, so that part must exist.
_TEMPLATE = go.layout.Template(layout={"colorway": [*FAMILY_COLORS.values(), *SPARE_COLORS]})


def plain(text: object, longest: int = 80) -> str:
    """Foreign text that Plotly shows as it is.

    No tags, links or formulas, in one line of at most `longest`.

    Plotly reads a subset of HTML in every text, `%{...}` in hover templates and `$...$` as TeX. The
    characters that begin those become entities, which Plotly decodes last. Quotes stay: it knows no
    `&quot;`.
    """
    line = " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())
    short = line if len(line) <= longest else line[: longest - 1] + "…"
    return html.escape(short, quote=False).replace("{", "&#123;").replace("$", "&#36;")


def noted(note: str) -> str:
    """What hovering says of a sample, as plain text in lines that fit a narrow panel."""
    return "<br>".join(wrap(plain(note), 32, break_long_words=False))


def title(name: str) -> str:
    """What is written of a curve: a family's title, any other name as it is."""
    if name in ESTIMATORS:
        return ESTIMATORS[name].title
    return name


def label(name: str, longest: int = 80) -> str:
    """A curve's name in the legend: its title as plain text."""
    return plain(title(name), longest)


def named(name: str, note: str = "") -> dict[str, Any]:
    """The name of a trace, with a few words on it, and its legend group: that of its curve."""
    words = label(name)
    if note:
        words += f", {plain(note)}"
    return {"name": words, "legendgroup": plain(name)}


def symbols(names: Iterable[str]) -> dict[str, str]:
    """Marker of each curve, as Plotly names it.

    A family's own, for other names those that are left, in turn.
    """
    known = list(dict.fromkeys(names))
    own = {
        name: FAMILY_SYMBOLS[name.partition(":")[0]]
        for name in known
        if name.partition(":")[0] in FAMILY_SYMBOLS
    }
    left = [symbol for symbol in SYMBOLS if symbol not in own.values()] or list(SYMBOLS)
    others = [name for name in known if name not in own]
    return own | {name: left[index % len(left)] for index, name in enumerate(others)}


def shades(count: int) -> list[str]:
    """`count` different colours in an order."""
    stops = [[int(color[i : i + 2], 16) for i in (1, 3, 5)] for color in ORDER_COLORS]
    places = np.linspace(0, len(stops) - 1, max(count, 2))[:count]
    levels = np.column_stack(
        [np.interp(places, range(len(stops)), channel) for channel in zip(*stops, strict=True)]
    )
    return ["#" + "".join(f"{round(level):02X}" for level in each) for each in levels.tolist()]


def faded(color: str, opacity: float) -> str:
    """A hex colour as rgba of this opacity."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:g})"


def line_of(color: str) -> dict[str, Any]:
    """The line of an estimate: always solid, dashes mean truth."""
    return {"color": color, "width": 2.5}


def curve_line(name: str, color: str) -> dict[str, Any]:
    """The line of a method's curve: bold where it is the one to believe."""
    return line_of(color) | {"width": 4.0 if name == TIGHTEST.name else 2.5}


def truth_line() -> dict[str, Any]:
    """The line of the truth."""
    return {"color": TRUTH_COLOR, "width": 2.5, "dash": "dash"}


def axis(title: str, **options: Any) -> dict[str, Any]:
    """An axis in greys that hold on light and dark grounds."""
    lines = {"gridcolor": FAINT, "zerolinecolor": FAINT, "linecolor": FAINT, "automargin": True}
    return {"title": {"text": title, "standoff": 8}, **lines, **options}


# The axes of curves: here the two words are explained, for every figure and text around it.
RECALL = "recall: what is real that it can make"
PRECISION = "precision: what it makes that could be real"


def square(x_title: str, y_title: str, **side: Any) -> dict[str, Any]:
    """Two axes with the same unit and the same options `side`."""
    side = {"constrain": "domain", **side}
    return {
        "xaxis": axis(x_title, **side),
        "yaxis": axis(y_title, scaleanchor="x", constraintoward="top", **side),
    }


def pr_axes() -> dict[str, Any]:
    """The axes of precision against recall."""
    return square(RECALL, PRECISION, range=[0, 1.02], dtick=0.2)


def angle_axis() -> dict[str, Any]:
    """An axis of lam, even in the angle arctan(lam) in degrees."""
    ticks = {
        "tickvals": np.degrees(np.arctan(TICK_LAMS)),
        "ticktext": _TICK_LABELS,
        "range": [0, 90],
    }
    return axis("λ, even in angle θ = arctan λ<br>← recall end · precision end →", **ticks)


def signed_axis(title: str, longest: float, **options: Any) -> dict[str, Any]:
    """A symmetric axis whose labels are lengths: the side says the sign."""
    end = reach(longest)
    ticks = [-end, -end / 2, 0.0, end / 2, end]
    labels = {"tickvals": ticks, "ticktext": [f"{abs(tick):g}" for tick in ticks]}
    zero = {"zerolinecolor": TRUTH_COLOR, "zerolinewidth": 2}
    return axis(title, range=[-1.02 * end, 1.02 * end], **labels, **zero, **options)


def polygon(x: Any, y: Any, fill: str, **options: Any) -> go.Scatter:
    """A filled area without an outline, as of a band."""
    look = {
        "mode": "lines",
        "line": {"width": 0},
        "fill": "toself",
        "fillcolor": fill,
        "hoverinfo": "skip",
    }
    return go.Scatter(x=x, y=y, **look, **options)


def there_and_back(low: Any, high: Any) -> Any:
    """One coordinate of a polygon: out along the lower side of a band, back along the upper one."""
    return np.concatenate([low, high[::-1]])


def outline(band: Band | IntervalBand) -> tuple[Any, Any]:
    """Recall and precision around a band of curves, cut to [0, 1]."""
    recall = there_and_back(band.beta_low, band.beta_high)
    precision = there_and_back(band.alpha_low, band.alpha_high)
    return np.clip(recall, 0, 1), np.clip(precision, 0, 1)


def ink(levels: Sequence[float]) -> str:
    """Black or white, whichever is legible on a ground of this red, green and blue in [0, 1].

    By name: a dark page lifts colours that are written in hexadecimal.
    """
    if luminance(levels) > _EVEN_CONTRAST:
        return "black"
    return "white"


def inked(colors: Any, shares: Floats, *, reverse: bool = False) -> Iterator[tuple[int, int, str]]:
    """Row and column of the finite cells of a heat map, and the colour of their number.

    Whichever is legible on the cell.

    shares : places of the cells in the scale of these colours, from 0 to 1. reverse : True if the
    scale is turned.
    """
    known = np.argwhere(np.isfinite(shares))
    places = np.clip(shares[tuple(known.T)], 0, 1)
    if reverse:
        places = 1 - places
    grounds = []
    if len(known):
        grounds = sample_colorscale(colors, places.tolist(), colortype="tuple")
    for (row, column), ground in zip(known.tolist(), grounds, strict=True):
        yield row, column, ink(ground)


def add_cell_texts(
    figure: go.Figure, cells: Iterable[tuple[Any, Any, str, str]], size: int = 12
) -> None:
    """Text in cells, each as x, y, text and its colour, black or white: one trace a colour."""
    listed = list(cells)
    for color in ("black", "white"):
        own = [cell for cell in listed if cell[3] == color]
        figure.add_scatter(
            x=[cell[0] for cell in own],
            y=[cell[1] for cell in own],
            text=[cell[2] for cell in own],
            mode="text",
            textfont={"color": color, "size": size},
            hoverinfo="skip",
            showlegend=False,
        )


def subset(rows: Any, most: int) -> Any:
    """The rows in increasing order, or a random subset of `most` of them, the same at every
    call.
    """
    if len(rows) <= most:
        return rows
    return np.sort(np.random.default_rng(0).choice(rows, size=most, replace=False))


def legend(y: float = -0.2, *, centred: bool = False) -> dict[str, Any]:
    """A horizontal legend below the plot, its top at `y` in heights of the plot."""
    place = {"x": 0.5, "xanchor": "center"} if centred else {"x": 0, "xanchor": "left"}
    return {"orientation": "h", "y": y, "yanchor": "top", **place}


def tick_names(names: Iterable[str]) -> dict[str, Any]:
    """A vertical axis with one place per name, the first on top.

    Names can't eat up a narrow plot.
    """
    texts = [label(name, 24) for name in names]
    ends = {"range": [len(texts) - 0.4, -0.6], "zeroline": False}
    return {"tickvals": list(range(len(texts))), "ticktext": texts, **ends}


def reach(longest: float, steps: Sequence[float] = (0.05, 0.1, 0.2, 0.5)) -> float:
    """A round length at or above the longest, for axes that are to stay where they are."""
    return next((step for step in steps if step >= longest), 1.0)


def check_sweep(name: str, xs: Sequence[float], ys: Sequence[float], log_x: bool) -> None:
    """Raise ValueError unless there is one y per x, and positive xs for a logarithmic axis."""
    if len(xs) != len(ys):
        raise ValueError(f"{name}: {len(xs)} values of x and {len(ys)} of y; one of each is needed")
    if log_x and any(x <= 0 for x in xs):
        raise ValueError(f"{name}: x = {min(xs)}; a logarithmic axis needs positive values")


def add_truth(
    figure: go.Figure, truth: float | None, places: Sequence[Any], width: float = 2.5
) -> None:
    """A dashed line at the true value between the first and the last place, if both are known."""
    if truth is not None and places:
        hover = f"truth: {truth:.3f}<extra></extra>"
        line = {"line": {**truth_line(), "width": width}, "hovertemplate": hover}
        figure.add_scatter(
            x=[places[0], places[-1]], y=[truth, truth], name=TRUTH_LABEL, mode="lines", **line
        )


def add_entry(figure: go.Figure, **look: Any) -> None:
    """A trace without points, for the legend or a colour bar alone."""
    figure.add_scatter(x=[None], y=[None], hoverinfo="skip", **look)


def add_now(figure: go.Figure) -> None:
    """A vertical line for the value on screen, which a front end moves: it finds the legend group
    "now".
    """
    figure.add_scatter(
        x=[None, None],
        y=[0, 1.02],
        name="",
        legendgroup="now",
        showlegend=False,
        mode="lines",
        line={"color": TRUTH_COLOR, "width": 1.5},
        hoverinfo="skip",
    )


def finish(figure: go.Figure, *, height: int, **layout: Any) -> go.Figure:
    """The figure with the shared layout.

    Transparent, legend below the plot, state kept across redraws.
    """
    shared: dict[str, Any] = {
        "template": _TEMPLATE,
        "paper_bgcolor": _CLEAR,
        "plot_bgcolor": _CLEAR,
        "height": height,
        "margin": {"l": 60, "r": 20, "t": 20, "b": 50},
        "legend": legend(),
        "hovermode": "closest",
        "hoverlabel": {"align": "left", "namelength": -1},
        "uirevision": UIREVISION,
    }
    # Assigned at once: update_layout() checks every entry on its own, at ten times the cost.
    figure.layout = {**figure.layout.to_plotly_json(), **shared, **layout}
    return figure


def number(value: float, digits: int = 3) -> str:
    """A number in words for labels: few digits, ∞ for infinity."""
    if math.isnan(value):
        return "none"
    if math.isfinite(value):
        return f"{value:.{digits}g}"
    if value > 0:
        return "∞"
    return "-∞"


def numbers(values: Sequence[float] | Any, digits: int = 3) -> list[str]:
    """`number` of each."""
    return [number(float(value), digits) for value in values]
