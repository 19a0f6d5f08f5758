"""Lesson 6: two generators that one number can't tell apart, and the numbers that can."""

from __future__ import annotations

from typing import Any, NamedTuple

import streamlit as st

from pages._learn.lesson import Verdict, explore_link, learn_session, question, value
from pages._live.figure import Model, Pane, Slider, Table, live_figure
from pages._shared import cache
from pages._shared.widgets import choose_one
from prviz import figures
from prviz.curves import PRCurve
from prviz.curves.summaries import SUMMARIES, Column
from prviz.reports.settings import ExploreSettings
from prviz.toys.failures import FAILURES, Failure, matched

TITLE = "One number?"
IDEA = (
    "A whole curve is often summed up by one number. **AuC** is the area under it. **F8** is the best weighted mean of "
    "precision α and recall β along it: leaning to precision, precision counts 8 times as much; leaning to recall, "
    "recall does. The **PR median** is the point whose ray from the origin halves the area, **α@0.05** the precision "
    "at recall 0.05. Two generators A and B fail against the same real data, in different ways: make them agree in one "
    "number, and see which of the others still tell them apart."
)
KEY = "lesson-number"
KEYS = ("auc", "f8_precision", "f8_recall", "median_precision", "median_recall", "alpha_at_005")
NUMBERS = {summary.key: summary for summary in SUMMARIES if summary.key in KEYS}
LABELS = {key: NUMBERS[key].label for key in KEYS}
# Each generator's first failure, and the share of its stops at which its slider starts.
START = {"a": "drop", "b": "shift"}
BEGIN = {"a": 0.4, "b": 0.2}
SAME = 0.005
NONE = "None of them does"
EXACT = "All curves here are exact: no samples are drawn. Widths and shifts are in units of a real mode's width."


class Rival(NamedTuple):
    """One generator: its side, how it fails, and by how much."""

    side: str
    failure: Failure
    strength: float
    stops: tuple[float, ...]

    @property
    def name(self) -> str:
        return self.side.upper()

    @property
    def control(self) -> str:
        return f"{self.side}_{self.failure.name}"

    @property
    def label(self) -> str:
        return f"{self.name}: {self.failure.does}"

    @property
    def curve(self) -> PRCurve:
        return self.failure.curve(self.strength)


def numbers_of(curve: PRCurve) -> dict[str, float]:
    return {key: float(NUMBERS[key].of(curve)) for key in KEYS}


def _rival(side: str) -> Rival:
    failure = FAILURES[st.session_state.get(f"number.{side}") or START[side]]
    control, grid = f"{side}_{failure.name}", failure.stops()
    begun = learn_session().begun.get(KEY, {}).get(control, grid[int(BEGIN[side] * len(grid))])
    stops = tuple(sorted({*grid, begun}, reverse=failure.severe < failure.mild))
    held = float(value(KEY, control, begun)) if value(KEY, "epoch", "0") == learn_session().epoch(KEY) else begun
    return Rival(side, failure, held if held in stops else begun, stops)


def _match() -> None:
    """Move B's slider to where the chosen number is A's, which becomes one of its stops."""
    a, b = _rival("a"), _rival("b")
    number = NUMBERS[st.session_state.get("number.chosen") or KEYS[0]]
    found = matched(b.failure, number.of, number.of(a.curve))
    learn_session().put(KEY, {a.control: a.strength, b.control: found})


# ---- the browser's frames ----


def _frames(rival: Rival) -> dict[str, dict[str, Any]]:
    """One generator's frames, by index of the stop, with its numbers in the order of the table."""

    def compute() -> dict[str, dict[str, Any]]:
        indices = figures.rival_traces("ab".index(rival.side))
        found = {}
        for place, stop in enumerate(rival.stops):
            curve = rival.failure.curve(stop)
            traces = dict(zip(map(str, indices), figures.rival_paths(curve), strict=True))
            row = [round(number, 4) for number in numbers_of(curve).values()]
            found[str(place)] = {"panes": {"pr": {"traces": traces}}, "rows": {rival.name: row}}
        return found

    return cache.remembered((KEY, rival.side, rival.failure.name, rival.stops), compute)


def _live_line(gaps: list[float]) -> str:
    """The live line: the numbers that agree, and the one that differs most."""
    named = dict(zip(LABELS.values(), map(abs, gaps), strict=True))
    same = [label for label, gap in named.items() if gap < SAME]
    most = max(named, key=lambda label: named[label])
    apart = "" if named[most] < SAME else f" Farthest apart: {most}, by {named[most]:.3f}."
    return (f"A and B agree to {SAME:g} in: {'; '.join(same)}." if same else "A and B agree in no number.") + apart


def _model(a: Rival, b: Rival) -> Model:
    """The browser's model: each generator follows its own slider, the differences follow both."""
    first, second = _frames(a), _frames(b)

    def differences() -> dict[str, Any]:
        found = {}
        for i, one in first.items():
            for j, other in second.items():
                gaps = [round(x - y, 4) for x, y in zip(one["rows"]["A"], other["rows"]["B"], strict=True)]
                traces = {str(side): {"x": x} for side, x in enumerate(figures.gap_bars(gaps))}
                found[f"{i},{j}"] = {
                    "panes": {"gaps": {"traces": traces}},
                    "rows": {"gap": gaps},
                    "words": _live_line(gaps),
                }
        return found

    both = cache.remembered((KEY, a.failure.name, a.stops, b.failure.name, b.stops), differences)
    parts = [
        {"controls": [a.control], "frames": first},
        {"controls": [b.control], "frames": second},
        {"controls": [a.control, b.control], "frames": both},
    ]
    return Model("stops", {"parts": parts})


