"""What the user of Explore has chosen, as one frozen object: every change makes another one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeGuard, cast
from urllib.parse import parse_qsl, urlencode

from prviz.estimators import ESTIMATORS
from prviz.estimators.tightest import TIGHTEST
from prviz.live.tasks import TASKS
from prviz.measure.estimates import K
from prviz.reports.settings import (
    BANDWIDTH_LIMITS,
    FIRST_VIEW,
    LONGEST_VALUE,
    N_LIMITS,
    PARAMETER_PREFIX,
    REPEATS_LIMITS,
    SEED_LIMITS,
    SHOWN,
    SPLIT_LIMITS,
    ExploreSettings,
    ParameterValue,
    Source,
)
from prviz.toys import Parameter, Value, toy

# Entries of a link beside those of the settings, and the first value of each.
PANEL = "panel"
VIEW = "view"
COLOURS = "colour"
HIDDEN = "hidden"
FOLDED = "folded"
TASK = "task"
# Pinned states, one entry each: more than these are too small side by side.
PINS = ("pin1", "pin2", "pin3", "pin4")
# What stands for a pinned state whose own link would be empty.
FIRST_PIN = "first"
PANELS = ("Space", "Extremes", "Numbers", "What gives it away")
VIEWS = ("PR", "Error space")
ROLE = "Role"
# Names of panels in older links.
FORMER_PANELS = {"Ends": "Extremes", "All numbers": "Numbers"}
# Sum of shares that counts as 1: the browser rounds each of them.
ROUNDED = 0.01

Tuning = tuple[K, float | None]  # k and bandwidth


def panels(source: Source) -> tuple[str, ...]:
    """The panels in their order: without a truth what gives samples away is the first, and open at
    first.
    """
    if source == "toy":
        return PANELS
    return (PANELS[-1], *PANELS[:-1])


@dataclass(frozen=True, kw_only=True)
class ExploreState:
    """The settings of the page, what is open and drawn, and what is remembered of other data.

    panel, view, colour : the open panel, the axes of the main figure, and what the colours of the
    panel Space mean.
    hidden : the families that the user has switched off. folded : those that are too many to be
    drawn as well. task : a key of TASKS, or "".
    pins : settings of the states that are pinned, the newest last; of an upload with the digest of
    its files as its
        problem.
    n : samples per set of toys and of bundled pairs; the rows of an upload are chosen where it is
    read.
    parameters : by toy its last parameters. tunings : by source its last k and bandwidth: those of
    one source must not
        count for another, which may need quite others.
    """

    settings: ExploreSettings = FIRST_VIEW
    panel: str = PANELS[0]
    view: str = VIEWS[0]
    colour: str = ROLE
    hidden: tuple[str, ...] = ()
    folded: tuple[str, ...] = ()
    task: str = ""
    pins: tuple[ExploreSettings, ...] = ()
    n: int = FIRST_VIEW.n
    parameters: Mapping[str, Mapping[str, ParameterValue]] = field(default_factory=dict, hash=False)
    tunings: Mapping[Source, Tuning] = field(default_factory=dict, hash=False)

    # ---- the link ----

    def to_query(self) -> dict[str, str]:
        """The settings and what is open and drawn, as far as it is not so at first, as entries of a
        link.
        """
        entries = {PANEL: self.panel, VIEW: self.view, COLOURS: self.colour, TASK: self.task}
        # The curve to believe may be drawn without being chosen.
        able = dict.fromkeys([*self.settings.methods, TIGHTEST.name])
        for entry, names in ((HIDDEN, self.hidden), (FOLDED, self.folded)):
            entries[entry] = ",".join(name for name in able if name in names)
        kept = [settings for settings in self.pins if settings.source != "upload"]
        entries |= {
            name: urlencode(settings.to_query()) or FIRST_PIN
            for name, settings in zip(PINS, kept, strict=False)
        }
        at_first = ("", panels(self.settings.source)[0], VIEWS[0], ROLE)
        return self.settings.to_query() | {
            name: value for name, value in entries.items() if value not in at_first
        }

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> tuple[ExploreState, list[str]]:
        """The state of a link, and one message per entry that could not be used; see
        `ExploreSettings.from_query`.
        """
        settings, messages = ExploreSettings.from_query(query)
        panel = query.get(PANEL, "")
        view = query.get(VIEW, "")
        panel = FORMER_PANELS.get(panel, panel)
        task = query.get(TASK, "")
        pins = []
        for name in PINS:
            if name not in query:
                continue
            pin, wrong = ExploreSettings.from_query(dict(parse_qsl(query[name][:LONGEST_VALUE])))
            messages += [f"{name}: {text}" for text in wrong]
            if not wrong and pin not in pins:
                pins.append(pin)
        state = cls(
            panel=panel if panel in PANELS and task not in TASKS else panels(settings.source)[0],
            view=view if view in VIEWS else VIEWS[0],
            colour=ROLE if task in TASKS else query.get(COLOURS, ROLE),
            hidden=_families(query.get(HIDDEN, "").split(",")),
            folded=_families(query.get(FOLDED, "").split(",")),
            pins=tuple(pins),
            task=task if task in TASKS else "",
        )
        return state.with_settings(settings), messages

    # ---- changes ----

    def with_pin(self, settings: ExploreSettings) -> ExploreState:
        """These settings pinned too, or no more; as they are where all places are taken."""
        others = tuple(each for each in self.pins if each != settings)
        if len(others) < len(self.pins):
            return replace(self, pins=others)
        return replace(self, pins=(*self.pins, settings)[: len(PINS)])

    def with_settings(self, settings: ExploreSettings) -> ExploreState:
        """These settings in place of all others, a toy's weights as shares, which bars show."""
        values = {}
        for spec in specs(settings):
            value = cast(Value, settings.parameters.get(spec.name, spec.default))
            values[spec.name] = shares(value) if spec.total else value
        settings = replace(settings, parameters={**settings.parameters, **values})
        return replace(self, settings=settings)._remembering()

    def with_roles_swapped(self) -> ExploreState:
        """Real and generated in each other's place, at the classifier of before: lam becomes 1 /
        lam.
        """
        lam = self.settings.lam
        other = 1 / lam if lam > 0 else math.inf
        return self.with_settings(
            replace(self.settings, swapped=not self.settings.swapped, lam=other)
        )

    def with_data(self, source: Source, problem: str, n: int | None = None) -> ExploreState:
        """Another pair, with what is remembered of it; n : of an upload."""
        same = (source, problem) == (self.settings.source, self.settings.problem)
        swapped = self.settings.swapped and same
        settings = replace(
            self.settings, source=source, problem=problem, parameters={}, swapped=swapped
        )
        if source == "toy":
            known = self.parameters.get(problem, {})
            values = {spec.name: known.get(spec.name, spec.default) for spec in specs(settings)}
            settings = replace(settings, parameters=values)
        k, bandwidth = self.tuning(source)
        settings = replace(settings, n=self.n if n is None else n, k=k, bandwidth=bandwidth)
        return replace(self, settings=settings)._remembering()

    def tuning(self, source: Source) -> Tuning:
        """K and bandwidth of this source: as the user left them there, else those that suit any
        data of its kind.
        """
        toys = ExploreSettings()
        return self.tunings.get(
            source, (toys.k, toys.bandwidth) if source == "toy" else ("sqrt", None)
        )

    def with_values(self, values: Mapping[str, Any]) -> ExploreState:
        """The state after the user has moved controls of the figure; what no control can send is
        left out.

        values : by the id of the control. Raises ValueError for parameters that the toy refuses
        together.
        """
        settings = self.settings
        changed = dict[str, Any]()
        for name, limits in (("n", N_LIMITS), ("seed", SEED_LIMITS), ("repeats", REPEATS_LIMITS)):
            if is_number(values.get(name), limits) and (name, settings.source) != ("n", "upload"):
                changed[name] = int(values[name])
        share = values.get("split")
        if share != percent(settings.split) and (share == 0 or is_number(share, SPLIT_PERCENTS)):
            changed["split"] = cast(float, share) / 100 or None
        if (k := values.get("k")) == "sqrt" or is_number(k, (1, N_LIMITS[1])):
            changed["k"] = k if k == "sqrt" else int(k)
        if "bandwidth" in values and (
            (bandwidth := values["bandwidth"]) is None or is_number(bandwidth, BANDWIDTH_LIMITS)
        ):
            changed["bandwidth"] = bandwidth
        if is_number(angle := values.get("angle"), (0, 90)):
            changed["lam"] = (
                math.inf if angle >= 90 else float(f"{math.tan(math.radians(angle)):.6g}")
            )
        if moved := self._moved_parameters(values):
            toy(settings.problem, **{**settings.parameters, **moved})
            changed["parameters"] = {**settings.parameters, **moved}
        if isinstance(show := values.get("show"), list):
            changed["show"] = tuple(name for name in SHOWN if name in show)
        names = {name: values.get(name) for name in (HIDDEN, FOLDED)}
        drawn: dict[str, Any] = {
            name: _families(sent) for name, sent in names.items() if isinstance(sent, list)
        }
        return replace(self, settings=replace(settings, **changed), **drawn)._remembering()

    def _moved_parameters(self, values: Mapping[str, Any]) -> dict[str, Value]:
        """The toy's parameters among the values."""
        found: dict[str, Value] = {}
        for spec in specs(self.settings):
            before = cast(Any, self.settings.parameters.get(spec.name, spec.default))
            entries_before = list(before) if spec.kind == "weights" else [before]
            name = PARAMETER_PREFIX + spec.name
            count = len(entries_before)
            limits = (spec.low, spec.high)
            if has_bars(spec):
                sent = values.get(name)
            else:
                ids = control_ids(spec, count)
                sent = [
                    values.get(each, entry) for each, entry in zip(ids, entries_before, strict=True)
                ]
            if sent == entries_before or not isinstance(sent, list) or len(sent) != count:
                continue
            if all(is_number(value, limits) for value in sent):
                entries = tuple(int(each) if spec.kind == "int" else float(each) for each in sent)
                found[spec.name] = entries if spec.kind == "weights" else entries[0]
        return found

    def _remembering(self) -> ExploreState:
        """The state, with its own settings among what it remembers."""
        settings = self.settings
        tunings = {**self.tunings, settings.source: (settings.k, settings.bandwidth)}
        parameters = self.parameters
        if settings.source == "toy":
            parameters = {**parameters, settings.problem: settings.parameters}
        n = self.n if settings.source == "upload" else settings.n
        return replace(self, n=n, tunings=tunings, parameters=parameters)


