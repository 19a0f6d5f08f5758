"""Stacking: one classifier from the log odds of many learners, with weights fitted on samples that
no learner was fitted on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from prviz.arrays import Flags, Floats
from prviz.estimators.learners import Votes
from prviz.neighbors.threads import one_blas_thread

# Ridge penalty on the weights, relative to the mean log loss.
_PENALTY = 1e-3
# Newton's method: largest number of steps, and the change of slope and intercept below which it
# ends.
_STEPS = 25
_CLOSE = 1e-5


@dataclass(frozen=True)
class Chosen:
    """The part of one learner in the sum: which of its columns is used, the slope (at least 0) and
    the intercept that calibrate this column, and the learner's weight.
    """

    column: int
    slope: float
    intercept: float
    weight: float


@dataclass(frozen=True)
class Stack:
    """Classifier whose log odds are a weighted sum of calibrated log odds, one column per learner.

    chosen : by name of the learner.
    intercept : added to the sum.
    """

    chosen: Mapping[str, Chosen]
    intercept: float

    @classmethod
    def fit(cls, votes: Votes, generated: Flags) -> Stack:
        """Fit the weights, at least 0, with the least log loss; both sets count alike, whatever
        their sizes.

        Parameters
        ----------
        votes : mapping of str to ndarray
            (c, m) log odds by learner, on samples that the learners were not fitted on.
        generated : ndarray of bool
            (m,) True for generated samples.

        Returns
        -------
        Stack
            It does not depend on the order of the samples, up to rounding.
        """
        from scipy.optimize import minimize

        weights = np.where(
            generated, 0.5 / np.count_nonzero(generated), 0.5 / np.count_nonzero(~generated)
        )
        signs = np.where(generated, 1.0, -1.0)
        calibrated = {
            name: _calibrated(columns, generated, weights) for name, columns in votes.items()
        }
        table = np.stack(
            [slope * votes[name][at] + add for name, (at, slope, add) in calibrated.items()], axis=1
        )

        def loss(point: Floats) -> tuple[float, Floats]:
            odds = table @ point[:-1] + point[-1]
            error = -weights * signs * expit(-signs * odds)
            value = weights @ np.logaddexp(0.0, -signs * odds) + _PENALTY / 2 * (
                point[:-1] @ point[:-1]
            )
            return float(value), np.append(table.T @ error + _PENALTY * point[:-1], error.sum())

        first = np.append(np.full(table.shape[1], 1.0 / table.shape[1]), 0.0)
        limits = [(0.0, None)] * table.shape[1] + [(None, None)]
        # The problem has only a dozen numbers, on which SciPy with BLAS threads takes a hundred
        # times as long.
        with one_blas_thread():
            result = minimize(loss, first, jac=True, method="L-BFGS-B", bounds=limits)
        *found, intercept = result.x.tolist()
        chosen = {
            name: Chosen(*each, weight)
            for (name, each), weight in zip(calibrated.items(), found, strict=True)
        }
        return cls(chosen, intercept)

    def log_odds(self, votes: Votes) -> Floats:
        """Log odds, (m,), that samples are generated, from the log odds by the same learners that
        were stacked.
        """
        total = np.full(next(iter(votes.values())).shape[1], self.intercept)
        for name, each in self.chosen.items():
            total += each.weight * (each.slope * votes[name][each.column] + each.intercept)
        return total


def _calibrated(columns: Floats, generated: Flags, weights: Floats) -> tuple[int, float, float]:
    """Calibrate one learner: return the index of its best column, whose slope * column + intercept
    has the least log loss, and this slope and intercept, found by Newton's method.
    """
    scale = columns.std(axis=1)
    scale[scale == 0] = 1.0
    x = columns / scale[:, None]
    slope = np.full(len(x), 0.5)
    intercept = np.zeros(len(x))
    for _ in range(_STEPS):
        share = expit(slope[:, None] * x + intercept[:, None])
        error = weights * (share - generated)
        spread = weights * share * (1 - share)
        gradient = np.stack([(error * x).sum(axis=1) + _PENALTY * slope, error.sum(axis=1)])
        aa = (spread * x * x).sum(axis=1) + _PENALTY
        ab = (spread * x).sum(axis=1)
        bb = spread.sum(axis=1) + 1e-9
        step = np.stack(
            [bb * gradient[0] - ab * gradient[1], aa * gradient[1] - ab * gradient[0]]
        ) / (aa * bb - ab**2)
        step *= np.minimum(1.0, 5.0 / np.maximum(np.abs(step).max(axis=0), 1e-12))
        slope = slope - step[0]
        intercept = intercept - step[1]
        if np.abs(step).max() < _CLOSE:
            break
    useless = slope < 0
    slope[useless] = intercept[useless] = 0.0
    odds = slope[:, None] * x + intercept[:, None]
    best = int(
        np.argmin((weights * np.logaddexp(0.0, np.where(generated, -odds, odds))).sum(axis=1))
    )
    return best, float(slope[best] / scale[best]), float(intercept[best])
