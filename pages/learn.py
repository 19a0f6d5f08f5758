"""Learn: the course, one screen a step."""

from __future__ import annotations

import streamlit as st

from pages._learn import course
from pages._shared.cache import session


def page() -> None:
    session().page = "learn"
    st.title("Learn", anchor=False)
    course.draw()


page()
