"""Draws what the checks of the two sets have found: warnings over the figure, and all findings
behind a button.
"""

from __future__ import annotations

import hashlib

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages._explore import gives_away
from pages._explore.session import explore_session
from pages._live.figure import Above
from pages._shared import cache, uploads
from pages._shared.widgets import plain, pressed
from prviz.checks.finding import Finding
from prviz.checks.flags import flags_of
from prviz.diagnostics.preflight import preflight
from prviz.live.problems import Problem
from prviz.readers.columns import columns_offered, with_buttons

MARKS = {
    "ok": ":green[:material/check:]",
    "note": ":blue[:material/info:]",
    "warning": ":orange[:material/warning:]",
}
SWAPPED = "These look swapped"
SHARED = "Rows in both sets"


def draw(problem: Problem, place: DeltaGenerator) -> None:
    """Draw all findings about the pair in `place`; for toys, which need no check, empty `place`."""
    if problem.toy is not None:
        place.empty()
        return
    pair = problem.pair
    data = cache.remembered(("preflight", problem.key), lambda: preflight(pair))
    found = preflight(pair, k=problem.settings.k, split=problem.settings.split, known=data)
    troubles = len(found.troubles)
    count = (
        "all clear" if not troubles else f"{troubles} thing{'s' if troubles > 1 else ''} to know"
    )
    icon = None
    if found.level == "warning":
        icon = ":material/warning:"
    sizes = f"{pair.real.n:,} + {pair.generated.n:,} × {pair.d:,} · "
    with place.container(), st.popover(f"{sizes}{count}", icon=icon, type="tertiary"):
        for finding in sorted(found.findings, key=lambda one: one.level == "ok"):
            said = plain(with_buttons(finding.effect))
            effect = ""
            if said:
                effect = f"  \n:small[{said}]"
            value = plain(with_buttons(finding.value_text))
            st.markdown(f"{MARKS[finding.level]} **{plain(finding.title)}**: {value}{effect}")
            # draw the button of a note; a warning has its button over the figure
            if finding.level == "note":
                _leave_out(problem, finding)


def warnings(problem: Problem, place: DeltaGenerator) -> Above:
    """The message above the figure, drawn in `place`: the first warning in full, the others behind
    a button.

    Warnings that the user has dismissed are left out.
    """
    dismissed = explore_session().dismissed
    found = list[Finding]()
    if problem.toy is None:  # toys have no warnings
        found = [
            each
            for each in flags_of(problem.pair)
            if each.level == "warning"
            and _id(problem, each) not in dismissed
            and (each.title != SWAPPED or problem.uploaded is not None)
        ]
    # The container's key depends on the titles only. Texts contain numbers that change while a
    # slider moves, and a new key would make Streamlit create a new container.
    kinds = hashlib.sha256("\n".join(each.title for each in found).encode()).hexdigest()[:8]
    key = f"part-flags-{kinds}" if found else ""

    def draw_warnings() -> None:
        if not found:
            return
        with place.container(horizontal=True, vertical_alignment="bottom", key=key):
            st.markdown(_text(found[0]), width="stretch")
            _choices(problem, found[0])
            if others := found[1:]:
                with st.popover(f"{len(others)} more", type="tertiary", key="more-flags"):
                    for each in others:
                        st.markdown(_text(each))
                        with st.container(horizontal=True):
                            _choices(problem, each)

    return Above(key, draw_warnings)


def _id(problem: Problem, finding: Finding) -> tuple[str, str]:
    """Identifies a warning in `dismissed`: the files' digest and the finding's title, so that it is
    the same for every subset of rows.
    """
    pair = problem.pair if problem.uploaded is None else problem.uploaded.pair
    return pair.digest, finding.title


def _text(finding: Finding) -> str:
    text = with_buttons(finding.text)
    return f"{MARKS[finding.level]} **{plain(finding.title)}**: {plain(text)}"


def _leave_out(problem: Problem, finding: Finding) -> None:
    """Draw a button that leaves out the features that a finding names, if its text offers that."""
    named = columns_offered(finding.text)
    features = problem.pair.real.features
    places = [features.index(name) for name in named if name in features]
    possible = 0 < len(places) < problem.pair.d
    if possible and pressed("Leave out", f"leave-out-{finding.title}"):
        gives_away.leave_out(problem, places)
        st.rerun(scope="app")


def _choices(problem: Problem, finding: Finding) -> None:
    """Draw the buttons for what the user can do about a warning."""
    _leave_out(problem, finding)
    swapped = finding.title == SWAPPED
    if swapped and pressed("Swap", "swap-roles"):
        uploads.swap()
        st.rerun(scope="app")
    if not swapped and finding.title != SHARED:
        return
    key, label = ("keep-roles", "Keep") if swapped else ("dismiss-shared", "Dismiss")
    if pressed(label, key, help="The sets are as intended: hide this warning for them."):
        explore_session().dismissed.add(_id(problem, finding))
        st.rerun(scope="app")
