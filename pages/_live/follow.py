"""Parts of a page that wait for background work. The browser asks the server on the visitor's line
(pages/_live/route.py); the answer tells which parts to draw again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from contextvars import ContextVar
from pathlib import Path

import streamlit as st

from pages._live.figure import load_published
from pages._live.route import visitor
from prviz.live.modules import as_text, bundle
from prviz.server.work_queue import foreground

# Part name that means the whole page.
PAGE = "page"
# Names of the parts that are being drawn, outermost first.
_INSIDE: ContextVar[tuple[str, ...]] = ContextVar("inside", default=())
_FOLDER = Path(__file__).parent
_component = st.components.v2.component(
    "prviz_follow",
    html=(_FOLDER / "follow.html").read_text(encoding="utf-8"),
    css=(_FOLDER / "follow.css").read_text(encoding="utf-8"),
    js=load_published(bundle(_FOLDER / "follow.js"), announced=False),
    isolate_styles=False,
)


def listen(part: str = "", *, waits: bool) -> None:
    """Draw this part of the page again when the server tells the browser that the part has changed.
    Inside a fragment only the fragment is drawn again, else the whole page.

    part : the part's name; "" for the part that waits for a measurement and shows its progress.
    waits : True if the part waits for work.
    """
    key = "prviz-progress"
    if part:
        key = f"prviz-follow-{part}"
    content = {"part": part, "token": visitor().token, "waits": waits, "at": time.monotonic_ns()}
    with st.container(key=key):
        _component(key=f"listen-{part}", data=as_text(content), on_news_change=lambda: None)


def follow(
    part: str,
    draw: Callable[[], None],
    state: Callable[[], Hashable],
    every: Callable[[], float | None],
) -> None:
    """Draw a part of the page in a fragment, and draw it again whenever `state` changes.

    state : called from any thread, as long as a browser shows the part. every : seconds until the
    next call of `state`; None to end the calls.
    """

    inside = _INSIDE.get()

    def drawn() -> None:
        visitor().explorer.unwatch(part)
        # read before drawing: a change during the drawing then leads to another drawing
        now = state()
        outside = _INSIDE.set((*inside, part))
        try:
            with foreground.drawing():
                draw()
        finally:
            _INSIDE.reset(outside)
        pause = every()
        # the work has ended during the drawing: draw once more
        if pause is None and state() != now:
            pause = 0.0
        if pause is not None:
            visitor().explorer.watch(part, state, now, pause, inside)
        listen(part, waits=pause is not None)

    st.fragment(drawn)()
