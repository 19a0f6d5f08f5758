"""Families of classifiers, one file each, and the registry that page, command line and tests
iterate over.
"""

from __future__ import annotations

from prviz.estimators.base import Estimator, Families, Supports, resolve_k
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
from prviz.estimators.tightest import TIGHTEST
from prviz.missing import installed

__all__ = [
    "DEFAULT_METHODS",
    "ESTIMATORS",
    "VERDICT_METHODS",
    "Estimator",
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
    TIGHTEST,
)

# Families by name, in the order of every list.
ESTIMATORS = Families({family.name: family for family in _FAMILIES})

# Families measured where no method is named. Among the others, hub is a cheaper, rougher ipr, and
# clusters and classifiers are fitted, which takes time.
DEFAULT_METHODS = ("knn", "kde", "ipr", "coverage")
# Those of a verdict on samples without a truth, where they are held out: the curve to believe, and
# what others see.
VERDICT_METHODS = (TIGHTEST.name, *DEFAULT_METHODS)


def can_learn() -> bool:
    """True if scikit-learn is installed, which the curve to believe, its bound and trained
    classifiers need.
    """
    return installed("sklearn")


def verdict_methods() -> tuple[str, ...]:
    """Families of a verdict without a truth: VERDICT_METHODS, or without scikit-learn those of the
    neighbours.
    """
    if can_learn():
        return VERDICT_METHODS
    return DEFAULT_METHODS


def register(
    name: str,
    supports: SupportsFunction,
    *,
    title: str | None = None,
    idea: str | None = None,
    source: str | None = None,
) -> None:
    """Add a family of your own: every page, the command line and `prviz.estimate` know it from then
    on.

    Parameters
    ----------
    name : str
        An identifier that no family has yet; a function with the same module and name may be
        registered again.
    supports : callable
        ``(fit, evaluate) -> (c_X, c_Y)``. Both arguments hold the arrays ``real`` (n, d) and
        ``generated`` (m, d), read-only; without split ``evaluate is fit``. The result is two arrays
        with one entry per evaluation sample, real ones first: its support from real and from
        generated fit samples, non-negative and finite. Only their ratio counts: see
        `ErrorRates.from_supports`.
    title : str, optional
        Name in legends; None: ``name``.
    idea : str, optional
        One plain sentence; None: the first line of the function's docstring.
    source : str, optional
        Paper and section; None: the function's module and name.

    Raises
    ------
    ValueError
        A name that is no identifier, is taken or is reserved.
    TypeError
        ``supports`` is no function.

    Notes
    -----
    A function that fails or returns anything else raises a ValueError with the family's name when
    it is measured. A package adds a family by an entry point of the group "prviz.families", named
    as the family, that refers to such a function or to an estimator object (see
    `prviz.estimators.base`).

    Examples
    --------
    >>> import numpy as np
    >>> # shares of fit samples on the same side of 0 along the first feature
    >>> def first_feature(fit, evaluate):
    ...     z = np.concatenate(evaluate)[:, 0] > 0
    ...     return tuple(np.where(z, np.mean(c[:, 0] > 0), np.mean(c[:, 0] <= 0)) for c in fit)
    >>> register("first_feature", first_feature)
    """
    add_family(ESTIMATORS, name, supports, title=title, idea=idea, source=source)


# Last, since the loaded packages may import this module.
load_families(ESTIMATORS)
