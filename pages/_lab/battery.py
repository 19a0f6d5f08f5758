"""Section "Sanity battery": 15 sanity checks, with verdicts on measured numbers and on those of the
true curve.

A reading gives two numbers, fidelity and diversity, from a curve or from a published score. A click
on a verdict shows the reason for it, and the sweeps that were measured for it.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, cast

import numpy as np
import pandas as pd
import streamlit as st

from pages._lab import battery_table
from pages._lab.battery_table import SIDE_WORDS, CellPlace, Choice, VerdictCell, choose
from pages._lab.experiments import facts
from pages._live.figure import live_figure
from pages._shared.widgets import choose_one, explore_link, plain
from pages._shared.work_box import WorkRequest, box
from prviz import figures
from prviz.figures.battery import AllowedRange, SweepPoint, check_figure
from prviz.live.figure import Pane
from prviz.neighbors.threads import available_threads
from prviz.recent import LeastRecentlyUsed
from prviz.reports.settings import ExploreSettings, ParameterValue
from prviz.studies.battery import (
    CHECKS,
    COLUMNS,
    JUDGED,
    PASSES,
    READINGS,
    SCALARS,
    SIDES,
    TAGS,
    Check,
    battery_seconds,
    battery_tasks,
    judge,
    oracle_rows,
)
from prviz.studies.battery.base import Criterion, Side, Tag
from prviz.studies.battery.judge import SweepResult, along, criteria_of
from prviz.studies.battery.tasks import kept
from prviz.studies.kept_rows import KeptRows

# The number of failed checks in this text is tested: a test counts them by
# `prviz.studies.battery.judge`.
IDEA = (
    "A paper of 2025 requires of every score of generative models what common sense does: 1 where"
    " both distributions are equal, less where they differ, the same in any unit of a feature. Of"
    " its 15 such checks **every published score failed 11 or more**. Here you run them on any"
    " number, also on curves, and see beside each verdict **what the truth scores**: a perfect"
    " estimator, under the same reading. Where the truth passes, a failure says that *the estimator"
    " is wrong*. Where the truth fails too, *the check asks for something else*."
)


SIGNS = """
- **truth**: what a perfect estimator, which knows the true curve, scores under the same reading and
  the same rule.
- ● passes, as the truth does. ✕ fails where the truth passes: *the estimator is wrong*. ○ fails,
  and so does the truth: *the check asks for something else* than this reading. ◆ passes although
  the truth does not. · is not measured yet.
- Each mark names its verdict and the published one. Where the specification allows either, *low*
  falls where generated samples are spread too thin, *high* stays up because every real sample can
  still be produced.
