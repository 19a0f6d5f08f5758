"""Choice of the family and k with the lowest risk on held-out samples; the true curve need not be
known.
"""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

import numpy as np

from prviz.curves import PRCurve

Setting: TypeAlias = tuple[str, int]  # method and k

# Angles theta at which risks are compared; lam = tan(theta).
_ANGLES = np.linspace(0.0, np.pi / 2, 181)


class LowestRisk(NamedTuple):
    """The setting (family and k) with the lowest risk at one lam.

    risk, error : the risk of this setting, and its standard error over draws of the evaluation
    samples.
    alike : by method, the range of k around the method's best k in which every risk is at most one
    standard error above the lowest risk: smallest and largest k. Methods without such a k are left
    out.
    """

    method: str
    k: int
    risk: float
    error: float
    alike: Mapping[str, tuple[int, int]]


class ChosenSetting(NamedTuple):
    """The setting (family and k) whose risk is lowest at every lam from ``low`` to ``high``."""

    method: str
    k: int
    low: float
    high: float


def risk(curve: PRCurve, lam: float) -> float:
    """The lowest weighted error (lam fpr + fnr) / (lam + 1) along a curve.

    Parameters
    ----------
    curve : PRCurve
        The curve of a family, measured on samples that do not define its classifiers.
    lam : float
        What a real sample called generated costs, in units of a generated one called real; in (0,
        inf).

    Returns
    -------
    float
        The risk, in [0, 1/2]. Of two families measured in this way, the one with the lower risk is
        closer to the truth, apart from chance: no classifier has a lower risk than the best one
        (Simon et al. 2019, Theorem 5).

    Raises
    ------
    ValueError
        If lam is outside (0, inf).
    """
    if not 0 < lam < math.inf:
        raise ValueError(f"lam = {lam}; a positive finite number is needed")
    return float(curve.alpha(lam)) / (lam + 1)


def lowest_risk(
    curves: Mapping[Setting, PRCurve], lam: float, n_real: int, n_generated: int
) -> LowestRisk:
    """The setting (family and k) with the lowest risk at one lam.

    Parameters
    ----------
    curves : mapping of (method, k) to PRCurve
        Held-out curves of one pair and split, such as those of `prviz.profile`.
    lam : float
        As in `risk`.
    n_real, n_generated : int
        Numbers of evaluation samples.

    Returns
    -------
    LowestRisk
        The best setting, the first of equally good ones. Its risk is too low an estimate, because
        the same samples choose and measure it.

    Raises
    ------
    ValueError
        If there are no curves, or lam is outside (0, inf).
    """
    if not curves:
        raise ValueError("curves is empty; at least one is needed")
    risks = {setting: risk(curve, lam) for setting, curve in curves.items()}
    best = min(risks, key=risks.__getitem__)
    fpr, fnr = curves[best].vertices[curves[best].vertex_at(lam)].tolist()
    variance = lam**2 * fpr * (1 - fpr) / n_real + fnr * (1 - fnr) / n_generated
    error = math.sqrt(variance) / (lam + 1)
    alike = {}
    for name in dict.fromkeys(method for method, _ in risks):
        ks = sorted(k for method, k in risks if method == name)
        own = np.array([risks[name, k] for k in ks])
        at = int(own.argmin())
        worse = own > risks[best] + error
        if not worse[at]:
            edges = [-1, *np.flatnonzero(worse).tolist(), len(ks)]
            end = bisect(edges, at)
            alike[name] = ks[edges[end - 1] + 1], ks[edges[end] - 1]
    return LowestRisk(*best, risks[best], error, alike)


def choices(curves: Mapping[Setting, PRCurve]) -> list[ChosenSetting]:
    """The settings (family and k) with the lowest risk, for lam from 0 to infinity.

    Parameters
    ----------
    curves : mapping of (method, k) to PRCurve
        As for `lowest_risk`.

    Returns
    -------
    list of ChosenSetting
        The settings by increasing lam; neighbouring ones differ. Where several settings have the
        lowest risk, the one from smaller lam stays.
    """
    settings = list(curves)
    lams = np.tan(_ANGLES[1:-1])
    precision = np.stack([curves[setting].alpha(lams) for setting in settings])
    found: list[ChosenSetting] = []
    last = int(np.argmin(precision[:, 0]))
    ends = [0.0, *np.tan((_ANGLES[1:-2] + _ANGLES[2:-1]) / 2).tolist(), math.inf]
    begun = 0
    for place in range(len(lams)):
        column = precision[:, place]
        if column[last] > column.min():
            found.append(ChosenSetting(*settings[last], ends[begun], ends[place]))
            last = int(np.argmin(column))
            begun = place
    return [*found, ChosenSetting(*settings[last], ends[begun], math.inf)]
