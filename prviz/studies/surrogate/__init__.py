"""Surrogates: fitted distributions of known truth that stand in for a real and a generated set.

Source: Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 5.3.
"""

from __future__ import annotations

from prviz.studies.surrogate.check import FitCheck, FitChecks, fit_check
from prviz.studies.surrogate.densities import Density
from prviz.studies.surrogate.fitting import Covariance, Fit, FitOptions
from prviz.studies.surrogate.problems import SCENARIOS, Scenario, SurrogateProblem
from prviz.studies.surrogate.surrogate import (
    Surrogate,
    fit_pair,
    most_dimensions,
    surrogate_tasks,
    verdict,
)

__all__ = [
    "SCENARIOS",
    "Covariance",
    "Density",
    "Fit",
    "FitCheck",
    "FitChecks",
    "FitOptions",
    "Scenario",
    "Surrogate",
    "SurrogateProblem",
    "fit_check",
    "fit_pair",
    "most_dimensions",
    "surrogate_tasks",
    "verdict",
]
