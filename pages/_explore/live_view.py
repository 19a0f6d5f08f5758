"""The main figure: k, bandwidth and lam as sliders, the curves, the same classifiers in error space, the bias bars."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pages._explore import controls as _controls
from pages._explore import data_controls, frames
from pages._explore.approximate import NOTE
from pages._explore.session import explore_session
from pages._live.figure import FIGURE, Bars, Pane, Slider, Table, lam_angle, live_figure, moved
from pages._shared import bounds, results
from pages._shared.sources import Problem
from pages._work.jobs import Status
from prviz import figures
from prviz.curves import PRCurve
from prviz.curves.summaries import TRUTH
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.estimators.hub import COSTLY, Hub
from prviz.estimators.ipr import IPR
from prviz.reports.settings import BANDWIDTH_LIMITS, N_LIMITS, ExploreSettings
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
HELP = "Higher and further right is better. A click on a curve sets λ."


def with_moved(settings: ExploreSettings) -> ExploreSettings:
    """The settings with the values the user has set in the figure."""
    values, found, held = moved(FIGURE), dict[str, Any](), explore_session()
    if held.taken_k is not None and values.get("turn") == held.taken_turn:
        values["k"] = held.taken_k
    k, bandwidth, angle = values.get("k"), values.get("bandwidth", settings.bandwidth), values.get("angle")
    if k == "sqrt" or data_controls.is_number(k, (1, N_LIMITS[1])):
        found["k"] = k if k == "sqrt" else int(k)
    if bandwidth is None or data_controls.is_number(bandwidth, BANDWIDTH_LIMITS):
        found["bandwidth"] = bandwidth
    if data_controls.is_number(angle, (0, 90)):
        found["lam"] = math.inf if angle >= 90 else float(f"{math.tan(math.radians(angle)):.6g}")
    return replace(settings, **found)


def legal(settings: ExploreSettings, problem: Problem) -> ExploreSettings:
    """The settings with a split and a k that this many samples allow, and families that the split allows."""
    if problem.largest_k(settings.split) < 1:
        settings = replace(settings, split=0.5)
    if settings.split is None:
        able = tuple(name for name in settings.methods if not ESTIMATORS[name].needs_split)
        settings = replace(settings, methods=able or DEFAULT_METHODS)
    top = problem.largest_k(settings.split)
    k = problem.k_of(settings)
    return settings if settings.k == "sqrt" and k <= top else replace(settings, k=min(max(k, 1), top))


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
        epoch=str(explore_session().epoch_k or ""),
        help="How many nearest neighbours a ball holds; √n uses the size of one set before the split.",
    )


def _bandwidth_slider(units: Sequence[float], settings: ExploreSettings) -> Slider:
    return Slider(
        "bandwidth",
        "Bandwidth of KDE (mean radii)",
        units,
        settings.bandwidth,
        1.0 if settings.bandwidth is None else settings.bandwidth,
        marks=[(None, "auto: each class's own"), (1, "1")],
        number=(*BANDWIDTH_LIMITS, 0.001),
        empty="auto",
        help="Radius of KDE's balls. auto: the mean k-NN radius inside each class; a value: one radius for both.",
    )


def _lam_slider() -> Slider:
    """The slider of lam, at the session's first value; afterwards the browser holds its value."""
    angle = lam_angle(_controls.start().lam)
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
) -> None:
    """Draw the figure; its controls show the requested settings, also while an earlier figure is on screen."""
    truth, curves = problem.truth, found.curves
    live_figure(
        FIGURE,
        _panes(problem, settings, found),
        controls=controls(*asked),
        curves=linked(curves, truth),
        table=numbers(problem, settings, found),
        rows=True,
        frames=frames.profile_id(problem, settings) if status.final else "",
        shown=position(problem, settings),
        answer=status.payload(),
    )
    frames.send(*asked)


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
    helps = [HELP, hubs(problem, settings)]
    if problem.toy is not None:
        helps = [problem.headline.replace("*", ""), f"{problem.toy.summary} {problem.toy.source}.", *helps]
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


def error_space(problem: Problem, settings: ExploreSettings, found: results.Results) -> Pane:
    """The same classifiers by their two error rates."""
    note = "" if found.approximation is None else NOTE
    figure = figures.error_space_figure(found.curves, truth=problem.truth, notes=dict.fromkeys(found.curves, note))
    caption = "Each point is a classifier, real or generated; the line of slope −λ touches the best one."
    return Pane("error", figure, follow="error", square=True, caption=caption)


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
