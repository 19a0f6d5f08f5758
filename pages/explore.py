"""Explore: live precision-recall curves of a pair of distributions beside the truth where it is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages._explore import approximate, controls, diagnostics, far_off, live_view, preflight, takeaway
from pages._explore.session import explore_session, state
from pages._live.figure import FIGURE, moved, place
from pages._shared import answers, families
from pages._shared.answers import Answer
from pages._shared.cache import session
from pages._shared.text import plain
from pages._work.jobs import Status
from prviz.estimators import ESTIMATORS
from prviz.live import results
from prviz.live.problems import Problem, Uploaded, allowed, problem_of
from prviz.reports.settings import FIRST_VIEW, ExploreSettings
from prviz.server.reruns import give_way

Chosen = tuple[Problem, ExploreSettings]
Notes = list[Callable[[], object]]  # what is to be said, once there is a place for it


def before() -> Answer:
    """The last final answer, or the first view."""
    held = session()
    if held.shown is None:
        first = FIRST_VIEW
        problem = problem_of(first, stores=held)
        held.shown = Answer(problem, first, results.results(problem, first), Status())
    return held.shown


def _say_adjusted(asked: ExploreSettings, settings: ExploreSettings) -> None:
    approximate.say_left_out(asked, settings)
    if settings.split != asked.split:
        st.info("Too few samples for this split: half of them define the classifiers here.")
    if settings.k not in ("sqrt", asked.k):
        st.info(f"k = {settings.k} is the largest that these few samples allow.")


def _answered(uploaded: Uploaded | None) -> tuple[Answer, Chosen, Notes]:
    """The answer drawn now, and the requested problem and settings; where these differ, the notes say why."""
    live_view.take_moved()
    notes: Notes = []
    if refused := explore_session().refused:
        notes.append(partial(st.error, plain(refused), icon=":material/block:"))
    asked = state().settings
    if asked.source == "upload" and uploaded is None:  # behind the upload fields the figure stays as it was
        last = before().settings
        asked = replace(asked, source=last.source, problem=last.problem, parameters=last.parameters, n=last.n)
    problem = problem_of(asked, uploaded, session())
    settings = allowed(asked, problem)
    stop, patient = answers.stop_clicked(FIGURE), answers.polled(FIGURE)
    answer = answers.answer(problem, settings, before, stop=stop, patient=patient)
    if patient:  # a poll, whose figure is on screen
        give_way()
    stopped = {
        results.key(problem, settings): "what follows still shows the settings before.",
        results.profile_key(problem, settings): "k and bandwidth are measured one by one.",
    }
    notes.append(partial(_say_adjusted, asked, settings))
    notes += [partial(answers.say_stopped, key, effect) for key, effect in stopped.items()]
    if answer.status.final:
        session().shown = answer
    return answer, (problem, settings), notes


@st.fragment
def live(uploaded: Uploaded | None, facts: DeltaGenerator) -> None:
    """All parts that follow the figure's own controls; a moved control reruns this fragment alone.

    facts : a place in the sidebar for the preflight, an `st.empty`, the only one that a fragment can draw anew.
    """
    # First what takes long: whatever is sent before it has the browser at work on the same cores.
    answer, wanted, notes = _answered(uploaded)
    stale = answer.status.stale
    # Containers keep their old content until they are redrawn; an `st.empty` would blink at every answer.
    curve, beside = st.columns([1.6, 1], gap="small")
    warnings, figure, notice = (curve.container(key=key) for key in ("part-warnings", "part-figure", "part-notice"))
    with notice:
        for note in notes:
            note()
        approximate.say(answer.found, wanted=wanted[1].approximate and not stale)
    checked, settings = (answer.problem, answer.settings) if stale else wanted
    preflight.draw(checked, settings, facts)
    rest = beside.container(key="part-beside")
    with rest:
        place("rows")  # before the figure, which puts its rows there
    above = preflight.warnings(checked, warnings)
    with figure.container(key="part-pr-figure"):
        live_view.draw(answer.problem, answer.settings, answer.found, wanted, answer.status, above)
    _ask_for_card()
    give_way()  # to the next step of a slider, once this one is on screen
    with rest:
        far_off.draw(answer.problem, answer.settings)
        with st.container(key="part-diagnostics"):
            diagnostics.draw(answer.problem, answer.settings, answer.found)
    with beside:
        if (shown := session().shown) is not None:
            takeaway.draw(shown.problem, shown.settings, shown.found)


def _ask_for_card() -> None:
    """Let the page open the card of the family whose row has been asked: here the next answer would close it."""
    values, held = moved(FIGURE), explore_session()
    if (name := values.get("about")) in ESTIMATORS and values.get("turn") != held.about_turn:
        held.about, held.about_turn = name, values.get("turn")
        st.rerun()


def page() -> None:
    """Title, settings, and the live part for the pair they ask for.

    Every part has a container of its own, also while empty: when one part appears, nothing moves and no figure is
    mounted anew.
    """
    st.title("Explore", anchor=False)
    notices, drop = st.container(), st.container(key="part-drop")
    session().page = "explore"
    uploaded, facts = controls.sidebar(controls.start(), drop)
    with notices:
        for message in explore_session().link_messages:
            st.warning(plain(message), icon=":material/link:")
    live(uploaded, facts)
    own = explore_session()
    if own.about is not None:
        families.open_card(ESTIMATORS[own.about])
        own.about = None


page()
