"""The sidebar of Explore: all settings except those that are controls of the figure."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any, Literal
from urllib.parse import quote

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages._explore import approximate as _approximate, guide, predict
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
from pages._shared import families as _families, uploads
from pages._shared.widgets import begin, choose_one
from prviz.curves.summaries import EPS, B
from prviz.estimators import ESTIMATORS
from prviz.figures import TRUTH_COLOR
from prviz.live.problems import Uploaded
from prviz.live.state import ExploreState, panels
from prviz.readers import bundled
from prviz.reports.settings import B_LIMITS, EPS_LIMITS, FIRST_VIEW, ExploreSettings, Source
from prviz.toys import TOYS, toy

# Keys of widgets for numbers to which the papers give one value: a family's parameters, b, ε.
_OF_FAMILY = "parameter.{}.{}"
_B = "summary-b"
_EPS = "summary-eps"
SOURCES: dict[Source, str] = {"toy": "Toy", "bundled": "Bundled", "upload": "Your files"}


SWAP_HELP = "Real becomes generated, and generated real: precision and recall trade places."
# Value of `persist_state`: the session keeps a widget's value while the widget is not drawn,
# because another source of data is chosen.
KEEP: Literal["session"] = "session"


def start() -> ExploreSettings:
    """The settings with which widgets start that have no value in the session yet."""
    begun = state()
    begin(PANEL_TAB, begun.panel)
    begin(MAIN_VIEW, begun.view)
    return begun.settings


def put(settings: ExploreSettings, uploaded: Uploaded | None = None) -> None:
    """Make Explore, which another page opens next, show these settings.

    The settings replace those of its widgets and of its figure. uploaded : the pair to show, if the
    settings' source is an upload.
    """
    widgets: dict[str, Any] = {SOURCE: settings.source, APPROXIMATE: settings.approximate}
    widgets |= parameter_values(settings)
    for paper, families in _families.by_paper().items():
        widgets[_families.METHODS.format(paper)] = _families.among(families, settings.methods)
    if settings.source == "toy":
        widgets[PROBLEM] = settings.problem
    if settings.source == "bundled":
        family = bundled.family_of(settings.problem)
        widgets |= {FAMILY: family, CHECKPOINT.format(family): settings.problem}
    st.session_state.update(widgets)
    guide.show(False)
    explore_session().link_messages = []
    state()
    explore_session().update(lambda now: now.with_settings(settings))
    if uploaded is not None:
        uploads.show(uploaded)


def sidebar(begun: ExploreSettings, drop: DeltaGenerator) -> tuple[Uploaded | None, DeltaGenerator]:
    """Draw the sidebar and update the state from it.

    Returns the uploaded pair, and an empty element for the findings about the pair (`preflight`).
    drop : container for the upload fields.
    """
    with st.sidebar:
        data = st.container(key="part-data")
        look: dict[str, Any] = {"label_visibility": "collapsed", "width": "stretch"}
        name = ""
        n = None
        uploaded = None
        with data:
            source = choose_one(
                "Data", SOURCES, key=begin(SOURCE, begun.source), persist_state=KEEP, **look
            )
            if source == "toy":
                name = _toy(begun)
            elif source == "bundled":
                name = _bundled(begun)
            else:
                uploaded = uploads.stage(state().tuning(source)[0], drop)
                if uploaded is not None:
                    # the toggle for the approximate mode is drawn further below: use its value of
                    # the last run
                    known = st.session_state.get(APPROXIMATE, begun.approximate)
                    n = uploads.rows_to_use(uploaded.pair, approximate=known)
            facts = st.empty()
            place("data")
            place("details")
        with st.container(key="part-families"):
            methods = _families.choose(begun.methods)
        place("estimator")
        place("sampling")
        with st.container(horizontal=True, horizontal_alignment="distribute", key="part-more"):
            with st.popover(
                "More",
                icon=":material/tune:",
                type="tertiary",
                help="More: numbers that the papers fix, approximate lists, roles.",
            ):
                methods, b, eps = _parameters(begun, methods)
                key = begin(APPROXIMATE, begun.approximate)
                label = "Approximate neighbour lists"
                approximate = bool(
                    st.toggle(label, key=key, help=_approximate.HELP, persist_state=KEEP)
                )
                st.button("The first five steps again", on_click=guide.show, args=(True,))
                if source == "toy":
                    predict.choose()
                if not state().settings.swapped:
                    _swap()
            if state().settings.swapped:
                _swap()

    def chosen(now: ExploreState) -> ExploreState:
        other = now.with_data(source, name, n)
        settings = replace(other.settings, methods=methods, b=b, eps=eps, approximate=approximate)
        return replace(other, settings=settings)

    first = panels(state().settings.source)[0]
    source = explore_session().update(chosen).settings.source
    if st.session_state[PANEL_TAB] == first:
        st.session_state[PANEL_TAB] = panels(source)[0]
    return uploaded, facts


def _swap() -> None:
    """Draw the button that swaps real and generated samples, or swaps them back."""

    def swap() -> None:
        if state().settings.source == "upload":
            uploads.swap()
        else:
            explore_session().update(ExploreState.with_roles_swapped)

    label = "Swap roles"
    if state().settings.swapped:
        label = "Swap roles back"
    st.button(label, type="tertiary", help=SWAP_HELP, on_click=swap, key="swap")


def parameter_values(settings: ExploreSettings) -> dict[str, Any]:
    """By widget key, the values of all families' parameters, of b and of ε.

    If several variants of a family are chosen, its widgets show the first variant's parameters.
    """
    chosen = {
        ESTIMATORS[name].name.partition(":")[0]: ESTIMATORS[name]
        for name in reversed(settings.methods)
    }
    values = {
        _OF_FAMILY.format(name, each.name): chosen.get(name, family).value(each.name)
        for name, family in ESTIMATORS.items()
        for each in family.parameters
    }
    return values | {_B: float(settings.b), _EPS: float(settings.eps)}


def _parameters(
    begun: ExploreSettings, methods: tuple[str, ...]
) -> tuple[tuple[str, ...], float, float]:
    """Draw the number fields; return the chosen families with their parameters, and b and ε.

    begun : the settings with which the fields start.
    """
    first = parameter_values(begun)

    def number(key: str, label: str, limits: tuple[Any, Any], step: Any, text: str) -> Any:
        options = {
            "step": step,
            "help": text,
            "format": None if isinstance(first[key], int) else "%g",
        }
        return st.number_input(
            label, *limits, key=begin(key, first[key]), persist_state=KEEP, **options
        )

    names = []
    for family in (ESTIMATORS[name] for name in methods):
        values = {}
        for each in family.parameters:
            kind: type = int if each.kind == "int" else float
            limits = (kind(each.low), kind(each.high))
            key = _OF_FAMILY.format(family.name, each.name)
            values[each.name] = number(key, each.label, limits, kind(each.step), each.help)
        names.append(family.named(values))
    weight = (
        f"In an F-score the favoured side counts b times as much as the other; {B:g} as published"
        " (2018)."
    )
    b = number(_B, "b of the F-scores", B_LIMITS, 1.0, weight)
    end = f"α@ε: precision at recall ε; β@ε: recall at precision ε; {EPS:g} as published (2026)."
    eps = number(_EPS, "ε of α@ε", EPS_LIMITS, 0.01, end)
    return tuple(names), float(b), float(eps)


@cache
def _thumbnails() -> str:
    """CSS that draws each toy's true curve before the toy's name in the list of toys."""
    rules = []
    for number, name in enumerate(TOYS, start=1):
        _, precision, recall = toy(name).truth().sample(40)
        line = " ".join(
            f"{30 * x + 1:.1f} {31 - 30 * y:.1f}" for x, y in zip(recall, precision, strict=True)
        )
        picture = (
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M1 1V31H31"'
            f' fill="none" stroke="{TRUTH_COLOR}"/><path d="M1 31L{line}" fill="{TRUTH_COLOR}55"'
            f' stroke="{TRUTH_COLOR}" stroke-width="2"/></svg>'
        )
        rules.append(
            f".st-key-{PROBLEM} [role=radiogroup] > :nth-child({number}) label::before "
            f"{{ background-image: url('data:image/svg+xml,{quote(picture)}'); }}"
        )
    return "<style>" + "\n".join(rules) + "</style>"


def _toy(begun: ExploreSettings) -> str:
    titles = {name: toy(name).title.split(":")[0] for name in TOYS}
    key = begin(PROBLEM, begun.problem if begun.source == "toy" else FIRST_VIEW.problem)
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
        n = toy(name, **chosen).default_n
        explore_session().update(
            lambda now: now.with_settings(
                replace(now.settings, problem=name, parameters=chosen, n=n)
            )
        )

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
    first = "mixture-converged"
    if begun.source == "bundled":
        first = begun.problem
    families = bundled.BUNDLED
    family = st.selectbox(
        "Generator",
        list(families),
        format_func=lambda f: families[f].title,
        key=begin(FAMILY, bundled.family_of(first)),
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
        key=begin(CHECKPOINT.format(family), default),
        help="  \n".join(f"**{point.title}**: {point.summary}" for point in points.values()),
        persist_state=KEEP,
    )
