"""Toy problems: pairs of known distributions with a sampler, a log-density ratio and the true
curve.

>>> from prviz.toys import toy
>>> problem = toy("shifted-gaussians", mu=0.2)
>>> real, generated = problem.sample(1000, seed=0)
>>> problem.truth().extreme_precision
1.0
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from prviz.arguments import checked_choice
from prviz.toys.base import InSupports, Parameter, SupportMasses, ToyProblem, Value
from prviz.toys.finite import CommonClasses, DroppedMode, FiniteExamples
from prviz.toys.gaussians import (
    Boxes,
    Dirac,
    HighDimension,
    Identical,
    Mixtures,
    NarrowGaussian,
    Outlier,
    ScaledGaussian,
    ShiftedGaussians,
)
from prviz.toys.guidance import Guidance
from prviz.toys.painted import Painted
from prviz.toys.swapped import Swapped

__all__ = [
    "TOYS",
    "InSupports",
    "Parameter",
    "SupportMasses",
    "Swapped",
    "ToyProblem",
    "Value",
    "toy",
]

_PROBLEMS: Mapping[str, type[ToyProblem]] = MappingProxyType(
    {
        problem.name: problem
        for problem in (
            DroppedMode,
            Mixtures,
            ShiftedGaussians,
            Identical,
            Outlier,
            HighDimension,
            ScaledGaussian,
            NarrowGaussian,
            Dirac,
            FiniteExamples,
            CommonClasses,
            Boxes,
            Guidance,
            Painted,
        )
    }
)

TOYS: Mapping[str, Mapping[str, Value]] = MappingProxyType(
    {
        name: MappingProxyType({spec.name: spec.default for spec in problem.specs})
        for name, problem in _PROBLEMS.items()
    }
)
"""Parameters of every toy problem by its name, with their defaults: the setting of the paper."""


def toy(name: str, **parameters: Any) -> ToyProblem:
    """The toy problem with this name; parameters that are not given have the values of the paper.

    Parameters
    ----------
    name : str
        A key of `TOYS`.
    **parameters : object
        See `ToyProblem.specs` for names, bounds and meaning.

    Returns
    -------
    ToyProblem
        Sampler, density ratio and true curve of one pair.

    Raises
    ------
    ValueError
        If the name or a parameter is unknown (the message lists the known ones), or a value is out
        of bounds.
    TypeError
        If a value has the wrong type.
    """
    return _PROBLEMS[checked_choice("name", name, _PROBLEMS)](tuple(parameters.items()))
