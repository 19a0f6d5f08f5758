"""Families of classifiers, one file each, and the registry of all families, over which pages,
command line and tests iterate.
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

# All families by name, in the order in which lists show them.
ESTIMATORS = Families({family.name: family for family in _FAMILIES})

# The families that are measured if no method is named. Of the others, hub is a cheaper but rougher
# version of ipr; cluster and the classifiers have to be fitted, which takes time.
DEFAULT_METHODS = ("knn", "kde", "ipr", "coverage")
# Families to judge a generator by, from held-out samples whose true curve is unknown: "tightest",
# whose curve is the closest to the truth, and the usual families for comparison.
VERDICT_METHODS = (TIGHTEST.name, *DEFAULT_METHODS)


def can_learn() -> bool:
    """True if scikit-learn is installed: the family "tightest", its upper bound and the trained
    classifiers need it.
    """
    return installed("sklearn")


def verdict_methods() -> tuple[str, ...]:
    """Names of the families to judge a generator by where the true curve is unknown:
    VERDICT_METHODS, or DEFAULT_METHODS without scikit-learn.
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
    """Add a family of your own to every page, the command line and `prviz.estimate`.

    Parameters
    ----------
    name : str
        An identifier that no family has yet; a function with the same module and name may be
        registered again.
    supports : callable
        ``(fit, evaluate) -> (c_X, c_Y)``. Both arguments hold the arrays ``real`` (n, d) and
        ``generated`` (m, d), read-only; without split ``evaluate is fit``. The result is two arrays
        with one entry per evaluation sample, real ones first: its support from real and from
        generated fit samples, non-negative and finite. Only the ratio of the two supports matters,
        see `ErrorRates.from_supports`.
    title : str, optional
        Name in legends; None: ``name``.
    idea : str, optional
        One plain sentence; None: the first line of the function's docstring.
    source : str, optional
        Paper and section; None: the function's module and name.

    Raises
    ------
    ValueError
        If ``name`` is not an identifier, is taken or is reserved.
    TypeError
        If ``supports`` is not a function.

    Notes
    -----
    If the function fails or returns anything else, measuring the family raises a ValueError with
    the family's name. A package adds a family by an entry point of the group "prviz.families". The
    entry point has the family's name and refers to a function like ``supports`` or to an estimator
    object (see `prviz.estimators.base`).

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


# Called at the end of the module, because the packages loaded here may import it.
load_families(ESTIMATORS)
