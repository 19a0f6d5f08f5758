"""Measures a grid of settings on this machine's cores or any executor, as a tidy table with a row
per measurement.

A stopped sweep can be continued. A cell of the grid is one pair of sets, which the worker that runs
the cell draws or reads, with all rows that are measured on it.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import os
import reprlib
import time
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, runtime_checkable

import numpy as np

from prviz.arguments import checked_list, checked_whole
from prviz.checks.flags import say
from prviz.curves import PRCurve
from prviz.curves.summaries import COMPARISONS, SUMMARIES, numbers
from prviz.estimators import ESTIMATORS
from prviz.estimators.base import check_bandwidth, resolve_k
from prviz.estimators.registered import Registered
from prviz.measure.estimates import Estimate, K, Methods, measure, method_names, passes
from prviz.measure.workload import estimate_seconds, fit_size, subsample
from prviz.neighbors.threads import Progress, available_threads, threads_at_most
from prviz.readers import read_chosen, warn_of_notes
from prviz.readers.columns import SHARED, ColumnChoice
from prviz.readers.errors import listed, quoted
from prviz.readers.paths import PathLike
from prviz.samples import SamplePair, Samples, split_share
from prviz.studies.tasks import COMPUTATION, Columns, Row, run_tasks
from prviz.toys import TOYS, ToyProblem, toy
from prviz.uncertainty.upper_bound import known_bound

if TYPE_CHECKING:
    import pandas as pd

# Columns of a row: the requested settings (ASKED), the values that were used (USED), and the
# numbers.
ASKED = (
    "key",
    "problem",
    "parameters",
    "d",
    "n",
    "method",
    "k",
    "bandwidth",
    "split",
    "repeat",
    "seed",
)
USED = ("n_real", "n_generated", "k_used", "radius_real", "radius_generated", "seconds")
COLUMNS: Columns = {
    **dict.fromkeys((*ASKED, *USED, *COMPARISONS, *(each.key for each in SUMMARIES)), "float64"),
    **dict.fromkeys(("key", "problem", "parameters", "method", "k"), "string"),
    **dict.fromkeys(("d", "n", "repeat", "seed", "n_real", "n_generated", "k_used"), "Int64"),
}

# Comparison of the truth with `prviz.upper_bound` for the family and k of the row. It is measured
# if the truth is known and samples are held out. A deficit above 0 means that the bound is
# violated.
BOUND_COLUMNS: Columns = {f"bound_{number}": "float64" for number in COMPARISONS}

Wanted = tuple[str, int | Literal["sqrt"] | None, float | None]  # method, k, bandwidth


@runtime_checkable
class Known(Protocol):
    """A problem whose pairs of sets can be drawn, such as a toy.

    Its name and parameters enter the keys and seeds of rows.
    """

    @property
    def name(self) -> str:
        """Name of the problem."""
        ...

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Parameters of the problem, writable as JSON."""
        ...

    @property
    def default_n(self) -> int:
        """Samples per set in a sweep that gives no number."""
        ...

    def sample(self, n: int, seed: int = 0) -> SamplePair:
        """Draw n samples of each set."""
        ...

    def truth(self) -> PRCurve | None:
        """The true curve; None if it is not known, so that rows have no comparison."""
        ...


@runtime_checkable
class DrawnAlike(Protocol):
    """A problem that uses the seeds of another problem for samples and split, so that rows of the
    two can be compared.
    """

    @property
    def drawn_as(self) -> Known:
        """The problem whose name and parameters determine the seeds."""
        ...


@runtime_checkable
class OfData(Protocol):
    """A problem that draws from data, which its name and parameters do not identify."""

    @property
    def digest(self) -> str:
        """Digest of the data, which is part of the keys of rows."""
        ...


