"""The Triage page ranks many checkpoints against one reference, and shows what is wrong with
each.
"""

from __future__ import annotations

import streamlit as st

from pages._triage import work
from pages._triage.checkpoints import count_of
from pages._triage.session import EQUAL, session
from pages._triage.settings import choose_settings, choose_source, settings_link, settings_title
from pages._triage.source import chosen


def page() -> None:
    """Draw the form and the results. Once there are results to see, the form folds into the bar."""
    st.title("Triage", anchor=False)
    kept = session()
    with st.container(key="triage-bar" if kept.folded else "triage-form", horizontal=kept.folded):
        data, how = (
            (st.popover(title) for title in kept.titles)
            if kept.folded
            else (st.container(), st.container())
        )
        with data:
            source = choose_source()
        # for a new source, switch equal sizes off if the uneven sizes of the former source had
        # switched them on
        if source is not None and kept.sized != source.which:
            kept.sized = source.which
            if kept.equal_by_default:
                kept.equal_by_default = st.session_state[EQUAL] = False
        with how:
            settings = None
            if source:
                settings = choose_settings(chosen(source.which))
    for reason in kept.refused.values():
        st.warning(reason, icon=":material/link:")
    if source is None or settings is None:
        kept.stop_runs()
        seen = False
        titles = kept.titles
    else:
        kept.base_link = {**source.link, **settings_link(settings)}
        count = f"{count_of(len(source.checkpoints), 'checkpoint')}, {source.reference.n:,} real"
        titles = f"{source.title}: {count}", settings_title(settings)
        seen = work.box(source, settings)
    if (kept.folded, kept.titles) != (seen, titles):
        kept.folded = seen
        kept.titles = titles
        st.rerun()


page()
