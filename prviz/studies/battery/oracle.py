"""Scores of a perfect estimator: the same readings of the true curves, without sampling."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from prviz.studies.battery.base import BatteryProblem
from prviz.studies.battery.checks import CHECKS
from prviz.studies.battery.readings import READINGS, curve_numbers
from prviz.studies.battery.scores import SCORES
from prviz.studies.battery.tasks import COLUMNS
from prviz.studies.tasks import Row, table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["oracle_rows", "true_numbers"]


def oracle_rows(checks: Iterable[str] | None, readings: str | Iterable[str]) -> pd.DataFrame:
    """Rows as `battery_tasks` gives them, with the true numbers of each pair, one repeat.

    checks : names in CHECKS; None: all. readings : names in READINGS. A family's reading is that of the true curve. A
    published pair asks which share of each set lies where the other one is, so that its truth are the shares by closed
    supports, mode by mode.
    """
    names = [readings] if isinstance(readings, str) else list(readings)
    methods = list(dict.fromkeys(READINGS[name].method for name in names))
    return table(
        (
            _row(problem, method)
            for name in (CHECKS if checks is None else checks)
            for method in methods
            for problem in CHECKS[name].problems()
        ),
        COLUMNS,
    )


def _row(problem: BatteryProblem, method: str) -> Row:
    row: Row = dict.fromkeys(COLUMNS, np.nan)
    row |= {"key": "", "check": problem.check.name, "method": method, "k": None, "repeat": 0}
    row |= problem.parameters | {"x": problem.x, "n": problem.default_n}
    return row | true_numbers(problem, method not in SCORES)


@lru_cache(maxsize=4000)
def true_numbers(problem: BatteryProblem, of_curve: bool) -> dict[str, float]:
    """Every reading of the true curve by column, or both shares by closed supports; of each pair once per process."""
    if of_curve:
        return curve_numbers(problem.truth())
    ends = problem.ends()
    return {"score_fidelity": ends.fidelity, "score_diversity": ends.diversity}
