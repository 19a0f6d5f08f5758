"""The families of classifiers, one file each, and the registry that everything iterates over."""

from __future__ import annotations

from prviz.estimators.base import BallEstimator, DirectEstimator, Estimator, Supports, resolve_k
from prviz.estimators.coverage import COVERAGE
from prviz.estimators.eas import EAS
from prviz.estimators.hub import HUB
from prviz.estimators.ipr import IPR
from prviz.estimators.kde import KDE
from prviz.estimators.knn import KNN
from prviz.estimators.ppr import PPR
from prviz.estimators.prc import PRC

__all__ = ["DEFAULT_METHODS", "ESTIMATORS", "BallEstimator", "DirectEstimator", "Estimator", "Supports", "resolve_k"]

# In the order in which they are listed everywhere.
ESTIMATORS: dict[str, Estimator] = {each.name: each for each in (KNN, KDE, IPR, COVERAGE, HUB, EAS, PRC, PPR)}

# What is measured where no method is named. hub is a cheaper, rougher ipr: it is there for whoever asks for it.
DEFAULT_METHODS = ("knn", "kde", "ipr", "coverage")
