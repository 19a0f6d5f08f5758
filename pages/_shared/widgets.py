"""The style sheet and the widgets that the pages share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st

T = TypeVar("T")
# Style rules that the theme does not cover.
CSS = """
.block-container { padding-top: 2.6rem; padding-bottom: 3rem; }
[data-testid="stCaptionContainer"] { color: inherit; opacity: .8; }
/* The page has a Stop of its own, which leaves the figures as they were. */
[data-testid="stStatusWidget"] button { display: none; }
/* The main figure's progress stays above the rest and is not dimmed with it. */
.st-key-explore { position: relative; z-index: 2; opacity: 1 !important; }
.st-key-prviz-frames {
  position: absolute; width: 20px; height: 0; overflow: hidden; visibility: hidden;
}
"""


def apply_style() -> None:
    """Add the style sheet to the page."""
    st.html(f"<style>{CSS}</style>")


def begin(key: str, value: Any) -> str:
    """The key of a widget, set to `value` if the session has no value for it."""
    st.session_state.setdefault(key, value)
    return key


def choose_one(label: str, options: Mapping[T, str] | Sequence[T], first: T | None = None, **more: Any) -> T:
    """Draw a segmented control with one option chosen: `first`, or at the start the value that its key holds.

    options : the options, or their titles by option. more : of `st.segmented_control`. A value that is no option,
    from a link or from before the options changed, counts as the first choice.
    """
    known = list(options)
    if isinstance(options, Mapping):
        more["format_func"] = lambda option: options.get(option, str(option))
    chosen = st.segmented_control(label, known, default=first, required=True, **more)
    return chosen if chosen in known else known[0] if first is None else first
