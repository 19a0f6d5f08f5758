"""The families of classifiers, one file each, and the registry that everything iterates over."""

from __future__ import annotations

from prviz.estimators.base import BallEstimator, DirectEstimator, Estimator, SeededEstimator, Supports, resolve_k
from prviz.estimators.classifier import CLASSIFIER, CLASSIFIER_BOOSTING, CLASSIFIER_MLP
from prviz.estimators.cluster import CLUSTER
from prviz.estimators.coverage import COVERAGE
from prviz.estimators.hub import HUB
from prviz.estimators.ipr import IPR
from prviz.estimators.kde import KDE
from prviz.estimators.knn import KNN

__all__ = [
    "DEFAULT_METHODS",
    "ESTIMATORS",
    "BallEstimator",
    "DirectEstimator",
    "Estimator",
    "SeededEstimator",
    "Supports",
    "resolve_k",
]

_FAMILIES: tuple[Estimator, ...] = (
    KNN,
    KDE,
    IPR,
    COVERAGE,
    HUB,
    CLUSTER,
    CLASSIFIER,
    CLASSIFIER_BOOSTING,
    CLASSIFIER_MLP,
)

# In the order in which they are listed everywhere.
ESTIMATORS: dict[str, Estimator] = {each.name: each for each in _FAMILIES}

# What is measured where no method is named. The others are there for whoever asks for them: hub is a
# cheaper, rougher ipr, and clusters and classifiers are fitted, which takes time.
DEFAULT_METHODS = ("knn", "kde", "ipr", "coverage")
