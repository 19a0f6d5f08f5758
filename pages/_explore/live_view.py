"""The main figure: k, bandwidth and lam as sliders, the curves, the same classifiers in error space, the bias bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from pages._explore import data_controls, far_off
from pages._explore.approximate import NOTE
from pages._explore.session import MAIN_VIEW, PANEL_TAB, change, explore_session, state
from pages._live.figure import FIGURE, Above, Bars, Pane, Slider, Table, lam_angle, live_figure, live_frames, moved
from pages._shared.widgets import begin
from pages._work.jobs import Status
from prviz import figures
from prviz.curves import PRCurve
from prviz.curves.summaries import TRUTH
from prviz.estimators import ESTIMATORS
from prviz.estimators.hub import COSTLY, Hub
from prviz.estimators.ipr import IPR
from prviz.live import bounds, frames, results
from prviz.live.problems import Problem
from prviz.live.state import PANELS, VIEWS
from prviz.reports.settings import BANDWIDTH_LIMITS, ExploreSettings
from prviz.uncertainty.upper_bound import NO_LOWER_BOUND

Mark = tuple[float | str | None, str]
BOUND_HELP = (
    "Shaded: with 95 % confidence the true curve does not reach there, if samples are independent; by kNN, KDE, iPR "
    f"and coverage at k = √n, judged on samples that they have not seen. {NO_LOWER_BOUND}"
)
LIMITS_HELP = (
    "Dotted: what an estimator comes to with ever more samples at this k. What lies between that and the truth no "
    "further sample repairs, only another k."
)
ERROR_HELP = "Each point is a classifier, real or generated; the line of slope −λ touches the best one."
HELP = "Higher and further right is better. A click on a curve sets λ and colours the samples by its decision there."


def take_moved() -> None:
    """Take what the user has done in the figure into the state."""
    values, held = moved(FIGURE), explore_session()
    settings, turn = state().settings, values.get("turn")
    held.refused = ""
    if values.get("chosen") in (*settings.methods, TRUTH) and turn != held.chosen_turn:
        # A click on a curve: its decision at lam, before the panels are drawn.
        held.chosen_turn, held.method = turn, values["chosen"]
        change(colour="Decision")
        st.session_state[PANEL_TAB] = PANELS[0]
    # What was set for other data must not count for these.
    if values.get("epoch") == data_controls.epoch(settings):
        if turn == held.taken_turn:
            values.pop("k", None)
        try:
            held.state = state().with_values(values)
        except ValueError as error:
            held.refused = str(error)
    change(panel=st.session_state.get(PANEL_TAB, PANELS[0]), view=st.session_state.get(MAIN_VIEW, VIEWS[0]))


def _k_slider(problem: Problem, settings: ExploreSettings) -> Slider:
    top = problem.largest_k(settings.split)
    root = min(problem.root_k, top)
    named: list[Mark] = [(mark, str(mark)) for mark in (3, 4, 5) if mark <= top]
    return Slider(
        "k",
        "Neighbours k",
        problem.stops(settings)[0],
        settings.k,
        root if settings.k == "sqrt" else settings.k,
        marks=[*named, ("sqrt", f"√n = {root}")],
        number=(1, top, 1),
        epoch=f"{settings.source}/{explore_session().epoch_k}",
        help="How many nearest neighbours a ball holds; √n uses the size of one set before the split.",
    )


def _bandwidth_slider(units: Sequence[float], settings: ExploreSettings) -> Slider:
    return Slider(
        "bandwidth",
        "KDE bandwidth",
        units,
        settings.bandwidth,
        1.0 if settings.bandwidth is None else settings.bandwidth,
        marks=[(None, "auto: each class's own"), (1, "1")],
        number=(*BANDWIDTH_LIMITS, 0.001),
        empty="auto",
        epoch=settings.source,
        help="Radius of KDE's balls, in mean k-NN radii. auto: each class's own mean radius; a value: one for both.",
    )


def _lam_slider() -> Slider:
    """The slider of lam; once it is drawn, the browser holds its value."""
    angle = lam_angle(state().settings.lam)
    return Slider(
        "angle",
        "Trade-off λ = precision / recall",
        [float(stop) for stop in range(91)],
        angle,
        angle,
        marks=[(0, "recall end"), (45, "λ = 1"), (90, "precision end")],
        angle=True,
        group="figure",
        help="Large λ: what share of the generated samples is good. Small λ: what share of the real ones is covered.",
    )


def controls(problem: Problem, settings: ExploreSettings) -> list[Slider | Bars]:
    """The sliders above the figure; the bandwidth's only where a family has one."""
    units = problem.stops(settings)[1]
    tuned = [_bandwidth_slider(units, settings)] if units else []
    return [_k_slider(problem, settings), *tuned, *data_controls.sliders(settings), _lam_slider()]


