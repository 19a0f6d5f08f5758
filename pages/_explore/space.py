"""The panel Space: a scatter of the samples, coloured by role, score or decision; or a map."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from pages._explore import painting
from pages._explore.live_view import visible
from pages._explore.session import COLOUR, LAM_METHOD, change, explore_session, state
from pages._live.figure import live_figure, moved
from pages._shared import answers, sample_display
from pages._shared.widgets import choose_one, plain
from prviz import figures
from prviz.curves.summaries import TRUTH, Column
from prviz.diagnostics.confusion_groups import GROUPS, OptimalClassifiers
from prviz.diagnostics.cosupport import (
    CLASSES,
    Classes,
    PointGrid,
    class_shares,
    grid_over,
    says_support,
    support_classes,
    supports_at,
    true_classes,
)
from prviz.diagnostics.influence import Extremes
from prviz.diagnostics.projection import Projection, discriminant_projection, principal_projection
from prviz.diagnostics.support_balls import SupportBalls, support_balls
from prviz.estimators import ESTIMATORS
from prviz.figures.theme import number
from prviz.live import results
from prviz.live.evaluated import Evaluated
from prviz.live.figure import Following, Pane, Table
from prviz.live.problems import Problem
from prviz.live.space import COLOURS, SampleSpace, beside_curve, near_need, space
from prviz.live.view import linked
from prviz.measure.estimates import Progress, of_evaluation, passes
from prviz.measure.workload import estimate_seconds, fit_size
from prviz.reports import export
from prviz.reports.settings import ExploreSettings
from prviz.samples import Split
from prviz.toys import ToyProblem

KEY = "samples"
# Labels of two choices of colour whose names, which are in links, must not change.
TITLES = {"Role": "Sets", "Belief": "Score"}


def draw(problem: Problem, found: results.Results) -> None:
    """Draw the panel Space: the samples as a scatter, or a map of supports."""
    with st.container(key="space"):
        _draw(problem, found)


def _draw(problem: Problem, found: results.Results) -> None:
    with st.container(horizontal=True, gap="small", key="space-controls"):
        colour = _colour(problem)
        name = ""
        if colour != "Role":
            name = _family(problem, colour)
        if colour == "Role":
            painting.offer(problem)
    if colour == "Map":
        draw_map(problem, found, name)
        return
    shown = sample_display.evaluated(problem, found)
    enlarged = explore_session().enlarged
    canvas = None
    if colour == "Role":
        canvas = painting.canvas(problem)
    made = space(problem, found, shown, name, colour, enlarged=enlarged, canvas=canvas)
    picked = _picked(made)
    wanted = made.wanted(picked)
    near = None
    if wanted:
        near = answers.result(near_need(problem, shown, wanted))
    explorer = made.filled(shown, picked, near or {})
    live_figure(KEY, [made.pane], follow=made.follow, explorer=explorer)
    if made.classifiers is not None and colour == "Decision" and (enlarged or picked):
        _downloads(problem.settings, shown, made.places, made.classifiers, name)
    if colour == "Belief" and name and (enlarged or picked):
        draw_projections(problem, found, name)


# ---- choices: meaning of the colours, family in focus ----


def _colour(problem: Problem) -> str:
    """Draw the choice of what the colours mean. A click in the main figure may also change it.

    A map is offered for one or two dimensions only.
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
    """Draw the choice of the family in focus.

    A click on a family's curve in the main figure chooses this family too; the latest choice
    counts.
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

    # Prefer the same family with other parameters: a changed parameter changes the family's name.
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
    """Set a widget's value only if it differs.

    Setting an equal value would make the browser undo a click that the user has made since.
    """
    if st.session_state.get(key) != value:
        st.session_state[key] = value


# ---- selected samples ----


def _picked(made: SampleSpace) -> list[int]:
    """The selected samples that belong to this problem and split, and that the family has
    measured.
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
    """Draw a download button per confusion group, with all its rows at lam.

    The CSV is made when the button is clicked.
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
    """CSV of one confusion group at the λ of the settings."""
    chosen = getattr(classifiers.groups(settings.lam), group)
    role = list(GROUPS).index(group) // 2
    rows = [shown.pair_row(int(place))[1] for place in places[chosen]]
    samples = (shown.split.pair.real, shown.split.pair.generated)[role]
    keys = classifiers.keys[chosen]
    numbers = shown.numbers[role]
    return export.group_csv(
        samples, rows, keys, numbers=numbers, group=GROUPS[group], lam=settings.lam, method=name
    )


# ---- the map of supports ----

# Number of grid points along each axis, by dimension.
CELLS = {1: 600, 2: 120}
# By dimension, the most balls to draw for each role: in 1-D of each family, in 2-D of the chosen
# family.
MOST_BALLS = {1: 24, 2: 40}
# Cost of two projections, measured on two cores: seconds = PROJECTION_BASE + PROJECTION_VALUE *
# number of values.
PROJECTION_BASE = 0.4
PROJECTION_VALUE = 2e-7
HELP = (
    "A point is in the support of P, where real samples are possible, if c_X > 0 there, and in that"
    " of Q, where generated ones are, if c_Y > 0. Both: the co-support; blank: neither. The masses"
    " of the co-support are the ends of the curve, α∞ = Q(cosupp) and β0 = P(cosupp)."
)
MASSES_HELP = (
    "An estimated α∞ is the smallest share of generated samples that a classifier of the family"
    " accepts if it is to miss no real one. It can be lower than Q(cosupp), and it is 1 as soon as"
    " a single real sample is in the support of Q only: then only the classifier that calls"
    " everything real misses none. The same holds for β0 and P(cosupp), with the roles exchanged."
)
# By the value of `says_support`, why a family has no map.
_SILENT = {
    "never": (
        "a trained classifier gives every point some chance of either side, so that no support"
        " is ever 0."
    ),
    "samples": "hubs are samples; no other point is said to be in a support or not.",
}
_COLUMNS = [
    Column(
        "p_cosupp", "P(cosupp)", "Share of the real evaluation samples that are in the co-support."
    ),
    Column("beta_0", "β0", "Extreme recall: the right end of the curve."),
    Column(
        "q_cosupp",
        "Q(cosupp)",
        "Share of the generated evaluation samples that are in the co-support.",
    ),
    Column("alpha_inf", "α∞", "Extreme precision: the left end of the curve."),
]


def draw_map(problem: Problem, found: results.Results, name: str) -> None:
    """Draw the support map of one family or of the truth, in one or two dimensions.

    When enlarged: the maps of all families, and the masses of the co-support.
    """
    if found.approximation is not None:
        st.info("Approximate curves use only some of the samples; the map needs exact curves.")
        return
    names = [
        method
        for method in visible(problem.settings.methods)
        if says_support(method) == "everywhere"
    ]
    if not names:
        st.info("None of the chosen families states where a support is.")
        return
    enlarged = explore_session().enlarged
    split = problem.split()
    key = (
        "cosupport",
        problem.key,
        problem.settings.split,
        tuple(names),
        problem.k,
        results.width(problem),
    )
    radii = {method: found.estimates[method].bandwidth for method in names}
    made = answers.tab_result(key, _seconds(problem, names), partial(_measured, problem, radii))
    if made is not None and problem.sizes[2] == 1:
        live_figure("cosupport", [_line(problem, split, made, name)])
    elif made is not None:
        truth = []
        if problem.toy is not None:
            truth = [TRUTH]
        shown = [*truth, *names] if enlarged else [name]
        balls = made.balls.get(name, ())
        panes = [
            _region_pane(problem, made, each, split, balls if each == name else ())
            for each in shown
        ]
        live_figure("cosupport", panes)
    if enlarged:
        _masses(problem, found, names)


def _silent_text(names: Sequence[str]) -> str:
    """Text that names the families without a map, and why."""
    said = []
    for kind, why in _SILENT.items():
        silent = [name for name in names if says_support(name) == kind]
        if silent:
            said.append(f"{_titles(silent)}: {why}")
    return " ".join(said)


def _titles(names: Sequence[str]) -> str:
    return ", ".join(plain(ESTIMATORS[name].title) for name in names)


def _masses(problem: Problem, found: results.Results, names: Sequence[str]) -> None:
    """Draw a table: shares of evaluation samples in the co-support, beside the ends of the
    curves.
    """
    rows = {}
    if problem.toy is not None and problem.truth is not None:
        masses = problem.toy.support_masses
        ends = Extremes.of(problem.truth)
        rows[TRUTH] = [masses.p_of_cosupp, ends.recall, masses.q_of_cosupp, ends.precision]
    for name in names:
        shares = class_shares(found.estimates[name].supports)
        ends = Extremes.of(found.curves[name])
        rows[name] = [shares.p_of_cosupport, ends.recall, shares.q_of_cosupport, ends.precision]
    caption = (
        "Mass of the co-support, as the share of evaluation samples in it, beside the extremes of"
        " the curves"
    )
    curves = linked({name: found.curves[name] for name in names}, problem.truth)
    table = Table(caption, _COLUMNS, rows)
    live_figure("cosupport-masses", [], follow=Following(curves), table=table)
    st.caption(MASSES_HELP)


# ---- one and two dimensions: support classes on a grid ----


@dataclass(frozen=True, eq=False)
class Map:
    """A grid of points; by family, the support class of each point and some of its balls."""

    grid: PointGrid
    classes: Mapping[str, Classes]
    balls: Mapping[str, Sequence[SupportBalls]]

    @property
    def nbytes(self) -> int:
        return self.grid.points.nbytes + sum(each.nbytes for each in self.classes.values())


def _seconds(problem: Problem, names: Sequence[str]) -> float:
    """Estimated seconds to compute the map: the cost of measuring the grid points as evaluation
    samples.
    """
    n_real, n_generated, d = problem.sizes
    fit = fit_size(n_real, problem.settings.split) + fit_size(n_generated, problem.settings.split)
    total = fit + CELLS[d] ** d
    half = total // 2
    return estimate_seconds(half, half, d, **passes(names, split=fit / total))


def _measured(
    problem: Problem, radii: Mapping[str, tuple[float, float] | None], progress: Progress
) -> Map:
    """The support class of every point of a grid, by each family in `radii`; an exception from
    `progress` ends the computation.
    """
    split = problem.split()
    k = problem.k
    d = problem.sizes[2]
    grid = grid_over(split.pair, CELLS[d])
    supports = supports_at(
        split,
        grid.points,
        list(radii),
        k=k,
        bandwidth=results.width(problem),
        seed=problem.settings.seed,
        progress=progress,
    )
    classes = {
        name: support_classes(*found).reshape(grid.shape) for name, found in supports.items()
    }
    balls = {
        name: support_balls(split, name, k=k, radii=each, most=MOST_BALLS[d])
        for name, each in radii.items()
    }
    return Map(grid, classes, balls)


def _truth(problem: ToyProblem, grid: PointGrid) -> Classes:
    return true_classes(problem, grid.points).reshape(grid.shape)


def _truth_text(problem: ToyProblem, classes: Classes) -> str:
    if (classes == CLASSES.index("both")).all():
        return "Both distributions reach everywhere: all of space is co-support."
    masses = problem.support_masses
    thin = not (classes == CLASSES.index("Q only")).any() and masses.q_of_cosupp < 1
    point = ""
    if thin:
        point = " Q is a single point here, too small to be seen as a region."
    return f"P(cosupp) = {masses.p_of_cosupp:.3f}, Q(cosupp) = {masses.q_of_cosupp:.3f}.{point}"


def _line(problem: Problem, split: Split, made: Map, name: str) -> Pane:
    """Pane for one dimension: the supports of the truth and of one family (when enlarged, of all
    families), each as a band along the axis.
    """
    enlarged = explore_session().enlarged
    helps = [HELP]
    rows = {
        method: classes for method, classes in made.classes.items() if enlarged or method == name
    }
    if problem.toy is not None:
        rows = {"truth": _truth(problem.toy, made.grid), **rows}
        helps.append(_truth_text(problem.toy, rows["truth"]))
    values, is_real = _evaluated(split)
    figure = figures.support_bands_figure(
        made.grid.axes[0],
        rows,
        points=values,
        is_real=is_real,
        balls=made.balls,
        axis_title="feature 1",
    )
    helps += [
        "Below each band: some of its balls, the smallest on top.",
        _kinds(made),
        _silent_text(problem.settings.methods),
    ]
    if not enlarged:
        beside_curve(figure, below=54, ticks=True)
        figure.update_layout(legend={"y": -0.1}).update_yaxes(showticklabels=True)
        _shorten(figure)
    return Pane(
        "cosupport-line",
        figure,
        wide=True,
        compact=not enlarged,
        help=" ".join(filter(None, helps)),
    )


def _shorten(figure: go.Figure) -> None:
    """Keep only the three support classes in the legend, with short names, so that it fits in one
    line.
    """
    short = {
        "support of P only": "P only",
        "support of Q only": "Q only",
        "both: the co-support": "both",
    }
    figure.for_each_trace(
        lambda trace: trace.update(name=short.get(trace.name), showlegend=trace.name in short)
    )


def _kinds(made: Map) -> str:
    """Text on the drawn balls: by family, whether they are around fit samples or around the point
    in question.
    """
    around: dict[str, list[str]] = {"fit": [], "evaluation": []}
    for name, balls in made.balls.items():
        if balls:
            around[balls[0].around].append(name)
    words = ""
    if around["fit"]:
        words = f"{_titles(around['fit'])}: balls around samples, whose union is the support. "
    if around["evaluation"]:
        words += (
            f"{_titles(around['evaluation'])}: each point has a ball of its own, and is in a"
            " support where that holds a sample."
        )
    return words


def _ball_text(balls: Sequence[SupportBalls]) -> str:
    if not balls:
        return "It is not made of balls that could be drawn here."
    if balls[0].around == "fit":
        return (
            "Circles: balls around samples of a set, whose union is its support; the dots are those"
            " samples."
        )
    return (
        "Circles: the balls of some evaluation samples; a point is in the support of a set where"
        " its own ball holds one of the set's samples."
    )


def _region_pane(
    problem: Problem, made: Map, name: str, split: Split, balls: Sequence[SupportBalls]
) -> Pane:
    """Pane with the support map of one family or of the truth; axis titles only when enlarged."""
    helps = [HELP]
    enlarged = explore_session().enlarged
    if name == TRUTH and problem.toy is not None:
        classes = _truth(problem.toy, made.grid)
        helps.append(_truth_text(problem.toy, classes))
    else:
        classes = made.classes[name]
        helps.append(_ball_text(balls))
    helps.append(_silent_text(problem.settings.methods))
    values, is_real = _evaluated(split, fit=bool(balls) and balls[0].around == "fit")
    axes = made.grid.axes[0], made.grid.axes[1]
    figure = figures.support_map_figure(axes, classes, points=values, is_real=is_real, balls=balls)
    title = "Truth"
    if name != TRUTH:
        title = plain(ESTIMATORS[name].title)
    if not enlarged:
        title = ""
        beside_curve(figure, below=36)
        # the two axes need not have equal scales: the map fills its box, as other scatters do
        figure.layout.yaxis.scaleanchor = None
        _shorten(figure)
    return Pane(
        f"cosupport-{name}",
        figure,
        title,
        wide=not enlarged,
        compact=not enlarged,
        help=" ".join(filter(None, helps)),
    )


def _evaluated(split: Split, *, fit: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """The evaluation samples of both roles in one array (with `fit`, the fit samples), and a mask
    that is True for real ones.
    """
    sides = [side.values for side in (split.fit if fit else split.evaluate)]
    return np.concatenate(sides), np.arange(sum(map(len, sides))) < len(sides[0])


# ---- more dimensions: the evaluation samples in two linked projections ----


def draw_projections(problem: Problem, found: results.Results, name: str) -> None:
    """Draw all evaluation samples in two linked projections; the colour is the support class by one
    family.
    """
    if found.approximation is not None or says_support(name) == "never":
        return
    key = (problem.key, problem.settings.split)
    n_real, n_generated, d = problem.sizes
    seconds = PROJECTION_BASE + PROJECTION_VALUE * (n_real + n_generated) * d
    projections = answers.tab_result(("projections", *key), seconds, partial(_projected, problem))
    if projections is None:
        return
    principal, discriminant = projections
    second = choose_one(
        "Beside the first two components",
        {"discriminant": "Linear discriminant", "components": "The last two components"},
        "discriminant",
        key="cosupport-second",
    )
    split = problem.split()
    supports = of_evaluation(found.estimates[name], split)
    rows = np.arange(len(principal.points)) if supports.rows is None else supports.rows
    said = sample_display.evaluated(problem, found).notes
    classes = support_classes(supports.c_real, supports.c_generated)
    notes = [said[row] for row in rows]
    is_real = np.arange(len(rows)) < supports.n_real
    link = hashlib.sha256(repr(key).encode()).hexdigest()[:12]

    def pane(key: str, title: str, caption: str, projection: Projection, first: int = 0) -> Pane:
        columns = slice(first, first + 2)
        points = projection.points[rows, columns]
        samples = figures.SamplePoints(points, projection.titles[columns], notes, rows)
        figure = figures.support_samples_figure(samples, is_real, classes)
        return Pane(f"cosupport-{key}", figure, title, link=link, help=f"{caption} {HELP}")

    one = pane("components", "Principal components", "Where the samples vary most.", principal)
    if second == "components":
        last = min(4, principal.points.shape[1])
        other = pane(
            "further",
            "Further components",
            "Where they vary most beside that.",
            principal,
            last - 2,
        )
    else:
        held = "the same samples"
        if split.held_out:
            held = "samples that are not shown"
        words = f"The direction that best tells real from generated, found on {held}."
        other = pane("discriminant", "Linear discriminant", words, discriminant)
    live_figure("cosupport-samples", [one, other])
    _masses(
        problem,
        found,
        [method for method in visible(problem.settings.methods) if says_support(method) != "never"],
    )


def _projected(problem: Problem, progress: Progress) -> tuple[Projection, Projection]:
    split = problem.split()
    principal = principal_projection(split.evaluate)
    progress(0.5)
    return principal, discriminant_projection(split.fit, split.evaluate)
