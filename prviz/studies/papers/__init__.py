"""The experiments of the papers.

Each has a list of tasks, numbers beside the published ones, a chart, and conclusions in words.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from importlib import import_module
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

# Order in the menu; experiments that are not named here follow.
_MENU = (
    "table1",
    "mixtures",
    "same",
    "outlier",
    "dimension",
    "sample-size",
    "truncation",
    "guidance",
    "prompting",
    "digits",
    "inside-classes",
    "common-classes",
    "plug-in",
    "bias",
    "embeddings",
    "cluster-number",
    "features",
    "hubs",
)


def _experiments() -> Mapping[str, Experiment]:
    """An instance of every experiment class in this folder's modules, by its name."""
    for module in pkgutil.iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")
    found = {each.name: each() for each in Experiment.__subclasses__()}
    menu: dict[str, Experiment] = {}
    for name in (*_MENU, *found):
        menu[name] = found[name]
    return MappingProxyType(menu)


EXPERIMENTS = _experiments()
"""Name -> experiment, in the order of a menu."""
