"""The panel Space: one scatter of the samples, coloured by role, by a family's belief or by its
decision at lam.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from pages._explore import cosupport, painting
from pages._explore.live_view import visible
from pages._explore.session import COLOUR, LAM_METHOD, change, explore_session, state
from pages._live.figure import live_figure, moved
from pages._shared import answers, cache, media, sample_display
from pages._shared.sample_display import Evaluated
from prviz import figures
from prviz.curves.summaries import TRUTH
from prviz.diagnostics.confusion_groups import GROUPS, OptimalClassifiers
from prviz.diagnostics.cosupport import says_support
from prviz.estimators import ESTIMATORS
from prviz.figures.theme import number
from prviz.live import frames, results
from prviz.live.figure import Following, Pane
from prviz.live.problems import Problem
from prviz.live.view import position
from prviz.measure.estimates import of_evaluation
from prviz.neighbors import nearest_rows
from prviz.reports import export
from prviz.reports.settings import ExploreSettings

KEY = "samples"
EXTREMES = 20
NEAREST = 3
MOST_PICKED = 100
# Seconds for one feature of one distance, and to read one value for it.
DISTANCE_SECONDS = 2e-10
VALUE_SECONDS = 1e-8
# Pixels: the heights of a decision's four buttons, of the lines on the best setting and on the
# errors that stand beside the curve where no truth is known, and of the scatter over the page.
BUTTONS_HEIGHT = 68
LINES_HEIGHT = 62
ENLARGED_HEIGHT = 560
# Of the choices of colour, whose names are those in links.
TITLES = {"Role": "Sets", "Belief": "Score"}
HELPS = {
    "Role": (
        "Real samples (circles) and generated ones (triangles): those on which the classifiers are"
        " judged."
    ),
    "Belief": (
        "The supports c_X and c_Y of a sample are how much real and generated data speaks for it,"
        " as {title} counts. Colour: c_Y / c_X."
    ),
    "Decision": (
        "A point of a curve is the best classifier where calling a real sample generated costs λ"
        " times as much as calling a generated one real. It calls real what has a small {key}. Real"
        " missed (a share fpr) and generated accepted (a share fnr) make the curve: precision α = λ"
        " fpr + fnr, recall β = α / λ."
    ),
}
CLICK = (
    "A click on a curve takes its λ and its family. A box or a lasso (buttons at the top right;"
    " Shift adds) selects."
)


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
    places, classifiers = _classifiers(problem, found, shown, name)
    explorer = _explorer(problem, shown, name, places, classifiers)
    picked = _picked(explorer["of"], places)
    lists: dict[str, list[int]] = {}
    if classifiers is not None and colour == "Decision":
        lists = {group: places[rows].tolist() for group, rows in _lists(classifiers).items()}
    wanted = sorted({*picked[:MOST_PICKED]}.union(*lists.values()))
    rows = _rows(problem, shown, wanted, places, classifiers)
    enlarged = explore_session().enlarged
    explorer |= {
        "lists": {group: [rows[place] for place in chosen] for group, chosen in lists.items()},
        "listed": "rejected" if enlarged else "",
        "picked": [rows[place] for place in picked[:MOST_PICKED]],
        "selected": picked,
    }
    figure = _figure(problem, found, shown, name, colour, places, classifiers)
    pane = Pane(
        f"samples-{colour.lower()}",
        figure,
        follow="groups" if colour == "Decision" else "",
        wide=True,
        compact=not enlarged,
        select=True,
        pictures=shown.pictures,
        help=_help(problem, found, shown, name, colour),
        canvas=painting.canvas(problem) if colour == "Role" else None,
    )
    follow = None  # the roles are the same at every k
    if colour != "Role":
        follow = Following({}, frames.profile_id(problem), position(problem))
    live_figure(KEY, [pane], follow=follow, explorer=explorer)
    if classifiers is not None and colour == "Decision" and (enlarged or picked):
        _downloads(problem.settings, shown, places, classifiers, name)
    if colour == "Belief" and name and (enlarged or picked):
        cosupport.draw_projections(problem, found, name)


# ---- what is chosen ----


def _colour(problem: Problem) -> str:
    """What the colours mean, by the user or by a click in the main figure; a map needs one or two
    dimensions.
    """
    choices = ["Role", "Belief", "Decision", *(["Map"] if problem.sizes[2] <= 2 else [])]

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


def _titles(name: str) -> tuple[str, str]:
    """Whose the classifiers are, and what they decide by; "" for the roles alone."""
    if name == TRUTH:
        return "Truth (likelihood ratio)", "q / p"
    return (ESTIMATORS[name].title, "c_Y / c_X") if name else ("", "")


def _help(
    problem: Problem, found: results.Results, shown: Evaluated, name: str, colour: str
) -> str:
    """What the colours mean, and what else there is to know of the figure."""
    title, key = _titles(name)
    helps = [HELPS[colour].format(title=title, key=key)]
    if len(shown.axes) == 2 and problem.sizes[2] > 2:
        helps.append(f"Drawn along {' and '.join(shown.axes)}.")
    helps += [*_notes(problem, found, name), CLICK, media.hover_words(shown.pictures)]
    return " ".join(filter(None, helps))


def _notes(problem: Problem, found: results.Results, name: str) -> list[str]:
    """What else there is to know of these classifiers."""
    if name == TRUTH:
        return [
            "The truth's is the best for the two distributions; its rates here are those on these"
            " samples."
        ]
    if not name:
        return []
    repeated = problem.repeats > 1
    runs = len(found.estimates[name].runs) > 1
    which = " and ".join(["first repeat"] * repeated + ["first run"] * runs)
    return [f"The curve is a mean; these samples are those of its {which}."] if which else []


# ---- classifiers and figures ----


def _key(problem: Problem, name: str) -> tuple[Any, ...]:
    """All settings that decide a family's classifiers; the truth's, and the roles, depend on no
    estimate.
    """
    if name in ("", TRUTH):
        return ("groups", problem.key, problem.settings.split, problem.settings.approximate, name)
    return ("groups", results.key(problem), name)


def _classifiers(
    problem: Problem, found: results.Results, shown: Evaluated, name: str
) -> tuple[Any, OptimalClassifiers | None]:
    """The samples that the family has measured, and its classifiers on them; all samples and None
    for the roles.
    """
    toy = problem.toy
    places = np.arange(sum(shown.sizes))
    if not name:
        return places, None

    def make() -> OptimalClassifiers:
        if name != TRUTH or toy is None:
            return OptimalClassifiers.from_supports(
                of_evaluation(found.estimates[name], shown.split)
            )
        ratios = np.concatenate([toy.log_ratio(side) for side in shown.split.evaluate])
        return OptimalClassifiers.from_log_ratio(ratios, shown.sizes[0])

    # Approximate curves measure all that are shown.
    measured = None if name == TRUTH or found.approximation else found.estimates[name].supports.rows
    return places if measured is None else measured, cache.remembered(_key(problem, name), make)


def _lists(classifiers: OptimalClassifiers) -> dict[str, Any]:
    """The most extreme samples of each group at the lam where it is largest; their order is the
    same at every lam.
    """
    ends = {"kept": np.inf, "missed": 0.0, "accepted": np.inf, "rejected": 0.0}
    return {group: classifiers.most_extreme(group, lam, EXTREMES) for group, lam in ends.items()}


def _explorer(
    problem: Problem,
    shown: Evaluated,
    name: str,
    places: Any,
    classifiers: OptimalClassifiers | None,
) -> dict[str, Any]:
    """Data from which the browser regroups the samples; `of` names the samples, `id` the
    classifiers on them.

    ids: None where all samples are there in their order. For the roles there is one classifier,
    which calls all real.
    """
    title, key = _titles(name)
    explorer = {
        "of": samples_id(problem),
        "id": _name(_key(problem, name)),
        "sizes": list(shown.sizes),
        "ids": None if len(places) == sum(shown.sizes) else places.tolist(),
        "tunes": ESTIMATORS[name].tunes if name in ESTIMATORS else None,
        "looks": {group: look._asdict() for group, look in figures.GROUP_LOOKS.items()},
        "title": title,
        "key": key,
    }
    if classifiers is None:
        one = {"missed": [0], "accepted": [shown.sizes[1]], "needed": [0], "unsupported": [True]}
        return {
            **explorer,
            **one,
            "breaks": [],
            "levels": None,
            "labels": {"kept": "real", "accepted": "generated"},
        }
    missed, accepted = classifiers.counts
    return explorer | {
        "sizes": [classifiers.n_real, classifiers.n_generated],
        "breaks": classifiers.breakpoints.tolist(),
        "missed": missed.tolist(),
        "accepted": accepted.tolist(),
        "levels": classifiers.levels.tolist(),
        "needed": classifiers.needed.tolist(),
        "unsupported": classifiers.unsupported.tolist(),
        "labels": GROUPS,
    }


def samples_id(problem: Problem) -> str:
    """What names the samples that the panel shows; what is selected is kept by it."""
    return _name((problem.key, problem.settings.split, problem.settings.approximate))


def _name(key: Any) -> str:
    return hashlib.sha256(repr(key).encode()).hexdigest()[:12]


def _figure(
    problem: Problem,
    found: results.Results,
    shown: Evaluated,
    name: str,
    colour: str,
    places: Any,
    classifiers: OptimalClassifiers | None,
) -> go.Figure:
    """The samples. The browser regroups those of a decision at its own lam, so that one drawing
    serves every lam.
    """
    enlarged = explore_session().enlarged
    points = shown.points[places]

    def make() -> go.Figure:
        if classifiers is None:
            n = len(points)
            labels = shown.notes if any("," in note for note in shown.notes) else None
            numbers = np.concatenate(
                [shown.numbers[role][rows] for role, rows in enumerate(shown.split.evaluate_rows)]
            )
            is_real = np.arange(n) < shown.sizes[0]
            return figures.roles_figure(
                points, is_real, numbers=numbers, axis_titles=shown.axes, notes=labels
            )
        shared = {
            "ids": places,
            "axis_titles": shown.axes,
            "notes": [shown.notes[place] for place in places],
        }
        if colour == "Belief":
            c = of_evaluation(found.estimates[name], shown.split)
            is_real = np.arange(len(places)) < c.n_real
            return figures.samples_figure(
                points,
                is_real,
                c_real=c.c_real,
                c_generated=c.c_generated,
                density=enlarged or points.shape[1] == 1,
                **shared,
            )
        group = np.empty(len(places), dtype=np.intp)
        for index, rows in enumerate(classifiers.groups(problem.settings.lam)):
            group[rows] = index
        title = _titles(name)[1].replace("_X", "<sub>X</sub>").replace("_Y", "<sub>Y</sub>")
        always = np.concatenate(list(_lists(classifiers).values()))
        return figures.groups_figure(
            points, group, keys=classifiers.keys, key_title=title, always=always, **shared
        )

    key = ("figure", _key(problem, name), colour, enlarged, media.view_key(problem.uploaded))
    lower = LINES_HEIGHT * (problem.truth is None)

    def laid_out() -> go.Figure:
        figure = _laid_out(make(), colour, lower, enlarged=enlarged)
        if colour == "Role" and painting.is_painted(problem):
            figure.update_xaxes(range=(0, 1)).update_yaxes(range=(0, 1))
        elif points.shape[1] > 1:  # a distance looks the same in every direction
            figure.update_yaxes(scaleanchor="x", constrain="range")
        return figure

    return cache.remembered(key, laid_out)


def _laid_out(figure: go.Figure, colour: str, lower: int, *, enlarged: bool) -> go.Figure:
    """The figure at its size, `lower` by so many pixels beside the curve. The groups' legend is
    their buttons.
    """
    flat = "yaxis2" in figure.layout.to_plotly_json()
    figure.update_layout(showlegend=colour != "Decision" and (enlarged or not flat))
    if enlarged:
        return figure.update_layout(height=ENLARGED_HEIGHT)
    cosupport.beside_curve(
        figure, below={"Role": 4, "Belief": 36, "Decision": 4}[colour] + 18 * flat, ticks=flat
    )
    if colour == "Role":  # above the samples, in sight whatever stands below
        figure.update_layout(margin_t=30, legend={"y": 1, "yanchor": "bottom"})
    figure.layout.height -= lower + BUTTONS_HEIGHT * (colour == "Decision")
    if colour == "Belief":
        bar = {
            "x": 0.92,
            "xanchor": "right",
            "y": -0.1 if flat else -0.01,
            "yanchor": "top",
            "len": 0.45,
            "thickness": 8,
        }
        words = {
            "title": {"text": ""},
            "tickfont": {"size": 11},
            "ticktext": ["looks real", "", "looks generated"],
        }
        figure.update_coloraxes(colorbar=bar | words)
    return figure


# ---- selected samples ----


def _picked(of: str, places: Any) -> list[int]:
    """The samples the user has selected, as far as they are of this problem and split and measured
    by the family.
    """
    values = moved(KEY)
    if values:
        explore_session().picked = values
    kept = explore_session().picked
    chosen = kept.get("picked", []) if kept.get("of") == of else []
    known = set(places.tolist())
    return sorted({int(place) for place in chosen if place in known})


def _rows(
    problem: Problem,
    shown: Evaluated,
    wanted: Sequence[int],
    places: Any,
    classifiers: OptimalClassifiers | None,
) -> dict[int, dict[str, Any]]:
    """The table's entries for the samples at the wanted places, of those that the family has
    measured.
    """
    if not wanted:
        return {}
    near = _near(problem, shown, wanted)
    index = {place: number for number, place in enumerate(places.tolist())}
    rows = {}
    for place in wanted:
        key = ""
        level = 0
        if classifiers is not None:
            key = figures.key_text(float(classifiers.keys[index[place]]))
            level = int(classifiers.levels[index[place]])
        own = {"key": key, "level": level, "real": shown.side(place)[0] == 0}
        rows[place] = {
            **sample_display.details(shown, place),
            **own,
            "near": near.get(place),
        }
    return rows


def _near(problem: Problem, shown: Evaluated, wanted: Sequence[int]) -> dict[int, list[str]]:
    """The nearest samples of the other set, as text, by place; empty while they are being measured."""
    pair = shown.split.pair
    key = ("near", problem.key, problem.settings.split, problem.settings.approximate, tuple(wanted))
    n = max(pair.real.n, pair.generated.n)
    d = pair.d
    seconds = n * d * (len(wanted) * DISTANCE_SECONDS + 2 * VALUE_SECONDS)

    def measure(tick: Callable[[float], None]) -> dict[int, list[str]]:
        tick(0.0)
        return {place: words for role in (0, 1) for place, words in _nearest(shown, wanted, role)}

    return answers.tab_result(key, seconds, measure) or {}


def _nearest(shown: Evaluated, wanted: Sequence[int], role: int) -> list[tuple[int, list[str]]]:
    """(place, its nearest samples of the other set as text) of the samples of one role."""
    mine = [place for place in wanted if shown.side(place)[0] == role]
    if not mine:
        return []
    sides = (shown.split.pair.real.values, shown.split.pair.generated.values)
    rows = np.array([shown.pair_row(place)[1] for place in mine])
    found, distances = nearest_rows(sides[role], rows, NEAREST, sides[1 - role])
    return [
        (
            place,
            [
                f"{shown.number(1 - role, row)} ({number(far)})"
                for row, far in zip(near, reach, strict=True)
            ],
        )
        for place, near, reach in zip(mine, found.tolist(), distances.tolist(), strict=True)
    ]


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
