"""The content that Python sends to the live figure: panes (figures), controls and curves, as JSON.
The JavaScript that draws it is in pages/_live.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prviz.curves import NamedCurves, PRCurve
from prviz.curves.summaries import Column
from prviz.live.modules import as_text
from prviz.live.snapshots import flat

if TYPE_CHECKING:
    import plotly.graph_objects as go

# The curves that panes show: label, colour and curve, by id.
Linked = Mapping[str, tuple[str, str, PRCurve]]


@dataclass(frozen=True)
class Pane:
    """One figure of the component.

    square: True for equal sides. wide: True for a row of its own. half: True for half a row. small:
    True if several fit in one row.

    follow: name of the function in `pages/_live/panes.js` with which the browser redraws the figure
    when a slider moves; "pr" and "error" also show the marks at lam, "groups" regroups samples at
    every lam. "": only Python redraws it. select: True if the user can select samples by a box or a
    lasso. note: a word after every estimate in the legend of a "pr" figure. item: in a group of
    linked views, the item that this pane shows. brush: True if a drag selects items of that group.
    link: id of the samples whose rows are the customdata of the points; samples selected in one
    pane are ringed in all panes with this link. compact: True without a row of buttons above the
    plot; the buttons then stand on the plot. fit: True for a square pane without a legend that is
    as large as the window allows. alt: text for screen readers if there is no caption. help: text
    behind a question mark beside the title. canvas: the cells of a painting that the user paints
    with a brush (pages/_explore/painting.py).
    """

    id: str
    figure: go.Figure | Mapping[str, Any]
    title: str = ""
    caption: str = ""
    follow: str = ""
    square: bool = False
    fit: bool = False
    wide: bool = False
    compact: bool = False
    small: bool = False
    half: bool = False
    select: bool = False
    pictures: Sequence[str] = ()
    note: str = ""
    link: str = ""
    item: str = ""
    brush: bool = False
    alt: str = ""
    help: str = ""
    canvas: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Slider:
    """One slider.

    `values`: stops of the slider. `marks`: buttons for labelled values. `number`: (low, high, step)
    of values that the user may type. `value`: the current value; it may be a word (the value of a
    mark), and `resolved` is its number. `angle`: True if lam is the tangent of the value in
    degrees; the browser then draws without a request to Python. `group`: place of the slider:
    "estimator", "data", "details" (folded), "sampling", or "figure" (below the figure). `line`:
    True for label, slider and number in one line. `short`: a shorter label, shown where hovering
    shows the whole label.
    """

    id: str
    label: str
    values: Sequence[float]
    value: float | str | None
    resolved: float
    marks: Sequence[tuple[float | str | None, str]] = ()
    number: tuple[float, float, float] | None = None
    angle: bool = False
    empty: str = ""
    help: str = ""
    group: str = "estimator"
    line: bool = False
    short: str = ""


@dataclass(frozen=True)
class Bars:
    """A control for several amounts in [0, 1]: bars to drag, or a grid of cells to paint, with
    `columns` cells in each row.

    `total`: True if the amounts always sum to one. `group`: as of `Slider`. `like`: the amounts of
    the real modes, which a button copies.
    """

    id: str
    label: str
    names: Sequence[str]
    value: Sequence[float]
    color: str
    total: bool = False
    columns: int = 0
    help: str = ""
    group: str = "estimator"
    like: Sequence[float] = ()


@dataclass(frozen=True)
class Chips:
    """A control for several names, each on or off. options : (name, label, help). value : the names
    that are on.
    """

    id: str
    label: str
    options: Sequence[tuple[str, str, str]]
    value: Sequence[str]
    group: str = "figure"


Control = Slider | Bars | Chips


class Following(NamedTuple):
    """The curves that panes show; the id of the frames, which have the same curves at other stops
    of the sliders; and the stop at which these curves are.
    """

    curves: Linked
    frames: str = ""
    shown: Mapping[str, float | None] | None = None


@dataclass(frozen=True)
class Table:
    """The table of numbers: `rows` has one row for each curve, by the curve's id; each column has
    an explanation.

    turned: True for one column per curve and one row per number, with a small plot of that number
    over k.
    """

    caption: str
    columns: Sequence[Column]
    rows: Mapping[str, Sequence[float]]
    turned: bool = False


def compact(figure: go.Figure, height: int) -> go.Figure:
    """Give a figure this height in pixels, without legend and axis titles, because the title of the
    panel says what the figure shows.
    """
    figure.update_layout(
        height=height, showlegend=False, margin={"l": 30, "r": 8, "t": 16, "b": 20}
    )
    return figure.update_xaxes(title=None, automargin=False).update_yaxes(
        title=None, automargin=False
    )


def plain_figure(figure: go.Figure) -> dict[str, Any]:
    """A Plotly figure as a plain object for JSON, without its template."""
    plain: dict[str, Any] = json.loads(figure.to_json())
    plain["layout"].pop("template", None)
    return plain


def _sent(value: Any) -> Any:
    """Convert an object that JSON can't represent: a figure, a dataclass or a sequence."""
    if hasattr(value, "to_plotly_json"):
        return plain_figure(value)
    if is_dataclass(value):
        return vars(value)
    return list(value)


def plain_trace(trace: Any) -> dict[str, Any]:
    """A Plotly trace as a plain object for JSON."""
    content = trace if isinstance(trace, dict) else trace.to_plotly_json()
    plain = {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in content.items()
    }
    plain.pop("uid", None)  # As in Plotly's own JSON.
    return plain


def figure_content(
    panes: Sequence[Pane],
    *,
    controls: Sequence[Control] = (),
    curves: Linked | None = None,
    lines: NamedCurves | None = None,
    table: Table | None = None,
    have: set[str] | None = None,
    **rest: Any,
) -> bytes:
    """The content that the browser draws, as JSON: panes, controls, curves, table, and a digest of
    them all.

    controls : the controls, of the main figure only. With controls, each curve has a row on the
    page, which shows two entries of `rest`: bound (upper bound on the unknown true area) and errors
    (by curve id, how far the area may be off). lines : further curves to draw, by their legend
    group. have : keys of the vertices that the browser has, which are not sent again; the keys of
    those that are sent are added.
    """
    if have is None:
        have = set()
    vertices = dict[str, list[float]]()

    def key(curve: PRCurve) -> str:
        found = hashlib.sha256(curve.vertices.tobytes()).hexdigest()[:12]
        if found not in have:
            have.add(found)
            vertices[found] = flat(curve)
        return found

    linked = [
        {"id": name, "name": label, "color": color, "key": key(curve)}
        for name, (label, color, curve) in (curves or {}).items()
    ]
    content = {
        "controls": controls,
        "curves": linked,
        "lines": [{"id": name, "key": key(curve)} for name, curve in (lines or {}).items()],
        "panes": panes,
        "table": (
            table and {**vars(table), "columns": [column._asdict() for column in table.columns]}
        ),
        "rows": bool(controls),
        **rest,
    }
    text = as_text(content, _sent)
    return joined(text, {"revision": hashlib.sha256(text).hexdigest()[:12], "vertices": vertices})


def joined(text: bytes, more: Mapping[str, Any]) -> bytes:
    """The JSON of an object, with further entries added to it."""
    return text[:-1] + b"," + as_text(more)[1:]


def lam_angle(lam: float) -> float:
    """The position of the lam slider for this lam, in whole degrees: lam = tan(angle)."""
    if math.isfinite(lam):
        return float(round(math.degrees(math.atan(lam))))
    return 90.0
