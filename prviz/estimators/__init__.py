"""The families of classifiers, one file each, and the registry that everything iterates over."""

from __future__ import annotations

from prviz.estimators.base import (
    BallEstimator,
    CountingEstimator,
    DirectEstimator,
    Estimator,
    SeededEstimator,
    Supports,
    resolve_k,
)
from prviz.estimators.classifier import CLASSIFIER, CLASSIFIER_BOOSTING, CLASSIFIER_MLP
from prviz.estimators.cluster import CLUSTER
from prviz.estimators.coverage import COVERAGE
from prviz.estimators.eas import EAS
from prviz.estimators.hub import HUB
from prviz.estimators.ipr import IPR
from prviz.estimators.kde import KDE
from prviz.estimators.knn import KNN
from prviz.estimators.ppr import PPR
from prviz.estimators.prc import PRC
from prviz.estimators.registered import SupportsFunction, add_family, load_families

__all__ = [
    "DEFAULT_METHODS",
    "ESTIMATORS",
    "BallEstimator",
    "CountingEstimator",
    "DirectEstimator",
    "Estimator",
    "SeededEstimator",
    "Supports",
    "register",
    "resolve_k",
]

_FAMILIES: tuple[Estimator, ...] = (
    KNN,
    KDE,
    IPR,
    COVERAGE,
    EAS,
    PRC,
    PPR,
    CLUSTER,
    CLASSIFIER,
    CLASSIFIER_BOOSTING,
    CLASSIFIER_MLP,
    HUB,
)

# In the order in which they are listed everywhere.
ESTIMATORS: dict[str, Estimator] = {each.name: each for each in _FAMILIES}

# What is measured where no method is named. The others are there for whoever asks for them: hub is a
# cheaper, rougher ipr, and clusters and classifiers are fitted, which takes time.
DEFAULT_METHODS = ("knn", "kde", "ipr", "coverage")


def register(
    name: str,
    supports: SupportsFunction,
    *,
    title: str | None = None,
    idea: str | None = None,
    source: str | None = None,
) -> None:
    """Add a family of your own: every page, the command line and `prviz.estimate` know it from then on.

    Parameters
    ----------
    name : an identifier that no family has yet; a function of the same place in its module may be registered again.
    supports : ``(fit, evaluate) -> (c_X, c_Y)``. Both arguments hold the arrays ``real`` (n, d) and ``generated``
        (m, d), read-only; without split ``evaluate is fit``. The result is two arrays with one entry per evaluation
        sample, the real ones first: how much support it gets from real fit samples and from generated ones, not
        negative and finite. Only their ratio counts: see `ErrorRates.from_supports`.
    title, idea, source : how legends call it, one plain sentence and where it is from; by default the name, the first
        line of the function's docstring and its place.

    Raises
    ------
    ValueError : a name that is no identifier, is taken or is reserved.
    TypeError : no function.

    A function that fails or gives anything else is a ValueError with the family's name where it is measured. A package
    brings a family along by an entry point of the group "prviz.families", named as the family, that refers to such a
    function or to an estimator object as `prviz.estimators.base` describes them.

    >>> import numpy as np
    >>> def first_feature(fit, evaluate):  # shares of fit samples on the same side of 0 along the first feature
    ...     z = np.concatenate(evaluate)[:, 0] > 0
    ...     return tuple(np.where(z, np.mean(c[:, 0] > 0), np.mean(c[:, 0] <= 0)) for c in fit)
    >>> register("first_feature", first_feature)
    """
    add_family(ESTIMATORS, name, supports, title=title, idea=idea, source=source)


# Last, since what is loaded may well import this module.
load_families(ESTIMATORS)
