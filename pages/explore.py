"""Explore: live precision-recall curves of a pair of distributions beside the truth where it is known."""

from __future__ import annotations

import streamlit as st

from pages import (
    _cache,
    _controls,
    _diagnostics,
    _live_view,
    _preflight,
    _results,
    _sources,
    _style,
    _takeaway,
    _uploads,
)
from pages._live import plotly_loader
from pages._text import plain
from prviz.settings import Settings


def chosen_problem(settings: Settings) -> _sources.Problem | None:
    """The pair that the settings ask for; None while there are no usable uploads."""
    if settings.source == "toy":
        return _sources.toy_problem(settings)
    if settings.source == "bundled":
        return _sources.bundled_problem(settings)
    uploaded = _uploads.held()
    return None if uploaded is None else _sources.upload_problem(settings, uploaded)


def shown_before() -> tuple[_sources.Problem, Settings]:
    """What was on screen last, or the first view."""
    first = Settings()
    return st.session_state.get("_shown") or (_sources.toy_problem(first), first)


@st.fragment
def live(problem: _sources.Problem, asked: Settings) -> None:
    """Everything that follows k, bandwidth and lam; these come from the figure itself and rerun this part alone."""
    moved = _live_view.with_moved(asked)
    settings = _live_view.legal(moved, problem)
    chosen = problem, settings
    headline, card, notice = st.empty(), st.container(), st.container()
    with notice:
        if settings.split != asked.split:
            st.info("Too few samples for this split: half of them define the classifiers here.")
        if settings.k not in ("sqrt", moved.k):
            st.info(f"k = {settings.k} is the largest that these few samples allow.")
        key, seconds = _results.key(*chosen), _results.seconds(*chosen)
        if not _cache.ready(key, seconds, lambda tick: _results.measure(*chosen, tick)):
            problem, settings = shown_before()
    headline.markdown(_sources.headline(problem))
    with card:
        _preflight.card(problem, settings)
    found = _results.results(problem, settings)
    st.session_state["_shown"] = (problem, settings)
    _live_view.show(problem, found, chosen)
    _takeaway.summary(problem, found)
    _diagnostics.show(problem, settings, found)
    _takeaway.show(problem, settings, found)


def page() -> None:
    """Title, settings, and the live part for the pair they ask for.

    Every part has a place of its own, also while it is empty: nothing moves, and no figure is mounted anew, when one
    of them appears.
    """
    _style.apply()
    st.title("Explore", anchor=False)
    notices, job = st.container(), st.empty()
    settings = _controls.sidebar(_controls.start())
    problem = chosen_problem(settings)
    with notices:
        for message in st.session_state.get("_link_messages", []):
            st.warning(plain(message), icon=":material/link:")
        if problem is None:
            st.info(
                "Put two files into the sidebar to see their curves. Until then this is still the pair from before."
            )
    if problem is None:
        problem, settings = shown_before()
    _cache.run_waiting(job)
    live(problem, settings)
    plotly_loader()


page()
