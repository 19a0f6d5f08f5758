"""The sanity battery's table of verdicts on measured numbers, on the truth and as published; and
the form above it.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from pages._live.figure import told_by
from pages._shared.widgets import choose_one
from prviz.estimators import ESTIMATORS
from prviz.live.modules import as_text
from prviz.studies.battery import (
    CHECKS,
    LAMS,
    PASSES,
    READINGS,
    REPORTED,
    SAYS,
    SCALARS,
    SIDES,
    TAGS,
    published_verdict,
    setting,
)
from prviz.studies.battery.base import Side, Tag
from prviz.studies.battery.readings import Reading
from prviz.studies.battery.tasks import Mode

FEW = "A few"
ALL = f"All {len(CHECKS)}"
OWN = "My choice"
FIRST_CHECKS = (
    "gaussian-mean-difference",
    "gaussian-mixture-mode-dropping-invention",
    "uniform-hypersphere-surface",
    "gaussian-high-dim-one-disjoint-dim",
    "discrete-numerical-vs-continuous-numerical",
)
FIRST_FAMILIES = ("knn",)
FIRST_POINTS = ("10",)
FIRST_SCORES = ("i-prec/i-rec", "density/coverage")
POINTS = {**{f"{lam}": f"λ = {lam}" for lam in LAMS}, "ends": "extremes", "f8": "F8", "auc": "AuC"}
MODES: dict[Mode, str] = {"quick": "Quick", "paper": "As in the paper"}

POINTS_HELP = (
    "A curve has no single fidelity: it is read at a point. λ = 10: precision α(10), where ten"
    " precision points are worth a recall point, and recall β(1/10), its mirror. Extremes: both"
    " ends, α∞ and β0. F8: the best balance along the curve, leaning 8 to 1 to precision for"
    " fidelity, to recall for diversity. AuC: the area under the curve, the same for both. Another"
    " point costs no new measurement."
)
REPORTED_WORDS = (
    "FD and KID are distances, one number for both sides, brought to 1 for equal sets. Vendi and"
    " RKE are ratios, generated over real, and say nothing of fidelity."
)


class Choice(NamedTuple):
    """What the user wants to be measured and judged: names in CHECKS (the table's rows), names in
    READINGS (its columns), and the mode, quick or paper size.
    """

    checks: tuple[str, ...]
    readings: tuple[str, ...]
    mode: Mode

    @property
    def key(self) -> tuple[Hashable, ...]:
        """Cache key of the measurement. Readings of the same curves share it."""
        return (
            "battery",
            self.mode,
            self.checks,
            tuple(dict.fromkeys(READINGS[name].method for name in self.readings)),
        )


def choose() -> Choice | None:
    """Draw the form and return the user's choice; None, with a message, if the choice leaves
    nothing to judge.
    """
    checks = _checks()
    methods = st.multiselect(
        "Families of curves",
        list(ESTIMATORS),
        FIRST_FAMILIES,
        format_func=lambda name: ESTIMATORS[name].title,
        key="battery.families",
        help=(
            "Estimators of a whole precision-recall curve, at k = √n and with half of the samples"
            " to measure."
        ),
        persist_state="session",
    )
    read = st.multiselect(
        "read at",
        list(POINTS),
        FIRST_POINTS,
        format_func=POINTS.__getitem__,
        key="battery.points",
        help=POINTS_HELP,
        persist_state="session",
    )
    pairs = st.multiselect(
        "Published numbers",
        list(SCALARS),
        FIRST_SCORES,
        format_func=lambda name: (
            SCALARS[name].label if name in REPORTED else ", ".join(SCALARS[name].pair)
        ),
        key="battery.scores",
        help=(
            "One number for fidelity and one for diversity, as published and with the settings"
            f" that the battery's paper gives them. {REPORTED_WORDS} A perfect score of this kind"
            " is the share of one set that lies within the other's support."
        ),
        persist_state="session",
    )
    mode = choose_one("How thoroughly", MODES, "quick", key="battery.mode", persist_state="session")
    st.caption(setting(mode) + ".")
    readings = (*(f"{method}@{point}" for method in methods for point in read), *pairs)
    if not checks or not readings:
        return None
    return Choice(checks, readings, mode)


def _checks() -> tuple[str, ...]:
    which = choose_one("Checks", (FEW, ALL, OWN), FEW, key="battery.which", persist_state="session")
    if which != OWN:
        if which == ALL:
            return tuple(CHECKS)
        return FIRST_CHECKS
    chosen = st.multiselect(
        "Which checks",
        list(CHECKS),
        FIRST_CHECKS[:1],
        format_func=lambda name: CHECKS[name].title,
        key="battery.checks",
        label_visibility="collapsed",
        persist_state="session",
    )
    return tuple(name for name in CHECKS if name in chosen)


KEY = "battery-table"
_FOLDER = Path(__file__).parent
_component = st.components.v2.component(
    "prviz_battery",
    html=(
        '<div class="battery-key"></div><div class="battery" role="region" aria-label="Verdicts"'
        ' tabindex="0"></div>'
    ),
    css=(_FOLDER / "_battery_table.css").read_text(encoding="utf-8"),
    js=(_FOLDER / "_battery_table.js").read_text(encoding="utf-8"),
    isolate_styles=False,
)
SIDE_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "fidelity": "Fidelity is the precision side: are the generated samples like real ones?",
        "diversity": (
            "Diversity is the recall side: are all the real ones covered by generated samples?"
        ),
    }
)
KINDS = dict(zip(SAYS, ("right", "wrong", "asks", "lucky"), strict=True))
_KEY = (
    ("right", "passes, as the truth does"),
    ("wrong", "estimator wrong: the truth passes"),
    ("asks", "the check asks for something else: the truth fails too"),
    ("lucky", "passes, but the truth does not"),
)
_VERDICTS = {
    "T": "passes",
    "F": "fails",
    "L": "passes as low",
    "H": "passes as high",
    "": "is not measured yet",
}


class CellPlace(NamedTuple):
    """Identifies a cell of the table: check, tag (kind of criterion), reading and side."""

    check: str
    tag: str
    reading: str
    side: str

    @property
    def id(self) -> str:
        return "|".join(self)


class VerdictCell(NamedTuple):
    """Verdicts of one cell: on the measured number ("" before it is measured), on the truth
    (oracle), and as published ("" if none is).
    """

    place: CellPlace
    verdict: str
    oracle: str
    published: str

    @property
    def kind(self) -> str:
        """How the verdict on the measured number compares with that on the truth: one of KINDS, or
        "wait" before the measurement.
        """
        if self.verdict:
            return KINDS[self.verdict in PASSES, self.oracle in PASSES]
        return "wait"

    @property
    def label(self) -> str:
        check = CHECKS[self.place.check]
        side = SIDES.index(self.place.side)
        text = (
            f"{check.title}, {self.place.tag}: {READINGS[self.place.reading].pair[side]}"
            f" {_VERDICTS[self.verdict]}; "
        )
        paper = ""
        if self.published:
            paper = f"; in the paper it {_VERDICTS[self.published]}"
        return f"{text}the truth {_VERDICTS[self.oracle]}{paper}"


Cells = Mapping[CellPlace, VerdictCell]


def cells(
    choice: Choice, oracle: pd.DataFrame, judged: pd.DataFrame
) -> dict[CellPlace, VerdictCell]:
    """All cells, in the order of the table.

    oracle, judged : verdicts from `judge` on the truth and on the measured rows.
    """
    columns = ["check", "tag", "reading", "side", "verdict"]
    measured, true = (
        {
            CellPlace(*place): str(verdict)
            for *place, verdict in table[columns].itertuples(index=False, name=None)
        }
        for table in (judged, oracle)
    )
    return {
        place: VerdictCell(
            place=place,
            verdict=measured.get(place, ""),
            oracle=true[place],
            published=published_verdict(place.check, place.tag, place.side, place.reading) or "",
        )
        for check in choice.checks
        for tag in tags(check)
        for reading in choice.readings
        for side in SIDES
        if (place := CellPlace(check, tag, reading, side)) in true
    }


def tags(check: str) -> list[Tag]:
    """Tags (kinds of criteria) of a check. "purpose" is last, as in the paper's tables."""
    return sorted(
        {each.tag for each in CHECKS[check].criteria}, key=lambda tag: (tag == "purpose", tag)
    )


def chosen(known: Cells) -> CellPlace | None:
    """The cell that the user has clicked last; None if it is not in the table."""
    said = told_by(KEY, "cell")
    return next((place for place in known if place.id == said), None)


def message(known: Cells) -> str:
    """Headline: of the cells that the true curve passes, how many the best of the measured numbers
    fails, and how many the worst.
    """
    asked: dict[tuple[str, str], list[bool]] = {}
    for place, cell in known.items():
        if cell.verdict and cell.oracle in PASSES:
            asked.setdefault((place.reading, place.side), []).append(cell.kind == "wrong")
    if not asked:
        return "Only the truth's verdicts are known: nothing is measured yet"
    shares = {key: sum(wrong) / len(wrong) for key, wrong in asked.items()}
    (best, fewest), (worst, most) = (
        (READINGS[reading].pair[SIDES.index(side)], asked[reading, side])
        for reading, side in (
            min(shares, key=shares.__getitem__),
            max(shares, key=shares.__getitem__),
        )
    )
    if len(asked) > 1 and len(set(shares.values())) == 1:
        best = "each number"
    others = ""
    if len(set(shares.values())) > 1:
        others = f", {worst} {sum(most)} of {len(most)}"
    return f"Where the truth passes, {best} fails {sum(fewest)} of {len(fewest)}{others}"


# The last rows of the table: label, explanation, and the field of a cell whose passes are counted.
_TOTALS = (
    ("passed", "cells that pass, of those measured so far", "verdict"),
    ("the truth passes", "cells that a perfect estimator passes under the same reading", "oracle"),
    ("in the paper", "cells that pass in the published table, of the checks above", "published"),
)


def draw(choice: Choice, known: Cells, measured: int) -> None:
    """Draw the table. measured : number of rows measured so far."""
    # A verdict on the truth depends only on the point at which the curve is read, not on the
    # family: show the truth once for each such point.
    truths = list({READINGS[name].at: name for name in reversed(choice.readings)}.values())[::-1]
    columns = []
    for name in choice.readings:
        columns += [(name, side) for _, side in _sides(READINGS[name])]
    rows = []
    for check in choice.checks:
        for place, tag in enumerate(tags(check)):
            rows.append(_row(check, tag, known, truths, columns) | {"first": not place})
    cell = chosen(known)
    content = {
        "caption": "Click a mark for the reason.",
        "key": [{"kind": kind, "text": text} for kind, text in _KEY],
        "truths": [
            {"label": f"truth, {side}", "help": f"A perfect estimator. {SIDE_WORDS[side]}"}
            for side in SIDES
        ]
        * len(truths),
        "columns": [_column(READINGS[name]) for name in choice.readings],
        "rows": rows,
        "totals": _totals(known, columns),
        "chosen": cell.id if cell else "",
        "measured": measured,
    }
    _component(key=KEY, data=as_text(content), default={"cell": None}, on_cell_change=lambda: None)


def _sides(reading: Reading) -> list[tuple[str, Side]]:
    """The two numbers of a reading: label and side (fidelity or diversity). A number without a
    label is left out.
    """
    return [(label, side) for label, side in zip(reading.pair, SIDES, strict=True) if label]


def _column(reading: Reading) -> dict[str, Any]:
    """Heading above the columns of one reading, such as kNN read at λ = 10."""
    pair = _sides(reading)
    said = ", ".join(f"{label} for {side}" for label, side in pair)
    sides = [{"label": label, "help": f"{label}. {SIDE_WORDS[side]}"} for label, side in pair]
    return {"label": reading.label, "help": f"{reading.label}: {said}", "sides": sides}


def _row(
    check: str, tag: Tag, known: Cells, truths: Sequence[str], columns: Sequence[tuple[str, Side]]
) -> dict[str, Any]:
    """One row of the table: the verdicts on the truth, then those of each column."""
    of_truth = []
    for reading in truths:
        of_truth += [_truth(known.get(CellPlace(check, tag, reading, side))) for side in SIDES]
    return {
        "check": CHECKS[check].title,
        "tag": tag,
        "help": TAGS[tag],
        "truth": of_truth,
        "cells": [_cell(known.get(CellPlace(check, tag, *column))) for column in columns],
    }


def _totals(known: Cells, columns: Sequence[tuple[str, Side]]) -> list[dict[str, Any]]:
    """The last rows of the table: for each column, the number of passed cells. The row of published
    verdicts is left out if there are none.
    """
    totals = []
    for label, text, field in _TOTALS:
        values = []
        for column in columns:
            found = [getattr(cell, field) for cell in known.values() if cell.place[2:] == column]
            verdicts = list(filter(None, found))
            passed = sum(each in PASSES for each in verdicts)
            values.append(f"{passed} of {len(verdicts)}" if verdicts else "–")
        if field != "published" or set(values) != {"–"}:
            totals.append({"label": label, "help": text, "values": values})
    return totals


def _cell(cell: VerdictCell | None) -> dict[str, Any] | None:
    if cell is None:
        return None
    verdicts = {"verdict": cell.verdict, "oracle": cell.oracle, "published": cell.published}
    return {"id": cell.place.id, "kind": cell.kind, "label": cell.label, **verdicts}


def _truth(cell: VerdictCell | None) -> dict[str, str] | None:
    if cell is None:
        return None
    kind = "right" if cell.oracle in PASSES else "asks"
    return {
        "kind": kind,
        "label": (
            f"the truth {_VERDICTS[cell.oracle]}: {CHECKS[cell.place.check].title},"
            f" {cell.place.tag}"
        ),
    }
