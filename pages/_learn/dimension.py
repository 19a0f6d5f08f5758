"""Lesson 7: the same shift in ever more dimensions, and how slowly more samples help."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import streamlit as st

from pages._learn import measurements, rates
from pages._learn.lesson import Verdict, explore_link, question, value
from pages._live.figure import Model, Pane, Slider, Table, live_figure
from pages._shared import answers
from pages._work.jobs import JobRequest, Progress
from prviz import figures
from prviz.curves import PRCurve
from prviz.curves.summaries import COMPARISONS, SUMMARIES, Column
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.reports.settings import ExploreSettings
from prviz.studies.convergence import ErrorMeasurement, measured, rate_exponent
from prviz.toys import ToyProblem, toy

TITLE = "The curse of dimension"
IDEA = (
    "Real and generated data are two round Gaussians in d dimensions; the distance of their centres stays the same "
    "whatever d is. So does the **true** curve (dashed): only the direction of the shift matters. Estimates see "
    "samples only, and in many dimensions all of them lie about equally far from one another: neighbours say less and "
    "less, and every family drifts towards the curve of two equal distributions. Drag d and watch."
)
KEY = "lesson-dimension"
DIMENSIONS = tuple(2**power for power in range(12))
DISTANCES = (1.0, 2.0, 3.0)
SIZES = (200, 500, 1000)
REPEATS = 4
# Samples per set and repeats of the first drawing, which is computed at once.
FIRST_N, FIRST_REPEATS = 100, 1
# Samples per set and repeats of the question's measurement.
FEW, MANY, ASKED_REPEATS = 100, 400, 6
HALF, SOME, HARDLY = (
    "It falls to half or less",
    "It falls by a fifth to a half",
    "It falls by less than a fifth, if at all",
)
COLUMNS = [*(Column(key, *told) for key, told in COMPARISONS.items())] + [
    Column(each.key, each.label, each.explanation) for each in SUMMARIES if each.key == "auc"
]


class Sweep(NamedTuple):
    """Measurements at every dimension, with their samples per set and repeats."""

    n: int
    repeats: int
    found: Mapping[int, ErrorMeasurement]

    def errors(self, method: str) -> list[float]:
        return [1.0 - self.found[d].comparisons[method].iou for d in DIMENSIONS]


def problem(d: int, distance: float) -> ToyProblem:
    return toy("high-dimension", d=d, shift=distance)


def sweep(distance: float, n: int, repeats: int, progress: Progress | None = None) -> Sweep:
    found = {}
    for place, d in enumerate(DIMENSIONS):
        if progress is not None:
            progress(place / len(DIMENSIONS))
        found[d] = measured(problem(d, distance), n=n, repeats=repeats)
    return Sweep(n, repeats, found)


# ---- the figure over d ----


def row_of(found: ErrorMeasurement, method: str) -> list[float]:
    return [round(number, 4) for number in (*found.comparisons[method], found.curves[method].auc)]


def frame(found: ErrorMeasurement, d: int) -> dict[str, Any]:
    """The browser's frame at this dimension."""
    best = min(DEFAULT_METHODS, key=lambda method: -found.comparisons[method].iou)
    return {
        "curves": {name: curve.vertices.round(5).ravel().tolist() for name, curve in found.curves.items()},
        "panes": {"errors": {"traces": {str(len(DEFAULT_METHODS)): {"x": [d, d], "name": f"now: {d}"}}}},
        "rows": {name: row_of(found, name) for name in found.curves},
        "words": f"d = {d}: {ESTIMATORS[best].title} errs least, by {1 - found.comparisons[best].iou:.2f}.",
    }


def _panes(shown: Sweep, d: int, truth: PRCurve) -> list[Pane]:
    said = f"{shown.n} samples per set, k = √n neighbours, half of them to measure"
    repeats = f"mean of {shown.repeats} draws" if shown.repeats > 1 else "one draw"
    over_d = {method: (DIMENSIONS, shown.errors(method)) for method in DEFAULT_METHODS}
    return [
        Pane(
            "pr",
            figures.pr_figure(dict(shown.found[d].curves), truth=truth),
            "Estimates and the truth",
            caption=f"Dashed: the truth, the same for every d. Solid: {said}; {repeats}.",
            follow="pr",
            square=True,
        ),
        Pane(
            "errors",
            figures.dimension_figure(over_d, current=d),
            "The error over d",
            caption="1 − IoU: the share of the area under both curves that only one of them covers; 0 is perfect.",
        ),
    ]


