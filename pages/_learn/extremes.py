"""Lesson 5: the ends of the curve, the support and the co-support."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from pages._learn.lesson import (
    Verdict,
    curve_pane,
    explore_link,
    lam_at,
    lam_slider,
    learn_session,
    linked,
    question,
    value,
)
from pages._live.figure import Model, Pane, Slider, Table, live_figure
from pages._shared.widgets import choose_one
from prviz import figures, scalars
from prviz.curves import PRCurve
from prviz.curves.summaries import Column
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.figures import ExtremeRow
from prviz.measure.estimates import estimate
from prviz.reports.settings import ExploreSettings
from prviz.toys import ToyProblem, toy

TITLE = "Extremes and co-support"
IDEA = (
    "Most published numbers aim at the ends of the curve: **α∞**, the precision as λ grows without end, and **β₀**, "
    "the recall as λ goes to 0. The literature reads α∞ as **Q(supp P)**, the share of the generated data Q inside the "
    "*support* of the real data P, the smallest closed region with all of P's mass; in truth it is **Q(cosupp)**, the "
    "share inside the *co-support*, where P and Q have mass together (β₀ is P(cosupp)). The two can be as different as "
    "1 and 0, and both can be 1 for distributions that hardly agree."
)
KEY = "lesson-extremes"
FALL, RISE = "The truth stays, the estimates fall", "The truth stays, the estimates rise"
STAY, MOVES = "Neither moves much", "The truth moves as well"
# Change of the families' mean that counts as a move.
MUCH = 0.05
COLUMNS = (
    Column("alpha_split", "α∞, split", "Extreme precision, measured on samples that did not vote."),
    Column("alpha_free", "α∞, no split", "Extreme precision, all samples vote and are judged."),
    Column("beta_split", "β₀, split", "Extreme recall, measured on samples that did not vote."),
    Column("beta_free", "β₀, no split", "Extreme recall, all samples vote and are judged."),
)
N = 200
PUBLISHED_K = 5
PUBLISHED = ("improved P / R, k = 5", "coverage, k = 5")
# Number of rays along which a smooth truth is drawn.
RAYS = 500


class EndsCase(NamedTuple):
    """A toy problem with one of its parameters on a slider.

    why : the truth at every stop, explained. moves : the slider's effect, with {} for a value. start, far : stops.
    marks : named stops.
    """

    title: str
    problem: str
    fixed: Mapping[str, float]
    moved: str
    label: str
    stops: Sequence[float]
    start: float
    far: float
    marks: Sequence[tuple[float, str]]
    moves: str
    why: str

    def at(self, stop: float) -> ToyProblem:
        return toy(self.problem, **self.fixed, **{self.moved: int(stop) if self.moved == "d" else stop})


JUMP = (
    " With a split an end can jump to 1: where one judged real sample gets no real vote at all, only the classifier "
    "that accepts everything keeps all real samples."
)
CASES = {
    "shifted": EndsCase(
        "Shifted",
        "shifted-gaussians",
        {"d": 4},
        "mu",
        "Shift of the generated data, on each of 4 features",
        [round(0.25 * step, 2) for step in range(9)],
        1.0,
        2.0,
        [(0.0, "equal"), (2.0, "far apart")],
        "the shift were {}",
        "Two Gaussians of the same width. Both densities are positive everywhere, so neither side has a place to "
        "itself: however far apart, α∞ = β₀ = 1. But the last of that mass lies in tails where a finite "
        "sample has no points: estimates fall." + JUMP,
    ),
    "narrow": EndsCase(
        "Narrow",
        "narrow-gaussian",
        {"d": 4, "position": 1.0},
        "sigma",
        "Width of the generated data (the real one is 1)",
        [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9],
        0.5,
        0.05,
        [(0.05, "narrow"), (0.9, "nearly as wide")],
        "the width were {}",
        "A noisy picture against white noise. However narrow, the density of the generated data is positive "
        "everywhere, so both supports and the co-support are the whole space and α∞ = β₀ = 1, although the curve "
        "between its ends is nearly nothing." + JUMP,
    ),
    "dirac": EndsCase(
        "A point",
        "dirac",
        {"position": 1.0},
        "d",
        "Dimension: the number of features",
        [1, 2, 4, 8, 16, 32, 64],
        4,
        64,
        [(1, "1"), (4, "4"), (64, "64")],
        "there were {} features",
        "The generator repeats one sample, which lies inside the support of P: Q(supp P) = 1, and improved precision, "
        "which asks just this, says so as long as real balls reach the point. But P gives a single point no mass: the "
        "co-support is empty, and both ends are 0." + JUMP,
    ),
}


class EndsAtStop(NamedTuple):
    """Truth and measurements at one stop.

    curves : of every family, with a split. rows : both ends, with the published numbers (no split).
    """

    truth: PRCurve
    curves: Mapping[str, PRCurve]
    rows: Sequence[ExtremeRow]
    density: float

    def alpha_inf(self, *, held_out: bool) -> dict[str, float]:
        """Extreme precision by family."""
        return {row.method: row.alpha_inf for row in self.rows if row.held_out == held_out and row.method in ESTIMATORS}


@st.cache_data(max_entries=24, show_spinner=False)
def measured(name: str, seed: int) -> list[EndsAtStop]:
    """The case, measured at each of its stops."""
    return [_ends(CASES[name].at(stop), seed) for stop in CASES[name].stops]


def _ends(problem: ToyProblem, seed: int) -> EndsAtStop:
    pair, rows = problem.sample(N, seed), []
    found = {ratio: estimate(pair, DEFAULT_METHODS, split=ratio, seed=seed) for ratio in (0.5, None)}
    for ratio, estimates in found.items():
        for name, each in estimates.items():
            curve = each.curve
            rows.append(ExtremeRow(name, ratio is not None, curve.extreme_precision, curve.extreme_recall))
    said = scalars(pair.real, pair.generated, k=PUBLISHED_K)
    rows.append(ExtremeRow(PUBLISHED[0], False, said["precision"], said["recall"]))
    rows.append(ExtremeRow(PUBLISHED[1], False, said["coverage_precision"], said["coverage"]))
    curves = {name: each.curve for name, each in found[0.5].items()}
    return EndsAtStop(thinned(problem.truth()), curves, rows, said["density"])


def thinned(curve: PRCurve) -> PRCurve:
    """The curve through its vertices that are optimal along one of RAYS rays, both ends among them."""
    lams = np.append(np.tan(np.linspace(0, np.pi / 2, RAYS)[:-1]), np.inf)
    return PRCurve(curve.vertices[np.unique(curve.vertex_at(lams))])


def frame(ends: EndsAtStop, traces: Mapping[str, int], truth: Sequence[float]) -> dict[str, Any]:
    """The browser's frame at one stop; traces : indices of the figure's dots, by name."""
    curves = {
        name: curve.vertices.round(6).ravel().tolist() for name, curve in {"truth": ends.truth, **ends.curves}.items()
    }
    dots = {
        traces[f"{side}, {'with' if held_out else 'without'} split"]: {
            "x": [round(getattr(row, end), 4) for row in ends.rows if row.held_out == held_out]
        }
        for side, end in (("precision", "alpha_inf"), ("recall", "beta_0"))
        for held_out in (True, False)
    }
    return {
        "curves": curves,
        "panes": {"ends": {"traces": dots}},
        "rows": table_rows(ends, truth),
        "words": words(ends),
    }


def table_rows(ends: EndsAtStop, truth: Sequence[float]) -> dict[str, list[float]]:
    """Rows for the truth and every family: alpha_inf with and without split, then beta_0."""
    found = {"truth": [truth[0], truth[0], truth[1], truth[1]]}
    for name in ends.curves:
        held, free = (
            next(row for row in ends.rows if (row.method, row.held_out) == (name, held)) for held in (True, False)
        )
        each = (held.alpha_inf, free.alpha_inf, held.beta_0, free.beta_0)
        found[name] = [round(value, 4) for value in each]
    return found


def words(ends: EndsAtStop) -> str:
    """Text with the published numbers."""
    improved, coverage = (next(row for row in ends.rows if row.method == name) for name in PUBLISHED)
    return (
        f"Published numbers, without split, k = {PUBLISHED_K}: improved precision {improved.alpha_inf:.2f}, improved "
        f"recall {improved.beta_0:.2f}, coverage {coverage.beta_0:.2f}, density {ends.density:.2f}."
    )


@st.fragment
def draw() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = choose_one("Case", {name: case.title for name, case in CASES.items()}, "shifted")
        if st.button("Resample", icon=":material/casino:", help=f"Draw {N} new samples of each kind."):
            learn_session().seeds[KEY] += 1
    case, seed = CASES[name], learn_session().seeds[KEY]
    key, found = f"{KEY}-{name}", measured(name, seed)
    stop = value(key, case.moved, case.start)
    stop = stop if stop in case.stops else case.start
    st.caption(case.why)
    here, problem = found[case.stops.index(stop)], case.at(stop)
    masses = problem.support_masses
    truth = (masses.q_of_cosupp, masses.p_of_cosupp)
    panes = [
        Pane(
            "ends",
            figures.extremes_figure(here.rows, truth=masses),
            "Estimates of both ends",
            caption=f"One row per estimate from {N} real and {N} generated samples. The lower two are "
            "published numbers without a curve: improved precision and recall; coverage and its mirror image.",
        ),
        curve_pane(
            here.curves,
            here.truth,
            "Dashed: the truth. Solid: the four families with a split, k = √n.",
            "The precision-recall curve between its ends",
        ),
    ]
    explanation = "What the generated data are like; the real ones are a Gaussian of width 1."
    slider = Slider(case.moved, case.label, case.stops, stop, stop, marks=case.marks, help=explanation)
    drawn = figures.extremes_figure(here.rows, truth=masses).data
    traces = {trace.name: index for index, trace in enumerate(drawn) if trace.customdata is not None}  # of the dots
    frames = {str(index): frame(each, traces, truth) for index, each in enumerate(found)}
    live_figure(
        key,
        panes,
        controls=[slider, lam_slider()],
        curves=linked(here.truth, here.curves),
        table=Table("Both ends in numbers", COLUMNS, table_rows(here, truth)),
        model=Model("stops", {"parts": [{"controls": [case.moved], "frames": frames}]}),
    )
    other = case.far if stop != case.far else case.stops[0] if case.far != case.stops[0] else case.stops[-1]
    text = (
        f"If {case.moves.format(f'{other:g}')} instead of {stop:g}, what would happen to the true α∞, and to the "
        "mean estimate of the four families without a split?"
    )

    def answer() -> Verdict:
        before, after = (found[case.stops.index(each)] for each in (stop, other))
        truths = [case.at(each).support_masses.q_of_cosupp for each in (stop, other)]
        said = [each.alpha_inf(held_out=False) for each in (before, after)]
        means = [sum(each.values()) / len(each) for each in said]
        change = means[1] - means[0]
        moved = MOVES if truths[0] != truths[1] else STAY if abs(change) <= MUCH else FALL if change < 0 else RISE
        each = ", ".join(f"{ESTIMATORS[name].title} {said[0][name]:.2f} → {said[1][name]:.2f}" for name in said[0])
        return Verdict(
            moved,
            f"The true α∞ = Q(cosupp) goes from {truths[0]:g} to {truths[1]:g}, the families' mean from {means[0]:.2f} "
            f"to {means[1]:.2f} ({each}).",
        )

    question(key, text, (FALL, RISE, STAY, MOVES), answer, about=(stop, seed))
    explore_link(ExploreSettings(problem=case.problem, parameters=problem.parameters, n=N, seed=seed, lam=lam_at(key)))