def _families(sent: Sequence[Any]) -> tuple[str, ...]:
    return tuple(name for name in ESTIMATORS if name in sent)


# ---- the numbers of a toy, and the controls that move them ----


def specs(settings: ExploreSettings) -> list[Parameter]:
    """The toy's parameters; none of other data."""
    if settings.source == "toy":
        return list(toy(settings.problem).specs)
    return []


def shares(value: Value) -> Value:
    """Weights as shares of their sum; those that are such already stay as they are."""
    weights = cast(tuple[float, ...], value)
    total = math.fsum(weights)
    if abs(total - 1) > ROUNDED:
        return tuple(each / total for each in weights)
    return value


def has_bars(spec: Parameter) -> bool:
    """True if one control of bars moves all entries; False if a slider moves each."""
    return spec.kind == "weights" and (spec.low, spec.high) == (0, 1)


def control_ids(spec: Parameter, count: int) -> list[str]:
    """Ids of the sliders of one number, or of the entries of several."""
    name = PARAMETER_PREFIX + spec.name
    if spec.kind == "weights":
        return [f"{name}.{index}" for index in range(count)]
    return [name]


def percent(share: float | None) -> float:
    """A split in percent, as its slider shows it; 0 for none."""
    return round(100 * (share or 0), 6)


# The limits of a split, in percent.
SPLIT_PERCENTS = (percent(SPLIT_LIMITS[0]), percent(SPLIT_LIMITS[1]))


def is_number(value: Any, limits: tuple[float, float]) -> TypeGuard[float]:
    """True if the value, sent by a browser, is a number within the limits."""
    return isinstance(value, int | float) and limits[0] <= value <= limits[1]
