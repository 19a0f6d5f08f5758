"""The samples in the hand: n, the seed and a toy's numbers as sliders of the live figure, answered by Python.

Their values live in the session, not in the figure: a link, a preset or another problem replaces them there. `epoch`
names the replacement; what the hand sends with another epoch was meant for other data and counts no more.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from pages._live.figure import FIGURE, Slider, moved
from prviz.reports.settings import N_LIMITS, SEED_LIMITS, ExploreSettings
from prviz.toys import Parameter, toy

PREFIX = "p."
SIZES = (100, 200, 500, 1000, 2000, 3000, 5000, 10_000, 20_000)
SEEDS = range(100)
# More stops than this are finer than a hand.
MOST_STOPS = 200
# Of typed numbers: fine enough for any of the toys' settings.
FINEST = 1e-4


def begin(settings: ExploreSettings) -> None:
    """Take the values of the link that this session began with, once."""
    if "_data" in st.session_state:
        return
    numbers = {name: value for name, value in settings.parameters.items() if isinstance(value, int | float)}
    st.session_state["_data"] = {
        "n": settings.n,
        "seed": settings.seed,
        **{_held(settings.problem, name): value for name, value in numbers.items()},
    }
    st.session_state["_data_count"] = 0


def put(problem: str, values: Mapping[str, float], n: int) -> None:
    """Replace a toy's numbers and n, whatever the hand has set."""
    st.session_state["_data"] |= {"n": n, **{_held(problem, name): value for name, value in values.items()}}
    st.session_state["_data_count"] += 1


def put_sizes(settings: ExploreSettings) -> None:
    """Replace n and the seed, whatever the hand has set."""
    begin(settings)
    st.session_state["_data"] |= {"n": settings.n, "seed": settings.seed}
    st.session_state["_data_count"] += 1


def _held(problem: str, name: str) -> str:
    return f"{PREFIX}{problem}.{name}"


def epoch(settings: ExploreSettings) -> str:
    """Changes whenever Python's values replace the hand's."""
    return f"{settings.source}/{settings.problem}/{st.session_state['_data_count']}"


def specs(settings: ExploreSettings) -> list[Parameter]:
    """The toy's parameters that are one number each."""
    return [] if settings.source != "toy" else [s for s in toy(settings.problem).specs if s.kind != "weights"]


def with_hand(settings: ExploreSettings) -> ExploreSettings:
    """The settings with the numbers that the session holds, after taking what the hand has set."""
    held, hand = st.session_state["_data"], moved(FIGURE)
    if hand.get("epoch") == epoch(settings):
        held |= _legal(settings, hand)
    numbers = {s.name: held.get(_held(settings.problem, s.name), s.default) for s in specs(settings)}
    n = settings.n if settings.source == "upload" else held["n"]
    return replace(settings, n=n, seed=held["seed"], parameters={**settings.parameters, **numbers})


def _legal(settings: ExploreSettings, hand: Mapping[str, Any]) -> dict[str, float]:
    """What can be used of what the browser sent, by the session's names."""
    found: dict[str, float] = {}
    for name, limits in (("n", N_LIMITS), ("seed", SEED_LIMITS)):
        if _number(hand.get(name), limits):
            found[name] = int(hand[name])
    for spec in specs(settings):
        value = hand.get(PREFIX + spec.name)
        if _number(value, (spec.low, spec.high)):
            found[_held(settings.problem, spec.name)] = int(value) if spec.kind == "int" else float(value)
    return found


def _number(value: Any, limits: tuple[float, float]) -> bool:
    return isinstance(value, int | float) and math.isfinite(value) and limits[0] <= value <= limits[1]


def sliders(settings: ExploreSettings) -> list[Slider]:
    """The group "Data": the toy's numbers, n and the seed; uploads choose their rows where they are read."""
    common: dict[str, Any] = {"group": "data", "epoch": epoch(settings)}
    found = [_parameter(spec, settings, common) for spec in specs(settings)]
    if settings.source != "upload":
        label = "Samples per set" if settings.source == "toy" else "Samples per set, at most"
        sizes = sorted({*SIZES, settings.n})
        found.append(Slider("n", label, sizes, settings.n, settings.n, number=(*N_LIMITS, 1), **common))
    seeds = sorted({*SEEDS, settings.seed})
    told = "Of the samples and the split." if settings.source == "toy" else "Of the subsample and the split."
    return [
        *found,
        Slider("seed", "Seed", seeds, settings.seed, settings.seed, number=(*SEED_LIMITS, 1), help=told, **common),
    ]


def _parameter(spec: Parameter, settings: ExploreSettings, common: Mapping[str, Any]) -> Slider:
    value: Any = settings.parameters.get(spec.name, spec.default)
    return Slider(
        PREFIX + spec.name,
        spec.label[:1].upper() + spec.label[1:],
        stops(spec, value),
        value,
        value,
        number=(spec.low, spec.high, 1 if spec.kind == "int" else FINEST),
        help=f"{spec.help} From {spec.low:g} to {spec.high:g}.",
        **common,
    )


def stops(spec: Parameter, *always: float) -> list[float]:
    """From `low` to `high` by `step`; where these would be too many, even steps on a log scale, and fewer of them."""
    count = round((spec.high - spec.low) / spec.step)
    if count <= MOST_STOPS:
        found = spec.low + spec.step * np.arange(count + 1)
    else:
        found = np.geomspace(max(spec.low, spec.step), spec.high, MOST_STOPS)
    rounded = [float(f"{value:.4g}") for value in found]
    inside = {spec.low, spec.high, *always, *(value for value in rounded if spec.low <= value <= spec.high)}
    return sorted({round(value) for value in inside} if spec.kind == "int" else inside)
