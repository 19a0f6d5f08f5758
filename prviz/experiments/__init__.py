"""The papers' experiments: each a list of tasks, its figures beside the published ones, a chart and what it shows."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from prviz.experiments.base import Experiment, Mode
from prviz.experiments.charts import Band, Chart, Curves, HeatMap, Line, Lines
from prviz.experiments.common_classes import CommonClasses
from prviz.experiments.digits import Digits
from prviz.experiments.dimension import Dimension
from prviz.experiments.mixtures import Mixtures
from prviz.experiments.outlier import Outlier
from prviz.experiments.same import Same
from prviz.experiments.sample_size import SampleSize
from prviz.experiments.table1 import Table1
from prviz.experiments.truncation import Truncation

__all__ = ["EXPERIMENTS", "Band", "Chart", "Curves", "Experiment", "HeatMap", "Line", "Lines", "Mode"]

EXPERIMENTS: Mapping[str, Experiment] = MappingProxyType(
    {
        each.name: each
        for each in (
            Table1(),
            Mixtures(),
            Same(),
            Outlier(),
            Dimension(),
            SampleSize(),
            Truncation(),
            Digits(),
            CommonClasses(),
        )
    }
)
"""Name -> experiment, in the order of a menu."""
