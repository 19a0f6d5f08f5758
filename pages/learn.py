"""The Learn page: the course, one screen for each step."""

from __future__ import annotations

import streamlit as st

from pages._learn import course


def page() -> None:
    st.title("Learn", anchor=False)
    course.draw()


page()
