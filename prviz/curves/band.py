"""Mean and standard deviation of several curves, from repeated draws or from the seeded runs of one
family.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from prviz.arrays import Floats
from prviz.curves.pr_curve import PRCurve, even_rays


@dataclass(frozen=True, eq=False)
class Band:
    """Mean and standard deviation of several curves at equal lam; all arrays are (m,), lam
    increases.

    The deviation divides by the number of curves, not by one less (hal-05344404, section 5.1.3).
    alpha = lam beta holds for the mean and for both edges of the band.
    """

    lam: Floats
    alpha_mean: Floats
    alpha_sd: Floats
    beta_mean: Floats
    beta_sd: Floats

    @property
    def meaning(self) -> str:
        """Legend text of the band."""
        return "mean ± σ"

    @property
    def alpha_low(self) -> Floats:
        """Mean precision minus one standard deviation; not clipped to [0, 1]."""
        return self.alpha_mean - self.alpha_sd

    @property
    def alpha_high(self) -> Floats:
        """Mean precision plus one standard deviation; not clipped to [0, 1]."""
        return self.alpha_mean + self.alpha_sd

    @property
    def beta_low(self) -> Floats:
        """Mean recall minus one standard deviation; not clipped to [0, 1]."""
        return self.beta_mean - self.beta_sd

    @property
    def beta_high(self) -> Floats:
        """Mean recall plus one standard deviation; not clipped to [0, 1]."""
        return self.beta_mean + self.beta_sd


def band(curves: Sequence[PRCurve], points: int = 201) -> Band:
    """Mean and standard deviation of curves at lam = tan(theta), with theta evenly spaced over [0,
    pi / 2].

    Source: Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 5.1.3.
    """
    if not len(curves) or points < 2:
        raise ValueError(f"{len(curves)} curves at {points} points; at least 1 and 2 are needed")
    lam = even_rays(points)
    alpha = np.array([curve.alpha(lam) for curve in curves])
    beta = np.array([curve.beta(lam) for curve in curves])
    return Band(lam, alpha.mean(axis=0), alpha.std(axis=0), beta.mean(axis=0), beta.std(axis=0))
