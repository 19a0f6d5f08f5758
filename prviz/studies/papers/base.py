"""The base of a paper's experiment.

Setting, tasks, figures beside the published ones, conclusions, kept results.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from prviz.estimators import ESTIMATORS
from prviz.readers.paths import data_folder
from prviz.studies.kept_rows import KeptRows, Provenance, keep_rows, kept_rows
from prviz.studies.papers.charts import ALPHA_COLUMNS, CURVE_COLUMNS, Chart, curve_rows
from prviz.studies.sweeps import COLUMNS, Cell, Known, SweepGrid, sweep_cells
from prviz.studies.tasks import Columns, Row, check_whole

if TYPE_CHECKING:
    import pandas as pd

Mode = Literal["quick", "paper"]
_MODES: tuple[Mode, ...] = ("quick", "paper")

FIGURE_COLUMNS = ("figure", "ours", "spread", "repeats", "published", "difference", "bound")


class Size(NamedTuple):
    """Size of a run: samples per set (None: all that there are), repeats, and seconds on one core.

    beside : True if `BOUND_COLUMNS` are measured too.
    """

    n: int | None
    repeats: int
    seconds: float
    beside: bool = False


class Experiment(ABC):
    """One experiment of a paper.

    name : its key in `EXPERIMENTS`. title : a heading. source : paper and place. question : what it
    asks, one sentence. words : the setting, with {n}, {repeats} and what `_fields` adds.
    columns : of its rows. measure : what gives the rows of a cell; None: `prviz.sweep`. sizes : of
    its two modes. labels : columns of `figures` that tell its lines apart.
    parameters : those of the labels that are parameters of the problem: column -> name of the
    parameter.
    numbers : what is measured, label -> column of the rows. published : the paper's values, by the
    values of `labels` and the label of the number; what is missing it does not print. choices :
    labels whose value the reader of the page chooses, with the first one; along : the one of these
    that is the x axis of the chart, "" if none is.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    source: ClassVar[str]
    question: ClassVar[str]
    words: ClassVar[str]
    repeated: ClassVar[str] = "repeat"
    columns: ClassVar[Columns] = CURVE_COLUMNS
    measure: Callable[[Cell], list[Row]] | None = staticmethod(curve_rows)
    sizes: ClassVar[Mapping[Mode, Size]]
    labels: ClassVar[tuple[str, ...]]
    parameters: ClassVar[Mapping[str, str]] = {}
    numbers: ClassVar[Mapping[str, str]]
    published: ClassVar[Mapping[tuple[Any, ...], float]] = {}
    choices: ClassVar[Mapping[str, Any]] = {}
    along: ClassVar[str] = ""

    def setting(self, mode: Mode, *, repeats: int | None = None) -> str:
        """The setting in words, with what the quick mode makes smaller."""
        size = self._size(mode, repeats, None)
        words = self.words.format(**self._fields(size))
        if mode == "paper":
            return words
        less = " The upper bounds are left out." if self.sizes["paper"].beside else ""
        return f"{words} Quick mode: {self._quick(size)}.{less}"

    def tasks(
        self, mode: Mode, seed: int = 0, *, repeats: int | None = None, most: int | None = None
    ) -> list[Cell]:
        """Tasks to be measured, for `prviz.studies.tasks.run_tasks` with `columns`.

        Every first repeat comes before the second ones, so that every figure is there early.

        repeats : in place of the mode's own. most : at most so many samples per set. Raises
        ValueError for another mode, and for numbers that are not whole or too small.
        """
        check_whole("seed", seed, 0)
        size = self._size(mode, repeats, most)
        cells = [
            replace(cell, beside=self._has_bound(cell, size), measure=self.measure)
            for cell in self._cells(size, seed)
        ]
        return sorted(cells, key=lambda cell: cell.repeat)

    def seconds(self, mode: Mode, *, repeats: int | None = None) -> float:
        """Rough number of seconds on one core."""
        size = self._size(mode, repeats, None)
        return size.seconds * size.repeats / self.sizes[mode].repeats

    def figures(self, rows: pd.DataFrame) -> pd.DataFrame:
        """One line per figure, of all rows or some of them.

        Returns columns `labels`, then "figure" (what it is), "ours" (mean over repeats), "spread"
        (their sample standard deviation; nan for one), "repeats", "published" (nan where the paper
        gives none), "difference" (ours less published), "bound" (the same number of
        `prviz.upper_bound` by the family; nan where not measured).
        """
        import pandas as pd

        found: list[tuple[Any, ...]] = []
        known = self.ordered(rows) if len(rows) else rows.assign(**dict.fromkeys(self.labels))
        for values, group in known.groupby(list(self.labels), sort=False, dropna=False):
            for figure, column in self.numbers.items():
                ours = float(group[column].mean())
                spread = float(group[column].std())
                published = self.published.get((*values, figure), float("nan"))
                bound = float(group.get(f"bound_{column}", pd.Series(dtype=float)).mean())
                off = ours - published
                found.append((*values, figure, ours, spread, len(group), published, off, bound))
        return pd.DataFrame(found, columns=[*self.labels, *FIGURE_COLUMNS])

    def ordered(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with the columns `labels`, sorted by them.

        Numbers by size, words as they first come.
        """
        known = self.labelled(rows)
        return known.sort_values(list(self.labels), key=_places, kind="stable", ignore_index=True)

    def chosen(self, rows: pd.DataFrame, values: Mapping[str, Any]) -> pd.DataFrame:
        """The rows with these values of `labels`."""
        import pandas as pd

        known = self.labelled(rows)
        wanted = pd.Series(True, index=rows.index)
        for name, value in values.items():
            wanted &= known[name].eq(value).to_numpy()
        return rows[wanted]

    def table(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The table of the page: `figures`, unless an experiment has a smaller one."""
        return self.figures(rows)

    def message(self, rows: pd.DataFrame) -> str:
        """The one sentence to take away: the first of `says`."""
        return f"{self.says(rows).split('. ')[0].removesuffix('.')}."

    def says(self, rows: pd.DataFrame) -> str:
        """A few sentences on what the rows show, computed from them, the most important one
        first.
        """
        if len(rows):
            return f"{self._says(self.figures(rows))}{_beside(rows)}"
        return "Nothing is measured yet."

    def labelled(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with the columns `labels`."""
        return with_titles(rows, **self.parameters)

    @abstractmethod
    def chart(self, rows: pd.DataFrame) -> Chart:
        """The chart of all rows or some of them."""

    @abstractmethod
    def _cells(self, size: Size, seed: int) -> list[Cell]:
        """What is drawn and asked for."""

    def _has_bound(self, cell: Cell, size: Size) -> bool:  # noqa: ARG002
        """True if the upper bound is measured too."""
        return size.beside

    def _fields(self, size: Size) -> dict[str, str]:
        """What stands for the fields of `words`."""
        n = "" if size.n is None else f"{size.n:,}"
        return {"n": n, "repeats": counted(size.repeats, self.repeated)}

    @abstractmethod
    def _says(self, figures: pd.DataFrame) -> str:
        """The sentences for at least one figure."""

    def _quick(self, size: Size) -> str:
        """Differences of the quick mode from the paper mode, in words."""
        paper = self.sizes["paper"]
        smaller = []
        if size.n != paper.n:
            whole = "all samples" if paper.n is None else f"{paper.n:,}"
            smaller.append(f"n = {size.n:,} in place of {whole}")
        if size.repeats < paper.repeats:
            smaller.append(f"{size.repeats} of {paper.repeats} repeats")
        return ", ".join(smaller) or "the same numbers"

    def _size(self, mode: Mode, repeats: int | None, most: int | None) -> Size:
        if mode not in _MODES:
            raise ValueError(f"mode = {mode!r}; one of {', '.join(_MODES)} is needed")
        size = self.sizes[mode]
        if repeats is not None:
            check_whole("repeats", repeats, 1)
            size = size._replace(repeats=repeats)
        if most is not None:
            check_whole("most", most, 2)
            size = size._replace(n=most if size.n is None else min(most, size.n))
        return size


def cells(
    problems: Sequence[Known],
    methods: Sequence[str],
    ks: Sequence[int | Literal["sqrt"]],
    splits: Sequence[float | None],
    size: Size,
    seed: int,
) -> list[Cell]:
    """The grid of `prviz.sweep`."""
    return sweep_cells(
        SweepGrid(
            problems,
            methods,
            ks,
            splits=splits,
            ns=(size.n,),
            repeats=size.repeats,
            seed=seed,
        )
    )


def title_of(method: str) -> str:
    """A family's name in legends."""
    return ESTIMATORS[method].title


def with_titles(rows: pd.DataFrame, **parameters: str) -> pd.DataFrame:
    """The rows with the columns "family", "split" and "k" in words, and with parameters of their
    problems.

    parameters : new column -> name of the parameter.
    """
    found = rows.assign(
        family=rows["method"].map(title_of),
        split=["none" if split != split else f"{split:.0%}" for split in rows["split"]],
        k=rows["k"].astype(object).fillna("none").replace("sqrt", "√n"),
    )
    values = [json.loads(text) for text in rows["parameters"]]
    for column, name in parameters.items():
        found[column] = [each.get(name) for each in values]
    return found


def mean_of(figures: pd.DataFrame, figure: str, column: str = "ours", **labels: Any) -> float:
    """The mean of a column over the lines of this figure with these labels.

    Nan where there is none.
    """
    wanted = figures["figure"] == figure
    for label, value in labels.items():
        wanted &= figures[label] == value
    return float(figures.loc[wanted, column].mean())


def _beside(rows: pd.DataFrame) -> str:
    """A sentence on the upper bounds, with a space before it; none where they are not measured."""
    known = rows.dropna(subset="bound_iou") if "bound_iou" in rows else rows.iloc[:0]
    if not len(known):
        return ""
    means = {name: known[name].mean() for name in ("iou", "bound_iou")}
    return (
        f" With split, the mean IoU of these families is {means['iou']:.2f}, of the upper bounds "
        f"{means['bound_iou']:.2f}: {(known['bound_deficit'] == 0).sum():,} of {len(known):,} lie "
        "nowhere below the truth."
    )


def _places(values: pd.Series[Any]) -> pd.Series[Any]:
    """Sort key of a column: numbers by value, words by first occurrence."""
    if values.dtype.kind in "iuf":
        return values
    places = {value: place for place, value in enumerate(dict.fromkeys(values))}
    return values.map(places)


def counted(number: int, word: str) -> str:
    """1 repeat, 2 repeats."""
    return f"{number} {word}{'' if number == 1 else 's'}"


def listed(values: Sequence[str]) -> str:
    """Words in a row: a; a and b; a, b and c."""
    return " and ".join([", ".join(values[:-1]), values[-1]] if len(values) > 1 else values)


# Columns that identify the measurement of a row.
_SETTINGS = ("problem", "parameters", "d", "n", "method", "k", "split")


def folder() -> Path:
    """Folder of the kept results."""
    return data_folder() / "experiments"


def stored(experiment: Experiment, where: Path | None = None) -> KeptRows | None:
    """The kept rows of this experiment, with the columns that it needs filled.

    See `prviz.studies.kept_rows`.
    """
    return kept_rows(experiment.name, experiment.columns, folder() if where is None else where)


def keep(
    experiment: Experiment, rows: pd.DataFrame, facts: Provenance, where: Path | None = None
) -> Path:
    """Write the rows in the columns that the experiment needs, and the facts.

    See `prviz.studies.kept_rows`.
    """
    return keep_rows(
        rows[needed(experiment)], experiment.name, facts, folder() if where is None else where
    )


def needed(experiment: Experiment) -> list[str]:
    """The columns that its figures, words and chart are made of.

    Settings of a row, numbers, columns of its own.
    """
    more = set(experiment.columns) - set(COLUMNS)
    ends = ["alpha_inf", "beta_0"] if more >= set(ALPHA_COLUMNS) else []
    wanted = {*_SETTINGS, *experiment.numbers.values(), *more, *ends}
    return [name for name in experiment.columns if name in wanted]
