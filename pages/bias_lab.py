"""The Bias lab page: how far estimators are from the truth, where the truth is known."""

from __future__ import annotations

import streamlit as st

from pages._lab import SECTIONS
from pages._shared import answers, cache
from pages._shared.widgets import choose_one


def page() -> None:
    st.title("Bias lab", anchor=False)
    names = list(SECTIONS)
    with st.container(horizontal=True, vertical_alignment="center"):
        key = cache.follow_address("section", names)
        name = choose_one("Section", names, key=key, label_visibility="collapsed")
        section = SECTIONS[name]
        with st.popover("What is this?", icon=":material/help:", type="tertiary"):
            st.markdown(section.IDEA)
    cache.leave_page()
    cache.write_choice("bias_lab", "section", name, names[0], query={})
    # One container for each section: so the previous section disappears at once, not when the new
    # one is ready.
    places = [st.container() if each == name else st.empty() for each in names]
    with places[names.index(name)], answers.waiting():
        section.draw()


page()
