"""The choices of the user of the Explore page, as one immutable object: every change makes a new
one.
"""

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
from prviz.quoting import listed
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
    ignored_text,
    is_setting,
)
from prviz.toys import Parameter, Value, toy

# Names of entries in a link, in addition to those of the settings.
PANEL = "panel"
VIEW = "view"
COLOURS = "colour"
HIDDEN = "hidden"
FOLDED = "folded"
TASK = "task"
# Names of the link's entries for pinned states. More than four would be too small side by side.
PINS = ("pin1", "pin2", "pin3", "pin4")
# Value, in a link, of a pinned state with the initial settings, whose own link is empty.
FIRST_PIN = "first"
PANELS = ("Space", "Extremes", "Numbers", "What gives it away")
VIEWS = ("PR", "Error space")
ROLE = "Role"
# Names that panels had in links of earlier versions, and their present names.
FORMER_PANELS = {"Ends": "Extremes", "All numbers": "Numbers"}
# Weights are not scaled if their sum differs from 1 by at most this: the browser rounds each of
# them.
ROUNDED = 0.01

Tuning = tuple[K, float | None]  # K and bandwidth.


def panels(source: Source) -> tuple[str, ...]:
    """The panels of the page, in order. If no truth is known, "What gives it away" comes first and
    is open at the start.
    """
    if source == "toy":
        return PANELS
    return (PANELS[-1], *PANELS[:-1])


@dataclass(frozen=True, kw_only=True)
class ExploreState:
    """The settings, what is open and drawn on the page, and what is remembered for data shown
    earlier.

    panel, view, colour : the open panel, the axes of the main figure, and what the colours in the
    panel Space mean. hidden : the families that the user has switched off. folded : families that
    are not drawn because there are too many. task : a key of TASKS, or "". pins : settings of the
    pinned states, the newest last; for an upload, `problem` is the digest of its samples. n :
    samples per set of toys and bundled pairs; for an upload, rows are chosen when its files are
    read.
    parameters : the last parameters of each toy. tunings : the last k and bandwidth for each source
    of data (toy, bundled, upload), as each may need others.
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
        """The differences from the initial state, as entries of a link."""
        entries = {PANEL: self.panel, VIEW: self.view, COLOURS: self.colour, TASK: self.task}
        # Families that may be hidden or folded: the chosen ones, and `tightest`, whose curve may be
        # drawn without being chosen.
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
        """The state that a link describes, and one message for each entry that could not be used;
        see `ExploreSettings.from_query`.
        """
        settings, messages = ExploreSettings.from_query(query)
        own = {PANEL, VIEW, COLOURS, HIDDEN, FOLDED, TASK, *PINS}
        if unknown := [name for name in query if not (name in own or is_setting(name))]:
            messages.append(f"The link has entries that Explore does not know: {listed(unknown)}.")
        chosen = {}
        choices = {PANEL: (*PANELS, *FORMER_PANELS), VIEW: VIEWS, TASK: tuple(TASKS)}
        for name, known in choices.items():
            chosen[name] = query.get(name, "")
            if chosen[name] not in ("", *known):
                why = f"expected one of {', '.join(known)}"
                messages.append(ignored_text(name, chosen[name], why))
                chosen[name] = ""
        panel = FORMER_PANELS.get(chosen[PANEL], chosen[PANEL])
        task = chosen[TASK]
        pins = []
        for name in PINS:
            if name not in query:
                continue
            pin, wrong = ExploreSettings.from_query(dict(parse_qsl(query[name][:LONGEST_VALUE])))
            messages += [f"{name}: {text}" for text in wrong]
            if not wrong and pin not in pins:
                pins.append(pin)
        state = cls(
            panel=panel if panel and not task else panels(settings.source)[0],
            view=chosen[VIEW] or VIEWS[0],
            colour=ROLE if task else query.get(COLOURS, ROLE),
            hidden=_families(query.get(HIDDEN, "").split(",")),
            folded=_families(query.get(FOLDED, "").split(",")),
            pins=tuple(pins),
            task=task,
        )
        return state.with_settings(settings), messages

    # ---- changes ----

    def with_pin(self, settings: ExploreSettings) -> ExploreState:
        """The state with these settings pinned, or unpinned if they were pinned; unchanged if there
        is no place for another pin.
        """
        others = tuple(each for each in self.pins if each != settings)
        if len(others) < len(self.pins):
            return replace(self, pins=others)
        return replace(self, pins=(*self.pins, settings)[: len(PINS)])

    def with_settings(self, settings: ExploreSettings) -> ExploreState:
        """The state with these settings. Weights of a toy are scaled to sum 1, because bars show
        shares.
        """
        values = {}
        for spec in specs(settings):
            value = cast(Value, settings.parameters.get(spec.name, spec.default))
            values[spec.name] = shares(value) if spec.total else value
        settings = replace(settings, parameters={**settings.parameters, **values})
        return replace(self, settings=settings)._remembering()

    def with_roles_swapped(self) -> ExploreState:
        """The state with real and generated swapped. lam becomes 1 / lam, so that the same
        classifier is chosen.
        """
        lam = self.settings.lam
        other = 1 / lam if lam > 0 else math.inf
        return self.with_settings(
            replace(self.settings, swapped=not self.settings.swapped, lam=other)
        )

    def with_data(self, source: Source, problem: str, n: int | None = None) -> ExploreState:
        """The state with another pair selected, and with the parameters, k and bandwidth last used
        for it. n : for an upload, its number of samples.
        """
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
        """Return k and bandwidth for this source of data: those that the user has last set for it,
        otherwise defaults.
        """
        toys = ExploreSettings()
        return self.tunings.get(
            source, (toys.k, toys.bandwidth) if source == "toy" else ("sqrt", None)
        )

    def with_values(self, values: Mapping[str, Any]) -> ExploreState:
        """The state after the user has moved controls of the figure; values that no control can
        send are ignored.

        values : by the id of the control. Raises ValueError if the toy refuses a combination of
        parameters.
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
        """The parameters of the toy whose controls have sent a new value."""
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
        """The state with its current settings stored as the last ones for their source and toy."""
        settings = self.settings
        tunings = {**self.tunings, settings.source: (settings.k, settings.bandwidth)}
        parameters = self.parameters
        if settings.source == "toy":
            parameters = {**parameters, settings.problem: settings.parameters}
        n = self.n if settings.source == "upload" else settings.n
        return replace(self, n=n, tunings=tunings, parameters=parameters)


