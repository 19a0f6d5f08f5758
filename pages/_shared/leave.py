"""From a section to another page."""

from __future__ import annotations

import streamlit as st


def wish(page: str) -> None:
    """In a callback: go to this page in the next run of the whole page."""
    st.session_state["_leave_for"] = page


def wished() -> bool:
    """Whether to run the whole page, no widget bound to the address: while one is, Streamlit changes no page."""
    return "_leave_for" in st.session_state


def leave() -> None:
    """Go, if that was wished for."""
    if wished():
        st.switch_page(st.session_state.pop("_leave_for"))
