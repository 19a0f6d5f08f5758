"""What the numbers of several curves come to, in one or two sentences: the slow twin of
`pages/_live/verdict.js`.
"""

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
    """A family's title, the area under its curve, and the fields of its `Comparison` with the
    truth, if that is known.

    Titles that end in s, such as "Boosted trees", are plurals.
    """

    title: str
    auc: float
    iou: float = math.nan
    excess: float = math.nan
    deficit: float = math.nan


class Few(NamedTuple):
    """What too few samples say: the area that the truth does not exceed, None where that rules out
    nothing, and whether the sets differ beyond chance, None while that is not measured.
    """

    bound: float | None
    apart: bool | None


def straight(fpr: float, fnr: float) -> PRCurve:
    """The curve whose error rates are one line: from (0, fnr) to (fpr, 0)."""
    return PRCurve.from_error_rates([0.0, fpr], [fnr, 0.0])


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
    """On which side of the truth the curves lie, and which comes closest, by their IoU.

    Families are equal where their printed digits are, or differ by `noise` at most. true_area :
    None where the truth is not known. stale : the curves are of settings before the current ones.
    coarse : they are of so few samples of each set. folded : so many of them are not drawn.
    agreement : the lowest IoU of two of them. pending : the curve to believe is still to be
    measured.
    """
    if not rows:
        return NOTHING_DRAWN
    if true_area is None and few is not None:
        text = _too_few(few)
    elif true_area is None and pending:
        areas = "Areas" if len(rows) > 1 else "Area"
        text = (
            f"{areas} so far: {_range([row.auc for row in rows])}. The curve to believe is being"
            " measured."
        )
    elif true_area is None:
        text = _without_truth(rows, noise, agreement)
    elif true_area < NO_AREA:
        text = _without_area(rows, true_area, noise)
    elif coarse is not None:
        text = f"overlap {_range([row.iou for row in rows])} so far."
    else:
        text = _compared(rows, noise)
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
        FamilyNumbers(
            ESTIMATORS[name].title, curve.auc, *(() if truth is None else curve.compare(truth))
        )
        for name, curve in curves.items()
    ]
    pairs = itertools.combinations(curves.values(), 2)
    agreement = min((one.iou(other) for one, other in pairs), default=None)
    true_area = None if truth is None else truth.auc
    states: dict[str, Any] = {
        "approximate": approximate,
        "stale": stale,
        "noise": noise,
        "agreement": agreement,
    }
    return verdict_sentence(rows, true_area, **states)


def _compared(rows: Sequence[FamilyNumbers], noise: float) -> str:
    overlaps = [row.iou for row in rows]
    tied, _, high = _ends(rows, lambda row: row.iou, noise)
    if len(rows) == 1:
        side = _side(rows[0])
        smaller, larger = sorted((rows[0].excess, rows[0].deficit))
        if side in ("too high", "too low") and smaller > larger / 10:
            side = f"mostly {side}"
        return f"{_names(rows)} {_verb(rows, 'is', 'are')} {side}: overlap {_range(overlaps)}."
    if min(overlaps) > CLOSE:
        return f"None is far from the truth: every overlap is above {CLOSE}."
    close = [row.iou for row in rows if _side(row) == "close to the truth"]
    if close:
        return f"{_direction(rows)}: {_range(close)}."
    if tied:
        return f"{_direction(rows)}. Their overlaps are alike: {_range(overlaps)}."
    return f"{_direction(rows)}. {_best(high, rows, lambda row: row.iou)}"


def _side(row: FamilyNumbers) -> str:
    """The side of the truth on which it mostly lies; both where the smaller part is over half of
    the larger.
    """
    if row.iou > CLOSE:
        return "close to the truth"
    if min(row.excess, row.deficit) > max(row.excess, row.deficit) / 2:
        return "too high here, too low there"
    return "too high" if row.excess > row.deficit else "too low"


def _direction(rows: Sequence[FamilyNumbers]) -> str:
    words = {2: "Both", 3: "All three", 4: "All four", 5: "All five", 6: "All six"}
    sides = {_side(row) for row in rows}
    if len(sides) == 1:
        return f"{words.get(len(rows), f'All {len(rows)}')} are {sides.pop()}"
    said = []
    for side in ("too high", "too low", "too high here, too low there", "close to the truth"):
        group = [row for row in rows if _side(row) == side]
        if group:
            said.append(f"{_names(group)} {_verb(group, 'is', 'are')} {side}")
    return ", ".join(said)


def _without_area(rows: Sequence[FamilyNumbers], true_area: float, noise: float) -> str:
    """Every IoU is near 0 here, so that the areas themselves are compared."""
    truth = f"The true area is {'0' if true_area == 0 else 'almost 0'}"
    areas = [row.auc for row in rows]
    tied, low, high = _ends(rows, lambda row: row.auc, noise)
    who = _names(rows) if len(rows) == 1 else "every family"
    has = _verb(rows, "has", "have") if len(rows) == 1 else "has"
    if _printed(max(areas)) == "0.00":
        return f"{truth}: {who} {has} less than 0.01."
    if tied:
        return f"{truth}: {who} {has} {_range(areas)}."
    most = _range([row.auc for row in high])
    return (
        f"{truth}: {_names(high)} {_verb(high, 'has', 'have')} {most}. "
        f"{_best(low, rows, lambda row: row.auc)}"
    )


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
        overlap = f"two of them have an overlap of {_printed(agreement)}"
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
    """True if all are alike; the families of the least number and those of the greatest, the very
    ends first.

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


def _best(
    closest: Sequence[FamilyNumbers],
    rows: Sequence[FamilyNumbers],
    value: Callable[[FamilyNumbers], float],
) -> str:
    degree = "closer" if len(rows) == 2 else "closest"
    return (
        f"{_names(closest)} {_verb(closest, 'is', 'are')} {degree}: "
        f"{_range([value(row) for row in closest])}."
    )


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
    """The value with these digits, halves up: JavaScript and Python round an exact half
    differently.
    """
    unit = 10**digits
    return f"{math.floor(value * unit + 0.5) / unit:.{digits}f}"
