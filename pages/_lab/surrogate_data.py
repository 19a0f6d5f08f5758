"""The pair that the surrogate is fitted to: Explore's, another bundled one, or uploaded files."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import streamlit as st

from pages._shared import uploads
from pages._shared.cache import session
from prviz.readers import bundled
from prviz.reports.settings import N_LIMITS, ExploreSettings, Source
from prviz.samples import SamplePair

SOURCES = {"bundled": "A bundled set", "upload": "Your files"}
SOURCE, FAMILY = "stand-in.source", "stand-in.family"
# Key of the source and problem that Explore showed when this choice last began with them.
_BEGUN = "_surrogate_of"


class Data(NamedTuple):
    """The pair, and the settings with which Explore shows it."""

    pair: SamplePair
    settings: ExploreSettings

    @property
    def private(self) -> bool:
        return self.settings.source == "upload"

    @property
    def sizes(self) -> str:
        return f"{self.pair.real.n:,} real and {self.pair.generated.n:,} generated samples"


def choose() -> Data | None:
    """Draw the choice of a pair, which starts with Explore's; returns None if there is none yet."""
    explored = session().shown
    shown = ExploreSettings() if explored is None else explored.settings
    _begin(shown)
    source = st.segmented_control(
        "Data", list(SOURCES), format_func=SOURCES.__getitem__, required=True, key=SOURCE, persist_state="session"
    )
    data = _upload(shown) if source == "upload" else _bundled(shown)
    if data is not None:
        st.caption(f"{data.sizes} in {data.pair.d:,} dimensions. No truth is known of them.")
    return data


def _begin(shown: ExploreSettings) -> None:
    """Switch to Explore's pair, once for each pair that Explore has shown."""
    pair = (shown.source, shown.problem)
    if st.session_state.get(_BEGUN) == pair:
        return
    st.session_state[_BEGUN] = pair
    upload = shown.source == "upload" or (shown.source == "toy" and session().uploaded is not None)
    st.session_state[SOURCE] = "upload" if upload else "bundled"
    if shown.source == "bundled" or FAMILY not in st.session_state:
        checkpoint = shown.problem if shown.source == "bundled" else "mixture-converged"
        family = bundled.family_of(checkpoint)
        st.session_state.update({FAMILY: family, f"stand-in.checkpoint.{family}": checkpoint})


def _bundled(shown: ExploreSettings) -> Data:
    families = bundled.BUNDLED
    with st.container(horizontal=True):
        family = st.selectbox(
            "Generator",
            list(families),
            format_func=lambda name: families[name].title,
            key=FAMILY,
            persist_state="session",
        )
        points = {point.name: point for point in families[family].checkpoints}
        checkpoint, key = list(points)[-1], f"stand-in.checkpoint.{family}"
        if len(points) > 1:
            if key not in st.session_state:
                st.session_state[key] = checkpoint
            checkpoint = st.selectbox(
                "Checkpoint",
                list(points),
                format_func=lambda name: points[name].title,
                key=key,
                persist_state="session",
            )
    pair = bundled.bundled_pair(checkpoint)
    return Data(pair, _settings(shown, "bundled", checkpoint, pair))


def _upload(shown: ExploreSettings) -> Data | None:
    if shown.source == "toy" and session().uploaded is None:
        st.caption("Explore shows a toy, whose truth is known anyway: upload files whose truth is unknown.")
    uploaded = uploads.box("sqrt")
    if uploaded is None:
        return None
    return Data(uploaded.pair, _settings(shown, "upload", "", uploaded.pair))


def _settings(shown: ExploreSettings, source: Source, problem: str, pair: SamplePair) -> ExploreSettings:
    n = min(max(pair.real.n, pair.generated.n, N_LIMITS[0]), N_LIMITS[1])
    return replace(shown, source=source, problem=problem, parameters={}, n=n, approximate=False)
