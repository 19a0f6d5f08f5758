"""From rows to verdicts: each criterion on the means over repeats, and each cell of a check's criteria of one tag."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from prviz.studies.battery.base import SIDES, Check, Criterion
from prviz.studies.battery.checks import CHECKS
from prviz.studies.battery.oracle import true_numbers
from prviz.studies.battery.published import published_verdict
from prviz.studies.battery.readings import READINGS, Reading
from prviz.studies.battery.rules import ConditionOutcome, Verdict

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["JUDGED", "PASSES", "SAYS", "judge", "passed"]

Floats: TypeAlias = NDArray[np.float64]
_Measured: TypeAlias = "Mapping[tuple[int, str], Mapping[str, _Sweep]]"

# The verdicts that count as passed.
PASSES: tuple[Verdict, ...] = ("T", "L", "H")

# Words by (passed, the oracle passed).
SAYS = {
    (True, True): "right",
    (False, True): "estimator wrong",
    (False, False): "the check asks for something else",
    (True, False): "passes although the truth does not",
}

_FIRST = ("check", "tag", "reading", "side", "verdict", "value", "sense", "threshold", "margin", "spread", "repeats")
JUDGED = (*_FIRST, "criterion", "condition", "dim", "scenario", "published", "oracle", "oracle_value", "says")


class _Sweep(NamedTuple):
    """All numbers of one reading along one sweep: x (m,), y (m, repeats), nan where a repeat is still to come."""

    x: Floats
    y: Floats

    @property
    def mean(self) -> Floats:
        """(m,) over the repeats that are there."""
        mean: Floats = np.nanmean(self.y, axis=1)
        return mean

    @property
    def repeats(self) -> int:
        """Least number of repeats at a point."""
        return int(np.isfinite(self.y).sum(axis=1).min())


class _Found(NamedTuple):
    """One criterion in one setting, judged."""

    criterion: Criterion
    dim: int
    scenario: str
    sweep: _Sweep
    outcome: ConditionOutcome


def judge(rows: pd.DataFrame, readings: Iterable[str] | None = None) -> pd.DataFrame:
    """One line per (check, tag, reading, side) whose sweeps are all there, with at least one repeat at every point.

    rows : of `battery_tasks`, all of one n, k and split. readings : names in READINGS; None: all that the rows have.

    Returns
    -------
    A table with the columns JUDGED. A cell is all criteria of one tag in all dims and scenarios of a check, each on the
    means over repeats. ``verdict``: "F" if a criterion fails or some pass as low and others as high, else "L" or "H" if
    any does, else "T". value, sense, threshold, margin, criterion, condition, dim and scenario are those of the
    condition that decides: the worst failure, or the narrowest pass; a negative margin is a failure. ``spread``: the
    deviation over repeats of that condition's value, each repeat taken alone; nan for a single one. ``published``: the
    paper's verdict, if there is one. ``oracle``, ``oracle_value``: verdict and value of the same reading of the truth.
    ``says`` compares the two; see SAYS.

    Raises ValueError for rows of several n, k or splits.
    """
    import pandas as pd

    _check_one_setting(rows)
    chosen = [READINGS[name] for name in (READINGS if readings is None else readings)]
    found = []
    for (name, method), part in rows.groupby(["check", "method"], sort=False):
        mine = [reading for reading in chosen if reading.method == method]
        check = CHECKS[str(name)]
        found += [line | _beside(line, mine) for line in _lines(check, mine, _measured(check, mine, part))]
    return pd.DataFrame(found, columns=list(JUDGED))


def passed(judged: pd.DataFrame) -> pd.DataFrame:
    """Cells passed and judged, by reading and side: columns reading, side, passed, cells, and the oracle's passed."""
    counted = judged.assign(
        passed=judged["verdict"].isin(PASSES), cells=1, oracle=judged["oracle"].isin(PASSES).astype(int)
    )
    grouped = counted.groupby(["reading", "side"], sort=False)[["passed", "cells", "oracle"]].sum()
    return grouped.astype(int).reset_index()


def _check_one_setting(rows: pd.DataFrame) -> None:
    for column in ("n", "k", "split"):
        values = rows[column].dropna().unique().tolist()
        if len(values) > 1:
            raise ValueError(f"rows have {column} = {', '.join(map(str, values))}; rows of one {column} are needed")


def _lines(check: Check, readings: Sequence[Reading], measured: _Measured) -> Iterator[dict[str, Any]]:
    """The verdicts on one check by readings of one method, of sides whose sweeps are all there."""
    for reading in readings:
        for side, column in zip(SIDES, reading.columns, strict=True):
            sweeps = {setting: found[column] for setting, found in measured.items()}
            if not sweeps or not all(sweep.repeats for sweep in sweeps.values()):
                continue
            for tag in dict.fromkeys(each.tag for each in check.criteria if each.side == side):
                asked = [each for each in check.criteria if each.side == side and each.tag == tag]
                yield {"check": check.name, "tag": tag, "reading": reading.name, "side": side} | _cell(asked, sweeps)


