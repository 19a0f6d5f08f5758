"""Controls of the live figure that change the samples: n, seed, split, repeats, a toy's numbers and mode weights.

The session holds their values, not the figure: a link, a preset or another problem replaces them there. `epoch` names
the replacement; values that the browser sends with another epoch belong to other data and are ignored.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeGuard, cast

import numpy as np

from pages._explore.session import explore_session
from pages._live.figure import FIGURE, Bars, Slider, moved
from prviz.figures import GENERATED_COLOR, REAL_COLOR
from prviz.reports.settings import N_LIMITS, REPEATS_LIMITS, SEED_LIMITS, SPLIT_LIMITS, ExploreSettings
from prviz.toys import Parameter, Value, toy
from prviz.toys.painted import Painted, cell_names

PREFIX = "p."
Limits = tuple[float, float, float]
SIZES = (100, 200, 500, 1000, 2000, 3000, 5000, 10_000, 20_000)
SEEDS = range(100)
# Percent of the samples that define the classifiers; 0: no split.
SPLITS = range(0, 100, 10)
SPLIT_HELP = (
    "Percent of each set that define the classifiers; the rest measures their errors. None: one and the same samples "
    "do both, as in most published metrics. On all bundled sets the curves then lie lower."
)
REPEATS_HELP = (
    "Draws the samples (toys) or the split (your data) so many times: the curve is the mean, the band is one standard "
    "deviation along each ray of equal λ."
)
ONCE = " Rows that are all used exist once: without a split or a subsample nothing is drawn again."
# Most stops of a slider: more are finer than a pointer can be placed.
MOST_STOPS = 200
# Step of typed numbers: fine enough for every toy.
FINEST = 1e-4
# Sum of shares that counts as 1: the browser rounds each of them.
ROUNDED = 0.01


def begin(settings: ExploreSettings) -> None:
    """Take the values this session began with, once."""
    if not explore_session().numbers:
        explore_session().numbers = numbers(settings)


def numbers(settings: ExploreSettings) -> dict[str, Value]:
    """The session's numbers of these settings."""
    found: dict[str, Value] = {"n": settings.n, "seed": settings.seed, "repeats": settings.repeats}
    found["split"] = settings.split or 0.0
    for spec in specs(settings):
        if spec.name in settings.parameters:
            value = cast(Value, settings.parameters[spec.name])
            found[held_key(settings.problem, spec.name)] = shares(value) if spec.total else value
    return found


def shares(value: Value) -> Value:
    """Weights as shares of their sum, which bars show; those that are such already stay as they are."""
    total = math.fsum(cast(tuple[float, ...], value))
    return tuple(each / total for each in cast(tuple[float, ...], value)) if abs(total - 1) > ROUNDED else value


def put(numbers: Mapping[str, Value]) -> None:
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
    """The toy's parameters."""
    return list(toy(settings.problem).specs) if settings.source == "toy" else []


def with_hand(settings: ExploreSettings) -> ExploreSettings:
    """The settings with the session's numbers, after taking those the user has set in the figure."""
    held, sent = explore_session().numbers, moved(FIGURE)
    if sent.get("epoch") == epoch(settings):
        held |= _legal(settings, sent)
    parameters = {s.name: held.get(held_key(settings.problem, s.name), s.default) for s in specs(settings)}
    n = settings.n if settings.source == "upload" else cast(int, held["n"])
    split, repeats, seed = cast(float, held["split"]), cast(int, held["repeats"]), cast(int, held["seed"])
    settings = replace(settings, n=n, seed=seed, split=split or None, repeats=repeats)
    return replace(settings, parameters={**settings.parameters, **parameters})


def _legal(settings: ExploreSettings, sent: Mapping[str, Any]) -> dict[str, Value]:
    """The usable values among those the browser sent, by their keys in the session."""
    held, found = explore_session().numbers, dict[str, Value]()
    for name, limits in (("n", N_LIMITS), ("seed", SEED_LIMITS), ("repeats", REPEATS_LIMITS)):
        if is_number(sent.get(name), limits):
            found[name] = int(sent[name])
    share = sent.get("split")
    if share != _percent(held["split"]) and (share == 0 or is_number(share, _percents())):
        found["split"] = cast(float, share) / 100
    for spec in specs(settings):
        key, name = held_key(settings.problem, spec.name), PREFIX + spec.name
        count = len(cast(tuple[float, ...], held.get(key, spec.default))) if spec.kind == "weights" else 1
        value = sent.get(name) if _has_bars(spec) else [sent.get(name) for name in _ids(spec, count)]
        if isinstance(value, list) and len(value) == count and all(is_number(v, (spec.low, spec.high)) for v in value):
            entries = tuple(int(each) if spec.kind == "int" else float(each) for each in value)
            found[key] = entries if spec.kind == "weights" else entries[0]
    return found


