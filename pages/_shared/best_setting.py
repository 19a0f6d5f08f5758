"""The family and k of the lowest held-out risk, what others cost, and a click that takes the k."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from pages._live.figure import Pane, live_figure
from prviz import figures
from prviz.curves import PRCurve
from prviz.estimators import ESTIMATORS
from prviz.figures.theme import number
from prviz.measure.risk import choices, lowest_risk, risk

HELP = (
    "Risk: (λ·fpr + fnr) / (λ + 1) of the family's best classifier at this λ, on samples that do not define it. No "
    "classifier errs less than the best possible one, so a lower risk is closer to the truth, but for chance (Simon et "
    "al. 2019, Theorem 5). ±: the standard error from these samples. Chosen among many, the lowest is too low, most "
    "with few samples."
)


def draw(
    curves: Mapping[tuple[str, int], PRCurve],
    lam: float,
    judged: tuple[int, int],
    now: int,
    take: Callable[[int], None],
    *,
    key: str,
    charts: bool = True,
) -> bool:
    """Draw it for held-out curves by family and k; True in the run after a click.

    judged : numbers of real and generated evaluation samples. now : the k in use. take : called with the k on a click.
    charts : False for one line, without what others cost and the charts.
    """
    best = lowest_risk(curves, lam, *judged)
    names = list(dict.fromkeys(name for name, _ in curves))
    lines = {name: [(k, risk(curve, lam)) for (of, k), curve in curves.items() if of == name] for name in names}
    costs = [
        f"{_title(name)} {dict(line)[now] - best.risk:.3f} more" for name, line in lines.items() if now in dict(line)
    ]
    alike = [
        f"{_title(name)} " + (f"k = {low}" if low == high else f"k from {low} to {high}")
        for name, (low, high) in best.alike.items()
    ]
    with st.container(horizontal=True, vertical_alignment="center"):
        others = f" As good within that: {', '.join(alike)}." + f" At k = {now}: {', '.join(costs)}." * (
            bool(costs) and now != best.k
        )
        st.markdown(
            f"**k = {best.k} of {_title(best.method)} gives the lowest held-out risk at λ = {number(lam)}**: "
            f"{best.risk:.3f} ± {best.error:.3f}.{others}"
            if charts
            else f"Lowest held-out risk: **{_title(best.method)}, k = {best.k}**",
            help=HELP if charts else f"{HELP} {best.risk:.3f} ± {best.error:.3f} at λ = {number(lam)}.{others}",
        )
        clicked = st.button(
            f"Use k = {best.k}", on_click=take, args=(best.k,), disabled=now == best.k, key=f"use-{key}"
        )
    if not charts:
        return clicked
    over_k = figures.iou_sweep_figure(
        {name: ([k for k, _ in line], [value for _, value in line]) for name, line in lines.items()},
        xlabel="neighbours k (log scale)",
        ylabel=f"held-out risk at λ = {number(lam)}",
        best=True,
        lowest=True,
        log_x=True,
    )
    strip = figures.choices_figure(choices(curves))
    panes = [
        Pane("risk", over_k, "What another k costs", half=True),
        Pane("choices", strip, "The lowest risk at every λ", "Colours: the family; numbers: its k.", half=True),
    ]
    live_figure(key, panes)
    return clicked


def _title(name: str) -> str:
    return ESTIMATORS[name].title
