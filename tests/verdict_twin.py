"""What the numbers of several curves come to, in one or two sentences: the slow twin of `pages/_live/verdict.js`."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

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


class Few(NamedTuple):
    """What too few samples say: the area that the truth does not exceed, None where that rules out nothing, and
    whether the sets differ beyond chance, None while that is not measured.
    """

    bound: float | None
    apart: bool | None


def verdict_sentence(
    rows: Sequence[FamilyNumbers],
    true_area: float | None,
    *,
    approximate: bool = False,
    stale: bool = False,
    coarse: int | None = None,
    folded: int = 0,
    noise: float = 0.0,
    agreement: float | None = None,
    pending: bool = False,
    few: Few | None = None,
) -> str:
    """Which family is farthest from the truth and by how much, and which comes closest, by their IoU.

    Families are equal where their printed digits are, or differ by `noise` at most. true_area : None where the truth is
    not known. stale : the curves are of settings before the current ones. coarse : they are of so few samples of each
    set. folded : so many of them are not drawn. agreement : the lowest IoU of two of them. pending : the curve to
    believe is still to be measured.
    """
    if not rows:
        return NOTHING_DRAWN
    if true_area is None and few is not None:
        text = _too_few(few)
    elif true_area is None and pending:
        areas = "Areas" if len(rows) > 1 else "Area"
        text = f"{areas} so far: {_range([row.auc for row in rows])}. The curve to believe is being measured."
    elif true_area is None:
        text = _without_truth(rows, noise, agreement)
    elif true_area < NO_AREA:
        text = _without_area(rows, true_area, noise)
    else:
        text = _compared(rows, true_area, noise)
    states = ["earlier settings"] * stale
    states += [] if coarse is None else [f"first look at {coarse:,} samples"]
    states += ["approximate"] * approximate
    states += [f"of {len(rows)} curves, {len(rows) - folded} drawn"] if folded else []
    before = ", ".join(states)
    return f"{before[0].upper()}{before[1:]}: {text}" if states else text


def verdict(
    curves: Mapping[str, PRCurve],
    truth: PRCurve | None,
    *,
    approximate: bool = False,
    stale: bool = False,
    noise: float = 0.0,
) -> str:
    """`verdict_sentence` of these curves, by the names of their families."""
    rows = [
        FamilyNumbers(ESTIMATORS[name].title, curve.auc, *(() if truth is None else curve.compare(truth)))
        for name, curve in curves.items()
    ]
    pairs = itertools.combinations(curves.values(), 2)
    agreement = min((one.iou(other) for one, other in pairs), default=None)
    true_area = None if truth is None else truth.auc
    states: dict[str, Any] = {"approximate": approximate, "stale": stale, "noise": noise, "agreement": agreement}
    return verdict_sentence(rows, true_area, **states)


def _compared(rows: Sequence[FamilyNumbers], true_area: float, noise: float) -> str:
    ious = [row.iou for row in rows]
    tied, low, high = _ends(rows, lambda row: row.iou, noise)
    if min(ious) > CLOSE and len(rows) == 1:
        return f"{_names(rows)} {_verb(rows, 'is', 'are')} close to the truth: IoU {_range(ious)}."
    if min(ious) > CLOSE:
        return f"None is far from the truth: every IoU is above {CLOSE}."
    if len(rows) == 1:
        return f"{_error(rows[0], true_area)}."
    if tied:
        who = f"All {len(rows)} families" if len(rows) > 3 else _names(rows)
        return f"{who} are equally far from the truth: IoU {_range(ious)}."
    if len(low) > 1:
        farthest = f"{_names(low)} are farthest: IoU {_range([row.iou for row in low])}"
        return f"{farthest}. {_best(high, low, rows)}"
    return f"{_error(low[0], true_area)}. {_best(high, low, rows)}"


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


def _without_area(rows: Sequence[FamilyNumbers], true_area: float, noise: float) -> str:
    """Every IoU is near 0 here, so that the areas themselves are compared."""
    truth = f"The true area is {'0' if true_area == 0 else 'almost 0'}"
    areas = [row.auc for row in rows]
    tied, low, high = _ends(rows, lambda row: row.auc, noise)
    who = _names(rows) if len(rows) == 1 else "every family"
    sees = _verb(rows, "sees", "see") if len(rows) == 1 else "sees"
    if _printed(max(areas)) == "0.00":
        return f"{truth}: {who} {sees} less than 0.01."
    if tied:
        return f"{truth}: {who} {sees} {_range(areas)}."
    most = _range([row.auc for row in high])
    return f"{truth}: {_names(high)} {_verb(high, 'sees', 'see')} {most}. {_best(low, high, rows)}"


def _without_truth(rows: Sequence[FamilyNumbers], noise: float, agreement: float | None) -> str:
    areas = [row.auc for row in rows]
    _, low, high = _ends(rows, lambda row: row.auc, noise)
    least = _printed(min(areas))
    most = _printed(max(areas))
    if len(rows) == 1:
        return f"The area of {_names(rows)} is {most}."
    apart = max(AGREEMENT, noise)
    if max(areas) - min(areas) > apart:
        return f"Areas from {least} ({_names(low)}) to {most} ({_names(high)})."
    if agreement is not None and (1 - agreement) * max(areas) > apart:
        overlap = f"two of them overlap to {_printed(agreement)}"
        return f"The areas are alike ({_range(areas)}), the curves are not: {overlap}."
    if least == most:
        return f"Every area is {most}."
    return f"The areas agree: {least} to {most}."


def _too_few(few: Few) -> str:
    if few.apart is None:
        return "Too few samples to believe an area."
    differ = "The sets differ" if few.apart else "The sets are not told apart"
    if few.bound is None:
        return f"{differ}. Too few samples to say more."
    most = f"{math.ceil(100 * few.bound - 1e-9) / 100:.2f}"
    return f"{differ}; the true area is at most {most} (95 %). Too few samples to say more."


def _ends(
    rows: Sequence[FamilyNumbers], value: Callable[[FamilyNumbers], float], noise: float
) -> tuple[bool, list[FamilyNumbers], list[FamilyNumbers]]:
    """True if all are alike; the families of the least number and those of the greatest, the very ends first.

    A family that is alike to either end is in neither.
    """

    def alike(one: float, other: float) -> bool:
        return _printed(one) == _printed(other) or abs(one - other) <= noise

    ordered = sorted(rows, key=value)
    least = value(ordered[0])
    most = value(ordered[-1])
    low = [row for row in ordered if alike(value(row), least) and not alike(value(row), most)]
    falling = sorted(rows, key=lambda row: -value(row))
    high = [row for row in falling if alike(value(row), most) and not alike(value(row), least)]
    return alike(least, most), low, high


def _best(closest: Sequence[FamilyNumbers], farthest: Sequence[FamilyNumbers], rows: Sequence[FamilyNumbers]) -> str:
    who = _names(closest)
    if len(closest) > 4 and len(closest) + len(farthest) == len(rows):
        who = "The others"
    return f"{who} {_verb(closest, 'comes', 'come')} {'closer' if len(rows) == 2 else 'closest'}."


def _names(rows: Sequence[FamilyNumbers]) -> str:
    """Four titles at most, or their number."""
    if len(rows) > 4:
        return f"{len(rows)} families"
    *before, last = (row.title for row in rows)
    return f"{', '.join(before)} and {last}" if before else last


def _range(values: Sequence[float]) -> str:
    least = _printed(min(values))
    most = _printed(max(values))
    return least if least == most else f"{least} to {most}"


def _verb(rows: Sequence[FamilyNumbers], one: str, many: str) -> str:
    return many if len(rows) > 1 or rows[0].title.split(" (")[0].endswith("s") else one


def _printed(value: float, digits: int = 2) -> str:
    """The value with these digits, halves up: JavaScript and Python round an exact half differently."""
    unit = 10**digits
    return f"{math.floor(value * unit + 0.5) / unit:.{digits}f}"


def _percent(share: float) -> str:
    percent = math.floor(100 * share + 0.5)
    return "over 99 %" if percent == 100 and share < 1 else f"{percent} %"
