"""A grid of measurements, one tidy row each, on this machine's cores or any executor; resumed where it stopped."""

from __future__ import annotations

import itertools
import multiprocessing
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from prviz._cells import COLUMNS, Cell, Files, Wanted, row_key, run_cell, wanted_rows
from prviz.estimators.base import check_bandwidth
from prviz.evaluate import K, method_names
from prviz.neighbors.threads import available_threads
from prviz.toys import TOYS, ToyProblem, toy
from prviz.workload import fit_size

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

__all__ = ["SWEEP_SCHEMA", "sweep"]

Problem = str | ToyProblem | tuple[str | os.PathLike[str], str | os.PathLike[str]]

SWEEP_SCHEMA = 1
_TEXTS = ("key", "problem", "parameters", "method", "k")
_WHOLE = ("d", "n", "repeat", "seed", "n_real", "n_generated", "k_used")
# Cells handed out at once, per core: enough to keep every core busy, few enough to stop soon.
_AHEAD = 2


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
    problems : names of toys, toy problems, or pairs of paths (real, generated), which are read where they are measured.
    methods : names in ESTIMATORS; None: the default ones.
    ks, bandwidths, splits : as in `prviz.pr_curve`. A bandwidth that is not None is a row of its own for methods that
        tune one, whatever ks. Methods that need a split have no rows without one.
    ns : samples per set; None: a toy's own number, or all that the files hold. dims : of toys; None: their own.
    repeats : fresh samples and a fresh split each. seed : of all; each cell's own follows from its settings alone, so
        that order, restarts and the number of workers change nothing.
    executor : runs the cells; None: a process for every core. Each cell keeps to one thread.
    out : a Parquet file that holds every row as soon as it is measured. Rows that it holds already are not measured
        again; rows of other settings stay.
    progress : called with the share of the cells that are done; on_rows : with each cell's rows as they come. Both may
        raise to stop: what is measured is in ``out``.

    Returns
    -------
    A row per measurement in the order of the grid. ``seconds`` is the time of the cell, which measures all its rows in
    one pass; iou, excess and deficit are nan where no truth is known.

    Raises
    ------
    ValueError, TypeError : an argument or a file that can't be used, or an ``out`` that is not a sweep's.
    """
    cells = _cells(problems, methods, ks, bandwidths, splits, ns, dims, repeats, seed)
    path = None if out is None else Path(out)
    rows = {} if path is None else _held(path)
    asked = [row_key(cell, wanted) for cell in cells for wanted in cell.wanted]
    pending = [left for cell in cells if (left := _unmeasured(cell, rows)).wanted]
    done = len(cells) - len(pending)
    with _executor(executor, len(pending)) as pool:
        for found in _results(pool, pending):
            rows |= {row["key"]: row for row in found}
            if path is not None:
                _write(path, _table(rows.values()))
            done += 1
            if on_rows is not None:
                on_rows(_table(found))
            if progress is not None:
                progress(done / len(cells))
    return _table(rows[key] for key in asked)


def _cells(
    problems: Problem | Sequence[Problem],
    methods: Sequence[str] | str | None,
    ks: Sequence[K],
    bandwidths: Sequence[float | None],
    splits: Sequence[float | None],
    ns: Sequence[int | None],
    dims: Sequence[int | None],
    repeats: int,
    seed: int,
) -> list[Cell]:
    """The grid, checked before anything is measured."""
    names = method_names(methods)
    widths = [check_bandwidth(width) for width in _several("bandwidths", bandwidths)]
    if isinstance(repeats, bool) or not isinstance(repeats, int) or repeats < 1:
        raise ValueError(f"repeats = {repeats!r}; a whole number of at least 1 is needed")
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ValueError(f"seed = {seed!r}; a whole number of at least 0 is needed")
    found = []
    grid = itertools.product(_problems(problems, dims), _several("ns", ns), _several("splits", splits))
    for (problem, n, split), repeat in itertools.product(list(grid), range(repeats)):
        _check_sizes(problem, n, split, _several("ks", ks))
        found.append(Cell(problem, n, split, repeat, seed, wanted_rows(names, ks, widths, split)))
    if not any(cell.wanted for cell in found):
        raise ValueError(f"methods = {methods!r}, splits = {list(splits)}; these methods need a split: name one")
    return found


def _several(name: str, values: Sequence[Any]) -> Sequence[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable) or not (listed := list(values)):
        raise ValueError(f"{name} = {values!r}; a list with at least one value is needed")
    return list(dict.fromkeys(listed))


def _problems(problems: Problem | Sequence[Problem], dims: Sequence[int | None]) -> list[ToyProblem | Files]:
    alone = isinstance(problems, str | ToyProblem) or _is_files(problems)
    listed: list[Any] = [problems] if alone else list(problems)  # type: ignore[arg-type]
    if not listed:
        raise ValueError("problems is empty; a toy's name, a toy problem or a pair of paths is needed")
    found: list[ToyProblem | Files] = []
    for each, d in itertools.product(listed, _several("dims", dims)):
        problem = _problem(each)
        if isinstance(problem, ToyProblem) and d is not None:
            problem = toy(problem.name, **{**problem.parameters, "d": d})
        if problem not in found:
            found.append(problem)
    return found


def _is_files(problem: Any) -> bool:
    return isinstance(problem, tuple) and len(problem) == 2 and any(isinstance(each, os.PathLike) for each in problem)


def _problem(problem: Any) -> ToyProblem | Files:
    if isinstance(problem, ToyProblem):
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
        return Files(real, generated)
    raise TypeError(f"problems has {problem!r}; a toy's name, a toy problem or a pair of paths is needed")


def _check_sizes(problem: ToyProblem | Files, n: int | None, split: float | None, ks: Sequence[K]) -> None:
    """Refuse now what a cell would refuse hours later."""
    if n is not None and (isinstance(n, bool) or not isinstance(n, int) or n < 2):
        raise ValueError(f"ns has {n!r}; whole numbers of at least 2 are needed, or None")
    if split is not None and not (isinstance(split, int | float) and 0 < split < 1):
        raise ValueError(f"splits has {split!r}; numbers between 0 and 1 are needed, or None")
    if isinstance(problem, Files) and n is None:
        return
    size = n or problem.default_n  # type: ignore[union-attr]
    most = fit_size(size, split) - 1
    for k in ks:
        if k != "sqrt" and (isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= most):
            raise ValueError(f'ks has {k!r}; with n = {size} and split = {split}, 1 to {most} or "sqrt" is needed')


def _unmeasured(cell: Cell, rows: dict[str, dict[str, Any]]) -> Cell:
    """The cell with those rows alone that are still to be measured."""
    left: tuple[Wanted, ...] = tuple(wanted for wanted in cell.wanted if row_key(cell, wanted) not in rows)
    return replace(cell, wanted=left)


@contextmanager
def _executor(given: Executor | None, cells: int) -> Iterator[Executor]:
    """The executor given, which stays open, or a process per core for as long as the sweep takes."""
    if given is not None:
        yield given
        return
    workers = max(min(available_threads(), cells), 1)
    pool = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _results(pool: Executor, cells: Sequence[Cell]) -> Iterator[list[dict[str, Any]]]:
    """The rows of each cell as soon as they are there; when the caller stops, nothing more begins."""
    waiting, running = iter(cells), set[Future[list[dict[str, Any]]]]()
    ahead = _AHEAD * (getattr(pool, "_max_workers", None) or 4 * available_threads())
    try:
        while True:
            running |= {pool.submit(run_cell, cell) for cell in itertools.islice(waiting, ahead - len(running))}
            if not running:
                return
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                yield future.result()
    finally:
        for future in running:
            future.cancel()


# ---- the file ----


def _table(rows: Iterable[dict[str, Any]]) -> pd.DataFrame:
    import pandas as pd

    table = pd.DataFrame(list(rows), columns=list(COLUMNS))
    kinds: dict[str, Literal["string", "Int64", "float64"]] = dict.fromkeys(COLUMNS, "float64")
    return table.astype(kinds | dict.fromkeys(_TEXTS, "string") | dict.fromkeys(_WHOLE, "Int64"))


def _held(path: Path) -> dict[str, dict[str, Any]]:
    """The rows of an earlier sweep by key."""
    if not path.exists():
        if not path.absolute().parent.is_dir():
            raise ValueError(f"out = {str(path)!r}; its folder does not exist")
        return {}
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path).to_pandas()
    except (pa.ArrowInvalid, OSError) as error:
        raise ValueError(f"out = {str(path)!r} can't be read as Parquet ({error}); another path is needed") from None
    missing = [column for column in COLUMNS if column not in table]
    if missing:
        raise ValueError(f"out = {str(path)!r} is not a sweep's file: it has no column {missing[0]}")
    return {row["key"]: row for row in table[list(COLUMNS)].to_dict("records")}


def _write(path: Path, table: pd.DataFrame) -> None:
    """All at once: whoever reads it, or a crash, meets the file as it was before or as it is after."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    table.attrs = {"prviz_sweep": SWEEP_SCHEMA}
    table.to_parquet(beside, index=False)
    beside.replace(path)
