"""``prviz sweep``: measures a grid of settings into a Parquet file; a stopped sweep resumes."""

from __future__ import annotations

import argparse
import json
import reprlib
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prviz.checks.flags import flags_of
from prviz.cli.terminal import (
    add_columns,
    add_workers,
    column_choice,
    measured,
    say_flags,
    say_notes,
)
from prviz.studies.sweeps import (
    COLUMNS,
    SETTINGS,
    Cell,
    Files,
    SweepGrid,
    sweep_cells,
    sweep_seconds,
)
from prviz.toys import TOYS, toy

if TYPE_CHECKING:
    import pandas as pd


_TEXT = """Measure a grid of problems and settings, and compare every curve with the truth where one
is known. A stopped sweep continues when the same command is given again."""

_EPILOG = """The configuration is TOML: problems, a list of toys' names, of tables {toy = "...", and
its parameters} or of tables {real = "...", generated = "..."} with paths from the configuration's
own folder; and, each optional: methods, ks (numbers or "sqrt"), bandwidths (numbers or "auto"),
splits (numbers or "none"), ns and dims (numbers or "own": the toy's, or all that the files hold),
repeats, seed."""

_LISTS = ("problems", "methods", "ks", "bandwidths", "splits", "ns", "dims")
_NUMBERS = ("repeats", "seed")
# Key of the configuration -> the word that stands for None there, as TOML has no null.
_WORDS = {"bandwidths": "auto", "splits": "none", "ns": "own", "dims": "own"}

# Longest configuration, in characters: tomllib takes quadratic time on texts such as a.a.a...
_MOST_CHARACTERS = 10_000


def add_sweep(parser: argparse.ArgumentParser) -> None:
    """Give ``parser`` the arguments of ``prviz sweep``, and the function that runs it."""
    parser.description = _TEXT
    parser.epilog = _EPILOG
    parser.add_argument("config", type=Path, metavar="CONFIG", help="TOML file with the grid")
    parser.add_argument(
        "--out", type=Path, metavar="PATH", help="Parquet file of the rows (default: beside CONFIG)"
    )
    add_columns(parser)
    add_workers(parser)
    parser.set_defaults(run=_sweep)


def read_config(path: Path) -> dict[str, Any]:
    """Read the arguments of `prviz.sweep` from a TOML file; its paths are relative to its folder.

    Raises ValueError if the file is not UTF-8 text, and the errors of `config_arguments`.
    """
    try:
        return config_arguments(path.read_text(encoding="utf-8"), path.name, path.parent)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.name} is not TOML: {error}") from None


def config_arguments(text: str, name: str, folder: Path = Path()) -> dict[str, Any]:
    """Arguments of `prviz.sweep` from a TOML text; ``name`` names the text in messages.

    Raises
    ------
    ValueError : the text is too long or not TOML, has an unknown key, or a value of a wrong type.
    The message says what is accepted.
    """
    if len(text) > _MOST_CHARACTERS:
        raise ValueError(
            f"{name} has {len(text):,} characters; at most {_MOST_CHARACTERS:,} are read"
        )
    try:
        return _checked_arguments(tomllib.loads(text), name, folder)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{name} is not TOML: {error}") from None
    except RecursionError:
        raise ValueError(
            f"{name} nests brackets or keys too deeply; lists and tables of values are needed"
        ) from None


def _checked_arguments(config: dict[str, Any], name: str, folder: Path) -> dict[str, Any]:
    legal = (*_LISTS, *_NUMBERS)
    for key, value in config.items():
        if key not in legal:
            raise ValueError(
                f"{name} has the key {reprlib.repr(key)}; its keys may be {', '.join(legal)}"
            )
        if key in _LISTS and not isinstance(value, list):
            raise ValueError(f"{name}: {key} = {reprlib.repr(value)}; a list is needed")
    if "problems" not in config:
        raise ValueError(f"{name} has no key 'problems'; a list of at least one problem is needed")
    for key, word in _WORDS.items():
        if key in config:
            config[key] = [None if value == word else value for value in config[key]]
    return config | {"problems": [_problem(entry, name, folder) for entry in config["problems"]]}


