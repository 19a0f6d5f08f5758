"""What ``prviz sweep`` does: a configuration in, a Parquet file of rows out, resumed where it stopped."""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from prviz._terminal import watched

__all__ = ["add_sweep", "read_config"]

_TEXT = """Measure a grid of problems and settings, and compare every curve with the truth where one is known. A stopped
sweep goes on where it was when the same line is given again."""

_EPILOG = """The configuration is TOML: problems, a list of toys' names, of tables {toy = "...", and its parameters} or
of tables {real = "...", generated = "..."} with paths from the configuration's own folder; and, each optional: methods,
ks (numbers or "sqrt"), bandwidths (numbers or "auto"), splits (numbers or "none"), ns, dims, repeats, seed."""

_LISTS = ("problems", "methods", "ks", "bandwidths", "splits", "ns", "dims")
_NUMBERS = ("repeats", "seed")
_WORDS = {"bandwidths": "auto", "splits": "none"}


def add_sweep(parser: argparse.ArgumentParser) -> None:
    """Give ``parser`` the arguments of ``prviz sweep``, and what runs them."""
    parser.description, parser.epilog = _TEXT, _EPILOG
    parser.add_argument("config", type=Path, metavar="CONFIG", help="TOML file with the grid")
    parser.add_argument("--out", type=Path, metavar="PATH", help="Parquet file of the rows (default: beside CONFIG)")
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--scheduler", metavar="ADDRESS", help="run on the workers of this Dask scheduler, tcp://host:8786"
    )
    where.add_argument("--dask", action="store_true", help="run on a local Dask cluster")
    parser.set_defaults(run=_sweep)


def read_config(path: Path) -> dict[str, Any]:
    """The arguments of `prviz.sweep` in a TOML file.

    Raises
    ------
    ValueError : not TOML, an unknown key, or a value of another kind; the message names the key and what is legal.
    """
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path.name} is not TOML: {error}") from None
    legal = (*_LISTS, *_NUMBERS)
    for key, value in found.items():
        if key not in legal:
            raise ValueError(f"{path.name} has the key {key!r}; its keys may be {', '.join(legal)}")
        if key in _LISTS and not isinstance(value, list):
            raise ValueError(f"{path.name}: {key} = {value!r}; a list is needed")
    if "problems" not in found:
        raise ValueError(f"{path.name} has no key 'problems'; a list of at least one problem is needed")
    for key, word in _WORDS.items():
        if key in found:
            found[key] = [None if value == word else value for value in found[key]]
    return found | {"problems": [_problem(each, path) for each in found["problems"]]}


def _problem(entry: Any, path: Path) -> Any:
    from prviz.toys import toy

    if isinstance(entry, str):
        return entry
    if isinstance(entry, Mapping) and set(entry) == {"real", "generated"}:
        return (path.parent / str(entry["real"]), path.parent / str(entry["generated"]))
    if isinstance(entry, Mapping) and isinstance(entry.get("toy"), str):
        try:
            return toy(**{"name": entry["toy"], **{key: value for key, value in entry.items() if key != "toy"}})
        except (ValueError, TypeError) as error:
            raise ValueError(f"{path.name}: problems has {entry!r}: {error}") from None
    raise ValueError(
        f"{path.name}: problems has {entry!r}; a toy's name, a table with toy and its parameters, or a table with real "
        "and generated is needed"
    )


def _sweep(arguments: argparse.Namespace) -> int:
    from prviz._dask import dask_executor
    from prviz.sweeps import sweep

    given = read_config(arguments.config)
    out = arguments.out or arguments.config.with_suffix(".parquet")
    elsewhere = arguments.scheduler is not None or arguments.dask
    with dask_executor(arguments.scheduler) if elsewhere else nullcontext() as executor, watched(None) as progress:
        try:
            table = sweep(**given, executor=executor, out=out, progress=progress)
        except KeyboardInterrupt:
            sys.stderr.write(f"\nprviz: stopped; what is measured is in {out}, the same line goes on from there\n")
            raise
    means = table.groupby(["problem", "method", "k"], dropna=False)[["auc", "iou", "excess", "deficit"]].mean()
    sys.stdout.write(f"{len(table)} rows in {out}; their means:\n{means.round(4).to_string()}\n")
    return 0
