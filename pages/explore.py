"""Explore: live precision-recall curves of a pair of distributions beside the truth where it is known."""

from __future__ import annotations

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages._explore import approximate, controls, diagnostics, far_off, live_view, preflight, takeaway
from pages._explore.session import MAIN_VIEW, PANEL_TAB, change, explore_session, state
from pages._live.figure import main_figure, place, waiting
from pages._live.route import visitor
from pages._shared import answers, families
from pages._shared.cache import session
from pages._shared.text import plain
from pages._shared.widgets import begin
from prviz.estimators import ESTIMATORS
from prviz.live import results
from prviz.live.explorer import Explorer
from prviz.live.problems import Problem
from prviz.live.state import PANELS, VIEWS
from prviz.reports.settings import ExploreSettings


def _say_adjusted(asked: ExploreSettings, settings: ExploreSettings) -> None:
    approximate.say_left_out(asked, settings)
    if settings.split != asked.split:
        st.info("Too few samples for this split: half of them define the classifiers here.")
    if settings.k not in ("sqrt", asked.k):
        st.info(f"k = {settings.k} is the largest that these few samples allow.")


def _say(problem: Problem, settings: ExploreSettings) -> None:
    """What the page has to say about what the user has asked for."""
    held = explore_session()
    if held.refused:
        st.error(plain(held.refused), icon=":material/block:")
        held.refused = ""
    _say_adjusted(state().settings, settings)
    answers.say_stopped(results.key(problem, settings), "what follows still shows the settings before.")
    answers.say_stopped(results.profile_key(problem, settings), "k and bandwidth are measured one by one.")


def _listen() -> Explorer:
    """Let the visitor's line answer this page."""
    line = visitor()
    line.explorer.stopped = session().stopped
    line.understand = live_view.understand(explore_session(), session())
    return line.explorer


@st.fragment
def live(facts: DeltaGenerator) -> None:
    """All parts that follow the figure's own controls.

    These ask the visitor's line; when they have not moved for a while, this fragment alone runs again.

    facts : a place in the sidebar for the preflight, an `st.empty`, the only one that a fragment can draw anew.
    """
    held, shared = explore_session(), session()
    if held.about is not None:
        st.rerun()  # the page opens the card: here the next answer would close it
    change(
        panel=st.session_state.get(PANEL_TAB) or PANELS[0],
        view=st.session_state.get(MAIN_VIEW) or VIEWS[0],
    )
    explorer = _listen()
    number = held.asked  # before the state is read: what comes later is in the next answer
    asked = live_view.wanted(held, shared)
    explorer.turn_to(*asked)
    answer = answers.answer(*asked, partial(live_view.last, shared))
    if answer.final:
        shared.shown = answer
    problem, settings, found = answer.problem, answer.settings, answer.found
    shared.waited_for = None
    # Containers keep their old content until they are redrawn; an `st.empty` would blink at every answer.
    curve, beside = st.columns([1.6, 1], gap="small")
    warnings, figure, notice = (curve.container(key=key) for key in ("part-warnings", "part-figure", "part-notice"))
    with notice:
        _say(*asked)
        approximate.say(found, wanted=asked[1].approximate and not answer.stale)
    checked = (problem, settings) if answer.stale else asked
    preflight.draw(*checked, facts)
    rest = beside.container(key="part-beside")
    with rest:
        place("rows")  # before the figure, which puts its rows there
    with figure.container(key="part-pr-figure"):
        begin(MAIN_VIEW, VIEWS[0])
        st.segmented_control("Axes", VIEWS, required=True, label_visibility="collapsed", key=MAIN_VIEW)
        content = live_view.content(held, answer, asked, shared.stopped, number)
        main_figure(content, preflight.warnings(checked[0], warnings), visitor().token, live_view.TOLD)
    with rest:
        far_off.draw(problem, settings)
        with st.container(key="part-diagnostics"):
            diagnostics.draw(problem, settings, found)
    with beside:
        if (shown := shared.shown) is not None:
            takeaway.draw(shown.problem, shown.settings, shown.found)
    panel = shared.waited_for
    explorer.expect(panel)
    waiting(panel is not None)


def page() -> None:
    """Title, settings, and the live part for the pair they ask for.

    Every part has a container of its own, also while empty: when one part appears, nothing moves and no figure is
    mounted anew.
    """
    st.title("Explore", anchor=False)
    notices, drop = st.container(), st.container(key="part-drop")
    session().page = "explore"
    own = explore_session()
    about, own.about = own.about, None
    own.uploaded, facts = controls.sidebar(controls.start(), drop)
    with notices:
        for message in own.link_messages:
            st.warning(plain(message), icon=":material/link:")
    live(facts)
    if about is not None:
        families.open_card(ESTIMATORS[about])


page()
