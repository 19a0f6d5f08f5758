"""The mathematics of prviz in plain NumPy: families, classifiers, ends, curve, summaries and the
families' bound.

Nothing is shared with the package. `docs/test_vectors.json` holds inputs and results that any
implementation can run; `tests/test_specification.py` runs them through this file and through prviz,
and as a module writes them anew.

X are the real samples, Y the generated ones. With a split, classifiers are defined by fit samples
and measured on evaluation samples; without one all samples are both. Balls are closed, and a sample
is never its own neighbour, but is counted in its own ball.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

# Numbers of errors at which single quantiles are taken: about these powers.
RATIO = 1.2
FAMILIES = ("ipr", "knn", "kde", "coverage", "eas", "prc")


def distances(a, b):
    """(len(a), len(b)) Euclidean distances."""
    return np.sqrt(((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2))


def nearest(among, k):
    """Distance of each row's point to its k-th nearest; ``among`` has inf where a point meets
    itself.
    """
    return np.sort(among, axis=1)[:, k - 1]


def without_self(d, rows, columns):
    """Distances with inf where both are the same sample, which ``rows`` and ``columns`` number."""
    return np.where(rows[:, None] == columns[None, :], np.inf, d)


def supports(family, fit, evaluate, k):
    """c_X and c_Y of the evaluation samples, real ones first.

    fit, evaluate : values of X, values of Y, and numbers that name the samples of X and of Y, all
    of them different.
    """
    x, y, x_number, y_number = fit
    points = np.concatenate(evaluate[:2])
    number = np.concatenate(evaluate[2:])
    to = {"x": distances(points, x), "y": distances(points, y)}
    other = {
        "x": without_self(to["x"], number, x_number),
        "y": without_self(to["y"], number, y_number),
    }
    own_x = nearest(without_self(distances(x, x), x_number, x_number), k)
    own_y = nearest(without_self(distances(y, y), y_number, y_number), k)
    if family == "ipr":  # balls around fit samples, to their k-th nearest in their own set
        return (to["x"] <= own_x).sum(axis=1), (to["y"] <= own_y).sum(axis=1)
    if family == "knn":  # the ball to the k-th nearest of both sets
        radius = nearest(np.concatenate((other["x"], other["y"]), axis=1), k)[:, None]
        return (to["x"] <= radius).sum(axis=1), (to["y"] <= radius).sum(axis=1)
    if family == "kde":  # one radius for each set: the mean distance to the k-th nearest in it
        return (to["x"] <= own_x.mean()).sum(axis=1), (to["y"] <= own_y.mean()).sum(axis=1)
    if family == "coverage":  # the ball to the k-th nearest of the other set
        c_x = (to["x"] <= nearest(other["y"], k)[:, None]).sum(axis=1)
        return c_x, (to["y"] <= nearest(other["x"], k)[:, None]).sum(axis=1)
    if family == "prc":  # coverage at min(3 k, n - 1), where a count below k is none
        c_x = (to["x"] <= nearest(other["y"], min(3 * k, len(y) - 1))[:, None]).sum(axis=1)
        c_y = (to["y"] <= nearest(other["x"], min(3 * k, len(x) - 1))[:, None]).sum(axis=1)
        return np.where(c_x >= k, c_x, 0), np.where(c_y >= k, c_y, 0)
    # eas: of ipr and coverage, for each side the one that holds fewer samples of the other set
    n = len(evaluate[0])
    both = [supports(name, fit, evaluate, k) for name in ("ipr", "coverage")]
    c_x = min((each[0] for each in both), key=lambda c: int((c[n:] > 0).sum()))
    return c_x, min((each[1] for each in both), key=lambda c: int((c[:n] > 0).sum()))


def error_rates(c_x, c_y, n):
    """(fpr, fnr) of every classifier; the first n samples are real, and a sample is called real or
    generated.

    f_gamma(z) = [gamma c_X(z) >= c_Y(z)], strict for gamma < 1: so 0/0 is called real from gamma =
    1 on. Only ratios c_Y / c_X matter as gamma. Ends: f_inf = [c_X > 0] and f_0 = [c_Y = 0].
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        key = np.where((c_x == 0) & (c_y == 0), 1.0, c_y / c_x)
    called = [key <= gamma for gamma in np.unique(key[np.isfinite(key)])]
    if np.any((c_x == 0) & (c_y == 0)):
        called += [c_x > 0, c_y == 0]
    return [(float(np.mean(~each[:n])), float(np.mean(each[n:]))) for each in called]


def alpha(rates, lam):
    """alpha(lam) = min of lam fpr + fnr over the classifiers and the trivial ones; beta(lam) =
    alpha(lam) / lam.
    """
    return min(lam * fpr + fnr for fpr, fnr in [*rates, (0.0, 1.0), (1.0, 0.0)])


