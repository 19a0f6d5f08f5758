"""The sidebar: every setting except those of the figure's own controls."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any, Literal
from urllib.parse import quote

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages._explore import approximate as _approximate
from pages._explore import parameters as _parameters
from pages._explore.session import (
    APPROXIMATE,
    CHECKPOINT,
    FAMILY,
    MAIN_VIEW,
    PANEL_TAB,
    PRESET,
    PROBLEM,
    SOURCE,
    explore_session,
    state,
)
from pages._live.figure import place
from pages._shared import families as _families
from pages._shared import uploads
from pages._shared.cache import session
from prviz.figures import TRUTH_COLOR
from prviz.live.problems import Uploaded
from prviz.live.state import ExploreState
from prviz.readers import bundled
from prviz.reports.settings import FIRST_VIEW, ExploreSettings, Source
from prviz.toys import TOYS, toy

SOURCES: dict[Source, str] = {"toy": "Toy", "bundled": "Bundled", "upload": "Your files"}


# A widget so keeps its value while another source hides it.
KEEP: Literal["session"] = "session"


def start() -> ExploreSettings:
    """The settings that widgets begin with, where the session holds no value for them."""
    begun = state()
    _begin(PANEL_TAB, begun.panel)
    _begin(MAIN_VIEW, begun.view)
    return begun.settings


def put(settings: ExploreSettings, uploaded: Uploaded | None = None) -> None:
    """Let Explore, opened next from another page, show these settings instead of those its widgets and figure hold.

    uploaded : the pair to show, where the settings say that it is an upload.
    """
    widgets: dict[str, Any] = {SOURCE: settings.source, APPROXIMATE: settings.approximate}
    widgets |= _parameters.widget_values(settings)
    for paper, families in _families.by_paper().items():
        widgets[_families.METHODS.format(paper)] = _families.among(families, settings.methods)
    if settings.source == "bundled":
        family = bundled.family_of(settings.problem)
        widgets |= {FAMILY: family, CHECKPOINT.format(family): settings.problem}
    st.session_state.update(widgets)
    explore_session().link_messages = []
    state()
    explore_session().update(lambda now: now.with_settings(settings))
    if uploaded is not None:
        session().uploaded = uploaded


def _begin(key: str, value: Any) -> str:
    """The key of a widget, holding `value` if the session has not set it yet."""
    if key not in st.session_state:
        st.session_state[key] = value
    return key


def sidebar(begun: ExploreSettings, drop: DeltaGenerator) -> tuple[Uploaded | None, DeltaGenerator]:
    """Draw the sidebar, take what it says into the state, and return the upload and a place for its preflight.

    drop : the place of the upload fields.
    """
    with st.sidebar:
        data = st.container(key="part-data")
        source = data.segmented_control(
            "Data",
            list(SOURCES),
            format_func=SOURCES.__getitem__,
            required=True,
            key=_begin(SOURCE, begun.source),
            persist_state=KEEP,
            label_visibility="collapsed",
            width="stretch",
        )
        source = source or begun.source
        name, n, uploaded = "", None, None
        with data:
            if source == "toy":
                name = _toy(begun)
            elif source == "bundled":
                name = _bundled(begun)
            else:
                uploaded = uploads.stage(state().tuning(source)[0], drop)
                if uploaded is not None:
                    n = uploads.rows_to_use(uploaded.pair, approximate=_approximate_now(begun))
            facts = st.empty()
            place("data")
            place("modes")
        with st.container(key="part-families"):
            methods = _families.choose(begun.methods, _begin, persist_state=KEEP)
        place("estimator")
        place("sampling")
        with st.popover("More", icon=":material/tune:", type="tertiary", help="Numbers that the papers fix."):
            methods, b, eps = _parameters.choose(begun, methods, _begin, persist_state=KEEP)
            key = _begin(APPROXIMATE, begun.approximate)
            label = "Approximate neighbour lists"
            approximate = bool(st.toggle(label, key=key, help=_approximate.HELP, persist_state=KEEP))
    choice: dict[str, Any] = {"methods": methods, "b": b, "eps": eps, "approximate": approximate}

    def chosen(now: ExploreState) -> ExploreState:
        other = now.with_data(source, name, n)
        return replace(other, settings=replace(other.settings, **choice))

    explore_session().update(chosen)
    return uploaded, facts


def _approximate_now(begun: ExploreSettings) -> bool:
    """True if the toggle is on; for the parts that are drawn above the toggle."""
    return bool(st.session_state.get(APPROXIMATE, begun.approximate))


@cache
def _thumbnails() -> str:
    """Style rules that put before each toy's name in the list its true curve."""
    rules = []
    for number, name in enumerate(TOYS, start=1):
        _, precision, recall = toy(name).truth().sample(40)
        line = " ".join(f"{30 * x + 1:.1f} {31 - 30 * y:.1f}" for x, y in zip(recall, precision, strict=True))
        picture = (
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M1 1V31H31" fill="none" '
            f'stroke="{TRUTH_COLOR}"/><path d="M1 31L{line}" fill="{TRUTH_COLOR}55" stroke="{TRUTH_COLOR}" '
            'stroke-width="2"/></svg>'
        )
        rules.append(
            f".st-key-{PROBLEM} [role=radiogroup] > :nth-child({number}) label::before "
            f"{{ background-image: url('data:image/svg+xml,{quote(picture)}'); }}"
        )
    return "<style>" + "\n".join(rules) + "</style>"


def _toy(begun: ExploreSettings) -> str:
    titles = {name: toy(name).title.split(":")[0] for name in TOYS}
    key = _begin(PROBLEM, begun.problem if begun.source == "toy" else FIRST_VIEW.problem)
    menu = "part-toy"

    def close() -> None:
        st.session_state[menu] = False

    with st.popover(titles[st.session_state[key]], width="stretch", key=menu, on_change="rerun"):
        st.html(_thumbnails())
        name = st.radio(
            "Toy, with its true curve",
            list(TOYS),
            format_func=titles.__getitem__,
            key=key,
            persist_state=KEEP,
            label_visibility="collapsed",
            on_change=close,
        )
        _presets(name, toy(name))
    return name


def _presets(name: str, described: Any) -> None:
    if not described.presets:
        return

    def apply() -> None:
        chosen = described.presets.get(st.session_state[PRESET.format(name)], {})
        put: dict[str, Any] = {"problem": name, "parameters": chosen, "n": toy(name, **chosen).default_n}
        explore_session().update(lambda now: now.with_settings(replace(now.settings, **put)))

    st.selectbox(
        "Published settings",
        list(described.presets),
        index=None,
        placeholder="Published settings ...",
        label_visibility="collapsed",
        key=PRESET.format(name),
        on_change=apply,
    )


def _bundled(begun: ExploreSettings) -> str:
    first = begun.problem if begun.source == "bundled" else "mixture-converged"
    families = bundled.BUNDLED
    family = st.selectbox(
        "Generator",
        list(families),
        format_func=lambda f: families[f].title,
        key=_begin(FAMILY, bundled.family_of(first)),
        help="  \n".join(f"**{each.title}**: {each.summary}" for each in families.values()),
        persist_state=KEEP,
    )
    points = {point.name: point for point in families[family].checkpoints}
    default = first if first in points else list(points)[-1]
    if len(points) == 1:
        return default
    return st.select_slider(
        "Checkpoint",
        list(points),
        format_func=lambda c: points[c].title,
        key=_begin(CHECKPOINT.format(family), default),
        help="  \n".join(f"**{point.title}**: {point.summary}" for point in points.values()),
        persist_state=KEEP,
    )