@st.fragment
def draw() -> None:
    with st.container(horizontal=True):
        for side in START:
            st.selectbox(
                f"Generator {side.upper()}",
                list(FAILURES),
                index=list(FAILURES).index(START[side]),
                format_func=lambda name: FAILURES[name].does,
                key=f"number.{side}",
            )
    chosen = choose_one("The number that is to agree", LABELS, KEYS[0], key="number.chosen")
    st.button(f"Match: move B until its {LABELS[chosen]} is A's", on_click=_match, key="number.match")
    a, b = _rival("a"), _rival("b")
    first, second = numbers_of(a.curve), numbers_of(b.curve)
    columns = [Column(key, NUMBERS[key].label, NUMBERS[key].explanation) for key in KEYS]
    rows = {"A": list(first.values()), "B": list(second.values()), "gap": [first[key] - second[key] for key in KEYS]}
    table = Table("The same curves as numbers; hover over a heading to read what it says.", columns, rows)
    epoch = learn_session().epoch(KEY)
    controls = [
        Slider(
            rival.control,
            f"{rival.name}, which {rival.failure.does}: {rival.failure.label}",
            rival.stops,
            rival.strength,
            rival.strength,
            help=EXACT,
            epoch=epoch,
        )
        for rival in (a, b)
    ]
    curves_pane = Pane(
        "pr",
        figures.numbers_figure({a.label: a.curve, b.label: b.curve}),
        "Both precision-recall curves, and where the numbers sit",
        caption="Shaded: the area, AuC. △ where F8 leaning to precision is reached, ▷ F8 leaning to recall, ◆ the PR "
        "median on its dotted ray, ● α@0.05, on the dotted line at recall 0.05.",
        square=True,
    )
    gaps_pane = Pane(
        "gaps",
        figures.gaps_figure(dict(zip(LABELS.values(), table.rows["gap"], strict=True)), ("A", "B")),
        "What tells A from B",
        caption=f"How far apart the two are in each number. {EXACT}",
    )
    curves = {
        "A": (a.label, figures.RIVAL_COLORS[0], a.curve),
        "B": (b.label, figures.RIVAL_COLORS[1], b.curve),
        "gap": ("A − B", figures.TRUTH_COLOR, a.curve),
    }
    live_figure(KEY, [curves_pane, gaps_pane], controls=controls, curves=curves, table=table, model=_model(a, b))
    _show_verdict(chosen, a, b)
    label = LABELS[chosen]
    text = (
        f"A {a.failure.does} ({a.failure.label}: {a.strength:g}). Let B, which {b.failure.does}, come as close to A's "
        f"{label} as it can. Which of the other numbers then tells the two apart most?"
    )

    def answer() -> Verdict:
        strength = matched(b.failure, NUMBERS[chosen].of, NUMBERS[chosen].of(a.curve))
        rival = b.failure.curve(strength)
        gaps = gaps_of(chosen, a.curve, rival)
        most, least = next(iter(gaps)), list(gaps)[-1]
        if gaps[most] < SAME:
            return Verdict(NONE, f"At {b.failure.label} {strength:.3g} all the others agree to {SAME:g}, too.")
        tied = [name for name, gap in gaps.items() if gap > gaps[most] - 0.0005]
        guess = st.session_state.get(f"guess.{KEY}")
        reached = f"{NUMBERS[chosen].of(a.curve):.3f} for A and {NUMBERS[chosen].of(rival):.3f} for B"
        equally = f", as far as {' and '.join(tied[1:])}" if tied[1:] else ""
        return Verdict(
            guess if guess in tied else most,
            f"At {b.failure.label} {strength:.3g}, {label} is {reached}. {most} then differs by {gaps[most]:.3f}"
            f"{equally}, {least} by {gaps[least]:.3f}. Press Match to see it.",
        )

    options = [*(LABELS[key] for key in KEYS if key != chosen), NONE]
    question(KEY, text, options, answer, about=(chosen, a.failure.name, a.strength, b.failure.name))
    with st.container(horizontal=True):
        for rival in (a, b):
            problem = rival.failure.problem(rival.strength)
            settings = ExploreSettings(problem=problem.name, parameters=problem.parameters)
            explore_link(settings, f"Open {rival.name} in Explore")


def gaps_of(chosen: str, a: PRCurve, b: PRCurve) -> dict[str, float]:
    """Differences of all numbers but the chosen one, by label, the largest first."""
    one, other = numbers_of(a), numbers_of(b)
    found = {LABELS[key]: abs(one[key] - other[key]) for key in KEYS if key != chosen}
    return dict(sorted(found.items(), key=lambda entry: -entry[1]))


def _show_verdict(chosen: str, a: Rival, b: Rival) -> None:
    """Say if the chosen number tells the two apart, and which others do."""
    one, other = (NUMBERS[chosen].of(rival.curve) for rival in (a, b))
    label, gaps = LABELS[chosen], gaps_of(chosen, a.curve, b.curve)
    if abs(one - other) >= SAME:
        st.markdown(f"**{label}** is {one:.3f} for A and {other:.3f} for B: it tells them apart.")
        return
    apart = [f"{name} by {gap:.3f}" for name, gap in gaps.items() if gap >= SAME]
    others = f"What tells them apart: {'; '.join(apart)}." if apart else "Nor can any of the other numbers here."
    st.markdown(f"**{label}** is {one:.3f} for A and {other:.3f} for B: it can't tell them apart. {others}")
