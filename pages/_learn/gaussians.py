"""P = N(0, 1) and Q = N(shift, scale^2) on a line: the problem of the first two lessons."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from pages._learn.lesson import linked, value
from pages._live.figure import Model, Pane, Slider, live_figure
from prviz.reports.settings import ExploreSettings
from prviz.toys import ToyProblem, toy

XS = np.round(np.linspace(-9.0, 9.0, 217), 4)


class GaussiansState(NamedTuple):
    """Values of the sliders."""

    shift: float
    scale: float

    @property
    def problem(self) -> ToyProblem:
        return toy("scaled-gaussian", d=1, shift=self.shift, scale=self.scale)

    @property
    def densities(self) -> tuple[Any, Any]:
        return _normal(0.0, 1.0), _normal(self.shift, self.scale)

    def settings(self, lam: float) -> ExploreSettings:
        return ExploreSettings(problem="scaled-gaussian", parameters=self.problem.parameters, lam=lam)


def _normal(mean: float, sigma: float) -> Any:
    return np.exp(-0.5 * ((XS - mean) / sigma) ** 2) / (sigma * math.sqrt(2 * math.pi))


def state(key: str, shift: float, scale: float) -> GaussiansState:
    return GaussiansState(float(value(key, "shift", shift)), float(value(key, "scale", scale)))


def sliders(now: GaussiansState) -> list[Slider]:
    shifts = [round(0.1 * step, 1) for step in range(-40, 41)]
    scales = [round(0.05 * step, 2) for step in range(4, 61)]
    explanation = "Q, the generated data, is a Gaussian with this mean; P, the real data, has mean 0 and width 1."
    return [
        Slider(
            "shift", "Shift of the generated data", shifts, now.shift, now.shift, marks=[(0, "none")], help=explanation
        ),
        Slider(
            "scale",
            "Width of the generated data",
            scales,
            now.scale,
            now.scale,
            marks=[(0.5, "safe: 0.5"), (1, "1"), (2, "wild: 2")],
            help="Standard deviation of Q. Narrower than 1: it plays safe. Wider: it goes where no real sample is.",
        ),
    ]


def draw(key: str, now: GaussiansState, panes: list[Pane], controls: list[Slider]) -> None:
    curves = linked(now.problem.truth(), {}, "the true curve")
    live_figure(key, panes, controls=controls, curves=curves, model=Model("gaussians", {"xs": XS.tolist()}))
