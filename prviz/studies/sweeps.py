"""A grid of measurements, one tidy row each, on this machine's cores or any executor; resumed where it stopped."""

from __future__ import annotations

import functools
import itertools
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prviz.estimators.base import check_bandwidth
from prviz.measure.estimates import K, method_names, passes
from prviz.measure.workload import Options, estimate_seconds, fit_size
from prviz.neighbors.threads import available_threads, threads_at_most
from prviz.readers import read
from prviz.studies.cells import COLUMNS, Cell, Files, Known, Wanted, wanted_rows
from prviz.studies.tasks import check_whole, run_tasks
from prviz.toys import TOYS, ToyProblem, toy

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SETTINGS", "sweep", "sweep_cells", "sweep_means", "sweep_seconds"]

# The columns of a row that identify its setting; its repeats have these in common.
SETTINGS = ("problem", "parameters", "d", "n", "split", "method", "k", "bandwidth")

Problem = str | Known | tuple[str | os.PathLike[str], str | os.PathLike[str]]


def sweep(
    problems: Problem | Sequence[Problem],
    methods: Sequence[str] | str | None = None,
    ks: Sequence[K] = ("sqrt",),
    bandwidths: Sequence[float | None] = (None,),
    splits: Sequence[float | None] = (0.5,),
    ns: Sequence[int | None] = (None,),
    dims: Sequence[int | None] = (None,),
    repeats: int = 1,
    seed: int = 0,
    executor: Executor | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    progress: Callable[[float], None] | None = None,
    on_rows: Callable[[pd.DataFrame], None] | None = None,
) -> pd.DataFrame:
    """Measure every combination, and compare it with the truth where one is known.

    Parameters
    ----------
    problems : str, toy problem, pair of paths, or sequence of these
        Names of toys, toy problems, or pairs of paths (real, generated). Each file is read once before the sweep and
        again where it is measured; the sweep ends if a file changes in between.
    methods : sequence of str, str or None
        Names in ESTIMATORS; None: the default ones.
    ks : sequence of int or "sqrt"
        Numbers of neighbours, as in `prviz.pr_curve`.
    bandwidths : sequence of float or None
        As in `prviz.pr_curve`. For methods that tune a bandwidth each number is one row, independent of ``ks``.
    splits : sequence of float or None
        As in `prviz.pr_curve`. Methods that need a split have no rows where it is None.
    ns : sequence of int or None
        Samples per set; None: the toy's own number, or all samples of the files.
    dims : sequence of int or None
        Dimensions of toys; None: the toy's own.
    repeats : int
        Number of fresh samples, each with a fresh split.
    seed : int
        Seed of the sweep. Each cell's seed follows from this one and the cell's settings alone, so that order, restarts
        and the number of workers change nothing.
    executor : Executor or None
        Runs the cells; None: a process for every core. Each cell keeps to one thread.
    out : path or None
        A Parquet file that keeps the rows, written every few seconds and at the end, also where the sweep stops; a
        crash loses the rows of the last seconds. Rows in the file are not measured again. Rows of other settings, and
        of earlier contents of the files (other digests in ``parameters``), stay. Several sweeps may share the file.
    progress : callable or None
        Called with the share of the cells that are done; may raise to stop.
    on_rows : callable or None
        Called with each cell's rows when they are measured; may raise to stop.

    Returns
    -------
    DataFrame
        A row per measurement in the order of the grid. ``seconds`` is the time of the cell, which measures all its rows
        in one pass; iou, excess and deficit are nan where no truth is known.

    Raises
    ------
    ValueError
        An argument or a file that can't be used; or an ``out`` that is not a sweep's, is damaged, or was written by a
        version of prviz that measured otherwise.
    TypeError
        A problem of another type.
    OSError
        ``out`` can't be written, or a worker ended.
    """
    cells = sweep_cells(problems, methods, ks, bandwidths, splits, ns, dims, repeats, seed)
    return run_tasks(cells, COLUMNS, executor, out=out, progress=progress, on_rows=on_rows)


def sweep_cells(
    problems: Problem | Sequence[Problem],
    methods: Sequence[str] | str | None = None,
    ks: Sequence[K] = ("sqrt",),
    bandwidths: Sequence[float | None] = (None,),
    splits: Sequence[float | None] = (0.5,),
    ns: Sequence[int | None] = (None,),
    dims: Sequence[int | None] = (None,),
    repeats: int = 1,
    seed: int = 0,
) -> list[Cell]:
    """The grid of `sweep`, checked before anything is measured: `run_tasks` measures it."""
    names = method_names(methods)
    widths = [check_bandwidth(width) for width in _several("bandwidths", bandwidths)]
    check_whole("repeats", repeats, 1)
    check_whole("seed", seed, 0)
    found = []
    grid = itertools.product(_problems(problems, dims), _several("ns", ns), _several("splits", splits))
    for (problem, n, split), repeat in itertools.product(list(grid), range(repeats)):
        _check_sizes(problem, n, split, _several("ks", ks))
        found.append(Cell(problem, n, split, repeat, seed, wanted_rows(names, ks, widths, split)))
    if not any(cell.wanted for cell in found):
        raise ValueError(f"methods = {methods!r}, splits = {list(splits)}; these methods need a split: name one")
    return found


