"""The style of all figures: a colour for each family, the line of the truth, the layout, and the
escaping of text from files.
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

    # Curve name -> spread of the curve.
    Bands: TypeAlias = Mapping[str, Band] | Mapping[str, IntervalBand]

# Markers, one for each family, so that colour is not the only difference: Plotly's name -> SVG path
# around (0, 0) with radius 1.
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
# Diameter in pixels of a marker on a curve.
SYMBOL_SIZE = 9
# Number of markers per curve: enough to identify it, few enough to leave its course visible.
MOST_SYMBOLS = 6
# Colours of two compared generators, which no default family has.
RIVAL_COLORS = (SPARE_COLORS[0], FAMILY_COLORS["classifier"])
TRUTH_COLOR = "#7f7f7f"
TRUTH_LABEL = "truth"
# Colours of ordered values, such as sizes or steps, from blue to orange. They stay apart under
# every colour-vision deficiency and have a contrast of 3:1 on the white and the dark page.
ORDER_COLORS = ("#0072B2", "#8561C5", "#E0457B", "#C48A00")
# Purple for real and olive for generated samples stay apart under every colour-vision deficiency,
# and no family has either colour.
REAL_COLOR = "#8561C5"
EVEN_COLOR = "#8a8a8a"
GENERATED_COLOR = "#6B9A1F"
FAINT = "rgba(127,127,127,0.25)"
# Role, symbol and colour; the symbols tell roles apart without colour.
ROLES = (("real", "circle", REAL_COLOR), ("generated", "triangle-up", GENERATED_COLOR))
# Values of lam with a tick on axes that are linear in arctan(lam).
TICK_LAMS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, np.inf)
_TICK_LABELS = ("0", "¼", "½", "1", "2", "4", "∞")
# Colour scale from low to high values: its brightness grows evenly, so it is readable under every
# colour-vision deficiency.
HEAT = "Cividis"
# Ticks of an axis of differences: all with a sign, except 0.
SIGNED_TICKS: dict[str, Any] = {"tickformat": "+.3~f", "labelalias": {"+0": "0"}}
SIGNED = "RdBu_r"  # colour scale of differences: blue below 0, white at 0, red above
# Relative luminance of the background at which black and white text have equal contrast.
_EVEN_CONTRAST = 0.179
UIREVISION = "prviz"

_CLEAR = "rgba(0,0,0,0)"
# Streamlit merges its theme into the template's layout, so the template must have one.
_TEMPLATE = go.layout.Template(layout={"colorway": [*FAMILY_COLORS.values(), *SPARE_COLORS]})


def plain(text: object, longest: int = 80) -> str:
    """Text from outside, such as a name, escaped so that Plotly shows it literally.

    The result has one line of at most `longest` characters, without tags, links or formulas. Plotly
    interprets a subset of HTML in every text, `%{...}` in hover templates, and `$...$` as TeX. So
    `<`, `&`, `{` and `$` become entities, which Plotly decodes last. Quotes are kept, because
    Plotly does not decode `&quot;`.
    """
    line = " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())
    short = line if len(line) <= longest else line[: longest - 1] + "…"
    return html.escape(short, quote=False).replace("{", "&#123;").replace("$", "&#36;")


def noted(note: str) -> str:
    """The hover text of a sample, escaped and wrapped for a narrow panel."""
    return "<br>".join(wrap(plain(note), 32, break_long_words=False))


def title(name: str) -> str:
    """The displayed title of a curve: the family's title, or the name itself if it is not a
    family.
    """
    if name in ESTIMATORS:
        return ESTIMATORS[name].title
    return name


def label(name: str, longest: int = 80) -> str:
    """A curve's name in the legend: its title, escaped by `plain`."""
    return plain(title(name), longest)


def named(name: str, note: str = "") -> dict[str, Any]:
    """Name and legend group of a curve's trace.

    A note, if given, is added to the name.
    """
    words = label(name)
    if note:
        words += f", {plain(note)}"
    return {"name": words, "legendgroup": plain(name)}


