"""Change the page from within a section."""

from __future__ import annotations

import streamlit as st

from pages._shared.cache import session


def wish(page: str) -> None:
    """In a callback: request a change to this page in the next full run."""
    session().leave_for = page


def wished() -> bool:
    """True if a change was requested. Draw no widget bound to the address then: Streamlit would not change the page."""
    return session().leave_for is not None


def leave() -> None:
    """Change the page if that was requested."""
    held = session()
    page, held.leave_for = held.leave_for, None
    if page is not None:
        st.switch_page(page)
