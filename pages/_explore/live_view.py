"""The main figure: k, bandwidth and lam as sliders, the curves, the same classifiers in error
space, the bias bars.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

from pages._explore import data_controls, far_off, predict
from pages._explore.approximate import NOTE
from pages._explore.session import ExploreSession, explore_session, state
from pages._live.figure import (
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
from pages._live.route import Ask
from pages._shared.cache import Session, session
from prviz import figures
from prviz.curves import PRCurve
from prviz.curves.summaries import TRUTH
from prviz.estimators import ESTIMATORS
from prviz.estimators.hub import COSTLY, Hub
from prviz.estimators.ipr import IPR
from prviz.figures.pr import BOUND, limit_label
from prviz.live import bounds, frames, needs, results, snapshots
from prviz.live.explorer import CurvesQuestion, Question, Sink
from prviz.live.problems import Problem, allowed, problem_of
from prviz.live.results import Answer
from prviz.live.state import VIEWS
from prviz.reports.export import limit_of
from prviz.reports.settings import BANDWIDTH_LIMITS, FIRST_VIEW, SHOW_BOUND, SHOW_LIMITS
from prviz.uncertainty.upper_bound import NO_LOWER_BOUND

# Largest number of a question: what JavaScript counts to exactly.
MOST_QUESTIONS = 2**53
BOUND_HELP = (
    "Shaded: with 95 % confidence the true curve does not reach there, if samples are independent;"
    " by the best classifier, judged on samples that it has not seen. A curve is thin where it"
    " does: there a family is refuted, and the area of the best classifier is cut to its bound."
    f" {NO_LOWER_BOUND}"
)
LIMITS_HELP = (
    "Dotted: what an estimator comes to with ever more samples at this k. What lies between that"
    " and the truth no further sample repairs, only another k."
)
ERROR_HELP = (
    "Each point is a classifier, real or generated; the line of slope −λ touches the best one."
)
K_HELP = "How many nearest neighbours a ball holds; √n uses the size of one set before the split."
HELP = (
    "Higher and further right is better. A click on a curve sets λ, and in Space takes its family."
)


def last(shared: Session) -> Answer:
    """The last final answer, or the first view."""
    if shared.shown is None:
        problem = problem_of(FIRST_VIEW, stores=shared)
        shared.shown = Answer(problem, results.results(problem))
    return shared.shown


def wanted(held: ExploreSession, shared: Session) -> Problem:
    """What the state asks for, as far as the samples allow it.

    Behind the upload fields the figure stays as it was.
    """
    settings = held.update().settings
    if settings.source == "upload" and held.uploaded is None:
        before = last(shared).problem.settings
        settings = replace(
            settings,
            source=before.source,
            problem=before.problem,
            parameters=before.parameters,
            n=before.n,
        )
    return allowed(problem_of(settings, held.uploaded, shared))


def controls(problem: Problem, view: str) -> list[Control]:
    """The controls of the figure; the bandwidth's only where a family has one.

    view : one of VIEWS; bound and limits are drawn beside curves alone, and so are the chips that
    ask for them.
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
    )
    angle = lam_angle(settings.lam)
    lam = Slider(
        "angle",
        "Trade-off λ = precision / recall",
        range(91),
        angle,
        angle,
        marks=[(0, "recall end"), (45, "λ = 1"), (90, "precision end")],
        angle=True,
        group="figure",
        help=(
            "Large λ: what share of the generated samples is good. Small λ: what share of the real"
            " ones is covered."
        ),
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
    """Why nothing is said of every k at once; empty where it is, or will be."""
    if problem.settings.approximate:
        return "Approximate curves are measured at one k at a time."
    if needs.profile(problem) is None:
        return "Measuring every k would take more than a minute. Use fewer samples."
    return ""


def _shown(problem: Problem) -> list[tuple[str, str, str]]:
    """What can be drawn beside the curves: name, label and help."""
    bound = bounds.bound(problem)
    label = (
        "95 % bound"
        if bound is None or bound.auc <= bounds.WIDEST
        else "95 % bound: rules nothing out"
    )
    limits = [(SHOW_LIMITS, "limits for n → ∞", LIMITS_HELP)]
    return [
        (SHOW_BOUND, label, BOUND_HELP),
        *(limits if problem.settings.split is not None else []),
    ]


def content(
    held: ExploreSession,
    shared: Session,
    asked: Problem,
    number: int,
    answer: Answer,
    have: set[str] | None = None,
) -> bytes:
    """All that the main figure draws, as JSON, for any thread; its controls show what is asked for.

    number : of the last question that `asked` knows of. have : as of `figure_content`.
    """
    state = held.update()
    problem = answer.problem
    found = answer.drawn
    truth = problem.truth
    curves = found.curves
    shade = bounds.shade(problem)
    # drawn for the row that is pointed at
    known = bounds.every_limit(problem) if answer.final else {}
    limits = {limit_label(name): curve for name, curve in known.items()}
    errors = far_off.known(problem)
    table = numbers(problem, found)
    drawing = figure_content(
        [
            (
                curve_space(problem, found, table)
                if state.view == VIEWS[0]
                else error_space(problem, found)
            )
        ],
        controls=controls(asked, state.view),
        curves=linked(curves, truth),
        lines=limits if shade is None else {BOUND: shade, **limits},
        have=have,
        table=table,
        bound=None if truth is not None or shade is None else shade.auc,
        noise=results.noise(problem),
        few=bounds.too_few(problem),
        errors=None if errors is None else errors.known,
        frames=frames.profile_id(problem) if answer.final else "",
        shown=position(problem),
    )
    pins = snapshots.pinned(asked, state.pins)
    beside = {
        "films": snapshots.films(problem) if answer.final else [],
        "pins": [snapshots.snapshot_id(each) for each in pins],
        "now": snapshots.snapshot_id(problem),
        "words": snapshots.words(problem),
        "asked": number,
        "of": [state.settings.source, state.settings.problem],
        "hidden": state.hidden,
        "folded": state.folded,
        "task": predict.shown(problem, state.task),
        "coarse": answer.coarse,
        "stale": answer.stale,
        "other": not answer.final and asked.key[:2] != problem.key[:2],
        "pending": bounds.is_pending(problem, shared.stopped),
        "more": bool(
            needs.missing(needs.needs(asked, None, snapshots.pin_needs(pins)), shared.stopped)
        ),
    }
    return joined(drawing, beside)


def understand(held: ExploreSession, shared: Session) -> Ask:
    """How questions on the line are understood: their values change the state, which the answer is
    about.
    """

    def understood(sent: Mapping[str, Any], sink: Sink) -> Question:
        values = sent.get("values")
        number = int(sent["q"])
        have = set(map(str, sent.get("have", ())))
        if not 0 < number <= MOST_QUESTIONS:
            raise ValueError("a question has a number")
        held.asked = max(held.asked, number)
        settings = held.update().settings
        # What was moved for other data must not count for these.
        if (
            isinstance(values, Mapping)
            and values
            and sent.get("of") == [settings.source, settings.problem]
        ):
            try:
                held.update(lambda state: state.with_values(values))
                held.refused = ""
            except ValueError as error:
                held.refused = str(error)
        asked = wanted(held, shared)
        wishes = snapshots.pin_needs(snapshots.pinned(asked, held.update().pins))
        over = str(sent.get("film", ""))
        film = dict[str, Any]()
        if over and over in snapshots.films(asked):  # most questions are of no film
            film = snapshots.film_content(asked, over)
            wishes += snapshots.film_needs(asked, over)
            if sent.get("gif"):
                now = held.update()
                wishes.append(snapshots.gif_need(asked, over, (*now.hidden, *now.folded)))
        draw = partial(content, held, shared, asked, number, have=have)
        question = CurvesQuestion(number, asked, draw, sink, have, wishes)
        if film:
            question.send("film", film)
        if held.refused:
            question.send("page")
        return question

    return understood


def _choose(name: object) -> None:
    """A click on a curve: the panel Space is about its family; what is open, and what colours mean,
    stays.
    """
    if name in (*state().settings.methods, TRUTH):
        explore_session().method = str(name)


def _ask_for_card(name: object) -> None:
    """A click on a row's (i): the card of its family."""
    if isinstance(name, str) and name in ESTIMATORS:
        explore_session().about = name


def _pin(snapshot: object) -> None:
    """The button Pin: what is on screen, or a state that is pinned already, by its snapshot's id."""
    held = explore_session()
    asked = wanted(held, session())
    settings = snapshots.to_pin(asked)
    for pin in state().pins:
        if any(snapshots.snapshot_id(each) == snapshot for each in snapshots.pinned(asked, [pin])):
            settings = pin
    held.update(lambda now: now.with_pin(settings))


# What the page does when the figure tells it something; it is drawn again in any case.
TOLD: Mapping[str, Callable[[object], object]] = {
    "follow": lambda _: None,
    "chosen": _choose,
    "about": _ask_for_card,
    "pin": _pin,
}


def position(problem: Problem) -> dict[str, float | None]:
    """The values of the sliders: k as a number, the bandwidth in its unit or None for the automatic
    one.
    """
    return {"k": problem.k, "bandwidth": problem.settings.bandwidth}


def following(problem: Problem, found: results.Results) -> Following:
    """What lets a figure follow the main one's sliders in the browser."""
    curves = linked(found.curves, problem.truth)
    return Following(curves, frames.profile_id(problem), position(problem))


def visible(names: Sequence[str]) -> list[str]:
    """The families that are not switched off, which no panel shows; all of them where all are."""
    hidden = state().hidden
    return [name for name in names if name not in hidden] or list(names)


def shown_alone(found: results.Results) -> results.Results:
    """The results of the families that are not hidden."""
    names = visible(list(found.curves))
    return replace(
        found,
        curves={name: found.curves[name] for name in names},
        bands={name: band for name, band in found.bands.items() if name in names},
    )


def over(problem: Problem) -> dict[str, list[str]]:
    """The families that each slider moves, by its name; a slider that moves none is left out."""
    tuned = [name for name in problem.tuned if ESTIMATORS[name].tunes == "bandwidth"]
    by_k = [
        name for name in problem.tuned if name not in tuned or problem.settings.bandwidth is None
    ]
    return {control: names for control, names in (("k", by_k), ("bandwidth", tuned)) if names}


def hubs(problem: Problem) -> str:
    """Sentence on the share of hubs among the samples on screen, where a family measures at hubs
    alone.
    """
    for name in problem.settings.methods:
        family = ESTIMATORS[name]
        kept = results.kept_estimate(problem, name)
        if not isinstance(family, Hub) or kept is None:
            continue
        share = len(kept.supports.c_real) / sum(problem.judged)
        costs = f": this costs more than {IPR.title} on all of them" if share >= COSTLY else ""
        return f" {family.title}: {share:.0%} of the samples are hubs at this k{costs}."
    return ""


@cache
def _layout() -> dict[str, Any]:
    """The layout of the curves' figure, the same for all."""
    layout: dict[str, Any] = plain_figure(figures.pr_figure({}))["layout"]
    return layout


def curve_space(problem: Problem, found: results.Results, table: Table) -> Pane:
    """The curves; in the legend the first number of each in the table, if that compares it with the
    truth.
    """
    truth = problem.truth
    curves = found.curves
    note = "" if found.approximation is None else NOTE
    compared = frames.comparable(problem) is not None
    words = {name: f"IoU {table.rows[name][0]:.2f}" if compared else "" for name in curves}
    notes = {name: ", ".join(filter(None, (word, note))) for name, word in words.items()}
    bound = bounds.shade(problem)
    limits = bounds.limits(problem)
    about = "" if problem.toy is None else f"{problem.toy.summary} {problem.toy.source}."
    if problem.settings.swapped:
        about += " Real and generated are swapped here."
    helps = [problem.headline, about, HELP, hubs(problem)]
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
    # on top
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
    """The same classifiers by their two error rates."""
    note = "" if found.approximation is None else NOTE
    figure = figures.error_space_figure(
        found.curves, truth=problem.truth, notes=dict.fromkeys(found.curves, note)
    )
    plain = plain_figure(figure)
    plain["data"].sort(key=lambda trace: trace["legendgroup"] == TRUTH)  # on top
    for trace in plain["data"]:  # the browser has the curves
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
    """Every number of every curve."""
    settings = problem.settings
    truth = problem.truth
    bound = bounds.bound(problem)
    rows = {
        name: frames.row(curve, problem, limit_of(name, bound))
        for name, curve in found.curves.items()
    }
    known = {}
    if truth is not None:
        key = ("truth-row", *problem.key[1:3], settings.b, settings.eps)
        known = {TRUTH: problem.stores.results.remembered(key, partial(frames.row, truth, problem))}
    kind = "every" if found.approximation is None else f"every {NOTE}"
    caption = f"Summaries of {kind} curve" + ("" if truth is None else ", the truth first")
    return Table(caption, frames.columns(problem), {**known, **rows})


def linked(curves: Mapping[str, PRCurve], truth: PRCurve | None) -> Linked:
    """The curves that the marks at lam follow: every estimate and the truth."""
    color = figures.colors(curves)
    found = {name: (ESTIMATORS[name].title, color[name], curve) for name, curve in curves.items()}
    return found if truth is None else {TRUTH: ("truth", figures.TRUTH_COLOR, truth), **found}
