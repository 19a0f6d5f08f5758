"""The experiments of the papers.

Each has a list of tasks, numbers beside the published ones, a chart, and conclusions in words.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from prviz.studies.papers.base import (
    Chart,
    ChartBand,
    ChartLine,
    CurveChart,
    Experiment,
    HeatMap,
    LineChart,
    Mode,
)
from prviz.studies.papers.clusters import ClusterNumberExperiment
from prviz.studies.papers.conditional import (
    GuidanceExperiment,
    InsideClassesExperiment,
    PromptingExperiment,
)
from prviz.studies.papers.digits import (
    CommonClassesExperiment,
    DigitsExperiment,
    TruncationExperiment,
)
from prviz.studies.papers.embeddings import EmbeddingsExperiment
from prviz.studies.papers.features import FeaturesExperiment
from prviz.studies.papers.gaussians import (
    DimensionExperiment,
    MixturesExperiment,
    OutlierExperiment,
    SameExperiment,
    SampleSizeExperiment,
    Table1Experiment,
)
from prviz.studies.papers.hubs import HubsExperiment
from prviz.studies.papers.theory import BiasExperiment, PlugInExperiment

__all__ = [
    "EXPERIMENTS",
    "Chart",
    "ChartBand",
    "ChartLine",
    "CurveChart",
    "Experiment",
    "HeatMap",
    "LineChart",
    "Mode",
]

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
            GuidanceExperiment(),
            PromptingExperiment(),
            DigitsExperiment(),
            InsideClassesExperiment(),
            CommonClassesExperiment(),
            PlugInExperiment(),
            BiasExperiment(),
            EmbeddingsExperiment(),
            ClusterNumberExperiment(),
            FeaturesExperiment(),
            HubsExperiment(),
        )
    }
)
"""Name -> experiment, in the order of a menu."""
