"""Clipped Density and Clipped Coverage: fidelity and diversity as shares of good samples that no
single sample can distort.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from prviz.arrays import Floats
from prviz.checks.flags import checked_pair
from prviz.measure.balls import check_neighbours, open_radii, own_radii
from prviz.neighbors import count_held, count_in_balls
from prviz.samples import SamplesLike


class Clipped(NamedTuple):
    """Clipped Density and Clipped Coverage, each from 0 to 1."""

    density: float
    coverage: float


def clipped(real: SamplesLike, generated: SamplesLike, *, k: int = 5) -> Clipped:
    """Clipped Density (fidelity) and Clipped Coverage (diversity).

    Parameters
    ----------
    real, generated : array_like or Samples
        (n, d) and (m, d) samples; n and m may differ.
    k : int
        Number of neighbours, 1 to min(n, m) - 1; 5 as published.

    Returns
    -------
    Clipped
        The two numbers, as equivalent shares of good samples.

    Raises
    ------
    ValueError, TypeError
        If samples are malformed, or k is out of range.

    Notes
    -----
    With R(x) the distance from a real sample to its k-th nearest other real one, and r(x) =
    min(R(x), median of R):

        density = mean over y of min(1, number of x with |y - x| <= r(x), over k), divided by the
        same mean over real samples (each without its own ball), at most 1. coverage = g(mean over x
        of min(1, number of y with |y - x| < R(x), over k)), where g gives the share of good samples
        among m that is expected to cover as much.

    g(v) is the number of j = 0 .. m with f(j) < v, over m + 1; f(j) is the expected coverage by j
    samples of the real distribution, 0 for j < k as in the authors' code. Where distances tie, a
    real sample counts in all balls that hold it; the authors' code lists k neighbours of each
    sample and drops others that are equally near. Source: Salvy, Talbot, Thirion 2025 (arXiv
    2507.01761) and their public code.
    """
    pair = checked_pair(real, generated)
    check_neighbours("k", k, pair.smaller)
    centres = pair.real.values
    others = pair.generated.values
    radii = own_radii(centres, k)
    short = np.minimum(radii, np.median(radii))
    # This mean is above 0, so dividing by it is safe: at least half of the balls keep their radius,
    # and each of these holds k other samples.
    own = np.minimum((count_in_balls(centres, centres, short) - 1) / k, 1.0).mean()
    held = np.minimum(count_in_balls(others, centres, short) / k, 1.0).mean()
    density = min(float(held / own), 1.0)
    opened = open_radii(radii)
    rows = np.flatnonzero(opened >= 0)
    inside = np.zeros(len(centres))
    if len(rows):
        inside[rows] = np.minimum(count_held(centres, opened[rows], others, centre_rows=rows), k)
    return Clipped(density, good_share(float(np.mean(inside) / k), k, len(centres), len(others)))


def good_share(covered: float, k: int, n: int, m: int) -> float:
    """The function g of `clipped`: the share of good samples, among m generated ones, that is
    expected to cover the real samples as well as ``covered``.
    """
    expected = expected_coverage(k, n, m)
    return int(np.searchsorted(expected, covered)) / len(expected)


def expected_coverage(k: int, n: int, m: int) -> Floats:
    """f(0), ..., f(m) of `clipped`: the coverage that j samples of the real distribution are
    expected to reach.

    A ball's mass under the real distribution is Beta(k, n - k) distributed. So the i-th sample in
    the ball is the j-th one drawn with probability C(j - 1, i - 1) B(k + i, n - k + j - i) / B(k, n
    - k). From j - 1 to j samples, f grows by the sum of these probabilities over i <= k, divided by
    k.
    """
    from scipy.special import betaln, gammaln

    drawn = np.arange(1, m + 1)[:, None]
    place = np.arange(1, k + 1)[None]
    rest = np.maximum(drawn - place, 0)
    choose = gammaln(drawn) - gammaln(place) - gammaln(rest + 1)
    chance = np.exp(choose + betaln(k + place, n - k + rest) - betaln(k, n - k))
    grown = np.cumsum(np.where(place <= drawn, chance, 0.0).sum(axis=1) / k)
    return np.concatenate([np.zeros(k), grown[k - 1 :]])
