"""The curve between two distributions that are given, not sampled."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from prviz.curves import ground_truth
from prviz.curves.pr_curve import PRCurve

__all__ = ["discrete_curve"]

# Largest accepted difference of a total of masses from 1: rounding of sums and of float32.
ROUNDING = 1e-5


def discrete_curve(p: ArrayLike, q: ArrayLike) -> PRCurve:
    """The exact precision-recall curve between two discrete distributions.

        alpha(lam) = sum over i of min(lam p_i, q_i)       beta(lam) = alpha(lam) / lam       lam in [0, inf]

    The curve runs from (recall 0, precision alpha_inf = q-mass where p > 0) to (recall beta_0 = p-mass where q > 0,
    precision 0).

    Parameters
    ----------
    p, q : array_like
        (m,) masses of the real and of the generated distribution over the same m outcomes; non-negative, of sum 1
        within 1e-5, and divided by that sum. Divide counts by their total first.

    Returns
    -------
    PRCurve
        The exact curve.

    Raises
    ------
    ValueError
        Another shape or different lengths, a negative or non-finite mass, or a total that is not 1.

    Notes
    -----
    Source: Sajjadi et al. 2018, Theorem 2 and equation 4.
    """
    real, generated = _masses(p, "p"), _masses(q, "q")
    if len(real) != len(generated):
        raise ValueError(f"p has {len(real)} masses, q has {len(generated)}; one of each per outcome is needed")
    return ground_truth.finite_masses(real, generated)


def _masses(values: ArrayLike, name: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    masses = np.asarray(values, dtype=np.float64)
    if masses.ndim != 1 or len(masses) == 0:
        raise ValueError(f"{name} has shape {masses.shape}; a list of at least one mass is needed")
    if not bool(np.all(np.isfinite(masses) & (masses >= 0))):
        wrong = masses[~(np.isfinite(masses) & (masses >= 0))][0]
        raise ValueError(f"{name} holds {wrong}; every mass must be finite and not negative")
    if abs(float(masses.sum()) - 1.0) > ROUNDING:
        raise ValueError(f"{name} has the total {masses.sum():g}; masses of total 1 are needed")
    return masses
