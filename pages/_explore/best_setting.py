"""For data without a truth: the k of the lowest held-out risk, what another one costs, and a click that takes it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages._explore.live_view import position
from pages._explore.session import explore_session
from pages._live.figure import FIGURE, Pane, live_figure, moved
from pages._shared import results
from pages._shared.sources import Problem
from prviz import figures
from prviz.estimators import ESTIMATORS
from prviz.figures.theme import number
from prviz.measure.risk import choices, lowest_risk, risk
from prviz.measure.workload import fit_size
from prviz.reports.settings import ExploreSettings

# Ends of lam between which a risk weighs both errors.
LAMS = (0.01, 100.0)
HELP = (
    "Risk: (λ·fpr + fnr) / (λ + 1) of the family's best classifier at this λ, on samples that do not define it. No "
    "classifier errs less than the best possible one, so a lower risk is closer to the truth, but for chance (Simon et "
    "al. 2019, Theorem 5). ±: the standard error from these samples. Chosen among many, the lowest is too low, "
    "most with few samples."
)


def show(problem: Problem, settings: ExploreSettings, names: Sequence[str]) -> None:
    """Nothing while the curves at every k are not measured."""
    profile = results.profile(problem, settings)
    if profile is None or settings.split is None or not names:
        return
    ks = problem.stops(settings)[0]
    curves = {(name, k): profile.curve(name, k) for name in names for k in ks}
    lam = min(max(settings.lam, LAMS[0]), LAMS[1])
    judged = [n - fit_size(n, settings.split) for n in problem.sizes[:2]]
    best = lowest_risk(curves, lam, *judged)
    risks = {name: [risk(curves[name, k], lam) for k in ks] for name in names}
    now = int(position(problem, settings)["k"] or 1)
    here = ", ".join(
        f"{ESTIMATORS[name].title} {risk(curves[name, now], lam) - best.risk:.3f} more" for name in names if now in ks
    )
    alike = ", ".join(
        f"{ESTIMATORS[name].title} " + (f"k = {low}" if low == high else f"k from {low} to {high}")
        for name, (low, high) in best.alike.items()
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"**k = {best.k} of {ESTIMATORS[best.method].title} gives the lowest held-out risk at λ = {number(lam)}**: "
            f"{best.risk:.3f} ± {best.error:.3f}. As good within that: {alike}. "
            + f"At k = {now}: {here}."
            * (bool(here) and now != best.k),
            help=HELP,
        )
        st.button(f"Use k = {best.k}", on_click=_take, args=(best.k,), disabled=now == best.k, key="use-best-k")
    label = f"held-out risk at λ = {number(lam)}"
    lines = {name: (ks, values) for name, values in risks.items()}
    over_k = figures.iou_sweep_figure(
        lines, xlabel="neighbours k (log scale)", ylabel=label, best=True, lowest=True, log_x=True
    )
    panes = [
        Pane("risk", over_k, "What another k costs", half=True),
        Pane(
            "choices",
            figures.choices_figure(choices(curves)),
            "The lowest risk at every λ",
            "Colours: the family; numbers: its k.",
            half=True,
        ),
    ]
    live_figure("best-setting", panes)


def _take(k: int) -> None:
    """Callback: this k, until the user moves a slider of the figure, which then holds it."""
    held = explore_session()
    held.taken_k, held.taken_turn = k, moved(FIGURE).get("turn")
    held.epoch_k += 1
