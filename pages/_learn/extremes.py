"""Lesson 5: the ends of the curve, the support and the co-support."""

from __future__ import annotations

import streamlit as st

from pages._learn import ends
from pages._learn.ends import CASES, EndsAtStop, EndsCase
from pages._learn.lesson import Verdict, explore_link, lam_at, lam_slider, learn_session, question, value
from pages._live.figure import Model, Pane, Slider, Table, live_figure
from prviz import figures
from prviz.curves.summaries import Column
from prviz.estimators import ESTIMATORS
from prviz.reports.settings import ExploreSettings

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


@st.fragment
def show() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.segmented_control(
            "Case", list(CASES), format_func=lambda each: CASES[each].title, default="shifted", required=True
        )
        if st.button("Resample", icon=":material/casino:", help=f"Draw {ends.N} new samples of each kind."):
            learn_session().seeds[KEY] += 1
    name = name if name in CASES else "shifted"
    case, seed = CASES[name], learn_session().seeds[KEY]
    key, found = f"{KEY}-{name}", ends.measured(name, seed)
    stop = value(key, case.moved, case.start)
    stop = stop if stop in case.stops else case.start
    st.caption(case.why)
    _figure(key, case, stop, found)
    _ask(key, case, stop, found, seed)
    problem = case.at(stop)
    explore_link(
        ExploreSettings(problem=case.problem, parameters=problem.parameters, n=ends.N, seed=seed, lam=lam_at(key))
    )


def _figure(key: str, case: EndsCase, stop: float, found: list[EndsAtStop]) -> None:
    here, problem = found[case.stops.index(stop)], case.at(stop)
    masses = problem.support_masses
    truth = (masses.q_of_cosupp, masses.p_of_cosupp)
    panes = [
        Pane(
            "ends",
            figures.extremes_figure(here.rows, truth=masses),
            "Estimates of both ends",
            caption=f"One row per estimate from {ends.N} real and {ends.N} generated samples. The lower two are "
            "published numbers without a curve: improved precision and recall; coverage and its mirror image.",
        ),
        Pane(
            "pr",
            figures.pr_figure(here.curves, truth=here.truth),
            "The precision-recall curve between its ends",
            caption="Dashed: the truth. Solid: the four families with a split, k = √n.",
            follow="pr",
            square=True,
        ),
    ]
    colors = figures.colors(here.curves)
    curves = {"truth": ("truth", figures.TRUTH_COLOR, here.truth)}
    curves |= {each: (ESTIMATORS[each].title, colors[each], curve) for each, curve in here.curves.items()}
    explanation = "What the generated data are like; the real ones are a Gaussian of width 1."
    slider = Slider(case.moved, case.label, case.stops, stop, stop, marks=case.marks, help=explanation)
    traces = ends.dot_traces(here, masses)
    frames = {str(index): ends.frame(each, traces, truth) for index, each in enumerate(found)}
    live_figure(
        key,
        panes,
        controls=[slider, lam_slider()],
        curves=curves,
        table=Table("Both ends in numbers", COLUMNS, ends.table_rows(here, truth)),
        model=Model("stops", {"parts": [{"controls": [case.moved], "frames": frames}]}),
    )


def _ask(key: str, case: EndsCase, stop: float, found: list[EndsAtStop], seed: int) -> None:
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
