"""The preflight: checks of the two sets, behind one line in the sidebar, and the offer to swap them."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages._explore.session import explore_session
from pages._shared import cache, uploads
from pages._shared.text import plain
from prviz.diagnostics.preflight import Preflight, preflight
from prviz.live.problems import Problem
from prviz.reports.settings import ExploreSettings

MARKS = {"ok": ":green[:material/check:]", "note": ":blue[:material/info:]", "warning": ":orange[:material/warning:]"}
SWAPPED, SHARED = "These look swapped", "Rows in both sets"


def draw(problem: Problem, settings: ExploreSettings, place: DeltaGenerator) -> None:
    """Draw the findings on the pair in `place`, and here the offer to swap it; toys need no check."""
    if problem.toy is not None:
        place.empty()
        return
    pair = problem.pair
    data = cache.remembered(("preflight", problem.key), lambda: preflight(pair))
    found = preflight(pair, k=settings.k, split=settings.split, known=data)
    troubles = len(found.troubles)
    count = "all clear" if not troubles else f"{troubles} thing{'s' if troubles > 1 else ''} to know"
    icon = ":material/warning:" if found.level == "warning" else None
    sizes = f"{pair.real.n:,} + {pair.generated.n:,} × {pair.d:,} · "
    with place.container(), st.popover(f"{sizes}{count}", icon=icon, type="tertiary"):
        for finding in sorted(found.findings, key=lambda one: one.level == "ok"):
            st.markdown(
                f"{MARKS[finding.level]} **{plain(finding.title)}**: {plain(finding.value_text)}  \n"
                f":small[{plain(finding.effect)}]"
            )
    if problem.uploaded is not None:
        _warn(problem, found)


def _warn(problem: Problem, found: Preflight) -> None:
    """Where the sets look swapped, or share rows: a line over the figure, silenced for this pair by Keep."""
    held, digest = explore_session(), problem.uploaded.pair.digest if problem.uploaded else ""
    warned = (each for each in found.findings if each.title in (SWAPPED, SHARED) and each.level == "warning")
    finding = next(warned, None)
    if finding is None or digest in held.kept_roles:
        return
    swapped = finding.title == SWAPPED
    with st.container(horizontal=True, vertical_alignment="center", key="part-swapped"):
        value, effect = plain(finding.value_text), plain(finding.effect)
        said, more = (SWAPPED, f"{value}. {effect}") if swapped else (value, effect)
        st.markdown(f":orange[:material/warning:] **{said}**", help=more, width="stretch")
        if swapped and st.button("Swap", key="swap-roles"):
            uploads.swap()
            st.rerun(scope="app")
        if st.button("Keep", key="keep-roles"):
            held.kept_roles.add(digest)
            st.rerun(scope="app")