@dataclass(frozen=True)
class Files:
    """A pair of sets in files, whose truth is not known.

    The worker that measures the pair reads it, so every worker must be able to open the paths.

    digests : digests of the real and of the generated samples. A cell that reads other samples
    raises ValueError.
    choice : which columns of a table are features.
    """

    real: Path
    generated: Path
    digests: tuple[str, str]
    choice: ColumnChoice = SHARED

    @property
    def name(self) -> str:
        """Both paths, as text."""
        return f"{self.real} against {self.generated}"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Digests of both sets of samples, which distinguish rows of different contents."""
        return dict(
            zip(("real", "generated"), (digest[:32] for digest in self.digests), strict=True)
        )

    def read(self) -> tuple[Samples, Samples]:
        """The samples that the files contain now."""
        return read_chosen(self.real, self.choice), read_chosen(self.generated, self.choice)

    def check(self, sets: tuple[Samples, Samples]) -> None:
        """Raise ValueError unless these samples have the expected digests."""
        for path, samples, digest in zip(
            (self.real, self.generated), sets, self.digests, strict=True
        ):
            if samples.digest != digest:
                raise ValueError(
                    f"{str(path)!r} holds other samples than when the sweep began; start it again"
                )


@dataclass(frozen=True)
class Cell:
    """One pair of samples with one split, and all rows measured on it.

    n : samples per set; None: all samples of the files.
    wanted : (method, k, bandwidth) of each row; None if the method has no such parameter.
    beside : True to measure `BOUND_COLUMNS` too.
    measure : a module-level function that returns the cell's rows with further columns; None: the
        rows of a sweep.
    """

    problem: Known | Files
    n: int | None
    split: float | None
    repeat: int
    seed: int
    wanted: tuple[Wanted, ...]
    beside: bool = False
    measure: Callable[[Cell], list[Row]] | None = None

    @property
    def drawn_by(self) -> int:
        """Seed of the samples and of the split; it depends only on the settings of the cell."""
        problem = self.problem.drawn_as if isinstance(self.problem, DrawnAlike) else self.problem
        parameters = ""
        if not isinstance(problem, Files):
            parameters = _parameters(problem)
        text = json.dumps([problem.name, parameters, self.n, self.repeat, self.seed])
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")

    @property
    def keys(self) -> list[str]:
        """The keys of the cell's rows, in order."""
        return [_row_key(self, wanted) for wanted in self.wanted]

    def left(self, known: Container[str]) -> Self | None:
        """The cell without the rows whose keys are known; None if no row is left."""
        # Rows of families that the user registered are always measured: a name does not identify
        # the user's code.
        left = tuple(
            each
            for each in self.wanted
            if isinstance(ESTIMATORS[each[0]], Registered) or _row_key(self, each) not in known
        )
        if left:
            return replace(self, wanted=left)
        return None

    def run(self) -> list[Row]:
        """Measure the cell, and return its rows."""
        if self.measure is not None:
            return self.measure(self)
        return [row for row, _ in measured(self)]

    def draw(self) -> SamplePair:
        """Samples of the cell's problem; raises TypeError for files, which cannot be drawn."""
        if isinstance(self.problem, Files):
            raise TypeError(f"{self.problem.name}: a pair that can be drawn is needed")
        return self.problem.sample(self.n or self.problem.default_n, self.drawn_by)


def _parameters(problem: Known | Files) -> str:
    return json.dumps(problem.parameters, sort_keys=True)


def _row_key(cell: Cell, wanted: Wanted) -> str:
    """The key of a row: a hash of everything that the row depends on."""
    problem = cell.problem
    parts = [
        COMPUTATION,
        problem.name,
        _parameters(problem),
        problem.digest if isinstance(problem, OfData) else None,
    ]
    parts += [cell.n, cell.split, cell.repeat, cell.seed, *wanted]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def wanted_rows(
    methods: Sequence[str],
    ks: Sequence[int | Literal["sqrt"]],
    bandwidths: Sequence[float | None],
    split: float | None,
) -> tuple[Wanted, ...]:
    """The rows of one split: each method with every k, or every bandwidth, if it has this
    parameter.

    A bandwidth of None is the automatic one, with a row for every k. Methods that need a split have
    no row if ``split`` is None.
    """
    rows: list[Wanted] = []
    for method in methods:
        tunes = ESTIMATORS[method].tunes
        if split is None and ESTIMATORS[method].needs_split:
            continue
        if tunes is None:
            rows.append((method, None, None))
        if tunes == "bandwidth":
            widths = [width for width in bandwidths if width is not None]
        else:
            widths = []
        rows += [(method, None, width) for width in widths]
        if tunes is not None and (tunes == "k" or None in bandwidths):
            rows += [(method, k, None) for k in ks]
    return tuple(rows)


def measured(cell: Cell) -> list[tuple[Row, Estimate]]:
    """The rows of a cell, each with its estimate."""
    if not isinstance(cell.problem, Files):
        return measured_on(cell, cell.draw(), cell.problem.truth())
    sets = cell.problem.read()
    try:
        pair = SamplePair(*sets)
        return measured_on(
            cell, pair if cell.n is None else subsample(pair, cell.n, cell.drawn_by), None
        )
    # checked after the measurement: large files are memory-mapped, so they could change until then
    finally:
        cell.problem.check(sets)