"""
KEPT = "Published pairs"
OTHERS = "FD, KID and others"
RUN = "Run it yourself"


def draw() -> None:
    head = st.container(horizontal=True, vertical_alignment="center", key="battery-head")
    held = {
        name: rows
        for name, reported in ((KEPT, False), (OTHERS, True))
        if (rows := _kept(reported)) is not None
    }
    with head:
        results = (*held, RUN)
        if held:
            result = choose_one("Result", results, results[0], key="battery.result", **_COLLAPSED)
        else:
            result = RUN
        found = held.get(result)
        if found is None:
            with st.popover("Settings", icon=":material/tune:"):
                choice = choose()
        else:
            names = {*found.rows["check"], *found.rows["method"]}
            choice = Choice(
                tuple(filter(names.__contains__, CHECKS)),
                tuple(filter(names.__contains__, SCALARS)),
                "paper",
            )
        with st.popover("How to read it", icon=":material/help:", type="tertiary"):
            st.markdown(
                "\n".join([*(f"- {words}" for words in battery_table.SIDE_WORDS.values()), SIGNS])
            )
            st.markdown("\n".join(f"- **{tag}**: {words}" for tag, words in TAGS.items()))
            if result == OTHERS:
                st.markdown(battery_table.REPORTED_WORDS)
            if found is not None:
                repeats = found.rows["repeat"].nunique()
                st.caption(
                    plain(
                        f"{result}: 1,000 samples per set, {repeats} repeats. {facts(found.facts)}"
                    )
                )
    if choice is None:
        st.info(
            "Choose at least a check, and a family with a point to read it at, or a published pair."
        )
        return
    oracle = _oracle(choice)
    if found is not None:
        _draw(choice, oracle, found.rows)
        return
    tasks = battery_tasks(choice.checks, choice.readings, choice.mode)
    seconds = battery_seconds(tasks) / available_threads()
    work = WorkRequest(choice.key, f"Sanity battery {choice.mode}", tasks, COLUMNS, seconds)
    box(work, lambda rows, _: _draw(choice, oracle, rows), lambda: _draw(choice, oracle, None))


_COLLAPSED: dict[str, Any] = {"label_visibility": "collapsed", "persist_state": "session"}


def _kept(reported: bool) -> KeptRows | None:
    try:
        found: KeptRows | None = _shared().remembered(
            ("kept", reported), lambda: kept(tuple(CHECKS), reported=reported)
        )
    except ValueError as error:
        st.warning(plain(f"The kept rows can't be shown: {error}."), icon=":material/broken_image:")
        return None
    return found


def _draw(choice: Choice, oracle: pd.DataFrame, rows: pd.DataFrame | None) -> None:
    judged = pd.DataFrame(columns=list(JUDGED)) if rows is None else _judged(choice, rows)
    known = battery_table.cells(choice, oracle, judged)
    st.subheader(battery_table.message(known), anchor=False)
    battery_table.draw(choice, known, 0 if rows is None else len(rows))
    place = battery_table.chosen(known)
    if place is not None:
        show_detail(known[place], judged, oracle, rows)


# ---- verdicts, cached for all sessions ----


@st.cache_resource
def _shared() -> LeastRecentlyUsed:
    return LeastRecentlyUsed(512)


def _oracle(choice: Choice) -> pd.DataFrame:
    """Verdicts on the numbers of the true curve; draws the progress when they are computed for the
    first time.
    """
    place = st.empty()
    found = []
    for done, check in enumerate(choice.checks):
        key = ("oracle", check, choice.readings)
        if key not in _shared():
            place.progress(
                done / len(choice.checks), f"Working out the truth of “{CHECKS[check].title}”"
            )
        found.append(_shared().remembered(key, partial(_truth_judged, check, choice.readings)))
    place.empty()
    return _concatenated(found)


def _truth_judged(check: str, readings: tuple[str, ...]) -> pd.DataFrame:
    return judge(oracle_rows([check], readings), readings)


def _judged(choice: Choice, rows: pd.DataFrame) -> pd.DataFrame:
    """Verdicts on measured rows. They are cached: a check is judged again only if it has more rows
    than before.
    """
    parts = {str(name): part for name, part in rows.groupby("check", sort=False)}
    # False for the stored rows that come with prviz: these have no key
    own = bool(rows["key"].notna().any())
    return _concatenated(
        _shared().remembered(
            (own, choice.key, choice.readings, each, len(parts[each])),
            partial(judge, parts[each], choice.readings),
        )
        for each in CHECKS
        if each in parts
    )


def _concatenated(parts: Iterable[pd.DataFrame]) -> pd.DataFrame:
    found = [part for part in parts if len(part)]
    if found:
        return pd.concat(found, ignore_index=True)
    return pd.DataFrame(columns=list(JUDGED))


KEY = "battery-detail"
_SAYS = {
    "wait": ("Not measured yet. The truth {truth} here.", ":material/hourglass_empty:"),
    "right": ("**Passes{how}**, and so does the truth.", ":material/check:"),
    "wrong": (
        "**Fails, although the truth passes: the estimator is wrong here.**",
        ":material/error:",
    ),
    "asks": (
        (
            "**Fails, and so does the truth: the check asks for something else** than this reading"
            " says.{besides}"
        ),
        ":material/help:",
    ),
    "lucky": (
        (
            "**Passes{how} although the truth does not**: it is an error of the estimator that the"
            " check rewards here."
        ),
        ":material/warning:",
    ),
}
_HOW = {"L": " as low", "H": " as high"}
SCENARIOS: Mapping[str, str] = {
    "real_outlier": "the outlier is real",
    "syn_outlier": "the outlier is generated",
    "real_sphere": "the ball is real",
    "real_torus": "the ring is real",
    "real_discrete": "whole numbers are real",
    "real_continuous": "whole numbers are generated",
}


def show_detail(
    cell: VerdictCell, judged: pd.DataFrame, oracle: pd.DataFrame, rows: pd.DataFrame | None
) -> None:
    """Draw why one cell has its verdict: the deciding values, and the sweeps that were measured.

    judged, oracle : verdicts on measured rows and on the truth, from `prviz.studies.battery.judge`.
    rows : measured rows, if any.
    """
    place = cell.place
    check = CHECKS[place.check]
    reading = READINGS[place.reading]
    side = cast(Side, place.side)
    pair = reading.pair[SIDES.index(side)]
    found = along(rows, place.check, place.reading, side)
    with st.container(key="battery-told"):
        st.subheader(f"{check.title}: {place.tag} of {pair}", anchor=False)
        text, icon = _SAYS[cell.kind]
        truth = "itself fails"
        if cell.oracle in PASSES:
            truth = "passes"
        besides = ""
        if cell.kind == "asks":
            besides = _besides(found, place)
        box = {"right": st.success, "wrong": st.error, "lucky": st.warning}.get(cell.kind, st.info)
        box(text.format(truth=truth, how=_HOW.get(cell.verdict, ""), besides=besides), icon=icon)
    asks = TAGS[cast(Tag, place.tag)]
    st.markdown(
        f"{check.summary} *{check.source}.* **{place.tag.capitalize()}** asks:"
        f" {asks[:1].lower()}{asks[1:]} {SIDE_WORDS[side]} The number is {pair} ({reading.label})."
    )
    lines = [*_lines("Measured", judged, place), *_lines("Truth", oracle, place)]
    said = [
        f"- **{whose}**, what decides: {_decided(line, found, place.check)}"
        for whose, line in lines
    ]
    st.markdown("\n".join(said))
    narrow = ""
    deciding = lines[0][1]
    if np.isfinite(deciding["spread"]) and abs(deciding["margin"]) < deciding["spread"]:
        narrow = " Here the margin is smaller than the spread: other samples may turn the verdict."
    st.caption(
        "The margin is how far the value is on the right side of what is allowed; below 0 it"
        f" fails. The spread is the standard deviation of the value over the repeats.{narrow}"
    )
    live_figure(KEY, [_pane(each, place, pair) for each in found])
    with st.expander("Every criterion in every setting", icon=":material/rule:"):
        outcomes = [
            _outcome(each, criterion, check) for each in found for criterion in _asked(each, place)
        ]
        st.dataframe(pd.DataFrame(outcomes).round(3), hide_index=True)
    settings = like_problem(place.check, 8 if 8 in check.dims else max(check.dims))
    if settings is not None:
        explore_link(settings, "See a pair like these in Explore")


def _lines(
    whose: str, judged: pd.DataFrame, place: CellPlace
) -> list[tuple[str, dict[Hashable, Any]]]:
    """The rows of `judged` for one cell, each paired with `whose` ("Measured" or "Truth")."""
    mine = (judged[["check", "tag", "reading", "side"]] == list(place)).all(axis=1)
    return [(whose, line) for line in judged[mine].to_dict("records")]


def _asked(found: SweepResult, place: CellPlace) -> Sequence[Criterion]:
    """The criteria that one cell of the table applies to one sweep."""
    return criteria_of(place.check, place.tag, cast(Side, place.side), found.scenario)


def _outcome(found: SweepResult, criterion: Criterion, check: Check) -> dict[str, Any]:
    """A row of the table "Every criterion": allowed values, then verdict and margin, for the
    measured numbers and for the truth.
    """
    outcome = found.judge(criterion)
    true = found.judge_truth(criterion)
    return {
        "where": setting_words(check, found.dim, found.scenario) or "all",
        "allowed for": _placed(criterion.rule.words, found),
        "verdict": outcome.verdict if outcome else "…",
        "margin": outcome.margin if outcome else None,
        "truth": true.verdict,
        "truth's margin": true.margin,
    }


def _decided(line: dict[Hashable, Any], found: Sequence[SweepResult], check: str) -> str:
    setting = (int(line["dim"]), str(line["scenario"]))
    sweep = next(each for each in found if (each.dim, each.scenario) == setting)
    where = setting_words(CHECKS[check], *setting)
    words = (
        f"{line['condition']}{f' ({where})' if where else ''}, for the criterion"
        f" “{line['criterion']}”"
    )
    sense = {">=": "at least", "<=": "at most"}[line["sense"]]
    spread = ""
    if np.isfinite(line["spread"]):
        spread = f" ± {line['spread']:.3f} (spread)"
    return (
        f"{_placed(words, sweep)}. Value **{line['value']:.3f}**{spread}, threshold {sense}"
        f" {line['threshold']:g}, margin **{line['margin']:+.3f}**."
    )


def _besides(found: Sequence[SweepResult], place: CellPlace) -> str:
    """Text on those criteria of the cell that the truth meets and the measured number does not."""
    check = CHECKS[place.check]
    missed = []
    for each in found:
        where = setting_words(check, each.dim, each.scenario)
        for criterion in _asked(each, place):
            outcome = each.judge(criterion)
            if outcome and outcome.verdict == "F" and each.judge_truth(criterion).verdict != "F":
                words = _placed(criterion.rule.words, each)
                missed.append(f"{words} ({where})" if where else words)
    if not missed:
        return (
            " The estimator meets each criterion that the truth itself meets, so this failure says"
            " nothing against it."
        )
    return (
        " The estimator misses other criteria, which the truth meets, and there it is wrong:"
        f" {'; '.join(missed)}."
    )


def _pane(found: SweepResult, place: CellPlace, pair: str) -> Pane:
    check = CHECKS[place.check]
    criteria = _asked(found, place)
    points = found.points.tolist()
    x = found.points[found.measured].tolist()
    measured = zip(x, found.mean.tolist(), found.spread.tolist(), strict=True)
    geometric = False
    # the axis is logarithmic if the points are more evenly spaced on a logarithmic axis
    if found.points.min() > 0:
        steps = np.diff(found.points)
        ratios = np.diff(np.log(found.points))
        geometric = bool(np.std(ratios) / np.mean(ratios) < np.std(steps) / np.mean(steps) - 1e-9)
    figure = check_figure(
        [SweepPoint(*each) for each in measured],
        list(zip(points, found.truth.tolist(), strict=True)),
        [
            AllowedRange(
                place=(points[each.first], points[each.last]),
                low=each.low,
                high=each.high,
                text=criterion.rule.words,
                met=found.keeps_to(each),
            )
            for criterion in criteria
            for each in found.allowed(criterion)
        ],
        name=pair,
        x_title=check.x_label,
        color=figures.colors([READINGS[place.reading].method])[READINGS[place.reading].method],
        log_x=geometric,
    )
    said = "; ".join(dict.fromkeys(_placed(each.rule.words, found) for each in criteria))
    repeats = ""
    if found.repeats:
        repeats = f" Mean of {found.repeats} repeats."
    identity = f"{found.dim}-{found.scenario or 'all'}"
    title = setting_words(check, found.dim, found.scenario) or f"{pair} along the sweep"
    return Pane(identity, figure, title, caption=f"Asked for: {said or 'nothing here'}.{repeats}")


def _placed(words: str, found: SweepResult) -> str:
    """The text with point numbers replaced by values: "point 3" becomes "x = 0.5", for instance."""
    return re.sub(
        r"point (\d+)\b", lambda number: f"x = {found.points[int(number[1]) - 1]:.4g}", words
    )


def setting_words(check: Check, dim: int, scenario: str) -> str:
    """Text that names one setting of a check; "" if the check has only one."""
    parts = [f"d = {dim}"] if len(check.dims) > 1 else []
    return ", ".join([*parts, SCENARIOS[scenario]] if scenario else parts)


def like_problem(check: str, dim: int) -> ExploreSettings | None:
    """Settings with which Explore shows a toy that resembles one point of the check's sweep; None
    if no toy does.
    """
    mu = {1: 1.5, 8: 0.75, 64: 0.25}.get(dim, 0.25)
    scale = {1: 0.3, 8: 0.6, 64: 0.9}.get(dim, 0.9)
    outlier = {1: 6.0, 8: 3.0, 64: 1.0}.get(dim, 1.0)
    tenth = (0.1,) * 10
    boxes = {"d": dim, "volume": 1.0, "overlap": 0.2}
    problems: dict[str, tuple[str, Mapping[str, ParameterValue]]] = {
        "gaussian-mean-difference": ("shifted-gaussians", {"d": dim, "mu": mu}),
        "gaussian-mean-difference-with-outlier": (
            "outlier",
            {"d": dim, "mu": mu, "value": outlier},
        ),
        "gaussian-std-difference": ("scaled-gaussian", {"d": dim, "scale": scale}),
        "uniform-hypercube-varying-size": ("boxes", boxes),
        "uniform-hypercube-varying-syn-size": ("boxes", boxes),
        "gaussian-scaling-one-dimension": ("high-dimension", {"d": 2, "shift": 6.0}),
        "gaussian-mean-difference-with-pareto": ("high-dimension", {"d": 1, "shift": 3.0}),
        "gaussian-high-dim-one-disjoint-dim": ("high-dimension", {"d": 512, "shift": 6.0}),
        "gaussian-mixture-simultaneous-mode-dropping": (
            "finite",
            {"d": 2, "real_weights": tenth, "generated_weights": (0.55,) + (0.05,) * 9},
        ),
        "gaussian-mixture-sequential-mode-dropping": (
            "finite",
            {"d": 2, "real_weights": tenth, "generated_weights": (0.2,) * 5 + (0.0,) * 5},
        ),
        "gaussian-mixture-mode-dropping-invention": (
            "finite",
            {"d": 2, "real_weights": (0.2,) * 5 + (0.0,) * 3, "generated_weights": (0.125,) * 8},
        ),
    }
    if check not in problems:
        return None
    name, parameters = problems[check]
    return ExploreSettings(problem=name, parameters=parameters, n=1000, split=None, k=5)
