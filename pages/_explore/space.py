"""The panel Space: one scatter of the samples, coloured by role, by a family's belief or by its
decision at lam.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from pages._explore import cosupport, painting
from pages._explore.live_view import visible
from pages._explore.session import COLOUR, LAM_METHOD, change, explore_session, state
from pages._live.figure import live_figure, moved
from pages._shared import answers, sample_display
from prviz.curves.summaries import TRUTH
from prviz.diagnostics.confusion_groups import GROUPS, OptimalClassifiers
from prviz.diagnostics.cosupport import says_support
from prviz.estimators import ESTIMATORS
from prviz.figures.theme import number
from prviz.live import results
from prviz.live.evaluated import Evaluated
from prviz.live.problems import Problem
from prviz.live.space import COLOURS, SampleSpace, near_need, space
from prviz.reports import export
from prviz.reports.settings import ExploreSettings

KEY = "samples"
# Of the choices of colour, whose names are those in links.
TITLES = {"Role": "Sets", "Belief": "Score"}


def draw(problem: Problem, found: results.Results) -> None:
    """Draw the panel."""
    with st.container(key="space"):
        _draw(problem, found)


def _draw(problem: Problem, found: results.Results) -> None:
    with st.container(horizontal=True, gap="small", key="space-controls"):
        colour = _colour(problem)
        name = "" if colour == "Role" else _family(problem, colour)
        if colour == "Role":
            painting.offer(problem)
    if colour == "Map":
        cosupport.draw_map(problem, found, name)
        return
    shown = sample_display.evaluated(problem, found)
    enlarged = explore_session().enlarged
    canvas = painting.canvas(problem) if colour == "Role" else None
    made = space(problem, found, shown, name, colour, enlarged=enlarged, canvas=canvas)
    picked = _picked(made)
    wanted = made.wanted(picked)
    near = answers.result(near_need(problem, shown, wanted)) if wanted else None
    explorer = made.filled(shown, picked, near or {})
    live_figure(KEY, [made.pane], follow=made.follow, explorer=explorer)
    if made.classifiers is not None and colour == "Decision" and (enlarged or picked):
        _downloads(problem.settings, shown, made.places, made.classifiers, name)
    if colour == "Belief" and name and (enlarged or picked):
        cosupport.draw_projections(problem, found, name)


# ---- what is chosen ----


def _colour(problem: Problem) -> str:
    """What the colours mean, by the user or by a click in the main figure; a map needs one or two
    dimensions.
    """
    choices = [*COLOURS, *(["Map"] if problem.sizes[2] <= 2 else [])]

    def choose() -> None:
        change(colour=st.session_state[COLOUR])

    chosen = state().colour if state().colour in choices else choices[0]
    _put(COLOUR, chosen)
    st.segmented_control(
        "Colour",
        choices,
        required=True,
        key=COLOUR,
        on_change=choose,
        format_func=lambda name: TITLES.get(name, name),
        label_visibility="collapsed",
    )
    return chosen


def _family(problem: Problem, colour: str) -> str:
    """The family in focus: that chosen here, or by a click on its curve in the main figure; the
    later one counts.
    """
    titles = {name: ESTIMATORS[name].title for name in visible(problem.settings.methods)}
    held = explore_session()
    if colour == "Map":
        titles = {
            name: title for name, title in titles.items() if says_support(name) == "everywhere"
        }
    if problem.toy is not None and colour != "Belief":
        titles[TRUTH] = "Truth"

    def choose() -> None:
        held.method = st.session_state[LAM_METHOD]

    # The family in focus may have another parameter now.
    alike = [
        name for name in titles if name.partition(":")[0] == str(held.method).partition(":")[0]
    ]
    chosen = held.method if held.method in titles else next(iter([*alike, *titles]), "")
    if chosen:
        _put(LAM_METHOD, chosen)
        st.selectbox(
            "Family",
            list(titles),
            format_func=titles.__getitem__,
            key=LAM_METHOD,
            on_change=choose,
            label_visibility="collapsed",
            width=108,
        )
    return str(chosen)


def _put(key: str, value: str) -> None:
    """Give a widget this value. Unless it has it: the browser would take an earlier one over the
    user's last click.
    """
    if st.session_state.get(key) != value:
        st.session_state[key] = value


# ---- selected samples ----


def _picked(made: SampleSpace) -> list[int]:
    """The samples the user has selected, as far as they are of this problem and split and measured
    by the family.
    """
    values = moved(KEY)
    if values:
        explore_session().picked = values
    return made.picked(explore_session().picked)


def _downloads(
    settings: ExploreSettings,
    shown: Evaluated,
    places: Any,
    classifiers: OptimalClassifiers,
    name: str,
) -> None:
    """A download button per group, of all its rows at lam; its file is written when the user
    clicks.
    """
    with st.container(horizontal=True):
        for group, label in GROUPS.items():
            st.download_button(
                f"{label.capitalize()} as CSV",
                partial(group_file, settings, shown, places, classifiers, name, group),
                f"prviz-{label.replace(' ', '-')}.csv",
                "text/csv",
                on_click="ignore",
                key=f"csv-{group}",
                help=(
                    f"All rows of the group at λ = {number(settings.lam)}, with their labels and"
                    " keys."
                ),
            )


def group_file(
    settings: ExploreSettings,
    shown: Evaluated,
    places: Any,
    classifiers: OptimalClassifiers,
    name: str,
    group: str,
) -> str:
    """One group at the λ of the settings as CSV."""
    chosen = getattr(classifiers.groups(settings.lam), group)
    role = list(GROUPS).index(group) // 2
    rows = [shown.pair_row(int(place))[1] for place in places[chosen]]
    samples = (shown.split.pair.real, shown.split.pair.generated)[role]
    keys = classifiers.keys[chosen]
    numbers = shown.numbers[role]
    return export.group_csv(
        samples, rows, keys, numbers=numbers, group=GROUPS[group], lam=settings.lam, method=name
    )