def measured_on(cell: Cell, pair: SamplePair, truth: PRCurve | None) -> list[tuple[Row, Estimate]]:
    """The rows of a cell with their estimates, measured on a given pair."""
    split = pair.split(cell.split, cell.drawn_by)
    began = time.perf_counter()
    requests = [
        (method, resolve_k(1 if k is None else k, pair), width) for method, k, width in cell.wanted
    ]
    estimates = measure(split, requests, cell.drawn_by)
    curves = [estimate.curve for estimate in estimates]
    seconds = time.perf_counter() - began
    found = []
    for wanted, estimate, curve in zip(cell.wanted, estimates, curves, strict=True):
        method, k, bandwidth = wanted
        radii = estimate.bandwidth or (np.nan, np.nan)
        row = Row.fromkeys(COLUMNS, np.nan) | {
            "key": _row_key(cell, wanted),
            "problem": cell.problem.name,
            "parameters": _parameters(cell.problem),
            "d": pair.d,
            "n": cell.n,
            "method": method,
            "k": None if k is None else str(k),
            "bandwidth": bandwidth,
            "split": cell.split,
            "repeat": cell.repeat,
            "seed": cell.seed,
            "n_real": pair.real.n,
            "n_generated": pair.generated.n,
            "k_used": None if k is None else estimate.k,
            "radius_real": radii[0],
            "radius_generated": radii[1],
            "seconds": seconds,
        }
        row |= numbers(curve, truth)
        if cell.beside and truth is not None and cell.split is not None:
            row |= _bound_numbers(estimate, truth)
        found.append((row, estimate))
    return found


def _bound_numbers(estimate: Estimate, truth: PRCurve) -> Row:
    """`BOUND_COLUMNS` of an estimate; empty if its family gives no bound."""
    bound = known_bound([estimate], held_out=True)
    compared = {}
    if bound is not None:
        compared = bound.compare(truth)._asdict()
    return {f"bound_{number}": value for number, value in compared.items()}


# Columns that identify a row's setting; all repeats of a setting have the same values in them.
SETTINGS = ("problem", "parameters", "d", "n", "split", "method", "k", "bandwidth")


# ---- the grid ----

Problem = str | Known | tuple[PathLike, PathLike]


@dataclass(frozen=True)
class SweepGrid:
    """The values whose combinations a sweep measures; see `sweep`."""

    problems: Problem | Sequence[Problem]
    methods: Methods = None
    ks: Sequence[K] = ("sqrt",)
    bandwidths: Sequence[float | None] = (None,)
    splits: Sequence[float | None] = (0.5,)
    ns: Sequence[int | None] = (None,)
    dims: Sequence[int | None] = (None,)
    repeats: int = 1
    seed: int = 0


