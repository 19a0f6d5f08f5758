"""The live figure: sliders and linked Plotly panes in one component that keeps zoom and legend
across changes.

`st.plotly_chart` mounts a new chart whenever its data change and loses both; this component redraws
in place. Its JavaScript, style and markup are beside this file.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from pages._live.modules import bundle
from prviz.curves import PRCurve
from prviz.curves.summaries import Column
from prviz.live.frames import flat
from prviz.live.message import as_text
from prviz.server.static_files import publish

_FOLDER = Path(__file__).parent


# A component's JavaScript is sent with every drawing: this one loads the published text, which
# browsers keep.
_LOADER = """
const page = document.querySelector("script[src*='static/js/']").src;
export default (await import(new URL("{name}", page).href)).default;
"""


def load_published(text: str, *, announced: bool | str = True) -> str:
    """JavaScript for a component that loads this module from the server; see `publish`."""
    return _LOADER.format(name=publish(text, announced=announced))


def javascript() -> str:
    """The live figure's modules as one."""
    return bundle(_FOLDER / "main.js")


_component = st.components.v2.component(
    "prviz_live",
    html=(_FOLDER / "live.html").read_text(encoding="utf-8"),
    css=(_FOLDER / "live.css").read_text(encoding="utf-8"),
    js=load_published(javascript()),
    isolate_styles=False,
)

# Explore's main figure, whose controls are settings.
FIGURE = "explore"
# Curves that panes follow: label, colour and curve by id.
Linked = Mapping[str, tuple[str, str, PRCurve]]


def plain_figure(figure: go.Figure) -> dict[str, Any]:
    """A figure as JSON has it, without its template."""
    plain: dict[str, Any] = json.loads(figure.to_json())
    plain["layout"].pop("template", None)
    return plain


def _sent(value: Any) -> Any:
    """What stands for an object in JSON."""
    if isinstance(value, go.Figure):
        return plain_figure(value)
    return vars(value) if is_dataclass(value) else list(value)


def plain_trace(trace: Any) -> dict[str, Any]:
    """A trace as JSON has it."""
    content = trace if isinstance(trace, dict) else trace.to_plotly_json()
    plain = {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in content.items()
    }
    plain.pop("uid", None)  # as Plotly leaves it out
    return plain


@dataclass(frozen=True)
class Pane:
    """One figure of the component; `square` gives it equal sides, `wide` a row of its own, `half`
    half a row, `small` several in one.

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
    """One control. `values` are the slider's stops, `marks` the named ones, `number` (low, high,
    step) of typed values.

    `value` may be a word (a mark's value) that stands for `resolved`. `angle`: lam as tan(value
    degrees), drawn in the browser without asking Python. `group`: "estimator", "data", "modes"
    (folded), "sampling", or "figure" (below it). `line`: label, slider and number in one line.
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


@dataclass(frozen=True)
class Bars:
    """A control of several amounts in [0, 1]: bars to pull, or the cells of a grid, in rows of
    `columns`, to paint.

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
    """A control of names, each of which is on or off. options : (name, label, help). value : those
    that are on.
    """

    id: str
    label: str
    options: Sequence[tuple[str, str, str]]
    value: Sequence[str]
    group: str = "figure"


Control = Slider | Bars | Chips


class Following(NamedTuple):
    """Curves that panes follow, the id of the frames that hold them at other stops, and the stop
    that is drawn.
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


@dataclass(frozen=True)
class Above:
    """What stands over a figure, and takes room from it only once that figure comes, so that
    nothing moves twice.

    key: of its container, "" where there is nothing to say. draw: draws it, right before the figure
    is sent.
    """

    key: str
    draw: Callable[[], None]


def compact(figure: go.Figure, height: int) -> go.Figure:
    """This figure itself, this many pixels high, without legend and titles of its axes: the panel's
    title says them.
    """
    figure.update_layout(
        height=height, showlegend=False, margin={"l": 30, "r": 8, "t": 16, "b": 20}
    )
    return figure.update_xaxes(title=None, automargin=False).update_yaxes(
        title=None, automargin=False
    )


def place(name: str) -> None:
    """A place of the page for a part of the main figure: "rows", or a group of its controls."""
    st.html(f'<div class="live-place controls" data-prviz-place="{name}"></div>')


def figure_content(
    panes: Sequence[Pane],
    *,
    controls: Sequence[Control] = (),
    curves: Linked | None = None,
    lines: Mapping[str, PRCurve] | None = None,
    table: Table | None = None,
    have: set[str] | None = None,
    **rest: Any,
) -> bytes:
    """What the browser draws, as JSON: the panes with all that `live_figure` describes, and a
    digest of it.

    controls : of the main figure, in whose place on the page each curve has a row too; rest then
    has also bound, errors: of the unknown truth the area that it does not exceed, and how far the
    area of each curve could be off, by its id, as drawn here; the rows mark both.
    lines : further curves that are drawn, by their legend group.
    have : keys of the vertices that the browser has, which are not sent again; those that are sent
    are added.
    """
    have = set() if have is None else have
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


def live_figure(
    key: str,
    panes: Sequence[Pane],
    *,
    follow: Following | None = None,
    table: Table | None = None,
    legend: bool = False,
    explorer: Mapping[str, Any] | None = None,
    standout: str = "",
) -> None:
    """Draw the panes; what is selected in them comes back through `moved(key)`.

    table: the readout below the panes. legend: say above the panes which colour is which curve,
    where they have no legends of their own. explorer: the groups of samples of a pane that follows
    them, and their table (pages/_explore/space.py). standout: a group of linked views, in which one
    item at a time stands out (pages/_live/group.js). Traces carry an item's id as their `meta`, points as their
    customdata, panes as their `item`.
    """
    content = figure_content(
        panes,
        table=table,
        legend=legend,
        explorer=explorer,
        standout=standout,
        **(follow or Following({}))._asdict(),
    )
    _component(
        key=key,
        data=content,
        default={"values": None},
        on_values_change=lambda: None,
    )


def main_figure(
    content: bytes, above: Above, token: str, told: Mapping[str, Callable[[object], object]]
) -> None:
    """Draw the main figure, which then asks the visitor's line (pages/_live/route.py) by itself.

    content : as of `figure_content`, with all that the line needs but the token. above : what
    stands over it.
    told : what to do, before the page is drawn again, with what the figure tells, by its name.
    """

    def take(name: str) -> None:
        state = st.session_state.get(FIGURE)
        told[name](state.get(name) if isinstance(state, Mapping) else None)

    above.draw()
    callbacks: dict[str, Any] = {f"on_{name}_change": partial(take, name) for name in told}
    _component(key=FIGURE, data=joined(content, {"above": above.key, "token": token}), **callbacks)


def joined(text: bytes, more: Mapping[str, Any]) -> bytes:
    """JSON of an object with further entries."""
    return text[:-1] + b"," + as_text(more)[1:]


def moved(key: str) -> dict[str, Any]:
    """What the user has selected in this component; empty at first."""
    state = st.session_state.get(key)
    values = state.get("values") if isinstance(state, Mapping) else None
    return dict(values) if isinstance(values, Mapping) else {}


def lam_angle(lam: float) -> float:
    """The stop of the lam slider, in whole degrees, at which lam = tan(angle)."""
    return float(round(math.degrees(math.atan(lam)))) if math.isfinite(lam) else 90.0
