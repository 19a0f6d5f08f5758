"""Change the page from within a section."""

from __future__ import annotations

import streamlit as st


def wish(page: str) -> None:
    """In a callback: request a change to this page in the next full run."""
    st.session_state["_leave_for"] = page


def wished() -> bool:
    """True if a change was requested. Draw no widget bound to the address then: Streamlit would not change the page."""
    return "_leave_for" in st.session_state


def leave() -> None:
    """Change the page if that was requested."""
    if wished():
        st.switch_page(st.session_state.pop("_leave_for"))