def sweep(
    problems: Problem | Sequence[Problem],
    methods: Methods = None,
    ks: Sequence[K] = ("sqrt",),
    bandwidths: Sequence[float | None] = (None,),
    splits: Sequence[float | None] = (0.5,),
    ns: Sequence[int | None] = (None,),
    dims: Sequence[int | None] = (None,),
    repeats: int = 1,
    seed: int = 0,
    executor: Executor | None = None,
    *,
    out: PathLike | None = None,
    progress: Progress | None = None,
    on_rows: Callable[[pd.DataFrame], None] | None = None,
    columns: str | Sequence[str] | None = None,
    drop: str | Sequence[str] = (),
    group: str | None = None,
) -> pd.DataFrame:
    """Measure every combination, and compare it with the truth where one is known.

    Parameters
    ----------
    problems : str, toy problem, pair of paths, or sequence of these
        Names of toys, toy problems, or pairs of paths (real, generated). Each file is read once
        before the sweep and again where it is measured; the sweep stops with an error if a file
        changes in between.
    methods : sequence of str, str or None
        Names in ESTIMATORS; None: the default ones.
    ks : sequence of int or "sqrt"
        Numbers of neighbours, as in `prviz.pr_curve`.
    bandwidths : sequence of float or None
        As in `prviz.pr_curve`. For methods that tune a bandwidth each number is one row,
        independent of ``ks``.
    splits : sequence of float or None
        As in `prviz.pr_curve`. Methods that need a split have no rows where it is None.
    ns : sequence of int or None
        Samples per set; None: the toy's own number, or all samples of the files.
    dims : sequence of int or None
        Dimensions of toys; None: the toy's own.
    repeats : int
        Number of fresh samples, each with a fresh split.
    seed : int
        Seed of the sweep. Each cell's seed follows from this one and the cell's settings alone, so
        that order, restarts and the number of workers change nothing.
    executor : Executor or None
        Runs the cells; None: a process for every core. Each cell keeps to one thread.
    out : path or None
        A Parquet file for the rows, written every few seconds and when the sweep ends or is
        stopped; a crash loses the rows of the last seconds. Rows in the file are not measured
        again. Rows of other settings, and of earlier contents of the files (other digests in
        ``parameters``), stay in it. Several sweeps may share the file.
    progress : callable or None
        Called with the share of the cells that are done; may raise to stop.
    on_rows : callable or None
        Called with each cell's rows when they are measured; may raise to stop.
    columns, drop, group : optional
        For all files that are tables: which columns are features, which are not, and which one
        names the group of a row, as in `prviz.read`.

    Returns
    -------
    DataFrame
        A row per measurement in the order of the grid. ``seconds`` is the time of the cell, which
        measures all its rows in one pass; iou, excess and deficit are nan where no truth is known.

    Raises
    ------
    ValueError
        An argument or a file that can't be used; or an ``out`` that is not the file of a sweep, is
        damaged, or was written by a version of prviz that computes differently.
    TypeError
        A problem of another type.
    OSError
        ``out`` can't be written, or a worker ended.

    Notes
    -----
    In a script, put the call below ``if __name__ == "__main__":``, since the worker processes
    import the script.
    """
    choice = ColumnChoice.of(columns, drop, group, shared=True)
    grid = SweepGrid(problems, methods, ks, bandwidths, splits, ns, dims, repeats, seed)
    return run_tasks(
        sweep_cells(grid, choice=choice),
        COLUMNS,
        executor,
        out=out,
        progress=progress,
        on_rows=on_rows,
    )


def sweep_cells(
    grid: SweepGrid,
    *,
    choice: ColumnChoice = SHARED,
    on_read: Callable[[Samples], None] = warn_of_notes,
    on_pair: Callable[[SamplePair], None] = say,
) -> list[Cell]:
    """The cells of a grid, as tasks for `run_tasks`; raises ValueError before anything is measured.

    on_read, on_pair : called with the samples of each file, and with each pair of files.
    """
    names = method_names(grid.methods)
    widths = [check_bandwidth(width) for width in _several("bandwidths", grid.bandwidths)]
    checked_whole("repeats", grid.repeats, 1)
    checked_whole("seed", grid.seed, 0)
    shares = [split_share(split) for split in _several("splits", grid.splits)]
    known = _problems(grid.problems, grid.dims, choice, on_read)
    for problem in known:
        if isinstance(problem, Files):
            on_pair(SamplePair(*problem.read()))
    ks = _several("ks", grid.ks)
    found = []
    for problem, n, split in itertools.product(known, _several("ns", grid.ns), shares):
        _check_sizes(problem, n, split, ks)
        wanted = wanted_rows(names, ks, widths, split)
        for repeat in range(grid.repeats):
            found.append(Cell(problem, n, split, repeat, grid.seed, wanted))
    if not any(cell.wanted for cell in found):
        raise ValueError(
            f"methods = {grid.methods!r}, splits = {list(grid.splits)}; these methods need a split:"
            " name one"
        )
    return found


def sweep_seconds(cells: Sequence[Cell]) -> float | None:
    """Estimated seconds that the cells take on this machine, one cell per core; None if a cell
    reads files.
    """
    alike = Counter(replace(cell, repeat=0, seed=0) for cell in cells)
    total = 0.0
    with threads_at_most(1):
        for cell, times in alike.items():
            seconds = _cell_seconds(cell)
            if seconds is None:
                return None
            total += seconds * times
    return total / max(min(available_threads(), len(cells)), 1)


def _cell_seconds(cell: Cell) -> float | None:
    d = None
    if not isinstance(cell.problem, Files):
        d = cell.problem.parameters.get("d")
    if isinstance(cell.problem, Files) or not isinstance(d, int):
        return None
    methods = {method for method, _, _ in cell.wanted}
    ks = {k for _, k, _ in cell.wanted if k is not None}
    widths = {width for _, _, width in cell.wanted if width is not None}
    size = cell.n or cell.problem.default_n
    work = passes(methods, ks=len(ks) or 1, bandwidths=len(widths), split=cell.split, drawn=True)
    return estimate_seconds(size, size, d, **work)