def symbols(names: Iterable[str]) -> dict[str, str]:
    """Plotly's marker of each curve.

    A family has its own marker; other names take turns among the markers that no given family has.
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
    """`count` different colours along the scale of ORDER_COLORS."""
    stops = [[int(color[i : i + 2], 16) for i in (1, 3, 5)] for color in ORDER_COLORS]
    places = np.linspace(0, len(stops) - 1, max(count, 2))[:count]
    levels = np.column_stack(
        [np.interp(places, range(len(stops)), channel) for channel in zip(*stops, strict=True)]
    )
    return ["#" + "".join(f"{round(level):02X}" for level in each) for each in levels.tolist()]


def faded(color: str, opacity: float) -> str:
    """A hex colour with an opacity, as rgba()."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:g})"


def line_of(color: str) -> dict[str, Any]:
    """Line style of an estimate: always solid, because dashes mean truth."""
    return {"color": color, "width": 2.5}


def curve_line(name: str, color: str) -> dict[str, Any]:
    """Line style of a family's curve: thicker for ``tightest``, whose curve is the one to
    believe.
    """
    return line_of(color) | {"width": 4.0 if name == TIGHTEST.name else 2.5}


def truth_line() -> dict[str, Any]:
    """Line style of the truth."""
    return {"color": TRUTH_COLOR, "width": 2.5, "dash": "dash"}


def axis(title: str, **options: Any) -> dict[str, Any]:
    """Options of an axis, in greys that are legible on light and dark backgrounds."""
    lines = {"gridcolor": FAINT, "zerolinecolor": FAINT, "linecolor": FAINT, "automargin": True}
    return {"title": {"text": title, "standoff": 8}, **lines, **options}


# Titles of the axes of a precision-recall plot, which explain recall and precision.
RECALL = "recall: what is real that it can make"
PRECISION = "precision: what it makes that could be real"


def square(x_title: str, y_title: str, **side: Any) -> dict[str, Any]:
    """Axes of a square plot with the same unit; the options in `side` apply to both."""
    side = {"constrain": "domain", **side}
    return {
        "xaxis": axis(x_title, **side),
        "yaxis": axis(y_title, scaleanchor="x", constraintoward="top", **side),
    }


def pr_axes() -> dict[str, Any]:
    """The axes of a precision-recall plot."""
    return square(RECALL, PRECISION, range=[0, 1.02], dtick=0.2)


def angle_axis() -> dict[str, Any]:
    """An axis of lam, linear in the angle arctan(lam) in degrees."""
    ticks = {
        "tickvals": np.degrees(np.arctan(TICK_LAMS)),
        "ticktext": _TICK_LABELS,
        "range": [0, 90],
    }
    return axis("λ, even in angle θ = arctan λ<br>← recall end · precision end →", **ticks)


def signed_axis(title: str, longest: float, **options: Any) -> dict[str, Any]:
    """An axis symmetric around 0 whose tick labels have no sign, for bars that go to both sides."""
    end = reach(longest)
    ticks = [-end, -end / 2, 0.0, end / 2, end]
    labels = {"tickvals": ticks, "ticktext": [f"{abs(tick):g}" for tick in ticks]}
    zero = {"zerolinecolor": TRUTH_COLOR, "zerolinewidth": 2}
    return axis(title, range=[-1.02 * end, 1.02 * end], **labels, **zero, **options)


def polygon(x: Any, y: Any, fill: str, **options: Any) -> go.Scatter:
    """A filled area without an outline, such as a band."""
    look = {
        "mode": "lines",
        "line": {"width": 0},
        "fill": "toself",
        "fillcolor": fill,
        "hoverinfo": "skip",
    }
    return go.Scatter(x=x, y=y, **look, **options)


def there_and_back(low: Any, high: Any) -> Any:
    """One coordinate along a band's outline: first the lower side, then the upper side
    backwards.
    """
    return np.concatenate([low, high[::-1]])


