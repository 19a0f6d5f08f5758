"""The main figure: the curves, or the same classifiers in error space, with sliders for k,
bandwidth and lam.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from functools import cache, partial
from typing import Any, NamedTuple

from prviz import figures
from prviz.curves import NamedCurves, PRCurve
from prviz.curves.summaries import TRUTH
from prviz.estimators import ESTIMATORS
from prviz.estimators.hub import COSTLY, Hub
from prviz.estimators.ipr import IPR
from prviz.figures.pr import BOUND, limit_label
from prviz.figures.theme import PRECISION, RECALL
from prviz.live import bounds, data_controls, needs, results, snapshots
from prviz.live.figure import (
    Chips,
    Control,
    Following,
    Linked,
    Pane,
    Slider,
    Table,
    figure_content,
    joined,
    lam_angle,
    plain_figure,
    plain_trace,
)
from prviz.live.problems import Problem
from prviz.live.results import Answer
from prviz.live.state import VIEWS, ExploreState
from prviz.live.tasks import TASKS
from prviz.reports.export import limit_of
from prviz.reports.settings import BANDWIDTH_LIMITS, SHOW_BOUND, SHOW_LIMITS
from prviz.uncertainty.upper_bound import NO_LOWER_BOUND

# Word in the legend after curves from approximate neighbour lists.
NOTE = "approximate"
BOUND_HELP = (
    "Shaded: with 95 % confidence the true curve does not reach there, if samples are independent;"
    " by the best classifier, judged on samples that it has not seen. A curve is drawn thin where"
    " it lies in the shade: its family is refuted there. The area of the best classifier is limited"
    " to that of the bound."
    f" {NO_LOWER_BOUND}"
)
LIMITS_HELP = (
    "Dotted: what an estimator comes to with ever more samples at this k. The gap between that and"
    " the truth closes only with another k, not with more samples."
)
ERROR_HELP = (
    "Each point is a classifier (real or not); the line of slope −λ touches the best one at λ."
)
K_HELP = "How many nearest neighbours a ball holds; √n uses the size of one set before the split."
HELP = (
    f"{PRECISION.capitalize()}. {RECALL.capitalize()}. Higher and further right is better."
    " A click on a curve sets λ."
)
SPACE_HELP = "It also shows its family in Space."


def controls(problem: Problem, view: str) -> list[Control]:
    """The controls of the main figure. There is no control of the bandwidth if no family uses one.

    view : one of VIEWS. Only the view of curves shows bound and limits, so only it has the chips
    for them.
    """
    settings = problem.settings
    top = problem.largest_k
    ks, units = problem.stops
    k = Slider(
        "k",
        "Neighbours k",
        ks,
        settings.k,
        problem.k,
        marks=[
            *((mark, str(mark)) for mark in (3, 4, 5) if mark <= top),
            ("sqrt", f"√n = {min(problem.root_k, top)}"),
        ],
        number=(1, top, 1),
        help=f"{K_HELP} {no_frames(problem)}".strip(),
        short="k",
    )
    bandwidth = Slider(
        "bandwidth",
        "KDE bandwidth",
        units,
        settings.bandwidth,
        1.0 if settings.bandwidth is None else settings.bandwidth,
        marks=[(None, "auto: each class's own"), (1, "1")],
        number=(*BANDWIDTH_LIMITS, 0.001),
        empty="auto",
        help=(
            "Radius of KDE's balls, in mean k-NN radii. auto: each class's own mean radius; a"
            " value: one for both."
        ),
        short="Bandwidth",
    )
    angle = lam_angle(settings.lam)
    lam = Slider(
        "angle",
        "Trade-off λ = precision / recall",
        range(91),
        angle,
        angle,
        marks=[(0, "recall"), (45, "λ = 1"), (90, "precision")],
        angle=True,
        group="figure",
        help=f"To the left {RECALL}. To the right {PRECISION}.",
    )
    found: list[Control] = [
        k,
        *([bandwidth] if units else []),
        *data_controls.sliders(settings),
        lam,
    ]
    if problem.truth is not None and not settings.approximate and view == VIEWS[0]:
        found.append(Chips("show", "Show", _shown(problem), settings.show))
    return found


def no_frames(problem: Problem) -> str:
    """Text that says why the curves are not measured at every k; "" if they are, or will be."""
    if problem.settings.approximate:
        return "Approximate curves are measured at one k at a time."
    if needs.profile(problem) is None:
        return "Measuring every k would take more than a minute. Use fewer samples."
    return ""


def _shown(problem: Problem) -> list[tuple[str, str, str]]:
    """Chips for the bound and the limits, which can be drawn beside the curves: name, label and
    help.
    """
    bound = bounds.bound(problem)
    label = "95 % bound: rules nothing out"
    if bound is None or bound.auc <= bounds.WIDEST:
        label = "95 % bound"
    limits = [(SHOW_LIMITS, "limits for n → ∞", LIMITS_HELP)]
    return [
        (SHOW_BOUND, label, BOUND_HELP),
        *(limits if problem.toy is not None and problem.settings.split is not None else []),
    ]


class Asked(NamedTuple):
    """The problem that the browser has requested, and the number of its last question."""

    problem: Problem
    number: int


def content(
    state: ExploreState,
    asked: Asked,
    answer: Answer,
    *,
    stopped: Collection[Hashable] = (),
    have: set[str] | None = None,
    errors: Mapping[str, float] | None = None,
    panels: bool = True,
) -> bytes:
    """The content of the main figure, as JSON; may run in any thread. The controls show the
    requested settings, the curves what is measured.

    stopped : keys of needs that will not be measured. have : as in `figure_content`. errors : by
    family, how far its area may be off, measured on a surrogate. panels : True if panels stand
    beside the figure.
    """
    problem = answer.problem
    found = answer.drawn
    truth = problem.truth
    curves = found.curves
    shade = bounds.shade(problem)
    # A limit that is not switched on is drawn while the pointer is on its curve's row.
    known = bounds.every_limit(problem) if answer.final else {}
    limits = {limit_label(name): curve for name, curve in known.items()}
    table = numbers(problem, found)
    drawing = figure_content(
        [
            (
                curve_space(problem, found, table, panels=panels)
                if state.view == VIEWS[0]
                else error_space(problem, found)
            )
        ],
        controls=controls(asked.problem, state.view),
        curves=linked(curves, truth),
        lines=limits if shade is None else {BOUND: shade, **limits},
        have=have,
        table=table,
        bound=None if truth is not None or shade is None else shade.auc,
        noise=results.noise(problem),
        few=bounds.too_few(problem),
        errors=errors,
        frames=snapshots.profile_id(problem) if answer.final else "",
        shown=position(problem),
    )
    pins = snapshots.pinned(asked.problem, state.pins)
    beside = {
        "films": snapshots.films(problem) if answer.final else [],
        "pins": [snapshots.pin_id(each) for each in pins],
        "now": snapshots.pin_id(problem),
        "words": snapshots.words(problem),
        "asked": asked.number,
        "of": [state.settings.source, state.settings.problem],
        "hidden": state.hidden,
        "folded": state.folded,
        "task": task_content(problem, state.task),
        "coarse": answer.coarse,
        "stale": answer.stale,
        "other": not answer.final and asked.problem.key[:2] != problem.key[:2],
        "pending": bounds.is_pending(problem, stopped),
        "more": bool(
            needs.missing(needs.needs(asked.problem, None, snapshots.pin_needs(pins)), stopped)
        ),
    }
    return joined(drawing, beside)


def task_content(problem: Problem, name: str) -> Mapping[str, Any] | None:
    """A student's task as the browser gets it; None without a task, or if these data don't answer
    it.
    """
    task = TASKS.get(name)
    if task is None or problem.truth is None or problem.settings.approximate:
        return None
    if task.column and snapshots.comparable(problem) is None:
        return None
    return {"name": name, **vars(task)}


def position(problem: Problem) -> dict[str, float | None]:
    """The current stop of the sliders: k as a number, and the bandwidth in its unit (None if
    automatic).
    """
    return {"k": problem.k, "bandwidth": problem.settings.bandwidth}


def hubs(problem: Problem) -> str:
    """Sentence that says what share of the samples are hubs, if a chosen family evaluates hubs
    alone; otherwise "".
    """
    for name in problem.settings.methods:
        family = ESTIMATORS[name]
        kept = results.kept_estimate(problem, name)
        if not isinstance(family, Hub) or kept is None:
            continue
        share = len(kept.supports.c_real) / sum(problem.judged)
        costs = ""
        if share >= COSTLY:
            costs = f": this costs more than {IPR.title} on all of them"
        return f" {family.title}: {100 * share:.0f} % of the samples are hubs at this k{costs}."
    return ""


@cache
def _layout() -> dict[str, Any]:
    """Plotly layout of the figure of curves, which is always the same. Axis titles are single
    words, as the help text explains them.
    """
    layout: dict[str, Any] = _calm(plain_figure(figures.pr_figure({})))["layout"]
    for axis in ("xaxis", "yaxis"):
        title = layout[axis]["title"]
        title["text"] = title["text"].partition(":")[0]
    return layout


def _calm(plain: dict[str, Any]) -> dict[str, Any]:
    """Remove the grid and most ticks of a square figure: hovering a curve shows its numbers
    instead.
    """
    layout = plain["layout"]
    layout["xaxis"] |= {"tickvals": [0, 0.5, 1], "showgrid": False}
    layout["yaxis"] |= {"tickvals": [0.5, 1], "showgrid": False}
    return plain


def curve_space(
    problem: Problem, found: results.Results, table: Table, *, panels: bool = True
) -> Pane:
    """The pane with the curves. If a truth is known, its legend shows their IoU with it."""
    truth = problem.truth
    curves = found.curves
    note = "" if found.approximation is None else NOTE
    compared = snapshots.comparable(problem) is not None
    words = {name: f"IoU {table.rows[name][0]:.2f}" if compared else "" for name in curves}
    notes = {name: ", ".join(filter(None, (word, note))) for name, word in words.items()}
    bound = bounds.shade(problem)
    limits = bounds.limits(problem)
    about = ""
    if problem.toy is not None:
        about = f"{problem.toy.summary} {problem.toy.source}."
    if problem.settings.swapped:
        about += " Real and generated are swapped here."
    helps = [problem.headline, about, HELP, SPACE_HELP * panels, hubs(problem)]
    helps += [BOUND_HELP] * (bound is not None) + [LIMITS_HELP] * bool(limits)
    traces = figures.pr_traces(
        curves,
        truth=truth,
        bound=bound,
        limits=limits,
        bands=found.bands,
        notes=notes,
        placed=False,
    )
    # The truth is drawn last, on top of the other curves.
    data = sorted(map(plain_trace, traces), key=lambda trace: bool(trace["legendgroup"] == TRUTH))
    return Pane(
        "pr",
        {"data": data, "layout": _layout()},
        "Precision against recall",
        help=" ".join(filter(None, helps)),
        follow="pr",
        square=True,
        fit=True,
        note=note,
    )


def error_space(problem: Problem, found: results.Results) -> Pane:
    """The pane with the classifiers of the curves in error space (fpr, fnr)."""
    note = "" if found.approximation is None else NOTE
    figure = figures.error_space_figure(
        found.curves, truth=problem.truth, notes=dict.fromkeys(found.curves, note)
    )
    plain = _calm(plain_figure(figure))
    # The truth is drawn last, on top.
    plain["data"].sort(key=lambda trace: trace["legendgroup"] == TRUTH)
    for trace in plain["data"]:  # The browser computes these parts from the curves.
        for part in ("x", "y", "text", "customdata"):
            trace.pop(part)
    return Pane(
        "error",
        plain,
        "Error space",
        follow="error",
        square=True,
        fit=True,
        note=note,
        help=ERROR_HELP,
    )


def numbers(problem: Problem, found: results.Results) -> Table:
    """The table of numbers, with every number of every curve."""
    settings = problem.settings
    truth = problem.truth
    bound = bounds.bound(problem)
    rows = {
        name: snapshots.row(curve, problem, limit_of(name, bound))
        for name, curve in found.curves.items()
    }
    known = {}
    if truth is not None:
        key = ("truth-row", *problem.key[1:3], settings.b, settings.eps)
        known = {
            TRUTH: problem.stores.results.remembered(key, partial(snapshots.row, truth, problem))
        }
    kind = "every"
    if found.approximation is not None:
        kind = f"every {NOTE}"
    caption = f"Summaries of {kind} curve" + ("" if truth is None else ", the truth first")
    return Table(caption, snapshots.columns(problem), {**known, **rows})


def linked(curves: NamedCurves, truth: PRCurve | None) -> Linked:
    """The curves on which the chosen lam is marked: every estimate and the truth."""
    color = figures.colors(curves)
    found = {name: (ESTIMATORS[name].title, color[name], curve) for name, curve in curves.items()}
    if truth is None:
        return found
    return {TRUTH: ("truth", figures.TRUTH_COLOR, truth), **found}


def following(problem: Problem, found: results.Results) -> Following:
    """The data with which the browser makes a figure follow the sliders of the main figure."""
    curves = linked(found.curves, problem.truth)
    return Following(curves, snapshots.profile_id(problem), position(problem))
