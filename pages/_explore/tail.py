"""The tab that shows both ends of the curves over six decades of lam, and where each estimate leaves the truth."""

from __future__ import annotations

from functools import partial

import streamlit as st

from pages._explore import frames
from pages._explore.live_view import linked, position
from pages._live.figure import Pane, live_figure
from pages._shared import results
from pages._shared.sources import Problem
from pages._shared.text import plain
from prviz import figures
from prviz.curves.summaries import FirstDifferences, first_differences
from prviz.estimators import ESTIMATORS
from prviz.figures.theme import number
from prviz.reports.settings import ExploreSettings

# Distance from the truth, in precision or recall, above which an estimate counts as different.
MARGIN = 0.05


def draw(problem: Problem, settings: ExploreSettings, found: results.Results) -> None:
    truth = problem.truth
    st.caption(
        "The curve unrolled over its trade-off λ, from 0.001 to 1000: precision α(λ), and recall β(λ) = α(λ) / λ. "
        "A line that runs flat is **saturated**: on the right precision has reached the extreme precision α∞, on the "
        "left recall has reached the extreme recall β0, and nothing beyond is told apart any more. The upright "
        "line, with a ringed dot on each curve, is at the λ of the slider above."
    )
    differences: dict[str, FirstDifferences] = {}
    if truth is not None:
        differences = {name: first_differences(curve, truth, MARGIN) for name, curve in found.curves.items()}
    draw = partial(figures.tail_figure, found.curves, truth=truth, differences=differences, bands=found.bands)
    dot = " A plain dot is where an estimate, coming from the {}, is first more than {:g} off the truth."
    dots = ["" if truth is None else dot.format(side, MARGIN) for side in ("left", "right")]
    precision = Pane(
        "tail-precision",
        draw(side="precision"),
        "Precision over λ",
        follow="tail",
        caption=f"Large λ asks what share of the generated samples is good.{dots[0]}",
    )
    recall = Pane(
        "tail-recall",
        draw(side="recall"),
        "Recall over λ",
        follow="tail-recall",
        caption=f"Small λ asks what share of the real samples is covered.{dots[1]}",
    )
    curves, shown = linked(found.curves, truth), position(problem, settings)
    live_figure("tail", [precision, recall], curves=curves, frames=frames.profile_id(problem, settings), shown=shown)
    if differences:
        st.markdown(_table(differences))


def _table(differences: dict[str, FirstDifferences]) -> str:
    """The lam at which each estimate leaves the truth, as a table in Markdown."""
    lines = [
        f"**Where each estimate first differs from the truth by more than {MARGIN:g}**: precision on the way up from "
        "λ = 0, where every precision is 0; recall on the way down from λ = ∞, where every recall is 0.",
        "",
        "| | precision is off from λ = | recall is off from λ = |",
        "|---|---:|---:|",
    ]
    lines += [
        f"| {plain(ESTIMATORS[name].title)} | {_place(found.precision)} | {_place(found.recall)} |"
        for name, found in differences.items()
    ]
    return "\n".join(lines)


def _place(lam: float | None) -> str:
    return "never" if lam is None else number(lam, 4)
