"""Numbers that the papers fix: those of the chosen families, b and eps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import streamlit as st

from prviz.curves.summaries import EPS, B
from prviz.estimators import ESTIMATORS
from prviz.reports.settings import B_LIMITS, EPS_LIMITS, ExploreSettings

# Keys of the widgets.
_OF_FAMILY, _B, _EPS = "parameter.{}.{}", "summary-b", "summary-eps"


def widget_values(settings: ExploreSettings) -> dict[str, Any]:
    """The value of every widget, by its key; the first of several kinds of one family counts."""
    chosen = {ESTIMATORS[name].name.partition(":")[0]: ESTIMATORS[name] for name in reversed(settings.methods)}
    values = {
        _OF_FAMILY.format(name, each.name): chosen.get(name, family).value(each.name)
        for name, family in ESTIMATORS.items()
        for each in family.parameters
    }
    return values | {_B: float(settings.b), _EPS: float(settings.eps)}


def choose(
    begun: ExploreSettings,
    methods: tuple[str, ...],
    begin: Callable[[str, Any], str],
    persist_state: Literal["session"] | None = None,
) -> tuple[tuple[str, ...], float, float]:
    """The methods with their chosen parameters, b and eps.

    begun : the session's first settings. begin : gives a widget's key, holding a value. persist_state : as of others.
    """
    first = widget_values(begun)

    def number(key: str, label: str, limits: tuple[Any, Any], step: Any, text: str) -> Any:
        digits = None if isinstance(first[key], int) else "%g"
        key, options = begin(key, first[key]), {"step": step, "help": text, "format": digits}
        return st.number_input(label, *limits, key=key, persist_state=persist_state, **options)

    names = []
    for family in (ESTIMATORS[name] for name in methods):
        values = {}
        for each in family.parameters:
            kind: type = int if each.kind == "int" else float
            limits, key = (kind(each.low), kind(each.high)), _OF_FAMILY.format(family.name, each.name)
            values[each.name] = number(key, each.label, limits, kind(each.step), each.help)
        names.append(family.named(values))
    weight = f"Of the F-score: how many times as much its favoured side counts; {B:g} as published (2018)."
    b = number(_B, "b of the F-scores", B_LIMITS, 1.0, weight)
    end = f"The recall that α@ε is read at, and the precision of β@ε; {EPS:g} as published (2026)."
    eps = number(_EPS, "ε of α@ε", EPS_LIMITS, 0.01, end)
    return tuple(names), float(b), float(eps)
