"""Explore: live precision-recall curves of a pair of distributions beside the truth where it is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages._explore import approximate, controls, data_controls, diagnostics, far_off, live_view, preflight, takeaway
from pages._explore.session import explore_session
from pages._live.figure import FIGURE, moved, place
from pages._shared import answers, families, results, sources
from pages._shared.answers import Answer
from pages._shared.cache import session
from pages._shared.text import plain
from pages._shared.uploads import Uploaded
from pages._work.jobs import Status
from prviz.estimators import ESTIMATORS
from prviz.reports.settings import FIRST_VIEW, ExploreSettings
from prviz.server.reruns import give_way

Chosen = tuple[sources.Problem, ExploreSettings]
Notes = list[Callable[[], object]]  # what is to be said, once there is a place for it


def chosen(settings: ExploreSettings, uploaded: Uploaded | None, notes: Notes) -> Chosen:
    """The pair that the settings ask for, with the settings that it allows."""
    if settings.source == "toy":
        return _toy(settings, notes)
    if settings.source == "bundled" or uploaded is None:
        return sources.bundled_problem(settings), settings
    return sources.upload_problem(settings, uploaded), settings


def _toy(settings: ExploreSettings, notes: Notes) -> Chosen:
    """The toy; parameters that are legal one by one but not together are replaced by the last good ones."""
    good = explore_session().good
    try:
        problem = sources.toy_problem(settings)
    except ValueError as error:
        notes.append(partial(st.error, plain(str(error)), icon=":material/block:"))
        settings = replace(settings, parameters=dict(good.get(settings.problem, {})))
        problem = sources.toy_problem(settings)
    good[settings.problem] = settings.parameters
    return problem, settings


def before() -> Answer:
    """The last final answer, or the first view."""
    held = session()
    if held.shown is None:
        first = FIRST_VIEW
        problem = sources.toy_problem(first)
        held.shown = Answer(problem, first, results.results(problem, first), Status())
    return held.shown


def _say_adjusted(asked: ExploreSettings, settings: ExploreSettings) -> None:
    approximate.say_left_out(asked, settings)
    if settings.split != asked.split:
        st.info("Too few samples for this split: half of them define the classifiers here.")
    if settings.k not in ("sqrt", asked.k):
        st.info(f"k = {settings.k} is the largest that these few samples allow.")


def _answered(asked: ExploreSettings, uploaded: Uploaded | None) -> tuple[Answer, Chosen, Notes]:
    """The answer drawn now, and the requested problem and settings; where these differ, the notes say why."""
    notes: Notes = []
    if asked.source == "upload" and uploaded is None:  # behind the upload fields the figure stays as it was
        last = before().settings
        asked = replace(asked, source=last.source, problem=last.problem, parameters=last.parameters, n=last.n)
    moved_to = live_view.with_moved(data_controls.with_hand(asked))
    problem, settings = chosen(moved_to, uploaded, notes)
    settings = approximate.legal(live_view.legal(settings, problem))
    stop, patient = answers.stop_clicked(FIGURE), answers.polled(FIGURE)
    answer = answers.answer(problem, settings, before, stop=stop, patient=patient)
    if patient:  # a poll, whose figure is on screen
        give_way()
    stopped = {
        results.key(problem, settings): "what follows still shows the settings before.",
        results.profile_key(problem, settings): "k and bandwidth are measured one by one.",
    }
    notes.append(partial(_say_adjusted, moved_to, settings))
    notes += [partial(answers.say_stopped, key, effect) for key, effect in stopped.items()]
    if answer.status.final:
        session().shown = answer
    return answer, (problem, settings), notes


@st.fragment
def live(asked: ExploreSettings, uploaded: Uploaded | None, facts: DeltaGenerator) -> None:
    """All parts that follow the figure's own controls; a moved control reruns this fragment alone.

    facts : a place in the sidebar for the preflight, an `st.empty`, the only one that a fragment can draw anew.
    """
    # First what takes long: whatever is sent before it has the browser at work on the same cores.
    answer, wanted, notes = _answered(asked, uploaded)
    stale = answer.status.stale
    # Containers keep their old content until they are redrawn; an `st.empty` would blink at every answer.
    curve, beside = st.columns([1.6, 1], gap="small")
    offer, figure, notice = (curve.container(key=key) for key in ("part-offer", "part-figure", "part-notice"))
    with notice:
        for note in notes:
            note()
        approximate.say(answer.found, wanted=wanted[1].approximate and not stale)
    with offer:
        preflight.draw(*((answer.problem, answer.settings) if stale else wanted), facts)
    rest = beside.container(key="part-beside")
    with rest:
        place("rows")  # before the figure, which puts its rows there
    with figure.container(key="part-pr-figure"):
        live_view.draw(answer.problem, answer.settings, answer.found, wanted, answer.status)
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


def _resume() -> None:
    """After a visit to another page, start the figure where it stood, or with the settings that page has put."""
    held, own = session(), explore_session()
    if held.page not in ("", "explore") and not own.put and held.shown is not None:
        last = held.shown.settings
        own.start = replace(controls.start(), lam=last.lam)
    held.page, own.put = "explore", False


def page() -> None:
    """Title, settings, and the live part for the pair they ask for.

    Every part has a container of its own, also while empty: when one part appears, nothing moves and no figure is
    mounted anew.
    """
    st.title("Explore", anchor=False)
    notices, drop = st.container(), st.container(key="part-drop")
    _resume()
    begun = controls.start()
    data_controls.begin(begun)
    settings, uploaded, facts = controls.sidebar(begun, drop)
    with notices:
        for message in explore_session().link_messages:
            st.warning(plain(message), icon=":material/link:")
    live(settings, uploaded, facts)
    own = explore_session()
    if own.about is not None:
        families.open_card(ESTIMATORS[own.about])
        own.about = None


page()
