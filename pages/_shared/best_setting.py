"""Draws the family and k with the lowest held-out risk, how much higher the risk of other settings
is, and a button that sets this k.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from pages._live.figure import live_figure
from prviz import figures
from prviz.curves import NamedCurves, PRCurve
from prviz.estimators import ESTIMATORS
from prviz.estimators.tightest import TIGHTEST
from prviz.figures.theme import number
from prviz.live.figure import Pane
from prviz.measure.risk import LowestRisk, choices, lowest_risk, risk

HELP = (
    "Risk: (λ·fpr + fnr) / (λ + 1) of the family's best classifier at this λ, on samples that do"
    " not define it. No classifier errs less than the best possible one, so a lower risk is closer"
    " to the truth, but for chance (Simon et al. 2019, Theorem 5). ±: the standard error from these"
    " samples. Chosen among many, the lowest is too low, most with few samples."
)


def _others(best: LowestRisk, lines: Mapping[str, Mapping[int, float]], now: int) -> str:
    """Sentences on the settings that are as good as the best one, and on how much higher the risk
    is at the current k.
    """
    costs = [
        f"{_title(name)} {line[now] - best.risk:.3f} more"
        for name, line in lines.items()
        if now in line
    ]
    alike = [
        f"{_title(name)} " + (f"k = {low}" if low == high else f"k from {low} to {high}")
        for name, (low, high) in best.alike.items()
    ]
    said = f" As good within this error: {', '.join(alike)}."
    if costs and now != best.k:
        said += f" At k = {now}: {', '.join(costs)}."
    return said


def draw(
    curves: Mapping[tuple[str, int], PRCurve],
    lam: float,
    judged: tuple[int, int],
    now: int,
    take: Callable[[int], None],
    *,
    key: str,
    fixed: NamedCurves | None = None,
) -> bool:
    """Draw the best of these settings, given by their held-out curves by family and k. True in the
    run after a click on the button.

    judged : numbers of real and generated evaluation samples. now : the current k. take : called
    with the best k on a click. fixed : curves of families that don't depend on k; the best of these
    is named if its risk is lower than at every k.
    """
    best = lowest_risk(curves, lam, *judged)
    lower = lower_risk(fixed or {}, lam, best.risk)
    names = list(dict.fromkeys(name for name, _ in curves))
    lines = {
        name: {k: risk(curve, lam) for (of, k), curve in curves.items() if of == name}
        for name in names
    }
    others = _others(best, lines, now)
    title = _title(best.method)
    setting = f"{title}, k = {best.k}"
    said = f"**k = {best.k} of {title} gives the lowest held-out risk at λ = {number(lam)}**:"
    if lower is not None:
        name, value = lower
        others = f" {_title(name)}, which k does not move: {value:.3f}.{others}"
        said = f"**Lowest held-out risk: {_title(name)}**; by k: **{setting}**,"
    measured = f"{best.risk:.3f} ± {best.error:.3f}"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"{said} {measured}.{others}", help=HELP)
        clicked = st.button(
            f"Use k = {best.k}",
            on_click=take,
            args=(best.k,),
            disabled=now == best.k,
            key=f"use-{key}",
        )
    over_k = figures.iou_sweep_figure(
        {name: (list(line), list(line.values())) for name, line in lines.items()},
        xlabel="neighbours k (log scale)",
        ylabel=f"held-out risk at λ = {number(lam)}",
        best="lowest",
    )
    strip = figures.choices_figure(choices(curves))
    panes = [
        Pane("risk", over_k, "What another k costs", half=True),
        Pane(
            "choices",
            strip,
            "The lowest risk at every λ",
            "Colours: the family; numbers: its k.",
            half=True,
        ),
    ]
    live_figure(key, panes)
    return clicked


def lower_risk(fixed: NamedCurves, lam: float, least: float) -> tuple[str, float] | None:
    """The family in `fixed` with the lowest risk, and its risk; None if that is not below
    `least`.

    Families whose parameters were chosen on the evaluation samples are left out, as their risk
    there is too low to be compared.
    """
    fair = [
        name for name in fixed if name == TIGHTEST.name or not ESTIMATORS[name].chosen_by_evaluation
    ]
    risks = {name: risk(fixed[name], lam) for name in fair}
    best = min(risks, key=risks.__getitem__, default=None)
    if best is None or risks[best] >= least:
        return None
    return (best, risks[best])


def _title(name: str) -> str:
    return ESTIMATORS[name].title
