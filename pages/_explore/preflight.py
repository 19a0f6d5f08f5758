"""The preflight card: checks of the two sets that come before any curve is believed."""

from __future__ import annotations

import streamlit as st

from pages._shared import cache
from pages._shared.sources import Problem
from pages._shared.text import plain
from prviz.diagnostics.preflight import preflight
from prviz.reports.settings import ExploreSettings

MARKS = {"ok": ":green[:material/check:]", "note": ":blue[:material/info:]", "warning": ":orange[:material/warning:]"}


def card(problem: Problem, settings: ExploreSettings) -> None:
    """Show the findings on the pair, opened when one is a warning; toys need no check."""
    if problem.toy is not None:
        return
    pair = problem.pair
    data = cache.remembered(("preflight", problem.key), lambda: preflight(pair))
    found = preflight(pair, k=settings.k, split=settings.split, known=data)
    troubles = len(found.troubles)
    count = "all clear" if not troubles else f"{troubles} thing{'s' if troubles > 1 else ''} to know"
    title = f"Preflight: {pair.real.n:,} real × {pair.generated.n:,} generated, {pair.d:,} features: {count}"
    for finding in found.findings:
        if finding.title == "These look swapped":
            st.warning(f"**These look swapped.** {plain(finding.value_text)}. {plain(finding.effect)}")
    with st.expander(title, expanded=found.level == "warning", icon=":material/fact_check:"):
        for finding in sorted(found.findings, key=lambda one: one.level == "ok"):
            st.markdown(
                f"{MARKS[finding.level]} **{plain(finding.title)}**: {plain(finding.value_text)}  \n"
                f":small[{plain(finding.effect)}]"
            )
