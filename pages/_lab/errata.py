"""Section "Errata": mistakes in the papers, each with a computation that shows it."""

from __future__ import annotations

import streamlit as st

from pages._lab.experiments import draw_chart
from pages._shared.widgets import plain
from prviz.studies.papers.errata import ERRATA

IDEA = (
    "Where the papers slip: what stands there, **what is true**, and the computation behind it."
    " 2024 and 2026: the two versions of Sykes, Simon, Rabin, Fadili (hal-05344404)."
)

# Height of a figure in pixels, low enough that the erratum's text stays on screen.
HEIGHT = 300


def draw() -> None:
    for place, erratum in enumerate(ERRATA):
        line = f"{plain(erratum.place)}: {plain(erratum.says)} → **{plain(erratum.finding)}**"
        with st.expander(
            line, expanded=place == 0, key=f"erratum-{place}", on_change="rerun"
        ) as box:
            if box.open:
                st.caption(plain(erratum.setting))
                draw_chart(
                    erratum.chart(), f"erratum-figure-{place}", "The line above holds", HEIGHT
                )
