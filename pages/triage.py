"""Triage: many checkpoints against one reference. Which one, how sure, and what is wrong with it."""

from __future__ import annotations

import streamlit as st

from pages._shared.cache import session as shared
from pages._triage import work
from pages._triage.session import session, write_link
from pages._triage.settings import choose_settings, choose_source, settings_link
from pages._triage.source import array

IDEA = (
    "One set of real samples, the **reference**, and many generated ones, the **checkpoints** of a training run or of "
    "a sweep: which is the best, how sure is that, and what is wrong with it? Each checkpoint is measured once against "
    "the reference, and the result is kept."
)


def page() -> None:
    if shared().page != "triage":
        work.come_back()
    shared().page = "triage"
    st.title("Triage", anchor=False)
    st.markdown(IDEA)
    with st.container(border=True, key="triage-choice"):
        source = choose_source()
        settings = choose_settings(array(source.which)) if source else None
    if source is None or settings is None:
        session().stop_runs()
        return
    write_link({**source.link, **settings_link(settings)})
    work.box(source, settings)


page()
