"""Controls of the live figure that change the samples: n, seed, split, repeats, and a toy's
parameters and mode weights.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from prviz.figures import GENERATED_COLOR, REAL_COLOR
from prviz.live.figure import Bars, Control, Slider
from prviz.live.state import SPLIT_PERCENTS, control_ids, has_bars, percent, specs
from prviz.reports.settings import (
    N_LIMITS,
    PARAMETER_PREFIX,
    REPEATS_LIMITS,
    SEED_LIMITS,
    ExploreSettings,
)
from prviz.toys import Parameter, toy
from prviz.toys.painted import Painted, cell_names

_OTHER_ROLE = {"real": "generated", "generated": "real", "p": "q", "q": "p", "P": "Q", "Q": "P"}
_ROLE = re.compile(rf"\b(?:{'|'.join(_OTHER_ROLE)})\b")
# The end of a parameter's label that is left out in the short form of the label.
_TAIL = re.compile(r" (?:d|(?:of the|per|on) .*)$")

Limits = tuple[float, float, float]
SIZES = (100, 200, 500, 1000, 2000, 3000, 5000, 10_000, 20_000)
SEEDS = range(100)
# Stops of the slider of the split, in percent of the samples that define the classifiers; 0 for no
# split.
SPLITS = range(0, 100, 10)
SPLIT_HELP = (
    "Percent of each set that define the classifiers; the rest measures their errors. None: one and"
    " the same samples do both, as in most published metrics. On all bundled sets the curves then"
    " lie lower."
)
REPEATS_HELP = (
    "Draws the samples (toys) or the split (your data) this many times: the curve is the mean, the"
    " band is one standard deviation along each ray of equal λ."
)
ONCE = " Without a split or a subsample all rows are used, so there is nothing to draw again."
# Most stops of a slider: with more, they would be too close for a pointer.
MOST_STOPS = 200
# Smallest step of a number that the user types: fine enough for every toy.
FINEST = 1e-4


def sliders(settings: ExploreSettings) -> list[Control]:
    """Controls for the toy's parameters, n and the split; its modes, the seed and the repeats are
    in a folded group.
    """

    def slider(
        name: str, label: str, stops: Sequence[float], value: Any, limits: Limits, text: str = ""
    ) -> Slider:
        # A control for one entry of a parameter has a dot in its id. Such controls go into the
        # folded group.
        group = "data"
        if "." in name.removeprefix(PARAMETER_PREFIX):
            group = "details"
        options: dict[str, Any] = {"number": limits, "help": text, "group": group}
        return Slider(name, label, stops, value, value, short=_TAIL.sub("", label), **options)

    found: list[Control] = []
    for spec in specs(settings):
        value: Any = settings.parameters.get(spec.name, spec.default)
        limits = (spec.low, spec.high, 1 if spec.kind == "int" else FINEST)
        text = f"{_by_role(settings, spec.help)} From {spec.low:g} to {spec.high:g}."
        name = _by_role(settings, spec.label)
        label = name[:1].upper() + name[1:]
        if has_bars(spec):
            found.append(_bars(settings, spec, label))
            continue
        entries = value if spec.kind == "weights" else (value,)
        for index, (name, entry) in enumerate(
            zip(control_ids(spec, len(entries)), entries, strict=True), start=1
        ):
            shown = f"{label} {index}" if spec.kind == "weights" else label
            found.append(slider(name, shown, stops(spec, entry), entry, limits, text))
    if settings.source != "upload":
        label = "Samples per set, at most"
        if settings.source == "toy":
            label = "Samples per set"
        found.append(slider("n", label, sorted({*SIZES, settings.n}), settings.n, (*N_LIMITS, 1)))
    text = "Seed of the random subsample and split."
    if settings.source == "toy":
        text = "Seed of the random samples and split."
    seeds = sorted({*SEEDS, settings.seed})
    seed = slider("seed", "Seed", seeds, settings.seed, (*SEED_LIMITS, 1), text)
    return [replace(seed, line=True, group="details"), *_sampling(settings), *found]


def _sampling(settings: ExploreSettings) -> list[Slider]:
    """The sliders of the split and of the repeats; approximate curves have no repeats."""
    share = percent(settings.split)
    split = Slider(
        "split",
        "Split (%)",
        sorted({*SPLITS, share}),
        share,
        share,
        marks=[(0, "none, as papers do"), (50, "50 %")],
        number=(0, SPLIT_PERCENTS[1], 1),
        help=SPLIT_HELP,
        group="sampling",
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
        group="details",
        line=True,
    )
    if settings.approximate:
        return [split]
    return [split, repeats]


def _bars(settings: ExploreSettings, spec: Parameter, label: str) -> Bars:
    """The control for the weights of a toy's modes, or for the amounts in a painting's cells (in
    two dimensions a grid).
    """
    problem = toy(settings.problem, **settings.parameters)
    value = cast(tuple[float, ...], problem.parameters[spec.name])
    names = [f"mode {index + 1}" for index in range(len(value))]
    columns = 0
    if isinstance(problem, Painted):
        names = cell_names(problem.d, problem.side)
        columns = problem.side if problem.d > 1 else 0
    is_real = spec.name.startswith("real") is not settings.swapped
    other = "real_weights"
    if settings.swapped:
        other = "generated_weights"
    real = () if is_real else problem.parameters.get(other, ())
    color = REAL_COLOR if is_real else GENERATED_COLOR
    return Bars(
        PARAMETER_PREFIX + spec.name,
        label,
        names,
        value,
        color,
        total=spec.total,
        columns=columns,
        help=_by_role(settings, spec.help),
        group="details",
        like=cast(tuple[float, ...], real),
    )


def _by_role(settings: ExploreSettings, text: str) -> str:
    """A toy's text, with "real" and "generated" exchanged if the user has swapped the two sets."""
    if not settings.swapped:
        return text
    return _ROLE.sub(lambda found: _OTHER_ROLE[found[0]], text)


def stops(spec: Parameter, *always: float) -> list[float]:
    """Stops of a slider from `low` to `high` in steps of `step`; if these are too many, MOST_STOPS
    stops that are evenly spaced on a logarithmic scale.
    """
    count = round((spec.high - spec.low) / spec.step)
    if count <= MOST_STOPS:
        found = spec.low + spec.step * np.arange(count + 1)
    else:
        found = np.geomspace(max(spec.low, spec.step), spec.high, MOST_STOPS)
    rounded = [float(f"{value:.4g}") for value in found]
    inside = {
        spec.low,
        spec.high,
        *always,
        *(value for value in rounded if spec.low <= value <= spec.high),
    }
    return sorted({round(value) for value in inside} if spec.kind == "int" else inside)
