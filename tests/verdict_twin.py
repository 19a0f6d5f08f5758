"""What the numbers of several curves come to, in one or two sentences: the slow twin of `pages/_live/verdict.js`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from prviz.curves import PRCurve
from prviz.estimators import ESTIMATORS

# IoU above which a curve counts as close to the truth: the two areas then look the same.
CLOSE = 0.95
# Largest difference of areas, without a truth, that still counts as agreement.
AGREEMENT = 0.05
# Area of the truth below which a ratio to it says nothing.
NO_AREA = 1e-3
NOTHING_DRAWN = "No curve to compare yet."


class FamilyNumbers(NamedTuple):
    """A family's title, the area under its curve, and the fields of its `Comparison` with the truth, if that is known.

    Titles that end in s, such as "Boosted trees", are plurals.
    """

    title: str
    auc: float
    iou: float = math.nan
    excess: float = math.nan
    deficit: float = math.nan


def verdict_sentence(
    rows: Sequence[FamilyNumbers],
    true_area: float | None,
    *,
    approximate: bool = False,
    stale: bool = False,
    coarse: int | None = None,
) -> str:
    """Which family is farthest from the truth and by how much, and which comes closest, by their IoU.

    Families are equal where their printed digits are. true_area : None where the truth is not known. stale : the curves
    are of settings before the current ones. coarse : they are of so few samples of each set.
    """
    if not rows:
        return NOTHING_DRAWN
    if true_area is None:
        text = _without_truth(rows)
    elif true_area < NO_AREA:
        text = _without_area(rows, true_area)
    else:
        text = _compared(rows, true_area)
    states = ["earlier settings"] * stale
    states += [] if coarse is None else [f"first look at {coarse:,} samples"]
    states += ["approximate"] * approximate
    before = ", ".join(states)
    return f"{before[0].upper()}{before[1:]}: {text}" if states else text


def verdict(
    curves: Mapping[str, PRCurve], truth: PRCurve | None, *, approximate: bool = False, stale: bool = False
) -> str:
    """`verdict_sentence` of these curves, by the names of their families."""
    rows = [
        FamilyNumbers(ESTIMATORS[name].title, curve.auc, *(() if truth is None else curve.compare(truth)))
        for name, curve in curves.items()
    ]
    return verdict_sentence(rows, None if truth is None else truth.auc, approximate=approximate, stale=stale)


def _compared(rows: Sequence[FamilyNumbers], true_area: float) -> str:
    low, high = min(row.iou for row in rows), max(row.iou for row in rows)
    farthest = [row for row in rows if _printed(row.iou) == _printed(low)]
    closest = [row for row in rows if _printed(row.iou) == _printed(high)]
    if low > CLOSE and len(rows) == 1:
        return f"{_names(rows)} {_verb(rows, 'is', 'are')} close to the truth: IoU {_printed(low)}."
    if low > CLOSE:
        return f"None is far from the truth: every IoU is above {CLOSE}."
    if len(rows) == 1:
        return f"{_error(rows[0], true_area)}."
    if len(farthest) == len(rows):
        return f"{_names(rows)} are equally far from the truth: IoU {_printed(low)}."
    if len(farthest) > 1:
        return f"{_names(farthest)} are farthest: IoU {_printed(low)}. {_best(closest, rows)}"
    return f"{_error(farthest[0], true_area)}. {_best(closest, rows)}"


def _error(row: FamilyNumbers, true_area: float) -> str:
    """What the curve has beyond the true area, or lacks of it; both where the smaller is over half of the larger."""
    truth = row.iou + row.deficit
    missed, invented, ratio = row.deficit / truth, row.excess / truth, row.auc / true_area
    sees, misses = (f"{row.title} {_verb([row], *verbs)}" for verbs in (("sees", "see"), ("misses", "miss")))
    if row.iou == 0:
        return f"{misses} the whole true area"
    if min(missed, invented) > max(missed, invented) / 2:
        return f"{misses} {_percent(missed)} of the true area, invents {_percent(invented)}"
    if missed > invented:
        return f"{misses} {_percent(missed)} of the true area"
    if ratio < 1.5:
        return f"{sees} {_percent(ratio - 1)} more than the true area"
    return f"{sees} {_printed(ratio, 0 if ratio >= 10 else 1)} times the true area"


def _without_area(rows: Sequence[FamilyNumbers], true_area: float) -> str:
    """Every IoU is near 0 here, so that the areas themselves are compared."""
    truth = f"The true area is {'0' if true_area == 0 else 'almost 0'}"
    low, high = _extremes(rows)
    area = _printed(high[0].auc)
    who = _names(rows) if len(rows) == 1 else "every family"
    sees = _verb(rows, "sees", "see") if len(rows) == 1 else "sees"
    if area == "0.00":
        return f"{truth}: {who} {sees} less than 0.01."
    if len(high) == len(rows):
        return f"{truth}: {who} {sees} {area}."
    return f"{truth}: {_names(high)} {_verb(high, 'sees', 'see')} {area}. {_best(low, rows)}"


def _without_truth(rows: Sequence[FamilyNumbers]) -> str:
    low, high = _extremes(rows)
    least, most = _printed(low[0].auc), _printed(high[0].auc)
    if len(rows) == 1:
        return f"The area of {_names(rows)} is {most}."
    if least == most:
        return f"Every area is {most}."
    if high[0].auc - low[0].auc <= AGREEMENT:
        return f"The areas agree: {least} to {most}."
    return f"Areas from {least} ({_names(low)}) to {most} ({_names(high)})."


def _extremes(rows: Sequence[FamilyNumbers]) -> tuple[list[FamilyNumbers], list[FamilyNumbers]]:
    """The families of the least and those of the greatest printed area, the very least and greatest first."""
    least, *_ = ordered = sorted(rows, key=lambda row: row.auc)
    most = ordered[-1]
    low = [row for row in ordered if _printed(row.auc) == _printed(least.auc)]
    high = [row for row in ordered[::-1] if _printed(row.auc) == _printed(most.auc)]
    return low, high


def _best(closest: Sequence[FamilyNumbers], rows: Sequence[FamilyNumbers]) -> str:
    return f"{_names(closest)} {_verb(closest, 'comes', 'come')} {'closer' if len(rows) == 2 else 'closest'}."


def _names(rows: Sequence[FamilyNumbers]) -> str:
    """Two titles at most, or their number."""
    return " and ".join(row.title for row in rows) if len(rows) <= 2 else f"{len(rows)} families"


def _verb(rows: Sequence[FamilyNumbers], one: str, many: str) -> str:
    return many if len(rows) > 1 or rows[0].title.split(" (")[0].endswith("s") else one


def _printed(value: float, digits: int = 2) -> str:
    """The value with these digits, halves up: JavaScript and Python round an exact half differently."""
    unit = 10**digits
    return f"{math.floor(value * unit + 0.5) / unit:.{digits}f}"


def _percent(share: float) -> str:
    percent = math.floor(100 * share + 0.5)
    return "over 99 %" if percent == 100 and share < 1 else f"{percent} %"
