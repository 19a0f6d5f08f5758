"""Contents of an experiment's chart: values and words, without their drawing.

Rows that carry the curve.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from string import Formatter
from typing import TYPE_CHECKING, Any

import numpy as np

from prviz.arrays import Floats
from prviz.curves import PRCurve
from prviz.curves.frozen import ReadOnlyArrays
from prviz.studies.sweeps import BOUND_COLUMNS, COLUMNS, Cell, measured
from prviz.studies.tasks import Columns, Row
from prviz.toys import TOYS, toy

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class HeatMap:
    """Numbers on a grid, one panel beside the other on one scale from low to high.

    x, y : what heads the columns and the rows; y from the top. panels : by title, (len(y), len(x))
    each, nan where nothing is known. label : what the numbers are. marks : by title, a sign behind
    each number; note : what they mean.
    signed : titles of the panels that hold differences, drawn on a scale of their own, white at 0.
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
    """One series: at each x the mean, and the standard deviation over repeats (nan where there is
    one repeat).
    """

    x: Floats
    mean: Floats
    sd: Floats


@dataclass(frozen=True, eq=False)
class LineChart:
    """Series over one axis that all panels share.

    panels : title -> series' name -> line. published : the same for points that a paper gives;
    their sd is nan.
    x_title, y_title : words of the axes. log_x : whether x is shown on a log scale. y_titles : by
    title, the words of a panel that has a scale of its own. mark : the x that an upright line
    marks; nan for none.
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
    """A precision-recall curve with its deviation, point by point along rays of equal lam.

    recall, precision : from the right end (beta_0, 0) to the left end (0, alpha_inf). recall_sd,
    precision_sd : the standard deviation over repeats at the same lam, on the same ray; nan where
    there is one repeat, and for truths.
    """

    recall: Floats
    precision: Floats
    recall_sd: Floats
    precision_sd: Floats


@dataclass(frozen=True, eq=False)
class CurveChart:
    """Precision-recall curves, one square panel beside the other.

    panels : title -> curve's name -> mean curve. truths : title -> name -> what is true; a truth
    named like a curve belongs to that curve, one named "truth" to the whole panel.
    """

    panels: Mapping[str, Mapping[str, ChartBand]]
    truths: Mapping[str, Mapping[str, ChartBand]] = field(default_factory=dict)


Chart = HeatMap | LineChart | CurveChart


_RAYS = 31
LAMS = np.tan(np.arange(1, _RAYS + 1) * (np.pi / 2 / (_RAYS + 1)))
"""The rays' lam = tan(theta): 31 equal angles between the axes, lam = 1 in their middle."""
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
# Share of the real evaluation samples that the classifiers of spared_alpha_inf may miss.
SPARED = 0.01


def curve_rows(cell: Cell) -> list[Row]:
    """Rows of a cell that also hold alpha(lam) at every one of `LAMS`, and three shares.

    in_real_support : the share with any real support, c_X > 0. It is what the literature calls
    precision: improved precision for "ipr" without split (hal-05344404, section 4.2). Without
    split, alpha_inf is never above it.
    spared_alpha_inf : the lowest fnr of the classifiers that miss at most `SPARED` of the real
    samples; alpha_inf is that of those that miss none. lone_real : the share of runs with a real
    evaluation sample without any real support: there alpha_inf is 1, since only the classifier that
    calls everything real misses no such sample.
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
    """The columns of a row that hold its curve."""
    return dict(zip(_ALPHAS, curve.alpha(LAMS), strict=True))


def mean_band(rows: pd.DataFrame) -> ChartBand:
    """The mean curve of some rows and its deviation along every ray (hal-05344404, section 5.1.3).

    With beta = alpha / lam for every single curve, and so for mean and deviation; the ends are
    those of beta_0 and alpha_inf. The deviation is that of a sample, over repeats - 1.
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
    """The true curve of a row's toy; None for other problems."""
    return toy(problem, **json.loads(parameters)).truth() if problem in TOYS else None


def true_band(curve: PRCurve) -> ChartBand:
    """A known curve for drawing, with its corners."""
    _, alpha, beta = curve.sample()
    unknown = np.full(len(alpha), np.nan)
    return ChartBand(beta, alpha, unknown, unknown)


def curve_chart(
    rows: pd.DataFrame, panel: str, line: str, *, each_true: bool = False
) -> CurveChart:
    """The mean curves of rows, with the truth where they are of a toy.

    panel, line : of equal words is one panel, and in it one line; columns of the rows stand in
    braces. each_true : True if every line has a truth of its own, False if its panel has.
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
    """Lines of a value over the column ``x``; the spread goes with our own values alone.

    panel, line : as of `curve_chart`.
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
    """Rows with equal words for panel and line, in the order in which these first come."""
    fields = {field for _, field, *_ in Formatter().parse(panel + line) if field}
    words: list[Any] = rows[list(fields)].to_dict("records")
    titles = [panel.format(**each) for each in words]
    names = [line.format(**each) for each in words]
    for (title, name), group in rows.groupby([titles, names], sort=False):
        yield str(title), str(name), group
