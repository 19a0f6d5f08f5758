"""The live figure: sliders and linked Plotly panes in one component that keeps zoom and legend
across changes.

`st.plotly_chart` mounts a new chart whenever its data change and loses both; this component redraws
in place. Its JavaScript, style and markup are beside this file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from prviz.live.figure import Following, Pane, Table, figure_content, joined
from prviz.live.modules import bundle
from prviz.server.static_files import publish

_FOLDER = Path(__file__).parent


# Streamlit sends a component's JavaScript again with every drawing. This short text loads the
# module from the server instead, and browsers cache the module.
_LOADER = """
const page = document.querySelector("script[src*='static/js/']").src;
export default (await import(new URL("{name}", page).href)).default;
"""


def load_published(text: str, *, announced: bool | str = True) -> str:
    """JavaScript of a component that loads the module `text` from the server (see `publish`)."""
    return _LOADER.format(name=publish(text, announced=announced))


def told_by(key: str, name: str) -> Any:
    """Value with this name that a component has sent to Streamlit's session state; None before it
    has sent one.
    """
    state = st.session_state.get(key)
    if isinstance(state, Mapping):
        return state.get(name)
    return None


def javascript() -> str:
    """The JavaScript modules of the live figure, bundled into one."""
    return bundle(_FOLDER / "main.js")


_component = st.components.v2.component(
    "prviz_live",
    html=(_FOLDER / "live.html").read_text(encoding="utf-8"),
    css=(_FOLDER / "live.css").read_text(encoding="utf-8"),
    js=load_published(javascript()),
    isolate_styles=False,
)

# Key of Explore's main figure, whose controls change the settings.
FIGURE = "explore"


@dataclass(frozen=True)
class Above:
    """A message above a figure. It is drawn just before the new figure is sent, so that the page
    moves once, not twice.

    key : key of the message's container; "" without a message. draw : draws the message.
    """

    key: str
    draw: Callable[[], None]


def place(name: str) -> None:
    """Create an empty element that the main figure fills: with its rows (name "rows"), or with the
    group of controls of this name.
    """
    st.html(f'<div class="live-place controls" data-prviz-place="{name}"></div>')


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
    """Draw linked panes in one component. `moved(key)` returns what the user has selected in the
    panes.

    follow : the curves, if the main figure's sliders change them. table : the numbers below the
    panes. legend : True to list the curves with their colours above the panes, for panes without a
    legend. explorer : the confusion groups of the samples, and their table (prviz/live/space.py).
    standout : name of a group of linked views, which highlight one item at a time
    (pages/_live/group.js). The `meta` of a trace, the customdata of a point and the `item` of a
    pane name their item.
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
    """Draw the main figure. Its browser part then asks the server directly, on the visitor's line
    (pages/_live/route.py).

    content : result of `figure_content`, which has all that the figure needs except the token.
    above : the message above the figure. told : callbacks by the name of a message from the figure;
    a callback gets the message's value before the page runs again.
    """

    def take(name: str) -> None:
        told[name](told_by(FIGURE, name))

    above.draw()
    callbacks: dict[str, Any] = {f"on_{name}_change": partial(take, name) for name in told}
    _component(key=FIGURE, data=joined(content, {"above": above.key, "token": token}), **callbacks)


def moved(key: str) -> dict[str, Any]:
    """The values that the user has set in a component, such as the selected samples."""
    values = told_by(key, "values")
    if isinstance(values, Mapping):
        return dict(values)
    return {}
