"""The sanity battery as tasks: each task measures readings at some points of one sweep.

The results of the full-size run are bundled with the package.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import time
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, Unpack

import numpy as np

from prviz.arguments import checked_choice, checked_whole
from prviz.estimators import ESTIMATORS
from prviz.estimators.base import resolve_k
from prviz.measure.estimates import K, measure
from prviz.measure.workload import fit_size
from prviz.quoting import first_names
from prviz.readers.paths import data_folder
from prviz.samples import SamplePair, Samples, split_share
from prviz.studies.battery.base import BatteryProblem, Check, N
from prviz.studies.battery.checks import CHECKS
from prviz.studies.battery.readings import (
    DEFAULT_READINGS,
    NUMBERS,
    READINGS,
    REPORTED,
    SCALARS,
    SCORES,
    curve_numbers,
    measure_scores,
)
from prviz.studies.kept_rows import KeptRows, Provenance, keep_rows, kept_rows
from prviz.studies.tasks import COMPUTATION, Columns, Row

if TYPE_CHECKING:
    import pandas as pd

Mode: TypeAlias = Literal["quick", "paper"]

# Samples per set and repeats of each mode; the sweeps of both modes are the same.
MODES: dict[Mode, tuple[int, int]] = {"quick": (300, 3), "paper": (N, 10)}

_FIRST = (
    "key",
    "check",
    "dim",
    "scenario",
    "place",
    "x",
    "method",
    "k",
    "split",
    "n",
    "repeat",
    "seed",
)
COLUMNS: Columns = {
    **dict.fromkeys((*_FIRST, "n_real", "n_generated", "seconds", *NUMBERS), "float64"),
    **dict.fromkeys(("key", "check", "scenario", "method", "k"), "string"),
    **dict.fromkeys(("dim", "place", "n", "repeat", "seed", "n_real", "n_generated"), "Int64"),
}

# Upper limit for the estimated seconds of a task.
_SECONDS = 1.5

# Measured seconds for two sets of 1000 samples: a constant, and the seconds that each feature adds.
_SCORE_COSTS = {
    "i-prec/i-rec": (0.022, 4e-5),
    "density/coverage": (0.022, 4e-5),
    "c-prec/c-rec": (0.022, 4e-5),
    "symprec/symrec": (0.022, 2e-4),
    "p-prec/p-rec": (0.018, 2e-3),
    "clipped": (0.03, 1e-4),
    "fd": (0.001, 1e-4),
    "kid": (0.03, 4e-5),
    "vendi": (0.001, 2e-5),
    "rke": (0.05, 4e-5),
}
# Rough seconds of a family that does not share the pass over the distances, or fits a model.
_ALONE = 0.4


@dataclass(frozen=True, kw_only=True)
class BatteryTask:
    """Some points of one check's sweep in one setting, for one repeat.

    wanted : (place, method) of each row to measure, ordered by place.
    n : samples per set, unless the check sweeps this number.
    k, split : settings of families; the published pairs have their own k and no split.
    """

    check: Check
    dim: int
    scenario: str
    wanted: tuple[tuple[int, str], ...]
    n: int
    repeat: int
    seed: int
    k: K
    split: float | None

    @property
    def drawn_by(self) -> int:
        """Seed of the samples.

        It is the same at all points of a sweep, so that these can share the real samples.
        """
        parts = json.dumps([self.n, self.repeat, self.seed])
        return int.from_bytes(hashlib.sha256(parts.encode()).digest()[:4], "big")

    @property
    def keys(self) -> list[str]:
        """The key of every row: a hash of everything that the row depends on."""
        return [self._key(place, method) for place, method in self.wanted]

    def _key(self, place: int, method: str) -> str:
        settings = (None, None) if method in SCALARS else (self.k, self.split)
        pair = (self.check.name, self.dim, self.scenario, place)
        drawn = (self.n, self.repeat, self.seed)
        parts = json.dumps([COMPUTATION, "battery", *pair, method, *settings, *drawn])
        return hashlib.sha256(parts.encode()).hexdigest()[:32]

    def left(self, known: Container[str]) -> BatteryTask | None:
        """The task without the rows whose keys are known; None if no row is left."""
        left = tuple(each for each in self.wanted if self._key(*each) not in known)
        if left:
            return replace(self, wanted=left)
        return None

    def run(self) -> list[Row]:
        """Draw each pair, measure it, and return the rows."""
        return [row for problem, methods in self._pairs() for row in self._rows(problem, methods)]

    def _pairs(self) -> Iterator[tuple[BatteryProblem, list[str]]]:
        """Every pair, with the methods to measure on it."""
        for place, rows in groupby(self.wanted, key=lambda row: row[0]):
            yield self.check.problem(self.dim, self.scenario, place), [method for _, method in rows]

    @property
    def seconds(self) -> float:
        """Rough number of seconds that the task takes on one core."""
        return sum(_seconds(problem, self.n, methods) for problem, methods in self._pairs())

    def _rows(self, problem: BatteryProblem, methods: Sequence[str]) -> list[Row]:
        """Draw one pair, and return its rows."""
        began = time.perf_counter()
        pair = scaled(problem.sample(self.n, self.drawn_by))
        scores = measure_scores(pair, [method for method in methods if method in SCALARS])
        numbers = {
            name: {"score_fidelity": fidelity, "score_diversity": diversity}
            for name, (fidelity, diversity) in scores.items()
        }
        k = resolve_k(self.k, pair)
        wanted = [(each, k, None) for each in methods if each not in SCALARS]
        if wanted:
            for each in measure(pair.split(self.split, self.drawn_by), wanted, self.drawn_by):
                numbers[each.method] = curve_numbers(each.curve)
        seconds = time.perf_counter() - began
        found: list[Row] = []
        for method in methods:
            own: Row = {"k": None, "split": None}
            if method not in SCALARS:
                own = {"k": str(self.k), "split": self.split}
            row = Row.fromkeys(COLUMNS, np.nan) | problem.parameters | own
            row |= {
                "key": self._key(problem.place, method),
                "check": self.check.name,
                "method": method,
                "x": problem.x,
                "n": self.n,
                "repeat": self.repeat,
                "seed": self.seed,
                "n_real": pair.real.n,
                "n_generated": pair.generated.n,
                "seconds": seconds,
            }
            found.append(row | numbers[method])
        return found


def scaled(pair: SamplePair) -> SamplePair:
    """Both sets, standardised so that every feature of the real set has mean 0 and standard
    deviation 1.

    A feature that is constant in the real set is only centred.
    """
    mean = pair.real.values.mean(axis=0)
    deviation = pair.real.values.std(axis=0)
    deviation[deviation == 0] = 1.0
    real, generated = (Samples((each.values - mean) / deviation, each.name) for each in pair)
    return SamplePair(real, generated)


class FamilyOptions(TypedDict, total=False):
    """k and split with which the battery measures families."""

    k: K
    split: float | None


def battery_tasks(
    checks: Iterable[str] | None = None,
    readings: Iterable[str] | None = None,
    mode: Mode = "quick",
    repeats: int | None = None,
    seed: int = 0,
    *,
    n: int | None = None,
    **families: Unpack[FamilyOptions],
) -> list[BatteryTask]:
    """The battery as tasks for `run_tasks`, whose rows have the columns `COLUMNS`.

    There is one row for each drawn pair and each method. The row of a family holds all readings of
    its curve, so another reading needs no new measurement.

    Parameters
    ----------
    checks : names in CHECKS; None: all.
    readings : names in READINGS; None: DEFAULT_READINGS.
    mode : "paper" has 1000 samples per set and 10 repeats, as published; "quick" has 300 and 3, on
        the same sweeps.
    repeats, n : replace the numbers of the mode.
    seed : together with the repeat and the pair it determines the samples.
    families : k and split of families, as in `prviz.pr_curve`; the published pairs have their own k
        and no split.

    Raises
    ------
    ValueError, TypeError : an unknown name, n below 100, or a k or split for which some pair is too
        small.
    """
    chosen = [_known("checks", CHECKS, name) for name in (CHECKS if checks is None else checks)]
    names = list(DEFAULT_READINGS if readings is None else readings)
    methods = list(dict.fromkeys(_known("readings", READINGS, name).method for name in names))
    checked_choice("mode", mode, MODES)
    k = families.get("k", "sqrt")
    split = split_share(families.get("split", 0.5))
    size = MODES[mode][0] if n is None else n
    times = MODES[mode][1] if repeats is None else repeats
    checked_whole("n", size, 100)
    checked_whole("repeats", times, 1)
    checked_whole("seed", seed, 0)
    _check_families([each for each in methods if each not in SCALARS], chosen, size, k, split)
    task = partial(BatteryTask, n=size, seed=seed, k=k, split=split)
    tasks = []
    for repeat, check in itertools.product(range(times), chosen):
        for dim, scenario in itertools.product(check.dims, check.scenarios):
            every = [check.problem(dim, scenario, place) for place in range(len(check.points(dim)))]
            tasks += [
                task(check=check, dim=dim, scenario=scenario, wanted=wanted, repeat=repeat)
                for wanted in _pieces(every, methods, size)
            ]
    return tasks


def battery_seconds(tasks: Iterable[BatteryTask]) -> float:
    """Rough number of seconds that the tasks take on one core."""
    return sum(task.seconds for task in tasks)


def setting(mode: Mode) -> str:
    """The samples and repeats of a mode in words, compared with those of the paper."""
    n, repeats = MODES[mode]
    here = f"{n:,} samples per set, {repeats} repeats"
    if mode == "paper":
        return f"{here}, as published"
    paper = f"where the paper has {N:,} and {MODES['paper'][1]}"
    return f"{here}, {paper}; the sweeps are the same, swept sizes in proportion"


def _known(name: str, known: Any, value: str) -> Any:
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{name} has {value!r}; {first_names(list(known), 8)} are known")
    return known[value]


def _check_families(
    families: Sequence[str], checks: Sequence[Check], n: int, k: K, split: float | None
) -> None:
    """Raise ValueError for a k or split with which some task would fail later."""
    alone = [each for each in families if split is None and ESTIMATORS[each].needs_split]
    if alone:
        raise ValueError(f"split = None; {alone[0]} is measured with a split only")
    if not families or k == "sqrt":
        return
    sizes = [min(p.sizes(n)) for check in checks for p in check.problems()]
    most = fit_size(min(sizes), split) - 1
    checked_whole("k", k, 1, most, f' or "sqrt", with n = {n} and split = {split},')


def _pieces(
    problems: Sequence[BatteryProblem], methods: Sequence[str], n: int
) -> list[tuple[tuple[int, str], ...]]:
    """The points of one sweep in groups, each as large as one task allows."""
    pieces: list[tuple[tuple[int, str], ...]] = []
    spent = math.inf
    for problem in problems:
        cost = _seconds(problem, n, methods)
        spent += cost
        if spent > _SECONDS:
            pieces.append(())
            spent = cost
        pieces[-1] += tuple((problem.place, method) for method in methods)
    return pieces


def _seconds(problem: BatteryProblem, n: int, methods: Sequence[str]) -> float:
    """Estimated seconds of all methods on one pair, on one core.

    The estimate is proportional to the number of distances, with a constant per method that grows
    with the dimension. It decides the size of the tasks, and the page shows it.
    """
    n_real, n_generated = problem.sizes(n)
    pairs = (n_real + n_generated) ** 2 / 4e6
    d = problem.d
    scores = [_SCORE_COSTS[method] for method in methods if method in SCALARS]
    families = [ESTIMATORS[method] for method in methods if method not in SCALARS]
    together = sum(each.shares_pass for each in families)
    scores += [(0.004, 2e-5)] * together
    return (
        sum(0.003 + pairs * (fixed + per_feature * d) for fixed, per_feature in scores)
        + _ALONE * (len(families) - together)
        + 2e-8 * d * (n_real + n_generated)
    )


_NEEDED = (
    "check",
    "dim",
    "scenario",
    "place",
    "x",
    "method",
    "n",
    "repeat",
    "score_fidelity",
    "score_diversity",
)

# Suffix in the names of files that hold rows of REPORTED.
_REPORTED = "-reported"


def folder() -> Path:
    """Folder of the bundled results."""
    return data_folder() / "battery"


def kept(
    checks: Iterable[str] | None = None, where: Path | None = None, *, reported: bool = False
) -> KeptRows | None:
    """The bundled rows of the given checks, as `judge` takes them, with the provenance of the
    newest file; None if there are none.

    reported : True for the rows of REPORTED, False for those of the published scores.
    """
    import pandas as pd

    place = folder() if where is None else where
    kind = _REPORTED if reported else ""
    found = [
        kept_rows(f"{name}{kind}", COLUMNS, place)
        for name in (CHECKS if checks is None else checks)
    ]
    there = [each for each in found if each is not None]
    if not there:
        return None
    newest = max(there, key=lambda each: each.facts.date)
    rows = pd.concat([each.rows for each in there], ignore_index=True)
    # an empty text is read back as missing: "", the only scenario of most checks
    return KeptRows(rows.fillna({"scenario": ""}), newest.facts)


def keep(rows: pd.DataFrame, facts: Provenance, where: Path | None = None) -> list[Path]:
    """Write the rows of the published scores and those of REPORTED, in separate files for each
    check.
    """
    place = folder() if where is None else where
    written = []
    for kind, scores, plain in (("", SCORES, None), (_REPORTED, REPORTED, 0)):
        mine = rows.loc[rows["method"].isin(list(scores)), list(_NEEDED)]
        for name, part in mine.groupby("check", sort=False):
            written.append(keep_rows(part, f"{name}{kind}", facts, place, plain))
    return written