def config_text(arguments: Mapping[str, Any]) -> str:
    """TOML text of a sweep's arguments, the inverse of `config_arguments`.

    problems : list of toys' names and toy problems.
    """
    lists: dict[str, list[Any]] = {}
    for key in _LISTS:
        if key in arguments:
            lists[key] = []
        for value in arguments.get(key, ()):
            entry = _WORDS[key] if value is None else value
            if key == "problems" and not isinstance(value, str):
                changed = {
                    name: each
                    for name, each in value.parameters.items()
                    if each != TOYS[value.name][name]
                }
                entry = {"toy": value.name, **changed} if changed else value.name
            lists[key].append(entry)
    numbers = {key: arguments[key] for key in _NUMBERS if key in arguments}
    return "".join(f"{key} = {_toml(value)}\n" for key, value in (lists | numbers).items())


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_toml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)  # JSON and TOML write texts and finite numbers alike


def _problem(entry: Any, name: str, folder: Path) -> Any:
    if isinstance(entry, str):
        return entry
    if isinstance(entry, Mapping) and set(entry) == {"real", "generated"}:
        return (folder / str(entry["real"]), folder / str(entry["generated"]))
    if isinstance(entry, Mapping) and isinstance(entry.get("toy"), str):
        try:
            return toy(
                **{
                    "name": entry["toy"],
                    **{key: value for key, value in entry.items() if key != "toy"},
                }
            )
        except (ValueError, TypeError) as error:
            raise ValueError(f"{name}: problems has {reprlib.repr(entry)}: {error}") from None
    raise ValueError(
        f"{name}: problems has {reprlib.repr(entry)}; a toy's name, a table with toy and its"
        " parameters, or a table with real and generated is needed"
    )


def _sweep(arguments: argparse.Namespace) -> int:
    config = read_config(arguments.config)
    choice = column_choice(arguments)
    cells = sweep_cells(
        SweepGrid(**config),
        choice=choice,
        on_read=lambda samples: say_notes([samples]),
        on_pair=lambda pair: say_flags(flags_of(pair)),
    )
    out = arguments.out or arguments.config.with_suffix(".parquet")
    elsewhere = arguments.scheduler is not None or arguments.dask
    seconds = None if elsewhere or out.exists() else sweep_seconds(cells)
    table = measured(
        cells,
        COLUMNS,
        out,
        seconds,
        scheduler=arguments.scheduler,
        dask=arguments.dask,
        line_of=_line,
    )
    # Average over everything but problem, method, k, and the settings that differ between rows.
    usual = ("problem", "method", "k")
    varied = [name for name in SETTINGS if name in usual or table[name].nunique(dropna=False) > 1]
    means = table.groupby(varied, dropna=False)[["auc", "iou", "excess", "deficit"]].mean()
    sys.stdout.write(
        f"{len(table)} rows in {out}; their "
        f"means:\n{means.round(4).to_string()}\n{_earlier(cells, out)}"
    )
    return 0


def _earlier(cells: Sequence[Cell], out: Path) -> str:
    """A line that counts the rows in ``out`` measured on earlier contents of the same files; "" if
    there are none.
    """
    import pandas as pd

    now = {
        each.problem.name: json.dumps(each.problem.parameters, sort_keys=True)
        for each in cells
        if isinstance(each.problem, Files)
    }
    held = pd.read_parquet(out, columns=["problem", "parameters"])
    count = sum(
        parameters != now.get(name, parameters) for name, parameters in held.itertuples(index=False)
    )
    if not count:
        return ""
    rows = f"{count} row{'' if count == 1 else 's'}"
    return (
        f"{out} also holds {rows} of other contents of these files: the digests in `parameters`"
        " tell them apart\n"
    )


def _line(rows: pd.DataFrame) -> str:
    """The line to print for one pair: for each family the IoU with the truth, or the area where no
    truth is known.
    """
    number, label = ("iou", "IoU") if rows["iou"].notna().any() else ("auc", "AuC")
    plain = rows.astype(object).where(rows.notna(), None).to_dict("records")
    first = plain[0]
    pair = {
        "d": first["d"],
        "n": first["n_real"],
        "split": first["split"] or "none",
        "repeat": first["repeat"],
    }
    measured = [
        f"{row['method']}{_setting('k', row['k'])}{_setting('bandwidth', row['bandwidth'])}"
        f" {row[number]:.3f}"
        for row in plain
    ]
    where = "".join(_setting(name, value) for name, value in pair.items())
    return f"{first['problem']}{where}: {label} {', '.join(measured)}"


def _setting(name: str, value: Any) -> str:
    if value is None:
        return ""
    return f" {name}={value}"
