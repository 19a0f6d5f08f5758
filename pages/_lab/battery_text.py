"""Texts of the battery: sides, signs and scenarios; and a problem like a check's for Explore."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from prviz.reports.settings import ExploreSettings
from prviz.studies.battery import Check

SIDES: Mapping[str, str] = MappingProxyType(
    {
        "fidelity": "Fidelity is the precision side: are the generated samples like real ones?",
        "diversity": "Diversity is the recall side: are all the real ones covered by generated samples?",
    }
)
SIGNS = """
- **✓ T** passes; **✕ F** fails.
- **▼ L** and **▲ H** also pass, and say which of two sensible wishes the number follows: where the specification allows
  either, *low* means that it falls where generated samples are spread too thin, *high* that it stays up because every
  real sample can still be produced.
- **truth**: what a perfect estimator, which knows the true curve, scores under the same reading and the same rule.
- **paper**: the published verdict, for the numbers that the paper has judged.
- A failure with a **thick border** says *the estimator is wrong*: the truth passes there. One with a **dashed border**
  says *the check asks for something else* than this reading: the truth itself fails. A **dotted border**: it passes
  although the truth does not.
- **…** is not measured yet. A dash: this is not asked of this number.
"""

SCENARIOS: Mapping[str, str] = MappingProxyType(
    {
        "real_outlier": "the outlier is real",
        "syn_outlier": "the outlier is generated",
        "real_sphere": "the ball is real",
        "real_torus": "the ring is real",
        "real_discrete": "whole numbers are real",
        "real_continuous": "whole numbers are generated",
    }
)


def setting_words(check: Check, dim: int, scenario: str) -> str:
    """A setting of a check in words; "" if the check has only one."""
    parts = [f"d = {dim}"] if len(check.dims) > 1 else []
    return ", ".join([*parts, SCENARIOS[scenario]] if scenario else parts)


_TENTH = (0.1,) * 10


def _finite(real: tuple[float, ...], generated: tuple[float, ...]) -> ExploreSettings:
    weights: dict[str, Any] = {"d": 2, "real_weights": real, "generated_weights": generated}
    return ExploreSettings(problem="finite", parameters=weights, n=1000, split=None, k=5)


def like_problem(check: str, dim: int) -> ExploreSettings | None:
    """Explore's settings of a toy like one point of the check's sweep, at this dimension; None if there is none."""
    common: dict[str, Any] = {"n": 1000, "split": None, "k": 5}
    shifts = {1: 1.5, 8: 0.75, 64: 0.25}
    d, mu = (dim, shifts.get(dim, 0.25))
    problems: dict[str, tuple[str, dict[str, Any]]] = {
        "gaussian-mean-difference": ("shifted-gaussians", {"d": d, "mu": mu}),
        "gaussian-mean-difference-with-outlier": (
            "outlier",
            {"d": d, "mu": mu, "value": {1: 6.0, 8: 3.0, 64: 1.0}.get(dim, 1.0)},
        ),
        "gaussian-std-difference": ("scaled-gaussian", {"d": d, "scale": {1: 0.3, 8: 0.6, 64: 0.9}.get(dim, 0.9)}),
        "uniform-hypercube-varying-size": ("boxes", {"d": d, "volume": 1.0, "overlap": 0.2}),
        "uniform-hypercube-varying-syn-size": ("boxes", {"d": d, "volume": 1.0, "overlap": 0.2}),
        "gaussian-scaling-one-dimension": ("high-dimension", {"d": 2, "shift": 6.0}),
        "gaussian-mean-difference-with-pareto": ("high-dimension", {"d": 1, "shift": 3.0}),
        "gaussian-high-dim-one-disjoint-dim": ("high-dimension", {"d": 512, "shift": 6.0}),
    }
    if check in problems:
        name, parameters = problems[check]
        return ExploreSettings(problem=name, parameters=parameters, **common)
    modes: dict[str, ExploreSettings] = {
        "gaussian-mixture-simultaneous-mode-dropping": _finite(_TENTH, (0.55,) + (0.05,) * 9),
        "gaussian-mixture-sequential-mode-dropping": _finite(_TENTH, (0.2,) * 5 + (0.0,) * 5),
        "gaussian-mixture-mode-dropping-invention": _finite((0.2,) * 5 + (0.0,) * 3, (0.125,) * 8),
    }
    return modes.get(check)
