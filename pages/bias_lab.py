"""Bias lab: how far any estimator is from the truth, where the truth is known."""

from __future__ import annotations

import streamlit as st

from pages._lab import SECTIONS
from pages._live.figure import plotly_loader
from pages._shared import leave, style
from pages._shared.cache import session


def page() -> None:
    style.apply()
    session().page = "bias_lab"
    st.title("Bias lab", anchor=False)
    plotly_loader()  # first, so that the browser fetches Plotly while Python runs
    names = list(SECTIONS)
    chosen = st.segmented_control(
        "Section",
        names,
        default=names[0],
        required=True,
        key="section",
        bind=None if leave.wished() else "query-params",
        label_visibility="collapsed",
    )
    leave.leave()
    section = SECTIONS[chosen if chosen in SECTIONS else names[0]]
    st.markdown(section.IDEA)
    section.show()


page()
