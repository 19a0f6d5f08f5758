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


# A component's JavaScript is sent with every drawing: this one loads the published text, which
# browsers keep.
_LOADER = """
const page = document.querySelector("script[src*='static/js/']").src;
export default (await import(new URL("{name}", page).href)).default;
"""


def load_published(text: str, *, announced: bool | str = True) -> str:
    """JavaScript for a component that loads this module from the server; see `publish`."""
    return _LOADER.format(name=publish(text, announced=announced))


def told_by(key: str, name: str) -> Any:
    """What a component's state holds under this name; None before it has told anything."""
    state = st.session_state.get(key)
    if isinstance(state, Mapping):
        return state.get(name)
    return None


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


@dataclass(frozen=True)
class Above:
    """What stands over a figure, and takes room from it only once that figure comes, so that
    nothing moves twice.

    key: of its container, "" where there is nothing to say. draw: draws it, right before the figure
    is sent.
    """

    key: str
    draw: Callable[[], None]


def place(name: str) -> None:
    """A place of the page for a part of the main figure: "rows", or a group of its controls."""
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
    """Draw the panes; what is selected in them comes back through `moved(key)`.

    table: the readout below the panes. legend: say above the panes which colour is which curve,
    where they have no legends of their own. explorer: the groups of samples of a pane that follows
    them, and their table (prviz/live/space.py). standout: a group of linked views, in which one
    item at a time stands out (pages/_live/group.js). Traces carry an item's id as their `meta`,
    points as their customdata, panes as their `item`.
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
        told[name](told_by(FIGURE, name))

    above.draw()
    callbacks: dict[str, Any] = {f"on_{name}_change": partial(take, name) for name in told}
    _component(key=FIGURE, data=joined(content, {"above": above.key, "token": token}), **callbacks)


def moved(key: str) -> dict[str, Any]:
    """What the user has selected in this component; empty at first."""
    values = told_by(key, "values")
    if isinstance(values, Mapping):
        return dict(values)
    return {}
