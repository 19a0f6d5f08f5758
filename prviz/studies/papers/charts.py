"""Contents of an experiment's chart: values and words, without their drawing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Chart", "ChartBand", "ChartLine", "CurveChart", "HeatMap", "LineChart"]

Floats = NDArray[np.float64]


def _fixed(values: ArrayLike) -> Floats:
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array


@dataclass(frozen=True, eq=False)
class HeatMap:
    """Numbers on a grid, one panel beside the other on one scale from low to high.

    x, y : what heads the columns and the rows; y from the top. panels : by title, (len(y), len(x)) each, nan where
    nothing is known. label : what the numbers are.
    """

    x: tuple[str, ...]
    y: tuple[str, ...]
    panels: Mapping[str, Floats]
    label: str
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        panels = {title: _fixed(values) for title, values in self.panels.items()}
        for title, values in panels.items():
            if values.shape != (len(self.y), len(self.x)):
                raise ValueError(
                    f"panels has {title!r} of shape {values.shape}; {(len(self.y), len(self.x))} is needed"
                )
        object.__setattr__(self, "panels", panels)

    def __reduce__(self) -> tuple[Any, ...]:
        return HeatMap, (self.x, self.y, dict(self.panels), self.label, self.low, self.high)


@dataclass(frozen=True, eq=False)
class ChartLine:
    """One series: at each x the mean, and the standard deviation over repeats (nan where there is one repeat)."""

    x: Floats
    mean: Floats
    sd: Floats

    def __post_init__(self) -> None:
        for name in ("x", "mean", "sd"):
            object.__setattr__(self, name, _fixed(getattr(self, name)))

    def __reduce__(self) -> tuple[Any, ...]:
        return ChartLine, (self.x, self.mean, self.sd)


@dataclass(frozen=True, eq=False)
class LineChart:
    """Series over one axis that all panels share.

    panels : title -> series' name -> line. published : the same for points that a paper gives; their sd is nan.
    x_title, y_title : words of the axes. log_x : whether x is shown on a log scale.
    """

    panels: Mapping[str, Mapping[str, ChartLine]]
    x_title: str
    y_title: str
    log_x: bool = False
    published: Mapping[str, Mapping[str, ChartLine]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class ChartBand:
    """A precision-recall curve with its deviation, point by point along rays of equal lam.

    recall, precision : from the right end (beta_0, 0) to the left end (0, alpha_inf). recall_sd, precision_sd : the
    standard deviation over repeats at the same lam, on the same ray; nan where there is one repeat, and for truths.
    """

    recall: Floats
    precision: Floats
    recall_sd: Floats
    precision_sd: Floats

    def __post_init__(self) -> None:
        for name in ("recall", "precision", "recall_sd", "precision_sd"):
            object.__setattr__(self, name, _fixed(getattr(self, name)))

    def __reduce__(self) -> tuple[Any, ...]:
        return ChartBand, (self.recall, self.precision, self.recall_sd, self.precision_sd)


@dataclass(frozen=True, eq=False)
class CurveChart:
    """Precision-recall curves, one square panel beside the other.

    panels : title -> curve's name -> mean curve. truths : title -> name -> what is true; a truth named like a curve
    belongs to that curve, one named "truth" to the whole panel.
    """

    panels: Mapping[str, Mapping[str, ChartBand]]
    truths: Mapping[str, Mapping[str, ChartBand]] = field(default_factory=dict)


Chart = HeatMap | LineChart | CurveChart
