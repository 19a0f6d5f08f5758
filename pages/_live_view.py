"""The main figure: k, bandwidth and lam as sliders, the curves, the same classifiers in error space, the bias bars."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from pages import _controls, _results
from pages._live import FIGURE, Pane, Slider, lam_angle, live_figure, moved
from pages._sources import Problem
from prviz import figures
from prviz.curves import PRCurve
from prviz.estimators import ESTIMATORS
from prviz.settings import BANDWIDTH_LIMITS, Settings
from prviz.workload import fit_size

Mark = tuple[float | str | None, str]
NO_AREA = " The truth has no area here, so that any area at all is 100 % invented."
UNITS = [round(0.5 + 0.02 * step, 2) for step in range(76)]


def with_moved(settings: Settings) -> Settings:
    """The settings with what the hand has set in the figure itself."""
    hand = moved(FIGURE)
    found: dict[str, Any] = {name: hand[name] for name in ("k", "bandwidth") if name in hand}
    if isinstance(found.get("k"), float):
        found["k"] = int(found["k"])
    if "angle" in hand:
        angle = float(hand["angle"])
        found["lam"] = math.inf if angle >= 90 else float(f"{math.tan(math.radians(angle)):.6g}")
    return replace(settings, **found)


def legal(settings: Settings, problem: Problem) -> Settings:
    """The settings with a split and a k that this many samples allow."""
    if largest_k(settings, problem) < 1:
        settings = replace(settings, split=0.5)
    top = largest_k(settings, problem)
    k = root_k(problem) if settings.k == "sqrt" else settings.k
    return settings if settings.k == "sqrt" and k <= top else replace(settings, k=min(max(k, 1), top))


def largest_k(settings: Settings, problem: Problem) -> int:
    """The largest k that the smaller set of fit samples allows."""
    return min(fit_size(n, settings.split) for n in problem.sizes[:2]) - 1


def root_k(problem: Problem) -> int:
    """What k = "sqrt" stands for: floor(sqrt(n)) of the smaller set before the split."""
    return math.isqrt(min(problem.sizes[:2]))


def k_stops(top: int, *always: int) -> list[int]:
    """Every k up to 20, then steps of about 4 % up to `top`: fine where it matters, a hand's breadth in all."""
    stops, value = {k for k in always if k <= top}, 1.0
    while value <= top:
        stops.add(round(value))
        value = value + 1 if value < 20 else value * 1.04
    return sorted(stops)


def _k_slider(problem: Problem, settings: Settings) -> Slider:
    top = largest_k(settings, problem)
    root = min(root_k(problem), top)
    named: list[Mark] = [(mark, str(mark)) for mark in (3, 4, 5) if mark <= top]
    return Slider(
        "k",
        "Neighbours k",
        k_stops(min(top, max(4 * root, 60)), root),
        settings.k,
        root if settings.k == "sqrt" else settings.k,
        marks=[*named, ("sqrt", f"√n = {root}")],
        number=(1, top, 1),
        help="How many nearest neighbours a ball holds; √n uses the size of one set before the split.",
    )


def _bandwidth_slider(settings: Settings) -> Slider:
    return Slider(
        "bandwidth",
        "Bandwidth of KDE (mean radii)",
        UNITS,
        settings.bandwidth,
        1.0 if settings.bandwidth is None else settings.bandwidth,
        marks=[(None, "auto: each class's own"), (1, "1")],
        number=(*BANDWIDTH_LIMITS, 0.001),
        empty="auto",
        help="Radius of KDE's balls. auto: the mean k-NN radius inside each class; a value: one radius for both.",
    )


def _lam_slider() -> Slider:
    """It begins where the session did; from then on it belongs to the browser."""
    angle = lam_angle(_controls.start().lam)
    return Slider(
        "angle",
        "Trade-off λ = precision / recall",
        [float(stop) for stop in range(91)],
        angle,
        angle,
        marks=[(0, "recall end"), (45, "λ = 1"), (90, "precision end")],
        angle=True,
        help="Large λ: what share of the generated samples is good. Small λ: what share of the real ones is covered.",
    )


def controls(problem: Problem, settings: Settings) -> list[Slider]:
    """The sliders above the figure; the bandwidth's only where a family has one."""
    tuned = [_bandwidth_slider(settings)] if "kde" in settings.methods else []
    return [_k_slider(problem, settings), *tuned, _lam_slider()]


def show(problem: Problem, found: _results.Results, asked: tuple[Problem, Settings]) -> None:
    """Draw the figure; its controls stand at what was asked for, also while an earlier figure is shown."""
    truth, curves = problem.truth, found.curves
    compared = {} if truth is None else {name: curve.compare(truth) for name, curve in curves.items()}
    notes = {name: f"IoU {each.iou:.2f}" for name, each in compared.items()}
    panes = [
        Pane(
            "pr",
            figures.pr_figure(curves, truth=truth, bands=found.bands, notes=notes),
            "Precision against recall",
            link="pr",
            caption="Higher and further right is better. Hover a point to find its classifier in error space.",
            square=True,
        ),
        Pane(
            "error",
            figures.error_space_figure(curves, truth=truth),
            "The same classifiers in error space",
            link="error",
            square=True,
            caption="Each point is a classifier, real or generated; the line of slope −λ touches the best one.",
        ),
    ]
    if truth is not None:
        panes.append(
            Pane(
                "bias",
                figures.iou_bars(compared),
                "How far each estimator is from the truth",
                wide=True,
                caption="IoU: shared area over joint area. Left: area missed (too pessimistic). "
                "Right: area invented (too optimistic)." + (NO_AREA if truth.auc < 1e-3 else ""),
            )
        )
    live_figure(FIGURE, panes, controls=controls(*asked), curves=linked(curves, truth))


def linked(curves: Any, truth: PRCurve | None) -> dict[str, tuple[str, str, PRCurve]]:
    """What the marks at lam follow: every estimate and the truth."""
    color = figures.colors(curves)
    found = {name: (ESTIMATORS[name].title, color[name], curve) for name, curve in curves.items()}
    return found if truth is None else {"truth": ("truth", figures.TRUTH_COLOR, truth), **found}
