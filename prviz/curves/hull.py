"""Geometry of lower hulls, as functions of plain arrays; comments above the functions derive their
formulas.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from prviz.arrays import Floats

Pieces = tuple[Floats, Floats, Floats, Floats]

# Relative difference between the slopes of two edges, below which their three points count as
# collinear. Rates are counts over n in 53 bits, so slopes between collinear points differ by about
# 1e-16 / (rate difference). Dropping the middle point changes no area by more than that.
COLLINEAR = 1e-11
# Before the exact hull is computed, a point is dropped if the slopes of its two edges show, by more
# than this relative difference, that it lies above the line between its neighbours.
INNER = 1e-9


def lower_hull(fpr: Floats, fnr: Floats) -> Floats:
    """Vertices (fpr, fnr), shape (m, 2), of the lower-left hull of the points; fpr increases, fnr
    decreases to 0.
    """
    # Points usually come in order of a score, with fpr rising or falling. A stable sort of rising
    # values is fast, so falling ones are reversed first.
    falling = len(fpr) > 1 and fpr[0] > fpr[-1]
    order = np.argsort(fpr[::-1], kind="stable") if falling else np.argsort(fpr, kind="stable")
    xs, ys = (rates[::-1][order] if falling else rates[order] for rates in (fpr, fnr))
    # Only the lowest point of each fpr can be on the hull, and only if it is below all points to
    # its left.
    lower = np.ones(len(ys), dtype=bool)
    lower[1:] = ys[1:] < np.minimum.accumulate(ys[:-1])
    xs = xs[lower]
    ys = ys[lower]
    lowest = np.ones(len(xs), dtype=bool)
    lowest[:-1] = xs[1:] > xs[:-1]
    xs, ys = _without_clearly_inner(xs[lowest], ys[lowest])
    hull: list[tuple[float, float]] = []
    for x, y in zip(xs.tolist(), ys.tolist(), strict=True):
        while len(hull) > 1:
            (ax, ay), (bx, by) = hull[-2:]
            if (ay - by) / (bx - ax) > (by - y) / (x - bx) * (1.0 + COLLINEAR):
                # Keep b: it lies below the line from a to the new point by more than rounding.
                break
            hull.pop()
        hull.append((x, y))
    return np.array(hull)


# Each pass is safe: a point clearly above the segment between two others is not a vertex of the
# hull, even if these two are dropped later.
def _without_clearly_inner(xs: Floats, ys: Floats) -> tuple[Floats, Floats]:
    """The descending chain of points, without most points that are not on the hull. Points are
    removed in passes, until a pass removes few.
    """
    while len(xs) > 16:
        slopes = (ys[1:] - ys[:-1]) / (xs[1:] - xs[:-1])
        kept = np.ones(len(xs), dtype=bool)
        kept[1:-1] = slopes[:-1] < slopes[1:] * (1.0 - INNER)
        if kept.sum() > 0.9 * len(xs):
            break
        xs = xs[kept]
        ys = ys[kept]
    return xs, ys


def edge_lams(vertices: Floats) -> Floats:
    """Negated slopes, (m - 1,), of the hull's edges: strictly decreasing along a lower hull."""
    steps = vertices[1:] - vertices[:-1]
    return -steps[:, 1] / steps[:, 0]


def is_lower_hull(vertices: Floats) -> bool:
    """True if the vertices run from fpr = 0 to fnr = 0, strictly rightwards and downwards, ever
    less steeply, and no rate is above 1.
    """
    steps = vertices[1:] - vertices[:-1]
    if not bool((steps[:, 0] > 0).all() and (steps[:, 1] < 0).all()):
        return False
    lams = -steps[:, 1] / steps[:, 0]
    return bool((lams[1:] < lams[:-1]).all() and (vertices <= 1).all())


# alpha(lam), the lower envelope of the vertices' lines, is minus the support function of the hull,
# and support functions add under Minkowski sums. So the mean curve has every edge of every hull,
# scaled by 1 / (number of hulls), in order of slope.
def minkowski_mean(hulls: Sequence[Floats]) -> Floats:
    """Vertices of the hull whose alpha(lam) is the mean of alpha(lam) over several hulls."""
    if all(np.array_equal(hull, hulls[0]) for hull in hulls):
        return hulls[0]
    edges = np.concatenate([np.diff(vertices, axis=0) for vertices in hulls]) / len(hulls)
    edges = edges[np.argsort(edges[:, 1] / edges[:, 0], kind="stable")]
    # Each coordinate is summed from the end where it is 0, so that small values keep all their
    # digits.
    fpr = np.insert(np.cumsum(edges[:, 0]), 0, 0.0)
    fnr = np.append(-np.cumsum(edges[::-1, 1])[::-1], 0.0)
    return lower_hull(np.clip(fpr, 0.0, 1.0), np.clip(fnr, 0.0, 1.0))


