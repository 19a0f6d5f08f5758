"""How the error of estimates falls with the number of samples in each dimension, beside the bound
of the theory.

Source: Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), Theorem 6. For subgaussian P and Q with
densities in a Sobolev ball, N samples of each and the bandwidth sigma ~ N^(-1/(2+d)), the plug-in
KDE estimate of the overlap satisfies

    E |alpha_hat(lam) - alpha(lam)| <= C (lam + 1) N^(-1/(2+d)),

where C depends on d, but not on N, lam, P and Q. This is an upper bound, so a measured slope may be
steeper than the exponent. It holds for the plug-in estimate; for the classifiers of
`prviz.measure.estimates` the paper bounds only the bias in this way (Proposition 14, Remark 15).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


def rate_exponent(d: int) -> float:
    """The exponent -1 / (2 + d) of N in the bound of Theorem 6; ValueError for d < 1."""
    if d < 1:
        raise ValueError(f"d = {d}; a dimension of at least 1 is needed")
    return -1.0 / (2 + d)


class Slope(NamedTuple):
    """The slope of a least-squares line, and its standard error (nan for two points)."""

    value: float
    error: float


def fitted_slope(sizes: Sequence[float], errors: Sequence[float]) -> Slope:
    """The slope of log(error) over log(size): the exponent b in error ~ size^b.

    sizes, errors : positive numbers, of the same length, with at least two different sizes. Raises
        ValueError otherwise.
    """
    xs = np.asarray(sizes, dtype=float)
    ys = np.asarray(errors, dtype=float)
    if (
        xs.shape != ys.shape
        or xs.ndim != 1
        or len(np.unique(xs)) < 2
        or not bool(np.all((xs > 0) & (ys > 0)))
    ):
        raise ValueError(
            f"sizes = {xs.tolist()}, errors = {ys.tolist()}; one positive error for each size is"
            " needed"
        )
    x = np.log(xs) - np.log(xs).mean()
    y = np.log(ys) - np.log(ys).mean()
    slope = float(x @ y / (x @ x))
    if len(xs) == 2:
        return Slope(slope, float("nan"))
    return Slope(slope, float(np.sqrt(((y - slope * x) ** 2).sum() / (len(xs) - 2) / (x @ x))))
