"""The curve to which a family's estimates tend with ever more samples, at a fixed number k of
neighbours.

Near a point z, with as many real as generated samples, each neighbour is real with probability
eta(z) = p(z) / (p(z) + q(z)), independently. Supports that count among a fixed number of neighbours
stay noisy, however many samples there are, so the limit lies above the truth. With `ipr` only the
supports of P and Q matter: where both distributions have mass, its counts c_X and c_Y have the same
distribution, whatever eta is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from prviz.arguments import checked_choice, checked_whole
from prviz.arrays import Floats
from prviz.curves.pr_curve import PRCurve

Rates = tuple[Floats, Floats]  # fpr and fnr

# Number of bins into which the continuous eta is divided; also the number of thresholds on the key
# c_Y / c_X at which the limit of coverage is computed.
STEPS = 400
# Largest k: the limit of knn then takes 2 seconds, that of coverage more than a minute.
_MOST_K = 100_000
# Seconds to compute the limit of coverage on a slow machine, per threshold, bin of eta and
# neighbour.
_TERM_SECONDS = 1e-7
# Smallest distance of eta from 0 and 1: with a smaller one SciPy's negative binomial distribution
# gives nan.
_SMALLEST_SHARE = 1e-12


def limit_curve(truth: PRCurve, method: str, k: int, *, steps: int = STEPS) -> PRCurve:
    """The curve of a family at a fixed k for infinitely many samples, with a split, from the true
    curve alone.

    Parameters
    ----------
    truth : PRCurve
        The true curve; its edges hold the distribution of the density ratio.
    method : str
        A name in LIMITS: "knn", "coverage" or "ipr".
    k : int
        Number of neighbours, at least 1.
    steps : int, default 400
        Number of bins of eta, and of thresholds on coverage's key. With 100 the IoU
        with the truth moves by less than 0.002.

    Returns
    -------
    PRCurve
        The limit, at or above the truth. As k grows the limit tends to the truth; the limit of
        "ipr" tends instead to the rectangle whose corner has the extreme precision and the extreme
        recall.

    Raises
    ------
    ValueError
        If the family has no known limit, or k is below 1.

    Notes
    -----
    An edge of the truth with masses p and q has eta = p / (p + q). The key of a sample is c_Y /
    c_X. At a threshold t, fpr is the sum over the edges of p P(key > t), fnr the sum of q P(key <=
    t), both given eta. For `knn` the number of real samples among the k nearest is binomial.
    `coverage` counts real samples up to the k-th generated one, which is negative binomial. Source:
    hal-05344404, proof of Theorem 5; its first version, equation 10.

    The k-NN balls of `ipr` shrink with the density, so the number of them that hold a point has a
    law that depends on k and the dimension alone. In high dimension it is Poisson with mean k (Yao
    and Simons 1996); the probability that no ball holds a point is then exp(-k), and smaller in low
    dimension (k = 1, d = 1: 0.25 instead of 0.37). The limit of `kde` at a fixed k depends on the
    densities, not on their ratio alone, and is not given.
    """
    found = LIMITS[checked_choice("method", method, LIMITS)]
    return PRCurve.from_error_rates(*found(truth, checked_whole("k", k, 1, _MOST_K), steps))


def limit_seconds(truth: PRCurve, method: str, k: int, *, steps: int = STEPS) -> float:
    """Estimated seconds of `limit_curve` on a slow machine; "knn" takes only a few milliseconds."""
    return _TERM_SECONDS * steps * len(_masses(truth, steps)[0]) * k * (method == "coverage")


def _masses(truth: PRCurve, bins: int) -> tuple[Floats, Floats, Floats]:
    """For each bin of eta, on the co-support: the mass of P, the mass of Q, and the mean eta;
    (m,).
    """
    p, q = truth.edge_masses
    if len(p) > bins:
        places = np.minimum((bins * (p / (p + q))).astype(np.intp), bins - 1)
        p, q = (np.bincount(places, weights=side, minlength=bins).astype(float) for side in (p, q))
    used = p + q > 0
    p = p[used]
    q = q[used]
    return p, q, np.clip(p / (p + q), _SMALLEST_SHARE, 1.0 - _SMALLEST_SHARE)


def _of_shares(
    key_below: Callable[[Floats, int, int], Floats], truth: PRCurve, k: int, steps: int
) -> Rates:
    """Error rates of a family. ``key_below`` gives the probability that a sample's key c_Y / c_X is
    at most each threshold: (thresholds, bins of eta).
    """
    p, q, eta = _masses(truth, steps)
    below = key_below(eta, k, steps)
    # No classifier errs outside the co-support: a generated sample where P has no mass is never
    # called real, and a real sample where Q has none always is.
    return np.clip(truth.extreme_recall - below @ p, 0.0, 1.0), np.clip(
        below @ q, 0.0, truth.extreme_precision
    )


def _ipr(truth: PRCurve, k: int, steps: int) -> Rates:  # noqa: ARG001 - exact
    """Error rates of four classifiers of `ipr`, which only use whether c_X and c_Y are 0: on the
    co-support positive counts say nothing about eta.
    """
    p = truth.extreme_recall
    q = truth.extreme_precision  # Masses of the co-support under P and Q.
    empty = np.exp(-k)
    kept = empty * (1.0 - empty)  # P(c_Y = 0 < c_X) on the co-support; equal to P(c_X = 0 < c_Y).
    # The four classifiers answer "real" (1) where c_X > 0; (2) everywhere except where c_X = 0 <
    # c_Y, so also in no ball; (3) where c_Y = 0 < c_X; (4) where c_Y = 0.
    fpr = [empty, p * kept, p * (1.0 - kept) + (1.0 - p) * empty, p * (1.0 - empty)]
    fnr = [q * (1.0 - empty), q * (1.0 - kept) + (1.0 - q) * empty, q * kept, empty]
    return np.array(fpr), np.array(fnr)


def _knn(eta: Floats, k: int, steps: int) -> Floats:  # noqa: ARG001 - exact
    """P(key <= t | eta) for t = (k - j) / j, where j = k, ..., 1 is the number of real samples
    among the k nearest.
    """
    from scipy.stats import binom

    below: Floats = binom.sf(np.arange(k - 1, -1, -1)[:, None], k, eta)
    return below


def _coverage(eta: Floats, k: int, steps: int) -> Floats:
    """P(key <= t | eta) at t = 0 and at thresholds t = tan(angle), angles evenly spaced."""
    angles = np.linspace(0.0, np.pi / 2, steps + 1)[1:-1]
    low = np.tan(angles[angles <= np.pi / 4])
    # Thresholds t > 1: with the roles exchanged the key is its reciprocal, which is compared with 1
    # / t.
    upper = 1.0 - _key_below(1.0 - eta, k, low[::-1], strict=True)
    return np.concatenate([eta[None] ** k, _key_below(eta, k, low), upper])


def _key_below(eta: Floats, k: int, thresholds: Floats, *, strict: bool = False) -> Floats:
    """P(key <= t | eta), or with ``strict`` P(key < t | eta), for thresholds t in (0, 1].

    Fit samples are taken in the order of their distance from the point. The key c_Y / c_X is at
    most 1 if the k-th real sample comes before the k-th generated one. If j generated samples come
    before the k-th real one, c_Y = j and c_X = k + i, where i more real samples come before the
    k-th generated one.
    """
    from scipy.special import betainc
    from scipy.stats import nbinom

    firsts = nbinom.pmf(np.arange(k)[:, None], k, eta)
    # For j = 0 no generated sample comes before the k-th real one; the key is then 0, below every
    # threshold.
    found = np.tile(firsts[0], (len(thresholds), 1))
    for j in range(1, k):
        least = j / thresholds - k
        more, places = np.unique(
            np.floor(least) + 1 if strict else np.ceil(least), return_inverse=True
        )
        # The value of nbinom.sf(more - 1, k - j, 1 - eta), without SciPy's slow checks of
        # arguments.
        later = np.where(more[:, None] > 0, betainc(np.maximum(more, 1)[:, None], k - j, eta), 1.0)
        found += (firsts[j] * later)[places]
    return found


LIMITS: Mapping[str, Callable[[PRCurve, int, int], Rates]] = {
    "knn": partial(_of_shares, _knn),
    "coverage": partial(_of_shares, _coverage),
    "ipr": _ipr,
}
