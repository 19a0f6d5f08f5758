"""All checks of the sanity battery by name, in the order of the paper."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from prviz.studies.battery.base import Check
from prviz.studies.battery.gaussians import (
    HighDimensionCheck,
    MeanDifference,
    OneScaled,
    OutlierCheck,
    Pareto,
    StdDifference,
)
from prviz.studies.battery.mixtures import Invention, OneAgainstTwo, SequentialDropping, SimultaneousDropping
from prviz.studies.battery.shapes import Cubes, CubesGenerated, Discrete, Shells, SphereTorus

__all__ = ["CHECKS"]

_ALL: tuple[Check, ...] = (
    MeanDifference(),
    OutlierCheck(),
    StdDifference(),
    SimultaneousDropping(),
    SequentialDropping(),
    Invention(),
    Shells(),
    Cubes(),
    CubesGenerated(),
    SphereTorus(),
    OneAgainstTwo(),
    OneScaled(),
    Pareto(),
    HighDimensionCheck(),
    Discrete(),
)

CHECKS: Mapping[str, Check] = MappingProxyType({check.name: check for check in _ALL})
