"""Lesson 7: the same shift in ever more dimensions, and how slowly more samples help."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

import streamlit as st

from pages._learn.lesson import Verdict, curve_pane, explore_link, learn_session, linked, question, value
from pages._live.figure import Model, Pane, Slider, Table, live_figure
from pages._shared import answers
from pages._shared.cache import session
from pages._shared.families import titles
from pages._shared.widgets import choose_one
from pages._work.jobs import JobRequest, Progress
from pages._work.store import LeastRecentlyUsed
from prviz import figures
from prviz.curves.summaries import COMPARISONS, SUMMARIES, Column
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.reports.settings import ExploreSettings
from prviz.studies.convergence import (
    Convergence,
    ErrorMeasurement,
    convergence,
    factor_to_gain,
    measured,
    rate_exponent,
)
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
COLUMNS = [*(Column(key, *texts) for key, texts in COMPARISONS.items())] + [
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


@st.fragment
def draw() -> None:
    with st.container(horizontal=True):
        distances = {each: f"{each:g}" for each in DISTANCES}
        label = "Distance of the centres (in widths of the Gaussians)"
        distance = choose_one(label, distances, 2.0, key="dimension.distance")
        n = choose_one("Samples per set", SIZES, 500, key="dimension.n")
    d = int(value(KEY, "d", 64))
    over_d = JobRequest(
        (KEY, distance, n, REPEATS),
        lambda progress: sweep(distance, n, REPEATS, progress),
        0.005 * n * REPEATS / 4,
        f"Measuring {n} samples per set at every d",
        shared(),
    )
    over_n = _rates_request(lambda d: problem(d, distance), (KEY, distance))
    more = further([over_d, over_n], KEY)
    first = (KEY, distance, FIRST_N, FIRST_REPEATS)
    shown = shared().get(over_d.key) or at_once(first, lambda: sweep(distance, FIRST_N, FIRST_REPEATS))
    truth = problem(1, distance).truth()
    found = shown.found[d]
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
    said = f"{shown.n} samples per set, k = √n neighbours, half of them to measure"
    repeats = f"mean of {shown.repeats} draws" if shown.repeats > 1 else "one draw"
    errors = {method: (DIMENSIONS, shown.errors(method)) for method in DEFAULT_METHODS}
    panes = [
        curve_pane(
            found.curves,
            truth,
            f"Dashed: the truth, the same for every d. Solid: {said}; {repeats}.",
            "Estimates and the truth",
        ),
        Pane(
            "errors",
            figures.dimension_figure(errors, current=d),
            "The error over d",
            caption="1 − IoU: the share of the area under both curves that only one of them covers; 0 is perfect.",
        ),
    ]
    live_figure(
        KEY,
        panes,
        controls=[slider],
        curves=linked(truth, found.curves),
        table=Table("Mean over the draws; hover over a heading to read what it says.", COLUMNS, rows),
        model=Model("stops", {"parts": [{"controls": ["d"], "frames": frames}]}),
        answer={"more": more, "stale": False, "coarse": coarse},
    )
    answers.say_stopped(over_d.key, f"the figure shows {FIRST_N} samples per set.")
    _show_rates(over_n)
    family = st.session_state.get(FAMILY) or DEFAULT_METHODS[0]
    title = ESTIMATORS[family].title
    text = (
        f"In d = {d} dimensions the estimate of {title} is made from {FEW} samples per set. Take four times as many, "
        f"{MANY}: what happens to its error, 1 − IoU?"
    )

    def answer() -> Verdict:
        def error(n: int) -> float:
            key = (KEY, "asked", distance, d, n)
            found = at_once(key, lambda: measured(problem(d, distance), n=n, repeats=ASKED_REPEATS))
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
    explore_link(ExploreSettings(problem="high-dimension", parameters={"d": d, "shift": distance}, n=n))


T = TypeVar("T")
# Seconds between polls of the browser; each answer sends the figure again.
PAUSE = 0.5


@st.cache_resource
def shared() -> LeastRecentlyUsed:
    """The results of all sessions."""
    return LeastRecentlyUsed(48)


def at_once(key: tuple[Any, ...], compute: Callable[[], T]) -> T:
    """The result of `compute`, computed at once and kept for all sessions."""
    return shared().remembered(key, compute)


def further(requests: list[JobRequest[Any]], figure: str) -> dict[str, Any] | None:
    """A job does the first unfinished one, from the browser's first poll on; the figure's status, None: all done."""
    drawn, keys = learn_session().drawn, [request.key for request in requests]
    first, drawn[figure] = drawn.get(figure) != keys, keys
    stop = answers.stop_clicked(figure)
    for request in filter(answers.is_open, requests):
        if stop:
            session().jobs.stop(request.key)
            stop = False
        elif first:
            return {"share": None, "left": request.seconds, "note": request.note, "pause": PAUSE, "quiet": True}
        elif (job := answers.awaited_job(request, answers.WAIT_SECONDS)) is not None:
            return {**answers.progress_of(job, request.note, quiet=True), "pause": PAUSE}
    return None


RATES_KEY = "lesson-dimension-rates"
FAMILY = "dimension.family"
RATE_DIMENSIONS, RATE_SIZES, RATE_REPEATS = (1, 2, 8, 64), (50, 100, 200, 400, 800, 1600), 12
THEOREM = (
    "**What theory promises.** Theorem 6 of Sykes, Simon, Rabin and Fadili (2026): for smooth densities with light "
    "tails and **N** samples of each side, let KDE's balls shrink like $N^{-1/(2+d)}$. Then the overlap of the two "
    "estimated densities misses the true precision α(λ) on average by at most $C\\,(\\lambda+1)\\,N^{-1/(2+d)}$. The "
    "factor C depends on d, not on N: only the slope is promised, as an upper bound for the worst case, and a real "
    "error may well fall faster. What is measured here are the classifiers that these families are used as (of which "
    "the paper bounds the bias alone in this way), at λ = 1: the mean distance of the estimated α(1) from the true "
    "one. KDE has the theorem's radius, the others k = √N neighbours; half of each N defines the classifiers, half "
    "measures them."
)


def _rates_request(problem: Callable[[int], ToyProblem], key: tuple[Any, ...]) -> JobRequest[dict[int, Convergence]]:
    """The job. problem : the problem in d dimensions, key : its cache key."""
    return JobRequest(
        (RATES_KEY, key, RATE_SIZES, RATE_REPEATS),
        lambda progress: rates(problem, progress),
        6.0,
        "Measuring how the error falls with more samples",
        shared(),
    )


def rates(problem: Callable[[int], ToyProblem], progress: Progress) -> dict[int, Convergence]:
    found = {}
    for place, d in enumerate(RATE_DIMENSIONS):

        def overall(share: float, begun: int = place) -> None:
            progress((begun + share) / len(RATE_DIMENSIONS))

        found[d] = convergence(problem(d), RATE_SIZES, repeats=RATE_REPEATS, progress=overall)
    return found


def _show_rates(request: JobRequest[dict[int, Convergence]]) -> None:
    """Draw the theorem, the errors over N, and the factors of N that halve them."""
    st.subheader("Would more samples help?", anchor=False)
    st.markdown(THEOREM)
    family = choose_one("Family", titles(DEFAULT_METHODS), DEFAULT_METHODS[0], key=FAMILY)
    found: dict[int, Convergence] | None = shared().get(request.key)
    answers.say_stopped(request.key, "the errors over N are not measured.")
    if found is None:
        if request.key not in session().jobs.stopped:
            st.caption("The errors over N are being measured; the figure comes as soon as they are known.")
        return
    pane = Pane(
        "rates",
        figures.rates_figure(
            RATE_SIZES,
            {f"d = {d}": each.errors[family] for d, each in found.items()},
            {f"d = {d}": rate_exponent(d) for d in found},
            notes={
                f"d = {d}": f"slope {_slope(each, family)}, theorem {_signed(rate_exponent(d), 3)}"
                for d, each in found.items()
            },
        ),
        f"Measured errors of {ESTIMATORS[family].title} over N",
        caption=f"Both axes are logarithmic, so that a rate is a slope. Solid: means of {RATE_REPEATS} draws. Dotted: "
        "the theorem's slope, from the first point on.",
        wide=True,
    )
    live_figure(RATES_KEY, [pane])
    table = [
        f"How many times more samples halve the error, if {ESTIMATORS[family].title}'s slope goes on as measured; and "
        "how many halve the theorem's bound:",
        "",
        "| d | measured | to halve | theorem | to halve |",
        "|---|---|---|---|---|",
    ]
    for d, each in found.items():
        halves, promised = factor_to_gain(each.slope(family).value), factor_to_gain(rate_exponent(d))
        table.append(f"| {d} | {_slope(each, family)} | {_times(halves)} | −1/{2 + d} | {_times(promised)} |")
    st.markdown("\n".join(table))


def _slope(found: Convergence, family: str) -> str:
    slope = found.slope(family)
    return f"{_signed(slope.value, 2)} ± {slope.error:.2f}"


def _signed(number: float, digits: int) -> str:
    return f"{number:.{digits}f}".replace("-", "−")


def _times(factor: float) -> str:
    if math.isinf(factor):
        return "it does not fall"
    if factor < 1e6:
        return f"{factor:.2g} ×" if factor < 99 else f"{factor:,.0f} ×"
    mantissa, power = f"{factor:.0e}".split("e+")
    return f"{mantissa}·10^{int(power)} ×"