def _figure(shown: Sweep, d: int, distance: float, more: Mapping[str, Any] | None) -> None:
    truth = problem(1, distance).truth()
    colors = figures.colors(DEFAULT_METHODS)
    found = shown.found[d]
    curves = {"truth": ("truth", figures.TRUTH_COLOR, truth)} | {
        name: (ESTIMATORS[name].title, colors[name], curve) for name, curve in found.curves.items()
    }
    slider = Slider(
        "d",
        "Dimension d",
        DIMENSIONS,
        d,
        d,
        marks=[(1, "1"), (64, "64: the papers' toys"), (2048, "2048: image features")],
        help="Number of features of every sample. Inception features, with which images are compared, have 2048.",
    )
    rows = {"truth": [1.0, 0.0, 0.0, truth.auc], **{name: row_of(found, name) for name in found.curves}}
    frames = {str(place): frame(shown.found[each], each) for place, each in enumerate(DIMENSIONS)}
    coarse = shown.n if more is not None and shown.n == FIRST_N else 0
    live_figure(
        KEY,
        _panes(shown, d, truth),
        controls=[slider],
        curves=curves,
        table=Table("Mean over the draws; hover over a heading to read what it says.", COLUMNS, rows),
        model=Model("stops", {"parts": [{"controls": ["d"], "frames": frames}]}),
        answer={"more": more, "stale": False, "coarse": coarse},
    )


@st.fragment
def show() -> None:
    with st.container(horizontal=True):
        distance = st.segmented_control(
            "Distance of the centres (in widths of the Gaussians)",
            DISTANCES,
            format_func=lambda each: f"{each:g}",
            default=2.0,
            required=True,
            key="dimension.distance",
        )
        n = st.segmented_control("Samples per set", SIZES, default=500, required=True, key="dimension.n")
    distance, n = distance if distance in DISTANCES else 2.0, n if n in SIZES else 500
    d = int(value(KEY, "d", 64))
    over_d, over_n = _works(distance, n)
    more = measurements.further([over_d, over_n], KEY)
    first = (KEY, distance, FIRST_N, FIRST_REPEATS)
    shown = measurements.shared().get(over_d.key) or measurements.at_once(
        first, lambda: sweep(distance, FIRST_N, FIRST_REPEATS)
    )
    _figure(shown, d, distance, more)
    answers.say_stopped(over_d.key, f"the figure shows {FIRST_N} samples per set.")
    rates.show(over_n)
    family = st.session_state.get(rates.FAMILY) or DEFAULT_METHODS[0]
    _ask(distance, d, family)
    explore_link(ExploreSettings(problem="high-dimension", parameters={"d": d, "shift": distance}, n=n))


def _works(distance: float, n: int) -> tuple[JobRequest[Any], JobRequest[Any]]:
    """Both jobs that run after the first drawing, one after the other."""
    over_d = JobRequest(
        (KEY, distance, n, REPEATS),
        lambda progress: sweep(distance, n, REPEATS, progress),
        0.005 * n * REPEATS / 4,
        f"Measuring {n} samples per set at every d",
        measurements.shared(),
    )
    return over_d, rates.work(lambda d: problem(d, distance), (KEY, distance))


def _ask(distance: float, d: int, family: str) -> None:
    title = ESTIMATORS[family].title
    text = (
        f"In d = {d} dimensions the estimate of {title} is made from {FEW} samples per set. Take four times as many, "
        f"{MANY}: what happens to its error, 1 − IoU?"
    )

    def answer() -> Verdict:
        def error(n: int) -> float:
            key = (KEY, "asked", distance, d, n)
            found = measurements.at_once(key, lambda: measured(problem(d, distance), n=n, repeats=ASKED_REPEATS))
            return 1.0 - found.comparisons[family].iou

        before, after = error(FEW), error(MANY)
        share = after / before
        promised = 4 ** rate_exponent(d)
        return Verdict(
            HALF if share <= 0.5 else SOME if share <= 0.8 else HARDLY,
            f"Measured just now, mean of {ASKED_REPEATS} draws each: {before:.3f} with {FEW} samples, {after:.3f} "
            f"with {MANY}, that is {share:.2f} times as much. The theorem's bound falls to {promised:.3f} of "
            f"itself; to halve that bound in d = {d} takes 2^{2 + d} times as many samples.",
        )

    question(KEY, text, (HALF, SOME, HARDLY), answer, about=(distance, d, family))
