"""Sliders of the live figure that change the samples: n, the seed and a toy's numbers.

The session holds their values, not the figure: a link, a preset or another problem replaces them there. `epoch` names
the replacement; values that the browser sends with another epoch belong to other data and are ignored.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeGuard

import numpy as np

from pages._explore.session import explore_session
from pages._live.figure import FIGURE, Slider, moved
from prviz.reports.settings import N_LIMITS, SEED_LIMITS, ExploreSettings
from prviz.toys import Parameter, toy

PREFIX = "p."
Limits = tuple[float, float, float]
SIZES = (100, 200, 500, 1000, 2000, 3000, 5000, 10_000, 20_000)
SEEDS = range(100)
# Most stops of a slider: more are finer than a pointer can be placed.
MOST_STOPS = 200
# Step of typed numbers: fine enough for every toy.
FINEST = 1e-4


def begin(settings: ExploreSettings) -> None:
    """Take the values this session began with, once."""
    held = explore_session()
    if not held.numbers:
        held.numbers = {"n": settings.n, "seed": settings.seed}
        for name, value in settings.parameters.items():
            if isinstance(value, int | float):
                held.numbers[held_key(settings.problem, name)] = value


def put(numbers: Mapping[str, float]) -> None:
    """Replace these numbers, whatever the user has set."""
    held = explore_session()
    held.numbers |= numbers
    held.epoch += 1


def held_key(problem: str, name: str) -> str:
    """The key of a toy's parameter among the session's numbers."""
    return f"{PREFIX}{problem}.{name}"


def epoch(settings: ExploreSettings) -> str:
    """An id that changes whenever Python's values replace the user's."""
    return f"{settings.source}/{settings.problem}/{explore_session().epoch}"


def specs(settings: ExploreSettings) -> list[Parameter]:
    """The toy's parameters that are one number each."""
    return [] if settings.source != "toy" else [s for s in toy(settings.problem).specs if s.kind != "weights"]


def with_hand(settings: ExploreSettings) -> ExploreSettings:
    """The settings with the session's numbers, after taking those the user has set in the figure."""
    held, sent = explore_session().numbers, moved(FIGURE)
    if sent.get("epoch") == epoch(settings):
        held |= _legal(settings, sent)
    numbers = {s.name: held.get(held_key(settings.problem, s.name), s.default) for s in specs(settings)}
    n = settings.n if settings.source == "upload" else held["n"]
    return replace(settings, n=int(n), seed=int(held["seed"]), parameters={**settings.parameters, **numbers})


def _legal(settings: ExploreSettings, sent: Mapping[str, Any]) -> dict[str, float]:
    """The usable values among those the browser sent, by their keys in the session."""
    found: dict[str, float] = {}
    for name, limits in (("n", N_LIMITS), ("seed", SEED_LIMITS)):
        if is_number(sent.get(name), limits):
            found[name] = int(sent[name])
    for spec in specs(settings):
        value = sent.get(PREFIX + spec.name)
        if is_number(value, (spec.low, spec.high)):
            found[held_key(settings.problem, spec.name)] = int(value) if spec.kind == "int" else float(value)
    return found


def is_number(value: Any, limits: tuple[float, float]) -> TypeGuard[float]:
    """True if the browser has sent a number within the limits."""
    return isinstance(value, int | float) and math.isfinite(value) and limits[0] <= value <= limits[1]


def sliders(settings: ExploreSettings) -> list[Slider]:
    """The group "Data": the toy's numbers, n and the seed; uploads choose their rows where they are read."""
    now = epoch(settings)

    def slider(name: str, label: str, stops: Sequence[float], value: Any, limits: Limits, text: str = "") -> Slider:
        return Slider(name, label, stops, value, value, number=limits, help=text, group="data", epoch=now)

    found = []
    for spec in specs(settings):
        value: Any = settings.parameters.get(spec.name, spec.default)
        limits = (spec.low, spec.high, 1 if spec.kind == "int" else FINEST)
        text = f"{spec.help} From {spec.low:g} to {spec.high:g}."
        label = spec.label[:1].upper() + spec.label[1:]
        found.append(slider(PREFIX + spec.name, label, stops(spec, value), value, limits, text))
    if settings.source != "upload":
        label = "Samples per set" if settings.source == "toy" else "Samples per set, at most"
        found.append(slider("n", label, sorted({*SIZES, settings.n}), settings.n, (*N_LIMITS, 1)))
    text = "Of the samples and the split." if settings.source == "toy" else "Of the subsample and the split."
    seeds = sorted({*SEEDS, settings.seed})
    return [*found, slider("seed", "Seed", seeds, settings.seed, (*SEED_LIMITS, 1), text)]


def stops(spec: Parameter, *always: float) -> list[float]:
    """Stops from `low` to `high` by `step`; where these are too many, MOST_STOPS even steps on a log scale."""
    count = round((spec.high - spec.low) / spec.step)
    if count <= MOST_STOPS:
        found = spec.low + spec.step * np.arange(count + 1)
    else:
        found = np.geomspace(max(spec.low, spec.step), spec.high, MOST_STOPS)
    rounded = [float(f"{value:.4g}") for value in found]
    inside = {spec.low, spec.high, *always, *(value for value in rounded if spec.low <= value <= spec.high)}
    return sorted({round(value) for value in inside} if spec.kind == "int" else inside)
