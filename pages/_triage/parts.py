"""The parts of the Triage page in tabs, and the selected family."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from pages._triage import comparison, diagnosis, overview, ranking, report, robustness
from pages._triage.checkpoints import CheckpointResults
from prviz.estimators import ESTIMATORS
from prviz.triage.measured import TriageSettings

PARTS: Mapping[str, Callable[[CheckpointResults], None]] = {
    "Overview": overview.show,
    "Ranking": ranking.show,
    "How firm is it?": robustness.show,
    "What is wrong with it?": diagnosis.show,
    "Compare two": comparison.show,
    "Report": report.show,
}
METHOD = "triage.method"
# Session keys of the open part, and of the part that was open when the page was left (Streamlit forgets the tab).
PART, _LEFT = "triage-part", "_triage_part"


def method(settings: TriageSettings) -> str:
    """The selected family."""
    chosen = st.session_state.get(METHOD)
    return chosen if chosen in settings.methods else settings.methods[0]


def choose_method(settings: TriageSettings) -> None:
    """Draw the choice of the family, where there are several."""
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


def come_back() -> None:
    """Reopen the part that was open when the page was left."""
    if _LEFT in st.session_state:
        st.session_state[PART] = st.session_state[_LEFT]


def show(found: CheckpointResults) -> None:
    """Draw the parts in tabs; only the open one is computed."""
    tabs = st.tabs(list(PARTS), on_change="rerun", key=PART)
    st.session_state[_LEFT] = st.session_state.get(PART)
    for tab, draw in zip(tabs, PARTS.values(), strict=True):
        if tab.open:
            with tab:
                draw(found)
