"""The base of a paper's experiment.

It has the setting, the tasks, the numbers beside the published ones, the conclusions, and the
bundled results.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np

from prviz.arguments import checked_choice, checked_whole
from prviz.arrays import Floats
from prviz.curves import PRCurve
from prviz.curves.frozen import ReadOnlyArrays
from prviz.estimators import ESTIMATORS
from prviz.readers.paths import data_folder
from prviz.studies.kept_rows import KeptRows, Provenance, keep_rows, kept_rows
from prviz.studies.sweeps import (
    BOUND_COLUMNS,
    COLUMNS,
    Cell,
    Known,
    SweepGrid,
    measured,
    sweep_cells,
)
from prviz.studies.tasks import Columns, Row
from prviz.toys import TOYS, toy

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class HeatMap:
    """Panels side by side, each with one number in every cell of the same grid.

    x, y : headings of the columns and of the rows, the first row on top.
    panels : panel title -> array (len(y), len(x)), nan where there is no value.
    label : name of the numbers.
    low, high : ends of the colour scale that all panels share, except those in ``signed``.
    marks : panel title -> for each row and column, a symbol such as ○ that follows the number in
        its cell; a panel without an entry has no symbols.
    note : meaning of the symbols.
    signed : titles of panels of differences. Each has a colour scale of its own, white at 0, which
        ends at the largest absolute difference.
    """

    x: tuple[str, ...]
    y: tuple[str, ...]
    panels: Mapping[str, Floats]
    label: str
    low: float = 0.0
    high: float = 1.0
    marks: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)
    note: str = ""
    signed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        panels = {title: np.array(values, dtype=float) for title, values in self.panels.items()}
        for title, values in panels.items():
            values.flags.writeable = False
            if values.shape != (len(self.y), len(self.x)):
                raise ValueError(
                    f"panels has {title!r} of shape {values.shape}; {(len(self.y), len(self.x))} is"
                    " needed"
                )
        object.__setattr__(self, "panels", panels)

    def __reduce__(self) -> tuple[Any, ...]:
        fields = vars(self) | {"panels": dict(self.panels)}
        return HeatMap, tuple(fields.values())


@dataclass(frozen=True, eq=False)
class ChartLine(ReadOnlyArrays):
    """A line of a chart: mean and standard deviation over repeats at each x; sd is nan for one
    repeat.
    """

    x: Floats
    mean: Floats
    sd: Floats


@dataclass(frozen=True, eq=False)
class LineChart:
    """Panels of lines that share one x axis.

    panels : panel title -> name of the series -> line.
    published : panel title -> name of the series -> points that a paper gives; their sd is nan.
    x_title, y_title : titles of the axes.
    log_x : True for a logarithmic x axis.
    y_titles : by panel title, the axis title of a panel with a y scale of its own.
    mark : x of a vertical line; nan: no line.
    """

    panels: Mapping[str, Mapping[str, ChartLine]]
    x_title: str
    y_title: str
    log_x: bool = False
    published: Mapping[str, Mapping[str, ChartLine]] = field(default_factory=dict)
    y_titles: Mapping[str, str] = field(default_factory=dict)
    mark: float = float("nan")


@dataclass(frozen=True, eq=False)
class ChartBand(ReadOnlyArrays):
    """A mean precision-recall curve with its standard deviation along every ray of equal lam.

    recall, precision : from the right end (beta_0, 0) to the left end (0, alpha_inf).
    recall_sd, precision_sd : standard deviations over repeats at each lam; nan for one repeat and
        for true curves.
    """

    recall: Floats
    precision: Floats
    recall_sd: Floats
    precision_sd: Floats


@dataclass(frozen=True, eq=False)
class CurveChart:
    """Precision-recall curves in square panels side by side.

    panels : panel title -> name of the curve -> mean curve.
    truths : panel title -> name -> true curve. A truth with the name of a curve belongs to that
        curve; the truth called "truth" belongs to all curves of the panel.
    """

    panels: Mapping[str, Mapping[str, ChartBand]]
    truths: Mapping[str, Mapping[str, ChartBand]] = field(default_factory=dict)


Chart = HeatMap | LineChart | CurveChart


_RAYS = 31
LAMS = np.tan(np.arange(1, _RAYS + 1) * (np.pi / 2 / (_RAYS + 1)))
"""lam = tan(theta) of 31 rays, at equal angles between the axes; the middle ray has lam = 1."""
LAMS.flags.writeable = False

_ALPHAS = tuple(f"alpha_{ray:02d}" for ray in range(1, _RAYS + 1))
_SHARES = ("in_real_support", "spared_alpha_inf", "lone_real")
ALPHA_COLUMNS: Columns = dict.fromkeys(_ALPHAS, "float64")
CURVE_COLUMNS: Columns = {
    **COLUMNS,
    **dict.fromkeys(_SHARES, "float64"),
    **ALPHA_COLUMNS,
    **BOUND_COLUMNS,
}
# Largest share of the real evaluation samples that a classifier may misclassify to count for
# ``spared_alpha_inf`` (see `curve_rows`).
SPARED = 0.01


def curve_rows(cell: Cell) -> list[Row]:
    """Rows of a cell that also have alpha(lam) at each of `LAMS`, and three more shares.

    in_real_support : share of the generated samples with a real support, c_X > 0. For "ipr" without
        split it is improved precision (hal-05344404, section 4.2). Without split, alpha_inf is at
        most this share.
    spared_alpha_inf : the lowest fnr of classifiers that misclassify at most `SPARED` of the real
        samples; alpha_inf is the lowest fnr of those that misclassify none.
    lone_real : share of runs in which a real evaluation sample has no real support. In such a run
        alpha_inf is 1, because only the classifier that calls everything real classifies this
        sample correctly.
    """
    rows = []
    for row, estimate in measured(cell):
        shares = []
        for run in estimate.runs:
            rates = run.rates()
            in_support = np.mean(run.c_real[run.n_real :] > 0)
            spared = np.min(rates.fnr[rates.fpr <= SPARED], initial=1.0)
            shares.append((in_support, spared, np.any(run.c_real[: run.n_real] == 0)))
        means = np.mean(shares, axis=0).tolist()
        rows.append(row | dict(zip(_SHARES, means, strict=True)) | alphas_of(estimate.curve))
    return rows


def alphas_of(curve: PRCurve) -> Row:
    """alpha(lam) of a curve at each of `LAMS`, as columns of a row."""
    return dict(zip(_ALPHAS, curve.alpha(LAMS), strict=True))


def mean_band(rows: pd.DataFrame) -> ChartBand:
    """The mean curve of rows and its standard deviation along every ray (hal-05344404, section
    5.1.3).

    As beta = alpha / lam on every curve, the means and the deviations of alpha give those of beta.
    The ends are beta_0 and alpha_inf. The deviation divides by repeats - 1.
    """
    alphas = rows[["beta_0", *_ALPHAS, "alpha_inf"]].to_numpy(dtype=float)
    mean = alphas.mean(axis=0)
    if len(alphas) == 1:
        unknown = np.full(len(mean), np.nan)
        return ChartBand(_recalls(mean), _precisions(mean), unknown, unknown)
    sd = alphas.std(axis=0, ddof=1)
    return ChartBand(_recalls(mean), _precisions(mean), _recalls(sd), _precisions(sd))


def _recalls(alphas: Floats) -> Floats:
    return np.concatenate((alphas[:1], alphas[1:-1] / LAMS, [0.0]))


def _precisions(alphas: Floats) -> Floats:
    return np.concatenate(([0.0], alphas[1:]))


@lru_cache(maxsize=128)
def true_curve(problem: str, parameters: str) -> PRCurve | None:
    """The true curve of a row whose problem is a toy; None for other problems."""
    if problem in TOYS:
        return toy(problem, **json.loads(parameters)).truth()
    return None


def true_band(curve: PRCurve) -> ChartBand:
    """A true curve as a `ChartBand`, with its vertices and without a deviation."""
    _, alpha, beta = curve.sample()
    unknown = np.full(len(alpha), np.nan)
    return ChartBand(beta, alpha, unknown, unknown)


def curve_chart(
    rows: pd.DataFrame, panel: str, line: str, *, each_true: bool = False
) -> CurveChart:
    """The mean curves of rows, with the truth where the problem is a toy.

    panel, line : templates of a panel's title and a line's name, with columns of the rows in
        braces. Rows with the same title share a panel, those with the same name too a line.
    each_true : True if every line has its own truth, False if all lines of a panel have the same.
    """
    panels: dict[str, dict[str, ChartBand]] = {}
    truths: dict[str, dict[str, ChartBand]] = {}
    for title, name, group in _grouped(rows, panel, line):
        panels.setdefault(title, {})[name] = mean_band(group)
        truth = true_curve(group["problem"].iloc[0], group["parameters"].iloc[0])
        if truth is not None:
            truths.setdefault(title, {})[name if each_true else "truth"] = true_band(truth)
    return CurveChart(panels, truths)


def line_panels(
    figures: pd.DataFrame, x: str, panel: str, line: str = "{figure}", value: str = "ours"
) -> dict[str, dict[str, ChartLine]]:
    """Lines of the column ``value`` against the column ``x``, by panel.

    Only our own values, the column "ours", have a spread.

    panel, line : see `curve_chart`.
    """
    found: dict[str, dict[str, ChartLine]] = {}
    known = figures if value == "ours" else figures[figures[value].notna()].assign(spread=np.nan)
    for title, name, group in _grouped(known, panel, line):
        ordered = group.sort_values(x)
        columns = (ordered[x], ordered[value], ordered["spread"])
        drawn = ChartLine(*(column.to_numpy(dtype=float) for column in columns))
        found.setdefault(title, {})[name] = drawn
    return found


def _grouped(rows: pd.DataFrame, panel: str, line: str) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Panel title, line name and rows of each group of rows with the same title and name, in order
    of first appearance.
    """
    fields = {field for _, field, *_ in Formatter().parse(panel + line) if field}
    words: list[Any] = rows[list(fields)].to_dict("records")
    titles = [panel.format(**each) for each in words]
    names = [line.format(**each) for each in words]
    for (title, name), group in rows.groupby([titles, names], sort=False):
        yield str(title), str(name), group


