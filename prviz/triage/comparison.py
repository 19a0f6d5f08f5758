"""Two checkpoints against the same real samples: the difference of their curves, and what only one
of them covers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from prviz.arrays import Flags, Floats, Ints
from prviz.curves.frozen import ReadOnlyArrays
from prviz.curves.pr_curve import PRCurve, even_rays
from prviz.diagnostics.confusion_groups import OptimalClassifiers
from prviz.estimators.base import Runs
from prviz.neighbors.threads import Progress
from prviz.triage.measured import MeasuredCheckpoint
from prviz.triage.ranking import ROUNDING
from prviz.uncertainty.bootstrap import interval
from prviz.uncertainty.paired import GeneratorComparison, compare_estimates

# Least ratio of generated to real density for a real sample to count as covered. It is a quarter:
# at 1 a perfect generator would miss half of the real samples by chance.
COVERED = 0.25


@dataclass(frozen=True, eq=False)
class PairedDifference(ReadOnlyArrays):
    """Difference of the curves a and b along rays of equal lam, and the real samples that only one
    of the two checkpoints covers.

    lam : (m,) from 0 to inf.
    alpha, beta : (m,) differences a - b of precision and of recall on each ray. As alpha = lam
        beta, one is 0 exactly where the other is, except at lam = 0 and inf.
    alpha_low, alpha_high, beta_low, beta_high : (m,) interval of the differences on each ray by
        itself. Where it holds 0, the samples don't tell a and b apart on this ray.
    only_a, only_b : indices of the real evaluation samples that a covers and b misses, and of those
        that b covers and a misses; the largest contrast first.
    rows : (n_real,) row of each real evaluation sample, counted as `Supports.rows`.
    """

    lam: Floats
    alpha: Floats
    alpha_low: Floats
    alpha_high: Floats
    beta: Floats
    beta_low: Floats
    beta_high: Floats
    only_a: Ints
    only_b: Ints
    rows: Ints

    @property
    def apart(self) -> Flags:
        """(m,) True for rays on which the interval of precision or of recall leaves out 0."""
        return (
            (self.alpha_low > 0)
            | (self.alpha_high < 0)
            | (self.beta_low > 0)
            | (self.beta_high < 0)
        )


def compare_curves(
    a: MeasuredCheckpoint,
    b: MeasuredCheckpoint,
    bootstrap: int = 200,
    seed: int = 0,
    confidence: float = 0.95,
    progress: Progress = lambda _: None,
) -> GeneratorComparison:
    """Both curves and their joint replicates. This is the slow part of a comparison.

    a, b : two measurements by one family, at one setting and on the same real samples, which are
        resampled together.
    bootstrap, seed, confidence : as in `rank`.
    progress : called with the fraction done.
    """
    return compare_estimates(a.estimate, b.estimate, bootstrap, seed, confidence, progress)


def difference_of(
    a: MeasuredCheckpoint,
    b: MeasuredCheckpoint,
    curves: GeneratorComparison,
    *,
    points: int = 201,
    covered: float = COVERED,
) -> PairedDifference:
    """The difference of two curves, with an interval for each ray by itself, and the real samples
    that only one checkpoint covers.

    curves : result of `compare_curves` for a and b.
    points : number of rays lam = tan(theta), theta even over [0, pi / 2].
    covered : a lam in (0, 1]. A real sample is covered if the optimal classifier at this lam calls
        it generated: generated samples are at least lam times as dense there as real ones. The
        largest such lam measures how well the sample is covered; over several runs its angle is
        averaged.
    """
    lam = even_rays(points)
    replicates = [
        _difference(one, other, lam)
        for one, other in zip(curves.a.curves, curves.b.curves, strict=True)
    ]
    precision, recall = (
        np.transpose([interval(ray, curves.a.level) for ray in np.transpose(side)])
        for side in zip(*replicates, strict=True)
    )
    alpha, beta = _difference(a.curve, b.curve, lam)
    rows = a.estimate.supports.real_rows
    angles = [_coverage(side.estimate.runs) for side in (a, b)]
    holds = [angle >= np.arctan(covered) - ROUNDING for angle in angles]
    contrast = angles[0] - angles[1]
    only_a = np.flatnonzero(holds[0] & ~holds[1])
    only_b = np.flatnonzero(holds[1] & ~holds[0])
    only_a = only_a[np.argsort(-contrast[only_a], kind="stable")]
    only_b = only_b[np.argsort(contrast[only_b], kind="stable")]
    return PairedDifference(
        lam, alpha, precision[0], precision[1], beta, recall[0], recall[1], only_a, only_b, rows
    )


def _difference(a: PRCurve, b: PRCurve, lam: Floats) -> tuple[Floats, Floats]:
    return a.alpha(lam) - b.alpha(lam), a.beta(lam) - b.beta(lam)


def _coverage(runs: Runs) -> Floats:
    """(n_real,) the angle, in [0, pi / 2], of the largest lam at which each real sample is called
    generated.
    """
    angles = []
    for run in runs:
        classifiers = OptimalClassifiers.from_supports(run)
        angle = np.zeros(run.n_real)
        for index, end in reversed(list(enumerate([np.inf, *classifiers.breakpoints.tolist()]))):
            angle[~classifiers.calls_real(index)[: run.n_real]] = np.arctan(end)
        angles.append(angle)
    mean: Floats = np.mean(angles, axis=0)
    return mean
