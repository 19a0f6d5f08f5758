"""Hybrid experiments: distributions of known truth that stand in for a real and a generated set.

Source: Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 5.3.
"""

from __future__ import annotations

from prviz.hybrid.check import FitCheck, FitChecks, fit_check
from prviz.hybrid.densities import Density
from prviz.hybrid.fitting import Covariance, Fit, FitOptions
from prviz.hybrid.problems import SCENARIOS, HybridProblem, Scenario
from prviz.hybrid.stand_in import StandIn, fit_pair, most_dimensions
from prviz.hybrid.tasks import hybrid_tasks
from prviz.hybrid.verdicts import verdict

__all__ = [
    "SCENARIOS",
    "Covariance",
    "Density",
    "Fit",
    "FitCheck",
    "FitChecks",
    "FitOptions",
    "HybridProblem",
    "Scenario",
    "StandIn",
    "fit_check",
    "fit_pair",
    "hybrid_tasks",
    "most_dimensions",
    "verdict",
]
