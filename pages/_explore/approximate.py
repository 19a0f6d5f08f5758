"""Approximate mode: texts on the families that it leaves out, and a label for its curves."""

from __future__ import annotations

import streamlit as st

from pages._shared.widgets import plain
from prviz.estimators import ESTIMATORS
from prviz.live.results import Results
from prviz.reports.settings import ExploreSettings

PENDING = "approximate: how far from the exact curves is being measured"
HELP = (
    "For exploring very large files: curves from approximate lists of nearest neighbours, on at"
    " most 10,000 evaluation samples of each set. The page says how many of the true neighbours the"
    " lists hold, and how far the curves are from the exact ones on a sample. What it costs: one"
    " run without repeats, one k and bandwidth at a time, no Hub iPR; and below about 100,000 rows"
    " the exact curves are there sooner."
)


def say_left_out(asked: ExploreSettings, settings: ExploreSettings) -> None:
    """Draw a message on those of the chosen families that are not on screen, and why."""
    left = [name for name in asked.methods if name not in settings.methods]
    unsplit = [name for name in left if settings.split is None and ESTIMATORS[name].needs_split]
    kept = set(settings.methods) <= set(asked.methods)
    usual = "; the usual four are shown until another family is chosen."
    for names, why in (
        (unsplit, "can only be measured on samples held out by a split"),
        ([name for name in left if name not in unsplit], "can't be approximated"),
    ):
        if names:
            titles = " and ".join(ESTIMATORS[name].title for name in names)
            rest = f" and {'is' if len(names) == 1 else 'are'} left out." if kept else usual
            st.info(f"{titles} {why}{rest}", icon=":material/info:")


def say(found: Results, *, wanted: bool) -> None:
    """Draw the label of approximate curves, or a message that their error is still being
    measured.

    wanted : True if the user has chosen the approximate mode.
    """
    if found.approximation is not None:
        st.markdown(f":material/blur_on: {plain(found.approximation.label)}.")
    elif wanted:
        st.markdown(f":material/blur_on: {PENDING}.")
