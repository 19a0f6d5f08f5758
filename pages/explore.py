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


@st.fragment
def live(problem: _sources.Problem, asked: Settings) -> None:
    """Everything that follows k, bandwidth and lam; these come from the figure itself and rerun this part alone."""
    settings = _live_view.legal(_live_view.with_moved(asked), problem)
    key = _results.key(problem, settings)
    if not _cache.known(key) and _results.seconds(problem, settings) > _results.LIVE_SECONDS:
        if st.session_state.get("_stopped") != key:
            st.rerun(scope="app")
        problem, settings = st.session_state.get("_shown", (problem, settings))
    found = _results.results(problem, settings)
    st.session_state["_shown"] = (problem, settings)
    _live_view.show(problem, settings, found)
    _takeaway.summary(problem, found)
    _diagnostics.show(problem, settings, found)
    _takeaway.show(problem, settings, found)


def page() -> None:
    """Title, settings, and the live part for the pair they ask for."""
    _style.apply()
    st.title("Explore", anchor=False)
    settings = _controls.sidebar(_controls.start())
    for message in st.session_state.get("_link_messages", []):
        st.warning(plain(message), icon=":material/link:")
    problem = chosen_problem(settings)
    if problem is None:
        problem, settings = st.session_state.get("_shown", (_sources.toy_problem(Settings()), Settings()))
        st.info("Put two files into the sidebar to see their curves. Until then this is still the pair from before.")
    st.markdown(_sources.headline(problem))
    _preflight.card(problem, settings)
    now = _live_view.legal(_live_view.with_moved(settings), problem)
    seconds = _results.seconds(problem, now)
    if seconds > _results.LIVE_SECONDS:
        _cache.computed_with_progress(
            _results.key(problem, now), seconds, lambda tick: _results.measure(problem, now, tick)
        )
    live(problem, settings)
    plotly_loader()


page()
