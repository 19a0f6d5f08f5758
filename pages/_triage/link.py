"""The page's link: its values at the start of a session, and its update; a link never names an uploaded file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

# Widgets keep their value while another source or page is open.
KEEP: dict[str, Any] = {"persist_state": "session"}
# Characters of a value that are read from the link.
_LONGEST = 500


def start() -> Mapping[str, str]:
    """The link's values when this session first opened the page."""
    if "_triage_link" not in st.session_state:
        values = st.query_params.to_dict()
        st.session_state["_triage_link"] = {name: text[:_LONGEST] for name, text in values.items()}
    found: Mapping[str, str] = st.session_state["_triage_link"]
    return found


def begin(key: str, value: Any) -> str:
    """The key of a widget, set to `value` if the session has no value for it."""
    if key not in st.session_state:
        st.session_state[key] = value
    return key


def refuse(name: str, reason: str) -> None:
    """Warn once that a part of the link is ignored."""
    warned: set[str] = st.session_state.setdefault("_triage_link_told", set())
    if name not in warned:
        warned.add(name)
        st.warning(reason, icon=":material/link:")


def write(**parts: str | None) -> None:
    """Set the link; a part that is None is left out."""
    values = {name: text for name, text in parts.items() if text is not None}
    if st.query_params.to_dict() != values:
        st.query_params.from_dict(values)
