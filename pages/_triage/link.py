"""The address of the page: what it says at the start, and what a copy of it leads back to; never an uploaded file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

# Widgets keep their value while another source or page is open.
KEEP: dict[str, Any] = {"persist_state": "session"}
_LONGEST = 500


def start() -> Mapping[str, str]:
    """What the address said when this session opened the page first."""
    if "_triage_link" not in st.session_state:
        asked = st.query_params.to_dict()
        st.session_state["_triage_link"] = {name: text[:_LONGEST] for name, text in asked.items()}
    found: Mapping[str, str] = st.session_state["_triage_link"]
    return found


def begin(key: str, value: Any) -> str:
    """The key of a widget, holding `value` if the session has not set it yet."""
    if key not in st.session_state:
        st.session_state[key] = value
    return key


def refuse(name: str, reason: str) -> None:
    """Say once that a part of the address is ignored."""
    told: set[str] = st.session_state.setdefault("_triage_link_told", set())
    if name not in told:
        told.add(name)
        st.warning(reason, icon=":material/link:")


def write(**parts: str | None) -> None:
    """The address from now on; None: as it is without."""
    wanted = {name: text for name, text in parts.items() if text is not None}
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)
