"""Plots of the extremes of the curves: precision at large lam, recall at small lam."""

from __future__ import annotations

from collections.abc import Mapping

from prviz import figures
from prviz.curves.summaries import FirstDifferences, first_differences
from prviz.figures.tail import Side
from prviz.live.figure import Pane, compact
from prviz.live.problems import Problem
from prviz.live.results import Results

# An estimate counts as off the truth if its precision or recall differs by more than this.
MARGIN = 0.05
HELP = (
    "A line that runs flat is saturated: on the right precision has reached the extreme precision"
    " α∞, on the left recall has reached the extreme recall β0, and nothing beyond is told apart"
    " any more. The upright line is at the λ in use."
)
# For each plot: side, title, function of `pages/_live/panes.js` that redraws it, and two texts:
# what the plot shows, and the end of the axis from which an estimate is followed until it differs
# from the truth.
SIDES: tuple[tuple[Side, str, str, tuple[str, str]], ...] = (
    (
        "precision",
        "Precision over λ",
        "tail",
        ("Large λ asks what share of the generated samples is good.", "left"),
    ),
    (
        "recall",
        "Recall over λ",
        "tail-recall",
        ("Small λ asks what share of the real samples is covered.", "right"),
    ),
)
# Height in pixels of each of the two plots beside the curve, unless the style sheet sets another.
COMPACT_HEIGHT = 118


def left_truth(problem: Problem, found: Results) -> Mapping[str, FirstDifferences]:
    """For each family, the lam from which its estimate differs from the truth; empty if no truth is
    known.
    """
    truth = problem.truth
    if truth is None:
        return {}
    return {name: first_differences(curve, truth, MARGIN) for name, curve in found.curves.items()}


def tails(problem: Problem, found: Results, *, beside: bool) -> list[Pane]:
    """Panes with precision over lam and recall over lam. beside : True for small panes that stand
    beside the curve.
    """
    truth = problem.truth
    differences = left_truth(problem, found)
    panes = []
    for side, title, follow, (asks, coming) in SIDES:
        figure = figures.tail_figure(
            found.curves, truth=truth, differences=differences, bands=found.bands, side=side
        )
        dot = (
            f" A plain dot is where an estimate, coming from the {coming}, is first more than"
            f" {MARGIN:g} off the truth."
        )
        words = f"{asks}{'' if truth is None else dot} {HELP}"
        name = f"tail-{side}"
        if beside:
            compact(figure, COMPACT_HEIGHT).update_yaxes(dtick=0.5)
        else:
            name += "-large"
        panes.append(
            Pane(
                name,
                figure,
                title,
                follow=follow,
                small=beside,
                wide=beside,
                compact=beside,
                help=words,
            )
        )
    return panes
