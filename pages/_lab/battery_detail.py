"""One cell of the battery's table in detail: the reason for the verdict, and the sweeps behind it."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from typing import Any, cast

import numpy as np
import pandas as pd
import streamlit as st

from pages._lab.battery_table import CellPlace, VerdictCell
from pages._lab.battery_text import SIDES as SIDE_WORDS
from pages._lab.battery_text import like_problem, setting_words
from pages._learn.lesson import explore_link
from pages._live.figure import Pane, live_figure
from prviz import figures
from prviz.figures.battery import AllowedRange, check_figure
from prviz.studies.battery import CHECKS, PASSES, READINGS, SIDES, TAGS
from prviz.studies.battery.base import Criterion, Side, Tag
from prviz.studies.battery.judge import SweepResult, along, criteria_of

KEY = "battery-detail"
_SAYS = {
    "wait": ("Not measured yet. The truth {truth} here.", ":material/hourglass_empty:"),
    "right": ("**Passes{how}**, and so does the truth.", ":material/check:"),
    "wrong": ("**Fails, although the truth passes: the estimator is wrong here.**", ":material/error:"),
    "asks": (
        "**Fails, and so does the truth: the check asks for something else** than this reading says.{besides}",
        ":material/help:",
    ),
    "lucky": (
        "**Passes{how} although the truth does not**: it is an error of the estimator that the check rewards here.",
        ":material/warning:",
    ),
}
_HOW = {"L": " as low", "H": " as high"}


def show(cell: VerdictCell, judged: pd.DataFrame, oracle: pd.DataFrame, rows: pd.DataFrame | None) -> None:
    """Draw one cell's detail. judged, oracle : lines of `prviz.studies.battery.judge`; rows : measured rows, if any."""
    place, check, reading = cell.place, CHECKS[cell.place.check], READINGS[cell.place.reading]
    side = cast(Side, place.side)
    pair = reading.pair[SIDES.index(side)]
    found = along(rows, place.check, place.reading, side)
    with st.container(key="battery-told"):
        st.subheader(f"{check.title}: {place.tag} of {pair}", anchor=False)
        text, icon = _SAYS[cell.kind]
        truth = "passes" if cell.oracle in PASSES else "itself fails"
        besides = _besides(found, place) if cell.kind == "asks" else ""
        _box(cell)(text.format(truth=truth, how=_HOW.get(cell.verdict, ""), besides=besides), icon=icon)
    asks = TAGS[cast(Tag, place.tag)]
    st.markdown(
        f"{check.summary} *{check.source}.* **{place.tag.capitalize()}** asks: {asks[:1].lower()}{asks[1:]} "
        f"{SIDE_WORDS[side]} The number is {pair} ({reading.label})."
    )
    _decides(place, judged, oracle, found)
    live_figure(KEY, [_pane(each, place, pair) for each in found])
    _criteria(found, place)
    _like(place.check)


def _box(cell: VerdictCell) -> Any:
    return {"right": st.success, "wrong": st.error, "asks": st.info, "lucky": st.warning}.get(cell.kind, st.info)


# ---- what decides ----


def _decides(place: CellPlace, judged: pd.DataFrame, oracle: pd.DataFrame, found: Sequence[SweepResult]) -> None:
    """Draw value, threshold, margin and spread of the deciding condition, for the number and for the truth."""
    lines = [("Measured", line) for line in _line(judged, place)] + [("Truth", line) for line in _line(oracle, place)]
    st.markdown("\n".join(f"- **{name}**, what decides: {_decided(line, found, place.check)}" for name, line in lines))
    st.caption(
        "The margin is how far the value is on the right side of what is allowed; below 0 it fails. The spread is the "
        "standard deviation of the value over the repeats." + _narrow(lines[0][1])
    )


def _line(judged: pd.DataFrame, place: CellPlace) -> list[dict[Hashable, Any]]:
    mine = (judged[["check", "tag", "reading", "side"]] == list(place)).all(axis=1)
    found: list[dict[Hashable, Any]] = judged[mine].to_dict("records")
    return found


def _decided(line: dict[Hashable, Any], found: Sequence[SweepResult], check: str) -> str:
    setting = (int(line["dim"]), str(line["scenario"]))
    sweep = next(each for each in found if (each.dim, each.scenario) == setting)
    where = setting_words(CHECKS[check], *setting)
    words = f"{line['condition']}{f' ({where})' if where else ''}, for the criterion “{line['criterion']}”"
    sense = {">=": "at least", "<=": "at most"}[line["sense"]]
    spread = f" ± {line['spread']:.3f} (spread)" if np.isfinite(line["spread"]) else ""
    return (
        f"{_placed(words, sweep)}. Value **{line['value']:.3f}**{spread}, threshold {sense} {line['threshold']:g}, "
        f"margin **{line['margin']:+.3f}**."
    )


