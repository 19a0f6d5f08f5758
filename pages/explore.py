"""The Explore page: live precision-recall curves of a pair, beside the truth where it is known."""

from __future__ import annotations

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages._explore import (
    approximate,
    controls,
    diagnostics,
    far_off,
    guide,
    live_view,
    predict,
    preflight,
    takeaway,
)
from pages._explore.session import MAIN_VIEW, PANEL_TAB, change, explore_session, state
from pages._live.figure import main_figure, place
from pages._live.route import visitor
from pages._shared import answers, families
from pages._shared.cache import session
from pages._shared.widgets import plain, say_refusal
from prviz.estimators import ESTIMATORS
from prviz.live import bounds, results
from prviz.live.problems import Problem
from prviz.live.state import VIEWS
from prviz.server.work_queue import foreground

# Labels for the choices of axes; links contain the choices' names instead.
TITLES = dict(zip(VIEWS, ("PR", "Errors"), strict=True))


def _say(problem: Problem) -> None:
    """Draw messages on where the figure differs from what the user has asked for, and why."""
    held = explore_session()
    asked = state().settings
    settings = problem.settings
    if held.refused:
        say_refusal(plain(held.refused))
        held.refused = ""
    approximate.say_left_out(asked, settings)
    if settings.split != asked.split:
        st.info("Too few samples for this split: half of them define the classifiers here.")
    if settings.k not in ("sqrt", asked.k):
        st.info(f"k = {settings.k} is the largest that these few samples allow.")
    answers.say_stopped(results.key(problem), "what follows still shows the settings before.")
    answers.say_stopped(results.profile_key(problem), "k and bandwidth are measured one by one.")
    for need, effect in (
        (bounds.need(problem), "the bound is not drawn."),
        (bounds.believed_need(problem), "the curve to believe is missing."),
    ):
        if need is not None:
            answers.say_stopped(need.key, effect)


@st.fragment
@foreground.drawing()
def live(facts: DeltaGenerator) -> None:
    """Draw the figure and all parts of the page that change with the figure's own controls.

    The controls ask the server directly; once they have been still for a while, this fragment runs
    again, not the whole page. facts : element in the sidebar for the findings about the pair. It is
    an `st.empty`, the only kind of element outside itself that a fragment can redraw.
    """
    held = explore_session()
    shared = session()
    if held.about is not None or held.next is not None:
        # Run the whole page: a fragment can neither open the card of a family nor take over new
        # settings.
        st.rerun()
    change(
        panel=st.session_state.get(PANEL_TAB) or state().panel,
        view=st.session_state.get(MAIN_VIEW) or VIEWS[0],
    )
    line = visitor()
    line.understand = live_view.understand(held, shared)
    # read this before the state: a question that arrives in between is then answered next
    number = held.asked
    asked = live_view.wanted(held, shared)
    line.explorer.turn_to(asked)
    answer = answers.answer(asked, partial(live_view.last, shared))
    if answer.final:
        shared.shown = answer
    problem = answer.problem
    found = answer.found
    # progress is not drawn here: the main figure shows it
    with answers.waiting(st.container(key="prviz-follow-panel")):
        # Use containers, which keep their old content until it is drawn again: an `st.empty` would
        # flicker at every answer.
        curve, beside = st.columns([1.6, 1], gap="small")
        warnings, figure, notice = (
            curve.container(key=key) for key in ("part-warnings", "part-figure", "part-notice")
        )
        with notice:
            _say(asked)
            approximate.say(found, wanted=asked.settings.approximate and not answer.stale)
        checked = problem if answer.stale else asked
        preflight.draw(checked, facts)
        rest = beside.container(key="part-beside")
        with rest:
            # an empty element for the figure's rows: the figure's script fills it
            place("rows")
        with figure.container(key="part-pr-figure"):
            st.segmented_control(
                "Axes",
                VIEWS,
                required=True,
                key=MAIN_VIEW,
                format_func=TITLES.__getitem__,
                label_visibility="collapsed",
            )
            content = live_view.content(held, shared, asked, number, answer)
            main_figure(content, preflight.warnings(checked, warnings), line.token, live_view.TOLD)
        with rest:
            far_off.draw(problem)
            with st.container(key="part-diagnostics"):
                diagnostics.draw(problem, found)
        with beside:
            if (shown := shared.shown) is not None:
                takeaway.draw(shown.problem, shown.drawn)


def page() -> None:
    """Draw title, settings, and the live part for the pair that the settings name.

    Every part has its own container, even while it is empty: when a part appears, Streamlit then
    neither moves another one nor creates a figure anew.
    """
    st.title("Explore", anchor=False)
    own = explore_session()
    if own.next is not None:
        controls.put(*own.next)
        own.next = None
    if guide.is_due():
        guide.draw()
        return
    predict.alone()
    notices = st.container()
    drop = st.container(key="part-drop")
    about = own.about
    own.about = None
    own.uploaded, facts = controls.sidebar(controls.start(), drop)
    with notices:
        if own.link_messages:
            lines = "  \n".join(plain(message) for message in own.link_messages)
            st.warning(lines, icon=":material/link:")
    live(facts)
    if about is not None:
        families.open_card(ESTIMATORS[about])


page()