# In polar form a piece of the curve is rho(theta) = f / cos(theta) + n / sin(theta), where lam =
# tan(theta). Its area is half the integral of rho^2 over theta; with d(theta) = d(lam) / (1 +
# lam^2), that is the formula in the docstring.
def sector_areas(f: Floats, n: Floats, lo: Floats, hi: Floats) -> Floats:
    """Area of the sector between each piece of the curve and the origin: 1/2 [f^2 (hi - lo) + n^2
    (1/lo - 1/hi) + 2 f n log(hi / lo)]; terms with a factor 0 are 0.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        wide = np.where(f > 0, f * f * (hi - lo), 0.0)
        tall = np.where(n > 0, n * n * (1.0 / lo - 1.0 / hi), 0.0)
        arc = np.where((f > 0) & (n > 0), 2.0 * f * n * (np.log(hi) - np.log(lo)), 0.0)
    areas: Floats = 0.5 * (wide + tall + arc)
    return np.where(hi > lo, areas, 0.0)


def overlap(estimate: Pieces, reference: Pieces) -> tuple[float, float, float]:
    """Three areas: the area under both curves, the area under the estimate alone, and the area
    under the reference alone.
    """
    lams = _merged_lams(estimate, reference)
    lo = lams[:-1]
    hi = lams[1:]
    fe, ne = _active(estimate, hi)
    ft, nt = _active(reference, hi)
    area_e = sector_areas(fe, ne, lo, hi)
    area_t = sector_areas(ft, nt, lo, hi)
    # On an interval the same curve is farther out everywhere: the sign of lam (fe - ft) + ne - nt
    # is constant.
    middle = np.where(np.isinf(hi), 2.0 * lo + 1.0, 0.5 * (lo + np.where(np.isinf(hi), 0.0, hi)))
    estimate_above = middle * (fe - ft) + (ne - nt) > 0
    both = np.where(estimate_above, area_t, area_e).sum()
    excess = np.where(estimate_above, area_e - area_t, 0.0).sum()
    deficit = np.where(estimate_above, 0.0, area_t - area_e).sum()
    return float(both), max(float(excess), 0.0), max(float(deficit), 0.0)


def _active(pieces: Pieces, hi: Floats) -> tuple[Floats, Floats]:
    """For each interval of lam, given by its upper end in ``hi``, the vertex (f, n) of the hull
    that is optimal on it.
    """
    f, n, _, upper = pieces
    index = np.searchsorted(-upper, -hi, side="right") - 1
    return f[index], n[index]


def _merged_lams(a: Pieces, b: Pieces) -> Floats:
    """The values of lam at which either curve changes its vertex or both curves cross, with 0 and
    inf, in increasing order.
    """
    lams = _distinct(a[2], b[2], [np.inf])
    fa, na = _active(a, lams[1:])
    fb, nb = _active(b, lams[1:])
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = (nb - na) / (fa - fb)
    inside = (crossing > lams[:-1]) & (crossing < lams[1:])
    return _distinct(lams, crossing[inside])


def _distinct(*values: ArrayLike) -> Floats:
    """All values in order, equal ones once: like `numpy.unique`, but ten times faster for a few
    sorted arrays.
    """
    lams = np.sort(np.concatenate(values), kind="stable")
    distinct: Floats = lams[np.append(True, lams[1:] > lams[:-1])]
    return distinct


def halving_lam(f: Floats, n: Floats, lo: Floats, hi: Floats, areas: Floats) -> float:
    """The lam of the ray from the origin that halves the area under the curve. ``areas`` are the
    areas of the pieces; they must not all be 0.
    """
    areas = areas[::-1]
    below = np.cumsum(areas)
    index = int(np.searchsorted(below, below[-1] / 2))
    target = below[-1] / 2 - (below[index] - areas[index])
    j = len(f) - 1 - index
    return _lam_for_area(float(f[j]), float(n[j]), float(lo[j]), float(hi[j]), float(target))


def _lam_for_area(f: float, n: float, lo: float, hi: float, target: float) -> float:
    """The lam in [lo, hi] for which the area of one piece of the curve, with the vertex (f, n),
    from lo to lam is `target`: in closed form if n or f is 0, otherwise by bisection on log lam.
    """
    if n == 0:
        return min(lo + 2.0 * target / f / f, hi)
    if f == 0:
        rest = n * n / (2.0 * lo) - target
        if rest > 0:
            return max(n * n / (2.0 * rest), lo)
        return hi

    # Parts of the formula that stay the same in the some fifty steps of the bisection.
    ff = f * f
    nn = n * n
    fn = 2 * f * n
    over_lo = 1 / lo
    exp = math.exp
    log = math.log
    left = log(lo)
    right = log(hi)
    for _ in range(200):
        middle = 0.5 * (left + right)
        if not left < middle < right:
            break
        lam = exp(middle)
        area = 0.5 * (ff * (lam - lo) + nn * (over_lo - 1 / lam) + fn * log(lam / lo))
        if area < target:
            left = middle
        else:
            right = middle
    return min(max(math.exp(right), lo), hi)


def lam_at_recall(f: Floats, n: Floats, lo: Floats, hi: Floats, recall: float) -> float:
    """The largest lam with beta(lam) = f + n / lam >= recall; recall must not exceed the extreme
    recall, the f of the last vertex.
    """
    if recall <= 0:
        return float("inf")
    with np.errstate(divide="ignore", invalid="ignore"):
        beta_at_lo = f + np.where(n > 0, n / lo, 0.0)
    j = int(np.argmax(beta_at_lo >= recall))
    if recall <= f[j]:
        return float(hi[j])
    return float(np.clip(n[j] / (recall - f[j]), lo[j], hi[j]))