def hull(rates):
    """Vertices of the lower-left hull of the error rates and of (0, 1), (1, 0), by rising fpr."""
    found = []
    for point in sorted({*rates, (0.0, 1.0), (1.0, 0.0)}):
        while len(found) > 1 and _turn(found[-2], found[-1], point) <= 1e-15:
            found.pop()
        if not found or point[1] < found[-1][1]:
            if found and point[0] == found[-1][0]:
                found.pop()
            found.append(point)
    return found


def _turn(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def ends(rates):
    """Extreme precision, the least fnr without a fpr, and extreme recall, the least fpr without a
    fnr.
    """
    every = [*rates, (0.0, 1.0), (1.0, 0.0)]
    return min(fnr for fpr, fnr in every if fpr == 0), min(fpr for fpr, fnr in every if fnr == 0)


def area(rates, least=0.0, most=math.inf):
    """Area between two rays: in polar coordinates half the integral of beta(lam)^2 dlam, piece by
    piece of the hull.

    On a piece the point is (beta, alpha) = (f + n / lam, lam f + n) with the vertex (f, n).
    """
    points = hull(rates)[::-1]
    cuts = [0.0, *((b[1] - a[1]) / (a[0] - b[0]) for a, b in pairwise(points)), math.inf]
    total = 0.0
    for (f, n), (low, high) in zip(points, pairwise(cuts), strict=True):
        start = max(low, least)
        stop = min(high, most)
        if start < stop:
            total += _primitive(f, n, stop) - _primitive(f, n, start)
    return total


def _primitive(f, n, lam):
    """Integral of (f + n / lam)^2 / 2; a piece that reaches lam = 0 has n = 0, one that reaches
    infinity f = 0.
    """
    if lam in (0.0, math.inf):
        return 0.0
    mixed = 2 * f * n * math.log(lam) if f and n else 0.0
    return (f * f * lam + mixed - n * n / lam) / 2


def where(holds):
    """The lam at which ``holds(lam)`` turns from True to False, by bisection on a logarithmic
    scale.
    """
    low = -80.0
    high = 80.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(math.exp(middle)) else (low, middle)
    return math.exp(low)


def summaries(rates, b=8.0, eps=0.05):
    """Numbers of the curve, by prviz's keys."""
    precise, complete = ends(rates)
    whole = area(rates)
    found = {
        "auc": whole,
        "alpha_inf": precise,
        "beta_0": complete,
        "one_minus_tv": alpha(rates, 1.0),
    }
    points = hull(rates)
    lams = [(p[1] - q[1]) / (q[0] - p[0]) for p, q in pairwise(points)]
    for name, weight in (("f8_precision", b * b), ("f8_recall", 1 / (b * b))):
        found[name] = max((1 + weight) * alpha(rates, lam) / (weight + lam) for lam in lams)
    lam = where(lambda lam: area(rates, most=lam) < whole / 2)
    found["median_precision"] = alpha(rates, lam) if whole else 0.0
    found["median_recall"] = alpha(rates, lam) / lam if whole else 0.0
    lam = where(lambda lam: alpha(rates, lam) >= eps * lam)
    found["alpha_at_005"] = alpha(rates, lam) if complete >= eps else 0.0
    lam = where(lambda lam: alpha(rates, lam) < eps)
    found["beta_at_005"] = alpha(rates, lam) / lam if precise >= eps else 0.0
    return found


def largest_rate(errors, n, level):
    """Largest rate at which so few errors among n have at least this probability (Clopper,
    Pearson).
    """
    if errors >= n:
        return 1.0
    logs = [
        math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) for i in range(errors + 1)
    ]
    low = 0.0
    high = 1.0
    for _ in range(100):
        p = (low + high) / 2
        terms = (each + i * math.log(p) + (n - i) * math.log1p(-p) for i, each in enumerate(logs))
        low, high = (p, high) if math.fsum(map(math.exp, terms)) > level else (low, p)
    return low


def bound(rates, sizes, two_ends, confidence=0.95):
    """Rates that bound the true ones of all nested classifiers at once, with this probability.

    sizes : numbers of real and of generated evaluation samples. two_ends : True if the last two
    classifiers are f_inf and f_0, which are not nested with the others.
    """
    level = (1 - confidence) / 2
    sides = []
    for side, n in enumerate(sizes):
        band = math.sqrt(math.log(2 / level) / (2 * n))  # Dvoretzky, Kiefer, Wolfowitz, Massart
        steps = [round(RATIO**i) for i in range(int(math.log(n) / math.log(RATIO)) + 1)]
        places = sorted({0, *(step for step in steps if step < n)})
        share = level / 2 / (len(places) + 2)
        bounds = []
        for place, rate in enumerate(rates):
            errors = round(rate[side] * n)
            if two_ends and place >= len(rates) - 2:
                bounds.append(largest_rate(errors, n, share))
                continue
            above = [each for each in places if each >= errors]
            quantile = largest_rate(above[0], n, share) if above else 1.0
            bounds.append(min(errors / n + band, quantile))
        sides.append(bounds)
    return list(zip(*sides, strict=True))
