"""The tab that shows both ends of the curves over six decades of lam, and where each estimate leaves the truth."""

from __future__ import annotations

import streamlit as st

from pages._explore.compact import compact
from pages._explore.live_view import linked, position
from pages._explore.session import explore_session
from pages._live.figure import Pane, live_figure
from pages._shared.text import plain
from prviz import figures
from prviz.curves.summaries import FirstDifferences, first_differences
from prviz.estimators import ESTIMATORS
from prviz.figures.tail import HIGHEST, LOWEST, Side
from prviz.figures.theme import number
from prviz.live import frames, results
from prviz.live.problems import Problem
from prviz.reports.settings import ExploreSettings

# Distance from the truth, in precision or recall, above which an estimate counts as different.
MARGIN = 0.05
# The plotted values of lam.
LEAST, MOST = 10.0**LOWEST, 10.0**HIGHEST
NOT_WITHIN = "not within 1/1000 to 1000"
HELP = (
    "A line that runs flat is saturated: on the right precision has reached the extreme precision α∞, on the left "
    "recall has reached the extreme recall β0, and nothing beyond is told apart any more. The upright line is at "
    "the λ in use."
)
# Side, title, how the browser redraws it, what it shows and where an estimate comes from.
SIDES: tuple[tuple[Side, str, str, tuple[str, str]], ...] = (
    (
        "precision",
        "Precision over λ",
        "tail",
        ("Large λ asks what share of the generated samples is good.", "left"),
    ),
    ("recall", "Recall over λ", "tail-recall", ("Small λ asks what share of the real samples is covered.", "right")),
)
# Pixels of each of the two plots beside the curve, where the style does not say more.
COMPACT_HEIGHT = 118


def draw(problem: Problem, settings: ExploreSettings, found: results.Results) -> None:
    """Precision and recall over lam; enlarged, with the place where each estimate leaves the truth."""
    truth, enlarged = problem.truth, explore_session().enlarged
    differences: dict[str, FirstDifferences] = {}
    if truth is not None:
        differences = {name: first_differences(curve, truth, MARGIN) for name, curve in found.curves.items()}
    panes = []
    for side, title, follow, (asks, coming) in SIDES:
        figure = figures.tail_figure(found.curves, truth=truth, differences=differences, bands=found.bands, side=side)
        dot = (
            f" A plain dot is where an estimate, coming from the {coming}, is first more than {MARGIN:g} off the truth."
        )
        words = f"{asks}{'' if truth is None else dot} {HELP}"
        name = f"tail-{side}"
        if enlarged:
            panes.append(Pane(f"{name}-large", figure, title, follow=follow, help=words))
        else:
            compact(figure, COMPACT_HEIGHT).update_yaxes(dtick=0.5)
            panes.append(Pane(name, figure, title, follow=follow, small=True, wide=True, compact=True, help=words))
    curves, shown = linked(found.curves, truth), position(problem, settings)
    live_figure("tail", panes, curves=curves, frames=frames.profile_id(problem, settings), shown=shown)
    if differences and enlarged:
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
    return NOT_WITHIN if lam is None or not LEAST <= lam <= MOST else number(lam, 4)