def sweep_seconds(cells: Sequence[Cell]) -> float | None:
    """Rough number of seconds that the cells take on this machine, one cell per core; None for files."""
    alike = Counter((cell.problem, cell.n, cell.split, cell.wanted) for cell in cells)
    with threads_at_most(1):
        each = [_cell_seconds(*cell) for cell in alike]
    if any(seconds is None for seconds in each):
        return None
    total = sum(seconds * times for seconds, times in zip(each, alike.values(), strict=True) if seconds is not None)
    return total / max(min(available_threads(), len(cells)), 1)


def _cell_seconds(
    problem: Known | Files, n: int | None, split: float | None, wanted: tuple[Wanted, ...]
) -> float | None:
    d = None if isinstance(problem, Files) else problem.parameters.get("d")
    if isinstance(problem, Files) or not isinstance(d, int):
        return None
    methods = list(dict.fromkeys(method for method, _, _ in wanted))
    ks = len({k for _, k, _ in wanted} - {None}) or 1
    widths = len({width for _, _, width in wanted} - {None})
    size = n or problem.default_n
    options: Options = {**passes(methods), "ks": ks, "bandwidths": widths, "split": split, "drawn": True}
    return estimate_seconds(size, size, d, **options)


def sweep_means(rows: pd.DataFrame, number: str = "iou") -> pd.DataFrame:
    """Mean and spread of one number over the repeats of every setting, in the order of the rows.

    rows : rows of `sweep`. number : a column of numbers.

    Returns
    -------
    A row per setting: the columns SETTINGS, ``mean``, ``spread`` (the standard deviation over the repeats, n - 1; nan
    for a single one) and ``repeats`` (their number).
    """
    groups = rows.groupby(list(SETTINGS), dropna=False, sort=False)[number]
    return groups.agg(mean="mean", spread="std", repeats="count").reset_index()


def _several(name: str, values: Sequence[Any]) -> Sequence[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable) or not (listed := list(values)):
        raise ValueError(f"{name} = {values!r}; a list with at least one value is needed")
    return list(dict.fromkeys(listed))


def _problems(problems: Problem | Sequence[Problem], dims: Sequence[int | None]) -> list[Known | Files]:
    alone = isinstance(problems, str | Known) or _is_files(problems)
    listed: list[Any] = [problems] if alone else list(problems)  # type: ignore[arg-type]
    if not listed:
        raise ValueError("problems is empty; a toy's name, a toy problem or a pair of paths is needed")
    found: list[Known | Files] = []
    digest = functools.cache(lambda path: read(path).digest)  # one reference may be in many pairs
    for each, d in itertools.product(listed, _several("dims", dims)):
        problem = _problem(each, digest)
        if isinstance(problem, ToyProblem) and d is not None:
            problem = toy(problem.name, **{**problem.parameters, "d": d})
        if problem not in found:
            found.append(problem)
    return found


def _is_files(problem: Any) -> bool:
    return isinstance(problem, tuple) and len(problem) == 2 and any(isinstance(each, os.PathLike) for each in problem)


def _problem(problem: Any, digest: Callable[[Path], str]) -> Known | Files:
    if isinstance(problem, Known):
        return problem
    if isinstance(problem, str):
        if problem not in TOYS:
            raise ValueError(f"problems has {problem!r}; one of {', '.join(TOYS)} is needed, or a pair of paths")
        return toy(problem)
    if isinstance(problem, Sequence) and len(problem) == 2 and all(isinstance(p, str | os.PathLike) for p in problem):
        real, generated = (Path(each).absolute() for each in problem)
        for path in (real, generated):
            if not path.is_file():
                raise ValueError(f"problems has {str(path)!r}, which is not a file here")
        return Files(real, generated, (digest(real), digest(generated)))
    raise TypeError(f"problems has {problem!r}; a toy's name, a toy problem or a pair of paths is needed")


def _check_sizes(problem: Known | Files, n: int | None, split: float | None, ks: Sequence[K]) -> None:
    """Raise ValueError for n, split or k that a cell would refuse only when its turn comes."""
    if n is not None and (isinstance(n, bool) or not isinstance(n, int) or n < 2):
        raise ValueError(f"ns has {n!r}; whole numbers of at least 2 are needed, or None")
    if split is not None and not (isinstance(split, int | float) and 0 < split < 1):
        raise ValueError(f"splits has {split!r}; numbers between 0 and 1 are needed, or None")
    size = n or (None if isinstance(problem, Files) else problem.default_n)
    if size is None:
        return
    most = fit_size(size, split) - 1
    for k in ks:
        if k != "sqrt" and (isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= most):
            raise ValueError(f'ks has {k!r}; with n = {size} and split = {split}, 1 to {most} or "sqrt" is needed')
