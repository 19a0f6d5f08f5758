"""One sweep of a check in detail: means and spread along it, the truth beside it, and each criterion on its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from prviz.studies.battery.base import SIDES, Criterion, Side
from prviz.studies.battery.checks import CHECKS
from prviz.studies.battery.oracle import oracle_rows
from prviz.studies.battery.readings import READINGS
from prviz.studies.battery.rules import AllowedValues, ConditionOutcome

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SweepResult", "along", "criteria_of"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SweepResult:
    """One reading along one sweep.

    dim, scenario : the setting. points : (m,) the whole sweep, increasing; truth : (m,) the same reading of the truth.
    measured : (j,) indices of the points that have been measured; mean : (j,) over their repeats; spread : (j,)
    standard deviation over these, nan for a single one. repeats : the fewest of any point, 0 before all are there.
    """

    dim: int
    scenario: str
    points: Floats
    truth: Floats
    measured: NDArray[np.intp]
    mean: Floats
    spread: Floats
    repeats: int

    def __post_init__(self) -> None:
        for name in ("points", "truth", "measured", "mean", "spread"):
            array = np.array(getattr(self, name))
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    def __reduce__(self) -> tuple[Any, ...]:
        return SweepResult, tuple(getattr(self, name) for name in self.__dataclass_fields__)

    @property
    def whole(self) -> bool:
        """True if every point has been measured."""
        return len(self.measured) == len(self.points)

    def judge(self, criterion: Criterion) -> ConditionOutcome | None:
        """Outcome of the criterion for the means; None before all points are measured."""
        return criterion.rule.judge(self.points, self.mean) if self.whole else None

    def judge_truth(self, criterion: Criterion) -> ConditionOutcome:
        """Outcome of the criterion for the truth."""
        return criterion.rule.judge(self.points, self.truth)

    def allowed(self, criterion: Criterion) -> list[AllowedValues]:
        """Ranges that the criterion allows the means; before all points are measured, the truth."""
        return criterion.rule.allowed(self.points, self.mean if self.whole else self.truth)

    def keeps_to(self, each: AllowedValues) -> bool:
        """True if the means (or the truth, see `allowed`) lie within the range."""
        y = self.mean if self.whole else self.truth
        part = (
            y[each.first : None if each.last == -1 else each.last + 1] if each.first != each.last else y[[each.first]]
        )
        return bool(np.all((part >= each.low - 1e-12) & (part <= each.high + 1e-12)))


def along(rows: pd.DataFrame | None, check: str, reading: str, side: Side) -> list[SweepResult]:
    """Every sweep of a check, by dim and scenario.

    rows : of `battery_tasks`, of one n, k and split, as many as there are; None: none yet. Raises KeyError for an
    unknown check or reading, ValueError for another side.
    """
    if side not in SIDES:
        raise ValueError(f"side = {side!r}; {' or '.join(SIDES)} is needed")
    chosen, known = CHECKS[check], READINGS[reading]
    column = known.columns[SIDES.index(side)]
    true, mine = oracle_rows([check], reading), None if rows is None else _of(rows, check, known.method)
    return [
        _along(dim, scenario, np.array(chosen.points(dim)), true, mine, column)
        for dim in chosen.dims
        for scenario in chosen.scenarios
    ]


def criteria_of(check: str, tag: str, side: Side, scenario: str) -> list[Criterion]:
    """The criteria of a check for one tag, side and scenario."""
    return [
        each
        for each in CHECKS[check].criteria
        if (each.tag, each.side) == (tag, side) and each.scenario in (None, scenario)
    ]


def _of(rows: pd.DataFrame, check: str, method: str) -> pd.DataFrame:
    return rows[(rows["check"] == check) & (rows["method"] == method)]


def _along(
    dim: int, scenario: str, points: Floats, true: pd.DataFrame, rows: pd.DataFrame | None, column: str
) -> SweepResult:
    truth = _setting(true, dim, scenario).sort_values("place")[column].to_numpy(np.float64)
    if rows is None:
        nothing = np.array([])
        return SweepResult(dim, scenario, points, truth, nothing.astype(np.intp), nothing, nothing, 0)
    found = _setting(rows, dim, scenario).groupby("place")[column].agg(["mean", "std", "count"])
    measured = found.index.to_numpy(np.intp)
    repeats = int(found["count"].min()) if len(measured) == len(points) else 0
    mean, spread = (found[name].to_numpy(np.float64) for name in ("mean", "std"))
    return SweepResult(dim, scenario, points, truth, measured, mean, spread, repeats)


def _setting(rows: pd.DataFrame, dim: int, scenario: str) -> pd.DataFrame:
    return rows[(rows["dim"] == dim) & (rows["scenario"] == scenario)]
