"""What is made of the checkpoints that are measured: the family that is looked at, and one part after another."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

import streamlit as st

from pages._triage._found import Found
from prviz.estimators import ESTIMATORS
from prviz.triage.measured import Settings

PARTS = {
    "Overview": "overview",
    "Ranking": "ranking",
    "How firm is it?": "firmness",
    "What is wrong with it?": "faults",
    "Compare two": "comparison",
    "Report": "report",
}
METHOD = "triage.method"


def method(settings: Settings) -> str:
    """The family that is looked at."""
    chosen = st.session_state.get(METHOD)
    return chosen if chosen in settings.methods else settings.methods[0]


def choose_method(settings: Settings) -> None:
    if len(settings.methods) < 2:
        return
    st.session_state[METHOD] = method(settings)
    st.segmented_control(
        "Family looked at",
        settings.methods,
        format_func=lambda name: ESTIMATORS[name].title,
        required=True,
        key=METHOD,
        persist_state="session",
    )


def show(found: Found) -> None:
    """The parts in tabs; only the open one is made."""
    there = {title: f"pages._triage.{name}" for title, name in PARTS.items() if find_spec(f"pages._triage.{name}")}
    if not there:
        return
    tabs = st.tabs(list(there), on_change="rerun", key="triage-part")
    for tab, module in zip(tabs, there.values(), strict=True):
        if tab.open:
            with tab:
                import_module(module).show(found)
