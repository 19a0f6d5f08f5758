"""Explore: live precision-recall curves of a pair of distributions beside the truth where it is known."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from pages import (
    _answers,
    _approximate,
    _controls,
    _data_controls,
    _diagnostics,
    _families,
    _live_view,
    _preflight,
    _results,
    _sources,
    _style,
    _takeaway,
    _uploads,
)
from pages._answers import Answer
from pages._jobs import Status
from pages._live import FIGURE, moved, plotly_loader
from pages._text import plain
from prviz.settings import Settings

Chosen = tuple[_sources.Problem, Settings]


def chosen(settings: Settings) -> Chosen:
    """The pair that the settings ask for, with the settings that it allows."""
    if settings.source == "toy":
        return _toy(settings)
    uploaded = _uploads.held()
    if settings.source == "bundled" or uploaded is None:
        return _sources.bundled_problem(settings), settings
    return _sources.upload_problem(settings, uploaded), settings


def _toy(settings: Settings) -> Chosen:
    """Of parameters that are legal one by one but not together, the last good ones stay."""
    good = f"_good.{settings.problem}"
    try:
        problem = _sources.toy_problem(settings)
    except ValueError as error:
        st.error(plain(str(error)), icon=":material/block:")
        settings = replace(settings, parameters=st.session_state.get(good, {}))
        problem = _sources.toy_problem(settings)
    st.session_state[good] = settings.parameters
    return problem, settings


def before() -> Answer:
    """What was final last, or the first view."""
    if "_shown" not in st.session_state:
        first = Settings()
        problem = _sources.toy_problem(first)
        st.session_state["_shown"] = Answer(problem, first, _results.results(problem, first), Status())
    shown: Answer = st.session_state["_shown"]
    return shown


def _stop() -> bool:
    """Whether Stop was clicked; that counts once, however often its values are read."""
    hand = moved(FIGURE)
    news = bool(hand.get("stop")) and hand.get("turn") != st.session_state.get("_stop_turn")
    if news:
        st.session_state["_stop_turn"] = hand.get("turn")
    return news


def _say_adjusted(asked: Settings, settings: Settings) -> None:
    _approximate.say_left_out(asked, settings)
    if settings.split != asked.split:
        st.info("Too few samples for this split: half of them define the classifiers here.")
    if settings.k not in ("sqrt", asked.k):
        st.info(f"k = {settings.k} is the largest that these few samples allow.")


def _answered(asked: Settings) -> tuple[Answer, Chosen]:
    """What is drawn now, and what was asked for; where these differ, the page says why."""
    if asked.source == "upload" and _uploads.held() is None:
        st.info("Put two files into the sidebar to see their curves. Until then this is still the pair from before.")
        last = before().settings
        asked = replace(asked, source=last.source, problem=last.problem, parameters=last.parameters, n=last.n)
    moved_to = _live_view.with_moved(_data_controls.with_hand(asked))
    problem, settings = chosen(moved_to)
    settings = _approximate.legal(_live_view.legal(settings, problem))
    _say_adjusted(moved_to, settings)
    answer = _answers.answer(problem, settings, before, stop=_stop())
    _answers.say_stopped(_results.key(problem, settings), "what follows still shows the settings before.")
    _answers.say_stopped(_results.profile_key(problem, settings), "k and bandwidth are measured one by one.")
    if answer.status.final:
        st.session_state["_shown"] = answer
    return answer, (problem, settings)


@st.fragment
def live(asked: Settings) -> None:
    """Everything that follows the figure's own controls; these rerun this part alone."""
    # Containers, which keep what they held until it is drawn anew: an empty place would blink at every answer.
    headline, label, card, notice = st.container(), st.container(), st.container(), st.container()
    with notice:
        answer, wanted = _answered(asked)
    stale = answer.status.stale
    headline.markdown(_sources.headline(answer.problem if stale else wanted[0]))
    with label:
        _approximate.say(answer.found, wanted=wanted[1].approximate and not stale)
    with card:
        _preflight.card(*((answer.problem, answer.settings) if stale else wanted))
    _live_view.show(answer.problem, answer.settings, answer.found, wanted, answer.status)
    _takeaway.summary(answer.problem)
    _diagnostics.show(answer.problem, answer.settings, answer.found)
    if "_shown" in st.session_state:
        _takeaway.show(before().problem, before().settings, before().found)


def _resume() -> None:
    """Back from another page the figure, whose state went with it, begins where it stood, or where that page wants."""
    put = st.session_state.pop("_put", False)
    away = st.session_state.get("_page", "explore") != "explore"
    st.session_state["_page"] = "explore"
    if away and not put and "_shown" in st.session_state:
        last = before().settings
        st.session_state["_start"] = replace(_controls.start(), k=last.k, bandwidth=last.bandwidth, lam=last.lam)


def page() -> None:
    """Title, settings, and the live part for the pair they ask for.

    Every part has a place of its own, also while it is empty: nothing moves, and no figure is mounted anew, when one
    of them appears.
    """
    _style.apply()
    st.title("Explore", anchor=False)
    notices = st.container()
    _resume()
    begun = _controls.start()
    _data_controls.begin(begun)
    settings = _controls.sidebar(begun)
    with notices:
        for message in st.session_state.get("_link_messages", []):
            st.warning(plain(message), icon=":material/link:")
    live(settings)
    _families.cards(settings.methods)
    plotly_loader()


page()
