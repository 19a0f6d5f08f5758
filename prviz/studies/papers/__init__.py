"""The experiments of the papers.

An experiment has tasks, its numbers beside the published ones, a chart, and conclusions in words.
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

# Order of the experiments in a menu; those that are not named here come last.
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
    """Every experiment that is defined in a module of this folder, by name."""
    for module in pkgutil.iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")
    found = {each.name: each() for each in Experiment.__subclasses__()}
    menu: dict[str, Experiment] = {}
    for name in (*_MENU, *found):
        menu[name] = found[name]
    return MappingProxyType(menu)


EXPERIMENTS = _experiments()
"""Name -> experiment, in the order of a menu."""
