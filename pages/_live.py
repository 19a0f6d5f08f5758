"""The live figure: sliders and linked Plotly panes in one component that keeps zoom and legend across changes.

`st.plotly_chart` mounts a new chart whenever its data change and loses both; this component redraws in place.
Its JavaScript, style and markup are in the folder `_live/` beside this file.
"""

from __future__ import annotations

import gc
import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from prviz.curves import PRCurve

_FOLDER = Path(__file__).with_name("_live")
_component = st.components.v2.component(
    "prviz_live",
    html=(_FOLDER / "live.html").read_text(encoding="utf-8"),
    css=(_FOLDER / "live.css").read_text(encoding="utf-8"),
    js=(_FOLDER / "live.js").read_text(encoding="utf-8"),
    isolate_styles=False,
)

# Streamlit collects garbage of the oldest generation after every script run, which costs 30 to 60 ms per answer while
# the libraries' own objects are in it. They live as long as the server: out of the collector's sight with them.
gc.collect()
gc.freeze()


# Explore's main figure, whose controls are settings.
FIGURE = "explore"


@dataclass(frozen=True)
class Pane:
    """One figure of the component. `link` ("pr" or "error") draws the marks at lam; `square` gives it equal sides."""

    id: str
    figure: go.Figure
    title: str = ""
    caption: str = ""
    link: str = ""
    square: bool = False
    wide: bool = False
    pictures: Sequence[str] = ()

    def payload(self) -> dict[str, Any]:
        figure = json.loads(self.figure.to_json())
        figure["layout"].pop("template", None)
        fixed = {"id": self.id, "title": self.title, "caption": self.caption, "link": self.link}
        size = {"square": self.square, "wide": self.wide, "height": self.figure.layout.height}
        return {**fixed, **size, "figure": figure, "pictures": list(self.pictures)}


@dataclass(frozen=True)
class Slider:
    """One control. `values` are the slider's stops, `marks` the named ones, `number` (low, high, step) of typed values.

    `value` may be a word (a mark's value) that stands for `resolved`. `angle`: lam as tan(value degrees), drawn in the
    browser without asking Python.
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

    def payload(self) -> dict[str, Any]:
        marks = [{"value": value, "label": label} for value, label in self.marks]
        number = None if self.number is None else dict(zip(("min", "max", "step"), self.number, strict=True))
        rest = {"resolved": self.resolved, "angle": self.angle, "empty": self.empty, "help": self.help}
        fixed = {"id": self.id, "label": self.label, "value": self.value, "values": list(self.values)}
        return {**fixed, "marks": marks, "number": number, **rest}


def plotly_loader() -> None:
    """An invisible chart of Streamlit's own: it brings the drawing library that the live figures share."""
    with st.container(key="prviz-loader"):
        st.plotly_chart(go.Figure(layout={"height": 10}), key="prviz-loader-chart", config={"staticPlot": True})


def live_figure(
    key: str,
    panes: Sequence[Pane],
    *,
    controls: Sequence[Slider] = (),
    curves: Mapping[str, tuple[str, str, PRCurve]] | None = None,
) -> None:
    """Draw the panes; moved controls come back through `moved(key)`.

    curves: id -> (label, colour, curve) that the panes' links follow.
    """
    linked = [
        {"id": name, "name": label, "color": color, "vertices": curve.vertices.round(9).tolist()}
        for name, (label, color, curve) in (curves or {}).items()
    ]
    content = {
        "controls": [control.payload() for control in controls],
        "curves": linked,
        "panes": [pane.payload() for pane in panes],
        # An answer must differ from the one before, or the browser would wait for it for ever; but an angle is
        # drawn there without waiting, and sending everything again for it would be in vain.
        "asked": {c.id: moved(key).get(c.id, c.value) for c in controls if not c.angle},
    }
    text = json.dumps(content, allow_nan=False, separators=(",", ":")).encode()
    revision = hashlib.sha256(text).hexdigest()[:12]
    _component(
        key=key,
        data=revision.encode() + text,  # bytes travel as they are; a dict would be encoded a second time
        default={"values": None},
        on_values_change=lambda: None,
    )


def moved(key: str) -> dict[str, Any]:
    """What the hand has set in this component, by control; empty before anything was moved."""
    state = st.session_state.get(key)
    values = state.get("values") if isinstance(state, Mapping) else None
    return dict(values) if isinstance(values, Mapping) else {}


def lam_angle(lam: float) -> float:
    """The stop of the lam slider, in whole degrees, at which lam = tan(angle)."""
    return float(round(math.degrees(math.atan(lam)))) if math.isfinite(lam) else 90.0