def _families(sent: Sequence[Any]) -> tuple[str, ...]:
    return tuple(name for name in ESTIMATORS if name in sent)


# ---- parameters of toys, and their controls ----


def specs(settings: ExploreSettings) -> list[Parameter]:
    """The parameters of the selected toy; none for other data."""
    if settings.source == "toy":
        return list(toy(settings.problem).specs)
    return []


def shares(value: Value) -> Value:
    """Weights divided by their sum; unchanged if they sum to 1 already, up to ROUNDED."""
    weights = cast(tuple[float, ...], value)
    total = math.fsum(weights)
    if abs(total - 1) > ROUNDED:
        return tuple(each / total for each in weights)
    return value


def has_bars(spec: Parameter) -> bool:
    """True if a parameter has a single control with a bar for each entry; False if each entry has a
    slider of its own.
    """
    return spec.kind == "weights" and (spec.low, spec.high) == (0, 1)


def control_ids(spec: Parameter, count: int) -> list[str]:
    """Ids of the sliders of a parameter: one slider, or one for each of its `count` entries."""
    name = PARAMETER_PREFIX + spec.name
    if spec.kind == "weights":
        return [f"{name}.{index}" for index in range(count)]
    return [name]


def percent(share: float | None) -> float:
    """A split in percent, as its slider shows it; 0 for no split."""
    return round(100 * (share or 0), 6)


# Smallest and largest split, in percent.
SPLIT_PERCENTS = (percent(SPLIT_LIMITS[0]), percent(SPLIT_LIMITS[1]))


def is_number(value: Any, limits: tuple[float, float]) -> TypeGuard[float]:
    """True if a value that a browser has sent is a number within the limits."""
    return isinstance(value, int | float) and limits[0] <= value <= limits[1]