def _narrow(line: dict[Hashable, Any]) -> str:
    if np.isfinite(line["spread"]) and abs(line["margin"]) < line["spread"]:
        return " Here the margin is smaller than the spread: other samples may turn the verdict."
    return ""


def _besides(found: Sequence[SweepResult], place: CellPlace) -> str:
    """Text on criteria that the truth meets and the measured number misses."""
    missed = [
        f"{_placed(criterion.rule.words, each)}{f' ({where})' if where else ''}"
        for each in found
        for criterion in criteria_of(place.check, place.tag, cast(Side, place.side), each.scenario)
        if (outcome := each.judge(criterion)) and outcome.verdict == "F" and each.judge_truth(criterion).verdict != "F"
        for where in [setting_words(CHECKS[place.check], each.dim, each.scenario)]
    ]
    if not missed:
        return " It misses nothing that the truth meets, so this failure says nothing against the estimator."
    return f" Besides, it misses what the truth does meet, and there the estimator is wrong: {'; '.join(missed)}."


# ---- the sweeps ----


def _pane(found: SweepResult, place: CellPlace, pair: str) -> Pane:
    check = CHECKS[place.check]
    criteria = criteria_of(place.check, place.tag, cast(Side, place.side), found.scenario)
    x = found.points[found.measured].tolist()
    figure = check_figure(
        x,
        found.mean.tolist(),
        found.spread.tolist(),
        found.truth.tolist(),
        [allowed for each in criteria for allowed in _allowed_ranges(found, each)],
        name=pair,
        x_title=check.x_label,
        truth_x=found.points.tolist(),
        color=figures.colors([READINGS[place.reading].method])[READINGS[place.reading].method],
        log_x=_geometric(found.points.tolist()),
    )
    said = "; ".join(dict.fromkeys(_placed(each.rule.words, found) for each in criteria))
    repeats = f" Mean of {found.repeats} repeats." if found.repeats else ""
    identity = f"{found.dim}-{found.scenario or 'all'}"
    title = setting_words(check, found.dim, found.scenario) or f"{pair} along the sweep"
    return Pane(identity, figure, title, caption=f"Asked for: {said or 'nothing here'}.{repeats}")


def _allowed_ranges(found: SweepResult, criterion: Criterion) -> list[AllowedRange]:
    x = found.points
    return [
        AllowedRange(
            (float(x[each.first]), float(x[each.last])), each.low, each.high, criterion.rule.words, found.keeps_to(each)
        )
        for each in found.allowed(criterion)
    ]


def _placed(words: str, found: SweepResult) -> str:
    """The text with numbers of points replaced by their x."""
    return re.sub(r"point (\d+)\b", lambda number: f"x = {found.points[int(number[1]) - 1]:.4g}", words)


def _geometric(x: Sequence[float]) -> bool:
    """True if the sweep's steps are more alike on a logarithmic axis."""
    if min(x) <= 0:
        return False
    steps, ratios = np.diff(x), np.diff(np.log(x))
    return bool(np.std(ratios) / np.mean(ratios) < np.std(steps) / np.mean(steps) - 1e-9)


def _criteria(found: Sequence[SweepResult], place: CellPlace) -> None:
    """Draw a table of every criterion."""
    with st.expander("Every criterion in every setting", icon=":material/rule:"):
        lines = []
        for each in found:
            for criterion in criteria_of(place.check, place.tag, cast(Side, place.side), each.scenario):
                outcome, truth = each.judge(criterion), each.judge_truth(criterion)
                where = setting_words(CHECKS[place.check], each.dim, each.scenario) or "all"
                line: dict[str, Any] = {"where": where, "allowed for": _placed(criterion.rule.words, each)}
                line |= {"verdict": outcome.verdict if outcome else "…", "margin": outcome.margin if outcome else None}
                lines.append(line | {"truth": truth.verdict, "truth's margin": truth.margin})
        st.dataframe(pd.DataFrame(lines).round(3), hide_index=True)


def _like(check: str) -> None:
    dim = max(CHECKS[check].dims) if 8 not in CHECKS[check].dims else 8
    settings = like_problem(check, dim)
    if settings is not None:
        explore_link(settings, "See a pair like these in Explore")
