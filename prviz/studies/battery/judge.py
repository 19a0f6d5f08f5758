"""Judges the measured rows of the battery.

It has sweeps and criteria beside those of the true curves, verdicts by check, and the published
verdicts.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from prviz.arguments import checked_choice
from prviz.arrays import Floats, Ints
from prviz.curves.frozen import ReadOnlyArrays
from prviz.studies.battery.base import SIDES, BatteryProblem, Check, Criterion, Side, Tag
from prviz.studies.battery.checks import CHECKS
from prviz.studies.battery.readings import READINGS, SCALARS, Reading, curve_numbers
from prviz.studies.battery.rules import AllowedValues, ConditionOutcome, Verdict
from prviz.studies.battery.tasks import COLUMNS
from prviz.studies.tasks import Row, table

if TYPE_CHECKING:
    import pandas as pd


def oracle_rows(checks: Iterable[str] | None, readings: str | Iterable[str]) -> pd.DataFrame:
    """The true values of each pair, as rows like those of `battery_tasks` with one repeat.

    checks : names in CHECKS; None: all.
    readings : names in READINGS. A reading of a family is read off the true curve. A published pair
        of scores estimates the share of each set in the support of the other; its true values are
        these shares for the closed supports, mode by mode.
    """
    names = [readings] if isinstance(readings, str) else list(readings)
    methods = list(dict.fromkeys(READINGS[name].method for name in names))
    rows: list[Row] = []
    for name in CHECKS if checks is None else checks:
        for method, problem in itertools.product(methods, CHECKS[name].problems()):
            row: Row = dict.fromkeys(COLUMNS, np.nan)
            row |= {"key": "", "check": name, "method": method, "k": None, "repeat": 0}
            row |= problem.parameters | {"x": problem.x, "n": problem.default_n}
            rows.append(row | true_numbers(problem, method not in SCALARS))
    return table(rows, COLUMNS)


@lru_cache(maxsize=4000)
def true_numbers(problem: BatteryProblem, of_curve: bool) -> dict[str, float]:
    """The true values of a pair by column: all readings of the true curve or, for scores, the two
    shares in closed supports.

    Values are cached for each pair.
    """
    if of_curve:
        return curve_numbers(problem.truth())
    ends = problem.ends()
    return {"score_fidelity": ends.fidelity, "score_diversity": ends.diversity}


# ---- the published verdicts, as stored in the output of the paper's print_pass_fail_tables ----

# The paper drew its samples without a seed, and separately for each group of metrics, so its
# verdicts can't be reproduced exactly. Source: Räisä, van Breugel, van der Schaar 2025 (arXiv
# 2505.22450), code.

# Columns of _TABLE, once for fidelity and once for diversity, by their names in READINGS; prviz
# does not measure "iap/ibr".
PAIRS = (
    "i-prec/i-rec",
    "density/coverage",
    "iap/ibr",
    "c-prec/c-rec",
    "symprec/symrec",
    "p-prec/p-rec",
)

_TABLE = """
gaussian-mean-difference                    bounds          FTFTFF FTFTFF
gaussian-mean-difference                    purpose         TTTTTT TTTTTT
gaussian-mean-difference-with-outlier       bounds          FFFTFF FTFTFF
gaussian-mean-difference-with-outlier       purpose         FTTTFT FTTTTT
gaussian-std-difference                     bounds          FFFFFF FFFFFF
gaussian-std-difference                     purpose         TTFFFT HFLFFH
gaussian-mixture-simultaneous-mode-dropping bounds          FTFFFF FTFTFF
gaussian-mixture-simultaneous-mode-dropping purpose         TFFFFT FTFTFT
gaussian-mixture-sequential-mode-dropping   bounds          FTFFFF FTFTFF
gaussian-mixture-sequential-mode-dropping   purpose         TTFFFT TTFFTT
gaussian-mixture-mode-dropping-invention    bounds          TTFFFF TFFFFF
gaussian-mixture-mode-dropping-invention    purpose         TTFFFT TFFFFT
uniform-hypersphere-surface                 bounds          FFFFTF FFFFTF
uniform-hypersphere-surface                 purpose         FFTFTF FFFFTF
uniform-hypercube-varying-size              data            FFFFFF FFFFFF
uniform-hypercube-varying-size              purpose         FFFFFF FFFFFF
uniform-hypercube-varying-syn-size          hyperparameters TTTFFT FFFFFF
uniform-hypercube-varying-syn-size          purpose         FFFFFF FFFFFF
sphere-torus                                bounds          TTFFTT TFTTFT
sphere-torus                                purpose         TTTFTT FFTFFF
one-vs-two-modes                            bounds          FTFTFF FTFTFF
one-vs-two-modes                            purpose         TTTTTT FFFFFF
gaussian-scaling-one-dimension              bounds          FTTTTT TTTTTT
gaussian-scaling-one-dimension              invariance      FTTTTT FTTTTT
gaussian-mean-difference-with-pareto        bounds          FTTTTF TTFTTF
gaussian-mean-difference-with-pareto        purpose         TTTTTT TTTTTT
gaussian-high-dim-one-disjoint-dim          bounds          FFTFFF FFTFFF
gaussian-high-dim-one-disjoint-dim          purpose         FFFFFF FFFFFF
discrete-numerical-vs-continuous-numerical  bounds          FFFFFF FFFFFF
discrete-numerical-vs-continuous-numerical  purpose         FFFFFF FFFFFF
"""

# (check, tag, side) -> published verdicts, one letter for each of PAIRS.
VERDICTS: Mapping[tuple[str, str, str], str] = MappingProxyType(
    {
        (check, tag, side): verdicts
        for check, tag, *both in map(str.split, _TABLE.strip().splitlines())
        for side, verdicts in zip(SIDES, both, strict=True)
    }
)

# Number of the 30 verdicts that each of PAIRS passes, as counted in the paper.
PASSED: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {"fidelity": (11, 18, 11, 10, 10, 13), "diversity": (9, 13, 9, 13, 9, 10)}
)


def published_verdict(check: str, tag: str, side: str, reading: str) -> str | None:
    """The published verdict "T", "F", "L" or "H"; None if the paper has none."""
    verdicts = VERDICTS.get((check, tag, side))
    if verdicts and reading in PAIRS:
        return verdicts[PAIRS.index(reading)]
    return None


# ---- one sweep in detail ----


@dataclass(frozen=True, eq=False)
class SweepResult(ReadOnlyArrays):
    """The values of one reading along one sweep.

    dim, scenario : the setting.
    points : (m,) x of the whole sweep, increasing.
    truth : (m,) true values of the reading.
    measured : (j,) indices of the points measured so far.
    mean : (j,) mean over the repeats.
    spread : (j,) standard deviation over the repeats, nan for a single one.
    repeats : the fewest repeats at any point; 0 while a point is missing.
    """

    dim: int
    scenario: str
    points: Floats
    truth: Floats
    measured: Ints
    mean: Floats
    spread: Floats
    repeats: int

    @property
    def whole(self) -> bool:
        """True if every point has been measured."""
        return len(self.measured) == len(self.points)

    def judge(self, criterion: Criterion) -> ConditionOutcome | None:
        """Outcome of the criterion for the means over repeats; None unless all points are
        measured.
        """
        if self.whole:
            return criterion.rule.judge(self.points, self.mean)
        return None

    def judge_truth(self, criterion: Criterion) -> ConditionOutcome:
        """Outcome of the criterion for the values of the true curve."""
        return criterion.rule.judge(self.points, self.truth)

    def allowed(self, criterion: Criterion) -> list[AllowedValues]:
        """Ranges of values that the criterion allows.

        For some rules they depend on the values themselves: on the means or, while points are
        missing, on the true values.
        """
        return criterion.rule.allowed(self.points, self.mean if self.whole else self.truth)

    def keeps_to(self, each: AllowedValues) -> bool:
        """True if the means lie in the range; while points are missing, the true values are
        compared instead.
        """
        y = self.mean if self.whole else self.truth
        last = each.last % len(y)
        part = y[each.first % len(y) : last + 1]
        return bool(np.all((part >= each.low - 1e-12) & (part <= each.high + 1e-12)))


def along(rows: pd.DataFrame | None, check: str, reading: str, side: Side) -> list[SweepResult]:
    """Every sweep of a check, by dim and scenario.

    rows : rows of `battery_tasks` with one n, k and split, possibly incomplete; None: no rows yet.
    Raises KeyError for an unknown check or reading, ValueError for an unknown side.
    """
    checked_choice("side", side, SIDES)
    chosen = CHECKS[check]
    known = READINGS[reading]
    column = known.columns[SIDES.index(side)]
    mine = None
    if rows is not None:
        mine = rows[(rows["check"] == check) & (rows["method"] == known.method)]
    found = []
    for (dim, scenario), truth in _true(chosen, known).items():
        measured = np.array([], np.intp)
        mean = np.array([])
        spread = np.array([])
        repeats = 0
        if mine is not None:
            part = mine[(mine["dim"] == dim) & (mine["scenario"] == scenario)]
            places = part.groupby("place")[column].agg(["mean", "std", "count"])
            measured = places.index.to_numpy(np.intp)
            repeats = 0
            if len(measured) == len(truth[column].x):
                repeats = int(places["count"].min())
            mean, spread = (places[name].to_numpy(np.float64) for name in ("mean", "std"))
        x, y = truth[column]
        found.append(SweepResult(dim, scenario, x, y[:, 0], measured, mean, spread, repeats))
    return found


def criteria_of(check: str, tag: str, side: Side, scenario: str) -> list[Criterion]:
    """The criteria of a check for one tag, side and scenario."""
    return [
        each
        for each in CHECKS[check].criteria
        if (each.tag, each.side) == (tag, side) and each.scenario in (None, scenario)
    ]


# ---- verdicts by check, tag, reading and side ----

_Measured: TypeAlias = "Mapping[tuple[int, str], Mapping[str, _Sweep]]"

# Verdicts that count as passed.
PASSES: tuple[Verdict, ...] = ("T", "L", "H")
_WORST_FIRST: tuple[Verdict, ...] = ("F", "L", "H")

# (the estimate passed, the truth passed) -> a conclusion.
SAYS = {
    (True, True): "right",
    (False, True): "estimator wrong",
    (False, False): "the check asks for something else",
    (True, False): "passes although the truth does not",
}

_FIRST = (
    "check",
    "tag",
    "reading",
    "side",
    "verdict",
    "value",
    "sense",
    "threshold",
    "margin",
    "spread",
    "repeats",
)
JUDGED = (
    *_FIRST,
    "criterion",
    "condition",
    "dim",
    "scenario",
    "published",
    "oracle",
    "oracle_value",
    "says",
)


class _Sweep(NamedTuple):
    """All values of one reading along one sweep: x (m,), and y (m, repeats), nan where not measured
    yet.
    """

    x: Floats
    y: Floats

    @property
    def mean(self) -> Floats:
        """(m,) mean over the repeats measured so far."""
        mean: Floats = np.nanmean(self.y, axis=1)
        return mean

    @property
    def repeats(self) -> int:
        """The fewest repeats at any point."""
        return int(np.isfinite(self.y).sum(axis=1).min())


class _Found(NamedTuple):
    """One criterion in one setting, with its outcome."""

    criterion: Criterion
    dim: int
    scenario: str
    sweep: _Sweep
    outcome: ConditionOutcome


def judge(rows: pd.DataFrame, readings: Iterable[str] | None = None) -> pd.DataFrame:
    """Verdicts: one line per (check, tag, reading, side) whose sweeps have a repeat at every point.

    rows : rows of `battery_tasks`, all with one n, k and split.
    readings : names in READINGS; None: all readings that the rows have.

    Returns
    -------
    A table with the columns JUDGED. One line covers all criteria of one tag in all dims and
    scenarios of a check, each judged on the means over repeats. ``verdict``: "F" if a criterion
    fails, or if some pass as low and others as high; else "L" or "H" if any passes so; else "T".
    value, sense, threshold, margin, criterion, condition, dim and scenario are those of the
    deciding condition: the worst failure, or the narrowest pass. A negative margin is a failure.
    ``spread``: standard deviation of the deciding value over single repeats; nan for one.
    ``published``: the paper's verdict, if there is one. ``oracle``, ``oracle_value``: verdict and
    value of the same reading of the truth. ``says`` compares the two verdicts; see SAYS.
    Raises ValueError for rows of several n, k or splits.
    """
    import pandas as pd

    for column in ("n", "k", "split"):
        values = rows[column].dropna().unique().tolist()
        if len(values) > 1:
            raise ValueError(
                f"rows have {column} = {', '.join(map(str, values))}; rows of one {column} are"
                " needed"
            )
    chosen = [READINGS[name] for name in (READINGS if readings is None else readings)]
    found = []
    for (name, method), part in rows.groupby(["check", "method"], sort=False):
        mine = [reading for reading in chosen if reading.method == method]
        check = CHECKS[str(name)]
        found += [
            line | _beside(line, mine) for line in _lines(check, mine, _measured(check, mine, part))
        ]
    return pd.DataFrame(found, columns=list(JUDGED))


def passed(judged: pd.DataFrame) -> pd.DataFrame:
    """Number of passed lines of `judge`, by reading and side.

    Columns: reading, side, passed, cells (number of all lines), oracle (number of lines that the
    true values pass).
    """
    counted = judged.assign(
        passed=judged["verdict"].isin(PASSES),
        cells=1,
        oracle=judged["oracle"].isin(PASSES).astype(int),
    )
    grouped = counted.groupby(["reading", "side"], sort=False)[["passed", "cells", "oracle"]].sum()
    return grouped.astype(int).reset_index()


def _lines(
    check: Check, readings: Sequence[Reading], measured: _Measured
) -> Iterator[dict[str, Any]]:
    """Lines of `judge` for one check and readings of one method, without sides whose sweeps are
    incomplete.
    """
    for reading in readings:
        for side, column, label in zip(SIDES, reading.columns, reading.pair, strict=True):
            if not label:  # the reading has no number for fidelity, or none for diversity
                continue
            sweeps = {setting: found[column] for setting, found in measured.items()}
            if not sweeps or not all(sweep.repeats for sweep in sweeps.values()):
                continue
            asked: dict[Tag, list[Criterion]] = {}
            for each in check.criteria:
                if each.side == side:
                    asked.setdefault(each.tag, []).append(each)
            for tag, criteria in asked.items():
                place = {"check": check.name, "tag": tag, "reading": reading.name, "side": side}
                yield place | _cell(criteria, sweeps)


def _measured(check: Check, readings: Sequence[Reading], rows: pd.DataFrame) -> _Measured:
    """Every sweep of a check by setting and column; empty if a sweep is missing."""
    parts = dict(iter(rows.groupby(["dim", "scenario"])))
    found: dict[tuple[int, str], dict[str, _Sweep]] = {}
    for setting in _settings(check):
        if setting not in parts:
            return {}
        x = np.array(check.points(setting[0]))
        part = parts[setting]
        repeats, which = np.unique(part["repeat"].to_numpy(np.int64), return_inverse=True)
        places = part["place"].to_numpy(np.int64)
        found[setting] = {}
        for column in (column for reading in readings for column in reading.columns):
            y = np.full((len(x), len(repeats)), np.nan)
            y[places, which] = part[column].to_numpy(np.float64)
            found[setting][column] = _Sweep(x, y)
    return found


def _true(check: Check, reading: Reading) -> _Measured:
    """The true values along every sweep of a check, in the form of `_measured`."""
    found: dict[tuple[int, str], dict[str, _Sweep]] = {}
    for dim, scenario in _settings(check):
        x = np.array(check.points(dim))
        problems = [check.problem(dim, scenario, place) for place in range(len(x))]
        numbers = [true_numbers(problem, reading.of_curve) for problem in problems]
        found[dim, scenario] = {
            column: _Sweep(x, np.array([[each[column]] for each in numbers]))
            for column in reading.columns
        }
    return found


def _settings(check: Check) -> list[tuple[int, str]]:
    return [(dim, scenario) for dim in check.dims for scenario in check.scenarios]


def _cell(
    criteria: Sequence[Criterion], sweeps: Mapping[tuple[int, str], _Sweep]
) -> dict[str, Any]:
    """The verdict of one line of `judge`, and the condition that decides it."""
    found = [
        _Found(each, dim, scenario, sweep, each.rule.judge(sweep.x, sweep.mean))
        for (dim, scenario), sweep in sweeps.items()
        for each in criteria
        if each.scenario in (None, scenario)
    ]
    verdicts = {each.outcome.verdict for each in found}
    verdict = next((each for each in _WORST_FIRST if each in verdicts), "T")
    # some criteria pass as low, others as high, which is no pass
    mixed = verdict != "F" and {"L", "H"} <= verdicts
    deciding = [each for each in found if not mixed or each.outcome.verdict != "T"]
    decisive = min(deciding, key=lambda each: each.outcome.margin)
    value = decisive.outcome.value
    condition = decisive.outcome.condition
    margin = decisive.outcome.margin
    words = decisive.criterion.rule.words
    if mixed:
        verdict = "F"
        margin = -margin
        words += ", as low or as high in every setting alike"
    x, y = decisive.sweep
    alone = [condition.of(x, each) for each in y.T if bool(np.all(np.isfinite(each)))]
    return {
        "verdict": verdict,
        "value": value,
        "sense": condition.sense,
        "threshold": condition.threshold,
        "margin": margin,
        "spread": float(np.std(alone, ddof=1)) if len(alone) > 1 else np.nan,
        "repeats": decisive.sweep.repeats,
        "criterion": words,
        "condition": condition.words,
        "dim": decisive.dim,
        "scenario": decisive.scenario,
    }


def _beside(line: dict[str, Any], readings: Sequence[Reading]) -> dict[str, Any]:
    """Columns that compare a line of `judge` with the published verdict and with the verdict on the
    true values.
    """
    at = next(reading.at for reading in readings if reading.name == line["reading"])
    verdict, value = _oracle(line["check"], at)[line["tag"], line["side"]]
    published = published_verdict(line["check"], line["tag"], line["side"], line["reading"])
    says = SAYS[line["verdict"] in PASSES, verdict in PASSES]
    return {"published": published, "oracle": verdict, "oracle_value": value, "says": says}


@lru_cache(maxsize=256)
def _oracle(check: str, at: str) -> dict[tuple[str, str], tuple[Verdict, float]]:
    """Verdict and value for the true values, by (tag, side); the same for all families, and for all
    scores.
    """
    reading = next(each for each in READINGS.values() if each.at == at)
    lines = _lines(CHECKS[check], [reading], _true(CHECKS[check], reading))
    return {(line["tag"], line["side"]): (line["verdict"], line["value"]) for line in lines}
