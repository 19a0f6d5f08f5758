"""Table 1 under conventions that the paper does not state: which of them reproduce which cells."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from prviz.measure.curve_conventions import (
    SELF_COUNTING,
    CurveConvention,
    PaperConvention,
    SelfCounting,
)
from prviz.studies.sweeps import BOUND_COLUMNS, COLUMNS, Cell, Files, measured
from prviz.studies.tasks import Columns, Row

if TYPE_CHECKING:
    import pandas as pd


# Numbers of rays that are tried; the published code has 1,001.
RAYS = (9, 13, 31, 1001)
# Ways to draw a curve: (number of rays, or None for the exact curve; True if the thresholds of the
# classifiers lie on the same rays). The first is the exact curve.
DRAWINGS: tuple[tuple[int | None, bool], ...] = (
    (None, False),
    *((rays, gammas) for rays in RAYS for gammas in (False, True)),
)
CONVENTIONS = tuple(
    CurveConvention(self, *drawing) for self in SELF_COUNTING for drawing in DRAWINGS
)
CONVENTION_COLUMNS: Columns = {
    **COLUMNS,
    **dict.fromkeys((each.key for each in CONVENTIONS), "float64"),
    **BOUND_COLUMNS,
}

# Half a unit of the last printed digit of an IoU.
_ROUNDING = 0.005
# The paper's standard deviation of an IoU over its repeats.
_PAPER_SPREAD = 0.01
# Number of repeats in the paper.
_PAPER_REPEATS = 10


def convention_rows(cell: Cell) -> list[Row]:
    """Rows of a cell with a column of IoUs for each of CONVENTIONS.

    Some conventions count a sample as its own neighbour; they are measured with k - 1, in the same
    pass.
    """
    truth = None
    if not isinstance(cell.problem, Files):
        truth = cell.problem.truth()
    if cell.n is None or truth is None:
        raise ValueError(
            f"{cell.problem.name}, n = {cell.n}: a number of samples and a known truth are needed"
        )
    root = math.isqrt(cell.n)
    fewer = tuple(
        (method, (root if k == "sqrt" else k or 0) - 1, width) for method, k, width in cell.wanted
    )
    found = measured(replace(cell, wanted=cell.wanted + fewer))
    rows = []
    for (row, at_k), (_, at_fewer) in zip(found, found[len(cell.wanted) :], strict=False):
        ious = Row()
        for convention in CONVENTIONS:
            curve = convention.curve(at_k, at_fewer, held_out=cell.split is not None)
            ious[convention.key] = convention.iou(curve, truth)
        rows.append(row | ious)
    return rows


def check_tried(convention: CurveConvention) -> None:
    """Raise ValueError unless the convention is among CONVENTIONS."""
    if convention not in CONVENTIONS:
        raise ValueError(
            f"rays = {convention.rays}; one of {', '.join(map(str, RAYS))} is needed here"
        )


def read_by(rows: pd.DataFrame, convention: CurveConvention | PaperConvention) -> pd.DataFrame:
    """The rows with a single IoU: under one of CONVENTIONS, or under a paper's convention, which
    can differ between families.
    """
    others = [each.key for each in CONVENTIONS if each.key != "iou"]
    if isinstance(convention, CurveConvention):
        iou = rows[convention.key]
    else:
        iou = rows["iou"].copy()
        for method, drawn in convention.drawn.items():
            iou = iou.where(rows["method"] != method, rows[drawn.key])
    return rows.assign(iou=iou).assign(**dict.fromkeys(others, float("nan")))


def spreads_by(
    figures: pd.DataFrame, convention: CurveConvention | PaperConvention | None
) -> pd.DataFrame:
    """The table of `Experiment.figures`, with spreads as reported under a paper's convention.

    Such a paper reports the standard deviation of a mean over several runs, so spreads are divided
    by the square root of their number.
    """
    runs = 1
    if isinstance(convention, PaperConvention):
        runs = convention.runs
    if "spread" not in figures:
        return figures
    return figures.assign(spread=figures["spread"] / math.sqrt(runs))


class TableReading(NamedTuple):
    """Table 1 under one choice of conventions: how all curves are drawn, and for each family
    whether a sample is its own neighbour (its self-counting).

    off : by cell, |mean IoU - published IoU|.
    explained : True where this distance is within the cell's tolerance.
    """

    rays: int | None
    gammas: bool
    self_counting: Mapping[str, SelfCounting]
    off: pd.Series[float]
    explained: pd.Series[bool]


def readings(
    cells: pd.DataFrame, published: pd.Series[float], tolerance: pd.Series[float]
) -> dict[str, TableReading]:
    """The choices of conventions that come closest to the published table.

    Each key names what is varied: "own" nothing (prviz's conventions), "self" the self-counting,
    "rays" the drawing, "both" self-counting and drawing.
    cells : mean IoU, with a row per cell and a column per convention; the index has a level
    "family".
    """
    off = cells.sub(published, axis=0).abs()
    own: tuple[SelfCounting, ...] = ("count",)
    every = tuple(SELF_COUNTING)
    choices = {
        "own": (own, DRAWINGS[:1]),
        "self": (every, DRAWINGS[:1]),
        "rays": (own, DRAWINGS),
        "both": (every, DRAWINGS),
    }
    return {name: _closest(off, tolerance, *choice) for name, choice in choices.items()}


def _closest(
    off: pd.DataFrame,
    tolerance: pd.Series[float],
    selves: Sequence[SelfCounting],
    drawings: Sequence[tuple[int | None, bool]],
) -> TableReading:
    import pandas as pd

    found = []
    for drawing in drawings:
        columns = {CurveConvention(each, *drawing).key: each for each in selves}
        selected = dict[str, SelfCounting]()
        parts = []
        for name, group in off[list(columns)].groupby(level="family", sort=False):
            key = str(group.mean().idxmin())
            selected[str(name)] = columns[key]
            parts.append(group[key])
        each = pd.concat(parts).reindex(off.index)
        found.append(TableReading(*drawing, selected, each, each <= tolerance))
    return min(found, key=lambda reading: float(reading.off.mean()))


def tolerances(spread: pd.Series[float], repeats: pd.Series[int]) -> pd.Series[float]:
    """By cell, the distance of our mean from the published one that chance and rounding explain.

    It is two standard errors plus half a unit of the last printed digit.
    """
    ours = spread.fillna(_PAPER_SPREAD) ** 2 / repeats
    return _ROUNDING + 2 * (ours + _PAPER_SPREAD**2 / _PAPER_REPEATS) ** 0.5
