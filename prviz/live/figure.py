"""What the live figure is given: panes, controls and curves, and their text for the browser.

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

# Curves that panes follow: label, colour and curve by id.
Linked = Mapping[str, tuple[str, str, PRCurve]]


@dataclass(frozen=True)
class Pane:
    """One figure of the component.

    square: equal sides. wide: a row of its own. half: half a row. small: several in one row.

    follow: how the browser redraws it at another stop from the frames, by the name of a function in
    `_live/panes.js`; "pr" and "error" show the marks at lam too, "groups" regroups samples at every
    lam. "": only Python redraws it. select: True if samples can be selected, by a box or a lasso.
    note: a word after every estimate in the legend of a "pr" figure.
    item: the pane is all about this item of the figure's group of linked views.
    brush: a drag across picks items of that group.
    link: names the samples that the customdata of the points are rows of; samples marked in one
    pane are ringed in all panes of the figure.
    compact: no room for the row of buttons, which then stands on the plot.
    fit: as large as the window lets it be, without a legend; for a square pane.
    alt: text for screen readers where there is no caption. help: text behind a question mark beside
    the title.
    canvas: the cells of a painting, which a brush paints (pages/_explore/painting.py).
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

    `values` are its stops, `marks` the named ones, `number` (low, high, step) of typed values.
    `value` may be a word (a mark's value) that stands for `resolved`. `angle`: lam as tan(value
    degrees), drawn in the browser without asking Python. `group`: "estimator", "data", "details"
    (folded), "sampling", or "figure" (below it). `line`: label, slider and number in one line.
    `short`: what stands for the label where a pointer can ask for the whole of it.
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
    """A control of several amounts in [0, 1]: bars to pull, or cells, in rows of `columns`, to
    paint.

    `total`: the amounts always sum to one. `group` is that of `Slider`. `like`: amounts, those of
    the real modes, that a button takes over.
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
    """A control of names, each on or off. options : (name, label, help). value : those that are
    on.
    """

    id: str
    label: str
    options: Sequence[tuple[str, str, str]]
    value: Sequence[str]
    group: str = "figure"


Control = Slider | Bars | Chips


class Following(NamedTuple):
    """Curves that panes follow, the id of the frames with those at other stops, and the stop that
    is drawn.
    """

    curves: Linked
    frames: str = ""
    shown: Mapping[str, float | None] | None = None


@dataclass(frozen=True)
class Table:
    """The readout: one row of numbers by curve id; every column explains itself.

    turned: one column by curve and one row by number, with the number over k as a small picture.
    """

    caption: str
    columns: Sequence[Column]
    rows: Mapping[str, Sequence[float]]
    turned: bool = False


def compact(figure: go.Figure, height: int) -> go.Figure:
    """The figure itself, this many pixels high, without legend and titles of its axes: the panel's
    title says them.
    """
    figure.update_layout(
        height=height, showlegend=False, margin={"l": 30, "r": 8, "t": 16, "b": 20}
    )
    return figure.update_xaxes(title=None, automargin=False).update_yaxes(
        title=None, automargin=False
    )


def plain_figure(figure: go.Figure) -> dict[str, Any]:
    """A figure as JSON has it, without its template."""
    plain: dict[str, Any] = json.loads(figure.to_json())
    plain["layout"].pop("template", None)
    return plain


def _sent(value: Any) -> Any:
    """What stands for an object in JSON."""
    if hasattr(value, "to_plotly_json"):
        return plain_figure(value)
    if is_dataclass(value):
        return vars(value)
    return list(value)


def plain_trace(trace: Any) -> dict[str, Any]:
    """A trace as JSON has it."""
    content = trace if isinstance(trace, dict) else trace.to_plotly_json()
    plain = {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in content.items()
    }
    plain.pop("uid", None)  # as Plotly leaves it out
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
    """What the browser draws, as JSON: the panes, what goes with them, and a digest of it.

    controls : of the main figure, in whose place on the page each curve has a row too; rest then
    has also bound, errors: of the unknown truth the area that it does not exceed, and how far the
    area of each curve could be off, by its id, as drawn here; the rows mark both.
    lines : further curves that are drawn, by their legend group.
    have : keys of the vertices that the browser has, which are not sent again; those that are sent
    are added.
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
    """JSON of an object with further entries."""
    return text[:-1] + b"," + as_text(more)[1:]


def lam_angle(lam: float) -> float:
    """The stop of the lam slider, in whole degrees, at which lam = tan(angle)."""
    if math.isfinite(lam):
        return float(round(math.degrees(math.atan(lam))))
    return 90.0
