"""Lesson 3: dropped, invented and re-weighted modes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from pages._learn.lesson import Verdict, curve_pane, explore_link, lam_at, lam_slider, learn_session, question, value
from pages._live.figure import Bars, Model, Pane, Slider, live_figure
from prviz import figures
from prviz.curves import PRCurve
from prviz.curves.ground_truth import finite_masses, line_mixtures
from prviz.reports.settings import ExploreSettings

TITLE = "Modes dropped, invented, re-weighted"
IDEA = (
    "Most data come in kinds, or **modes**. A generator can **drop** a mode (recall suffers), **invent** one "
    "(precision suffers), or **re-weight** modes that both have (the curve bends inside). Pull the bars: each side "
    "always sums to 100 %. The stepped curve counts whole modes; the smooth one sees the densities themselves, and "
    "rounds every corner as modes begin to overlap."
)
KEY = "lesson-modes"
CENTRES = (-6.0, -2.0, 2.0, 6.0)
NAMES = tuple("ABCD")
XS = np.round(np.linspace(-12.0, 12.0, 289), 4)
START = {"p": (0.2, 0.2, 0.6, 0.0), "q": (0.0, 0.5, 0.1, 0.4)}
COARSE = "modes alone"
PRESETS = {
    "The papers' pair": START,
    "Drop one": {"p": (0.5, 0.5, 0.0, 0.0), "q": (1.0, 0.0, 0.0, 0.0)},
    "Invent one": {"p": (1.0, 0.0, 0.0, 0.0), "q": (0.5, 0.5, 0.0, 0.0)},
    "Re-weight": {"p": (0.5, 0.5, 0.0, 0.0), "q": (0.9, 0.1, 0.0, 0.0)},
    "Perfect": {"p": (0.25, 0.25, 0.25, 0.25), "q": (0.25, 0.25, 0.25, 0.25)},
}


class ModesState(NamedTuple):
    """Values of bars and slider."""

    p: tuple[float, ...]
    q: tuple[float, ...]
    spread: float

    @property
    def smooth(self) -> PRCurve:
        return line_mixtures(np.divide(CENTRES, self.spread), self.p, self.q)

    def density(self, weights: tuple[float, ...]) -> NDArray[np.float64]:
        bells = np.exp(-0.5 * ((XS[:, None] - CENTRES) / self.spread) ** 2) / (self.spread * np.sqrt(2 * np.pi))
        density: NDArray[np.float64] = bells @ weights
        return density


@st.fragment
def draw() -> None:
    with st.container(horizontal=True):
        for name, weights in PRESETS.items():
            st.button(name, on_click=learn_session().put, args=(KEY, weights), key=f"modes.{name}")
    begun = learn_session().begun.get(KEY, START)
    kept = value(KEY, "epoch", "0") == learn_session().epoch(KEY)
    p, q = (tuple(value(KEY, side, begun[side]) if kept else begun[side]) for side in ("p", "q"))
    now = ModesState(p, q, float(value(KEY, "spread", 1.0)))
    smooth, coarse = now.smooth, finite_masses(now.p, now.q)
    panes = [
        Pane(
            "pair",
            figures.densities_figure(XS, now.density(now.p), now.density(now.q)),
            "The two densities",
            caption="Modes A to D from left to right.",
        ),
        curve_pane(
            {COARSE: coarse},
            smooth,
            "Dashed: of the densities. Solid: of the modes alone, as if each mode were a box of its own.",
        ),
    ]
    curves = {
        "truth": ("densities", figures.TRUTH_COLOR, smooth),
        COARSE: (COARSE, figures.colors([COARSE])[COARSE], coarse),
    }
    model = Model("modes", {"xs": XS.tolist(), "centres": CENTRES, "coarse": COARSE})
    common: dict[str, Any] = {"total": True, "group": "data", "epoch": learn_session().epoch(KEY)}
    spreads = [round(0.1 * step, 1) for step in range(3, 31)]
    controls: list[Slider | Bars] = [
        Bars("p", "Real modes p", NAMES, now.p, figures.REAL_COLOR, **common),
        Bars("q", "Generated modes q", NAMES, now.q, figures.GENERATED_COLOR, **common),
        Slider(
            "spread", "Width of every mode", spreads, now.spread, now.spread, marks=[(1, "1"), (2, "they overlap: 2")]
        ),
        lam_slider(),
    ]
    live_figure(KEY, panes, controls=controls, curves=curves, model=model)
    _ask(now)
    means = tuple(round(centre / now.spread, 4) for centre in CENTRES)
    parameters: dict[str, Any] = {"d": 1, "means": means, "real_weights": now.p, "generated_weights": now.q}
    explore_link(ExploreSettings(problem="mixtures", parameters=parameters, lam=lam_at(KEY)))


def _ask(now: ModesState) -> None:
    heaviest = int(np.argmax(now.p))
    text = (
        f"Suppose the generator lost mode {NAMES[heaviest]}, the heaviest real one, and spread its share over its "
        "other modes in proportion. Where would the right end of the stepped curve (the recall β at λ → 0) then be?"
    )
    rest = [weight * (index != heaviest) for index, weight in enumerate(now.q)]
    if sum(rest) == 0:
        st.info(f"The generator makes nothing but mode {NAMES[heaviest]}: give it another mode to get a question here.")
        return
    shares = {1.0, now.p[heaviest], 1 - now.p[heaviest], finite_masses(now.p, rest).extreme_recall}

    def answer() -> Verdict:
        found = finite_masses(now.p, rest).extreme_recall
        lost = [NAMES[i] for i, weight in enumerate(rest) if weight == 0 and now.p[i] > 0]
        return Verdict(
            f"{found:.0%}",
            f"β at λ → 0 is the real mass of the modes that the generator has at all, however small their shares: "
            f"it now misses {' and '.join(lost)}.",
        )

    question(KEY, text, list(dict.fromkeys(f"{share:.0%}" for share in sorted(shares))), answer, about=now)
