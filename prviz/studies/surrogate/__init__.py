"""Surrogates: distributions with known truth, fitted to a real and a generated set.

Estimates on samples drawn from a surrogate can be compared with its true curve.

Source: Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 5.3.
"""

from __future__ import annotations

from prviz.studies.surrogate.densities import Density, Kernels, WeighedSamples
from prviz.studies.surrogate.predictive import Prediction, predicted
from prviz.studies.surrogate.problems import SCENARIOS, Scenario, SurrogateProblem
from prviz.studies.surrogate.surrogate import (
    Fit,
    Surrogate,
    SurrogateSources,
    fit_pair,
    most_dimensions,
    surrogate_problems,
    verdict,
)

__all__ = [
    "SCENARIOS",
    "Density",
    "Fit",
    "Kernels",
    "Prediction",
    "Scenario",
    "Surrogate",
    "SurrogateProblem",
    "SurrogateSources",
    "WeighedSamples",
    "fit_pair",
    "most_dimensions",
    "predicted",
    "surrogate_problems",
    "verdict",
]