def draw(
    problem: Problem,
    settings: ExploreSettings,
    found: results.Results,
    asked: tuple[Problem, ExploreSettings],
    status: Status,
    above: Above,
) -> None:
    """Draw the figure; its controls show the requested settings, also while an earlier figure is on screen."""
    truth, curves, limit = problem.truth, found.curves, bounds.bound(problem, settings)
    errors = far_off.known(problem, settings)
    begin(MAIN_VIEW, VIEWS[0])
    view = st.segmented_control("Axes", VIEWS, required=True, label_visibility="collapsed", key=MAIN_VIEW)
    live_figure(
        FIGURE,
        _panes(problem, settings, found) if view == VIEWS[0] else [error_space(problem, found)],
        controls=controls(*asked),
        curves=linked(curves, truth),
        symbols=figures.symbols(curves),
        table=numbers(problem, settings, found),
        rows=True,
        bound=None if truth is not None or limit is None else limit.auc,
        errors=None if errors is None else errors.area,
        frames=frames.profile_id(problem, settings) if status.final else "",
        shown=position(problem, settings),
        answer={
            **status.payload(),
            "other": bool(status.more) and asked[0].key[:2] != problem.key[:2],
            "hidden": state().hidden,
        },
        above=above,
    )
    held_frames = frames.known_frames(*asked)
    live_frames("frames", b"{}" if held_frames is None else held_frames.text)


def position(problem: Problem, settings: ExploreSettings) -> dict[str, float | None]:
    """The values of the sliders: k as a number, the bandwidth in its unit or None for the automatic one."""
    k = min(problem.root_k, problem.largest_k(settings.split)) if settings.k == "sqrt" else settings.k
    return {"k": k, "bandwidth": settings.bandwidth}


def hubs(problem: Problem, settings: ExploreSettings) -> str:
    """Sentence on the share of hubs among the samples on screen, where a family measures at hubs alone."""
    for name in settings.methods:
        family, kept = ESTIMATORS[name], results.kept_estimate(problem, settings, name)
        if not isinstance(family, Hub) or kept is None:
            continue
        share = len(kept.supports.c_real) / sum(problem.judged(settings.split))
        costs = f": this costs more than {IPR.title} on all of them" if share >= COSTLY else ""
        return f" {family.title}: {share:.0%} of the samples are hubs at this k{costs}."
    return ""


def _panes(problem: Problem, settings: ExploreSettings, found: results.Results) -> list[Pane]:
    truth, curves = problem.truth, found.curves
    compared = {} if truth is None else {name: curve.compare(truth) for name, curve in curves.items()}
    note = "" if found.approximation is None else NOTE
    words = {name: f"IoU {compared[name].iou:.2f}" if name in compared else "" for name in curves}
    notes = {name: ", ".join(filter(None, (word, note))) for name, word in words.items()}
    bound, limits = bounds.bound(problem, settings), bounds.limits(problem, settings)
    about = "" if problem.toy is None else f"{problem.toy.summary} {problem.toy.source}."
    helps = [problem.headline, about, HELP, hubs(problem, settings)]
    helps += [BOUND_HELP] * (bound is not None) + [LIMITS_HELP] * bool(limits)
    figure = figures.pr_figure(curves, truth=truth, bound=bound, limits=limits, bands=found.bands, notes=notes)
    figure.data = sorted(figure.data, key=lambda trace: trace.legendgroup == TRUTH)  # on top
    pr = Pane(
        "pr",
        figure,
        "Precision against recall",
        help=" ".join(filter(None, helps)),
        follow="pr",
        square=True,
        fit=True,
        note=note,
    )
    return [pr]


def error_space(problem: Problem, found: results.Results) -> Pane:
    """The same classifiers by their two error rates."""
    note = "" if found.approximation is None else NOTE
    figure = figures.error_space_figure(found.curves, truth=problem.truth, notes=dict.fromkeys(found.curves, note))
    figure.data = sorted(figure.data, key=lambda trace: trace.legendgroup == TRUTH)  # on top
    return Pane("error", figure, "Error space", follow="error", square=True, fit=True, note=note, help=ERROR_HELP)


def numbers(problem: Problem, settings: ExploreSettings, found: results.Results) -> Table:
    """Every number of every curve."""
    truth = problem.truth
    rows = {name: frames.row(curve, truth, settings) for name, curve in found.curves.items()}
    known = {} if truth is None else {TRUTH: frames.row(truth, truth, settings)}
    kind = "every" if found.approximation is None else f"every {NOTE}"
    caption = f"Summaries of {kind} curve" + ("" if truth is None else ", the truth first")
    return Table(caption, frames.columns(truth, settings), {**known, **rows})


def linked(curves: Mapping[str, PRCurve], truth: PRCurve | None) -> dict[str, tuple[str, str, PRCurve]]:
    """The curves that the marks at lam follow: every estimate and the truth."""
    color = figures.colors(curves)
    found = {name: (ESTIMATORS[name].title, color[name], curve) for name, curve in curves.items()}
    return found if truth is None else {TRUTH: ("truth", figures.TRUTH_COLOR, truth), **found}