def sweep_means(rows: pd.DataFrame, number: str = "iou") -> pd.DataFrame:
    """Mean and spread of one number over the repeats of every setting, in the order of the rows.

    rows : rows of `sweep`.
    number : a column of numbers.

    Returns
    -------
    A row per setting: the columns SETTINGS, ``mean``, ``spread`` (standard deviation over repeats,
    dividing by repeats - 1; nan for one) and ``repeats`` (their number).
    """
    groups = rows.groupby(list(SETTINGS), dropna=False, sort=False)[number]
    return groups.agg(mean="mean", spread="std", repeats="count").reset_index()


def _several(name: str, values: Sequence[Any]) -> Sequence[Any]:
    given = checked_list(name, values, "values")
    if not given:
        raise ValueError(f"{name} = []; a list with at least one value is needed")
    return list(dict.fromkeys(given))


def _problems(
    problems: Problem | Sequence[Problem],
    dims: Sequence[int | None],
    choice: ColumnChoice,
    on_read: Callable[[Samples], None],
) -> list[Known | Files]:
    alone = (
        isinstance(problems, str | Known)
        or _are_paths(problems)
        or not isinstance(problems, Iterable)
    )
    given: list[Any] = [problems] if alone else list(problems)  # type: ignore[arg-type]
    if not given:
        raise ValueError(
            "problems is empty; a toy's name, a toy problem or a pair of paths is needed"
        )
    found: list[Known | Files] = []
    names: dict[str, None] = {}

    @functools.cache  # cached, since one reference may be in many pairs
    def digest(path: Path) -> str:
        samples = read_chosen(path, choice)
        on_read(samples)
        names.update(dict.fromkeys((*samples.features, *samples.labels)))
        return samples.digest

    for each, d in itertools.product(given, _several("dims", dims)):
        problem = _problem(each, digest, choice)
        if isinstance(problem, ToyProblem) and d is not None:
            problem = toy(problem.name, **{**problem.parameters, "d": d})
        if problem not in found:
            found.append(problem)
    if unknown := choice.unknown(names):
        has = "none has columns"
        if names:
            has = f"they have {listed(names)}"
        raise ValueError(f"no file of the sweep has a column {quoted(unknown[0])}; {has}")
    return found


def _are_paths(given: Any) -> bool:
    """True for a tuple of two paths, which may be texts: toys' names have no ending."""
    if not isinstance(given, tuple) or len(given) != 2:
        return False
    real, generated = given
    if not isinstance(real, str | os.PathLike) or not isinstance(generated, str | os.PathLike):
        return False
    names = isinstance(real, str) and isinstance(generated, str)
    return not names or bool(Path(real).suffix or Path(generated).suffix)


def _problem(problem: Any, digest: Callable[[Path], str], choice: ColumnChoice) -> Known | Files:
    if isinstance(problem, Known):
        return problem
    if isinstance(problem, str):
        if problem not in TOYS:
            raise ValueError(
                f"problems has {problem!r}; one of {', '.join(TOYS)} is needed, or a pair of paths"
            )
        return toy(problem)
    if (
        isinstance(problem, Sequence)
        and len(problem) == 2
        and all(isinstance(p, str | os.PathLike) for p in problem)
    ):
        real, generated = (Path(each).absolute() for each in problem)
        for path in (real, generated):
            if not path.is_file():
                raise ValueError(f"problems has {str(path)!r}, which is not a file here")
        return Files(real, generated, (digest(real), digest(generated)), choice)
    raise TypeError(
        f"problems has {' '.join(reprlib.repr(problem).split())}; a toy's name, a toy problem or a"
        " pair of paths is needed; prviz.estimate measures samples in memory"
    )


def _check_sizes(
    problem: Known | Files, n: int | None, split: float | None, ks: Sequence[K]
) -> None:
    """Raise ValueError for an n, split or k with which a cell would fail when it runs."""
    if n is not None:
        checked_whole("n", n, 2, why=", or None,")
    size = n or (None if isinstance(problem, Files) else problem.default_n)
    if size is None:
        return
    most = fit_size(size, split) - 1
    for k in ks:
        if k != "sqrt":
            checked_whole("k", k, 1, most, f' or "sqrt", with n = {size} and split = {split},')