def _measured(check: Check, readings: Sequence[Reading], rows: pd.DataFrame) -> _Measured:
    """The numbers of every sweep of a check by setting and column; nothing where a whole sweep is missing."""
    parts = dict(iter(rows.groupby(["dim", "scenario"])))
    settings = _settings(check)
    if not all(setting in parts for setting in settings):
        return {}
    return {setting: _sweeps(check, setting[0], parts[setting], readings) for setting in settings}


def _sweeps(check: Check, dim: int, rows: pd.DataFrame, readings: Sequence[Reading]) -> dict[str, _Sweep]:
    """The numbers of one sweep by column."""
    x = np.array(check.points(dim))
    repeats, which = np.unique(rows["repeat"].to_numpy(np.int64), return_inverse=True)
    places, found = rows["place"].to_numpy(np.int64), {}
    for column in (column for reading in readings for column in reading.columns):
        y = np.full((len(x), len(repeats)), np.nan)
        y[places, which] = rows[column].to_numpy(np.float64)
        found[column] = _Sweep(x, y)
    return found


def _true(check: Check, reading: Reading) -> _Measured:
    """The same of the truth."""
    found: dict[tuple[int, str], dict[str, _Sweep]] = {}
    for dim, scenario in _settings(check):
        x = np.array(check.points(dim))
        numbers = [true_numbers(check.problem(dim, scenario, place), reading.of_curve) for place in range(len(x))]
        columns = {column: np.array([[each[column]] for each in numbers]) for column in reading.columns}
        found[dim, scenario] = {column: _Sweep(x, y) for column, y in columns.items()}
    return found


def _settings(check: Check) -> list[tuple[int, str]]:
    return [(dim, scenario) for dim in check.dims for scenario in check.scenarios]


def _cell(criteria: Sequence[Criterion], sweeps: Mapping[tuple[int, str], _Sweep]) -> dict[str, Any]:
    """Verdict and the condition that decides it."""
    found = [
        _Found(each, dim, scenario, sweep, each.rule.judge(sweep.x, sweep.mean))
        for (dim, scenario), sweep in sweeps.items()
        for each in criteria
        if each.scenario in (None, scenario)
    ]
    verdicts = {each.outcome.verdict for each in found}
    worst = min(found, key=lambda each: each.outcome.margin)
    verdict: Verdict = "F" if "F" in verdicts else "L" if "L" in verdicts else "H" if "H" in verdicts else "T"
    if "F" not in verdicts and {"L", "H"} <= verdicts:
        return _told(min((each for each in found if each.outcome.verdict != "T"), key=_margin), "F", mixed=True)
    return _told(worst, verdict)


def _margin(found: _Found) -> float:
    return found.outcome.margin


def _told(found: _Found, verdict: Verdict, *, mixed: bool = False) -> dict[str, Any]:
    """A verdict with what decides it; mixed: some criteria passed as low, others as high."""
    condition, (x, y) = found.outcome.condition, found.sweep
    alone = [condition.of(x, y[:, each]) for each in range(y.shape[1]) if bool(np.all(np.isfinite(y[:, each])))]
    words = found.criterion.rule.words + (", as low or as high in every setting alike" if mixed else "")
    return {
        "verdict": verdict,
        "value": found.outcome.value,
        "sense": condition.sense,
        "threshold": condition.threshold,
        "margin": -found.outcome.margin if mixed else found.outcome.margin,
        "spread": float(np.std(alone, ddof=1)) if len(alone) > 1 else np.nan,
        "repeats": found.sweep.repeats,
        "criterion": words,
        "condition": condition.words,
        "dim": found.dim,
        "scenario": found.scenario,
    }


def _beside(line: dict[str, Any], readings: Sequence[Reading]) -> dict[str, Any]:
    """The published verdict of a cell, and the verdict of the truth."""
    at = next(reading.at for reading in readings if reading.name == line["reading"])
    verdict, value = _oracle(line["check"], at)[line["tag"], line["side"]]
    published = published_verdict(line["check"], line["tag"], line["side"], line["reading"])
    says = SAYS[line["verdict"] in PASSES, verdict in PASSES]
    return {"published": published, "oracle": verdict, "oracle_value": value, "says": says}


@lru_cache(maxsize=256)
def _oracle(check: str, at: str) -> dict[tuple[str, str], tuple[Verdict, float]]:
    """Verdict and value by (tag, side) of the truth, which is the same for all families, and for all scores."""
    reading = next(each for each in READINGS.values() if each.at == at)
    lines = _lines(CHECKS[check], [reading], _true(CHECKS[check], reading))
    return {(line["tag"], line["side"]): (line["verdict"], line["value"]) for line in lines}
