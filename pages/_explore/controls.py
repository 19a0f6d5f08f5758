"""The sidebar: every setting except those of the figure's own controls."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import streamlit as st

from pages._explore import approximate as _approximate
from pages._explore import data_controls
from pages._explore import parameters as _parameters
from pages._explore.session import (
    APPROXIMATE,
    CHECKPOINT,
    FAMILY,
    PANEL,
    PANEL_TABS,
    PRESET,
    PROBLEM,
    SOURCE,
    SPLIT,
    explore_session,
)
from pages._live.figure import FIGURE, moved, place
from pages._shared import families as _families
from pages._shared import uploads
from pages._shared.cache import session
from pages._shared.uploads import Uploaded
from prviz.readers import bundled
from prviz.reports.settings import REPEATS_LIMITS, ExploreSettings, Source
from prviz.toys import TOYS, toy

SOURCES: dict[Source, str] = {"toy": "Toy", "bundled": "Bundled", "upload": "Your files"}
SPLITS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]


# A widget so keeps its value while another source hides it.
KEEP: Literal["session"] = "session"


def start() -> ExploreSettings:
    """The settings this session began with: its link's, or the defaults."""
    held = explore_session()
    if held.start is None:
        held.start, held.link_messages = ExploreSettings.from_query(st.query_params.to_dict())
        for key in PANEL_TABS.values():
            _begin(key, st.query_params.get(PANEL))
    return held.start


def put(settings: ExploreSettings, uploaded: Uploaded | None = None) -> None:
    """Let Explore, opened next from another page, show these settings instead of those its widgets and figure hold.

    uploaded : the pair to show, where the settings say that it is an upload.
    """
    widgets: dict[str, Any] = {SOURCE: settings.source, SPLIT: settings.split, APPROXIMATE: settings.approximate}
    widgets |= _parameters.widget_values(settings)
    for paper, families in _families.by_paper().items():
        widgets[_families.METHODS.format(paper)] = _families.among(families, settings.methods)
    if settings.source == "bundled":
        family = bundled.family_of(settings.problem)
        widgets |= {FAMILY: family, CHECKPOINT.format(family): settings.problem}
    st.session_state.update(widgets)
    st.session_state.pop(FIGURE, None)
    held = explore_session()
    held.start, held.link_messages = settings, []
    held.put = True  # else the figure would start where the user left it
    if uploaded is not None:
        session().uploaded = uploaded
    data_controls.begin(settings)
    data_controls.put(data_controls.numbers(settings))


def _begin(key: str, value: Any) -> str:
    """The key of a widget, holding `value` if the session has not set it yet."""
    if key not in st.session_state:
        st.session_state[key] = value
    return key


def sidebar(begun: ExploreSettings) -> tuple[ExploreSettings, Uploaded | None]:
    """Draw the sidebar and return its settings and upload; settings of the figure's controls are as they began."""
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
        name, n, uploaded = "", begun.n, None
        with data:
            if source == "toy":
                name = _toy(begun)
            elif source == "bundled":
                name = _bundled(begun)
            else:
                uploaded = uploads.box(moved(FIGURE).get("k", begun.k))
                if uploaded is not None:
                    n = uploads.rows_to_use(uploaded.pair, approximate=_approximate_now(begun))
            place("data")
            place("modes")
        with st.container(key="part-families"):
            methods = _families.choose(begun.methods, _begin, persist_state=KEEP)
        place("estimator")
        split, repeats = _sampling(begun, source)
        methods, b, eps = _parameters.choose(begun, methods, _begin, persist_state=KEEP)
        key = _begin(APPROXIMATE, begun.approximate)
        approximate = bool(
            st.toggle("Approximate neighbour lists", key=key, help=_approximate.HELP, persist_state=KEEP)
        )
    changed = replace(begun, source=source, problem=name, parameters={}, n=n, methods=methods)
    return replace(changed, split=split, repeats=repeats, b=b, eps=eps, approximate=approximate), uploaded


def _approximate_now(begun: ExploreSettings) -> bool:
    """True if the toggle is on; for the parts that are drawn above the toggle."""
    return bool(st.session_state.get(APPROXIMATE, begun.approximate))


def _sampling(begun: ExploreSettings, source: str) -> tuple[float | None, int]:
    split = st.container(key="part-split").select_slider(
        "Split",
        [None, *sorted({*SPLITS, *(() if begun.split is None else (begun.split,))})],
        key=_begin(SPLIT, begun.split),
        format_func=lambda r: "none" if r is None else f"{r:.0%}",
        help="Share of each set that defines the classifiers; the rest measures their errors. none: one and "
        "the same samples do both, as in most published metrics. On all bundled sets the curves then lie lower.",
        persist_state=KEEP,
    )
    repeats = st.slider(
        "Repeats",
        *REPEATS_LIMITS,
        key=_begin("repeats", begun.repeats),
        help="Draws the samples (toys) or the split (your data) so many times: the curve is the mean, the band is one "
        "standard deviation along each ray of equal λ.",
        disabled=_approximate_now(begun),
        persist_state=KEEP,
    )
    if source != "toy" and split is None and repeats > 1 and not _approximate_now(begun):
        st.caption("Rows that are all used exist once: without a split or a subsample nothing is drawn again.")
    return split, int(repeats)


def _toy(begun: ExploreSettings) -> str:
    titles = {name: toy(name).title for name in TOYS}
    name = st.selectbox(
        "Problem",
        list(TOYS),
        format_func=titles.__getitem__,
        key=_begin(PROBLEM, begun.problem if begun.source == "toy" else "mixtures"),
        persist_state=KEEP,
        label_visibility="collapsed",
    )
    described = toy(name)
    _presets(name, described)
    return name


def _presets(name: str, described: Any) -> None:
    if not described.presets:
        return

    def apply() -> None:
        chosen = described.presets.get(st.session_state[PRESET.format(name)], {})
        values = {spec.name: chosen.get(spec.name, spec.default) for spec in described.specs}
        numbers = {data_controls.held_key(name, parameter): value for parameter, value in values.items()}
        data_controls.put({"n": toy(name, **chosen).default_n, **numbers})

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
        persist_state=KEEP,
    )
    points = {point.name: point for point in families[family].checkpoints}
    default = first if first in points else list(points)[-1]
    name = default
    if len(points) > 1:
        name = st.select_slider(
            "Checkpoint",
            list(points),
            format_func=lambda c: points[c].title,
            key=_begin(CHECKPOINT.format(family), default),
            persist_state=KEEP,
        )
    st.caption(f"{families[family].summary} {points[name].summary}")
    return name