Mode = Literal["quick", "paper"]
_MODES: tuple[Mode, ...] = ("quick", "paper")

FIGURE_COLUMNS = ("figure", "ours", "spread", "repeats", "published", "difference", "bound")


class Size(NamedTuple):
    """Size of a run of an experiment.

    n : samples per set; None: all.
    repeats : number of repeats.
    seconds : estimated seconds on one core.
    beside : True if `BOUND_COLUMNS` are measured too.
    """

    n: int | None
    repeats: int
    seconds: float
    beside: bool = False


class Experiment(ABC):
    """One experiment of a paper.

    name : its key in `EXPERIMENTS`.
    title : a heading.
    source : the paper, and the place in it.
    question : the question it answers, in one sentence.
    words : the setting, with the fields {n}, {repeats} and those that `_fields` adds.
    columns : columns of its rows.
    measure : function that returns the rows of a cell; None: those of `prviz.sweep`.
    sizes : sizes of its two modes.
    labels : columns of `figures` that identify its lines.
    parameters : labels that are parameters of the problem: column -> name of the parameter.
    numbers : what is measured: label -> column of the rows.
    published : (values of `labels`, label of the number) -> value that the paper prints.
    choices : labels whose value the user selects on the page, with the initial value.
    along : the choice that is the x axis of the chart; "" if none is.
    explore : settings that the experiment's link opens in Explore, by their names in
        `ExploreSettings`: one of the experiment's settings, with the paper's number of samples.
    explore_title : the text of that link.
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
    explore: ClassVar[Mapping[str, Any]]
    explore_title: ClassVar[str] = "Open this setting in Explore"

    def setting(self, mode: Mode, *, repeats: int | None = None) -> str:
        """The setting in words; for the quick mode also how it differs from the paper mode."""
        size = self._size(mode, repeats, None)
        words = self.words.format(**self._fields(size))
        if mode == "paper":
            return words
        less = ""
        if self.sizes["paper"].beside:
            less = " The upper bounds are left out."
        return f"{words} Quick mode: {self._quick(size)}.{less}"

    def tasks(
        self, mode: Mode, seed: int = 0, *, repeats: int | None = None, most: int | None = None
    ) -> list[Cell]:
        """Tasks for `prviz.studies.tasks.run_tasks`, whose rows have the experiment's `columns`.

        The first repeats of all cells come before their second ones, so that every number soon has
        a first value.

        repeats : replaces the number of repeats of the mode.
        most : largest number of samples per set.

        Raises ValueError for another mode, and for numbers that are not whole or too small.
        """
        checked_whole("seed", seed, 0)
        size = self._size(mode, repeats, most)
        cells = [
            replace(cell, beside=self._has_bound(cell, size), measure=self.measure)
            for cell in self._cells(size, seed)
        ]
        return sorted(cells, key=lambda cell: cell.repeat)

    def seconds(self, mode: Mode, *, repeats: int | None = None) -> float:
        """Rough number of seconds that all tasks take on one core."""
        size = self._size(mode, repeats, None)
        return size.seconds * size.repeats / self.sizes[mode].repeats

    def figures(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The experiment's numbers beside the published ones, as a table; the rows may be
        incomplete.

        Columns are `labels`, then "figure" (name of the number), "ours" (mean over repeats),
        "spread" (standard deviation over repeats; nan for one), "repeats", "published" (nan where
        the paper gives none), "difference" (ours minus published), "bound" (the same number of the
        family's `prviz.upper_bound`; nan where not measured).
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
        """The rows with the columns `labels`, sorted by them: numbers by value, texts by first
        appearance.
        """
        known = self.labelled(rows)
        return known.sort_values(list(self.labels), key=_places, kind="stable", ignore_index=True)

    def chosen(self, rows: pd.DataFrame, values: Mapping[str, Any]) -> pd.DataFrame:
        """The rows whose labels have the given values."""
        import pandas as pd

        known = self.labelled(rows)
        wanted = pd.Series(True, index=rows.index)
        for name, value in values.items():
            wanted &= known[name].eq(value).to_numpy()
        return rows[wanted]

    def table(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The table that the page shows: `figures`, unless an experiment overrides it with a
        smaller one.
        """
        return self.figures(rows)

    def message(self, rows: pd.DataFrame) -> str:
        """The main conclusion in one sentence: the first one of `says`."""
        return f"{self.says(rows).split('. ')[0].removesuffix('.')}."

    def says(self, rows: pd.DataFrame) -> str:
        """Conclusions in a few sentences, computed from the rows, the most important one first."""
        if len(rows):
            return f"{self._says(self.figures(rows))}{_beside(rows)}"
        return "Nothing is measured yet."

    def labelled(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with the columns `labels` added."""
        return with_titles(rows, **self.parameters)

    @abstractmethod
    def chart(self, rows: pd.DataFrame) -> Chart:
        """The chart of the rows, which may be incomplete."""

    @abstractmethod
    def _cells(self, size: Size, seed: int) -> list[Cell]:
        """The cells to measure: each is a pair of sets with everything that is measured on it."""

    def _has_bound(self, cell: Cell, size: Size) -> bool:  # noqa: ARG002
        """True if the upper bound is measured in this cell."""
        return size.beside

    def _fields(self, size: Size) -> dict[str, str]:
        """Values for the fields in braces in `words`."""
        n = "" if size.n is None else f"{size.n:,}"
        return {"n": n, "repeats": counted(size.repeats, self.repeated)}

    @abstractmethod
    def _says(self, figures: pd.DataFrame) -> str:
        """Conclusions in words; ``figures`` has at least one number."""

    def _quick(self, size: Size) -> str:
        """How the quick mode differs from the paper mode, in words."""
        paper = self.sizes["paper"]
        smaller = []
        if size.n != paper.n:
            whole = "all samples"
            if paper.n is not None:
                whole = f"{paper.n:,}"
            smaller.append(f"n = {size.n:,} in place of {whole}")
        if size.repeats < paper.repeats:
            smaller.append(f"{size.repeats} of {paper.repeats} repeats")
        return ", ".join(smaller) or "the same numbers"

    def _size(self, mode: Mode, repeats: int | None, most: int | None) -> Size:
        checked_choice("mode", mode, _MODES)
        size = self.sizes[mode]
        if repeats is not None:
            checked_whole("repeats", repeats, 1)
            size = size._replace(repeats=repeats)
        if most is not None:
            checked_whole("most", most, 2)
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
    """The combinations of these settings, as cells of `prviz.sweep`."""
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
    """A family's title, as legends show it."""
    return ESTIMATORS[method].title


def with_titles(rows: pd.DataFrame, **parameters: str) -> pd.DataFrame:
    """The rows with "family", "split" and "k" as text, and with parameters of their problems as
    columns.

    parameters : new column -> name of the parameter.
    """
    found = rows.assign(
        family=rows["method"].map(title_of),
        split=["none" if split != split else f"{100 * split:.0f} %" for split in rows["split"]],
        k=rows["k"].astype(object).fillna("none").replace("sqrt", "√n"),
    )
    values = [json.loads(text) for text in rows["parameters"]]
    for column, name in parameters.items():
        found[column] = [each.get(name) for each in values]
    return found


def mean_of(figures: pd.DataFrame, figure: str, column: str = "ours", **labels: Any) -> float:
    """The mean of a column of `Experiment.figures` over the lines with this number and these
    labels.

    figure : name of the number. The result is nan if there is no such line.
    """
    wanted = figures["figure"] == figure
    for label, value in labels.items():
        wanted &= figures[label] == value
    return float(figures.loc[wanted, column].mean())


def _beside(rows: pd.DataFrame) -> str:
    """A sentence on the upper bounds, with a space before it; "" if none were measured."""
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
    """Sort key of a column: numbers by value, texts by first appearance."""
    if values.dtype.kind in "iuf":
        return values
    places = {value: place for place, value in enumerate(dict.fromkeys(values))}
    return values.map(places)


def counted(number: int, word: str) -> str:
    """The number with the word, which is in the plural unless the number is 1."""
    return f"{number} {word}{'' if number == 1 else 's'}"


def listed(values: Sequence[str]) -> str:
    """Words as an enumeration: "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(values[:-1]), values[-1]] if len(values) > 1 else values)


# Columns that identify what a row measures.
_SETTINGS = ("problem", "parameters", "d", "n", "method", "k", "split")


def folder() -> Path:
    """Folder of the bundled results."""
    return data_folder() / "experiments"


def stored(experiment: Experiment, where: Path | None = None) -> KeptRows | None:
    """The bundled rows of an experiment, with all its columns; None if there are none.

    See `prviz.studies.kept_rows`.
    """
    return kept_rows(experiment.name, experiment.columns, folder() if where is None else where)


def keep(
    experiment: Experiment, rows: pd.DataFrame, facts: Provenance, where: Path | None = None
) -> Path:
    """Bundle the rows of an experiment: write the columns that it needs, and their provenance.

    See `prviz.studies.kept_rows`.
    """
    return keep_rows(
        rows[needed(experiment)], experiment.name, facts, folder() if where is None else where
    )


def needed(experiment: Experiment) -> list[str]:
    """The columns from which the experiment's numbers, conclusions and chart are computed.

    These are the settings of a row, the numbers, and the columns that only this experiment has.
    """
    more = set(experiment.columns) - set(COLUMNS)
    ends = []
    if more >= set(ALPHA_COLUMNS):
        ends = ["alpha_inf", "beta_0"]
    wanted = {*_SETTINGS, *experiment.numbers.values(), *more, *ends}
    return [name for name in experiment.columns if name in wanted]


def signed(value: float) -> str:
    """A difference with two decimals and a sign; 0 has no sign."""
    rounded = round(value, 2)
    if rounded == 0:
        return "0.00"
    return f"{rounded:+.2f}".replace("-", "−")
