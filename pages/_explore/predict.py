"""The choice of an exercise for a class of students; and Explore reduced to its figure, for pages
that embed it.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages._explore import painting
from pages._explore.session import change, state
from prviz.live.state import PANELS, ROLE
from prviz.live.tasks import TASKS

# CSS that hides everything but the figure, for a page that embeds Explore with embed=true.
_ALONE = (Path(__file__).parent / "alone.css").read_text(encoding="utf-8")
_KEY = "task"
_NONE = "none"
HELP = (
    "The page's address contains the task. A question hides the truth until an answer is given; the"
    " answer gives a code to paste. With &embed=true in the address only the figure is shown, to"
    " embed it in another page."
)


def choose() -> None:
    """Draw the choice of an exercise."""

    def chosen() -> None:
        name = st.session_state[_KEY]
        if name in TASKS and TASKS[name].family:
            painting.begin(name, TASKS[name].family)
        else:
            change(task="" if name == _NONE else name, panel=PANELS[0], colour=ROLE)

    st.session_state[_KEY] = state().task or _NONE
    texts = {_NONE: "None", **{name: task.text for name, task in TASKS.items()}}
    st.selectbox(
        "Task for a class",
        list(texts),
        format_func=texts.__getitem__,
        key=_KEY,
        on_change=chosen,
        help=HELP,
    )


def alone() -> None:
    """Hide all but the figure if Explore is in another page's frame with embed=true."""
    if st.context.is_embedded:
        st.html(f"<style>{_ALONE}</style>")
