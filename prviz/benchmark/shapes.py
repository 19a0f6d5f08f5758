"""Comparison of points (precision, recall), as other packages return them, with the true curve."""

from __future__ import annotations

from typing import Any

import numpy as np

from prviz.arrays import Floats
from prviz.curves import Comparison, PRCurve
from prviz.curves.rays import area_on_rays, lams_of_rays, radii_on_rays

RAYS = 1001
# Points are rounded to this many decimals, so that exactly vertical or horizontal parts of a curve
# stay so.
_DECIMALS = 9


def points_of(found: Any) -> Floats:
    """One or many points (precision, recall) as an (m, 2) array in [0, 1].

    Raises
    ------
    ValueError : if the array has another shape, or values are not numbers from 0 to 1.
    """
    points = np.atleast_2d(np.asarray(found, dtype=float))
    if points.ndim != 2 or points.shape[1] != 2 or not len(points):
        raise ValueError(
            "an estimate is a PRCurve or points (precision, recall); this has the shape"
            f" {points.shape}"
        )
    if not np.all((points >= 0) & (points <= 1)):
        raise ValueError("precision and recall are numbers from 0 to 1")
    return points


def radii_of(points: Floats) -> Floats:
    """Along each ray from the origin, the distance to the border of the region below the points.

    The region contains everything below and to the left of the line that joins the points. For a
    single point it is a rectangle.
    """
    points = points.round(_DECIMALS)
    # Sorted by decreasing recall, then increasing precision.
    precision, recall = points[np.lexsort((points[:, 0], -points[:, 1]))].T
    # Keep a point only if no point with larger recall has larger precision.
    best = precision >= np.maximum.accumulate(precision)
    precision = precision[best]
    recall = recall[best]
    y = np.concatenate(([0.0], precision, [precision[-1]]))
    x = np.concatenate(([recall[0]], recall, [0.0]))
    inner = np.arctan(lams_of_rays(RAYS))
    angles = np.concatenate(([0.0], inner, [np.pi / 2]))
    at = np.arctan2(y, x)
    at[0], at[-1] = 0.0, np.pi / 2
    segment = np.clip(np.searchsorted(at, angles, side="right") - 1, 0, len(at) - 2)
    dx = np.diff(x)[segment]
    dy = np.diff(y)[segment]
    turn = np.cos(angles) * dy - np.sin(angles) * dx
    reach = x[segment] * dy - y[segment] * dx
    with np.errstate(divide="ignore", invalid="ignore"):
        radii = np.where(np.abs(turn) > 1e-15, reach / turn, np.hypot(x, y)[segment])
    return np.maximum(radii, 0.0)


def compare(found: PRCurve | Floats, truth: PRCurve) -> tuple[Comparison, float]:
    """Compare an estimate with the truth: IoU, excess and deficit, and the area of the estimate.

    The numbers are exact for a `PRCurve`; points are compared on `RAYS` rays.
    """
    if isinstance(found, PRCurve):
        return found.compare(truth), found.auc
    theirs = radii_of(found)
    true = radii_on_rays(truth, RAYS)
    shared, joint = (area_on_rays(theirs, true, envelope) for envelope in (np.minimum, np.maximum))
    own, all_true = (area_on_rays(each, each, np.minimum) for each in (theirs, true))
    unit = 0.5 * np.sin(np.pi / 2 / (RAYS + 1))
    if joint <= 0:
        return Comparison(1.0, 0.0, 0.0), 0.0
    return Comparison(shared / joint, (own - shared) / joint, (all_true - shared) / joint), float(
        unit * own
    )
