"""Learn: short interactive lessons, one idea and one figure each."""

from __future__ import annotations

import streamlit as st

from pages._learn import LESSONS
from pages._shared.cache import session
from pages._shared.widgets import choose_one


def page() -> None:
    session().page = "learn"
    st.title("Learn", anchor=False)
    names = list(LESSONS)
    name = choose_one("Lesson", names, names[0], key="lesson", bind="query-params", label_visibility="collapsed")
    lesson, place = LESSONS[name], names.index(name)
    st.header(lesson.TITLE, anchor=False)
    st.markdown(lesson.IDEA)
    lesson.draw()

    def go(name: str) -> None:
        st.session_state["lesson"] = name

    with st.container(horizontal=True, horizontal_alignment="distribute"):
        for step, label in ((-1, "Back: {}"), (1, "Next: {}")):
            if 0 <= place + step < len(names):
                name = names[place + step]
                st.button(label.format(name), on_click=go, args=(name,), key=f"go.{step}")


page()