def outline(band: Band | IntervalBand) -> tuple[Any, Any]:
    """Recall and precision along the outline of a band of curves, cut to [0, 1]."""
    recall = there_and_back(band.beta_low, band.beta_high)
    precision = there_and_back(band.alpha_low, band.alpha_high)
    return np.clip(recall, 0, 1), np.clip(precision, 0, 1)


def ink(levels: Sequence[float]) -> str:
    """Name of the text colour, "black" or "white", that is legible on a background with these
    levels of red, green and blue, from 0 to 1.

    It is a name because dark pages lighten colours that are given in hexadecimal.
    """
    if luminance(levels) > _EVEN_CONTRAST:
        return "black"
    return "white"


def inked(colors: Any, shares: Floats, *, reverse: bool = False) -> Iterator[tuple[int, int, str]]:
    """Row, column and text colour (black or white) of each finite cell of a heat map.

    shares : positions of the cells on the colour scale `colors`, from 0 to 1.
    reverse : True if the scale is reversed.
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
    """Write a text into each cell, given as (x, y, text, colour), where the colour is "black" or
    "white".

    Texts of the same colour are one trace.
    """
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
    """All rows in increasing order; of more than `most` rows a random subset, the same at every
    call.
    """
    if len(rows) <= most:
        return rows
    return np.sort(np.random.default_rng(0).choice(rows, size=most, replace=False))


def legend(y: float = -0.2, *, centred: bool = False) -> dict[str, Any]:
    """A horizontal legend below the plot.

    y : top of the legend, as a multiple of the plot's height; negative below the plot.
    """
    place = {"x": 0.5, "xanchor": "center"} if centred else {"x": 0, "xanchor": "left"}
    return {"orientation": "h", "y": y, "yanchor": "top", **place}


def tick_names(names: Iterable[str]) -> dict[str, Any]:
    """Options of a vertical axis with one tick per name, the first name on top.

    Long names are cut, so that a narrow screen has room for the plot.
    """
    texts = [label(name, 24) for name in names]
    ends = {"range": [len(texts) - 0.4, -0.6], "zeroline": False}
    return {"tickvals": list(range(len(texts))), "ticktext": texts, **ends}


def reach(longest: float, steps: Sequence[float] = (0.05, 0.1, 0.2, 0.5)) -> float:
    """The end of an axis: the first of ``steps`` that is at least `longest`, else 1.

    With such round ends an axis stays the same while values change a little.
    """
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
    """Add a dashed line at the true value, from the first to the last of ``places``; nothing if
    ``truth`` is None.
    """
    if truth is not None and places:
        hover = f"truth: {truth:.3f}<extra></extra>"
        line = {"line": {**truth_line(), "width": width}, "hovertemplate": hover}
        figure.add_scatter(
            x=[places[0], places[-1]], y=[truth, truth], name=TRUTH_LABEL, mode="lines", **line
        )


def add_entry(figure: go.Figure, **look: Any) -> None:
    """Add a trace without points, for a legend entry or a colour bar."""
    figure.add_scatter(x=[None], y=[None], hoverinfo="skip", **look)


def add_now(figure: go.Figure) -> None:
    """Add a vertical line for the selected value, at first without a position.

    A front end finds the line by its legend group "now" and moves it.
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
    """The figure with the layout that all figures share: a transparent background, and the legend
    below the plot.

    `uirevision` keeps zoom and hidden traces when the figure is drawn again.
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
    # One assignment is ten times as fast as update_layout(), which validates every entry
    # separately.
    figure.layout = {**figure.layout.to_plotly_json(), **shared, **layout}
    return figure


def number(value: float, digits: int = 3) -> str:
    """A number as label text: few digits, "∞" for infinity, "none" for nan."""
    if math.isnan(value):
        return "none"
    if math.isfinite(value):
        return f"{value:.{digits}g}"
    if value > 0:
        return "∞"
    return "-∞"


def numbers(values: Sequence[float] | Any, digits: int = 3) -> list[str]:
    """The text of each value, as by `number`."""
    return [number(float(value), digits) for value in values]