def _percent(share: Any) -> float:
    """A share in percent, as its slider shows it."""
    return round(100 * (share or 0), 6)


def _percents() -> tuple[float, float]:
    """The limits of a split, in percent."""
    return _percent(SPLIT_LIMITS[0]), _percent(SPLIT_LIMITS[1])


def _has_bars(spec: Parameter) -> bool:
    """True if one control of bars moves all entries; False if a slider moves each."""
    return spec.kind == "weights" and (spec.low, spec.high) == (0, 1)


def _ids(spec: Parameter, count: int) -> list[str]:
    """Ids of the sliders of one number, or of the entries of several."""
    name = PREFIX + spec.name
    return [f"{name}.{index}" for index in range(count)] if spec.kind == "weights" else [name]


def is_number(value: Any, limits: tuple[float, float]) -> TypeGuard[float]:
    """True if the browser has sent a number within the limits."""
    return isinstance(value, int | float) and math.isfinite(value) and limits[0] <= value <= limits[1]


def sliders(settings: ExploreSettings) -> list[Slider | Bars]:
    """The groups "Data" and "Modes": the toy's numbers, n and the seed; uploads choose rows where they are read."""
    now = epoch(settings)

    def slider(name: str, label: str, stops: Sequence[float], value: Any, limits: Limits, text: str = "") -> Slider:
        group = "modes" if "." in name.removeprefix(PREFIX) else "data"  # one entry of several
        return Slider(name, label, stops, value, value, number=limits, help=text, group=group, epoch=now)

    found: list[Slider | Bars] = []
    for spec in specs(settings):
        value: Any = settings.parameters.get(spec.name, spec.default)
        limits = (spec.low, spec.high, 1 if spec.kind == "int" else FINEST)
        text = f"{spec.help} From {spec.low:g} to {spec.high:g}."
        label = spec.label[:1].upper() + spec.label[1:]
        if _has_bars(spec):
            found.append(_bars(settings, spec, label, now))
            continue
        entries = value if spec.kind == "weights" else (value,)
        for index, (name, entry) in enumerate(zip(_ids(spec, len(entries)), entries, strict=True), start=1):
            shown = f"{label} {index}" if spec.kind == "weights" else label
            found.append(slider(name, shown, stops(spec, entry), entry, limits, text))
    if settings.source != "upload":
        label = "Samples per set" if settings.source == "toy" else "Samples per set, at most"
        found.append(slider("n", label, sorted({*SIZES, settings.n}), settings.n, (*N_LIMITS, 1)))
    text = "Of the samples and the split." if settings.source == "toy" else "Of the subsample and the split."
    seeds = sorted({*SEEDS, settings.seed})
    seed = slider("seed", "Seed", seeds, settings.seed, (*SEED_LIMITS, 1), text)
    return [*found, replace(seed, line=True), *_sampling(settings, now)]


def _sampling(settings: ExploreSettings, now: str) -> list[Slider]:
    """The split and the repeats; approximate curves have one run."""
    share = _percent(settings.split)
    split = Slider(
        "split",
        "Split (%)",
        sorted({*SPLITS, share}),
        share,
        share,
        marks=[(0, "none: as published"), (50, "50 %")],
        number=(0, _percents()[1], 1),
        help=SPLIT_HELP,
        group="sampling",
        epoch=now,
    )
    low, high = REPEATS_LIMITS
    repeats = Slider(
        "repeats",
        "Repeats",
        range(low, high + 1),
        settings.repeats,
        settings.repeats,
        number=(low, high, 1),
        help=REPEATS_HELP + ONCE * (settings.source != "toy"),
        group="sampling",
        epoch=now,
        line=True,
    )
    return [split] if settings.approximate else [split, repeats]


def _bars(settings: ExploreSettings, spec: Parameter, label: str, now: str) -> Bars:
    """The weights of the modes, or the amounts of a painting's cells: a grid where it has two dimensions."""
    problem = toy(settings.problem, **settings.parameters)
    value = cast(tuple[float, ...], problem.parameters[spec.name])
    names, columns = [f"mode {index + 1}" for index in range(len(value))], 0
    if isinstance(problem, Painted):
        names, columns = cell_names(problem.d, problem.side), problem.side if problem.d > 1 else 0
    real = problem.parameters.get("real_weights", ()) if spec.name == "generated_weights" else ()
    color = REAL_COLOR if spec.name.startswith("real") else GENERATED_COLOR
    return Bars(
        PREFIX + spec.name,
        label,
        names,
        value,
        color,
        total=spec.total,
        columns=columns,
        help=spec.help,
        group="modes",
        epoch=now,
        like=cast(tuple[float, ...], real),
    )


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
