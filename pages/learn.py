"""The Learn page: a course on precision and recall, one screen for each step."""

from __future__ import annotations

import streamlit as st

from pages._learn import course


def page() -> None:
    st.title("Learn", anchor=False)
    course.draw()


page()
