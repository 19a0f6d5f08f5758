"""Curves as they are drawn by code that computes only a few values of lam: points on rays of equal
angle, joined by straight lines.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from prviz.arguments import checked_whole
from prviz.arrays import Floats
from prviz.curves.pr_curve import ErrorRates, PRCurve, even_rays, score_keys

# Fewest and most rays. With fewer than 9 the polyline does not resemble the curve; the code
# published with the first precision-recall curves draws 1,001 angles.
RAYS_LIMITS = (9, 1001)


def check_rays(rays: int) -> int:
    """Return ``rays`` if it is an integer within RAYS_LIMITS; raises as `checked_whole`."""
    return checked_whole("rays", rays, *RAYS_LIMITS)


def rates_on_rays(c_real: ArrayLike, c_generated: ArrayLike, n_real: int, rays: int) -> ErrorRates:
    """Error rates as from `ErrorRates.from_supports`, but only of the classifiers with thresholds
    gamma = tan(theta) on the rays, and of both ends of the family.

    Parameters
    ----------
    c_real, c_generated, n_real : array_like, array_like, int
        As in `ErrorRates.from_supports`.
    rays : int
        Number of evenly spaced angles theta between 0 and pi / 2, from 9 to 1,001.

    Returns
    -------
    ErrorRates
        One entry per ray, then f_inf = [c_X > 0] and f_0 = [c_Y = 0].

    Raises
    ------
    ValueError
        If ``rays`` is not from 9 to 1,001.

    Notes
    -----
    Source: Sykes, Simon, Rabin 2024 (first version of hal-05344404), appendix B, where lam and
    gamma are sampled in this way.
    """
    supports = np.asarray(c_real, dtype=float), np.asarray(c_generated, dtype=float)
    keys = score_keys(*supports)
    gammas, ends = (lams_of_rays(check_rays(rays)), (supports[0] > 0, supports[1] == 0))
    rates = []
    for side in (slice(None, n_real), slice(n_real, None)):
        ordered = np.sort(keys[side])
        places = (
            np.searchsorted(ordered, gammas, side="right"),
            np.searchsorted(ordered, gammas, side="left"),
        )
        called_real = np.where(gammas >= 1, *places) / len(ordered)
        rates.append(np.append(called_real, [np.mean(end[side]) for end in ends]))
    return ErrorRates(1.0 - rates[0], rates[1])


def iou_on_rays(curve: PRCurve, truth: PRCurve, rays: int) -> float:
    """Intersection over union of two curves drawn as polylines; `PRCurve.iou` compares the exact
    curves.

    Parameters
    ----------
    curve, truth : PRCurve
        The two curves.
    rays : int
        Number of rays between the axes, from 9 to 1,001: the points at lam = tan(theta) of equal
        angles, and both ends of each curve, are joined by straight lines.

    Returns
    -------
    float
        IoU in [0, 1].

    Raises
    ------
    ValueError
        If ``rays`` is not from 9 to 1,001.

    Notes
    -----
    Between two rays both polylines form triangles with the origin, and cross at most once.
    """
    a, c = (radii_on_rays(each, check_rays(rays)) for each in (curve, truth))
    shared, joint = (area_on_rays(a, c, envelope) for envelope in (np.minimum, np.maximum))
    if joint > 0:
        return shared / joint
    return 1.0


def lams_of_rays(rays: int) -> Floats:
    """Values of lam on evenly spaced rays between the axes, increasing; tan(pi / 4) is
    exactly 1.
    """
    lams = even_rays(rays + 2)[1:-1]
    return np.where(np.isclose(lams, 1.0, rtol=1e-12), 1.0, lams)


def radii_on_rays(curve: PRCurve, rays: int) -> Floats:
    """Distance from the origin of the curve's point on each ray, (rays + 2,), from the right end of
    the curve to the left end.
    """
    lams = lams_of_rays(rays)
    inner: Floats = np.hypot(curve.alpha(lams), curve.beta(lams))
    return np.concatenate(([curve.extreme_recall], inner, [curve.extreme_precision]))


def area_on_rays(first: Floats, second: Floats, envelope: np.ufunc) -> float:
    """Area under the lower (np.minimum) or upper (np.maximum) envelope of two polylines, divided by
    sin(angle between two rays) / 2.

    ``first`` and ``second`` are the polylines' distances from the origin on the rays.

    In coordinates (u, v) along the two rays of a sector, the polylines are u b + v a = a b and u d
    + v c = c d.
    """
    a = first[:-1]
    b = first[1:]
    c = second[:-1]
    d = second[1:]
    crossed = (a - c) * (b - d) < 0
    ends = envelope(a, c), envelope(b, d)
    det = np.where(crossed, b * c - a * d, 1.0)
    u = a * c * (b - d) / det
    v = b * d * (c - a) / det
    return float(np.sum(np.where(crossed, ends[0] * v + u * ends[1], ends[0] * ends[1])))
