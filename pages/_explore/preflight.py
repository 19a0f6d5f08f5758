"""The preflight: checks of the two sets, behind one line in the sidebar, and the offer to swap them."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages._explore.session import explore_session
from pages._shared import cache, uploads
from pages._shared.sources import Problem
from pages._shared.text import plain
from prviz.checks.flags import Finding
from prviz.diagnostics.preflight import Preflight, preflight
from prviz.reports.settings import ExploreSettings

MARKS = {"ok": ":green[:material/check:]", "note": ":blue[:material/info:]", "warning": ":orange[:material/warning:]"}
SWAPPED = "These look swapped"


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
        _list(sorted(found.findings, key=lambda one: one.level == "ok"))
    _warn(problem, found)


def _list(findings: Iterable[Finding]) -> None:
    for finding in findings:
        st.markdown(
            f"{MARKS[finding.level]} **{plain(finding.title)}**: {plain(finding.value_text)}  \n"
            f":small[{plain(finding.effect)}]"
        )


def _warn(problem: Problem, found: Preflight) -> None:
    """The first warning, in a line over the figure; others behind it. Where sets look swapped, an offer to swap."""
    held, digest = explore_session(), problem.pair.digest
    warned = [each for each in found.troubles if each.level == "warning"]
    if problem.uploaded is None or digest in held.kept_roles:
        warned = [each for each in warned if each.title != SWAPPED]
    warned.sort(key=lambda each: each.title != SWAPPED)
    if not warned:
        return
    first, more = warned[0], len(warned) - 1
    key = "part-swapped" if first.title == SWAPPED else "part-flags"
    with st.container(horizontal=True, vertical_alignment="center", key=key):
        line = f":orange[:material/warning:] **{plain(first.title)}**: {plain(first.text)}"
        if key == "part-swapped":
            st.markdown(f":orange[:material/warning:] **{SWAPPED}**", help=plain(first.text), width="stretch")
        else:
            st.markdown(line, width="stretch")
            label = f"+ {more} more" if more else "Whole text"
            with st.popover(label, type="tertiary"):
                _list(warned)
        if key == "part-swapped" and st.button("Swap", key="swap-roles"):
            uploads.swap()
            st.rerun(scope="app")
        if key == "part-swapped" and st.button("Keep", key="keep-roles"):
            held.kept_roles.add(digest)
            st.rerun(scope="app")
