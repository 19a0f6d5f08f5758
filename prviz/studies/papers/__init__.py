"""The papers' experiments: each a list of tasks, its figures beside the published ones, a chart and what it shows."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from prviz.studies.papers.base import Experiment, Mode
from prviz.studies.papers.charts import Chart, ChartBand, ChartLine, CurveChart, HeatMap, LineChart
from prviz.studies.papers.common_classes import CommonClassesExperiment
from prviz.studies.papers.digits import DigitsExperiment
from prviz.studies.papers.dimension import DimensionExperiment
from prviz.studies.papers.mixtures import MixturesExperiment
from prviz.studies.papers.outlier import OutlierExperiment
from prviz.studies.papers.same import SameExperiment
from prviz.studies.papers.sample_size import SampleSizeExperiment
from prviz.studies.papers.table1 import Table1Experiment
from prviz.studies.papers.truncation import TruncationExperiment

__all__ = ["EXPERIMENTS", "Chart", "ChartBand", "ChartLine", "CurveChart", "Experiment", "HeatMap", "LineChart", "Mode"]

EXPERIMENTS: Mapping[str, Experiment] = MappingProxyType(
    {
        each.name: each
        for each in (
            Table1Experiment(),
            MixturesExperiment(),
            SameExperiment(),
            OutlierExperiment(),
            DimensionExperiment(),
            SampleSizeExperiment(),
            TruncationExperiment(),
            DigitsExperiment(),
            CommonClassesExperiment(),
        )
    }
)
"""Name -> experiment, in the order of a menu."""
