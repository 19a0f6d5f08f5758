"""Critical values: how far two true error rates may lie above the measured ones. They hold whatever
the true rates are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from prviz.arrays import Floats

# Width of a cell of true rates: in standard deviations of a measured rate, or, near the rate 1, as
# a ratio of distances from 1.
_STEP = 0.05
# Probabilities of large divergences (tails) are computed on a grid of divergences, with the step
# _GRID, up to _LARGEST.
_GRID = 0.02
_LARGEST = 10.0
# A band of true rates ends where the expected number of errors, or of samples without error, is one
# of these. With small expected numbers a measured rate is far from normal, and its critical value
# is higher.
_EXPECTED = (1.0, 4.0, 16.0, 64.0)
# Smallest expected number of samples without error; with fewer, the true rate counts as 1.
_NEARLY_ONE = 1e-7
# Numbers of errors more standard deviations away from the expected one are ignored.
_WINDOW = 12.0


@dataclass(frozen=True, eq=False)
class CriticalValues:
    """Critical values of the sum of two divergences (of the measured fpr and fnr from the true
    ones), by bands of the true rates.

    edges : for each rate, the limits of its bands, from 0 to 1.
    values : (i, j) the critical value if the first rate is in its band i and the second in its band
    j.
    """

    edges: tuple[Floats, Floats]
    values: Floats


@lru_cache(maxsize=64)
def critical_values(n_first: int, n_second: int, level: float) -> CriticalValues:
    """Critical values: the sum of two divergences exceeds them with at most the probability
    ``level``, whatever the true rates are.

    Parameters
    ----------
    n_first, n_second : int
        Numbers of independent samples from which the two rates are measured.
    level : float
        The probability.

    Returns
    -------
    CriticalValues
        For all true rates (f, n) in a pair of bands: P[n_first kl+(f^, f) + n_second kl+(n^, n) >
        value] <= level. f^ and n^ are the measured rates. kl+ is the divergence of a measured rate
        that is below the true one, and 0 for one that is not.

    Notes
    -----
    The values hold for all rates, not only for those of a grid. Let a true rate lie in a cell [low,
    high]. A measured rate is at most as likely to be small as if the true rate were ``low``, and
    its divergence is at most that from ``high``. So the exact binomial tail with ``low``, at the
    divergence from ``high``, bounds the tail for every rate in the cell. The bound of a band is the
    largest of its cells' bounds, at each value.
    """
    edges = _band_edges(n_first), _band_edges(n_second)
    first = _tails(n_first, edges[0])
    second = first if n_second == n_first else _tails(n_second, edges[1])
    values = np.empty((len(first), len(second)))
    for i, one in enumerate(first):
        # Each divergence is rounded up to the next step, which makes the bound larger.
        mass = -np.diff(one, prepend=1.0)
        for j, other in enumerate(second):
            exceeds = np.convolve(mass, other)[: len(one)] + one
            low_enough = np.flatnonzero(exceeds <= level)
            values[i, j] = _GRID * low_enough[0] if len(low_enough) else np.inf
    return CriticalValues(edges, values)


def _band_edges(n: int) -> Floats:
    few = np.array([each / n for each in _EXPECTED if each < n / 2])
    return np.concatenate([[0.0], few, 1.0 - few[::-1], [1.0]])


def _tails(n: int, bands: Floats) -> Floats:
    """(b, g) for each band and each step of the grid: an upper bound, for all true rates in the
    band, on the probability that n kl+ exceeds the step.
    """
    from scipy.special import bdtr, xlogy

    count = int(np.ceil(np.pi * np.sqrt(n) / _STEP))
    even = np.sin(np.linspace(0.0, np.pi / 2, count + 1)) ** 2
    near_one = np.geomspace(_NEARLY_ONE, 1.0, int(np.ceil(-np.log(_NEARLY_ONE) / _STEP)))
    cells = np.unique(np.concatenate([even[even < 1.0], 1.0 - near_one / n, bands]))
    steps = np.arange(0.0, _LARGEST + _GRID / 2, _GRID)
    tails = np.zeros((len(bands) - 1, len(steps)))
    places = np.searchsorted(bands, cells[:-1], side="right") - 1
    for low, high, place in zip(
        cells[:-1].tolist(), cells[1:].tolist(), places.tolist(), strict=True
    ):
        spread = _WINDOW * np.sqrt(n * low * (1 - low)) + 2 * _WINDOW
        errors = np.arange(max(0, int(n * low - spread)), int(np.ceil(n * high)))
        rates = errors / n
        with np.errstate(divide="ignore"):
            apart = n * (xlogy(rates, rates / high) + xlogy(1 - rates, (1 - rates) / (1 - high)))
        # For each step, the number of error counts whose divergence is above the step.
        larger = np.searchsorted(-apart, -steps, side="left")
        tail = np.append(0.0, bdtr(errors, n, low))[larger] if len(errors) else np.zeros(len(steps))
        np.maximum(tails[place], tail, out=tails[place])
    return tails
