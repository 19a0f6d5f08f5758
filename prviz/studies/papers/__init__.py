"""The papers' experiments: each a list of tasks, its figures beside the published ones, a chart and what it shows."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from prviz.studies.papers.base import Experiment, Mode
from prviz.studies.papers.charts import Band, Chart, Curves, HeatMap, Line, Lines
from prviz.studies.papers.common_classes import CommonClasses
from prviz.studies.papers.digits import Digits
from prviz.studies.papers.dimension import Dimension
from prviz.studies.papers.mixtures import Mixtures
from prviz.studies.papers.outlier import Outlier
from prviz.studies.papers.same import Same
from prviz.studies.papers.sample_size import SampleSize
from prviz.studies.papers.table1 import Table1
from prviz.studies.papers.truncation import Truncation

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
