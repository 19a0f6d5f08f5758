"""Contents of an experiment's chart: values and words, without their drawing; cells whose rows carry the curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from prviz.arrays import Floats
from prviz.curves import PRCurve
from prviz.curves.frozen import ReadOnlyArrays
from prviz.studies.papers.beside import BESIDE_COLUMNS, measured_beside
from prviz.studies.sweeps import COLUMNS, Cell, WiderCell, measured
from prviz.studies.tasks import Columns, Row, Task

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
        panels = {
            title: np.array(values, dtype=np.float64) for title, values in self.panels.items()
        }
        for title, values in panels.items():
            values.flags.writeable = False
            if values.shape != (len(self.y), len(self.x)):
                raise ValueError(
                    f"panels has {title!r} of shape {values.shape}; {(len(self.y), len(self.x))} is"
                    " needed"
                )
        object.__setattr__(self, "panels", panels)

    def __reduce__(self) -> tuple[Any, ...]:
        return HeatMap, (
            self.x,
            self.y,
            dict(self.panels),
            self.label,
            self.low,
            self.high,
            self.marks,
            self.note,
        )


@dataclass(frozen=True, eq=False)
class ChartLine(ReadOnlyArrays):
    """One series: at each x the mean, and the standard deviation over repeats (nan where there is one repeat)."""

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
    **BESIDE_COLUMNS,
}
# Share of the real evaluation samples that the classifiers of spared_alpha_inf may miss.
SPARED = 0.01


@dataclass(frozen=True)
class CurveCell(WiderCell):
    """A cell of a sweep whose rows also hold alpha(lam) at every one of `LAMS`, and three shares.

    in_real_support : the share with any real support, c_X > 0. It is what the literature calls
    precision: improved precision for "ipr" without split (hal-05344404, section 4.2). Without
    split, alpha_inf is never above it.
    spared_alpha_inf : the lowest fnr of the classifiers that miss at most `SPARED` of the real
    samples; alpha_inf is that of those that miss none. lone_real : the share of runs with a real
    evaluation sample without any real support: there alpha_inf is 1, since only the classifier that
    calls everything real misses no such sample.
    beside : True to measure `BESIDE_COLUMNS` too.
    """

    beside: bool = False

    def run(self) -> list[Row]:
        """The cell's rows, with their curves."""
        rows: list[Row] = []
        for row, estimate in (measured_beside if self.beside else measured)(self.cell):
            shares = [
                (
                    np.mean(run.c_real[run.n_real :] > 0),
                    np.min(run.rates().fnr[run.rates().fpr <= SPARED], initial=1.0),
                    np.any(run.c_real[: run.n_real] == 0),
                )
                for run in estimate.runs
            ]
            shared = dict(zip(_SHARES, map(float, np.mean(shares, axis=0)), strict=True))
            rows.append(row | shared | alphas_of(estimate.curve))
        return rows


def alphas_of(curve: PRCurve) -> Row:
    """The columns of a row that hold its curve."""
    return dict(zip(_ALPHAS, curve.alpha(LAMS), strict=True))


def curve_cells(cells: Sequence[Cell], *, beside: bool = False) -> list[Task]:
    """The cells with rows that hold the curve. beside : as of `CurveCell`."""
    return [CurveCell(cell, beside) for cell in cells]


def mean_band(rows: pd.DataFrame) -> ChartBand:
    """The mean curve of some rows and its deviation along every ray (hal-05344404, section 5.1.3).

    With beta = alpha / lam for every single curve, and so for mean and deviation; the ends are
    those of beta_0 and alpha_inf. The deviation is that of a sample, over repeats - 1.
    """
    alphas = rows[["beta_0", *_ALPHAS, "alpha_inf"]].to_numpy(dtype=np.float64)
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


def curve_panels(
    rows: pd.DataFrame, titles: pd.Series[str], names: pd.Series[str]
) -> dict[str, dict[str, ChartBand]]:
    """The mean curves of rows with equal title and name: title -> name -> band, in the order of the rows."""
    panels: dict[str, dict[str, ChartBand]] = {}
    for (title, name), group in rows.groupby(
        [titles.rename("title"), names.rename("name")], sort=False
    ):
        panels.setdefault(str(title), {})[str(name)] = mean_band(group)
    return panels


def true_band(curve: PRCurve) -> ChartBand:
    """A known curve for drawing, with its corners."""
    _, alpha, beta = curve.sample()
    unknown = np.full(len(alpha), np.nan)
    return ChartBand(beta, alpha, unknown, unknown)
